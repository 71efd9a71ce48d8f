//! Decides about requests that leave the container.

use crate::domain::egress::policy::shown;
use crate::domain::egress::{EgressRequest, Verdict};
use crate::domain::error::Result;
use crate::domain::s3::BucketMount;
use crate::sandbox::SandboxService;
use serde::{Deserialize, Serialize};

/// The buckets that a container reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReachedBuckets {
    /// The sandbox whose container sends the requests.
    pub sandbox_id: String,
    /// The mounts of the sandbox.
    pub mounts: Vec<BucketMount>,
}

impl SandboxService {
    /// The buckets that the container reaches, for the gateway.
    ///
    /// # Errors
    /// `INTERNAL` if the store fails.
    pub fn reached_buckets(&self) -> Result<ReachedBuckets> {
        let mounts = self.context.store.configuration()?.bucket_mounts.unwrap_or_default();
        Ok(ReachedBuckets { sandbox_id: self.context.label.clone(), mounts })
    }

    /// Decides about a request of the container, and remembers a refused host.
    ///
    /// # Errors
    /// `INTERNAL` if the store fails.
    pub fn decide(&self, request: &EgressRequest) -> Result<Verdict> {
        let mut verdict = self.context.store.configuration()?.egress_policy().decide(request);
        if let Verdict::Refused { retry_after_ms, .. } = &mut verdict {
            *retry_after_ms = self.refused.note(&shown(&request.hostname))?;
        }
        Ok(verdict)
    }
}
