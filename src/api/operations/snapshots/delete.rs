//! Delete a snapshot.

use crate::api::operation::absence::UPKEEP;
use crate::api::operation::{
    Asked, CROSS, Call, Descriptor, Entry, LogFields, Method, Module, Operation, OperationKind,
    REACHES, Reply, Resolves, Route, SnapshotTarget, Tool, ToolCall, ToolEntry, ToolKind, Verb,
    WORKS, answer, flag,
};
use crate::domain::{Needs, Result, Scope, SnapshotSelector};
use crate::session::{DeleteOptions, Deleted, SnapshotView};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] =
    &[Entry::of::<DeleteSnapshot>(), Entry::of::<FlattenSnapshot>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[ToolEntry::of_operation::<DeleteSnapshot>()];

pub(crate) struct DeleteSnapshot;

/// Arguments of `delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteArgs {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Also delete it if it is pinned or published, or if a workspace that sleeps or is not saved
    /// automatically would wake from it. That workspace then starts empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// Remove all its stored bytes. A separate container first makes the layers on it full.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub purge: bool,
}

impl From<&DeleteArgs> for DeleteOptions {
    fn from(args: &DeleteArgs) -> Self {
        let DeleteArgs { allow_cross_session, force, purge, .. } = *args;
        Self { allow_cross_session, force, purge }
    }
}

impl OperationKind for DeleteSnapshot {
    type Input = DeleteArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/snapshots/{snapshot}",
            "deleteSnapshot",
            "Delete a snapshot; repeating it succeeds",
            |asked| {
                let SnapshotTarget { r#ref, allow_cross_session } = snapshot_target(asked)?;
                let force = asked.flag("force")?;
                let purge = asked.flag("purge")?;
                let args = DeleteArgs { r#ref, allow_cross_session, force, purge };
                Ok(Operation::of::<DeleteSnapshot>(args))
            },
        )
        .query(&[
            CROSS,
            flag(
                "force",
                "Also delete it if it is pinned or published, or if a workspace that sleeps or is \
                 not saved automatically would wake from it. That workspace then starts empty.",
            ),
            flag(
                "purge",
                "Remove all its stored bytes. A separate container first makes the layers on it \
                 full.",
            ),
        ])
        .answers::<Deleted>()
        .errors(REACHES)
        .cancellable()],
        ..Descriptor::new("delete", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<DeleteArgs>()
            .at(&["ref"])
            .cancellable()
            .resolves(Resolves::Nothing)
            .describe("Deletes a snapshot. Deleting one of this session's again succeeds. Workspaces that \
             were made from it stay."),
    );

    fn log(input: &DeleteArgs, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: DeleteArgs) -> Result<Reply> {
        answer(&call.session.delete(&input.r#ref, DeleteOptions::from(&input)).await?)
    }
}

impl ToolKind for DeleteSnapshot {
    type Input = DeleteArgs;
    type Output = Deleted;

    const TOOL: Tool = Tool {
        name: "workspace_delete_snapshot",
        title: "Delete a snapshot",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Snapshot,
        destructive: true,
        idempotent: true,
        description: "Delete a snapshot for good, to free its storage. Workspaces made from it do \
                      not change. Without force, the call is refused if the snapshot is pinned or \
                      published, or if a workspace would wake from it. Deleting a missing snapshot \
                      succeeds. It cannot be undone: check with workspace_list_snapshots first.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: DeleteArgs) -> Result<Deleted> {
        call.session.delete(&input.r#ref, DeleteOptions::from(&input)).await
    }
}

fn snapshot_target(asked: &Asked<'_>) -> Result<SnapshotTarget> {
    let r#ref = SnapshotSelector::parse(asked.path("snapshot")?)?;
    Ok(SnapshotTarget { r#ref, allow_cross_session: asked.flag("allowCrossSession")? })
}

/// Make a snapshot full.
pub(crate) struct FlattenSnapshot;

/// Arguments of `flatten`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FlattenArgs {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
}

impl OperationKind for FlattenSnapshot {
    type Input = FlattenArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/snapshots/{snapshot}/flatten",
            "flattenSnapshot",
            "Make a layer full: an archive of its whole tree; repeating it succeeds",
            |asked| {
                let r#ref = SnapshotSelector::parse(asked.path("snapshot")?)?;
                Ok(Operation::of::<FlattenSnapshot>(FlattenArgs { r#ref }))
            },
        )
        .without_view(UPKEEP)
        .describe(
            "A full snapshot needs no other archive, and @cloudflare/sandbox can restore it. A \
             separate container, in which no command ever ran, makes the archive; no workspace \
             wakes. Both trees are compared before anything changes. Layers on the snapshot stay \
             layers.",
        )
        .answers::<SnapshotView>()
        .errors(WORKS)
        .cancellable()],
        ..Descriptor::new("flatten", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<FlattenArgs>().at(&["ref"]).cancellable().describe(
            "Makes a layer full: it gets an archive of its whole tree, needs no other archive any \
             more, and can be restored by `@cloudflare/sandbox`. Answers at once if the snapshot \
             is full. A separate container, in which no command ever ran, makes the archive; no \
             workspace wakes. Both trees are compared before anything changes: `INTEGRITY` if they \
             differ, `TOO_LARGE` past 1 GiB of files. Layers on the snapshot stay layers, with \
             shorter chains. Counts as a snapshot for `limits.snapshots`.\n\n\
             `CONFLICT` while it or a layer on it is being taken, deleted or read.",
        ));

    fn log(input: &FlattenArgs, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: FlattenArgs) -> Result<Reply> {
        answer(&call.session.flatten(&input.r#ref, call.abort).await?)
    }
}
