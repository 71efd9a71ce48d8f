//! Background processes that a workspace starts again.

use crate::domain::json::render;
use crate::domain::session::config::Service;
use crate::domain::{ProcessName, Result, SandboxId};
use crate::ports::database::{column, json_column};
use crate::ports::{Row, SqlValue};
use crate::session::catalogue::Catalogue;
use std::collections::BTreeMap;

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
