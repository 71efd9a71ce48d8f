//! Workspaces.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod list;
pub(crate) mod make;
pub(crate) mod pause;
pub(crate) mod rewind;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<make::Restore>(),
    Entry::of::<make::Branch>(),
    Entry::of::<make::ForkLive>(),
    Entry::of::<rewind::Rewind>(),
    Entry::of::<rewind::Undo>(),
    Entry::of::<make::StartFresh>(),
    Entry::of::<list::Switch>(),
    Entry::of::<list::SwapRef>(),
    Entry::of::<list::ListWorkspaces>(),
    Entry::of::<pause::Pause>(),
    Entry::of::<pause::Resume>(),
    Entry::of::<pause::DestroyWorkspace>(),
    Entry::of::<pause::DestroyContainer>(),
    Entry::of::<list::CopyBetween>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<list::DescribeWorkspace>(),
    ToolEntry::of_operation::<make::Restore>(),
    ToolEntry::of_operation::<make::Branch>(),
    ToolEntry::of_operation::<make::ForkLive>(),
    ToolEntry::of_operation::<rewind::Rewind>(),
    ToolEntry::of_operation::<list::Switch>(),
    ToolEntry::of_operation::<list::ListWorkspaces>(),
    ToolEntry::of_operation::<pause::Pause>(),
    ToolEntry::of_operation::<pause::Resume>(),
    ToolEntry::of_operation::<pause::DestroyWorkspace>(),
    ToolEntry::of_operation::<list::CopyBetween>(),
];
