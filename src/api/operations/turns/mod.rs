//! Turns of the conversation.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod save;
pub(crate) mod timeline;

pub(crate) static OPERATIONS: &[&Entry] =
    &[Entry::of::<save::SaveTurn>(), Entry::of::<timeline::ShowTimeline>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<save::SaveTurn>(),
    ToolEntry::of_operation::<timeline::ShowTimeline>(),
];
