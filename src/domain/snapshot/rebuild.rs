//! Results of a rebuild of one or all sessions.

use crate::domain::{BackupId, ErrorBody, SessionId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What one page of a rebuild found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rebuilt {
    /// Backups of the bucket that were looked at.
    pub examined: usize,
    /// Backups of this session that are in its catalogue again.
    pub restored: Vec<BackupId>,
    /// Backups that its catalogue already had, in any state.
    pub known: usize,
    /// Backups of other sessions, or of none; left alone.
    pub foreign: usize,
    /// Archives without a commit record, and records without an archive; left alone.
    pub incomplete: usize,
    /// Backups whose record cannot be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ListProblem>,
    /// Where the next page begins. Absent once the bucket has been walked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A backup whose record cannot be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ListProblem {
    /// Its id.
    pub id: BackupId,
    /// Why.
    pub error: ErrorBody,
}

/// Asks a session's object to put its own backups back into its catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RebuildOwn {
    /// The R2 binding of the backups' bucket.
    pub binding: String,
    /// The snapshots' ids.
    pub ids: Vec<BackupId>,
}

/// A page of a rebuild of all sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RebuildPage {
    /// Backups examined.
    pub examined_count: u64,
    /// Backups that are in their sessions' catalogues again.
    pub restored: Vec<RestoredBackup>,
    /// Backups that their sessions' catalogues already had, in any state.
    pub known_count: u64,
    /// Backups left alone: of no session, incomplete, or of a session with another bucket.
    pub left_alone_count: u64,
    /// Sessions with backups on this page that were never opened, or have lost
    /// their storage. Open them, and rebuild again.
    pub unopened: BTreeSet<SessionId>,
    /// Backups that could not be read or put back. The next walk tries again.
    pub problems: Vec<RebuildProblem>,
    /// Where the next page begins. Absent once every bucket has been walked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A backup that is in its session's catalogue again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct RestoredBackup {
    /// Its id.
    pub id: BackupId,
    /// The R2 binding that it was found by.
    pub binding: String,
    /// Its session.
    pub session: SessionId,
}

/// A backup that could not be looked at or put back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct RebuildProblem {
    /// Its id.
    pub id: BackupId,
    /// The session that its record names, if any.
    pub session: Option<SessionId>,
    /// Why.
    pub error: ErrorBody,
}
