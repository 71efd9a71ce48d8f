//! The buckets of a session, as `workspace_describe` shows them.

use crate::domain::s3::environment::HOST;
use crate::domain::session::config::{MountedBucket, SessionConfig};
use serde::{Deserialize, Serialize};

/// A bucket that the workspace reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BucketView {
    /// Its name for S3 clients.
    pub bucket: String,
    /// Where they reach it.
    pub url: String,
    /// Whether nothing is written to it.
    pub read_only: bool,
    /// Where it would appear as a directory.
    pub mount_path: String,
    /// Whether it does.
    pub mount: MountState,
}

/// Whether a bucket is a directory of the container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MountState {
    /// It is not: use an S3 client.
    Unsupported,
}

/// The buckets of a session.
pub(crate) fn views(config: &SessionConfig) -> Vec<BucketView> {
    let view = |MountedBucket { mount, path }: &MountedBucket| BucketView {
        bucket: mount.bucket.clone(),
        url: format!("http://{HOST}/{}/{}", mount.bucket, mount.prefix),
        read_only: mount.read_only,
        mount_path: path.as_str().to_owned(),
        mount: MountState::Unsupported,
    };
    config.bucket_mounts.iter().map(view).collect()
}
