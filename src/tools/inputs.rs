//! Inputs of the tools, as their schemas in `catalogue.json` publish them.

use crate::domain::backup::Ttl;
use crate::domain::refs::{SnapshotSelector, WorkspaceRef};
use crate::ports::sandbox::{CommandLine, Encoding};
use crate::usecases::host::{
    ListRequest, ReadFileRequest, RunRequest, SnapshotRequest, WriteFileRequest,
};
use serde::Deserialize;
use std::collections::BTreeMap;

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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RunInput {
    command: CommandLine,
    cwd: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    timeout_ms: Option<u64>,
    stdin: Option<String>,
}

impl From<RunInput> for RunRequest {
    fn from(input: RunInput) -> Self {
        Self {
            command: input.command,
            cwd: input.cwd,
            env: input.env,
            timeout_ms: input.timeout_ms,
            stdin: input.stdin,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadFileInput {
    path: String,
    encoding: Option<Encoding>,
}

impl From<ReadFileInput> for ReadFileRequest {
    fn from(input: ReadFileInput) -> Self {
        Self { path: input.path, encoding: input.encoding }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteFileInput {
    path: String,
    content: String,
    #[serde(default)]
    encoding: Encoding,
}

impl From<WriteFileInput> for WriteFileRequest {
    fn from(input: WriteFileInput) -> Self {
        Self { path: input.path, content: input.content, encoding: input.encoding }
    }
}
