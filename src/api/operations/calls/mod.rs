//! Calls in progress, and recorded ones.

use crate::api::access;
use crate::api::operation::descriptor::Entry;
use crate::domain::error::Result;
use crate::domain::ids::OperationId;
use crate::domain::session::scope::Caller;
use crate::session::Session;

pub(crate) mod cancel;
pub(crate) mod get;
pub(crate) mod list;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<cancel::Cancel>(),
    Entry::of::<get::GetOperation>(),
    Entry::of::<list::ListOperations>(),
];

/// Refuses a caller that may do less than the recorded call. That a call is unknown is for the
/// operation itself to report.
fn may_see(session: &Session, caller: &Caller, id: &OperationId) -> Result<()> {
    match session.recorded(id) {
        Ok(recorded) => caller.check_rights(&access::rights_to(&recorded)?),
        Err(_unknown) => Ok(()),
    }
}
