//! List the last commands.

use crate::api::operation::{
    CURSOR, Call, Descriptor, Method, Operation, OperationKind, PageArgs, Param, ParamKind, Reply,
    Route, Verb, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::CommandPage;

pub(crate) struct ListCommands;

impl OperationKind for ListCommands {
    type Input = PageArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/commands",
            "listCommands",
            "List the commands that ran last, newest first",
            |asked| Ok(Operation::of::<ListCommands>(asked.query()?)),
        )
        .query(&[
            Param {
                name: "limit",
                kind: ParamKind::Count { min: 1, max: u32::MAX as u64 },
                description: "Maximum commands per page. Default and maximum: 50.",
            },
            CURSOR,
        ])
        .describe(
            "Commands, code, and background processes that were started, in all workspaces of the session: how each \
             ended, and the last 4 KiB of its stdout and of its stderr. On the first page, those that run come first. \
             The last 200 that ended are remembered. Values of environment variables are redacted everywhere. Starts \
             no container.",
        )
        .answers::<CommandPage>()],
        ..Descriptor::new("listCommands", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<PageArgs>().describe(
        "Lists the commands and the code that ran last in the session's workspaces, newest first: how each ended, \
         and the last 4 KiB of its stdout and of its stderr. On the first page, those that run come first. The last \
         200 that ended are remembered. Values of environment variables are redacted everywhere. Starts no \
         container.",
    ));

    async fn run(call: Call<'_>, input: PageArgs) -> Result<Reply> {
        answer(&call.session.list_commands(input.limit, input.cursor.as_deref())?)
    }
}
