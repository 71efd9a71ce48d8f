//! Errors for damaged archives.

use crate::domain::error::{Error, ErrorCode, Next, Result};
use std::fmt::Display;

pub(super) fn damaged(what: impl Display) -> Error {
    Error::new(ErrorCode::Integrity, format!("the archive is damaged: {what}"))
}

/// The error for an archive whose extraction would do harm.
pub(super) fn refused(path: &[u8], what: impl Display) -> Error {
    let path = String::from_utf8_lossy(path);
    Error::new(ErrorCode::Integrity, format!("the archive is refused: {path}: {what}"))
}

pub(super) fn unsupported(what: impl Display) -> Error {
    Error::new(ErrorCode::Unsupported, format!("the archive can't be read in place: {what}"))
        .with_hint(Next::ImportBackup)
}

/// Adds to an error which archive is damaged.
pub(super) fn named<T>(name: &str, result: Result<T>) -> Result<T> {
    result.map_err(|mut error| {
        if matches!(error.code, ErrorCode::Integrity | ErrorCode::Unsupported) {
            error.message = format!("{name}: {}", error.message);
        }
        error
    })
}
