//! The `Sandbox`'s operations, one file each.
//!
//! One backup or restore of a sandbox runs at a time; everything else runs as it
//! comes. What is in memory here can be lost at any time: the rows of
//! `store` say what must be remembered.

pub(crate) mod active_streams;
pub(crate) mod api;
pub(crate) mod backup;
pub(crate) mod exec;
pub(crate) mod files;
pub(crate) mod machine;
pub(crate) mod response_timeout;
pub(crate) mod scripts;
pub(crate) mod store;
pub(crate) mod watch;

pub use crate::sandbox::backup::upload::TransferSizes;
pub use crate::sandbox::response_timeout::ResponseTimeout;
pub use crate::sandbox::watch::records::{Unreadable, WatchRecord, WatchRecords};

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::ports::bucket::Buckets;
use crate::ports::clock::Clock;
use crate::ports::container::Container;
use crate::ports::database::Database;
use crate::ports::log::{Level, Log, LogLine};
use crate::ports::random::Random;
use crate::sandbox::active_streams::ActiveStreams;
use crate::sandbox::backup::prepared::Prepared;
use crate::sandbox::machine::ensure_running::Machine;
use crate::sandbox::store::Store;
use crate::sandbox::watch::limit::Watches;
use crate::support::fifo_mutex::FifoMutex;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

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
    mutex: FifoMutex,
    /// The archive of the restore that is expected next.
    prepared: RefCell<Option<Prepared>>,
    /// Backups that a call of this object is making, or waits to make.
    making: Rc<RefCell<BTreeSet<BackupId>>>,
    watches: Watches,
    active_streams: ActiveStreams,
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
            mutex: FifoMutex::default(),
            prepared: RefCell::default(),
            making: Rc::default(),
            watches: Watches::default(),
            active_streams: ActiveStreams::default(),
            recovered: Cell::default(),
        })
    }

    /// Comes before each call of an object. See `Machine::keep_running`.
    pub async fn keep_running(&self) {
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
        let binding = crate::domain::session::config::DEFAULT_BACKUP_BINDING;
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
    /// No await in here, nor in `recover_one` between its look and its row: either
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
}
