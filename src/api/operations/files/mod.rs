//! Files.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod archive;
pub(crate) mod read;
pub(crate) mod write;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<archive::ExportTar>(),
    Entry::of::<archive::ImportTar>(),
    Entry::of::<archive::StorePart>(),
    Entry::of::<archive::Finish>(),
    Entry::of::<archive::AbortUpload>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<read::ReadFile>(),
    ToolEntry::of::<write::WriteFile>(),
    ToolEntry::of::<write::EditFile>(),
    ToolEntry::of::<read::ListFiles>(),
    ToolEntry::of::<read::FindFiles>(),
    ToolEntry::of::<read::FindLines>(),
    ToolEntry::of::<read::Stat>(),
    ToolEntry::of::<write::MakeDir>(),
    ToolEntry::of::<write::Remove>(),
];
