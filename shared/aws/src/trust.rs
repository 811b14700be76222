//! Trust in the certificates of a file, and in no others: what `AWS_CA_BUNDLE` asks for, as behind a proxy that opens TLS, or before an
//! emulator with a certificate of its own.

use std::path::{Path, PathBuf};
use std::{fs, io};

use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
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

/// A client that trusts the certificates of `bundle` (PEM) in place of the system's. The TLS is the SDK's own.
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
    Ok(Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
        .tls_context(tls)
        .build_https())
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
