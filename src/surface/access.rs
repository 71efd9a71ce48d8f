//! What each operation needs of its caller: the one table, for every surface.

use super::operation::Operation;
use crate::domain::error::Result;
use crate::domain::scope::{Caller, Needs, Scope};
use crate::tools;
use crate::usecases::host::Host;
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
        Operation::Rebuild(_) => Needs::Trust,
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
        | Operation::ImportTar(_) => Needs::Scope(Scope::Write),
        Operation::Snapshot(_)
        | Operation::Restore(_)
        | Operation::Branch(_)
        | Operation::Fork(_)
        // What it replaces is in a snapshot then: nothing is lost by it.
        | Operation::Rewind(_)
        | Operation::UpdateSnapshot(_)
        | Operation::Retain(_)
        | Operation::Delete(_) => Needs::Scope(Scope::Snapshot),
        Operation::Close(_) | Operation::DestroyWorkspace(_) => Needs::Scope(Scope::Admin),
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
    match op {
        "snapshot" | "restore" | "branch" | "fork" | "rewind" => Needs::Scope(Scope::Snapshot),
        "createToken" => Needs::Trust,
        "pause" | "resume" => Needs::Scope(Scope::Write),
        tool => tools::needs(tool),
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
    match operation {
        Operation::Snapshot(_)
        | Operation::Fork(_)
        | Operation::Rewind(_)
        | Operation::Pause(_) => true,
        Operation::CallTool(args) => {
            matches!(
                args.name.as_str(),
                "workspace_snapshot" | "workspace_fork" | "workspace_rewind" | "workspace_pause"
            )
        }
        _ => false,
    }
}

/// Refuses a caller whose token is no longer good, and what a caller may not
/// do. A call can be cancelled by whoever may make it: an id is a name that
/// others may guess.
///
/// # Errors
/// `UNAUTHENTICATED`; `RATE_LIMITED`; `FORBIDDEN` naming the scope that is missing.
pub fn check(host: &Host, caller: &Caller, operation: &Operation) -> Result<()> {
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
        for (op, args) in [
            ("snapshot", json!({})),
            ("restore", json!({ "ref": "v1" })),
            ("branch", json!({ "ref": "v1" })),
            ("fork", json!({})),
            ("rewind", json!({ "ref": "v1" })),
            ("createToken", json!({ "scopes": ["read"] })),
            ("pause", json!({})),
            ("resume", json!({})),
        ] {
            let call = json!({ "op": op, "args": args });
            let operation: Operation = serde_json::from_value(call).unwrap();
            assert_eq!(needs_of(op), needs(&operation), "{op}");
        }
    }
}
