//! Paused workspaces, and those among them that may still have a container.

use crate::domain::json::render;
use crate::domain::session::config::Service;
use crate::domain::{BackupId, ProcessName, Result, SandboxId};
use crate::ports::database::{column, json_column, values};
use crate::ports::{Row, SqlValue};
use crate::session::catalogue::Catalogue;
use std::collections::BTreeMap;

impl Catalogue {
    /// Records that a workspace is paused, and its container about to be released.
    pub fn set_paused(&self, id: &SandboxId, now_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET paused_at_ms = ?, unreleased = 1 WHERE sandbox_id = ?",
            &[now_ms.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// Records whether a paused workspace may have a container.
    pub fn set_unreleased(&self, id: &SandboxId, unreleased: bool) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET unreleased = ? WHERE sandbox_id = ?",
            &[unreleased.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// Records that a workspace is no longer paused.
    pub fn set_resumed(&self, id: &SandboxId) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET paused_at_ms = NULL, unreleased = 0 WHERE sandbox_id = ?",
            &[id.as_str().into()],
        )?;
        Ok(())
    }

    /// Paused workspaces that may have a container: a pause or resume has no recorded end.
    pub fn unreleased_workspaces(&self) -> Result<Vec<SandboxId>> {
        values(
            self.database.as_ref(),
            "SELECT sandbox_id FROM workspaces INDEXED BY workspaces_live
             WHERE state <> 'destroyed' AND paused_at_ms IS NOT NULL AND unreleased = 1 AND state = 'ready'
             ORDER BY sandbox_id",
            &[],
        )
    }

    /// Whether a workspace is one of [`Self::unreleased_workspaces`].
    pub fn is_unreleased(&self, id: &SandboxId) -> Result<bool> {
        Ok(self.unreleased_workspaces()?.contains(id))
    }
}

/// A process to start again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restart {
    /// Its name, its command, and where it runs.
    pub service: Service,
    /// Its own environment variables.
    pub env: BTreeMap<String, String>,
}

fn read(mut row: Row) -> Result<Restart> {
    let row = &mut row;
    Ok(Restart {
        service: Service {
            name: column(row, "name")?,
            command: json_column(row, "command")?,
            cwd: column(row, "cwd")?,
        },
        env: json_column(row, "env")?,
    })
}

impl Catalogue {
    /// Adds a process to start again.
    pub fn put_restart(&self, id: &SandboxId, restart: &Restart) -> Result<()> {
        let Restart { service, env } = restart;
        let values: [SqlValue; 5] = [
            id.as_str().into(),
            service.name.as_str().into(),
            render(&service.command)?.to_string().into(),
            service.cwd.as_str().into(),
            render(env)?.to_string().into(),
        ];
        self.database
            .exec("INSERT OR REPLACE INTO restarts (sandbox_id, name, command, cwd, env) VALUES (?, ?, ?, ?, ?)", &values)
            .map(drop)
    }

    /// Removes a process that is not to be started again.
    pub fn drop_restart(&self, id: &SandboxId, name: &ProcessName) -> Result<()> {
        let values = [id.as_str().into(), name.as_str().into()];
        let sql = "DELETE FROM restarts WHERE sandbox_id = ? AND name = ?";
        self.database.exec(sql, &values).map(drop)
    }

    /// The processes that a workspace starts again.
    pub fn restarts_of(&self, id: &SandboxId) -> Result<Vec<Restart>> {
        let sql = "SELECT name, command, cwd, env FROM restarts WHERE sandbox_id = ? ORDER BY name";
        self.database.exec(sql, &[id.as_str().into()])?.into_iter().map(read).collect()
    }
}

impl Catalogue {
    /// Records that a clean sandbox is about to get a container.
    pub fn add_clean(&self, id: &SandboxId) -> Result<()> {
        self.database
            .exec("INSERT INTO clean_sandboxes (sandbox_id) VALUES (?)", &[id.as_str().into()])?;
        Ok(())
    }

    /// Records which backup a clean sandbox is about to make.
    pub fn set_clean_backup(&self, id: &SandboxId, backup: &BackupId) -> Result<()> {
        self.database.exec(
            "UPDATE clean_sandboxes SET backup_id = ? WHERE sandbox_id = ?",
            &[backup.as_str().into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// The clean sandboxes that may have a container.
    pub fn clean_sandboxes(&self) -> Result<Vec<SandboxId>> {
        let sql = "SELECT sandbox_id FROM clean_sandboxes ORDER BY sandbox_id";
        values(self.database.as_ref(), sql, &[])
    }

    /// Whether the backup that a clean sandbox makes is still pending.
    pub fn makes_pending(&self, id: &SandboxId) -> Result<bool> {
        let rows = self.database.exec(
            "SELECT 1 AS one FROM clean_sandboxes JOIN snapshots ON snapshots.id = backup_id
             WHERE sandbox_id = ? AND state = 'pending'",
            &[id.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// The clean sandbox that makes a backup, if one does.
    pub fn clean_maker_of(&self, backup: &BackupId) -> Result<Option<SandboxId>> {
        let sql = "SELECT sandbox_id FROM clean_sandboxes WHERE backup_id = ?";
        Ok(values(self.database.as_ref(), sql, &[backup.as_str().into()])?.pop())
    }

    /// Forgets a clean sandbox whose container is destroyed.
    pub fn drop_clean(&self, id: &SandboxId) -> Result<()> {
        self.database
            .exec("DELETE FROM clean_sandboxes WHERE sandbox_id = ?", &[id.as_str().into()])?;
        Ok(())
    }
}
