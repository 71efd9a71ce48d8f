//! Arguments that several operations share. Over HTTP, they are also request bodies.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::flat_ids;
use crate::domain::{OperationId, OperationState, SnapshotSelector, WorkspaceRef};
use serde::{Deserialize, Serialize};

/// An operation without arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

/// Arguments of an operation on one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotTarget {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
}

/// Arguments of `restore` and `branch`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MakeArgs {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Make the new workspace active; the default for tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch: Option<bool>,
}

/// Arguments of `pause` and `resume`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PauseArgs {
    /// The workspace: its ref, or its id. Default: the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub r#ref: Option<WorkspaceRef>,
}

/// Arguments of an operation on one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkspaceTarget {
    /// The workspace: its ref, or its id.
    #[cfg_attr(schemas, schemars(with = "schemas::WorkspaceSelector"))]
    pub r#ref: WorkspaceRef,
}

/// Arguments of a plain list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PageArgs {
    /// Maximum number of results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `nextCursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Arguments of `switch` and `swapRef`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SwitchArgs {
    /// The workspace to switch to.
    #[cfg_attr(schemas, schemars(with = "schemas::WorkspaceSelector"))]
    pub r#ref: WorkspaceRef,
    /// Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    /// is the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
}

/// Arguments of `cancel` and `getOperation`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallTarget {
    /// The name that was given to the call.
    pub operation_id: OperationId,
}

/// A workspace by its ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct NamedWorkspace {
    /// Its ref.
    #[serde(flatten, with = "flat_ids::workspace_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::WorkspaceWithId"))]
    pub r#ref: WorkspaceRef,
}

/// The answer to a container's destruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Destroyed {
    /// Always true.
    pub destroyed: bool,
}

/// The answer to a cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Cancelled {
    /// The request was passed on. The call ends before its next step, or
    /// completes if it has none left; its own answer says which.
    pub cancel_requested: bool,
    /// Its current state.
    pub state: OperationState,
}
