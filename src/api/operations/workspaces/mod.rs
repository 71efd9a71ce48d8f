//! Workspaces.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod branch;
pub(crate) mod copy;
pub(crate) mod describe;
pub(crate) mod destroy;
pub(crate) mod destroy_container;
pub(crate) mod list;
pub(crate) mod live_fork;
pub(crate) mod pause;
pub(crate) mod restore;
pub(crate) mod resume;
pub(crate) mod rewind;
pub(crate) mod start_fresh;
pub(crate) mod swap_ref;
pub(crate) mod switch;
pub(crate) mod undo;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<restore::Restore>(),
    Entry::of::<branch::Branch>(),
    Entry::of::<live_fork::ForkLive>(),
    Entry::of::<rewind::Rewind>(),
    Entry::of::<undo::Undo>(),
    Entry::of::<start_fresh::StartFresh>(),
    Entry::of::<switch::Switch>(),
    Entry::of::<swap_ref::SwapRef>(),
    Entry::of::<list::ListWorkspaces>(),
    Entry::of::<pause::Pause>(),
    Entry::of::<resume::Resume>(),
    Entry::of::<destroy::DestroyWorkspace>(),
    Entry::of::<destroy_container::DestroyContainer>(),
    Entry::of::<copy::CopyBetween>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<describe::DescribeWorkspace>(),
    ToolEntry::of_operation::<restore::Restore>(),
    ToolEntry::of_operation::<branch::Branch>(),
    ToolEntry::of_operation::<live_fork::ForkLive>(),
    ToolEntry::of_operation::<rewind::Rewind>(),
    ToolEntry::of_operation::<switch::Switch>(),
    ToolEntry::of_operation::<list::ListWorkspaces>(),
    ToolEntry::of_operation::<pause::Pause>(),
    ToolEntry::of_operation::<resume::Resume>(),
    ToolEntry::of_operation::<destroy::DestroyWorkspace>(),
    ToolEntry::of_operation::<copy::CopyBetween>(),
];
