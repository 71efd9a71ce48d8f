//! Long texts, and bytes that arrive in pieces.

pub mod head_and_tail;
pub mod hex;
pub mod readable;
pub(crate) mod redact;
pub mod tail;
pub mod utf8;
