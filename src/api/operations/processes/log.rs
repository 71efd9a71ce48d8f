//! Read the output of a background process.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Method, Module, Operation, OperationKind, Param,
    ParamKind, Reply, Route, Tool, ToolCall, ToolKind, Verb, WORKSPACE, answer,
};
use crate::domain::arguments::read;
use crate::domain::limits::{
    PROCESS_LOG_READ_MAX_BYTES, PROCESS_LOG_READ_MIN_BYTES, PROCESS_LOG_WAIT_MAX_MS,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::ProcessLog;
use crate::session::{Placed, ReadLogRequest};
use serde_json::{Map, Value, json};

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
        description: "Read what a process of workspace_start printed, stdout and stderr together; by default the \
                      last 16 KiB. To go on, pass nextOffset as offset; waitMs waits for more.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ReadLogRequest) -> Result<Placed<ProcessLog>> {
        call.session.read_process_log(input).await
    }
}
