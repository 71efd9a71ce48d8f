//! Run a command.

use crate::api::operation::{
    CURSOR, Call, Descriptor, ENTERS, EVENT_STREAM, Entry, LogFields, Method, Module, Operation,
    OperationKind, PageArgs, Param, ParamKind, Reply, Resolves, Route, Tool, ToolCall, ToolEntry,
    ToolKind, Verb, answer,
};
use crate::domain::limits::{TOOL_OUTPUT_DEFAULT_BYTES, TOOL_WAIT_DEFAULT_MS};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::ExecResult;
use crate::ports::sandbox::code::RunCodeResult;
use crate::ports::sandbox::exec_event::ExecEvent;
use crate::session::{CommandPage, Placed, RunCodeRequest, RunRequest};

pub(crate) static OPERATIONS: &[&Entry] = &[Entry::of::<ExecStream>(), Entry::of::<ListCommands>()];

pub(crate) static TOOLS: &[&ToolEntry] =
    &[ToolEntry::of::<RunCommand>(), ToolEntry::of::<RunCode>()];

pub(crate) struct RunCommand;

impl ToolKind for RunCommand {
    type Input = RunRequest;
    type Output = Placed<ExecResult>;

    const PAIRS: &'static [&'static str] = &["env"];

    const TEXTS: &'static [&'static str] = &["stdout", "stderr"];

    const TOOL: Tool = Tool {
        name: "workspace_run",
        title: "Run a command",
        module: Module::Shell,
        core: true,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Run a command in the active workspace and wait for it. A string goes to the \
                      shell; a list is a program and its arguments, with no shell. A command that \
                      fails is a result with its exitCode, not an error. A command that still runs \
                      after waitMs becomes the background process leftRunning.process: follow it \
                      with workspace_logs. Redirect long output to a file and read parts of it. \
                      For a server, use workspace_start. leftRunning names programs that the \
                      command left running. If you stop waiting, the command is ended, and \
                      workspace_processes names its log. An idle container is stopped: everything \
                      outside the workspace, such as installed packages, is then lost unless the \
                      session persists the machine.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, mut input: RunRequest) -> Result<Placed<ExecResult>> {
        input.wait_ms.get_or_insert(TOOL_WAIT_DEFAULT_MS);
        input.max_output_bytes.get_or_insert(TOOL_OUTPUT_DEFAULT_BYTES);
        call.abort.step("running the command")?;
        call.session.run_followed(input, call.abort).await
    }
}

/// Run code.
pub(crate) struct RunCode;

impl ToolKind for RunCode {
    type Input = RunCodeRequest;
    type Output = Placed<RunCodeResult>;

    const TEXTS: &'static [&'static str] = &["stdout", "stderr"];

    const TOOL: Tool = Tool {
        name: "workspace_run_code",
        title: "Run code",
        module: Module::Code,
        core: true,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Run Python or JavaScript in the active workspace and wait for it. The code \
                      is the whole program, not a shell command. It runs in the workspace root and \
                      can import modules from there. You get stdout, stderr, the exit code, the \
                      last expression's value (as value if it is JSON, else as valueText), and up \
                      to 3 images of at most 1 MiB each that the code saved in the directory \
                      $OUTPUT_DIR. Only files are kept for the next call. Code that fails is a \
                      result with its traceback in stderr, not an error. JavaScript is a script: \
                      load modules with require or await import(). With await at the top level, \
                      return the value.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, mut input: RunCodeRequest) -> Result<Placed<RunCodeResult>> {
        input.max_output_bytes.get_or_insert(TOOL_OUTPUT_DEFAULT_BYTES);
        call.abort.step("running the code")?;
        call.session.run_code(input).await
    }
}

/// Run a command and stream its output.
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

/// List the last commands.
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
