//! Commands, code and scripts.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod run;
pub(crate) mod script;
pub(crate) mod terminal;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<run::ExecStream>(),
    Entry::of::<run::ListCommands>(),
    Entry::of::<terminal::OpenTerminal>(),
    Entry::of::<terminal::Watch>(),
    Entry::of::<script::RunScript>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<run::RunCommand>(),
    ToolEntry::of::<run::RunCode>(),
    ToolEntry::of_operation::<script::RunScript>(),
];
