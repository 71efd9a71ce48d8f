//! The `Sandbox`'s operations, one file each.
//!
//! Backups and restores of a sandbox take turns; everything else runs as it
//! comes. What is in memory here can be lost at any time: the rows of
//! `store` say what must be remembered.

mod archive;
mod configure;
mod create_backup;
mod destroy;
mod ensure_running;
mod exec;
mod files;
mod list_files;
mod restore_backup;
mod scripts;
mod settle_backup;
mod store;
mod turns;
mod upload;

pub use upload::TransferSizes;

use crate::domain::backup::BackupHandle;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, InstanceId};
use crate::domain::path::AbsolutePath;
use crate::ports::bucket::Buckets;
use crate::ports::clock::Clock;
use crate::ports::container::Container;
use crate::ports::database::Database;
use crate::ports::log::{Level, Log, LogLine};
use crate::ports::random::Random;
use crate::ports::sandbox::{
    BackupProgress, CommandLine, ConfigureOptions, CreateBackupOptions, ExecOptions, ExecResult,
    FileOptions, ListFilesResult, ReadFileResult, RestoreBackupOptions, RestoreBackupResult,
    SandboxApi,
};
use async_trait::async_trait;
use ensure_running::Machine;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::Future;
use std::rc::Rc;
use store::Store;
use turns::Turns;

/// What the sandbox needs from the world.
#[derive(Clone)]
pub struct SandboxPorts {
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Randomness.
    pub random: Rc<dyn Random>,
    /// Log lines.
    pub log: Rc<dyn Log>,
    /// The object's SQLite.
    pub database: Rc<dyn Database>,
    /// R2.
    pub buckets: Rc<dyn Buckets>,
    /// The object's container.
    pub container: Rc<dyn Container>,
}

/// One sandbox: a container, and backups of its directories.
pub struct SandboxService {
    /// What log lines call it.
    label: String,
    ports: SandboxPorts,
    sizes: TransferSizes,
    store: Rc<Store>,
    machine: Rc<Machine>,
    /// Backups and restores, one at a time.
    turns: Turns,
    /// Backups that a call of this object is making, or waits to make.
    making: Rc<RefCell<BTreeSet<BackupId>>>,
    /// Whether what an earlier object left unfinished has been cleaned up.
    recovered: Cell<bool>,
}

/// Forgets that a backup is being made when the call ends, however it ends.
struct Making {
    id: BackupId,
    making: Rc<RefCell<BTreeSet<BackupId>>>,
}

impl Drop for Making {
    fn drop(&mut self) {
        self.making.borrow_mut().remove(&self.id);
    }
}

impl SandboxService {
    /// The sandbox of an object. Starts nothing.
    ///
    /// # Errors
    /// `INTERNAL` where the store cannot be opened.
    pub fn new(label: String, sizes: TransferSizes, ports: SandboxPorts) -> Result<Self> {
        let store = Rc::new(Store::open(ports.database.clone())?);
        let machine = Rc::new(Machine::new(
            ports.container.clone(),
            ports.clock.clone(),
            ports.random.clone(),
            store.clone(),
        ));
        Ok(Self {
            label,
            ports,
            sizes,
            store,
            machine,
            turns: Turns::default(),
            making: Rc::default(),
            recovered: Cell::default(),
        })
    }

    /// Comes before each call of an object. See `Machine::keep_running`.
    pub async fn wake(&self) {
        if let Err(error) = self.machine.keep_running().await {
            // The call itself finds out what is wrong with the container.
            self.ports.log.write(LogLine::new(
                Level::Warn,
                "sandbox.wake",
                json!({ "sandbox": self.label, "code": error.code, "cause": error.cause }),
            ));
        }
    }

    /// Runs the contract of [`Container`] on this object's, which must not run.
    ///
    /// # Errors
    /// `INTERNAL` naming the rule that is broken.
    #[cfg(feature = "test-hooks")]
    pub async fn check_container(&self) -> Result<()> {
        let binding = crate::domain::config::DEFAULT_BACKUP_BINDING;
        let bucket = self.ports.buckets.open(binding)?;
        let (container, clock) = (self.ports.container.as_ref(), self.ports.clock.as_ref());
        let prefix = "contract-of-container/";
        crate::ports::contract::container(container, clock, bucket.as_ref(), binding, prefix).await
    }

    fn is_making(&self, id: &BackupId) -> bool {
        self.making.borrow().contains(id)
    }

    /// Takes an id for a backup.
    ///
    /// No await in here, nor in `settle` between its look and its row: either
    /// sees the other's mark.
    fn begin_making(&self, id: &BackupId) -> Result<Making> {
        if self.is_making(id) || self.store.knows(id)? {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("a backup {id} is being made, or was, or was given up"),
            ));
        }
        self.making.borrow_mut().insert(id.clone());
        Ok(Making { id: id.clone(), making: self.making.clone() })
    }

    /// A file that could not be removed from the container is worth a line, not a failure.
    fn note_leftover(&self, error: Option<Error>) {
        if let Some(error) = error {
            self.ports.log.write(LogLine::new(
                Level::Warn,
                "sandbox.leftover",
                json!({ "sandbox": self.label, "code": error.code, "cause": error.cause }),
            ));
        }
    }

    /// Runs an operation and writes its one line.
    async fn observed<T>(
        &self,
        event: &str,
        work: impl Future<Output = Result<T>>,
        facts: impl FnOnce(&T) -> Value,
    ) -> Result<T> {
        let began_ms = self.ports.clock.now_ms();
        let result = work.await;
        let took_ms = self.ports.clock.now_ms().saturating_sub(began_ms);
        let (level, outcome, fields) = match &result {
            Ok(value) => (Level::Info, "ok".to_owned(), facts(value)),
            Err(error) => {
                let level = if is_callers(error.code) { Level::Info } else { Level::Error };
                (level, error.code.to_string(), json!({ "cause": error.cause }))
            }
        };
        let mut line = LogLine::new(level, event, fields);
        line.fields.insert("sandbox".to_owned(), json!(self.label));
        line.fields.insert("outcome".to_owned(), json!(outcome));
        line.fields.insert("durationMs".to_owned(), json!(took_ms));
        self.ports.log.write(line);
        result
    }
}

/// Whether an error is about the call rather than about the sandbox.
const fn is_callers(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::InvalidArgument
            | ErrorCode::NotFound
            | ErrorCode::Conflict
            | ErrorCode::WorkspaceLost
            | ErrorCode::TooLarge
            | ErrorCode::SnapshotExpired
            | ErrorCode::SnapshotGone
            | ErrorCode::Unsupported
    )
}

fn no_facts<T>(_result: &T) -> Value {
    json!({})
}

#[async_trait(?Send)]
impl SandboxApi for SandboxService {
    async fn configure(&self, options: ConfigureOptions) -> Result<()> {
        self.observed("sandbox.configure", self.set_configuration(options), no_facts).await
    }

    async fn ensure_running(&self) -> Result<InstanceId> {
        let facts = |instance: &InstanceId| json!({ "instance": instance });
        self.observed("sandbox.ensure_running", self.machine.ensure_running(), facts).await
    }

    async fn is_running(&self) -> Result<bool> {
        Ok(self.machine.is_running())
    }

    async fn destroy(&self) -> Result<()> {
        self.observed("sandbox.destroy", self.destroy_container(), no_facts).await
    }

    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle> {
        let (handle, _meta) = self
            .observed(
                "sandbox.create_backup",
                self.make_backup(options),
                |(handle, meta)| json!({ "backup": handle.id, "sizeBytes": meta.size_bytes }),
            )
            .await?;
        Ok(handle)
    }

    async fn restore_backup(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult> {
        let (result, _meta) = self
            .observed(
                "sandbox.restore_backup",
                self.restore(handle, options),
                |(result, meta)| json!({ "backup": result.id, "sizeBytes": meta.size_bytes }),
            )
            .await?;
        Ok(result)
    }

    async fn settle_backup(&self, id: BackupId) -> Result<BackupProgress> {
        let facts = |progress: &BackupProgress| json!({ "progress": progress });
        self.observed("sandbox.settle_backup", self.settle(id), facts).await
    }

    async fn exec(&self, command: CommandLine, options: ExecOptions) -> Result<ExecResult> {
        self.observed(
            "sandbox.exec",
            self.run_command(command, options),
            |result| json!({ "exitCode": result.exit_code, "timedOut": result.timed_out }),
        )
        .await
    }

    async fn read_file(&self, path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult> {
        let facts = |result: &ReadFileResult| json!({ "sizeBytes": result.size });
        self.observed("sandbox.read_file", self.read(&path, &options), facts).await
    }

    async fn write_file(
        &self,
        path: AbsolutePath,
        content: String,
        options: FileOptions,
    ) -> Result<()> {
        self.observed("sandbox.write_file", self.write(&path, content, &options), no_facts).await
    }

    async fn mkdir(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.observed("sandbox.mkdir", self.make_dir(&path, &options), no_facts).await
    }

    async fn list_files(
        &self,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ListFilesResult> {
        let facts = |result: &ListFilesResult| json!({ "files": result.files.len() });
        self.observed("sandbox.list_files", self.list(&path, &options), facts).await
    }

    async fn delete_file(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.observed("sandbox.delete_file", self.delete(&path, &options), no_facts).await
    }

    async fn exists(&self, path: AbsolutePath, options: FileOptions) -> Result<bool> {
        self.observed("sandbox.exists", self.has(&path, &options), no_facts).await
    }
}
