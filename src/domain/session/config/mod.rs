//! The configuration with which a session is opened, and its checked form.

pub(crate) mod buckets;
pub(crate) mod check;
pub(crate) mod modules;
pub(crate) mod network;
pub(crate) mod pool;
pub(crate) mod reopen;
pub(crate) mod services;
pub(crate) mod settings;
pub(crate) mod tools;

#[cfg(test)]
mod tests;

pub use crate::domain::session::config::buckets::{
    AllowedBuckets, BucketMountConfig, MountedBucket,
};
pub use crate::domain::session::config::check::SessionConfig;
pub use crate::domain::session::config::modules::{
    Capabilities, Modules, SnapshotCapability, Toggle,
};
pub use crate::domain::session::config::network::NetworkConfig;
pub use crate::domain::session::config::pool::PoolConfig;
pub use crate::domain::session::config::services::{Service, ServiceConfig};
pub use crate::domain::session::config::settings::SleepAfter;
pub use crate::domain::session::config::settings::check_env_vars;
pub use crate::domain::session::config::settings::{MachineConfig, Persist};
pub use crate::domain::session::config::tools::ToolSelection;

use crate::domain::egress::Secret;
use crate::domain::limits::AUTOSAVE_EVERY_DEFAULT_MS;
#[cfg(schemas)]
use crate::domain::limits::{
    AUTOSAVE_EVERY_MIN_MS, BUCKET_MOUNTS_MAX, ENV_VARS_MAX, MAX_WORKSPACES_CEILING,
    PREVIEW_PORTS_MAX, SECRETS_MAX, SERVICES_MAX, SLEEP_AFTER_MAX_MS,
};
use crate::domain::session::rate::Rate;
use crate::domain::{BackupDir, RetentionConfig, SandboxId, SnapshotSelector};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// R2 binding for archives, unless a session sets another one.
pub const DEFAULT_BACKUP_BINDING: &str = "BACKUP_BUCKET";

/// The provider configuration as a caller sends it. Every field is optional.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WorkspaceConfig {
    /// `cloudflare-sandbox`, for callers that send a provider kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ProviderKind>,
    /// A sandbox that several sessions share. It begins with `shared-` and needs
    /// `shareAcrossSessions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SandboxId>,
    /// Acknowledges that `id` is shared.
    pub share_across_sessions: bool,
    /// Name of the R2 binding for archives. Default `BACKUP_BUCKET`; another one must be
    /// listed in the variable `BACKUP_BINDINGS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup_r2_binding: Option<String>,
    /// Whether `close` destroys the session's containers. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destroy_on_close: Option<bool>,
    /// Idle time before a container stops: seconds, or text such as `"10m"`. Default 10
    /// minutes, at most 6 hours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleep_after: Option<SleepAfter>,
    /// Whether a background process keeps its container running after `sleepAfter`, for up to
    /// 5 h 50 min after the last use. Services don't. Needs `autosave`. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_awake: Option<bool>,
    /// Whether the host saves workspaces by itself: before it stops an idle container, and
    /// every `everyMs` while one is in use. Unchanged files are not uploaded. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autosave: Option<Toggle<Autosave>>,
    /// Whether snapshots that callers take store only what has changed since the last one:
    /// those of kind `layer`. Automatic snapshots and those of turns may always be layers.
    /// Default false: `full`, which `@cloudflare/sandbox` 0.12 can restore, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incremental: Option<bool>,
    /// What a snapshot holds: `workspace`, the default, only its directory; `machine` also all
    /// differences from the image outside it, such as installed packages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persist: Option<Persist>,
    /// With `machine`: whether a machine is also restored onto another image than it was
    /// saved on. Default false: `CONFLICT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force_image: Option<bool>,
    /// The published snapshot of another session that the first workspace begins with: its
    /// ref or id. The first open claims it and starts nothing; the first call that uses the
    /// workspace brings its files. It must be of `workspaceDir` or a directory above it.
    /// With `crossSession`, also a backup of Sandbox SDK 1.0: that call makes a snapshot of it.
    /// Absent: an empty workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<SnapshotSelector>,
    /// Like `from`, but takes the first workspace from a warm pool if the pool has a ready
    /// container with these files. Otherwise opens as `from` does, and fills the pool for later
    /// sessions. Needs the operator's variable `MAX_POOL_CONTAINERS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolConfig>,
    /// Root of the workspace: at or under `/workspace`, `/home` or `/app`, or under `/tmp`
    /// or `/var/tmp`. Default `/workspace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_dir: Option<BackupDir>,
    /// Directory that a snapshot captures; `workspaceDir` may lie in it. Default: the
    /// workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_dir: Option<BackupDir>,
    /// Environment of every command. Redacted wherever it is shown; `{}` removes all.
    #[cfg_attr(schemas, schemars(extend("maxProperties" = ENV_VARS_MAX, "propertyNames" = serde_json::json!({ "pattern": settings::NAME_PATTERN }))))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env_vars: Option<BTreeMap<String, String>>,
    /// Commands that run in the background of each workspace: started when it is first used,
    /// restored, branched or forked, after a wake and after a rewind. A service that ends is not
    /// started again until then. A later open may change the list; those that run go on. `[]`
    /// removes all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(max = SERVICES_MAX)))]
    pub services: Option<Vec<ServiceConfig>>,
    /// Ports that previews may reach: servers in the containers, over HTTP and WebSockets.
    /// Default none. A later open may change them; `[]` removes all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(max = PREVIEW_PORTS_MAX), inner(range(min = 1))))]
    pub preview_ports: Option<BTreeSet<u16>>,
    /// What containers reach. Default: the Internet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkConfig>,
    /// An older form of `network`: true is mode `open`, false is `off`. Set only one of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_internet: Option<bool>,
    /// Headers with credentials, by name, that requests get on their way out. Containers never
    /// have them. A later open may change them; `{}` removes all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(extend("maxProperties" = SECRETS_MAX, "propertyNames" = serde_json::json!({ "pattern": settings::NAME_PATTERN }))))]
    pub secrets: Option<BTreeMap<String, Secret>>,
    /// Buckets that containers reach, with any S3 client, at `http://r2.internal`. No
    /// credential is in the container.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(max = BUCKET_MOUNTS_MAX)))]
    pub bucket_mounts: Option<Vec<BucketMountConfig>>,
    /// Size of the container, e.g. `standard-1`, where the platform lets the object choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// Modules of the session. Default: all. If set, only those that it names: `{"fs": true}` has
    /// no shell and no snapshots. The first open decides; opening with others is `CONFLICT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// Tools that a model is shown: `core`, the default, for daily work; `all`; or a list of names.
    /// Tools that are not shown can be called all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolSelection>,
    /// How many containers and workspaces the session may have, and how many calls. Beyond
    /// a rate: `RATE_LIMITED`, with `details.retryAfterMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<SessionLimits>,
    /// Which snapshots the session keeps; the variable `RETENTION` has the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<RetentionConfig>,
}

/// Value of `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub enum ProviderKind {
    /// The only kind.
    #[serde(rename = "cloudflare-sandbox")]
    CloudflareSandbox,
}

/// Settings of automatic snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Autosave {
    /// Milliseconds between two automatic snapshots of a workspace in use.
    #[cfg_attr(schemas, schemars(range(min = AUTOSAVE_EVERY_MIN_MS, max = SLEEP_AFTER_MAX_MS)))]
    pub every_ms: u64,
}

impl Default for Autosave {
    fn default() -> Self {
        Self { every_ms: AUTOSAVE_EVERY_DEFAULT_MS }
    }
}

/// How much one session may have at once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SessionLimits {
    /// Containers that may run at once. Default 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = MAX_WORKSPACES_CEILING)))]
    pub max_running: Option<u32>,
    /// Workspaces. Default 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = MAX_WORKSPACES_CEILING)))]
    pub max_workspaces: Option<u32>,
    /// All calls, however they come. Default 6,000 a minute, 1,000 at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<Rate>,
    /// Calls that take a snapshot. Default 30 a minute, 30 at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<Rate>,
}
