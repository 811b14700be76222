//! Where a service is, by variables (<https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html>).

use std::env;

use aws_types::sdk_config::Builder;
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};

/// The endpoint of every service.
const ENDPOINT: &str = "AWS_ENDPOINT_URL";

/// Sets what the variables say of endpoints.
pub(crate) fn endpoints(environment: &mut Builder) {
    environment
        .set_endpoint_url(text(ENDPOINT))
        .set_use_fips(flag("AWS_USE_FIPS_ENDPOINT"))
        .set_use_dual_stack(flag("AWS_USE_DUALSTACK_ENDPOINT"))
        .set_service_config(Some(OfServices));
}

/// The endpoint of one service: `AWS_ENDPOINT_URL_DYNAMODB`.
#[derive(Debug)]
struct OfServices;

impl LoadServiceConfig for OfServices {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        let service = key.service_id().to_uppercase().replace([' ', '-'], "_");
        text(&format!("{}_{service}", key.env()))
    }
}

fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn flag(name: &str) -> Option<bool> {
    text(name).map(|value| value.eq_ignore_ascii_case("true"))
}
