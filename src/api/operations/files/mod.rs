//! Files.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod abort_upload;
pub(crate) mod edit;
pub(crate) mod export_tar;
pub(crate) mod finish_upload;
pub(crate) mod glob;
pub(crate) mod grep;
pub(crate) mod import_tar;
pub(crate) mod list;
pub(crate) mod make_dir;
pub(crate) mod read;
pub(crate) mod remove;
pub(crate) mod stat;
pub(crate) mod store_part;
pub(crate) mod write;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<export_tar::ExportTar>(),
    Entry::of::<import_tar::ImportTar>(),
    Entry::of::<store_part::StorePart>(),
    Entry::of::<finish_upload::Finish>(),
    Entry::of::<abort_upload::AbortUpload>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<read::ReadFile>(),
    ToolEntry::of::<write::WriteFile>(),
    ToolEntry::of::<edit::EditFile>(),
    ToolEntry::of::<list::ListFiles>(),
    ToolEntry::of::<glob::FindFiles>(),
    ToolEntry::of::<grep::FindLines>(),
    ToolEntry::of::<stat::Stat>(),
    ToolEntry::of::<make_dir::MakeDir>(),
    ToolEntry::of::<remove::Remove>(),
];
