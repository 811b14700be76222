//! Events of DynamoDB streams, as publish and evaluate read them.

use decide_once_dynamodb::items::outbox;
use decide_once_lambda::stream::StreamEvent;
use decide_once_service::publish::Image;
use serde_json::Value;

/// * Each record is one change, in order and under its own name, whatever else is in the batch.
/// * A row is what its image says: written again it reads the same. A removal is never a row, and nothing else is a removal.
/// * Evaluate is asked only for operations that a new image names.
///
/// # Panics
/// One of these does not hold.
pub fn target(data: &[u8]) {
    // An event is not `Clone`.
    let read = || serde_json::from_slice::<StreamEvent>(data);
    let (Ok(event), Ok(for_publish), Ok(for_evaluate)) = (read(), read(), read()) else {
        return;
    };
    let changes = fn_publish::changes(for_publish);
    assert_eq!(changes.len(), event.records.len());
    for (record, change) in event.records.iter().zip(&changes) {
        assert_eq!(change.sequence, record.dynamodb.sequence_number);
        let is_gone = matches!(change.after, Image::Gone { .. });
        assert_eq!(is_gone, record.removed().is_some(), "{change:?}");
        if let Image::Row(row) = &change.after {
            let again = outbox::decode(&outbox::encode(row));
            assert_eq!(again.as_ref(), Ok(&**row));
        }
    }
    for task in fn_evaluate::tasks(for_evaluate) {
        let is_named = event.records.iter().any(|record| {
            let image = record.dynamodb.new_image.as_ref();
            let operation = image.and_then(|image| image.pointer("/op/S"));
            operation.and_then(Value::as_str) == Some(task.operation.as_str())
                && task.name.as_ref() == Some(&record.dynamodb.sequence_number)
        });
        assert!(is_named, "{task:?}");
    }
}
