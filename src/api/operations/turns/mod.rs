//! Turns of the conversation.

use crate::api::operation::descriptor::Entry;
use crate::api::operation::tool::ToolEntry;

pub(crate) mod checkpoint;
pub(crate) mod timeline;

pub(crate) static OPERATIONS: &[&Entry] =
    &[Entry::of::<checkpoint::Checkpoint>(), Entry::of::<timeline::ShowTimeline>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<checkpoint::Checkpoint>(),
    ToolEntry::of_operation::<timeline::ShowTimeline>(),
];
