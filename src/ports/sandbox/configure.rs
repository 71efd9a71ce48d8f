//! A sandbox's configuration.

use crate::domain::egress::{EgressPolicy, Interception, NetworkMode};
use crate::domain::ids::SessionId;
use crate::domain::s3::{BucketMount, environment};
use crate::domain::snapshot::backup::BackupDir;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Options of `configure`. The sandbox persists them; absent fields keep their
/// value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigureOptions {
    /// Idle time before the container stops, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleep_after_ms: Option<u64>,
    /// Environment of every command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env_vars: Option<BTreeMap<String, String>>,
    /// Whether the container reaches the Internet. Has no effect beside `egress`. Takes effect
    /// at its next start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_internet: Option<bool>,
    /// What the container reaches. Its mode takes effect at the next start, all else at
    /// once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub egress: Option<EgressPolicy>,
    /// Buckets that the container reaches. Takes effect at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket_mounts: Option<Vec<BucketMount>>,
    /// Size of the container. Takes effect at its next start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// The directories of the workspace, if backups also hold what differs from the image
    /// outside them. Takes effect at the container's next start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persist_machine: Option<Vec<BackupDir>>,
    /// The session that its starts count for, if starts are limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

impl ConfigureOptions {
    /// What the container may reach.
    #[must_use]
    pub fn egress_policy(&self) -> EgressPolicy {
        self.egress.clone().unwrap_or_else(|| {
            let is_off = self.enable_internet == Some(false);
            let mode = if is_off { NetworkMode::Off } else { NetworkMode::Open };
            EgressPolicy { mode, ..EgressPolicy::default() }
        })
    }

    /// Which of the container's requests the platform brings to us.
    #[must_use]
    pub fn interception(&self) -> Interception {
        let mut interception = self.egress_policy().interception();
        if !self.buckets().is_empty() {
            interception.http.insert(environment::HOST.to_owned());
        }
        interception
    }

    /// The buckets that the container reaches.
    #[must_use]
    pub fn buckets(&self) -> &[BucketMount] {
        self.bucket_mounts.as_deref().unwrap_or_default()
    }
}
