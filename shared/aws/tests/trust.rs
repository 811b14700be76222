//! A server with a certificate of its own: trusted by the client that was given it, and by no other.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf, sync::Arc};

use aws_sdk_dynamodb::{
    Client,
    config::{BehaviorVersion, Credentials, Region, retry::RetryConfig},
};
use decide_once_aws::{TrustError, trust};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::aws_lc_rs,
        pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    },
};

/// Answers every request with an empty list of tables; its certificate, and where it listens.
async fn server() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!(
        "https://localhost:{}",
        listener.local_addr().unwrap().port()
    );
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            // A client that does not trust it goes away.
            let Ok(mut connection) = acceptor.accept(connection).await else {
                continue;
            };
            let mut request = [0; 4096];
            let _ = connection.read(&mut request).await;
            let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: 17\r\nconnection: close\r\n\r\n{\"TableNames\":[]}";
            let _ = connection.write_all(answer.as_bytes()).await;
            let _ = connection.shutdown().await;
        }
    });
    (made.cert.pem(), address)
}

fn file(directory: &TempDir, text: &str) -> PathBuf {
    let path = directory.path().join("bundle.pem");
    fs::write(&path, text).unwrap();
    path
}

/// Whether a client that trusts `bundle` gets an answer.
async fn is_answered(bundle: &str, address: &str) -> bool {
    let directory = tempfile::tempdir().unwrap();
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(Credentials::new("id", "secret", None, None, "tests"))
        .retry_config(RetryConfig::disabled())
        .endpoint_url(address)
        .http_client(trust::only(&file(&directory, bundle)).unwrap());
    let client = Client::from_conf(config.build());
    client.list_tables().send().await.is_ok()
}

#[tokio::test]
async fn a_server_is_trusted_by_its_certificate_in_the_bundle_and_not_without() {
    let (certificate, address) = server().await;
    let (another, _) = server().await;
    assert!(is_answered(&certificate, &address).await);
    assert!(is_answered(&format!("{another}\n# and\n{certificate}"), &address).await);
    assert!(!is_answered(&another, &address).await);
}

#[test]
fn a_file_that_is_none_of_certificates_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.pem");
    let refused = trust::only(&missing).unwrap_err();
    assert!(matches!(refused, TrustError::Unreadable { .. }));
    assert!(refused.to_string().contains("missing.pem"), "{refused}");
    for text in [
        "",
        "not PEM at all",
        "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n",
    ] {
        let refused = trust::only(&file(&directory, text)).unwrap_err();
        assert!(
            matches!(refused, TrustError::NoCertificates { .. }),
            "{text}"
        );
        assert!(refused.to_string().contains("bundle.pem"), "{refused}");
    }
}
