//! Close the session.

use crate::api::operation::{
    Call, Descriptor, Method, NoArgs, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope};
use crate::session::SessionView;

pub(crate) struct Close;

impl OperationKind for Close {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/close",
            "closeSession",
            "Close the session; its snapshots are kept",
            |_| Ok(Operation::of::<Close>(NoArgs {})),
        )
        .describe(
            "Saves the workspaces that run, and ends their containers; with `destroyOnClose`, destroys them unsaved.",
        )
        .answers::<SessionView>()
        .errors(&[ErrorCode::Conflict, ErrorCode::Unsupported])],
        ..Descriptor::new("close", Needs::Scope(Scope::Admin))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<NoArgs>().describe(
            "Closes the session. Its workspaces are saved and their containers end, or are destroyed with \
             `destroyOnClose`. Its snapshots are kept.",
        ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.close().await?)
    }
}
