//! Look at one snapshot.

use crate::api::operation::asked::Asked;
use crate::api::operation::descriptor::{
    Call, Descriptor, LogFields, Operation, OperationKind, answer,
};
use crate::api::operation::inputs::SnapshotTarget;
use crate::api::operation::method::Method;
use crate::api::operation::param::CROSS;
use crate::api::operation::route::REACHES;
use crate::api::operation::route::{Route, Verb};
use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};
use crate::domain::snapshot::selector::SnapshotSelector;
use crate::session::SnapshotView;

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
        description: "Show one snapshot of this session: its ref, name, description, time, size, expiry, parent, and \
                      whether it can be restored (restorable, unrestorableBecause), even if it expired or was \
                      deleted. Use it before going back to it, or to look up a parentId.",
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
