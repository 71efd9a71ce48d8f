//! Delete a snapshot.

use crate::api::http::param::{CROSS, flag};
use crate::api::http::route::REACHES;
use crate::api::http::{Asked, Route, Verb};
use crate::api::operation::descriptor::{
    Call, Descriptor, LogFields, Operation, OperationKind, answer,
};
use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::api::operations::inputs::SnapshotTarget;
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::session::{DeleteOptions, Deleted};
use serde::{Deserialize, Serialize};

pub(crate) struct DeleteSnapshot;

/// Arguments of `delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteArgs {
    /// Which.
    pub r#ref: SnapshotSelector,
    /// Also reach snapshots of other sessions.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Also what is pinned or published, or what a workspace would wake from that
    /// sleeps or is not saved by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

impl OperationKind for DeleteSnapshot {
    type Input = DeleteArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/snapshots/{snapshot}",
            "deleteSnapshot",
            "Delete a snapshot; again succeeds",
            |asked| {
                let SnapshotTarget { r#ref, allow_cross_session } = snapshot_target(asked)?;
                let force = asked.flag("force")?;
                Ok(Operation::of::<DeleteSnapshot>(DeleteArgs { r#ref, allow_cross_session, force }))
            },
        )
        .query(&[
            CROSS,
            flag(
                "force",
                "Also what is pinned or published, or what a workspace would wake from that sleeps or is not saved by itself; it then begins anew.",
            ),
        ])
        .answers::<Deleted>()
        .errors(REACHES)
        .cancellable()],
        ..Descriptor::new("delete", Needs::Scope(Scope::Snapshot))
    };

    fn log(input: &DeleteArgs, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: DeleteArgs) -> Result<Reply> {
        let options =
            DeleteOptions { allow_cross_session: input.allow_cross_session, force: input.force };
        answer(&call.session.delete(&input.r#ref, options).await?)
    }
}

impl ToolKind for DeleteSnapshot {
    type Input = DeleteArgs;
    type Output = Deleted;

    const TOOL: &'static str = "workspace_delete_snapshot";

    async fn call(call: ToolCall<'_>, input: DeleteArgs) -> Result<Deleted> {
        let options =
            DeleteOptions { allow_cross_session: input.allow_cross_session, force: input.force };
        call.session.delete(&input.r#ref, options).await
    }
}

fn snapshot_target(asked: &Asked<'_>) -> Result<SnapshotTarget> {
    let r#ref = SnapshotSelector::named(asked.path("snapshot")?);
    Ok(SnapshotTarget { r#ref, allow_cross_session: asked.flag("allowCrossSession")? })
}
