//! Failed work: how often it was tried, and when it is due again.

use crate::domain::Result;
use crate::domain::backoff::pause_ms;
use crate::domain::limits::{RECOVER_AFTER_MS, RETRY_MAX_MS};
use crate::ports::database::query;
use crate::session::catalogue::Catalogue;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Failed work that is put off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How often it has failed in a row.
    pub failures: u32,
    /// When it is due again, in milliseconds since the epoch.
    pub due_ms: i64,
}

#[derive(Deserialize)]
struct StoredRetry {
    subject: String,
    failures: u32,
    due_ms: i64,
}

impl Catalogue {
    /// Failed work by subject.
    pub fn retries(&self) -> Result<BTreeMap<String, Retry>> {
        let sql = "SELECT subject, failures, due_ms FROM retries";
        let rows: Vec<StoredRetry> = query(self.database.as_ref(), sql, &[])?;
        let read =
            |StoredRetry { subject, failures, due_ms }| (subject, Retry { failures, due_ms });
        Ok(rows.into_iter().map(read).collect())
    }

    /// When failed work on a subject is due again, in milliseconds since the epoch.
    pub fn retry_due_ms(&self, subject: &str) -> Result<Option<i64>> {
        let sql = "SELECT subject, failures, due_ms FROM retries WHERE subject = ?";
        let rows: Vec<StoredRetry> = query(self.database.as_ref(), sql, &[subject.into()])?;
        Ok(rows.first().map(|row| row.due_ms))
    }

    /// Puts off work on a subject once more, each time for twice as long.
    pub fn put_off(&self, subject: &str, now_ms: i64) -> Result<Retry> {
        let failed = self.retries()?.get(subject).map_or(0, |retry| retry.failures);
        let pause_ms = pause_ms(failed, RECOVER_AFTER_MS, RETRY_MAX_MS);
        let retry = Retry { failures: failed.saturating_add(1), due_ms: now_ms + pause_ms };
        self.database.exec(
            "INSERT INTO retries (subject, failures, due_ms) VALUES (?, ?, ?)
             ON CONFLICT (subject) DO UPDATE SET
                failures = excluded.failures, due_ms = excluded.due_ms",
            &[subject.into(), i64::from(retry.failures).into(), retry.due_ms.into()],
        )?;
        Ok(retry)
    }

    /// Forgets the failures of a subject: the work is done, or no longer needed.
    pub fn forget_retry(&self, subject: &str) -> Result<()> {
        self.database.exec("DELETE FROM retries WHERE subject = ?", &[subject.into()]).map(drop)
    }
}
