//! Other S3 services.

use crate::domain::s3::error::Result;
use crate::domain::s3::remote::request::SignedRequest;
use crate::ports::stream::Bytes;
use async_trait::async_trait;
use std::collections::BTreeMap;

/// The body of a request.
pub enum Sent {
    /// None.
    Nothing,
    /// This, perhaps empty.
    Whole(Vec<u8>),
    /// A stream of this length.
    Stream(Bytes, u64),
}

/// What a service answered.
pub struct ServiceAnswer {
    /// HTTP status.
    pub status: u16,
    /// By their name in lowercase.
    pub headers: BTreeMap<String, String>,
    /// What follows, as it is stored.
    pub body: Option<Bytes>,
}

/// Sends requests to services. Redirects are answers; nothing is cached or tried again.
#[async_trait(?Send)]
pub trait S3Services {
    /// Sends a request.
    ///
    /// # Errors
    /// `ServiceUnavailable`, without what the request holds.
    async fn send(
        &self,
        method: &'static str,
        request: SignedRequest,
        body: Sent,
    ) -> Result<ServiceAnswer>;
}
