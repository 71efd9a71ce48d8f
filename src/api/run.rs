//! Run an operation under its caller's control, and log it.

use crate::api::log_line::Line;
use crate::api::operation::descriptor::Tools;
use crate::api::operation::{Call, Invocation, Operation, Reply, Request};
use crate::api::tools::call_tool::{CallTool, CallToolArgs};
use crate::api::words::Surface;
use crate::api::{access, record, tools};
use crate::domain::{Caller, Error, ErrorCode, InstanceId, Result, ToolSelection};
use crate::ports::random::random_bytes;
use crate::ports::{Clock, Log, Random};
use crate::session::{Abort, Cancellable, Recorded, ScriptTools, Session};
use async_trait::async_trait;
use serde_json::Value;

/// Runs an operation for a caller that accepts only JSON. See [`reply`].
///
/// # Errors
/// The errors of [`reply`], and `UNSUPPORTED` for an operation that answers with a stream.
pub async fn run(
    host: &Session,
    caller: &Caller,
    invocation: Invocation,
    abort: &Abort,
    clock: &dyn Clock,
    log: &dyn Log,
    incident_id: impl FnOnce() -> String,
) -> Result<Value> {
    reply(host, caller, invocation.into(), abort, clock, log, incident_id).await?.value().await
}

/// Runs an operation under its caller's signal, if the caller may do it, and writes its one log
/// line. If the answer is a stream, the line reports only its beginning.
///
/// # Errors
/// `FORBIDDEN` and the other errors of [`access::check`]; the operation's own errors.
/// An `INTERNAL` error carries the incident id of its log line.
pub async fn reply(
    host: &Session,
    caller: &Caller,
    request: Request,
    abort: &Abort,
    clock: &dyn Clock,
    log: &dyn Log,
    incident_id: impl FnOnce() -> String,
) -> Result<Reply> {
    let line = Line::begin(host, caller, &request.invocation.operation, clock);
    let answer = match access::check(host, caller, &request.invocation.operation) {
        Ok(()) => under_control(host, caller, request, abort).await,
        Err(refused) => Err(refused),
    };
    line.end(answer, clock, log, incident_id)
}

async fn under_control(
    host: &Session,
    caller: &Caller,
    request: Request,
    abort: &Abort,
) -> Result<Reply> {
    let Request { invocation, body } = request;
    if invocation.control.aborted {
        abort.abort();
    }
    abort.check()?;
    if record::is_wanted(&invocation) {
        let answer = match host.record(&record::request(caller, &invocation)?, abort).await? {
            Recorded::New(working) => {
                recorded(host, caller, invocation.operation, working, abort).await
            }
            Recorded::Known(known) => record::repeated(host, caller, &known),
        };
        return answer.map(Reply::Value);
    }
    let Invocation { operation, control } = invocation;
    let id = control.operation_id.as_ref();
    let rights = || access::rights(&operation, caller);
    let cancellable = id.map(|id| host.cancellable(id, abort, rights())).transpose();
    let _cancellable = cancellable.map_err(|in_use| record::id_in_use(&control, in_use))?;
    let tools = &CallersTools { session: host, caller };
    host.with_signal(abort, operation.run(Call { session: host, caller, abort, tools, body })).await
}

/// A random id of an incident, by which its log line can be found.
pub(crate) fn incident_id(random: &dyn Random) -> String {
    random_bytes(random).map_or_else(
        |_no_randomness| "unknown".to_owned(),
        |bytes| InstanceId::from_random(bytes).to_string(),
    )
}

/// Runs a recorded call, and records its answer.
pub(crate) async fn recorded(
    host: &Session,
    caller: &Caller,
    operation: Operation,
    working: Cancellable,
    abort: &Abort,
) -> Result<Value> {
    let secret = operation.descriptor().secret;
    let tools = &CallersTools { session: host, caller };
    let call = Call { session: host, caller, abort, tools, body: None };
    let answer = match host.with_signal(abort, operation.run(call)).await {
        Ok(reply) => reply.value().await,
        Err(error) => Err(error),
    };
    // There is no await between the operation's last row and this record: either both are stored,
    // or neither is.
    host.record_end(working.id(), &record::kept(secret, &answer))?;
    answer
}

/// The session's tools for a script, called as if by the script's caller.
pub struct CallersTools<'a> {
    /// The session.
    pub session: &'a Session,
    /// The caller of the script.
    pub caller: &'a Caller,
}

impl Tools for CallersTools<'_> {
    fn check_selection(&self, selection: &ToolSelection) -> Result<()> {
        tools::check_selection(selection)
    }
}

#[async_trait(?Send)]
impl ScriptTools for CallersTools<'_> {
    fn names(&self) -> Vec<&'static str> {
        tools::all().filter_map(|entry| entry.tool.script_name()).collect()
    }

    /// Makes a separate call, which is checked, rate-limited and logged like every other.
    async fn call(&self, name: &str, input: Value, abort: &Abort) -> Result<Value> {
        let tool = tools::all().find(|entry| entry.tool.script_name() == Some(name));
        let Some(tool) = tool else {
            return Err(Error::new(ErrorCode::NotFound, "scripts have no such function")
                .with_hint(format!("workspace has {}", self.names().join(", "))));
        };
        let name = tool.tool.name.to_owned();
        let call = Operation::of::<CallTool>(CallToolArgs { name, input, expected_active: None });
        let ports = self.session.ports();
        let run =
            run(self.session, self.caller, call.into(), abort, &*ports.clock, &*ports.log, || {
                incident_id(&*ports.random)
            });
        Surface::for_model(run.await)
    }
}
