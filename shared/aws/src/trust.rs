//! Whom the SDK's clients trust: the system's certificates, or those of a file and no others, which is what `AWS_CA_BUNDLE` asks for, as behind a
//! proxy that opens TLS, or before an emulator with a certificate of its own.

use std::path::{Path, PathBuf};
use std::{fs, io};

use aws_smithy_async::rt::sleep::SharedAsyncSleep;
use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_http_client::{Builder, Connector, ConnectorBuilder};
use aws_smithy_runtime_api::client::http::{HttpConnectorSettings, SharedHttpClient};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

/// A file is none of certificates.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// It cannot be read.
    #[error("{} cannot be read ({source})", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// It has no certificate, or something that is none.
    #[error("{} has {what}", path.display())]
    NoCertificates {
        /// The file.
        path: PathBuf,
        /// What it has instead.
        what: &'static str,
    },
}

/// A client that trusts the certificates of `bundle` (PEM) in place of the system's.
///
/// # Errors
/// The file is none of certificates. The SDK would panic, with the first call.
pub fn only(bundle: &Path) -> Result<SharedHttpClient, TrustError> {
    let pem = fs::read(bundle).map_err(|source| TrustError::Unreadable {
        path: bundle.to_owned(),
        source,
    })?;
    check(&pem).map_err(|what| TrustError::NoCertificates {
        path: bundle.to_owned(),
        what,
    })?;
    let trusted = TrustStore::empty().with_pem_certificate(pem);
    let tls = TlsContext::builder().with_trust_store(trusted).build();
    let tls = tls.map_err(|_| TrustError::NoCertificates {
        path: bundle.to_owned(),
        what: "certificates that the SDK does not take",
    })?;
    Ok(client(Some(tls)))
}

/// A client that trusts the system's certificates. They are read once for all clients of the process, when the first is made: several times the
/// work of all else that a function does at its start, which is why it makes its clients [ahead](crate::Ahead).
pub(crate) fn of_system() -> SharedHttpClient {
    client(None)
}

/// As the SDK makes it for itself: its TLS, and proxies by the standard variables.
fn client(tls: Option<TlsContext>) -> SharedHttpClient {
    Builder::new().build_with_connector_fn(move |settings, components| {
        let sleep = components.and_then(RuntimeComponents::sleep_impl);
        connector(tls.clone(), settings.cloned(), sleep)
    })
}

fn connector(
    tls: Option<TlsContext>,
    settings: Option<HttpConnectorSettings>,
    sleep: Option<SharedAsyncSleep>,
) -> Connector {
    let mut builder = ConnectorBuilder::default().tls_provider(Provider::Rustls(CryptoMode::AwsLc));
    if let Some(tls) = tls {
        builder.set_tls_context(tls);
    }
    builder
        .set_connector_settings(settings)
        .set_sleep_impl(sleep)
        .set_proxy_config(Some(ProxyConfig::from_env()));
    builder.build()
}

fn check(pem: &[u8]) -> Result<(), &'static str> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|_| "a part that is not PEM")?;
        roots
            .add(certificate)
            .map_err(|_| "a certificate that cannot be read")?;
    }
    if roots.is_empty() {
        return Err("no certificate");
    }
    Ok(())
}
