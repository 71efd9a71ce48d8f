//! Leases in both directions: lent by this session, and borrowed by it.

use crate::domain::limits::{CLAIM_LOGGED_MS, CLAIMS_LOGGED_PER_HOUR, FORGOTTEN_AT_ONCE};
use crate::domain::{BackupId, LeaseRequest, Result, SandboxId, SessionId};
use crate::ports::database::{query, values};
use crate::session::catalogue::Catalogue;
use serde::Deserialize;

#[derive(Deserialize)]
struct ClaimsLogged {
    is_known: i64,
    lately: i64,
    omitted: u64,
}

const HOUR_MS: i64 = 3_600_000;

/// Another session's snapshot that a workspace of this session borrows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Borrowed {
    /// The workspace.
    pub sandbox_id: SandboxId,
    /// The snapshot.
    pub backup_id: BackupId,
    /// R2 binding that holds it.
    pub binding: String,
    /// The session that took it.
    pub owner: SessionId,
    /// When to renew the lease with the owner, in milliseconds since the epoch.
    pub renew_at_ms: i64,
}

const BORROWED: &str = "SELECT sandbox_id, backup_id, binding, owner, renew_at_ms FROM borrowed";

impl Catalogue {
    /// Grants or renews a lease.
    pub fn put_lease(&self, lease: &LeaseRequest, reads: bool, until_ms: i64) -> Result<()> {
        self.database.exec(
            "INSERT INTO leases (backup_id, borrower, sandbox_id, reads, until_ms)
             VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (backup_id, borrower, sandbox_id) DO UPDATE SET
                reads = excluded.reads, until_ms = excluded.until_ms",
            &[
                lease.backup_id.as_str().into(),
                lease.borrower.as_str().into(),
                lease.sandbox_id.as_str().into(),
                reads.into(),
                until_ms.into(),
            ],
        )?;
        Ok(())
    }

    /// Ends a lease. Repeating it does nothing.
    pub fn end_lease(&self, lease: &LeaseRequest) -> Result<()> {
        self.database.exec(
            "DELETE FROM leases WHERE backup_id = ? AND borrower = ? AND sandbox_id = ?",
            &[
                lease.backup_id.as_str().into(),
                lease.borrower.as_str().into(),
                lease.sandbox_id.as_str().into(),
            ],
        )?;
        Ok(())
    }

    /// Forgets some expired leases: their borrowers are gone.
    pub fn forget_leases(&self, now_ms: i64) -> Result<()> {
        self.database.exec(
            "DELETE FROM leases WHERE (backup_id, borrower, sandbox_id) IN (
                SELECT backup_id, borrower, sandbox_id FROM leases INDEXED BY leases_by_end
                WHERE until_ms <= ? ORDER BY until_ms LIMIT ?)",
            &[now_ms.into(), FORGOTTEN_AT_ONCE.into()],
        )?;
        Ok(())
    }

    /// When the next lease ends, in milliseconds since the epoch.
    pub fn next_lease_end_ms(&self) -> Result<Option<i64>> {
        let sql = "SELECT until_ms FROM leases ORDER BY until_ms LIMIT 1";
        Ok(values(self.database.as_ref(), sql, &[])?.pop())
    }

    /// The snapshots that are lent. Reads one row per snapshot, however many leases each has.
    pub fn lent(&self, now_ms: i64) -> Result<Vec<BackupId>> {
        values(
            self.database.as_ref(),
            "WITH RECURSIVE lent (id) AS (
                SELECT MIN(backup_id) FROM leases
                UNION ALL
                SELECT (SELECT MIN(backup_id) FROM leases WHERE backup_id > lent.id)
                FROM lent WHERE id IS NOT NULL)
             SELECT id FROM lent
             WHERE id IS NOT NULL AND EXISTS (SELECT 1 FROM leases INDEXED BY leases_by_reading
                WHERE backup_id = lent.id AND reads IN (0, 1) AND until_ms > ?)",
            &[now_ms.into()],
        )
    }

    /// Whether another session reads a snapshot.
    pub fn is_lent_to_read(&self, id: &BackupId, now_ms: i64) -> Result<bool> {
        let rows = self.database.exec(
            "SELECT 1 AS one FROM leases INDEXED BY leases_by_reading
             WHERE backup_id = ? AND reads = 1 AND until_ms > ? LIMIT 1",
            &[id.as_str().into(), now_ms.into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// Whether a snapshot is lent to a session other than `asker`.
    pub fn is_lent_beside(
        &self,
        id: &BackupId,
        asker: Option<&SessionId>,
        now_ms: i64,
    ) -> Result<bool> {
        let rows = self.database.exec(
            "SELECT 1 AS one FROM leases WHERE backup_id = ? AND until_ms > ? AND borrower IS NOT ?
             LIMIT 1",
            &[id.as_str().into(), now_ms.into(), asker.map(SessionId::as_str).into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// Counts a claim. A session's first claim of the day is an event: returns how many claims were
    /// omitted before it. Past the hourly limit of such events, claims are only counted.
    pub fn count_claim(&self, borrower: &SessionId, now_ms: i64) -> Result<Option<u64>> {
        self.database.exec(
            "DELETE FROM claimers WHERE logged_at_ms <= ?",
            &[(now_ms - CLAIM_LOGGED_MS).into()],
        )?;
        let states: Vec<ClaimsLogged> = query(
            self.database.as_ref(),
            "SELECT EXISTS (SELECT 1 FROM claimers WHERE borrower = ?) AS is_known,
                (SELECT COUNT(*) FROM claimers WHERE logged_at_ms > ?) AS lately, omitted_claims AS omitted
             FROM session",
            &[borrower.as_str().into(), (now_ms - HOUR_MS).into()],
        )?;
        let Some(ClaimsLogged { is_known: 0, lately, omitted }) = states.into_iter().next() else {
            return Ok(None);
        };
        if lately >= CLAIMS_LOGGED_PER_HOUR {
            self.database.exec("UPDATE session SET omitted_claims = omitted_claims + 1", &[])?;
            return Ok(None);
        }
        self.database.exec("UPDATE session SET omitted_claims = 0", &[])?;
        self.database.exec(
            "INSERT INTO claimers (borrower, logged_at_ms) VALUES (?, ?)",
            &[borrower.as_str().into(), now_ms.into()],
        )?;
        Ok(Some(omitted))
    }

    /// Records a lease about to be taken.
    pub fn put_borrowed(&self, borrowed: &Borrowed) -> Result<()> {
        self.database.exec(
            "INSERT INTO borrowed (sandbox_id, backup_id, binding, owner, renew_at_ms)
             VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (sandbox_id, backup_id) DO UPDATE SET binding = excluded.binding,
                owner = excluded.owner, renew_at_ms = excluded.renew_at_ms",
            &[
                borrowed.sandbox_id.as_str().into(),
                borrowed.backup_id.as_str().into(),
                borrowed.binding.as_str().into(),
                borrowed.owner.as_str().into(),
                borrowed.renew_at_ms.into(),
            ],
        )?;
        Ok(())
    }

    /// Records that the owner has renewed a lease.
    pub fn set_renewed(&self, borrowed: &Borrowed, renew_at_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE borrowed SET renew_at_ms = ? WHERE sandbox_id = ? AND backup_id = ?",
            &[
                renew_at_ms.into(),
                borrowed.sandbox_id.as_str().into(),
                borrowed.backup_id.as_str().into(),
            ],
        )?;
        Ok(())
    }

    /// Forgets a lease that was returned.
    pub fn drop_borrowed(&self, borrowed: &Borrowed) -> Result<()> {
        self.database.exec(
            "DELETE FROM borrowed WHERE sandbox_id = ? AND backup_id = ?",
            &[borrowed.sandbox_id.as_str().into(), borrowed.backup_id.as_str().into()],
        )?;
        Ok(())
    }

    /// Whether a snapshot is borrowed for a workspace.
    pub fn has_borrowed(&self, borrowed: &Borrowed) -> Result<bool> {
        let rows = self.database.exec(
            "SELECT 1 AS one FROM borrowed WHERE sandbox_id = ? AND backup_id = ?",
            &[borrowed.sandbox_id.as_str().into(), borrowed.backup_id.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// All leases that this session has taken.
    pub fn borrowed(&self) -> Result<Vec<Borrowed>> {
        query(self.database.as_ref(), &format!("{BORROWED} ORDER BY sandbox_id"), &[])
    }
}
