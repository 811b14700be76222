//! The routes of the front's port: `/_local/…` is the stack itself, everything else is the function's.

use axum::{Router, extract::Request, middleware};

use super::{gateway::Gateway, host};

/// Everything that the front serves. `local` is mounted under `/_local`.
pub(crate) fn router(gateway: Gateway, local: Router) -> Router {
    let function = move |request: Request| async move { gateway.answer(request).await };
    Router::new()
        .nest("/_local", local)
        .fallback(function)
        .layer(middleware::from_fn(host::guard))
}
