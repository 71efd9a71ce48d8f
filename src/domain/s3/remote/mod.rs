//! Buckets of other S3 services.

pub mod answer;
pub mod credentials;
pub mod endpoint;
pub mod request;
pub mod sign;

use serde::{Deserialize, Serialize};

pub use crate::domain::s3::remote::credentials::BucketCredentials;
pub use crate::domain::s3::remote::endpoint::Endpoint;

/// Where a mount's bucket is, if it is not an R2 binding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remote {
    /// The service's address.
    pub endpoint: Endpoint,
    /// For signing requests. Without them, requests are anonymous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<BucketCredentials>,
}
