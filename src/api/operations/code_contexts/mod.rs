//! Code contexts: interpreters that keep their variables between calls.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod run;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<create::CreateContext>(),
    Entry::of::<list::ListContexts>(),
    Entry::of::<run::RunInContext>(),
    Entry::of::<delete::DeleteContext>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<create::CreateContext>(),
    ToolEntry::of_operation::<run::RunInContext>(),
    ToolEntry::of_operation::<list::ListContexts>(),
    ToolEntry::of_operation::<delete::DeleteContext>(),
];
