//! Errors for damaged archives.

use crate::domain::error::{Error, ErrorCode};
use std::fmt::Display;

pub(super) fn damaged(what: impl Display) -> Error {
    Error::new(ErrorCode::Integrity, format!("the archive is damaged: {what}"))
}

pub(super) fn unsupported(what: impl Display) -> Error {
    Error::new(ErrorCode::Unsupported, format!("the archive can't be read in place: {what}"))
        .with_hint("restore or branch it, and read its files there")
}
