//! Background processes.

use crate::api::operation::{
    Call, Descriptor, ENTERS, Entry, LogFields, Method, Module, Operation, OperationKind, Param,
    ParamKind, Reply, Route, Tool, ToolCall, ToolEntry, ToolKind, Verb, WORKSPACE, answer,
};
use crate::domain::arguments::read;
use crate::domain::limits::{
    PROCESS_LOG_READ_MAX_BYTES, PROCESS_LOG_READ_MIN_BYTES, PROCESS_LOG_WAIT_MAX_MS,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::{ProcessList, ProcessLog, ProcessView};
use crate::session::{ListProcessesRequest, Placed, ReadLogRequest, StartRequest, StopRequest};
use serde_json::{Map, Value, json};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<StartProcess>(),
    Entry::of::<ListProcesses>(),
    Entry::of::<ReadProcessLog>(),
    Entry::of::<StopProcess>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<StartProcess>(),
    ToolEntry::of_operation::<ListProcesses>(),
    ToolEntry::of_operation::<ReadProcessLog>(),
    ToolEntry::of_operation::<StopProcess>(),
];

/// Start a command in the background.
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
        description: "Start a command that runs in the background: a server, a watcher, a long \
                      build. Returns at once; workspace_logs shows its output. To wait for a \
                      result, use workspace_run. Snapshots do not keep the process; it ends with \
                      its container, which stops when idle.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: StartRequest) -> Result<Placed<ProcessView>> {
        call.session.start_process(input).await
    }
}

/// List background processes.
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
        description: "List the processes of workspace_start: state, exit code, and bytes printed. \
                      Also lists left-N (output of programs that workspace_run left running) and \
                      aborted-… (output of a command whose caller stopped waiting).",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ListProcessesRequest) -> Result<Placed<ProcessList>> {
        call.session.list_processes(input).await
    }
}

/// The largest integer that JSON keeps exact everywhere.
const OFFSET_MAX: u64 = (1 << 53) - 1;

const OFFSET: Param = Param {
    name: "offset",
    kind: ParamKind::Count { min: 0, max: OFFSET_MAX },
    description: "nextOffset of the last read. Default: the last maxBytes are read.",
};

const MAX_BYTES: Param = Param {
    name: "maxBytes",
    kind: ParamKind::Count { min: PROCESS_LOG_READ_MIN_BYTES, max: PROCESS_LOG_READ_MAX_BYTES },
    description: "Maximum bytes to read. Default 16384.",
};

const WAIT: Param = Param {
    name: "waitMs",
    kind: ParamKind::Count { min: 0, max: PROCESS_LOG_WAIT_MAX_MS },
    description: "Milliseconds to wait for output after offset. Default 0.",
};

/// Read the output of a background process.
pub(crate) struct ReadProcessLog;

impl OperationKind for ReadProcessLog {
    type Input = ReadLogRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/processes/{process}/log",
            "readProcessLog",
            "Read what a background process printed",
            |asked| {
                let mut fields: Map<String, Value> = asked.query()?;
                fields.insert("name".to_owned(), json!(asked.path("process")?));
                Ok(Operation::of::<ReadProcessLog>(read("query", Value::Object(fields))?))
            },
        )
        .query(&[
            OFFSET,
            MAX_BYTES,
            WAIT,
            WORKSPACE,
        ])
        .describe("stdout and stderr, in the order in which they were printed. To follow it, read from nextOffset \
                   on with waitMs. The last 4 to 8 MiB are kept.")
        .answers::<Placed<ProcessLog>>()
        .errors(ENTERS)],
        ..Descriptor::new("readProcessLog", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<ReadLogRequest>()
            .describe("Reads what a background process printed: stdout and stderr, in order. Without `offset`, the \
                       last bytes. To follow it, read from `nextOffset` on with `waitMs`. The last \
                       4 to 8 MiB are kept; `offset` in the answer is later than requested if that \
                       part was dropped."),
    );

    fn log(input: &ReadLogRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: ReadLogRequest) -> Result<Reply> {
        answer(&call.session.read_process_log(input).await?)
    }
}

impl ToolKind for ReadProcessLog {
    type Input = ReadLogRequest;
    type Output = Placed<ProcessLog>;

    const TEXTS: &'static [&'static str] = &["text"];

    const TOOL: Tool = Tool {
        name: "workspace_logs",
        title: "Read the output of a background process",
        module: Module::Shell,
        core: true,
        scope: Scope::Read,
        description: "Read the output of a workspace_start process, stdout and stderr together; by \
                      default the last 16 KiB. For more, pass nextOffset as offset; waitMs waits \
                      for new output.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ReadLogRequest) -> Result<Placed<ProcessLog>> {
        call.session.read_process_log(input).await
    }
}

/// End a background process.
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
