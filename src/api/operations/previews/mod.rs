//! Previews: links to servers in a workspace's container.

use crate::api::operation::Entry;

pub(crate) mod list;
pub(crate) mod open_port;
pub(crate) mod revoke;
pub(crate) mod share;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<share::SharePreview>(),
    Entry::of::<list::ListPreviews>(),
    Entry::of::<revoke::RevokePreview>(),
    Entry::of::<open_port::OpenPort>(),
];
