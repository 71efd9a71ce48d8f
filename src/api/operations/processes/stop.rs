//! End a background process.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Method, Module, Operation, OperationKind, Reply, Route,
    Tool, ToolCall, ToolKind, Verb, WORKSPACE, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::ProcessView;
use crate::session::{Placed, StopRequest};

pub(crate) struct StopProcess;

impl OperationKind for StopProcess {
    type Input = StopRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/processes/{process}",
            "stopProcess",
            "End a background process; repeating it succeeds",
            |asked| {
                let (name, workspace) = (asked.path_id("process")?, asked.workspace()?);
                Ok(Operation::of::<StopProcess>(StopRequest { name, workspace }))
            },
        )
        .query(&[WORKSPACE])
        .describe("TERM goes to its process group, and KILL after 5 s. Its log stays.")
        .answers::<Placed<ProcessView>>()
        .errors(ENTERS)],
        ..Descriptor::new("stopProcess", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(Method::takes::<StopRequest>().describe(
        "Ends a background process and all of its process group, by TERM, and by KILL after 5 s. \
                       Resolves once it has ended. Its log stays until its name is used again.",
    ));

    fn log(input: &StopRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: StopRequest) -> Result<Reply> {
        answer(&call.session.stop_process(input).await?)
    }
}

impl ToolKind for StopProcess {
    type Input = StopRequest;
    type Output = Placed<ProcessView>;

    const TOOL: Tool = Tool {
        name: "workspace_stop",
        title: "End a background process",
        module: Module::Shell,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "End a process of workspace_start and what it has started, by TERM, and by KILL after 5 s. Its \
                      log stays. Stopping one that has ended ends what it left running.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: StopRequest) -> Result<Placed<ProcessView>> {
        call.session.stop_process(input).await
    }
}
