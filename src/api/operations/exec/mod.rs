//! Commands, code and scripts.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod commands;
pub(crate) mod run;
pub(crate) mod run_code;
pub(crate) mod script;
pub(crate) mod stream;
pub(crate) mod terminal;
pub(crate) mod watch;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<stream::ExecStream>(),
    Entry::of::<commands::ListCommands>(),
    Entry::of::<terminal::OpenTerminal>(),
    Entry::of::<watch::Watch>(),
    Entry::of::<script::RunScript>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<run::RunCommand>(),
    ToolEntry::of::<run_code::RunCode>(),
    ToolEntry::of_operation::<script::RunScript>(),
];
