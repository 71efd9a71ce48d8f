//! List background processes.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Method, Module, Operation, OperationKind, Reply, Route,
    Tool, ToolCall, ToolKind, Verb, WORKSPACE, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::ProcessList;
use crate::session::{ListProcessesRequest, Placed};

pub(crate) struct ListProcesses;

impl OperationKind for ListProcesses {
    type Input = ListProcessesRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/processes",
            "listProcesses",
            "List background processes",
            |asked| Ok(Operation::of::<ListProcesses>(asked.query()?)),
        )
        .query(&[WORKSPACE])
        .describe("Starts no container; without a container, the list is empty. The last 16 that have ended stay listed.")
        .answers::<Placed<ProcessList>>()
        .errors(ENTERS)],
        ..Descriptor::new("listProcesses", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<ListProcessesRequest>().describe(
        "Lists the background processes of a workspace: those that run, and the last 16 that have \
                       ended. Starts no container.",
    ));

    fn log(input: &ListProcessesRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: ListProcessesRequest) -> Result<Reply> {
        answer(&call.session.list_processes(input).await?)
    }
}

impl ToolKind for ListProcesses {
    type Input = ListProcessesRequest;
    type Output = Placed<ProcessList>;

    const TOOL: Tool = Tool {
        name: "workspace_processes",
        title: "List background processes",
        module: Module::Shell,
        scope: Scope::Read,
        description: "List the processes that workspace_start started: their state, exit code, and how much they have \
                      printed. Also left-N, with the output of programs that workspace_run left running, and \
                      aborted-…, with the output of a command whose caller stopped waiting.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ListProcessesRequest) -> Result<Placed<ProcessList>> {
        call.session.list_processes(input).await
    }
}
