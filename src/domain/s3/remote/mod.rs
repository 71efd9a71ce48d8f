//! Buckets of other S3 services: where they are, and requests to them, signed.

pub mod answer;
pub mod credentials;
pub mod endpoint;
pub mod request;
pub mod sign;

use serde::{Deserialize, Serialize};

pub use crate::domain::s3::remote::credentials::BucketCredentials;
pub use crate::domain::s3::remote::endpoint::Endpoint;

/// Where the bucket of a mount is, if it is no R2 binding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remote {
    /// The service's address.
    pub endpoint: Endpoint,
    /// Requests are signed with them. Without, they are anonymous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<BucketCredentials>,
}
