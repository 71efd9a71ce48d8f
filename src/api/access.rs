//! Checks whether a caller may do an operation, for every surface.

use crate::api::operation::Operation;
use crate::api::tools;
use crate::api::tools::call_tool::counts_as;
use crate::domain::{Caller, Needs, Result, Rights, Scope};
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

/// The rights that other callers need to act on a call of this caller. A script acts with its
/// caller's scopes, and returns what it read with them.
pub(crate) fn rights(operation: &Operation, caller: &Caller) -> Rights {
    let mut rights = Rights::from(operation.needs());
    if counts_as(operation).acts_as_caller {
        let may = |scope: &Scope| caller.may(Needs::Scope(*scope));
        rights.scopes = script_scopes().filter(may).collect();
    }
    rights
}

/// The scopes that the tools for scripts need.
fn script_scopes() -> impl Iterator<Item = Scope> {
    tools::all().map(|entry| entry.tool).filter(|tool| tool.in_scripts).map(|tool| tool.scope)
}

/// Refuses a caller whose token is no longer valid, a call over the rate limit, and an operation
/// that the caller may not do.
///
/// # Errors
/// `UNAUTHENTICATED`; `RATE_LIMITED`; `FORBIDDEN` naming the missing scope.
pub fn check(session: &Session, caller: &Caller, operation: &Operation) -> Result<()> {
    let descriptor = operation.descriptor();
    // A call with a revoked token does not count against the session's rate. A call that is refused
    // for its scope costs as much as any other, so it counts.
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
    use crate::api::registry;
    use std::collections::BTreeSet;

    /// Recording, rates and scopes agree on the operation of each tool call.
    #[test]
    fn a_tool_needs_what_its_operation_needs() {
        let mut with_tool = BTreeSet::from(["createToken", "importBackup", "undo"]);
        for entry in tools::all() {
            if let Some(operation) = entry.operation {
                assert_eq!(tools::needs(entry.tool.name), operation.needs, "{}", entry.tool.name);
                with_tool.insert(operation.name);
            }
        }
        for entry in registry::all().filter(|entry| entry.descriptor.names_subject) {
            assert!(with_tool.contains(entry.descriptor.name), "{}", entry.descriptor.name);
        }
    }
}
