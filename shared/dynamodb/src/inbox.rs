//! A consumer's marks: one request to DynamoDB for each method.
//!
//! A consumer whose effect is in DynamoDB hands its items to [`Effects::have`]: they and the mark are one transaction. The items are whatever it
//! likes, in tables of its own, each with its own condition.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{ReturnValuesOnConditionCheckFailure, TransactWriteItem};
use decide_once_aws::Ahead;
use decide_once_protocol::inbox::{
    Claim, Finish, FoundMark, Keep, MarkAnswer, MarkId, Release, Together,
};
use decide_once_protocol::writes::NotApplied;
use decide_once_service::ports::{Effects, Inbox, StoreError};

use crate::expressions::inbox::{IF_OWN, IF_VACANT, finish, keep, own, vacant};
use crate::items::mark;
use crate::ordered::Ordered;
use crate::outcome::{self, attempts::Attempts, cancellation};

/// How many items an effect may have beside its mark: a transaction takes 100
/// (<https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>).
pub const MOST_ITEMS: usize = 99;

/// Marks in a table of DynamoDB, key `id`. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DynamoInbox {
    client: Ahead<Client>,
    table: String,
}

impl DynamoInbox {
    /// The marks behind `client`, in this table.
    #[must_use]
    pub fn new(client: impl Into<Ahead<Client>>, table: String) -> Self {
        Self {
            client: client.into(),
            table,
        }
    }

    /// The client, for a consumer's own reads.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }
}

impl Inbox for DynamoInbox {
    async fn claim(&self, write: &Claim) -> MarkAnswer {
        let attempts = Attempts::default();
        let sent = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(mark::encode(&write.mark())))
            .condition_expression(IF_VACANT)
            .set_expression_attribute_values(Some(vacant(write.now)))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .customize()
            .interceptor(attempts.watch::<PutItemError>())
            .send()
            .await;
        outcome::of_write("claim", sent, &attempts, |error| match error {
            PutItemError::ConditionalCheckFailedException(refused) => {
                Some(MarkAnswer::Refused(mark::found(refused.item())))
            }
            _ => None,
        })
    }

    async fn finish(&self, write: &Finish) -> MarkAnswer {
        let attempts = Attempts::default();
        let changes = finish(write);
        let (name, id) = mark::key(&write.id);
        let sent = self
            .client
            .update_item()
            .table_name(&self.table)
            .key(name, id)
            .update_expression(changes.expression)
            .condition_expression(IF_OWN)
            .set_expression_attribute_values(Some(changes.values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .customize()
            .interceptor(attempts.watch::<UpdateItemError>())
            .send()
            .await;
        outcome::of_write("finish", sent, &attempts, |error| match error {
            UpdateItemError::ConditionalCheckFailedException(refused) => {
                Some(MarkAnswer::Refused(mark::found(refused.item())))
            }
            _ => None,
        })
    }

    async fn release(&self, write: &Release) -> MarkAnswer {
        let attempts = Attempts::default();
        let (name, id) = mark::key(&write.id);
        let sent = self
            .client
            .delete_item()
            .table_name(&self.table)
            .key(name, id)
            .condition_expression(IF_OWN)
            .set_expression_attribute_values(Some(own(write.owner)))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .customize()
            .interceptor(attempts.watch::<DeleteItemError>())
            .send()
            .await;
        outcome::of_write("release a claim", sent, &attempts, |error| match error {
            DeleteItemError::ConditionalCheckFailedException(refused) => {
                Some(MarkAnswer::Refused(mark::found(refused.item())))
            }
            _ => None,
        })
    }

    async fn read_mark(&self, id: &MarkId) -> Result<FoundMark, StoreError> {
        let (name, id) = mark::key(id);
        let found = self
            .client
            .get_item()
            .table_name(&self.table)
            .key(name, id)
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| outcome::of_read(&error))?;
        Ok(mark::found(found.item()))
    }
}

impl Effects for DynamoInbox {
    /// Items of one transaction, at most [`MOST_ITEMS`].
    type Effect = Vec<TransactWriteItem>;

    async fn have(&self, effect: &Vec<TransactWriteItem>, write: &Keep) -> Together {
        let Ok(mark) = keep(write, &self.table) else {
            return Together::NotApplied(NotApplied::Rejected);
        };
        let items = [std::slice::from_ref(&mark), effect].concat();
        let attempts = Attempts::default();
        let sent = self
            .client
            .transact_write_items()
            .set_transact_items(Some(items))
            .client_request_token(write.token.encode())
            .customize()
            .interceptor(attempts.watch::<TransactWriteItemsError>())
            .interceptor(Ordered)
            .send()
            .await;
        outcome::of_write("effect", sent, &attempts, |error| match error {
            TransactWriteItemsError::TransactionCanceledException(cancelled) => {
                let reasons = cancelled.cancellation_reasons();
                Some(cancellation::together(reasons, effect.len()))
            }
            _ => None,
        })
    }
}
