//! Run a command and stream its output.

use crate::api::operation::{
    Call, Descriptor, ENTERS, EVENT_STREAM, LogFields, Method, Operation, OperationKind, Reply,
    Resolves, Route, Verb,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::exec_event::ExecEvent;
use crate::session::RunRequest;

pub(crate) struct ExecStream;

impl OperationKind for ExecStream {
    type Input = RunRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/commands",
            "runCommand",
            "Run a command and stream its output",
            |asked| Ok(Operation::of::<ExecStream>(asked.body()?)),
        )
        .describe(
            "Server-Sent Events: first `start`, last `complete` or `error`. If the client goes away, the command ends.",
        )
        .takes::<RunRequest>()
        .streams(EVENT_STREAM)
        .errors(ENTERS)],
        ..Descriptor::new("execStream", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<RunRequest>()
            .at(&["command"])
            .answers::<ExecEvent>()
            .resolves(Resolves::Stream)
            .describe(
                "Runs a command in a workspace and streams its output while it runs: Server-Sent \
             Events, each an `ExecEvent` as JSON, in the form that `parseSSEStream` of \
             `@cloudflare/sandbox` reads. It sends the whole output, as fast as it is read. The \
             rules of `workspace_run` apply; the call rejects if they refuse the command. \
             Cancelling the stream ends the command with its process group; a reader that goes \
             away does the same within seconds. The container does not stop while the stream is \
             read.",
            ),
    );

    fn log(input: &RunRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: RunRequest) -> Result<Reply> {
        Ok(Reply::Stream(call.session.run_streamed(input).await?))
    }
}
