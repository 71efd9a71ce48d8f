//! Session tokens, and tickets that stand for them.

use crate::api::operation::Entry;

pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod revoke;
pub(crate) mod ticket;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<create::CreateToken>(),
    Entry::of::<list::ListTokens>(),
    Entry::of::<revoke::RevokeToken>(),
    Entry::of::<ticket::CreateTicket>(),
];
