//! The faults that wait for their calls.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fault::{ApiCall, Fault, StoreFault};

/// A fault that DynamoDB cannot answer this call with; it would prove nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{call:?} never answers with {fault:?}; arm it for {possible}")]
pub struct ImpossibleFault {
    call: ApiCall,
    fault: Fault,
    possible: &'static str,
}

/// Armed faults, in the order in which they were armed.
#[derive(Debug, Default)]
pub(super) struct Armed {
    waiting: Mutex<Vec<StoreFault>>,
}

impl Armed {
    pub(super) fn arm(&self, fault: StoreFault) -> Result<(), ImpossibleFault> {
        possible(&fault)?;
        self.waiting().push(fault);
        Ok(())
    }

    pub(super) fn clear(&self) {
        self.waiting().clear();
    }

    pub(super) fn pending(&self) -> u64 {
        self.waiting()
            .iter()
            .map(|waiting| u64::from(waiting.times))
            .sum()
    }

    /// The fault for this call, if one is due. A call that a fault takes does not count as passed for the ones behind
    /// it.
    pub(super) fn take(&self, call: &IncomingCall<'_>) -> Option<Fault> {
        let mut waiting = self.waiting();
        let due = waiting.iter_mut().position(|armed| {
            if armed.times == 0 || !call.matches(armed) {
                return false;
            }
            if armed.skip > 0 {
                armed.skip -= 1;
                return false;
            }
            armed.times -= 1;
            true
        });
        let fault = due
            .and_then(|index| waiting.get(index))
            .map(|armed| armed.fault.clone());
        waiting.retain(|armed| armed.times > 0);
        fault
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<StoreFault>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a fault is matched against.
#[derive(Debug, Clone, Copy)]
pub(super) struct IncomingCall<'a> {
    /// The operation's name, from `X-Amz-Target`.
    pub(super) operation: &'a str,
    /// The request body, as JSON text.
    pub(super) body: &'a [u8],
}

impl IncomingCall<'_> {
    fn matches(&self, armed: &StoreFault) -> bool {
        (armed.call == ApiCall::Any || format!("{:?}", armed.call) == self.operation)
            && armed
                .table
                .as_deref()
                .is_none_or(|table| super::answer::names_table(self.body, table))
    }
}

fn possible(armed: &StoreFault) -> Result<(), ImpossibleFault> {
    use ApiCall as C;
    let (calls, possible): (&[ApiCall], &str) = match armed.fault {
        Fault::InProgress => (&[C::TransactWriteItems], "TransactWriteItems"),
        Fault::ReasonsMissing
        | Fault::ReasonsShort
        | Fault::UnknownReason
        | Fault::Cancelled(_) => (
            &[C::TransactWriteItems, C::TransactGetItems],
            "TransactWriteItems or TransactGetItems",
        ),
        Fault::Conflict => (
            &[
                C::PutItem,
                C::UpdateItem,
                C::DeleteItem,
                C::TransactWriteItems,
                C::TransactGetItems,
            ],
            "a single write or a transaction",
        ),
        Fault::Trimmed => (
            &[C::GetShardIterator, C::GetRecords],
            "GetShardIterator or GetRecords",
        ),
        Fault::IteratorExpired => (&[C::GetRecords], "GetRecords"),
        Fault::Throttle
        | Fault::Unavailable
        | Fault::Overloaded
        | Fault::UnavailableAfter
        | Fault::ReplyLost
        | Fault::ReplyCut
        | Fault::AnswersLate(_)
        | Fault::RequestLost
        | Fault::ArrivesLate(_)
        | Fault::Delay(_) => return Ok(()),
    };
    if calls.contains(&armed.call) {
        return Ok(());
    }
    Err(ImpossibleFault {
        call: armed.call,
        fault: armed.fault.clone(),
        possible,
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

    use super::*;

    fn call(operation: &str) -> IncomingCall<'_> {
        IncomingCall {
            operation,
            body: br#"{"TableName":"operations"}"#,
        }
    }

    #[test]
    fn faults_apply_in_order_and_only_as_often_as_armed() {
        let armed = Armed::default();
        armed
            .arm(StoreFault::next(ApiCall::PutItem, Fault::Conflict).times(2))
            .unwrap();
        armed
            .arm(StoreFault::next(ApiCall::PutItem, Fault::Throttle).skip(1))
            .unwrap();
        assert_eq!(armed.take(&call("GetItem")), None);
        assert_eq!(armed.take(&call("PutItem")), Some(Fault::Conflict));
        assert_eq!(armed.take(&call("PutItem")), Some(Fault::Conflict));
        assert_eq!(armed.take(&call("PutItem")), None, "the skipped one");
        assert_eq!(armed.pending(), 1);
        assert_eq!(armed.take(&call("PutItem")), Some(Fault::Throttle));
        assert_eq!(armed.take(&call("PutItem")), None);
    }

    #[test]
    fn a_fault_for_one_table_leaves_the_others_alone() {
        let armed = Armed::default();
        for table in ["outbox", "operations"] {
            armed
                .arm(StoreFault::next(ApiCall::Any, Fault::ReplyLost).on_table(table))
                .unwrap();
        }
        assert_eq!(armed.take(&call("UpdateItem")), Some(Fault::ReplyLost));
        assert_eq!(armed.take(&call("UpdateItem")), None);
        assert_eq!(armed.pending(), 1);
    }

    #[test]
    fn a_fault_that_dynamodb_cannot_show_is_refused() {
        let armed = Armed::default();
        let refused = armed
            .arm(StoreFault::next(ApiCall::GetItem, Fault::Conflict))
            .unwrap_err();
        assert!(refused.to_string().contains("arm it for a single write"));
        assert_eq!(armed.pending(), 0);
    }
}
