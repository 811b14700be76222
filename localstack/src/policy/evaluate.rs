//! `policy evaluate`: what a policy makes of facts, and why.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use decide_once_policy::{Policy, PolicySet};
use decide_once_protocol::{
    hash::hex,
    json::{self, Object, Value, object},
    request::PolicyVersion,
};

use super::{EvaluateArgs, PolicyError, Report, trace};

/// The largest body of a request; its facts are no larger.
const FACTS_LIMIT: u64 = 64 * 1024;

pub(super) fn run(policies: &PolicySet, args: &EvaluateArgs) -> Result<Report, PolicyError> {
    let active = policies.active(&args.id);
    let version = args
        .version
        .or(active)
        .ok_or_else(|| PolicyError::NoneActive(args.id.clone()))?;
    let policy = policies.get(&args.id, version)?;
    let facts = read(&args.facts)?;
    let now = args.now.unwrap_or_else(jiff::Timestamp::now);
    let now = now.as_millisecond(); // as the service sees it
    let mut report = head(policy, active, args, now);
    match policy.normalise(&facts) {
        Ok(facts) => {
            let (evaluation, tried) = policy.evaluate_traced(&facts, &args.subject, now);
            trace::facts(&mut report, facts.facts());
            trace::rules(&mut report, &tried);
            trace::result(&mut report, &evaluation, &tried);
        }
        Err(invalid) => trace::invalid(&mut report, &invalid),
    }
    Ok(report)
}

fn head(policy: &Policy, active: Option<PolicyVersion>, args: &EvaluateArgs, now: i64) -> Report {
    let (id, version, subject) = (&policy.id, policy.version, args.subject.as_str());
    let active = active == Some(version);
    let now = jiff::Timestamp::from_millisecond(now).unwrap_or_default();
    let digest = format!("sha256:{}", hex(&policy.digest));
    let state = if active { "active" } else { "not active" };
    Report {
        text: format!(
            "{id} version {version} ({state}), {digest}\n\
             subject  {subject}\n\
             now      {now}\n"
        ),
        json: object([
            ("policy", Value::from(id.as_str())),
            ("version", Value::from(version.get())),
            ("active", Value::from(active)),
            ("digest", Value::from(digest)),
            ("subject", Value::from(subject)),
            ("now", Value::from(now.to_string())),
        ]),
        well: true,
    }
}

/// Reads facts as strictly as a request's.
fn read(path: &Path) -> Result<Object, PolicyError> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin()
            .lock()
            .take(FACTS_LIMIT + 1)
            .read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(FACTS_LIMIT + 1).read_to_end(&mut bytes))
    };
    read.map_err(|source| PolicyError::FactsUnreadable {
        path: path.to_owned(),
        source,
    })?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > FACTS_LIMIT) {
        return Err(PolicyError::FactsTooLarge { limit: FACTS_LIMIT });
    }
    match json::parse(&bytes)? {
        Value::Object(facts) => Ok(facts),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(PolicyError::FactsNotAnObject)
        }
    }
}
