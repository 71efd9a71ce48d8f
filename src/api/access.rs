//! Whether a caller may do an operation, for every surface.

use crate::api::operation::descriptor::Operation;
use crate::api::{operations, tools};
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
    if operations::counts_as(operation).takes_snapshot {
        session.admit_snapshot()?;
    }
    operation.check(session, caller)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recording, rates and scopes agree on which operation a tool's call is.
    #[test]
    fn a_tool_needs_what_its_operation_needs() {
        for entry in operations::all().filter(|entry| entry.descriptor.names_subject) {
            let (name, needs) = (entry.descriptor.name, entry.descriptor.needs);
            let tool = format!("workspace_{name}");
            if name == "createToken" {
                assert!(operations::tool(&tool).is_none());
            } else {
                assert_eq!(needs_of(&tool), needs, "{tool}");
                assert!(operations::tool(&tool).is_some(), "{tool}");
            }
        }
    }
}
