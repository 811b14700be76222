//! Operations and decisions: one request to DynamoDB for each method.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use decide_once_aws::Ahead;
use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::writes::{Answer, Commit, Existing, NotApplied, Reserve, Transition};
use decide_once_service::ports::{Read, Store, StoreError};

use crate::expressions::{commit, reserve, transition};
use crate::items;
use crate::ordered::Ordered;
use crate::outcome::{self, attempts::Attempts, cancellation};
use crate::tables::TableNames;

/// The store ports over DynamoDB. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DynamoStore {
    pub(crate) client: Ahead<Client>,
    pub(crate) tables: TableNames,
}

impl DynamoStore {
    /// The store behind `client`, in these tables.
    #[must_use]
    pub fn new(client: impl Into<Ahead<Client>>, tables: TableNames) -> Self {
        Self {
            client: client.into(),
            tables,
        }
    }
}

impl Store for DynamoStore {
    async fn reserve(&self, write: &Reserve) -> Answer {
        let attempts = Attempts::default();
        let sent = self
            .client
            .put_item()
            .table_name(&self.tables.operations)
            .set_item(Some(items::operation::encode(&write.record)))
            .condition_expression(reserve::CONDITION)
            .set_expression_attribute_values(Some(reserve::values(write)))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .customize()
            .interceptor(attempts.watch::<PutItemError>())
            .send()
            .await;
        outcome::of_write("reserve", sent, &attempts, |error| match error {
            PutItemError::ConditionalCheckFailedException(refused) => {
                Some(Answer::Refused(items::operation::existing(refused.item())))
            }
            _ => None,
        })
    }

    async fn transition(&self, write: &Transition) -> Answer {
        let attempts = Attempts::default();
        let changes = transition::changes(write);
        let (name, id) = items::operation::key(&write.next.operation);
        let sent = self
            .client
            .update_item()
            .table_name(&self.tables.operations)
            .key(name, id)
            .update_expression(changes.expression)
            .condition_expression(transition::CONDITION)
            .set_expression_attribute_values(Some(changes.values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .customize()
            .interceptor(attempts.watch::<UpdateItemError>())
            .send()
            .await;
        outcome::of_write("transition", sent, &attempts, |error| match error {
            UpdateItemError::ConditionalCheckFailedException(refused) => {
                Some(Answer::Refused(items::operation::existing(refused.item())))
            }
            _ => None,
        })
    }

    async fn commit(&self, write: &Commit) -> Answer {
        let Ok(items) = commit::items(write, &self.tables) else {
            return Answer::NotApplied(NotApplied::Rejected);
        };
        let attempts = Attempts::default();
        let sent = self
            .client
            .transact_write_items()
            .set_transact_items(Some(items))
            .client_request_token(write.token())
            .customize()
            .interceptor(attempts.watch::<TransactWriteItemsError>())
            .interceptor(Ordered)
            .send()
            .await;
        outcome::of_write("commit", sent, &attempts, |error| match error {
            TransactWriteItemsError::TransactionCanceledException(cancelled) => {
                let (events, claims) = (write.events.len(), write.claims.len());
                Some(cancellation::answer(
                    cancelled.cancellation_reasons(),
                    events,
                    claims,
                ))
            }
            _ => None,
        })
    }

    async fn read_operation(&self, id: &OperationId) -> Result<Existing, StoreError> {
        let (name, id) = items::operation::key(id);
        let found = self
            .client
            .get_item()
            .table_name(&self.tables.operations)
            .key(name, id)
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| outcome::of_read(&error))?;
        Ok(items::operation::existing(found.item()))
    }

    async fn read_decision(&self, id: &DecisionId) -> Result<Read<DecisionItem>, StoreError> {
        let (name, id) = items::decision::key(id);
        let found = self
            .client
            .get_item()
            .table_name(&self.tables.decisions)
            .key(name, id)
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| outcome::of_read(&error))?;
        Ok(items::decision::read(found.item()))
    }
}
