//! Whether a caller may do an operation, for every surface.

use crate::api::operation::descriptor::Operation;
use crate::api::operations::sessions::call_tool::CallTool;
use crate::api::{operations, tools};
use crate::domain::call::subject::CallKind;
use crate::domain::error::Result;
use crate::domain::session::scope::{Caller, Needs};
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

/// What a recorded call of this name needs of its caller, and so of who looks at
/// it: an operation's name, or a tool's.
pub(crate) fn needs_of(op: &str) -> Needs {
    operations::by_name(op).map_or_else(|| tools::needs(op), |entry| entry.descriptor.needs)
}

/// Refuses a caller whose token is no longer good, and what a caller may not
/// do.
///
/// # Errors
/// `UNAUTHENTICATED`; `RATE_LIMITED`; `FORBIDDEN` naming the scope that is missing.
pub fn check(session: &Session, caller: &Caller, operation: &Operation) -> Result<()> {
    let descriptor = operation.descriptor();
    // A token that was revoked takes nothing from those who use the session;
    // a call that is refused for its scope costs as much as any, and counts.
    session.authenticate(caller)?;
    if !descriptor.stops {
        session.admit_call()?;
    }
    caller.check(operation.needs())?;
    if takes_snapshot(operation) {
        session.admit_snapshot()?;
    }
    operation.check(session, caller)
}

/// A tool counts as the operation of its kind does.
fn takes_snapshot(operation: &Operation) -> bool {
    let kind = operation.input::<CallTool>().and_then(|args| CallKind::of_tool(&args.name));
    let called = kind.and_then(|kind| operations::by_name(kind.as_str()));
    called.map_or(operation.descriptor(), |entry| entry.descriptor).takes_snapshot
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recording, rates and scopes agree on which operation a call is.
    #[test]
    fn a_tool_of_a_kind_needs_what_the_operation_does() {
        let mut tools = 0;
        for entry in operations::tools() {
            let tool = entry.tool;
            if let Some(kind) = CallKind::of_tool(tool.name) {
                assert_eq!(needs_of(kind.as_str()), Needs::Scope(tool.scope), "{}", tool.name);
                tools += 1;
            }
        }
        assert_eq!(tools, CallKind::ALL.len() - 1, "all but of a token's");
    }

    #[test]
    fn every_call_of_a_kind_is_recorded_by_its_descriptor() {
        for kind in CallKind::ALL {
            assert!(operations::by_name(kind.as_str()).unwrap().descriptor.recorded, "{kind:?}");
        }
    }
}
