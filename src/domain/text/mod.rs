//! Long texts, and bytes that arrive in pieces.

pub mod readable;
pub(crate) mod redact;
pub mod tail;
pub mod utf8;
