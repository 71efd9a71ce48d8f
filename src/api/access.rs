//! Checks whether a caller may do an operation, for every surface.

use crate::api::operation::descriptor::Operation;
use crate::api::operations::sessions::call_tool::counts_as;
use crate::api::{operations, tools};
use crate::domain::call::RecordedCall;
use crate::domain::error::Result;
use crate::domain::session::scope::{Caller, Needs, Rights, Scope, Scopes};
use crate::session::Session;
use serde::{Deserialize, Serialize};

/// A request from the Worker to a session's object, with its caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByCaller<T> {
    /// The caller, as the Worker established it.
    pub caller: Caller,
    /// The request.
    pub ask: T,
}

/// What others need for a call of this caller. A script acts with its caller's scopes, and
/// returns what it read with them.
pub(crate) fn rights(operation: &Operation, caller: &Caller) -> Rights {
    let mut rights = Rights::from(operation.needs());
    if counts_as(operation).acts_as_caller {
        let may = |scope: &Scope| caller.may(Needs::Scope(*scope));
        rights.scopes = script_scopes().filter(may).collect();
    }
    rights
}

/// What others need for a recorded call.
///
/// # Errors
/// `INTERNAL` if the store is damaged.
pub(crate) fn rights_to(recorded: &RecordedCall) -> Result<Rights> {
    let mut rights = Rights::from(needs_of(&recorded.op));
    rights.scopes = match recorded.scopes()? {
        Some(scopes) => scopes,
        // An earlier version recorded it, and nothing tells whose script it was.
        None if acts_as_caller(&recorded.op) => script_scopes().collect(),
        None => Scopes::default(),
    };
    Ok(rights)
}

/// The scopes that the tools need which scripts may call.
fn script_scopes() -> impl Iterator<Item = Scope> {
    operations::tools()
        .map(|entry| entry.tool)
        .filter(|tool| tool.in_scripts)
        .map(|tool| tool.scope)
}

/// Whether a call that is recorded as `op` acts as its caller.
fn acts_as_caller(op: &str) -> bool {
    let descriptor = operations::tool(op).map_or_else(
        || operations::by_name(op).map(|entry| entry.descriptor),
        |entry| entry.operation,
    );
    descriptor.is_some_and(|descriptor| descriptor.acts_as_caller)
}

/// What a caller needs to make a recorded call. `op` is an operation's name or a tool's.
fn needs_of(op: &str) -> Needs {
    operations::by_name(op).map_or_else(|| tools::needs(op), |entry| entry.descriptor.needs)
}

/// Refuses a caller whose token is no longer valid, a call over the rate, and an
/// operation that the caller may not do.
///
/// # Errors
/// `UNAUTHENTICATED`; `RATE_LIMITED`; `FORBIDDEN` naming the scope that is missing.
pub fn check(session: &Session, caller: &Caller, operation: &Operation) -> Result<()> {
    let descriptor = operation.descriptor();
    // A call with a revoked token does not count against the session's rate.
    // A call refused for its scope costs as much as any other, so it counts.
    session.authenticate(caller)?;
    if descriptor.needs == Needs::Port {
        session.admit_visit()?;
    } else if !descriptor.stops {
        session.admit_call()?;
    }
    caller.check(operation.needs())?;
    if counts_as(operation).takes_snapshot {
        session.admit_snapshot()?;
    }
    operation.check(session, caller)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Recording, rates and scopes agree on which operation a tool's call is.
    #[test]
    fn a_tool_needs_what_its_operation_needs() {
        let mut with_tool = BTreeSet::from(["createToken", "importBackup"]);
        for entry in operations::tools() {
            if let Some(operation) = entry.operation {
                assert_eq!(needs_of(entry.tool.name), operation.needs, "{}", entry.tool.name);
                with_tool.insert(operation.name);
            }
        }
        for entry in operations::all().filter(|entry| entry.descriptor.names_subject) {
            assert!(with_tool.contains(entry.descriptor.name), "{}", entry.descriptor.name);
        }
    }
}
