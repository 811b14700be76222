//! The product's tables, as `template.yaml` declares them for AWS (design.md §3).

use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::describe_time_to_live::DescribeTimeToLiveRequest;
use dynoxide::actions::update_time_to_live::{TimeToLiveSpecification, UpdateTimeToLiveRequest};
use dynoxide::{Database, DynoxideError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::EngineError;

/// Sparse index of outbox rows that their sink has not acknowledged: pk `shard`, sk `undelivered`.
pub const UNDELIVERED_INDEX: &str = "undelivered-index";
/// Sparse index of poison outbox rows: pk `quarantineShard`, sk `quarantined`.
pub const QUARANTINED_INDEX: &str = "quarantined-index";
/// Sparse index of operations that carry their request: pk `lane`, sk `due`.
pub const QUEUE_INDEX: &str = "queue-index";
/// The TTL attribute of every table, in seconds.
pub const TTL_ATTRIBUTE: &str = "ttlSec";

/// The names under which the tables exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableNames {
    /// One record for each operation; its stream carries queued work.
    pub operations: String,
    /// Committed decisions and natural-key claims.
    pub decisions: String,
    /// Events on their way out; its stream is the fast path.
    pub outbox: String,
    /// What consumers have done.
    pub inbox: String,
    /// What the shipped consumer keeps of each subject.
    pub balances: String,
}

impl Default for TableNames {
    fn default() -> Self {
        Self {
            operations: "operations".into(),
            decisions: "decisions".into(),
            outbox: "outbox".into(),
            inbox: "inbox".into(),
            balances: "balances".into(),
        }
    }
}

pub(super) fn create(db: &Database, names: &TableNames) -> Result<(), EngineError> {
    for definition in [
        with_queue_index(with_stream(table(&names.operations, "op"))),
        table(&names.decisions, "id"),
        with_outbox_indexes(with_stream(table(&names.outbox, "event"))),
        table(&names.inbox, "id"),
        table(&names.balances, "id"),
    ] {
        create_one(db, &definition)?;
    }
    Ok(())
}

fn table(name: &str, key: &str) -> Value {
    json!({
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [string(key)],
        "KeySchema": [{ "AttributeName": key, "KeyType": "HASH" }],
    })
}

fn with_stream(mut table: Value) -> Value {
    table["StreamSpecification"] =
        json!({ "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" });
    table
}

/// Both indexes are sparse and sharded: a constant partition key would press back on every write of the table (case
/// D12).
fn with_outbox_indexes(mut outbox: Value) -> Value {
    outbox["AttributeDefinitions"] = json!([
        string("event"),
        string("shard"),
        string("undelivered"),
        string("quarantineShard"),
        string("quarantined"),
    ]);
    outbox["GlobalSecondaryIndexes"] = json!([
        index(UNDELIVERED_INDEX, "shard", "undelivered"),
        index(QUARANTINED_INDEX, "quarantineShard", "quarantined"),
    ]);
    outbox
}

/// Sparse and sharded, as the outbox's.
fn with_queue_index(mut operations: Value) -> Value {
    operations["AttributeDefinitions"] = json!([
        string("op"),
        string("lane"),
        { "AttributeName": "due", "AttributeType": "N" },
    ]);
    operations["GlobalSecondaryIndexes"] = json!([index(QUEUE_INDEX, "lane", "due")]);
    operations
}

fn index(name: &str, partition: &str, sort: &str) -> Value {
    json!({
        "IndexName": name,
        "KeySchema": [
            { "AttributeName": partition, "KeyType": "HASH" },
            { "AttributeName": sort, "KeyType": "RANGE" },
        ],
        // The sweeper reads strongly from the table before it sends, so the index needs the keys only.
        "Projection": { "ProjectionType": "KEYS_ONLY" },
    })
}

fn string(attribute: &str) -> Value {
    json!({ "AttributeName": attribute, "AttributeType": "S" })
}

fn create_one(db: &Database, definition: &Value) -> Result<(), EngineError> {
    let table = definition["TableName"].as_str().unwrap_or_default();
    let failed = |source| EngineError::Table {
        table: table.to_owned(),
        source,
    };
    // The engine reads a definition as it reads the request body; what it refuses there is the definition.
    let request = CreateTableRequest::deserialize(definition)
        .map_err(|error| failed(DynoxideError::ValidationException(error.to_string())))?;
    match db.create_table(request) {
        Ok(_) | Err(DynoxideError::ResourceInUseException(_)) => {}
        Err(error) => return Err(failed(error)),
    }
    enable_ttl(db, table).map_err(failed)
}

/// Once only: DynamoDB refuses to enable what is enabled.
fn enable_ttl(db: &Database, table: &str) -> Result<(), DynoxideError> {
    let described = db.describe_time_to_live(DescribeTimeToLiveRequest {
        table_name: table.to_owned(),
    })?;
    if described.time_to_live_description.attribute_name.as_deref() == Some(TTL_ATTRIBUTE) {
        return Ok(());
    }
    db.update_time_to_live(UpdateTimeToLiveRequest {
        table_name: table.to_owned(),
        time_to_live_specification: TimeToLiveSpecification {
            attribute_name: TTL_ATTRIBUTE.to_owned(),
            enabled: true,
        },
    })?;
    Ok(())
}
