//! Answers of operations, where they are not what a use case returns.

use crate::api::tools::ListedTool;
use crate::domain::call::OperationState;
use crate::domain::snapshot::refs::WorkspaceRef;
use serde::Serialize;

/// A workspace by its ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct NamedWorkspace {
    /// Its ref.
    pub r#ref: WorkspaceRef,
}

/// The answer to a container's destruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Destroyed {
    /// Always true.
    pub destroyed: bool,
}

/// The tools of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ToolList {
    /// In the order of the catalogue.
    pub tools: Vec<ListedTool>,
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
