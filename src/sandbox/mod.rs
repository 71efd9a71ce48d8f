//! The `Sandbox`'s operations, one file each.
//!
//! A sandbox runs one backup or restore at a time; other calls run
//! concurrently. The object can lose its memory at any time, so `store` holds
//! everything that must survive.

pub(crate) mod active_streams;
pub(crate) mod api;
pub(crate) mod archives;
pub(crate) mod backup;
pub(crate) mod checkpoints;
pub(crate) mod contexts;
pub(crate) mod exec;
pub(crate) mod files;
pub(crate) mod machine;
pub(crate) mod processes;
pub(crate) mod response_timeout;
pub(crate) mod scripts;
pub(crate) mod store;
pub(crate) mod trees;
pub(crate) mod watch;

pub use crate::sandbox::backup::upload::TransferSizes;
use crate::sandbox::exec::left::GivenUp;
pub use crate::sandbox::exec::port::PortOptions;
pub use crate::sandbox::machine::egress::ReachedBuckets;
pub use crate::sandbox::response_timeout::ResponseTimeout;
pub use crate::sandbox::watch::records::{Unreadable, WatchRecord, WatchRecords};

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::text::utf8::hex;
use crate::ports::bucket::Buckets;
use crate::ports::clock::Clock;
use crate::ports::container::Container;
use crate::ports::database::Database;
use crate::ports::log::{Level, Log, LogLine};
use crate::ports::random::{Random, random_bytes};
use crate::ports::starts::Starts;
use crate::sandbox::active_streams::ActiveStreams;
use crate::sandbox::backup::prepared::Prepared;
use crate::sandbox::backup::stoppable::Stoppable;
use crate::sandbox::exec::terminal::open::Terminals;
use crate::sandbox::machine::ensure_running::Machine;
use crate::sandbox::machine::permits::Permits;
use crate::sandbox::store::Store;
use crate::sandbox::watch::limit::Watches;
use crate::support::fifo_mutex::FifoMutex;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The ports that the sandbox uses.
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
    /// The queue of starts. None: starts are not limited.
    pub starts: Option<Rc<dyn Starts>>,
}

/// A sandbox: a container, and backups of its directories.
pub struct SandboxService {
    /// Name of the sandbox in log lines.
    label: String,
    ports: SandboxPorts,
    sizes: TransferSizes,
    store: Rc<Store>,
    machine: Rc<Machine>,
    /// Lets one backup or restore run at a time.
    mutex: FifoMutex,
    /// Lets one archive be imported at a time.
    importing: FifoMutex,
    /// The archive of the restore that is expected next.
    prepared: RefCell<Option<Prepared>>,
    /// Backups that a call of this object makes, or waits to make.
    making: Rc<RefCell<BTreeSet<BackupId>>>,
    /// Backups and restores that can be ended.
    stoppable: Stoppable,
    watches: Watches,
    active_streams: ActiveStreams,
    terminals: Rc<Terminals>,
    given_up: GivenUp,
    /// Servers that answered.
    answering: RefCell<BTreeSet<PortOptions>>,
    /// Whether this object has cleaned up the unfinished backups of earlier ones.
    recovered: Cell<bool>,
    /// Number of `destroy` calls. A restore that began before a `destroy` must not write its files.
    destroys: Cell<u64>,
    /// When the allowance for refused requests is full again. See
    /// [`Rate`](crate::domain::session::rate::Rate).
    refused_full_at_us: Cell<i64>,
}

/// Marks a backup as being made until the call ends, however it ends.
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
    /// Creates the sandbox of an object. Starts nothing.
    ///
    /// # Errors
    /// `INTERNAL` if the store cannot be opened.
    pub fn new(label: String, sizes: TransferSizes, ports: SandboxPorts) -> Result<Self> {
        let store = Rc::new(Store::open(ports.database.clone())?);
        let permits = Permits::new(
            label.clone(),
            ports.starts.clone(),
            ports.clock.clone(),
            ports.random.clone(),
            ports.log.clone(),
            store.clone(),
        );
        let machine = Rc::new(Machine::new(
            ports.container.clone(),
            ports.clock.clone(),
            ports.random.clone(),
            store.clone(),
            permits,
        ));
        Ok(Self {
            label,
            ports,
            sizes,
            store,
            machine,
            mutex: FifoMutex::default(),
            importing: FifoMutex::default(),
            prepared: RefCell::default(),
            making: Rc::default(),
            stoppable: Stoppable::default(),
            watches: Watches::default(),
            active_streams: ActiveStreams::default(),
            terminals: Rc::default(),
            given_up: GivenUp::default(),
            answering: RefCell::default(),
            recovered: Cell::default(),
            destroys: Cell::default(),
            refused_full_at_us: Cell::default(),
        })
    }

    /// Runs before each call of the object. See `Machine::keep_running`.
    pub async fn keep_running(&self) {
        if let Err(error) = self.machine.keep_running().await {
            // The call itself fails if the container has a problem.
            self.ports.log.write(LogLine::new(
                Level::Warn,
                "sandbox.wake",
                json!({ "sandbox": self.label, "code": error.code, "cause": error.cause }),
            ));
        }
    }

    /// Runs the contract suite of [`Container`] on this object's container, which
    /// must not run, and that of [`Starts`] if starts are limited.
    ///
    /// # Errors
    /// `INTERNAL` with the broken rule.
    #[cfg(feature = "test-hooks")]
    pub async fn check_container(&self) -> Result<()> {
        let binding = crate::domain::session::config::DEFAULT_BACKUP_BINDING;
        let bucket = self.ports.buckets.open(binding)?;
        let (container, clock) = (self.ports.container.as_ref(), self.ports.clock.as_ref());
        let prefix = "contract-of-container/";
        if let Some(starts) = &self.ports.starts {
            crate::ports::contract::starts(starts.as_ref(), clock.now_ms()).await?;
        }
        crate::ports::contract::container(container, clock, bucket.as_ref(), binding, prefix).await
    }

    fn is_making(&self, id: &BackupId) -> bool {
        self.making.borrow().contains(id)
    }

    /// Reserves an id for a backup.
    ///
    /// No await in here, and none in `recover_one` between its check and its row:
    /// each sees the other's mark.
    fn begin_making(&self, id: &BackupId) -> Result<Making> {
        if self.store.knows(id)? {
            return Err(begun(id));
        }
        self.begin_making_again(id)
    }

    /// Reserves the id of a backup that exists, for another archive of it.
    fn begin_making_again(&self, id: &BackupId) -> Result<Making> {
        if self.is_making(id) {
            return Err(begun(id));
        }
        self.making.borrow_mut().insert(id.clone());
        Ok(Making { id: id.clone(), making: self.making.clone() })
    }

    /// A random part for the names of one call's files in the container.
    fn new_tag(&self) -> Result<String> {
        let tag: [u8; 8] = random_bytes(self.ports.random.as_ref())?;
        Ok(hex(&tag))
    }

    /// Logs a file that could not be removed from the container. The call does
    /// not fail.
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

fn begun(id: &BackupId) -> Error {
    Error::new(ErrorCode::Conflict, format!("a backup {id} was already begun"))
}
