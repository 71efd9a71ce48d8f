//! Filters of a list of snapshots.

use crate::domain::limits::LABEL_FILTERS_MAX;
use crate::domain::snapshot::labels::LabelFilter;
use crate::domain::time::parse_rfc3339;
use crate::domain::{Error, Result, SnapshotKind, SnapshotSummary};

/// A query for snapshots. Without filters, it finds all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SnapshotQuery {
    /// Only the snapshot with exactly this name.
    pub name: Option<String>,
    /// Only snapshots with all of these labels.
    pub labels: Vec<LabelFilter>,
    /// Only snapshots with this kind of archive.
    pub kind: Option<SnapshotKind>,
    /// Only snapshots made at this time or later, in milliseconds since the epoch.
    pub created_after_ms: Option<i64>,
    /// Only snapshots made before this time, in milliseconds since the epoch.
    pub created_before_ms: Option<i64>,
}

impl SnapshotQuery {
    /// Checks the query.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `labels`.
    pub fn check(&self) -> Result<()> {
        if self.labels.len() > LABEL_FILTERS_MAX {
            return Err(Error::invalid("labels", format!("must be at most {LABEL_FILTERS_MAX}")));
        }
        Ok(())
    }

    /// Whether the query finds this snapshot.
    #[must_use]
    pub fn finds(&self, snapshot: &SnapshotSummary) -> bool {
        let labelled = |filter: &LabelFilter| {
            let value = snapshot.annotations.labels.get(&filter.key);
            value.is_some_and(|value| filter.value.as_deref().is_none_or(|asked| asked == value))
        };
        let created_ms = parse_rfc3339("createdAt", &snapshot.created_at).unwrap_or_default();
        self.name.as_ref().is_none_or(|name| snapshot.annotations.name.as_ref() == Some(name))
            && self.labels.iter().all(labelled)
            && self.kind.is_none_or(|kind| snapshot.kind == Some(kind))
            && self.created_after_ms.is_none_or(|after_ms| created_ms >= after_ms)
            && self.created_before_ms.is_none_or(|before_ms| created_ms < before_ms)
    }
}
