//! Counters of mismatches.

use aws_sdk_dynamodb::types::ReturnValue;
use decide_once_protocol::scope::Tenant;
use decide_once_service::limits::Window;
use decide_once_service::ports::{Mismatches, StoreError};

use crate::expressions::mismatches;
use crate::items::mismatches::{key, total};
use crate::outcome;
use crate::store::DynamoStore;

impl Mismatches for DynamoStore {
    async fn add_mismatches(
        &self,
        tenant: &Tenant,
        window: Window,
        count: u32,
    ) -> Result<u32, StoreError> {
        let (name, id) = key(tenant, window);
        let counted = self
            .client
            .update_item()
            .table_name(&self.tables.decisions)
            .key(name, id)
            .update_expression(mismatches::ADD)
            .set_expression_attribute_values(Some(mismatches::values(window, count)))
            .return_values(ReturnValue::UpdatedNew)
            .send()
            .await
            .map_err(|error| outcome::of_read(&error))?;
        total(counted.attributes())
            .ok_or_else(|| StoreError::Unavailable("the counter cannot be read".to_owned()))
    }
}
