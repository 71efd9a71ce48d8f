//! The arguments of each operation. Over HTTP they are also the bodies.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{BackupId, OperationId, RestoreKind, TokenId, UploadId};
use crate::domain::session::config::WorkspaceConfig;
use crate::domain::snapshot::backup::{SnapshotKind, Ttl, parse_rfc3339};
use crate::domain::snapshot::labels::{LabelFilter, Labels};
use crate::domain::snapshot::query::SnapshotQuery;
use crate::domain::snapshot::refs::{SnapshotSelector, WorkspaceRef};
#[cfg(schemas)]
use crate::domain::{limits, schemas};
use crate::session::{FinishUpload, ListRequest, RewindRequest, SnapshotEdit};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An operation without arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

/// Arguments of `open`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpenArgs {
    /// The session's configuration.
    pub config: Box<WorkspaceConfig>,
}

/// Arguments of `snapshot`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SnapshotArgs {
    /// Name within the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = limits::SNAPSHOT_NAME_MAX_CHARS), regex(pattern = schemas::NAME_PATTERN)))]
    pub name: Option<String>,
    /// What to remember.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(max = limits::SNAPSHOT_DESCRIPTION_MAX_CHARS), regex(pattern = schemas::TEXT_PATTERN)))]
    pub description: Option<String>,
    /// Time to live in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<Ttl>,
    /// Take the name from a snapshot that has it.
    pub replace: bool,
    /// Labels.
    #[serde(skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Only while this workspace is the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
}

/// Arguments of an operation on one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotTarget {
    /// Which.
    pub r#ref: SnapshotSelector,
    /// Also reach snapshots of other sessions.
    #[serde(default)]
    pub allow_cross_session: bool,
}

/// Arguments of `pause` and `resume`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PauseArgs {
    /// Which; none: the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<WorkspaceRef>,
}

/// Arguments of `rewind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RewindArgs {
    /// The snapshot to go back to.
    pub r#ref: SnapshotSelector,
    /// Only while this is the workspace's head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_head: Option<BackupId>,
    /// Also reach snapshots of other sessions.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Only while this workspace is the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
}

impl From<RewindArgs> for RewindRequest {
    fn from(args: RewindArgs) -> Self {
        Self {
            r#ref: args.r#ref,
            expected_head: args.expected_head,
            allow_cross_session: args.allow_cross_session,
            expected_active: args.expected_active,
        }
    }
}

/// Arguments of `updateSnapshot`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateSnapshotArgs {
    /// Which.
    pub r#ref: SnapshotSelector,
    /// What to change.
    #[serde(default)]
    pub edit: SnapshotEdit,
}

/// A workspace to be made, as HTTP asks for it: `restore` or `branch` by its kind.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateWorkspace {
    /// The snapshot whose files it gets.
    pub from: SnapshotSelector,
    /// Going back, or trying something. They differ in the name and in the event log.
    pub kind: RestoreKind,
    /// Also reach snapshots of other sessions.
    #[serde(default)]
    pub allow_cross_session: bool,
}

/// Arguments of `fork`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LiveForkArgs {
    /// How many workspaces. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = limits::LIVE_FORKS_MAX)))]
    pub count: Option<u32>,
    /// Only while this workspace is the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
}

/// Arguments of `delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteArgs {
    /// Which.
    pub r#ref: SnapshotSelector,
    /// Also reach snapshots of other sessions.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Also what is pinned or published, or what a workspace would wake from that
    /// sleeps or is not saved by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// Arguments of `list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListArgs {
    /// Results at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Also expired snapshots.
    pub include_expired: bool,
    /// Also those being taken, deleted or failed.
    pub include_unready: bool,
    /// Also automatic ones.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub include_auto: bool,
    /// Walk the whole bucket.
    pub allow_cross_session: bool,
    /// Exactly this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// All of these labels: a key, or `key=value`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelFilter>,
    /// This kind of archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SnapshotKind>,
    /// Made at this time or later, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_after: Option<String>,
    /// Made before this time, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_before: Option<String>,
}

impl TryFrom<ListArgs> for ListRequest {
    type Error = Error;

    fn try_from(args: ListArgs) -> Result<Self> {
        let time = |field: &str, text: Option<String>| {
            text.map(|text| parse_rfc3339(field, &text)).transpose()
        };
        Ok(Self {
            limit: args.limit,
            cursor: args.cursor,
            include_expired: args.include_expired,
            include_unready: args.include_unready,
            include_auto: args.include_auto,
            allow_cross_session: args.allow_cross_session,
            query: SnapshotQuery {
                name: args.name,
                labels: args.labels,
                kind: args.kind,
                created_after_ms: time("createdAfter", args.created_after)?,
                created_before_ms: time("createdBefore", args.created_before)?,
            },
        })
    }
}

/// Arguments of an operation on one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkspaceTarget {
    /// Which.
    #[cfg_attr(schemas, schemars(with = "schemas::WorkspaceSelector"))]
    pub r#ref: WorkspaceRef,
}

/// Arguments of `listWorkspaces`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkspacesArgs {
    /// Also ask whether their containers run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub containers: bool,
}

/// Arguments of a plain list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PageArgs {
    /// Results at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Arguments of `switch` and `swapRef`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SwitchArgs {
    /// To which.
    #[cfg_attr(schemas, schemars(with = "schemas::WorkspaceSelector"))]
    pub r#ref: WorkspaceRef,
    /// Only while this workspace is the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
}

/// Arguments of `callTool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallToolArgs {
    /// Which tool.
    pub name: String,
    /// Its input.
    #[serde(default)]
    pub input: Value,
    /// Only while this workspace is the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_active: Option<WorkspaceRef>,
}

/// Arguments of `revokeToken`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TokenTarget {
    /// Which.
    pub token_id: TokenId,
}

/// Arguments of `cancel` and `getOperation`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelArgs {
    /// The name that was given to the call.
    pub operation_id: OperationId,
}

/// An upload and how it ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FinishUploadArgs {
    /// Which one.
    pub upload: UploadId,
    /// What its parts are together, and where their files go.
    pub archive: FinishUpload,
}

/// An upload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadTarget {
    /// Which one.
    pub upload: UploadId,
}
