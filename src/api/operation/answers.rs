//! Answers of operations that differ from the results of their use cases.

use crate::domain::snapshot::flat_ids;
use crate::domain::{OperationState, WorkspaceRef};
use serde::Serialize;

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
