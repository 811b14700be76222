//! From a reservation to a decision: the pinned policy says what, the protocol binds it to the attempt.

use decide_once_policy::Evaluation;
use decide_once_protocol::answer::Verdict;
use decide_once_protocol::decision::{ClaimId, NaturalClaim};
use decide_once_protocol::flow::{Decision, EventDraft, Reservation, Step};
use decide_once_protocol::hash::EmptyPart;
use decide_once_protocol::record::{FinalCode, FinalFailure};
use decide_once_protocol::time::Timestamp;

use crate::call::{Call, Prepared};
use crate::settings::Settings;

/// Evaluates under the pinned version. Pure, apart from the instant that it is given.
pub(crate) fn evaluate(
    reservation: Reservation,
    caller: &Prepared<'_>,
    settings: &Settings,
    now: Timestamp,
) -> Step {
    let call = caller.call();
    let Some((policy, facts)) = caller.evaluation(reservation.pin()) else {
        return failed(
            reservation,
            "the facts do not meet the pinned policy's schema".to_owned(),
            now,
        );
    };
    match policy.evaluate(&facts, &call.request.subject, now.as_millis()) {
        Evaluation::Failed { detail, .. } => failed(reservation, detail, now),
        Evaluation::Decided {
            rule,
            outcome,
            events,
            claims,
        } => {
            let claims = natural_claims(&reservation, call, claims, now);
            let Ok(claims) = claims else {
                return failed(
                    reservation,
                    "a natural key has an empty part".to_owned(),
                    now,
                );
            };
            let drafts: Vec<_> = events
                .into_iter()
                .map(|event| EventDraft {
                    kind: event.r#type,
                    data: event.data.to_json(),
                })
                .collect();
            let verdict = Verdict {
                rule,
                outcome: outcome.to_json(),
                event_types: drafts.iter().map(|draft| draft.kind.clone()).collect(),
            };
            let decision = Decision {
                verdict,
                events: drafts,
                claims,
                key: call.key().clone(),
                subject: call.request.subject.clone(),
                source: source(settings, call),
                event_limit: settings.event_limit,
                trace: call.trace,
            };
            reservation.decide(decision, now)
        }
    }
}

fn failed(reservation: Reservation, detail: String, now: Timestamp) -> Step {
    let failure = FinalFailure {
        code: FinalCode::DecisionFailed,
        detail,
    };
    Step::Surrender(reservation.fail(failure, now))
}

/// Claims live as long as the decision does.
fn natural_claims(
    reservation: &Reservation,
    call: &Call,
    claims: Vec<decide_once_policy::Claim>,
    now: Timestamp,
) -> Result<Vec<NaturalClaim>, EmptyPart> {
    let expiry = reservation.retention().decision.map(|kept| now.plus(kept));
    claims
        .into_iter()
        .map(|claim| {
            let name = format!("{}/{}", call.request.policy, claim.name);
            let id = ClaimId::of(call.tenant(), call.operation_name(), &name, &claim.parts)?;
            let decision = reservation.decision().clone();
            Ok(NaturalClaim {
                id,
                name: claim.name,
                decision,
                expiry,
            })
        })
        .collect()
}

/// The CloudEvents source names the service and the tenant, so that two tenants' subjects never meet in a consumer.
fn source(settings: &Settings, call: &Call) -> String {
    let tenant = call.tenant().as_str();
    format!("{}:{}", settings.event_source, uri_safe(tenant))
}

/// Percent-encodes what a URI reference does not take (RFC 3986 §2.1).
fn uri_safe(text: &str) -> String {
    use std::fmt::Write as _;
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                safe.push(char::from(byte))
            }
            other => {
                let _infallible = write!(safe, "%{other:02X}");
            }
        }
    }
    safe
}
