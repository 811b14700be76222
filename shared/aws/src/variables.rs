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
        text(&of_service(&key))
    }
}

/// A service's own variable: its id in capitals, with `_` for what a name cannot have.
fn of_service(key: &ServiceConfigKey<'_>) -> String {
    let service = key.service_id().to_uppercase().replace([' ', '-'], "_");
    format!("{}_{service}", key.env())
}

fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn flag(name: &str) -> Option<bool> {
    text(name).map(|value| value.eq_ignore_ascii_case("true"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_services_variable_is_named_after_its_id() {
        for (service, variable) in [
            ("DynamoDB", "AWS_ENDPOINT_URL_DYNAMODB"),
            ("SQS", "AWS_ENDPOINT_URL_SQS"),
            ("Elastic Beanstalk", "AWS_ENDPOINT_URL_ELASTIC_BEANSTALK"),
        ] {
            let key = ServiceConfigKey::builder()
                .service_id(service)
                .env(ENDPOINT)
                .profile("endpoint_url")
                .build()
                .unwrap();
            assert_eq!(of_service(&key), variable);
        }
    }
}
