//! A sandbox's object in a world of fakes, and the world's invariants.

use crate::support::bucket::{MemoryBucket, OneBucket};
use crate::support::container::{Act, MemoryContainer};
use crate::support::database::MemoryDatabase;
use crate::support::faults::{Fault, Faults};
use crate::support::ports::{CountingRandom, MemoryLog, TestClock};
use futures::FutureExt;
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::domain::ids::{BackupId, SandboxId, SessionId};
use snapshotter::domain::limits::{
    CONTAINER_RESPONSE_TIMEOUT_AGAIN_MS, CONTAINER_RESPONSE_TIMEOUT_MS,
};
use snapshotter::domain::snapshot::backup::{
    BackupDir, BackupHandle, SnapshotKind, archive_key, meta_key,
};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::container::Happened;
use snapshotter::ports::sandbox::*;
use snapshotter::ports::starts::Starts;
use snapshotter::sandbox::{SandboxPorts, SandboxService, TransferSizes};
use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

pub const DIR: &str = "/workspace";

/// Everything that outlives a sandbox object.
#[derive(Clone)]
pub struct World {
    pub clock: TestClock,
    pub log: MemoryLog,
    pub bucket: MemoryBucket,
    pub container: MemoryContainer,
    pub faults: Faults,
    pub database: Rc<MemoryDatabase>,
    random: CountingRandom,
    /// The queue of starts, if starts are limited.
    pub starts: Option<Rc<dyn Starts>>,
}

impl World {
    pub fn new() -> Self {
        Self::breaking(TestClock::new(), Faults::default())
    }

    pub fn breaking(clock: TestClock, faults: Faults) -> Self {
        let bucket = MemoryBucket::new(faults.clone());
        let world = Self {
            clock,
            log: MemoryLog::default(),
            container: MemoryContainer::new(bucket.clone(), faults.clone()),
            bucket,
            faults,
            database: Rc::new(MemoryDatabase::new()),
            random: CountingRandom::default(),
            starts: None,
        };
        world.configure();
        world
    }

    /// Gives the sandbox the configuration without which it starts nothing.
    pub fn configure(&self) {
        let options =
            ConfigureOptions { enable_internet: Some(true), ..ConfigureOptions::default() };
        now(self.sandbox().configure(options)).unwrap();
    }

    /// A new object, as after an eviction or a crash.
    pub fn sandbox(&self) -> SandboxService {
        self.sandbox_with(TransferSizes::default())
    }

    /// A new object that sends archives over 10 bytes in parts of 4 bytes.
    pub fn sandbox_in_parts(&self) -> SandboxService {
        self.sandbox_with(TransferSizes { single_put_max_bytes: 10, part_bytes: 4 })
    }

    fn sandbox_with(&self, sizes: TransferSizes) -> SandboxService {
        let ports = SandboxPorts {
            clock: Rc::new(self.clock.clone()),
            random: Rc::new(self.random.clone()),
            log: Rc::new(self.log.clone()),
            database: self.database.clone(),
            buckets: Rc::new(OneBucket(self.bucket.clone())),
            container: Rc::new(self.container.clone()),
            starts: self.starts.clone(),
        };
        SandboxService::new("sandbox-1".to_owned(), sizes, ports).unwrap()
    }

    /// A world whose container runs, with content in [`DIR`].
    pub fn with_files(content: &[u8]) -> Self {
        Self::new().filled(content)
    }

    pub fn filled(self, content: &[u8]) -> Self {
        now(self.sandbox().ensure_running()).unwrap();
        self.container.set_dir(DIR, content);
        self
    }

    /// A world whose container does not answer while the flag is set, unless it is
    /// destroyed. Each request waits as long as `Answers` allows.
    pub fn with_silence(content: &[u8]) -> (Self, Rc<Cell<bool>>) {
        let (clock, silent) = (TestClock::new(), Rc::new(Cell::new(false)));
        let given_up = Rc::new(Cell::new(false));
        let faults = Faults::decided_by(Rc::default(), {
            let (clock, silent, given_up) = (clock.clone(), silent.clone(), given_up.clone());
            move |name| {
                if !silent.get() || name == "destroy" {
                    given_up.set(false);
                    return None;
                }
                let wait_ms = if given_up.replace(true) {
                    CONTAINER_RESPONSE_TIMEOUT_AGAIN_MS
                } else {
                    CONTAINER_RESPONSE_TIMEOUT_MS
                };
                clock.advance(i64::try_from(wait_ms).unwrap());
                Some(Fault::ErrorBefore)
            }
        });
        let mut world = Self::breaking(clock, faults);
        world.container.silent = given_up;
        (world.filled(content), silent)
    }

    /// What R2 holds of a backup: nothing, or both objects, in agreement.
    pub fn committed(&self, id: &BackupId) -> Option<BackupMeta> {
        let objects = self.bucket.objects.borrow();
        let meta = objects.get(&meta_key(id));
        let archives = [SnapshotKind::Full, SnapshotKind::Layer]
            .map(|kind| (kind, objects.get(&archive_key(id, kind))));
        let archives: Vec<_> =
            archives.into_iter().filter(|(_, archive)| archive.is_some()).collect();
        match (meta, &archives[..]) {
            (None, []) => None,
            (Some(meta), [(kind, Some(archive))]) => {
                let meta = BackupMeta::parse(id, meta).unwrap();
                assert_eq!((meta.kind(), meta.size_bytes), (*kind, archive.len() as u64));
                Some(meta)
            }
            (meta, archives) => {
                panic!("meta.json: {}, archives: {}", meta.is_some(), archives.len())
            }
        }
    }

    /// Rows about backups that are neither committed nor gone.
    pub fn unfinished_rows(&self) -> usize {
        let sql = "SELECT id FROM backups WHERE state IN ('writing', 'rewriting')";
        self.database.run(sql, &[]).unwrap().len()
    }

    /// Files that the sandbox left in its own directory of the container.
    pub fn leftovers(&self) -> Vec<String> {
        let disk = self.container.disk.borrow();
        disk.as_ref().map(|disk| disk.files.keys().cloned().collect()).unwrap_or_default()
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }
}

/// Runs work that must end without waiting.
pub fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("it waits for something")
}

pub fn id(n: u8) -> BackupId {
    BackupId::from_random([n; 16])
}

pub fn options(id: &BackupId) -> CreateBackupOptions {
    let provenance = BackupProvenance {
        cause: Default::default(),
        annotations: Default::default(),
        renews: false,
        session_id: SessionId::parse("session-1").unwrap(),
        origin_sandbox_id: SandboxId::parse("sandbox-1").unwrap(),
        parent_id: None,
        binding: "BACKUP_BUCKET".to_owned(),
    };
    let mut options: CreateBackupOptions =
        serde_json::from_value(serde_json::json!({ "dir": DIR, "id": id })).unwrap();
    options.snapshotter = Some(provenance);
    options
}

pub fn handle(id: &BackupId) -> BackupHandle {
    let dir = BackupDir::parse(DIR).unwrap();
    BackupHandle { id: id.clone(), dir, extra: serde_json::Map::new() }
}

pub fn path(text: &str) -> AbsolutePath {
    AbsolutePath::parse("path", text).unwrap()
}

pub fn within() -> FileOptions {
    FileOptions { within: Some(path(DIR)), ..FileOptions::default() }
}

/// A command that prints this.
pub fn printed(text: &str) -> Act {
    Act::Happens(Happened::Stdout(text.into()))
}
