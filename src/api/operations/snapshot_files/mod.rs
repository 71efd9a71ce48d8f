//! Files of snapshots. They are read from the bucket.

use crate::api::operation::{Entry, ToolEntry};

mod asked;
pub(crate) mod copy;
pub(crate) mod download;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod stat;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<list::ListFiles>(),
    Entry::of::<read::ReadFile>(),
    Entry::of::<download::DownloadFile>(),
    Entry::of::<stat::StatFile>(),
    Entry::of::<grep::Grep>(),
    Entry::of::<copy::Copy>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[ToolEntry::of_operation::<copy::Copy>()];
