//! What each operation needs of its caller: the one table, for every surface.

use crate::api::operation::{FINISH_UPLOAD, Operation};
use crate::api::tools;
use crate::domain::call::subject::CallKind;
use crate::domain::error::Result;
use crate::domain::session::scope::{Caller, Needs, Scope};
use crate::session::Session;
use serde::{Deserialize, Serialize};

/// What the Worker sends to a session's object: who asks, and for what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByCaller<T> {
    /// Whom the Worker has established the caller to be.
    pub caller: Caller,
    /// What it wants.
    pub ask: T,
}

/// What an operation needs. `docs/access.md` shows it.
#[must_use]
pub fn needs(operation: &Operation) -> Needs {
    match operation {
        // They set the policy, and who may come in.
        Operation::Open(_)
        | Operation::CreateToken(_)
        | Operation::ListTokens(_)
        | Operation::RevokeToken(_) => Needs::Trust,
        // It believes what the bucket says of whose a backup is.
        Operation::Rebuild(_) | Operation::RebuildOwn(_) => Needs::Trust,
        // What was not saved is lost, for everyone in the session.
        Operation::DestroyContainer(_) | Operation::Prune(_) => Needs::Trust,
        Operation::Resolve(_)
        | Operation::Describe(_)
        | Operation::List(_)
        | Operation::Get(_)
        | Operation::ExportTar(_)
        | Operation::Watch(_)
        | Operation::ListWorkspaces(_)
        | Operation::Usage(_)
        | Operation::Lineage(_)
        | Operation::PlanRetention(_)
        | Operation::ListEvents(_)
        | Operation::ListOperations(_) => Needs::Scope(Scope::Read),
        // An empty workspace in place of a lost one: nothing is discarded by it.
        Operation::StartFresh(_)
        | Operation::SwapRef(_)
        | Operation::Switch(_)
        // Who runs commands ends processes and starts containers already.
        | Operation::Pause(_)
        | Operation::Resume(_)
        | Operation::ExecStream(_)
        | Operation::ImportTar(_)
        | Operation::StorePart(_)
        | Operation::FinishUpload(_)
        | Operation::AbortUpload(_) => Needs::Scope(Scope::Write),
        Operation::Snapshot(_)
        | Operation::Restore(_)
        | Operation::Branch(_)
        | Operation::LiveFork(_)
        // What it replaces is in a snapshot then: nothing is lost by it.
        | Operation::Rewind(_)
        | Operation::UpdateSnapshot(_)
        // Never the active one: who makes workspaces may also make room for others.
        | Operation::DestroyWorkspace(_)
        | Operation::Retain(_)
        | Operation::Delete(_) => Needs::Scope(Scope::Snapshot),
        Operation::Close(_) => Needs::Scope(Scope::Admin),
        // It tells a caller what that caller may call.
        Operation::ListTools(_) => Needs::Nothing,
        Operation::CallTool(args) => tools::needs(&args.name),
        // What the call needs that is to be cancelled or shown: see `check`.
        Operation::Cancel(_) | Operation::GetOperation(_) => Needs::Nothing,
        #[cfg(feature = "test-hooks")]
        Operation::Panic(_) | Operation::Contracts(_) => Needs::Trust,
    }
}

/// What a recorded call of this name needs of its caller, and so of who looks at it.
fn needs_of(op: &str) -> Needs {
    match CallKind::of_operation(op) {
        Some(
            CallKind::Snapshot
            | CallKind::Restore
            | CallKind::Branch
            | CallKind::LiveFork
            | CallKind::Rewind,
        ) => Needs::Scope(Scope::Snapshot),
        Some(CallKind::CreateToken) => Needs::Trust,
        Some(CallKind::Pause | CallKind::Resume) => Needs::Scope(Scope::Write),
        None if op == FINISH_UPLOAD => Needs::Scope(Scope::Write),
        None => tools::needs(op),
    }
}

/// Whether an operation ends or takes away something: it is served however
/// many calls there are, so that a flood can be stopped.
const fn stops(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Cancel(_)
            | Operation::Close(_)
            | Operation::DestroyWorkspace(_)
            | Operation::DestroyContainer(_)
            | Operation::Prune(_)
            | Operation::RevokeToken(_)
    )
}

fn takes_snapshot(operation: &Operation) -> bool {
    operation.kind().is_some_and(|kind| match kind {
        CallKind::Snapshot | CallKind::LiveFork | CallKind::Rewind | CallKind::Pause => true,
        CallKind::CreateToken | CallKind::Restore | CallKind::Branch | CallKind::Resume => false,
    })
}

/// Refuses a caller whose token is no longer good, and what a caller may not
/// do. A call can be cancelled by whoever may make it: an id is a name that
/// others may guess.
///
/// # Errors
/// `UNAUTHENTICATED`; `RATE_LIMITED`; `FORBIDDEN` naming the scope that is missing.
pub fn check(host: &Session, caller: &Caller, operation: &Operation) -> Result<()> {
    // A token that was revoked takes nothing from those who use the session;
    // a call that is refused for its scope costs as much as any, and counts.
    host.authenticate(caller)?;
    if !stops(operation) {
        host.admit_call()?;
    }
    caller.check(needs(operation))?;
    if takes_snapshot(operation) {
        host.admit_snapshot()?;
    }
    match operation {
        Operation::Cancel(args) => {
            caller.check(host.running(&args.operation_id).unwrap_or(Needs::Nothing))
        }
        // It carries the call's answer, which only who may make the call may see.
        Operation::GetOperation(args) => match host.operation(&args.operation_id) {
            Ok(recorded) => caller.check(needs_of(&recorded.op)),
            Err(_told_by_the_operation) => Ok(()),
        },
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn who_may_make_a_recorded_call_may_see_its_answer() {
        for kind in CallKind::ALL {
            let args = match kind {
                CallKind::Restore | CallKind::Branch | CallKind::Rewind => json!({ "ref": "v1" }),
                CallKind::CreateToken => json!({ "scopes": ["read"] }),
                CallKind::Snapshot | CallKind::LiveFork | CallKind::Pause | CallKind::Resume => {
                    json!({})
                }
            };
            let operation = Operation::parse(kind.as_str(), args).unwrap();
            assert_eq!(operation.kind(), Some(kind));
            assert_eq!(needs_of(kind.as_str()), needs(&operation), "{kind:?}");
        }
    }

    /// Recording, rates and scopes agree on which operation a call is.
    #[test]
    fn a_tool_of_a_kind_needs_what_the_operation_does() {
        let mut tools = 0;
        for (tool, scope) in tools::TOOL_SCOPES {
            if let Some(kind) = CallKind::of_tool(tool) {
                assert_eq!(needs_of(kind.as_str()), Needs::Scope(*scope), "{tool}");
                tools += 1;
            }
        }
        assert_eq!(tools, CallKind::ALL.len() - 1, "all but of a token's");
    }
}
