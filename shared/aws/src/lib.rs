//! What every client of the AWS SDK finds around it: region, credentials, endpoint and trust, from the standard `AWS_*` variables.
//!
//! For functions by variables alone ([`environment`]), as Lambda sets them; for people also by their profiles ([`of_profiles`]).
//! The SDK for Rust does not read `AWS_CA_BUNDLE`, which is done here ([`trust`]).

mod ahead;
mod variables;

pub mod trust;

use std::env;
use std::path::Path;

use aws_config::environment::{
    EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider,
};
use aws_config::meta::region::ProvideRegion as _;
use aws_config::{BehaviorVersion, ConfigLoader, SdkConfig};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::client::http::SharedHttpClient;

pub use ahead::Ahead;
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

/// What the variables of the process say, and nothing else: `AWS_REGION`, the credentials in `AWS_ACCESS_KEY_ID` and those beside it,
/// `AWS_ENDPOINT_URL` and `AWS_ENDPOINT_URL_<SERVICE>`, `AWS_USE_FIPS_ENDPOINT`, `AWS_USE_DUALSTACK_ENDPOINT`, `AWS_CA_BUNDLE`.
///
/// Lambda gives a function all that it needs by variables
/// (<https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html>). The SDK's own chain would look for files of profiles at every
/// cold start, and brings the clients of three more services into each program.
///
/// # Errors
/// [`EnvironmentError`].
pub async fn environment() -> Result<SdkConfig, EnvironmentError> {
    let region = EnvironmentVariableRegionProvider::new().region().await;
    let credentials = EnvironmentVariableCredentialsProvider::new();
    let mut environment = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(region)
        .credentials_provider(SharedCredentialsProvider::new(credentials));
    let http = trusting()?.unwrap_or_else(trust::of_system);
    environment.set_http_client(Some(http));
    variables::endpoints(&mut environment);
    with_region(environment.build())
}

/// What the variables, the files of profiles and the metadata services say, in the order of the SDK's chain, with what else a client wants.
///
/// # Errors
/// [`EnvironmentError`]. A region is looked for in the variables only.
pub async fn of_profiles(
    wanted: impl FnOnce(ConfigLoader) -> ConfigLoader,
) -> Result<SdkConfig, EnvironmentError> {
    let loader = aws_config::defaults(BehaviorVersion::latest())
        .region(EnvironmentVariableRegionProvider::new());
    let loader = match trusting()? {
        Some(client) => loader.http_client(client),
        None => loader,
    };
    with_region(wanted(loader).load().await)
}

/// A client that trusts those whom `AWS_CA_BUNDLE` names, if it is set.
fn trusting() -> Result<Option<SharedHttpClient>, TrustError> {
    match env::var_os(CA_BUNDLE) {
        Some(bundle) if !bundle.is_empty() => trust::only(Path::new(&bundle)).map(Some),
        Some(_) | None => Ok(None),
    }
}

fn with_region(environment: SdkConfig) -> Result<SdkConfig, EnvironmentError> {
    let region = environment.region().map(AsRef::as_ref);
    if region.is_none_or(str::is_empty) {
        return Err(EnvironmentError::NoRegion);
    }
    Ok(environment)
}
