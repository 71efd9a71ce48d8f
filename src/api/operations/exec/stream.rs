//! Run a command and stream its output.

use crate::api::http::route::{ENTERS, EVENT_STREAM};
use crate::api::http::{Route, Verb};
use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};
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
            "Server-Sent Events: first `start`, last `complete` or `error`. A client that goes away ends the command.",
        )
        .takes::<RunRequest>()
        .streams(EVENT_STREAM)
        .errors(ENTERS)],
        ..Descriptor::new("execStream", Needs::Scope(Scope::Write))
    };

    async fn run(call: Call<'_>, input: RunRequest) -> Result<Reply> {
        Ok(Reply::Stream(call.session.run_streamed(input).await?))
    }
}
