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

/// The answer to the end of a container.
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
    /// The call was told: it ends before its next step, or completes where it
    /// has none left. How it ended, its own answer says.
    pub cancel_requested: bool,
    /// The state it is in now.
    pub state: OperationState,
}
