//! Pools and their containers, in the object's SQLite.

use crate::domain::json::render;
use crate::domain::pools::PoolSpec;
use crate::domain::{ErrorBody, InstanceId, PoolId, Result, SandboxId, SessionId};
use crate::ports::database::{column, json_column, query};
use crate::ports::{Database, Row, SqlValue};
use crate::support::schema_version::migrate;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

const MIGRATIONS: [&[&[&str]]; 1] = [&[TABLES]];

const TABLES: &[&str] = &[
    "CREATE TABLE pools (
        pool_id TEXT PRIMARY KEY,
        spec TEXT NOT NULL,
        size INTEGER NOT NULL,
        used_at_ms INTEGER NOT NULL,
        checked_at_ms INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        retry_at_ms INTEGER NOT NULL,
        problem TEXT
    ) STRICT, WITHOUT ROWID",
    "CREATE TABLE containers (
        sandbox_id TEXT PRIMARY KEY,
        pool_id TEXT NOT NULL,
        state TEXT NOT NULL,
        instance_id TEXT,
        session_id TEXT,
        since_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
];

pub(super) struct Pool {
    pub id: PoolId,
    pub spec: PoolSpec,
    /// How many containers the pool should have.
    pub size: u32,
    /// When a session last asked for a container, in milliseconds since the epoch.
    pub used_at_ms: i64,
    /// When the pool's snapshot and containers were last checked, in milliseconds since the epoch.
    pub checked_at_ms: i64,
    /// How many containers failed to become ready since the last success.
    pub failures: u32,
    /// No container is started for the pool before this time, in milliseconds since the epoch.
    pub retry_at_ms: i64,
    pub problem: Option<ErrorBody>,
}

impl Pool {
    fn read(mut row: Row) -> Result<Self> {
        Ok(Self {
            id: column(&mut row, "pool_id")?,
            spec: json_column(&mut row, "spec")?,
            size: column(&mut row, "size")?,
            used_at_ms: column(&mut row, "used_at_ms")?,
            checked_at_ms: column(&mut row, "checked_at_ms")?,
            failures: column(&mut row, "failures")?,
            retry_at_ms: column(&mut row, "retry_at_ms")?,
            problem: json_column(&mut row, "problem")?,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ContainerState {
    /// The container starts, and its files are being restored.
    Filling,
    /// A session may take the container.
    Ready,
    /// A session has taken the container. The row is kept for a while, for a repeated request.
    Taken,
    /// The container has to be destroyed.
    Ending,
}

impl ContainerState {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Filling => "filling",
            Self::Ready => "ready",
            Self::Taken => "taken",
            Self::Ending => "ending",
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Container {
    pub sandbox_id: SandboxId,
    pub pool_id: PoolId,
    pub state: ContainerState,
    /// The container's disk, once it has the files.
    pub instance_id: Option<InstanceId>,
    /// The session that has taken the container.
    pub session_id: Option<SessionId>,
    /// When the container came into this state, in milliseconds since the epoch.
    pub since_ms: i64,
}

impl Container {
    /// Whether the container counts towards the size of its pool.
    pub(super) const fn is_kept(&self) -> bool {
        matches!(self.state, ContainerState::Filling | ContainerState::Ready)
    }
}

pub(super) struct Store {
    database: Rc<dyn Database>,
}

impl Store {
    pub(super) fn open(database: Rc<dyn Database>) -> Result<Self> {
        migrate(database.as_ref(), &MIGRATIONS)?;
        Ok(Self { database })
    }

    /// The last used pool comes first.
    pub(super) fn pools(&self) -> Result<Vec<Pool>> {
        let sql = "SELECT * FROM pools ORDER BY used_at_ms DESC, pool_id";
        self.database.exec(sql, &[])?.into_iter().map(Pool::read).collect()
    }

    pub(super) fn pool(&self, id: &PoolId) -> Result<Option<Pool>> {
        let sql = "SELECT * FROM pools WHERE pool_id = ?";
        let rows = self.database.exec(sql, &[id.as_str().into()])?;
        rows.into_iter().next().map(Pool::read).transpose()
    }

    pub(super) fn put_pool(&self, pool: &Pool) -> Result<()> {
        let problem = pool.problem.as_ref().map(render).transpose()?;
        let sql = "INSERT OR REPLACE INTO pools
             (pool_id, spec, size, used_at_ms, checked_at_ms, failures, retry_at_ms, problem)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        let params = [
            pool.id.as_str().into(),
            render(&pool.spec)?.to_string().into(),
            i64::from(pool.size).into(),
            pool.used_at_ms.into(),
            pool.checked_at_ms.into(),
            i64::from(pool.failures).into(),
            pool.retry_at_ms.into(),
            problem.map(|problem| problem.to_string()).into(),
        ];
        self.database.exec(sql, &params).map(drop)
    }

    pub(super) fn delete_pool(&self, id: &PoolId) -> Result<()> {
        let sql = "DELETE FROM pools WHERE pool_id = ?";
        self.database.exec(sql, &[id.as_str().into()]).map(drop)
    }

    /// Oldest first.
    pub(super) fn containers(&self) -> Result<Vec<Container>> {
        let sql = "SELECT * FROM containers ORDER BY since_ms, sandbox_id";
        query(self.database.as_ref(), sql, &[])
    }

    pub(super) fn container(&self, id: &SandboxId) -> Result<Option<Container>> {
        let sql = "SELECT * FROM containers WHERE sandbox_id = ?";
        Ok(query(self.database.as_ref(), sql, &[id.as_str().into()])?.pop())
    }

    pub(super) fn put_container(&self, container: &Container) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO containers
             (sandbox_id, pool_id, state, instance_id, session_id, since_ms)
             VALUES (?, ?, ?, ?, ?, ?)";
        let params: [SqlValue; 6] = [
            container.sandbox_id.as_str().into(),
            container.pool_id.as_str().into(),
            container.state.as_str().into(),
            container.instance_id.as_ref().map(InstanceId::as_str).into(),
            container.session_id.as_ref().map(SessionId::as_str).into(),
            container.since_ms.into(),
        ];
        self.database.exec(sql, &params).map(drop)
    }

    pub(super) fn delete_container(&self, id: &SandboxId) -> Result<()> {
        let sql = "DELETE FROM containers WHERE sandbox_id = ?";
        self.database.exec(sql, &[id.as_str().into()]).map(drop)
    }
}
