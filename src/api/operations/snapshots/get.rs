//! Look at one snapshot.

use crate::api::operation::{
    Asked, CROSS, Call, Descriptor, Entry, LogFields, Method, Module, Operation, OperationKind,
    REACHES, Reply, Route, SnapshotTarget, Tool, ToolCall, ToolEntry, ToolKind, Verb, answer,
};
use crate::domain::{Needs, Result, Scope, SnapshotSelector};
use crate::session::SnapshotView;

pub(crate) static OPERATIONS: &[&Entry] = &[Entry::of::<GetSnapshot>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[ToolEntry::of_operation::<GetSnapshot>()];

pub(crate) struct GetSnapshot;

impl OperationKind for GetSnapshot {
    type Input = SnapshotTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}",
            "getSnapshot",
            "Look at a snapshot, by its id or name",
            |asked| Ok(Operation::of::<GetSnapshot>(snapshot_target(asked)?)),
        )
        .query(&[CROSS])
        .answers::<SnapshotView>()
        .errors(REACHES)
        .cancellable()],
        ..Descriptor::new("get", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<SnapshotTarget>().at(&["ref"]).cancellable().describe(
            "Returns one snapshot, in any state. `SNAPSHOT_NOT_OWNED` if it does not exist or \
             belongs to another session. Starts no container.",
        ));

    fn log(input: &SnapshotTarget, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SnapshotTarget) -> Result<Reply> {
        answer(&call.session.get(&input.r#ref, input.allow_cross_session).await?)
    }
}

impl ToolKind for GetSnapshot {
    type Input = SnapshotTarget;
    type Output = SnapshotView;

    const TOOL: Tool = Tool {
        name: "workspace_get_snapshot",
        title: "Look at a snapshot",
        module: Module::Snapshot,
        scope: Scope::Read,
        description: "Show one snapshot of this session: its ref, name, description, time, size, \
                      expiry, parent, and whether it can be restored (restorable, \
                      unrestorableBecause), even if it expired or was deleted. Use it before you \
                      restore a snapshot, or to look up a parentId.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: SnapshotTarget) -> Result<SnapshotView> {
        call.session.get(&input.r#ref, input.allow_cross_session).await
    }
}

fn snapshot_target(asked: &Asked<'_>) -> Result<SnapshotTarget> {
    let r#ref = SnapshotSelector::parse(asked.path("snapshot")?)?;
    Ok(SnapshotTarget { r#ref, allow_cross_session: asked.flag("allowCrossSession")? })
}
