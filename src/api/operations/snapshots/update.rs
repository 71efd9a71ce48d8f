//! Change a snapshot's metadata.

use crate::api::operation::{
    Call, Descriptor, Entry, LogFields, Method, Module, Operation, OperationKind, Reply, Route,
    Tool, ToolCall, ToolEntry, ToolKind, Verb, answer,
};
use crate::api::operations::snapshots::take::without_replace;
use crate::domain::snapshot::annotations::{Cleared, SnapshotEdit};
use crate::domain::snapshot::labels::Labels;
use crate::domain::{ErrorCode, Needs, Result, Scope, SnapshotSelector};
use crate::session::SnapshotView;
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[Entry::of::<UpdateSnapshot>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[ToolEntry::of_operation::<UpdateSnapshot>()];

pub(crate) struct UpdateSnapshot;

/// Arguments of `updateSnapshot`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UpdateSnapshotArgs {
    /// The snapshot to change.
    pub r#ref: SnapshotSelector,
    /// What to change.
    #[serde(default)]
    pub edit: SnapshotEdit,
}

impl OperationKind for UpdateSnapshot {
    type Input = UpdateSnapshotArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Patch,
            "/v1/sessions/{session}/snapshots/{snapshot}",
            "updateSnapshot",
            "Rename, describe, label, pin or publish a snapshot, or change its expiry",
            |asked| {
                let r#ref = SnapshotSelector::parse(asked.path("snapshot")?)?;
                Ok(Operation::of::<UpdateSnapshot>(UpdateSnapshotArgs {
                    r#ref,
                    edit: asked.body()?,
                }))
            },
        )
        .describe("Absent fields stay as they are; `clear` lists what is removed.")
        .takes::<SnapshotEdit>()
        .answers::<SnapshotView>()
        .errors(&[
            ErrorCode::SnapshotNotOwned,
            ErrorCode::Conflict,
            ErrorCode::SnapshotGone,
            ErrorCode::Unsupported,
        ])],
        ..Descriptor::new("updateSnapshot", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<UpdateSnapshotArgs>().at(&["ref", "edit"]).describe(
            "Renames, describes, labels, pins or publishes one of this session's own snapshots, \
             or changes its expiry. `CONFLICT` if the name is taken or the snapshot is still \
             being taken; `SNAPSHOT_GONE` if R2 no longer has it.",
        ));

    fn log(input: &UpdateSnapshotArgs, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: UpdateSnapshotArgs) -> Result<Reply> {
        answer(&call.session.update_snapshot(&input.r#ref, &input.edit).await?)
    }
}

/// A snapshot and the changes to make. Tools can neither publish a snapshot nor take another one's
/// name.
#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct UpdateInput {
    /// The snapshot: its ref, its id, or its name in this session.
    r#ref: SnapshotSelector,
    /// New name, unique within this session; must not look like a UUID.
    name: Option<String>,
    /// New description.
    description: Option<String>,
    /// Labels to set, each as key=value. Others stay.
    #[serde(default)]
    labels: Labels,
    /// Values to remove: name, description, labels, labels.KEY for one, or expiresAt to
    /// keep it until it is deleted.
    #[serde(default)]
    clear: Vec<Cleared>,
    /// Whether to keep it regardless of its expiry.
    pinned: Option<bool>,
    /// When it expires, in RFC 3339, at least 61 seconds from now.
    expires_at: Option<String>,
}

impl From<UpdateInput> for (SnapshotSelector, SnapshotEdit) {
    fn from(input: UpdateInput) -> Self {
        let edit = SnapshotEdit {
            name: input.name,
            description: input.description,
            labels: input.labels,
            clear: input.clear,
            pinned: input.pinned,
            expires_at: input.expires_at,
            ..SnapshotEdit::default()
        };
        (input.r#ref, edit)
    }
}

impl ToolKind for UpdateSnapshot {
    type Input = UpdateInput;
    type Output = SnapshotView;

    const PAIRS: &'static [&'static str] = &["labels"];

    const TOOL: Tool = Tool {
        name: "workspace_update_snapshot",
        title: "Rename, label or pin a snapshot",
        module: Module::Snapshot,
        scope: Scope::Snapshot,
        idempotent: true,
        description: "Change a snapshot's record: its name, description, labels, expiry, or \
                      whether it is pinned. Use it to keep a snapshot longer, or to mark a good \
                      attempt. A pinned snapshot stays until it is unpinned or deleted. Omitted \
                      values stay; clear removes values. The saved files do not change.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: UpdateInput) -> Result<SnapshotView> {
        let (named, edit) = input.into();
        call.session.update_snapshot(&named, &edit).await.map_err(without_replace)
    }
}
