//! A sandbox's configuration.

use crate::domain::egress::{EgressPolicy, Interception, NetworkMode};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{InstanceId, SessionId};
use crate::domain::s3::{BucketMount, environment};
use crate::domain::snapshot::backup::BackupDir;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Options of `configure`, which the sandbox persists. Absent fields keep their value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigureOptions {
    /// Idle time before the container stops, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleep_after_ms: Option<u64>,
    /// Environment of every command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env_vars: Option<BTreeMap<String, String>>,
    /// Whether the container reaches the Internet, from its next start. Ignored if `egress` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_internet: Option<bool>,
    /// What the container reaches: the mode from its next start, all else at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub egress: Option<EgressPolicy>,
    /// Buckets that the container reaches, at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket_mounts: Option<Vec<BucketMount>>,
    /// Size of the container, from its next start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// The workspace's directories, if backups have the machine outside them. From its next start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persist_machine: Option<Vec<BackupDir>>,
    /// The session for which limited starts count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Change the configuration only if the last one was this session's. Not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_of: Option<SessionId>,
}

impl ConfigureOptions {
    /// What the container may reach. Default: nothing.
    #[must_use]
    pub fn egress_policy(&self) -> EgressPolicy {
        self.egress.clone().unwrap_or_else(|| {
            let is_open = self.enable_internet == Some(true);
            let mode = if is_open { NetworkMode::Open } else { NetworkMode::Off };
            EgressPolicy { mode, ..EgressPolicy::default() }
        })
    }

    /// The requests that the platform must pass to us.
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

/// Options of `mountBuckets`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MountBucketsOptions {
    /// What to mount.
    pub mounts: Vec<BucketDir>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// A bucket as a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BucketDir {
    /// Where it is mounted.
    pub path: AbsolutePath,
    /// Name of the bucket for S3 clients.
    pub bucket: String,
    /// Prefix of the keys: empty, or a path that ends with `/`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Whether the mount is read-only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// Result of `mountBuckets`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MountedBuckets {
    /// Outcomes of the mounts, in the order of the request.
    pub mounts: Vec<MountOutcome>,
}

/// Outcome of a mount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MountOutcome {
    /// State of the mount.
    pub state: MountState,
    /// Why the bucket is not mounted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Whether a bucket is a directory of the container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MountState {
    /// It is mounted as a directory.
    Mounted,
    /// No container runs. The next call that needs one mounts it.
    Stopped,
    /// The container can't mount. S3 clients reach the bucket.
    Unsupported,
    /// It could not be mounted.
    Failed,
}
