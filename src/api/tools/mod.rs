//! Tools that an agent's model calls: lists them, and serves their calls.

pub(crate) mod call_tool;
pub(crate) mod catalogue;
pub(crate) mod list_tools;
pub(crate) mod registry;
#[cfg(all(test, schemas))]
mod schemas;
pub(crate) mod serve;

pub use crate::api::tools::catalogue::{ListedTool, check_selection, is_no_such_tool, list, needs};
pub use crate::api::tools::registry::all;
pub(crate) use crate::api::tools::registry::by_name;
pub use crate::api::tools::serve::{call, check_input};

use crate::api::operation::Entry;

pub(crate) static OPERATIONS: &[&Entry] =
    &[Entry::of::<list_tools::ListTools>(), Entry::of::<call_tool::CallTool>()];
