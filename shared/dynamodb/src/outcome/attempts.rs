//! Looks at every attempt of a call, not only at the last.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::{BoxError, ProvideErrorMetadata};
use aws_smithy_runtime_api::client::interceptors::context::FinalizerInterceptorContextRef;
use aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint;

use super::codes::{Effect, of_code};

/// What the attempts of one call have told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attempts {
    open: Arc<AtomicBool>,
}

impl Attempts {
    /// Whether an attempt may have an effect that no answer tells of.
    pub(crate) fn open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    /// The interceptor of a call whose error type is `E`.
    pub(crate) fn watch<E>(&self) -> Watch<E> {
        Watch {
            attempts: self.clone(),
            error: PhantomData,
        }
    }
}

/// Notes after each attempt whether it is open.
#[derive(Debug)]
pub(crate) struct Watch<E> {
    attempts: Attempts,
    error: PhantomData<fn() -> E>,
}

#[dyn_dispatch_hint]
impl<E> Intercept for Watch<E>
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    fn name(&self) -> &'static str {
        "Attempts"
    }

    fn read_after_attempt(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let effect = match context.output_or_error() {
            Some(Ok(_)) => return Ok(()),
            Some(Err(error)) => error
                .as_operation_error()
                .and_then(|error| error.downcast_ref::<E>())
                .and_then(ProvideErrorMetadata::code)
                .map_or(Effect::Open, of_code),
            None => Effect::Open,
        };
        if effect == Effect::Open {
            self.attempts.open.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
