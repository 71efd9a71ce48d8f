//! Background processes.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod start;
pub(crate) mod stop;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<start::StartProcess>(),
    Entry::of::<list::ListProcesses>(),
    Entry::of::<log::ReadProcessLog>(),
    Entry::of::<stop::StopProcess>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<start::StartProcess>(),
    ToolEntry::of_operation::<list::ListProcesses>(),
    ToolEntry::of_operation::<log::ReadProcessLog>(),
    ToolEntry::of_operation::<stop::StopProcess>(),
];
