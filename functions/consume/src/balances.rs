//! The table `balances`: an item for each subject of each tenant.
//!
//! | attribute | type | while | meaning |
//! |---|---|---|---|
//! | `id` | S | always | table key: a hash of the events' source, which names the tenant, and their subject |
//! | `v` | N | always | version of this layout |
//! | `source`, `subject` | S | always | whose it is |
//! | `sum:…` | N | once something was added | a sum of what events said |
//! | `standing` | S | once something stands | what was decided last |
//! | `standingSince` | N | with `standing` | when, ms |
//! | `standingBy` | S | with `standing` | by which event |

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem, Update};
use decide_once_dynamodb::Ahead;
use decide_once_protocol::envelope::group_of;
use decide_once_protocol::inbox::{CloudEvent, EventName};
use decide_once_protocol::time::Timestamp;
use decide_once_service::consume::EffectError;

use crate::effects::Effect;

/// The version of the layout.
const VERSION: &str = "1";

/// A newer release's item is left as it is: a sum that it keeps elsewhere would be added to where nobody looks.
const OF_THIS_VERSION: &str = "(attribute_not_exists(v) OR v=:v)";

/// The table behind a client.
#[derive(Clone, Debug)]
pub(crate) struct Balances {
    pub(crate) client: Ahead<Client>,
    pub(crate) table: String,
}

/// What stands, and by which event. Of two events the one that came into being later counts; of two of one instant, the one with the greater
/// id: the same one whatever their order of arrival.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    since: i64,
    by: String,
}

/// What changes an item: `SET`s, `ADD`s and the condition.
#[derive(Default)]
struct Changes {
    set: Vec<String>,
    add: Vec<String>,
    condition: Option<&'static str>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Balances {
    /// The items of an effect's transaction. A relative one is made of the event alone; for an absolute one what stands is read first,
    /// strongly, and is what its condition asks for. Where a condition was `refused` the item is read either way: it may be one that this
    /// code cannot read.
    ///
    /// # Errors
    /// The table does not answer, or has something that this code cannot read.
    pub(crate) async fn items(
        &self,
        event: &CloudEvent,
        effect: &Effect,
        refused: bool,
    ) -> Result<Vec<TransactWriteItem>, EffectError> {
        let subject = event.subject.as_deref().unwrap_or_default();
        let id = group_of(event.name.source(), subject);
        let mut changes = Changes::of(event, subject);
        match effect {
            // Nothing in this table.
            Effect::Review => return Ok(Vec::new()),
            Effect::Add { sum, by } => {
                changes.add(sum, *by);
                if refused {
                    let _ = self.standing(&id).await?;
                }
            }
            Effect::Stand {
                sum,
                decision,
                since,
            } => {
                changes.add(sum, 1);
                let seen = self.standing(&id).await?;
                let own = Standing::of(&event.name, *since);
                // What is older than what stands changes nothing of it, now or ever.
                if seen.as_ref().is_none_or(|seen| *seen < own) {
                    changes.stand(decision, &own, seen.as_ref());
                }
            }
        }
        let item = changes.update(&self.table, &id);
        let item = item.map_err(|_| unavailable("the request could not be made"))?;
        Ok(vec![TransactWriteItem::builder().update(item).build()])
    }

    async fn standing(&self, id: &str) -> Result<Option<Standing>, EffectError> {
        let found = self
            .client
            .get_item()
            .table_name(&self.table)
            .key("id", AttributeValue::S(id.to_owned()))
            .projection_expression("v, standingSince, standingBy")
            .consistent_read(true)
            .send()
            .await
            .map_err(|_| unavailable("the balance could not be read"))?;
        let Some(item) = found.item else {
            return Ok(None);
        };
        match item.get("v") {
            None => {}
            Some(AttributeValue::N(version)) if version == VERSION => {}
            Some(_) => return Err(unreadable()),
        }
        match (item.get("standingSince"), item.get("standingBy")) {
            (None, None) => Ok(None),
            (Some(AttributeValue::N(since)), Some(AttributeValue::S(by))) => {
                let since = since.parse().map_err(|_| unreadable())?;
                let by = by.clone();
                Ok(Some(Standing { since, by }))
            }
            _ => Err(unreadable()),
        }
    }
}

impl Standing {
    fn of(event: &EventName, since: Timestamp) -> Self {
        Self {
            since: since.as_millis(),
            by: event.id().to_owned(),
        }
    }
}

impl Changes {
    /// What every item has. `source` is a reserved word.
    fn of(event: &CloudEvent, subject: &str) -> Self {
        let mut changes = Self::default();
        changes.set("#source", ":source", text(event.name.source()));
        changes.set("subject", ":subject", text(subject));
        changes.set("v", ":v", AttributeValue::N(VERSION.to_owned()));
        changes
            .names
            .insert("#source".to_owned(), "source".to_owned());
        changes
    }

    fn set(&mut self, name: &str, placeholder: &str, value: AttributeValue) {
        self.set.push(format!("{name}={placeholder}"));
        self.values.insert(placeholder.to_owned(), value);
    }

    /// Relative.
    fn add(&mut self, sum: &str, by: i64) {
        self.add.push("#sum :by".to_owned());
        self.names.insert("#sum".to_owned(), format!("sum:{sum}"));
        self.values
            .insert(":by".to_owned(), AttributeValue::N(by.to_string()));
    }

    /// Absolute: to this, if it still is what was seen.
    fn stand(&mut self, decision: &str, own: &Standing, seen: Option<&Standing>) {
        self.set("standing", ":decision", text(decision));
        let since = AttributeValue::N(own.since.to_string());
        self.set("standingSince", ":since", since);
        self.set("standingBy", ":own", text(&own.by));
        self.condition = Some(match seen {
            None => "attribute_not_exists(standingBy)",
            Some(seen) => {
                self.values.insert(":seen".to_owned(), text(&seen.by));
                "standingBy=:seen"
            }
        });
    }

    fn update(self, table: &str, id: &str) -> Result<Update, BuildError> {
        let clauses = [("SET", self.set), ("ADD", self.add)];
        let expression: Vec<_> = clauses
            .into_iter()
            .filter(|(_, changes)| !changes.is_empty())
            .map(|(keyword, changes)| format!("{keyword} {}", changes.join(",")))
            .collect();
        let condition = match self.condition {
            None => OF_THIS_VERSION.to_owned(),
            Some(seen) => format!("{OF_THIS_VERSION} AND {seen}"),
        };
        Update::builder()
            .table_name(table)
            .key("id", text(id))
            .update_expression(expression.join(" "))
            .condition_expression(condition)
            .set_expression_attribute_names(Some(self.names))
            .set_expression_attribute_values(Some(self.values))
            .build()
    }
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn unavailable(why: &str) -> EffectError {
    EffectError::Unavailable(why.to_owned())
}

/// Not poison: the event is fine, and a version that can read the balance may come.
fn unreadable() -> EffectError {
    tracing::error!(
        alarm = "balance-unreadable",
        "a balance cannot be read; it is left as it is"
    );
    unavailable("the balance cannot be read")
}
