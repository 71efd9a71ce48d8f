//! Running and recorded calls.

use crate::api::operation::Entry;

pub(crate) mod cancel;
pub(crate) mod get;
pub(crate) mod list;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<cancel::Cancel>(),
    Entry::of::<get::GetOperation>(),
    Entry::of::<list::ListOperations>(),
];
