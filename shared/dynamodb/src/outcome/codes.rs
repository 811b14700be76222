//! DynamoDB's error codes.

use decide_once_protocol::writes::NotApplied;

/// Whether a request that met an error can have had an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It had none, for certain.
    None(NotApplied),
    /// It may have one, now or later.
    Open,
    /// It had none, and the error says what stands there; that is read from the error itself.
    Told,
}

/// What an error code says of the request that it answers. A code that is not in the list says nothing.
pub(crate) fn of_code(code: &str) -> Effect {
    match code {
        "ConditionalCheckFailedException" | "TransactionCanceledException" => Effect::Told,
        "TransactionConflictException" | "ReplicatedWriteConflictException" => {
            Effect::None(NotApplied::Conflict)
        }
        "ProvisionedThroughputExceededException"
        | "RequestLimitExceeded"
        | "ThrottlingException"
        | "Throttling" => Effect::None(NotApplied::Unavailable),
        "ResourceNotFoundException"
        | "ValidationException"
        | "SerializationException"
        | "ItemCollectionSizeLimitExceededException"
        | "AccessDeniedException"
        | "UnrecognizedClientException"
        | "InvalidClientTokenId"
        | "MissingAuthenticationTokenException"
        | "MissingAuthenticationToken"
        | "IncompleteSignatureException"
        | "IncompleteSignature"
        | "InvalidSignatureException"
        | "SignatureDoesNotMatch"
        | "ExpiredTokenException"
        | "ExpiredToken" => Effect::None(NotApplied::Rejected),
        _ => Effect::Open,
    }
}
