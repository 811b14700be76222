//! Making a plan that fails smaller, while it still fails by the same rule.

use std::collections::BTreeSet;

use crate::chance::Place;
use crate::check::check;
use crate::journal::{Entry, What};
use crate::plan::{Ask, Plan};
use crate::simulate::simulate;

/// The smallest plan that is found: fewer asks, fewer faults, clocks that are right. The same plan if it does not fail.
#[must_use]
pub fn shrink(plan: &Plan) -> Plan {
    let Some(rule) = fails(plan) else {
        return plan.clone();
    };
    let mut least = plan.clone();
    loop {
        let before = least.clone();
        least = with_fewer_asks(least, rule);
        least = with_fewer_faults(&least, rule);
        if least == before {
            return least;
        }
    }
}

fn fails(plan: &Plan) -> Option<&'static str> {
    check(&simulate(plan)).err().map(|violation| violation.rule)
}

fn with_fewer_asks(plan: Plan, rule: &'static str) -> Plan {
    let kept = fewer(plan.asks.clone(), |asks: &[Ask]| {
        let smaller = Plan {
            asks: asks.to_vec(),
            ..plan.clone()
        };
        fails(&smaller) == Some(rule)
    });
    Plan { asks: kept, ..plan }
}

fn with_fewer_faults(plan: &Plan, rule: &'static str) -> Plan {
    let places: BTreeSet<_> = simulate(plan).entries.iter().filter_map(place_of).collect();
    let spared = |met: &[Place]| {
        let met: BTreeSet<_> = met.iter().collect();
        let spared = places.iter().filter(|place| !met.contains(place));
        let without = plan.without.iter().chain(spared).copied().collect();
        Plan {
            without,
            ..plan.clone()
        }
    };
    let needed = fewer(places.iter().copied().collect(), |met| {
        fails(&spared(met)) == Some(rule)
    });
    spared(&needed)
}

/// Where something goes wrong.
fn place_of(entry: &Entry) -> Option<Place> {
    match entry.what {
        What::Meets(_, _, place) | What::Mishap(_, place) => Some(place),
        What::Starts(ahead, place) => (ahead != 0).then_some(place),
        _ => None,
    }
}

/// Takes away halves, then quarters, down to single ones, whatever is not needed.
fn fewer<T: Clone>(mut all: Vec<T>, still_fails: impl Fn(&[T]) -> bool) -> Vec<T> {
    let mut size = all.len().div_ceil(2);
    while size > 0 {
        let mut from = 0;
        while from < all.len() {
            let mut rest = all.clone();
            rest.drain(from..(from + size).min(all.len()));
            if still_fails(&rest) {
                all = rest;
            } else {
                from += size;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    all
}
