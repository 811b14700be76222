//! Requests by number: what is asked under which key, and what must come of it.

use std::collections::BTreeMap;

use crate::{Request, Stack};

/// How many accounts they are about.
const SUBJECTS: usize = 24;

/// Euros of a refund, in cents.
const REFUND: i64 = 500;

/// Sums by subject and name, as balances have them.
pub type Sums = BTreeMap<String, BTreeMap<String, i64>>;

/// One business operation: the same number is the same request under the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(pub usize);

/// What an order asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Decided by an absolute effect: the last one stands.
    Credit,
    /// Decided by a relative effect: the sums grow.
    Refund,
    /// For a person to look at: the effect is elsewhere.
    Review,
}

impl Order {
    const fn kind(self) -> Kind {
        match self.0 % 16 {
            0..4 => Kind::Refund,
            4 => Kind::Review,
            _ => Kind::Credit,
        }
    }

    /// Its idempotency key.
    #[must_use]
    pub fn key(self) -> String {
        format!("d711fa57-58c4-4a0b-8f0b-{:012}", self.0)
    }

    /// Whom it is about.
    #[must_use]
    pub fn subject(self) -> String {
        format!("acct-{}", self.0 % SUBJECTS)
    }

    /// Its body.
    #[must_use]
    pub fn body(self) -> String {
        self.body_of(1)
    }

    /// The body of another request under the same key.
    #[must_use]
    pub fn other_body(self) -> String {
        self.body_of(2)
    }

    fn body_of(self, line: u32) -> String {
        let (number, subject) = (self.0, self.subject());
        let reason = match self.kind() {
            Kind::Credit => {
                return format!(
                    r#"{{"policy":"credit-limit","subject":"{subject}","facts":{{"amount":{number},"openDisputes":{line}}}}}"#
                );
            }
            Kind::Refund => "damaged",
            Kind::Review => "other",
        };
        format!(
            r#"{{"policy":"refund-approval","subject":"{subject}","facts":{{"orderId":"O-{number}","line":{line},"amount":{REFUND},"paid":{REFUND},"currency":"EUR","purchasedAt":"2026-11-20T10:00:00Z","reason":"{reason}"}}}}"#
        )
    }

    /// `POST /v1/decisions`.
    pub fn ask(self, stack: &Stack) -> Request {
        stack.decide(&self.key(), &self.body())
    }
}

/// What the balances must be once each of these had its effect, once.
#[must_use]
pub fn sums(orders: impl IntoIterator<Item = Order>) -> Sums {
    let mut sums = Sums::new();
    for order in orders {
        let (sum, by) = match order.kind() {
            Kind::Credit => ("decided", 1),
            Kind::Refund => ("refunded:EUR", REFUND),
            Kind::Review => continue,
        };
        let of_subject = sums.entry(order.subject()).or_default();
        *of_subject.entry(sum.to_owned()).or_default() += by;
    }
    sums
}

/// How many of these are for a person to look at.
#[must_use]
pub fn reviews(orders: impl IntoIterator<Item = Order>) -> usize {
    let orders = orders.into_iter();
    orders.filter(|order| order.kind() == Kind::Review).count()
}
