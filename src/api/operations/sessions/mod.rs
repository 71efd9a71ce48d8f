//! The session itself.

use crate::api::operation::Entry;

pub(crate) mod close;
pub(crate) mod delete;
pub(crate) mod describe;
pub(crate) mod list_events;
pub(crate) mod open;
pub(crate) mod resolve;
pub(crate) mod usage;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<open::Open>(),
    Entry::of::<resolve::Resolve>(),
    Entry::of::<describe::Describe>(),
    Entry::of::<close::Close>(),
    Entry::of::<delete::DeleteSession>(),
    Entry::of::<usage::ShowUsage>(),
    Entry::of::<list_events::ListEvents>(),
];
