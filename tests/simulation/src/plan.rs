//! What a seed asks for: who asks for what, when, and in which weather. Data, so that a plan that fails can be made smaller.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use decide_once_tests::seed::Seed;

use crate::bug::Bug;
use crate::chance::{Chance, Consumer, Place, Who};
use crate::weather::Weather;

/// All that a simulation depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Where everything that is left to chance comes from.
    pub seed: u64,
    /// When each act begins. Between acts nothing happens but time.
    pub acts: Vec<Duration>,
    /// Who asks.
    pub asks: Vec<Ask>,
    /// What goes wrong.
    pub weather: Weather,
    /// Where nothing goes wrong all the same.
    pub without: BTreeSet<Place>,
    /// What is deliberately broken.
    pub bug: Option<Bug>,
    /// Where a process dies, once.
    pub crash: Option<Crash>,
}

/// A crash point, and whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    /// As the service names it.
    pub point: &'static str,
    /// Whose process gets there.
    pub part: Part,
}

/// What has crash points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The decide function.
    Decide,
    /// The evaluate function.
    Evaluate,
    /// The publish function.
    Publish,
    /// The consume function, with its effect in the transaction of its mark.
    Consume,
}

/// A client that wants something decided, and does as the answers say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Its name.
    pub number: u16,
    /// In which act.
    pub act: usize,
    /// How long after its beginning.
    pub after: Duration,
    /// Under which key.
    pub key: u8,
    /// For what.
    pub request: Request,
    /// Whether it wants its answer later.
    pub later: bool,
    /// How long it would wait for another worker.
    pub wait: Duration,
}

/// What is asked for. Two requests differ in their amount at least.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// What policy and rule make of it.
    pub kind: Kind,
    /// No other request has it.
    pub amount: u32,
    /// Whose account it is about.
    pub subject: u8,
    /// The version of the policy that it names.
    pub version: Option<u32>,
}

/// What policy and rule make of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A decision.
    Plain,
    /// A decision, one only for each order of this number, under whatever key.
    Order(u8),
    /// No rule hits: a final failure.
    Unmatched,
    /// The rule cannot be evaluated: a final failure.
    Broken,
}

impl Plan {
    /// What a seed asks for.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let chance = Chance::of(seed);
        let world = Place::invocation(Who::World, 0);
        let acts = acts(&mut chance.at(world, "acts"));
        Self {
            asks: asks(&mut chance.at(world, "asks"), acts.len()),
            weather: Weather::of(&mut chance.at(world, "weather")),
            seed,
            acts,
            without: BTreeSet::new(),
            bug: None,
            crash: None,
        }
    }

    /// The same with something deliberately broken.
    #[must_use]
    pub fn with(self, bug: Bug) -> Self {
        Self {
            bug: Some(bug),
            ..self
        }
    }
}

/// The pauses between them are within a result's life, behind it, around the end of the key's, or behind that.
fn acts(seed: &mut Seed) -> Vec<Duration> {
    let mut begins = Duration::ZERO;
    let mut acts = vec![begins];
    for _ in 0..seed.below(3) {
        let (least, most) = match seed.below(4) {
            0 => (6, 20),
            1 => (35, 55),
            2 => (58, 72),
            _ => (75, 200),
        };
        let minutes = least + seed.below(most - least);
        begins += Duration::from_secs(minutes * 60 + seed.below(60));
        acts.push(begins);
    }
    acts
}

fn asks(seed: &mut Seed, acts: usize) -> Vec<Ask> {
    let mut asks: Vec<Ask> = Vec::new();
    let mut amount = 0;
    for act in 0..acts {
        for key in 0..u8::try_from(1 + seed.below(3)).unwrap_or(1) {
            let mut request = |seed: &mut Seed| {
                amount += 1;
                fresh(seed, 100 + amount)
            };
            let before = asks.iter().find(|ask| ask.key == key);
            let main = match before {
                Some(before) if seed.percent(70) => before.request.clone(),
                Some(_) | None => request(seed),
            };
            for nth in 0..1 + seed.below(4) {
                let other = nth > 0 && seed.percent(20);
                let most = [50, 2_000, 60_000][usize::try_from(seed.below(3)).unwrap_or(0)];
                asks.push(Ask {
                    number: u16::try_from(asks.len()).unwrap_or(u16::MAX),
                    act,
                    after: Duration::from_millis(seed.below(most)),
                    key,
                    request: if other { request(seed) } else { main.clone() },
                    later: seed.percent(25),
                    wait: Duration::from_millis(
                        [0, 0, 200, 3_000][usize::try_from(seed.below(4)).unwrap_or(0)],
                    ),
                });
            }
        }
    }
    asks
}

fn fresh(seed: &mut Seed, amount: u32) -> Request {
    let kind = match seed.below(20) {
        0..11 => Kind::Plain,
        11..16 => Kind::Order(u8::try_from(seed.below(2)).unwrap_or(0)),
        16..18 => Kind::Unmatched,
        _ => Kind::Broken,
    };
    Request {
        kind,
        amount,
        subject: u8::try_from(seed.below(2)).unwrap_or(0),
        version: seed.percent(20).then_some(1),
    }
}

impl Part {
    /// Whether this is one of its processes.
    pub(crate) const fn has(self, who: Who) -> bool {
        match who {
            Who::Decide(_) => matches!(self, Self::Decide),
            Who::Evaluate(_) => matches!(self, Self::Evaluate),
            Who::Publish(_) => matches!(self, Self::Publish),
            Who::Consume(Consumer::Balances, _) => matches!(self, Self::Consume),
            Who::Consume(Consumer::Desk, _) | Who::Sweep | Who::World => false,
        }
    }
}

impl Request {
    /// The body of its `POST`.
    #[must_use]
    pub fn body(&self) -> String {
        let version = self
            .version
            .map_or(String::new(), |version| format!(r#""version":{version},"#));
        let (policy, kind, order) = match self.kind {
            Kind::Plain => ("plain", "plain", String::new()),
            Kind::Order(order) => ("order", "plain", format!(r#","order":"o-{order}""#)),
            Kind::Unmatched => ("plain", "unmatched", String::new()),
            Kind::Broken => ("plain", "broken", String::new()),
        };
        format!(
            r#"{{"policy":"{policy}",{version}"subject":"acct-{}","facts":{{"amount":{},"kind":"{kind}"{order}}}}}"#,
            self.subject, self.amount
        )
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "seed {}: {} acts, {} asks",
            self.seed,
            self.acts.len(),
            self.asks.len()
        )?;
        for ask in &self.asks {
            writeln!(f, "  {ask}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            number,
            act,
            after,
            key,
            request,
            later,
            wait,
        } = self;
        write!(
            f,
            "ask {number}: act {act} + {after:?}, key k-{key}, {:?} of {}",
            request.kind, request.amount
        )?;
        if let Some(version) = request.version {
            write!(f, ", version {version}")?;
        }
        if *later {
            write!(f, ", later")?;
        }
        if !wait.is_zero() {
            write!(f, ", waits {wait:?}")?;
        }
        Ok(())
    }
}
