//! Snapshots.

use crate::api::operation::{Entry, ToolEntry};

#[macro_use]
mod described;
pub(crate) mod delete;
pub(crate) mod export;
pub(crate) mod export_backup;
pub(crate) mod flatten;
pub(crate) mod get;
pub(crate) mod import;
pub(crate) mod import_backup;
pub(crate) mod lineage;
pub(crate) mod list;
pub(crate) mod list_events;
pub(crate) mod take;
pub(crate) mod update;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<take::TakeSnapshot>(),
    Entry::of::<list::ListSnapshots>(),
    Entry::of::<get::GetSnapshot>(),
    Entry::of::<list_events::ListSnapshotEvents>(),
    Entry::of::<delete::DeleteSnapshot>(),
    Entry::of::<update::UpdateSnapshot>(),
    Entry::of::<flatten::FlattenSnapshot>(),
    Entry::of::<import::ImportSnapshot>(),
    Entry::of::<import_backup::ImportBackup>(),
    Entry::of::<export::ExportSnapshot>(),
    Entry::of::<export_backup::ExportBackup>(),
    Entry::of::<lineage::ShowLineage>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<take::TakeSnapshot>(),
    ToolEntry::of_operation::<list::ListSnapshots>(),
    ToolEntry::of_operation::<get::GetSnapshot>(),
    ToolEntry::of_operation::<delete::DeleteSnapshot>(),
    ToolEntry::of_operation::<update::UpdateSnapshot>(),
    ToolEntry::of_operation::<lineage::ShowLineage>(),
];
