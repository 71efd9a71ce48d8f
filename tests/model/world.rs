//! Two sessions, their sandboxes with the containers, one bucket, and the
//! calls between them. Everything but the runtime and R2 is the real code.

use crate::files;
use crate::remote::Namespace;
use crate::runtime::{Object, Runtime, SlowClock};
use crate::support::bucket::{MemoryBucket, OneBucket};
use crate::support::container::MemoryContainer;
use crate::support::database::MemoryDatabase;
use crate::support::directory::MemoryDirectory;
use crate::support::faults::Faults;
use crate::support::isolates::MemoryIsolates;
use crate::support::ports::{CountingRandom, MemoryLog, TestAlarm, TestClock};
use snapshotter::domain::ids::{BackupId, SandboxId, SessionId};
use snapshotter::domain::limits::SLEEP_AFTER_DEFAULT_MS;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::database::Row;
use snapshotter::sandbox::{SandboxPorts, SandboxService, TransferSizes};
use snapshotter::session::catalogue::Catalogue;
use snapshotter::session::{ArchiveMemory, Session, SessionPorts, SessionSettings};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a running container's disk holds.
pub struct SeenDisk {
    pub instance: Option<String>,
    /// The workspace's directory.
    pub dir: Option<Vec<u8>>,
    pub machine: Vec<u8>,
    /// Whether a machine was restored, or that broke off.
    pub has_restored: bool,
}

impl SeenDisk {
    /// The workspace as its session sees it.
    pub fn content(&self, machine: bool) -> Option<Vec<u8>> {
        let dir = self.dir.as_ref()?;
        Some(if machine { [&self.machine[..], dir].concat() } else { dir.clone() })
    }
}

type Pool = RefCell<Vec<Rc<MemoryDatabase>>>;

thread_local! {
    // Making a new schema takes longer than a whole sequence.
    static HOST_DATABASES: Pool = Pool::default();
    static SANDBOX_DATABASES: Pool = Pool::default();
    static DIRECTORY_DATABASES: Pool = Pool::default();
}

fn database(pool: &Pool) -> Rc<MemoryDatabase> {
    pool.borrow_mut().pop().unwrap_or_else(|| Rc::new(MemoryDatabase::new()))
}

fn give_back(pool: &Pool, database: Rc<MemoryDatabase>) {
    database.empty();
    pool.borrow_mut().push(database);
}

pub const SESSIONS: [&str; 2] = ["alpha", "beta"];

/// A sandbox's object, and the state that outlives its restarts.
struct SandboxObject {
    database: Rc<MemoryDatabase>,
    container: MemoryContainer,
    faults: Faults,
    service: Option<Rc<SandboxService>>,
    /// When it was last called.
    active_at_ms: i64,
}

struct SessionObject {
    database: Rc<MemoryDatabase>,
    catalogue: Catalogue,
    alarm: TestAlarm,
    faults: Faults,
    host: Option<Rc<Session>>,
}

/// Clones are the same world.
#[derive(Clone)]
pub struct World(Rc<Inner>);

pub struct Inner {
    /// Whether the sessions save their workspaces by themselves.
    pub autosave: bool,
    /// Whether each session's snapshots hold the machine, too.
    pub machines: [bool; SESSIONS.len()],
    pub clock: TestClock,
    pub bucket: MemoryBucket,
    pub runtime: Runtime,
    random: CountingRandom,
    pub directory: MemoryDirectory,
    directory_database: Rc<MemoryDatabase>,
    log: MemoryLog,
    /// Containers that died during a step.
    pub died: RefCell<BTreeSet<SandboxId>>,
    sandboxes: RefCell<BTreeMap<SandboxId, SandboxObject>>,
    sessions: RefCell<Vec<SessionObject>>,
}

impl std::ops::Deref for World {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl World {
    pub fn new(autosave: bool, machines: [bool; SESSIONS.len()]) -> Self {
        let runtime = Runtime::default();
        let (clock, directory) = (TestClock::new(), DIRECTORY_DATABASES.with(database));
        let session = |number| {
            let faults = runtime.faults_of(Object::Session(number));
            let database = HOST_DATABASES.with(database);
            SessionObject {
                catalogue: Catalogue::open(database.clone()).unwrap(),
                database,
                alarm: TestAlarm { faults: faults.clone(), ..TestAlarm::default() },
                faults,
                host: None,
            }
        };
        Self(Rc::new(Inner {
            autosave,
            machines,
            died: RefCell::default(),
            directory: MemoryDirectory::over(directory.clone(), clock.clone(), Faults::default()),
            directory_database: directory,
            clock,
            bucket: MemoryBucket::new(Faults::default()),
            sessions: RefCell::new((0..SESSIONS.len()).map(session).collect()),
            runtime,
            random: CountingRandom::default(),
            log: MemoryLog::default(),
            sandboxes: RefCell::default(),
        }))
    }

    /// The session's host object, a new one after a restart.
    pub fn host(&self, session: usize) -> Rc<Session> {
        let mut sessions = self.sessions.borrow_mut();
        let object = &mut sessions[session];
        let (faults, database, alarm) = (&object.faults, &object.database, &object.alarm);
        let host = object.host.get_or_insert_with(|| {
            let ports = SessionPorts {
                clock: Rc::new(SlowClock(self.clock.clone(), self.runtime.clone())),
                random: Rc::new(self.random.clone()),
                log: Rc::new(self.log.clone()),
                database: database.clone(),
                alarm: Rc::new(alarm.clone()),
                buckets: Rc::new(OneBucket(self.bucket.breaking_by(faults.clone()))),
                sandboxes: Rc::new(Namespace { world: self.clone(), caller: session }),
                directory: Rc::new(self.directory.breaking_by(faults.clone())),
                sessions: Rc::new(Namespace { world: self.clone(), caller: session }),
                pools: None,
                isolates: Rc::new(MemoryIsolates::default()),
                archives: ArchiveMemory::default(),
                trees: Rc::new(self.bucket.clone()),
            };
            let id = SessionId::parse(SESSIONS[session]).unwrap();
            Rc::new(Session::new(id, SessionSettings::default(), ports).unwrap())
        });
        host.clone()
    }

    /// The session's catalogue.
    pub fn catalogue(&self, session: usize) -> Catalogue {
        self.sessions.borrow()[session].catalogue.clone()
    }

    /// The session's leases: each lent snapshot, and whether it is read.
    pub fn leases(&self, session: usize) -> Vec<(BackupId, bool)> {
        let database = self.sessions.borrow()[session].database.clone();
        let sql = "SELECT backup_id, reads FROM leases WHERE until_ms > ?";
        let rows = database.run(sql, &[self.clock.now_ms().into()]).unwrap();
        let lease = |row: &Row| {
            let id = row["backup_id"].as_str().unwrap().to_owned();
            (id.try_into().unwrap(), row["reads"] == 1)
        };
        rows.iter().map(lease).collect()
    }

    /// How many rows the session has stored so far.
    pub fn changes(&self, session: usize) -> u64 {
        self.sessions.borrow()[session].database.changes()
    }

    pub fn alarm(&self, session: usize) -> Rc<Cell<Option<i64>>> {
        self.sessions.borrow()[session].alarm.at_ms.clone()
    }

    fn with_sandbox<T>(&self, id: &SandboxId, see: impl FnOnce(&mut SandboxObject) -> T) -> T {
        let mut sandboxes = self.sandboxes.borrow_mut();
        see(sandboxes.entry(id.clone()).or_insert_with(|| {
            let faults = self.runtime.faults_of(Object::Sandbox(id.clone()));
            let bucket = self.bucket.breaking_by(faults.clone());
            let mut container = MemoryContainer::new(bucket, faults.clone());
            container.files = Some(files::work);
            SandboxObject {
                database: SANDBOX_DATABASES.with(database),
                container,
                faults,
                service: None,
                active_at_ms: self.clock.now_ms(),
            }
        }))
    }

    /// The sandbox's object, a new one after a restart.
    pub fn service(&self, id: &SandboxId) -> Rc<SandboxService> {
        self.with_sandbox(id, |object| {
            let (faults, database, container) =
                (&object.faults, &object.database, &object.container);
            let service = object.service.get_or_insert_with(|| {
                let ports = SandboxPorts {
                    clock: Rc::new(self.clock.clone()),
                    random: Rc::new(self.random.clone()),
                    log: Rc::new(self.log.clone()),
                    database: database.clone(),
                    buckets: Rc::new(OneBucket(self.bucket.breaking_by(faults.clone()))),
                    container: Rc::new(container.clone()),
                    starts: None,
                };
                let sizes = TransferSizes::default();
                Rc::new(SandboxService::new(id.to_string(), sizes, ports).unwrap())
            });
            object.active_at_ms = self.clock.now_ms();
            service.clone()
        })
    }

    /// Stops the containers whose idle time is over, as the platform does. Returns
    /// them and their disks.
    pub fn sleep(&self) -> Vec<(SandboxId, Option<SeenDisk>)> {
        let mut running = self.running();
        running.retain(|id| {
            self.with_sandbox(id, |object| {
                let timeout_ms = object.container.timeouts.borrow().last().copied();
                let timeout_ms = i64::try_from(timeout_ms.unwrap_or(SLEEP_AFTER_DEFAULT_MS));
                object.active_at_ms + timeout_ms.unwrap() <= self.clock.now_ms()
            })
        });
        let slept = running.into_iter().map(|id| {
            let disk = self.disk(&id);
            self.kill(&id);
            (id, disk)
        });
        slept.collect()
    }

    /// The disk of a container; none if it does not run.
    pub fn disk(&self, id: &SandboxId) -> Option<SeenDisk> {
        self.with_sandbox(id, |object| {
            let disk = object.container.disk.borrow();
            disk.as_ref().map(|disk| SeenDisk {
                instance: disk.instance.clone(),
                dir: disk.dirs.get(files::DIR).cloned(),
                machine: disk.machine.clone(),
                has_restored: disk.restored_machine.is_some(),
            })
        })
    }

    /// Sandboxes whose containers run.
    pub fn running(&self) -> Vec<SandboxId> {
        let sandboxes = self.sandboxes.borrow();
        let runs = |object: &SandboxObject| object.container.disk.borrow().is_some();
        sandboxes.iter().filter(|(_, object)| runs(object)).map(|(id, _)| id.clone()).collect()
    }

    /// Stops a container, which loses its disk.
    pub fn kill(&self, id: &SandboxId) {
        self.with_sandbox(id, |object| object.container.die());
    }

    /// Restarts an object: its tasks end, its storage stays.
    pub fn restart(&self, object: &Object) {
        self.runtime.stop(object);
        self.forget(object);
    }

    /// Empties the storage of a session's object, and stops its workspaces' containers.
    pub fn lose(&self, session: usize, workspaces: &[SandboxId]) {
        self.restart(&Object::Session(session));
        for id in workspaces {
            self.restart(&Object::Sandbox(id.clone()));
            self.kill(id);
        }
        let sessions = self.sessions.borrow();
        sessions[session].database.empty();
        sessions[session].alarm.at_ms.set(None);
    }

    fn forget(&self, object: &Object) {
        match object {
            Object::Session(session) => self.sessions.borrow_mut()[*session].host = None,
            Object::Sandbox(id) => self.with_sandbox(id, |object| object.service = None),
        }
    }

    /// Ends everything. Otherwise the world would keep references to itself.
    pub fn end(&self) {
        self.runtime.clear();
        for session in self.sessions.take() {
            HOST_DATABASES.with(|pool| give_back(pool, session.database));
        }
        for sandbox in self.sandboxes.take().into_values() {
            SANDBOX_DATABASES.with(|pool| give_back(pool, sandbox.database));
        }
        DIRECTORY_DATABASES.with(|pool| give_back(pool, self.directory_database.clone()));
    }

    /// Runs until `done`, or until nothing runs. False: it never ends.
    pub fn run_until(&self, done: impl Fn() -> bool) -> bool {
        for _ in 0..20_000 {
            if done() || self.runtime.is_idle() {
                return true;
            }
            for object in self.runtime.turn() {
                self.forget(&object);
            }
            if self.runtime.take_death() {
                let active = self.catalogue(0).session().unwrap().map(|row| row.active_sandbox_id);
                active.iter().for_each(|id| self.kill(id));
                self.died.borrow_mut().extend(active);
            }
        }
        false
    }
}
