//! Other S3 services.

use crate::domain::s3::error::Result;
use crate::domain::s3::remote::request::SignedRequest;
use crate::ports::Bytes;
use async_trait::async_trait;
use std::collections::BTreeMap;

/// The body of a request.
pub enum Sent {
    /// No body.
    Nothing,
    /// These bytes, perhaps none.
    Whole(Vec<u8>),
    /// A stream of this length.
    Stream(Bytes, u64),
}

/// The answer of a service.
pub struct ServiceAnswer {
    /// HTTP status.
    pub status: u16,
    /// Headers by lowercase name.
    pub headers: BTreeMap<String, String>,
    /// Body of the answer, undecoded.
    pub body: Option<Bytes>,
}

/// Sends requests to services. Redirects are answers. Nothing is cached or retried.
#[async_trait(?Send)]
pub trait S3Services {
    /// Sends a request. `ServiceUnavailable` contains nothing of it.
    async fn send(
        &self,
        method: &'static str,
        request: SignedRequest,
        body: Sent,
    ) -> Result<ServiceAnswer>;
}
