//! The `AgentHost`'s operations, one file each.
//!
//! Every multi-step operation persists a row that says what it is about to do,
//! and an alarm to look at it, before its first effect. `recover` finishes or
//! cleans up what a crash left.

pub(crate) mod autosave;
pub(crate) mod calls;
pub mod catalogue;
#[cfg(feature = "test-hooks")]
pub(crate) mod contracts;
pub(crate) mod earliest_alarm;
pub(crate) mod exec;
pub(crate) mod files;
pub(crate) mod in_use;
pub(crate) mod leases;
pub(crate) mod loaded_session;
pub(crate) mod locks;
pub(crate) mod quotas;
pub(crate) mod rate_limits;
pub(crate) mod recovery;
pub(crate) mod sessions;
pub(crate) mod snapshots;
pub(crate) mod workspaces;

pub use crate::session::calls::recorded::{OperationPage, RecordRequest, Recorded};
pub use crate::session::calls::running::{Abort, Cancellable, Progress};
pub use crate::session::exec::run::RunRequest;
pub use crate::session::exec::run_code::RunCodeRequest;
pub use crate::session::files::{
    AbortedUpload, ArchiveRequest, EditFileRequest, EditedFile, FindFilesRequest, FindLinesRequest,
    FinishUpload, FoundFileList, FoundLineList, ListFilesRequest, ListedEntry, ListedFiles,
    MadeDir, MakeDirRequest, ReadFileRequest, RemoveRequest, Removed, StatRequest, StatView,
    StoredPart, WatchRequest, WriteFileRequest, WrittenFile,
};
pub use crate::session::loaded_session::read_only;
pub use crate::session::recovery::retention::{DecisionView, RetentionPolicyView, RetentionReport};
pub use crate::session::recovery::retry_alarm::Alarms;
pub use crate::session::sessions::describe::{SessionStatus, SessionView};
pub use crate::session::sessions::events::EventPage;
pub use crate::session::sessions::lineage::Lineage;
pub use crate::session::sessions::tokens::{
    CreatedToken, Revoked, TokenList, TokenRequest, TokenView,
};
pub use crate::session::snapshots::delete::{DeleteOptions, Deleted};
pub use crate::session::snapshots::get::SnapshotView;
pub use crate::session::snapshots::list::{ListRequest, ListedSnapshot, SnapshotPage};
pub use crate::session::snapshots::take::SnapshotRequest;
pub use crate::session::snapshots::update::{SnapshotEdit, present};
pub use crate::session::workspaces::describe::{ModulesView, WorkspaceLimits, WorkspaceView};
pub use crate::session::workspaces::destroy::DestroyedWorkspace;
pub use crate::session::workspaces::live_fork::{LiveFork, LiveForkRequest, LiveForks};
pub use crate::session::workspaces::make::MadeWorkspace;
pub use crate::session::workspaces::pause::Paused;
pub use crate::session::workspaces::resume::Resumed;
pub use crate::session::workspaces::rewind::{RewindRequest, Rewound};
pub use crate::session::workspaces::switch::WorkspaceList;
pub use crate::session::workspaces::wake::Woken;

use crate::domain::error::Result;
use crate::domain::ids::{BackupId, SandboxId, SessionId};
use crate::domain::limits::SWEEP_EVERY_MS;
use crate::domain::snapshot::retention::RetentionPolicy;
use crate::ports::alarm::Alarm;
use crate::ports::bucket::Buckets;
use crate::ports::clock::Clock;
use crate::ports::database::{Database, SEQ_MAX};
use crate::ports::directory::Directory;
use crate::ports::log::Log;
use crate::ports::random::Random;
use crate::ports::sandbox::Sandboxes;
use crate::ports::sessions::Sessions;
use crate::session::autosave::{Tended, Unsaved};
use crate::session::calls::running::Cancellations;
use crate::session::catalogue::Catalogue;
use crate::session::earliest_alarm::EarliestAlarm;
use crate::session::files::Watchers;
use crate::session::in_use::{InUse, InUseGuard};
use crate::session::loaded_session::{LoadedSession, module_missing};
use crate::session::locks::WorkspaceLocks;
use crate::session::rate_limits::ClaimBuckets;
use crate::session::recovery::agenda::Agenda;
use crate::support::fifo_mutex::KeyedMutex;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What the host needs from the world.
#[derive(Clone)]
pub struct HostPorts {
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Randomness.
    pub random: Rc<dyn Random>,
    /// Log lines.
    pub log: Rc<dyn Log>,
    /// The object's SQLite.
    pub database: Rc<dyn Database>,
    /// The object's alarm.
    pub alarm: Rc<dyn Alarm>,
    /// R2.
    pub buckets: Rc<dyn Buckets>,
    /// The sandbox namespace.
    pub sandboxes: Rc<dyn Sandboxes>,
    /// The directory of sessions.
    pub directory: Rc<dyn Directory>,
    /// Other sessions.
    pub sessions: Rc<dyn Sessions>,
}

/// What the Worker was configured with.
#[derive(Clone)]
pub struct HostSettings {
    /// R2 bindings that a config may name beside the default.
    pub backup_bindings: Vec<String>,
    /// The secret `TOKEN_KEYS`, unread.
    pub token_keys: Option<String>,
    /// What a session's retention policy does not say.
    pub retention: RetentionPolicy,
    /// Before R2 is asked again whether it has a snapshot.
    pub sweep_every_ms: i64,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            backup_bindings: Vec::new(),
            token_keys: None,
            retention: RetentionPolicy::default(),
            sweep_every_ms: SWEEP_EVERY_MS,
        }
    }
}

/// One agent session: its workspaces, its snapshots, and what may be done with them.
pub struct Host {
    session: SessionId,
    settings: HostSettings,
    ports: HostPorts,
    catalogue: Catalogue,
    /// Whether this object has looked for what an earlier one left.
    started: Cell<bool>,
    /// Whether the directory lists the session, or the alarm will have it listed.
    announced: Cell<bool>,
    /// Backup and sandbox ids that a call of this object is working on. A row
    /// in an unfinished state that is not here was left by a crash.
    in_flight: InUse<String>,
    /// Those of them that the alarm saves by itself: a destroying close breaks them.
    unasked: InUse<String>,
    /// Sandboxes that have this object's current configuration.
    configured: RefCell<BTreeSet<SandboxId>>,
    /// Who is in which workspace.
    locks: WorkspaceLocks,
    /// Workspaces that a call of this object may be borrowing a snapshot for.
    borrowing: InUse<SandboxId>,
    /// Who asks owners about what is borrowed for which workspace.
    asking_owner: KeyedMutex<SandboxId>,
    /// Snapshots that a call of this object reads, beside those that new workspaces are made from, whose
    /// rows say so.
    reading: InUse<BackupId>,
    /// Who writes edits to which snapshot's `meta.json`.
    writing_record: KeyedMutex<BackupId>,
    /// Order of the last snapshot whose edits the alarm has had written.
    edited_to: Cell<i64>,
    /// The same alarm as the port's.
    alarm: Rc<EarliestAlarm>,
    agenda: Agenda,
    /// Workspaces that the alarm saves or stops just now.
    tending: InUse<SandboxId>,
    /// Workspaces that it has looked after.
    tended: RefCell<BTreeMap<SandboxId, Tended>>,
    /// Whether the alarm is set for what is in use.
    armed: Cell<bool>,
    /// Workspaces whose last automatic snapshot failed.
    unsaved: RefCell<BTreeMap<SandboxId, Unsaved>>,
    cancellations: Rc<Cancellations>,
    watchers: Watchers,
    /// When the bucket of calls is full again, in microseconds since the epoch.
    calls_full_at_us: Cell<i64>,
    /// The same of claims by other sessions.
    claims: RefCell<ClaimBuckets>,
}

impl Host {
    /// The host of a session. Starts nothing.
    ///
    /// # Errors
    /// `INTERNAL` where the catalogue cannot be opened.
    pub fn new(session: SessionId, settings: HostSettings, mut ports: HostPorts) -> Result<Self> {
        let locks = WorkspaceLocks::new(ports.clock.clone());
        let catalogue = Catalogue::open(ports.database.clone())?;
        let alarm = Rc::new(EarliestAlarm::over(ports.alarm));
        ports.alarm = alarm.clone();
        Ok(Self {
            session,
            settings,
            ports,
            catalogue,
            started: Cell::new(false),
            announced: Cell::new(false),
            in_flight: InUse::default(),
            unasked: InUse::default(),
            configured: RefCell::default(),
            locks,
            borrowing: InUse::default(),
            asking_owner: KeyedMutex::default(),
            writing_record: KeyedMutex::default(),
            edited_to: Cell::new(-SEQ_MAX),
            alarm,
            agenda: Agenda::default(),
            tending: InUse::default(),
            tended: RefCell::default(),
            armed: Cell::default(),
            unsaved: RefCell::default(),
            reading: InUse::default(),
            cancellations: Rc::default(),
            watchers: Watchers::default(),
            calls_full_at_us: Cell::default(),
            claims: RefCell::default(),
        })
    }

    /// The same with other defaults of the retention policy.
    #[must_use]
    pub fn with_retention_defaults(mut self, defaults: RetentionPolicy) -> Self {
        self.settings.retention = defaults;
        self
    }

    /// The session.
    #[must_use]
    pub const fn session(&self) -> &SessionId {
        &self.session
    }

    fn now_ms(&self) -> i64 {
        self.ports.clock.now_ms()
    }

    /// Marks an id as being worked on until the guard is dropped.
    fn work_on(&self, id: &str) -> InUseGuard<'_, String> {
        self.in_flight.begin(id.to_owned())
    }

    /// Marks a snapshot as being read until the guard is dropped.
    fn read(&self, id: &BackupId) -> InUseGuard<'_, BackupId> {
        self.reading.begin(id.clone())
    }

    /// Whether a restore, a branch or a wake reads this snapshot right now.
    fn is_being_read(&self, id: &BackupId) -> Result<bool> {
        Ok(self.reading.has(id) || self.catalogue.is_being_read(id)?)
    }

    /// Snapshots that nothing may take away: those that a workspace would wake
    /// from, those being read, and those that are lent.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn snapshots_in_use(&self) -> Result<BTreeSet<BackupId>> {
        let mut ids = self.snapshots_in_own_use()?;
        ids.extend(self.catalogue.lent(self.now_ms())?);
        Ok(ids)
    }

    /// The same without those that are only lent.
    fn snapshots_in_own_use(&self) -> Result<BTreeSet<BackupId>> {
        let mut ids = self.catalogue.snapshots_in_use()?;
        ids.extend(self.reading.all());
        Ok(ids)
    }

    fn is_worked_on(&self, id: &str) -> bool {
        self.in_flight.has(&id.to_owned())
    }
}
