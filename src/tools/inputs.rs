//! Inputs of the tools, as their schemas in `catalogue.json` publish them,
//! where they are not the requests of the use cases themselves.

use crate::domain::backup::Ttl;
use crate::domain::refs::{SnapshotSelector, WorkspaceRef};
use crate::usecases::host::{ListRequest, SnapshotRequest};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoInput {}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SnapshotInput {
    name: Option<String>,
    description: Option<String>,
    ttl_seconds: Option<Ttl>,
}

impl From<SnapshotInput> for SnapshotRequest {
    fn from(input: SnapshotInput) -> Self {
        Self {
            name: input.name,
            description: input.description,
            ttl: input.ttl_seconds,
            replace: false,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ForkInput {
    pub r#ref: SnapshotSelector,
    #[serde(default)]
    pub allow_cross_session: bool,
}

/// A delete names a snapshot just as a fork does.
pub(super) type DeleteInput = ForkInput;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListInput {
    limit: Option<u32>,
    cursor: Option<String>,
    #[serde(default)]
    include_expired: bool,
    #[serde(default)]
    allow_cross_session: bool,
}

impl From<ListInput> for ListRequest {
    fn from(input: ListInput) -> Self {
        Self {
            limit: input.limit,
            cursor: input.cursor,
            include_expired: input.include_expired,
            include_unready: false,
            allow_cross_session: input.allow_cross_session,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SwitchInput {
    pub r#ref: WorkspaceRef,
}
