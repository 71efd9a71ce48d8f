//! Delete the session with everything it has.

use crate::api::operation::{
    Call, Descriptor, Method, Operation, OperationKind, Reply, Route, Verb, answer, flag,
};
use crate::domain::{ErrorCode, Needs, Result, Scope};
use crate::session::DeletedSession;
use serde::{Deserialize, Serialize};

pub(crate) struct DeleteSession;

/// Arguments of `deleteSession`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DeleteSessionArgs {
    /// Must be true: all workspaces and snapshots of the session are lost.
    pub force: bool,
}

impl OperationKind for DeleteSession {
    type Input = DeleteSessionArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}",
            "deleteSession",
            "Delete the session with all that it has; repeating it succeeds",
            |asked| {
                let force = asked.flag("force")?;
                Ok(Operation::of::<DeleteSession>(DeleteSessionArgs { force }))
            },
        )
        .describe(
            "Destroys its workspaces unsaved, and deletes its snapshots, pinned and published ones too, its tokens, \
             previews, events and configuration. A later open begins anew. `POST …/close` keeps the snapshots.",
        )
        .query(&[flag("force", "Must be true: all workspaces and snapshots of the session are lost.")])
        .answers::<DeletedSession>()
        .errors(&[ErrorCode::Conflict, ErrorCode::Unsupported])],
        ..Descriptor::new("deleteSession", Needs::Scope(Scope::Admin))
    };

    const METHOD: Option<Method> = Some(Method::takes::<DeleteSessionArgs>().describe(
        "Deletes the session: its workspaces with what they have not saved, its snapshots, pinned \
         and published ones too, its tokens, previews, events and configuration. Needs `force`. A \
         later `open` begins anew. Deleting a session that does not exist succeeds.",
    ));

    async fn run(call: Call<'_>, input: DeleteSessionArgs) -> Result<Reply> {
        answer(&call.session.delete_session(input.force).await?)
    }
}
