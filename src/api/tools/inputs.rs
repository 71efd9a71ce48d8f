//! Inputs of the tools, as their schemas in `catalogue.json` publish them,
//! where they are not the requests of the use cases themselves.

use crate::domain::error::{Error, Result};
use crate::domain::ids::BackupId;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::backup::{Ttl, parse_rfc3339};
use crate::domain::snapshot::labels::{LabelChanges, LabelFilter, Labels};
use crate::domain::snapshot::query::SnapshotQuery;
use crate::domain::snapshot::refs::{SnapshotSelector, WorkspaceRef};
use crate::session::{ListRequest, RewindRequest, SnapshotEdit, SnapshotRequest, present};
use serde::Deserialize;

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct NoInput {}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SnapshotInput {
    name: Option<String>,
    description: Option<String>,
    ttl_seconds: Option<Ttl>,
    #[serde(default)]
    labels: Labels,
}

impl From<SnapshotInput> for SnapshotRequest {
    fn from(input: SnapshotInput) -> Self {
        Self {
            name: input.name,
            description: input.description,
            ttl: input.ttl_seconds,
            replace: false,
            labels: input.labels,
            expected_active: None,
        }
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SnapshotTargetInput {
    pub r#ref: SnapshotSelector,
    #[serde(default)]
    pub allow_cross_session: bool,
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveForkInput {
    pub count: Option<u32>,
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RewindInput {
    r#ref: SnapshotSelector,
    expected_head: Option<BackupId>,
    #[serde(default)]
    allow_cross_session: bool,
}

impl From<RewindInput> for RewindRequest {
    fn from(input: RewindInput) -> Self {
        Self {
            r#ref: input.r#ref,
            expected_head: input.expected_head,
            allow_cross_session: input.allow_cross_session,
            expected_active: None,
        }
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DeleteInput {
    pub r#ref: SnapshotSelector,
    #[serde(default)]
    pub allow_cross_session: bool,
    #[serde(default)]
    pub force: bool,
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ListInput {
    limit: Option<u32>,
    cursor: Option<String>,
    #[serde(default)]
    include_expired: bool,
    #[serde(default)]
    include_auto: bool,
    #[serde(default)]
    allow_cross_session: bool,
    name: Option<String>,
    #[serde(default)]
    #[cfg_attr(schemas, schemars(with = "Vec<String>"))]
    labels: Vec<LabelFilter>,
    created_after: Option<String>,
    created_before: Option<String>,
}

impl TryFrom<ListInput> for ListRequest {
    type Error = Error;

    fn try_from(input: ListInput) -> Result<Self> {
        let time = |field: &str, text: Option<String>| {
            text.map(|text| parse_rfc3339(field, &text)).transpose()
        };
        Ok(Self {
            limit: input.limit,
            cursor: input.cursor,
            include_expired: input.include_expired,
            include_unready: false,
            include_auto: input.include_auto,
            allow_cross_session: input.allow_cross_session,
            query: SnapshotQuery {
                name: input.name,
                labels: input.labels,
                kind: None,
                created_after_ms: time("createdAfter", input.created_after)?,
                created_before_ms: time("createdBefore", input.created_before)?,
            },
        })
    }
}

/// A snapshot, and beside it what to change of it: not whether a name may be
/// taken from another, nor whether other sessions get the files.
#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct UpdateInput {
    r#ref: SnapshotSelector,
    #[serde(default, deserialize_with = "present")]
    name: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    description: Option<Option<String>>,
    #[serde(default)]
    #[cfg_attr(schemas, schemars(schema_with = "schemas::label_changes"))]
    labels: LabelChanges,
    pinned: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    expires_at: Option<Option<String>>,
}

impl From<UpdateInput> for (SnapshotSelector, SnapshotEdit) {
    fn from(input: UpdateInput) -> Self {
        let edit = SnapshotEdit {
            name: input.name,
            description: input.description,
            labels: input.labels,
            pinned: input.pinned,
            expires_at: input.expires_at,
            ..SnapshotEdit::default()
        };
        (input.r#ref, edit)
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PauseInput {
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub r#ref: Option<WorkspaceRef>,
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchInput {
    #[cfg_attr(schemas, schemars(with = "schemas::WorkspaceSelector"))]
    pub r#ref: WorkspaceRef,
}
