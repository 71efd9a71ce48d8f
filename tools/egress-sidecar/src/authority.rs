//! The authority whose certificates intercepted clients see. Its key never
//! leaves this process, and ends with it.

use crate::Result;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// Certificates to keep. More than these are made anew.
const KEPT: usize = 512;

pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    /// The one key of all certificates.
    key: KeyPair,
    made: RefCell<HashMap<String, Arc<ServerConfig>>>,
}

impl Authority {
    pub fn new() -> Result<Self> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.distinguished_name = named("Local egress sidecar");
        let pem = params.self_signed(&key)?.pem();
        Ok(Self {
            issuer: Issuer::new(params, key),
            pem,
            key: KeyPair::generate()?,
            made: RefCell::default(),
        })
    }

    /// The authority's own certificate.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Speaks TLS as the host of this name.
    pub fn server(&self, name: &str) -> Result<Arc<ServerConfig>> {
        if let Some(made) = self.made.borrow().get(name) {
            return Ok(made.clone());
        }
        let mut params = CertificateParams::new([name.to_owned()])?;
        params.distinguished_name = named("intercepted");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(&self.key, &self.issuer)?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(self.key.serialize_der()));
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)?;
        let (config, mut made) = (Arc::new(config), self.made.borrow_mut());
        if made.len() >= KEPT {
            made.clear();
        }
        made.insert(name.to_owned(), config.clone());
        Ok(config)
    }
}

fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}
