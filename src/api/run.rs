//! Run an operation under its caller's control, and log it.

use crate::api::log_line::Line;
use crate::api::operation::answers::{Cancelled, Destroyed, NamedWorkspace, ToolList};
use crate::api::operation::args::{NoArgs, WorkspacesArgs};
use crate::api::operation::{Invocation, Operation, Reply, Request};
use crate::api::{access, record, tools};
use crate::domain::call::OperationState;
use crate::domain::error::{Error, Result};
use crate::domain::ids::RestoreKind;
use crate::domain::json::render;
use crate::domain::session::scope::Caller;
use crate::ports::clock::Clock;
use crate::ports::log::Log;
use crate::ports::stream::Bytes;
use crate::session::{
    Abort, Cancellable, DeleteOptions, LiveForkRequest, Recorded, Session, SnapshotRequest,
};
use serde_json::Value;

/// Runs an operation for a caller that can take JSON only. See [`reply`].
///
/// # Errors
/// The same, and `UNSUPPORTED` for an operation that answers with a stream.
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

/// Runs an operation under its caller's signal, if the caller may, and writes
/// its one log line. Of an answer that is a stream the line says how it began.
///
/// # Errors
/// `FORBIDDEN`; whatever the operation answers. An `INTERNAL` one carries an incident id
/// that the log line has too.
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
        let answer = match host.record(&record::request(&invocation)?, abort).await? {
            Recorded::New(working) => {
                recorded(host, caller, invocation.operation, working, abort).await
            }
            Recorded::Known(known) => record::repeated(host, &known),
        };
        return answer.map(Reply::Value);
    }
    let Invocation { operation, control } = invocation;
    let id = control.operation_id.as_ref();
    let needs = access::needs(&operation);
    let _cancellable = id.map(|id| host.cancellable(id, abort, needs)).transpose()?;
    dispatch(host, caller, operation, body, abort).await
}

/// Does the work of a recorded call, and records its answer.
pub(crate) async fn recorded(
    host: &Session,
    caller: &Caller,
    operation: Operation,
    working: Cancellable,
    abort: &Abort,
) -> Result<Value> {
    let op = operation.event().to_owned();
    let answer = match dispatch(host, caller, operation, None, abort).await {
        Ok(reply) => reply.value().await,
        Err(error) => Err(error),
    };
    // No await between a last effect that is a row and this: both are stored, or neither.
    host.record_end(working.id(), &record::kept(&op, &answer))?;
    answer
}

async fn dispatch(
    host: &Session,
    caller: &Caller,
    operation: Operation,
    body: Option<Bytes>,
    abort: &Abort,
) -> Result<Reply> {
    let value = match operation {
        Operation::ExecStream(request) => {
            return Ok(Reply::Stream(host.run_streamed(request).await?));
        }
        Operation::Watch(request) => return Ok(Reply::Stream(host.watch(request).await?)),
        Operation::ExportTar(request) => {
            return Ok(Reply::Stream(host.export_tar(request).await?));
        }
        Operation::ImportTar(request) => {
            let archive = body.ok_or_else(|| {
                Error::invalid("stream", "must be a stream of bytes: the archive")
            })?;
            render(&host.import_tar(request, archive).await?)
        }
        Operation::StorePart(part) => {
            let content = body
                .ok_or_else(|| Error::invalid("stream", "must be a stream of bytes: the part"))?;
            render(&host.store_part(part, content).await?)
        }
        Operation::FinishUpload(args) => {
            render(&host.finish_upload(args.upload, args.archive).await?)
        }
        Operation::AbortUpload(args) => render(&host.abort_upload(args.upload).await?),
        Operation::Open(args) => {
            let view = host.open(*args.config).await?;
            host.announce().await;
            render(&view)
        }
        Operation::Resolve(NoArgs {}) => render(&NamedWorkspace { r#ref: host.resolve()? }),
        Operation::Describe(NoArgs {}) => render(&host.describe()?),
        Operation::Close(NoArgs {}) => render(&host.close().await?),
        Operation::StartFresh(NoArgs {}) => {
            render(&NamedWorkspace { r#ref: host.start_fresh().await? })
        }
        Operation::Snapshot(args) => {
            let request = SnapshotRequest {
                name: args.name,
                description: args.description,
                ttl: args.ttl_seconds,
                replace: args.replace,
                labels: args.labels,
                expected_active: args.expected_active,
            };
            render(&host.snapshot(request, abort).await?)
        }
        Operation::Restore(args) => {
            let allow = args.allow_cross_session;
            render(&host.make_workspace(RestoreKind::Restored, &args.r#ref, allow, abort).await?)
        }
        Operation::Branch(args) => {
            let allow = args.allow_cross_session;
            render(&host.make_workspace(RestoreKind::Branch, &args.r#ref, allow, abort).await?)
        }
        Operation::LiveFork(args) => {
            let request =
                LiveForkRequest { count: args.count, expected_active: args.expected_active };
            render(&host.live_fork(&request, abort).await?)
        }
        Operation::Rewind(args) => render(&host.rewind(&args.into(), abort).await?),
        Operation::List(args) => render(&host.list(&args.try_into()?).await?),
        Operation::Get(args) => render(&host.get(&args.r#ref, args.allow_cross_session).await?),
        Operation::Delete(args) => {
            let options =
                DeleteOptions { allow_cross_session: args.allow_cross_session, force: args.force };
            render(&host.delete(&args.r#ref, options).await?)
        }
        Operation::UpdateSnapshot(args) => {
            render(&host.update_snapshot(&args.r#ref, &args.edit).await?)
        }
        Operation::Lineage(NoArgs {}) => render(&host.lineage().await?),
        Operation::Rebuild(args) => {
            render(&host.rebuild(args.cursor.as_deref(), args.limit).await?)
        }
        Operation::PlanRetention(NoArgs {}) => render(&host.plan_retention()?),
        Operation::Retain(NoArgs {}) => render(&host.retain().await?),
        Operation::SwapRef(args) | Operation::Switch(args) => {
            let active = host.switch_from(args.expected_active.as_ref(), &args.r#ref).await?;
            render(&NamedWorkspace { r#ref: active })
        }
        Operation::ListWorkspaces(WorkspacesArgs { containers: false }) => {
            render(&host.list_workspaces().await?)
        }
        Operation::ListWorkspaces(WorkspacesArgs { containers: true }) => {
            render(&host.list_with_containers().await?)
        }
        Operation::Pause(args) => render(&host.pause(args.r#ref.as_ref(), abort).await?),
        Operation::Resume(args) => render(&host.resume(args.r#ref.as_ref(), abort).await?),
        Operation::DestroyWorkspace(args) => render(&host.destroy_workspace(&args.r#ref).await?),
        Operation::DestroyContainer(args) => {
            host.destroy_container(&args.r#ref).await?;
            render(&Destroyed { destroyed: true })
        }
        Operation::Usage(NoArgs {}) => render(&host.usage()?),
        Operation::Prune(request) => render(&host.prune_by_rule(&request).await?),
        Operation::RebuildOwn(request) => render(&host.rebuild_own(request).await?),
        Operation::ListEvents(args) => {
            render(&host.list_events(args.limit, args.cursor.as_deref())?)
        }
        Operation::ListTools(NoArgs {}) => {
            render(&ToolList { tools: tools::list(&host.config()?.modules, caller)? })
        }
        Operation::CallTool(args) => {
            // No await from here to where the tool's operation looks which one is active.
            host.expect_active(args.expected_active.as_ref())?;
            tools::call(host, &args.name, args.input, abort).await
        }
        Operation::Cancel(args) => {
            let state = host.cancel(&args.operation_id)?;
            render(&Cancelled { cancel_requested: state == OperationState::Running, state })
        }
        Operation::GetOperation(args) => render(&host.operation(&args.operation_id)?),
        Operation::ListOperations(args) => {
            render(&host.list_operations(args.limit, args.cursor.as_deref())?)
        }
        Operation::CreateToken(request) => render(&host.create_token(request)?),
        Operation::ListTokens(NoArgs {}) => render(&host.list_tokens()?),
        Operation::RevokeToken(args) => render(&host.revoke_token(&args.token_id)?),
        #[cfg(feature = "test-hooks")]
        #[expect(clippy::panic, reason = "what this operation is for")]
        Operation::Panic(NoArgs {}) => panic!("on purpose"),
        #[cfg(feature = "test-hooks")]
        Operation::Contracts(NoArgs {}) => {
            host.check_contracts().await?;
            render(&serde_json::json!({ "kept": true }))
        }
    };
    value.map(Reply::Value)
}
