//! Start a command in the background.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Method, Module, Operation, OperationKind, Reply, Route,
    Tool, ToolCall, ToolKind, Verb, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::ProcessView;
use crate::session::{Placed, StartRequest};

pub(crate) struct StartProcess;

impl OperationKind for StartProcess {
    type Input = StartRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/processes",
            "startProcess",
            "Start a command in the background",
            |asked| Ok(Operation::of::<StartProcess>(asked.body()?)),
        )
        .describe(
            "The rules and the maximum time of commands apply. The process ends with its \
                   container: when the workspace is idle, is paused, or gets another container.",
        )
        .takes::<StartRequest>()
        .answers::<Placed<ProcessView>>()
        .errors(ENTERS)],
        ..Descriptor::new("startProcess", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<StartRequest>()
            .describe("Starts a command in the background of a workspace, by the rules of `execStream`. `CONFLICT` \
                       if a process of this name runs, `QUOTA_EXCEEDED` while 16 run. It ends with the container, \
                       and no snapshot holds it. A rewind ends it if it uses files of the workspace."),
    );

    fn log(input: &StartRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: StartRequest) -> Result<Reply> {
        answer(&call.session.start_process(input).await?)
    }
}

impl ToolKind for StartProcess {
    type Input = StartRequest;
    type Output = Placed<ProcessView>;

    const PAIRS: &'static [&'static str] = &["env"];

    const TOOL: Tool = Tool {
        name: "workspace_start",
        title: "Start a background process",
        module: Module::Shell,
        core: true,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Start a command that goes on running while you work: a server, a watcher, a long build. \
                      Returns at once; workspace_logs shows what it prints. Use workspace_run for a command whose \
                      result you wait for. It ends with its container: no snapshot holds it, and an idle container is \
                      stopped.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: StartRequest) -> Result<Placed<ProcessView>> {
        call.session.start_process(input).await
    }
}
