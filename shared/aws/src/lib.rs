//! What every client of the AWS SDK finds around it: region, credentials, endpoint and trust, from the standard `AWS_*` variables.
//!
//! The SDK for Rust reads all of them but `AWS_CA_BUNDLE`, which is done here ([`trust`]).

pub mod trust;

use std::env;
use std::path::Path;

use aws_config::environment::EnvironmentVariableRegionProvider;
use aws_config::{BehaviorVersion, ConfigLoader, SdkConfig};

pub use trust::TrustError;

/// The variable that names whom to trust.
const CA_BUNDLE: &str = "AWS_CA_BUNDLE";

/// The environment does not say how to reach AWS.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// Neither `AWS_REGION` nor `AWS_DEFAULT_REGION` is set, or to nothing.
    #[error("no region: set AWS_REGION (Lambda does; locally any name will do, as eu-central-1)")]
    NoRegion,
    /// `AWS_CA_BUNDLE` names something else than certificates.
    #[error(
        "the variable {CA_BUNDLE} cannot be used: {0}; name a file of certificates in PEM form, or leave it out"
    )]
    Trust(#[from] TrustError),
}

/// The environment, with what else a client wants of it.
///
/// # Errors
/// [`EnvironmentError`]. A region is not looked for elsewhere: asking the instance metadata service where there is none costs seconds at
/// every cold start.
pub async fn environment(
    wanted: impl FnOnce(ConfigLoader) -> ConfigLoader,
) -> Result<SdkConfig, EnvironmentError> {
    let loader = aws_config::defaults(BehaviorVersion::latest())
        .region(EnvironmentVariableRegionProvider::new());
    let loader = match env::var_os(CA_BUNDLE) {
        Some(bundle) if !bundle.is_empty() => loader.http_client(trust::only(Path::new(&bundle))?),
        Some(_) | None => loader,
    };
    let environment = wanted(loader).load().await;
    let region = environment.region().map(AsRef::as_ref);
    if region.is_none_or(str::is_empty) {
        return Err(EnvironmentError::NoRegion);
    }
    Ok(environment)
}
