//! A session's host in a world of fakes, and the world's invariants.

mod fake_checkpoints;
mod fake_sandbox;

use crate::support::bucket::{MemoryBucket, OneBucket};
use crate::support::database::MemoryDatabase;
use crate::support::directory::MemoryDirectory;
use crate::support::faults::{Fault, Faults};
use crate::support::isolates::MemoryIsolates;
use crate::support::ports::{CountingRandom, MemoryLog, TestAlarm, TestClock};
use crate::support::tree::MemoryTree;
use async_trait::async_trait;
use fake_sandbox::FakeSandbox;
use futures::FutureExt;
use futures::channel::oneshot;
use serde_json::Value;
use snapshotter::api::operation::{CallersTools, ToolCall};
use snapshotter::api::tools;
use snapshotter::domain::egress::RefusedHost;
use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use snapshotter::domain::ids::{
    BackupId, GitCheckpointName, InstanceId, ProcessName, SandboxId, SessionId,
};
use snapshotter::domain::session::config::AllowedBuckets;
use snapshotter::domain::session::scope::Caller;
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::{
    archive_key, data_key, expires_at_ms, held_key, machine_key, meta_key,
};
use snapshotter::domain::snapshot::chain::{Chain, Part};
use snapshotter::domain::snapshot::lease::{LeaseAnswer, LeaseRequest};
use snapshotter::domain::snapshot::lease::{OwnDelete, OwnDeleted};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::meta::GitState;
use snapshotter::domain::snapshot::retention::RetentionPolicy;
use snapshotter::domain::snapshot::summary::SnapshotSummary;
use snapshotter::domain::snapshot::turn::{TurnAnswer, TurnRequest};
use snapshotter::domain::time::rfc3339;
use snapshotter::domain::workspace::WorkspaceStatus;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::pools::Pools;
use snapshotter::ports::random::Random;
use snapshotter::ports::sandbox::*;
use snapshotter::ports::sessions::Sessions;
use snapshotter::ports::trees::Trees;
use snapshotter::session::{
    Abort, ArchiveMemory, ListRequest, RunRequest, Session, SessionPorts, SessionSettings,
    SessionStatus, SnapshotRequest,
};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A disk, and what was mounted there.
type Mounted = (InstanceId, Vec<BucketDir>);

/// A container's disk: its id, and its one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Disk {
    pub instance: InstanceId,
    pub content: String,
    /// What differs from the image outside the workspace.
    pub machine: String,
}

/// Everything that outlives a host object.
#[derive(Clone)]
pub struct World {
    pub clock: TestClock,
    pub log: MemoryLog,
    pub alarm: TestAlarm,
    pub bucket: MemoryBucket,
    pub faults: Faults,
    /// Running containers by sandbox.
    pub disks: Rc<RefCell<BTreeMap<SandboxId, Disk>>>,
    /// What identifies the image.
    pub image_sha256: Rc<RefCell<String>>,
    /// The content that the image has for the workspace's one file.
    pub image: Rc<RefCell<String>>,
    /// What was mounted in which disk.
    pub bucket_dirs: Rc<RefCell<Vec<Mounted>>>,
    /// How mounts go.
    pub bucket_mounts: Rc<RefCell<MountedBuckets>>,
    /// Containers started so far.
    pub starts: Rc<Cell<usize>>,
    /// Whether equal files give equal archives. Otherwise every archive differs,
    /// as if something had always changed.
    pub steady: Rc<Cell<bool>>,
    /// The backup that a sandbox reports instead of the one it made.
    pub misreported: Rc<RefCell<Option<BackupId>>>,
    /// Whether sandboxes make layers where they may.
    pub layers: Rc<Cell<bool>>,
    /// The files of each archive, which a layer does not have by itself.
    pub archived: Rc<RefCell<BTreeMap<BackupId, Vec<u8>>>>,
    /// Whether the next restore misses an archive that the bucket has.
    pub misses: Rc<Cell<bool>>,
    /// Whether something else has the name of the workspace's directory.
    pub replaced: Rc<Cell<bool>>,
    /// The files that a container puts into full archives of layers, instead of their own.
    pub forged: Rc<RefCell<Option<Vec<u8>>>>,
    /// Whether followed commands run until they are cancelled.
    pub endless: Rc<Cell<bool>>,
    /// Whether a followed command runs now.
    pub streaming: Rc<Cell<bool>>,
    /// Whether the end of followed commands is not reported.
    pub silent: Rc<Cell<bool>>,
    /// Whether the followed command that started last was cancelled.
    pub cancelled: Rc<RefCell<Rc<Cell<bool>>>>,
    /// Each sandbox's last configuration.
    pub configured: Rc<RefCell<BTreeMap<SandboxId, ConfigureOptions>>>,
    /// Background processes of all containers, with their disks.
    pub processes: Rc<RefCell<Vec<(InstanceId, ProcessView)>>>,
    /// Code contexts of all containers.
    pub contexts: Rc<RefCell<Vec<CodeContext>>>,
    /// The processes that were started, and where.
    pub started: Rc<RefCell<Vec<String>>>,
    /// Names of processes that end at once.
    pub short_lived: Rc<RefCell<BTreeSet<ProcessName>>>,
    /// Whether processes that a rewind ends still seem to run.
    pub lingering: Rc<Cell<bool>>,
    /// The trees that comparisons see, by sandbox.
    pub trees: Rc<RefCell<BTreeMap<SandboxId, MemoryTree>>>,
    /// The files that changed since the last save, of sandboxes that know it.
    pub touched: Rc<RefCell<BTreeMap<SandboxId, BTreeSet<Vec<u8>>>>>,
    /// Which archives were restored to which directories.
    pub restored: Rc<RefCell<Vec<(BackupId, String)>>>,
    /// Files that restores moved aside.
    pub aside: Rc<RefCell<Vec<String>>>,
    /// Processes that use the workspace's directory.
    pub users: Rc<RefCell<Vec<EndedProcess>>>,
    /// Hosts that every command's answer says were refused.
    pub refused: Rc<RefCell<Vec<RefusedHost>>>,
    /// Whether the workspace's directory can't be renamed.
    pub mounted: Rc<Cell<bool>>,
    /// Sandboxes whose archives never end.
    pub archiving: Rc<RefCell<Vec<SandboxId>>>,
    /// Whether restores, and what clean sandboxes do, last until somebody ends them.
    pub hanging: Rc<Cell<bool>>,
    /// What ends each of these archives and restores.
    pub stops: Rc<RefCell<BTreeMap<BackupId, oneshot::Sender<()>>>>,
    /// How long each archive takes, in milliseconds.
    pub archive_ms: Rc<Cell<i64>>,
    /// Backups that a sandbox says it is still making.
    pub making: Rc<RefCell<Vec<BackupId>>>,
    /// The repository at the root of every workspace.
    pub git: Rc<RefCell<Option<GitState>>>,
    /// Checkpoints by name. All workspaces share them.
    pub checkpoints: Rc<RefCell<BTreeMap<GitCheckpointName, String>>>,
    /// Where scripts run.
    pub isolates: MemoryIsolates,
    /// The warm pools, if the operator allows any.
    pub pools: Rc<RefCell<Option<Rc<dyn Pools>>>>,
    recovered: Rc<RefCell<Vec<BackupId>>>,
    /// The database of each session.
    sessions: Rc<RefCell<BTreeMap<SessionId, Rc<MemoryDatabase>>>>,
    pub random: CountingRandom,
    pub directory: MemoryDirectory,
    pub database: Rc<MemoryDatabase>,
}

impl World {
    pub fn new() -> Self {
        let faults = Faults::default();
        let clock = TestClock::new();
        Self {
            directory: MemoryDirectory::new(clock.clone(), faults.clone()),
            clock,
            log: MemoryLog::default(),
            alarm: TestAlarm { faults: faults.clone(), ..TestAlarm::default() },
            bucket: MemoryBucket::new(faults.clone()),
            faults,
            disks: Rc::default(),
            image_sha256: Rc::new(RefCell::new("a".repeat(64))),
            image: Rc::default(),
            bucket_dirs: Rc::default(),
            bucket_mounts: Rc::default(),
            starts: Rc::default(),
            steady: Rc::default(),
            misreported: Rc::default(),
            layers: Rc::new(Cell::new(true)),
            archived: Rc::default(),
            misses: Rc::default(),
            replaced: Rc::default(),
            forged: Rc::default(),
            endless: Rc::default(),
            refused: Rc::default(),
            streaming: Rc::default(),
            silent: Rc::default(),
            cancelled: Rc::default(),
            configured: Rc::default(),
            processes: Rc::default(),
            contexts: Rc::default(),
            started: Rc::default(),
            short_lived: Rc::default(),
            lingering: Rc::default(),
            trees: Rc::default(),
            touched: Rc::default(),
            restored: Rc::default(),
            aside: Rc::default(),
            users: Rc::default(),
            mounted: Rc::default(),
            archiving: Rc::default(),
            hanging: Rc::default(),
            stops: Rc::default(),
            archive_ms: Rc::default(),
            making: Rc::default(),
            git: Rc::default(),
            checkpoints: Rc::default(),
            isolates: MemoryIsolates::default(),
            pools: Rc::default(),
            recovered: Rc::default(),
            sessions: Rc::default(),
            random: CountingRandom::default(),
            database: Rc::new(MemoryDatabase::new()),
        }
    }

    /// Another session over the same bucket and sandboxes.
    pub fn other_session(&self) -> Self {
        Self { database: Rc::new(MemoryDatabase::new()), ..self.clone() }
    }

    /// A fresh host object over the same state, as after a restart.
    pub fn host(&self, session: &str) -> Session {
        self.try_host(session).unwrap()
    }

    pub fn try_host(&self, session: &str) -> Result<Session> {
        self.try_host_with(session, RetentionPolicy::default())
    }

    /// A host with other defaults of the retention policy.
    pub fn try_host_with(&self, session: &str, retention: RetentionPolicy) -> Result<Session> {
        let settings = SessionSettings { retention, ..SessionSettings::default() };
        self.host_by(session, settings, Rc::new(self.random.clone()))
    }

    /// A host with other settings and randomness.
    pub fn host_by(
        &self,
        session: &str,
        settings: SessionSettings,
        random: Rc<dyn Random>,
    ) -> Result<Session> {
        let ports = SessionPorts {
            clock: Rc::new(self.clock.clone()),
            random,
            log: Rc::new(self.log.clone()),
            database: self.database.clone(),
            alarm: Rc::new(self.alarm.clone()),
            buckets: Rc::new(OneBucket(self.bucket.clone())),
            sandboxes: Rc::new(self.clone()),
            directory: Rc::new(self.directory.clone()),
            sessions: Rc::new(self.clone()),
            isolates: Rc::new(self.isolates.clone()),
            pools: self.pools.borrow().clone(),
            archives: ArchiveMemory::default(),
            trees: Rc::new(self.clone()),
        };
        let id = SessionId::parse(session).unwrap();
        self.sessions.borrow_mut().insert(id.clone(), self.database.clone());
        let settings = SessionSettings {
            token_keys: Some("k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".to_owned()),
            preview_host: Some("preview.example.com".to_owned()),
            buckets: AllowedBuckets {
                bindings: vec!["BACKUP_BUCKET".to_owned()],
                endpoints: vec!["https://s3.example.com".to_owned()],
                ..AllowedBuckets::default()
            },
            ..settings
        };
        Session::new(id, settings, ports)
    }

    /// Changes stored rows, as another version might have.
    pub fn sql(&self, statement: &str) {
        self.database.run(statement, &[]).unwrap();
    }

    /// The column `count` of a query's one row.
    pub fn database_count(&self, query: &str) -> i64 {
        self.database.run(query, &[]).unwrap()[0]["count"].as_i64().unwrap()
    }

    /// All rows of a query, as text to search.
    pub fn database_text(&self, query: &str) -> String {
        format!("{:?}", self.database.run(query, &[]).unwrap())
    }

    pub fn open(&self, session: &str) -> Session {
        self.open_with(session, serde_json::json!({}))
    }

    pub fn open_with(&self, session: &str, config: serde_json::Value) -> Session {
        let host = self.host(session);
        now(host.open(serde_json::from_value(config).unwrap())).unwrap();
        host
    }

    /// Runs the alarm until nothing is due before workspaces are idle.
    pub fn recover(&self, session: &str) {
        let host = self.host(session);
        host.start().now_or_never().unwrap().unwrap();
        for _ in 0..100 {
            let Some(at_ms) = self.alarm.at_ms.take() else { return };
            if at_ms > self.clock.now_ms() + 540_000 {
                return;
            }
            self.clock.0.set(self.clock.now_ms().max(at_ms));
            host.recover().now_or_never().unwrap().unwrap();
        }
        panic!("the alarm never rests");
    }

    /// Checks the invariants of a session at rest.
    pub fn check_invariants(&self, session: &str) {
        let host = self.host(session);
        let request = ListRequest {
            include_expired: true,
            include_unready: true,
            include_auto: true,
            ..Default::default()
        };
        let page = host.list(&request).now_or_never().unwrap().unwrap();
        let (mut expected, mut below) = (BTreeSet::new(), BTreeSet::new());
        let mut machines: BTreeSet<BackupId> = BTreeSet::new();
        for snapshot in page.snapshots.iter().map(|row| &row.snapshot) {
            match snapshot.state {
                ShownState::Ready | ShownState::Expired => {
                    let record = self.check_record(snapshot);
                    expected.insert(archive_key(&snapshot.id, record.kind()));
                    expected.insert(meta_key(&snapshot.id));
                    if let Some(machine) = record.machine() {
                        machines.insert(machine.id.clone());
                    }
                    below.extend(
                        record.chain().archives().map(|(part, kind)| (part.id.clone(), kind)),
                    );
                }
                ShownState::Deleted | ShownState::Failed => {}
                unfinished => panic!("{} is still {unfinished:?}", snapshot.id),
            }
        }
        // What is left of lost ones stays for some days.
        let lost = self.database_text("SELECT id, chain FROM snapshots WHERE state = 'lost'");
        for (id, kind) in below {
            if expected.insert(archive_key(&id, kind)) && !lost.contains(id.as_str()) {
                expected.insert(held_key(&id));
            }
        }
        for id in machines {
            expected.insert(machine_key(&id));
            // What holds a machine is held whole.
            if !lost.contains(id.as_str()) && !expected.contains(&meta_key(&id)) {
                let held = self.bucket.objects.borrow()[&held_key(&id)].clone();
                let held = BackupMeta::parse(&id, &held).unwrap();
                expected.extend([held_key(&id), archive_key(&id, held.kind())]);
            }
        }
        let is_of_lost = |key: &String| {
            key.split('/').nth(1).is_some_and(|id| lost.contains(id)) && !expected.contains(key)
        };
        let mut keys = self.bucket.keys();
        keys.retain(|key| !is_of_lost(key));
        let expected: Vec<String> = expected.iter().cloned().collect();
        // Backups of the Sandbox SDK are nobody's.
        keys.retain(|key| !key.ends_with(".tar.zst"));
        assert_eq!(keys, expected, "R2 holds exactly what the snapshots need");
        let list = now(host.list_workspaces()).unwrap();
        for workspace in &list.workspaces {
            assert_eq!(workspace.state.as_str(), "ready", "{workspace:?}");
            let has_disk = self.disks.borrow().contains_key(workspace.r#ref.sandbox_id());
            match workspace.status {
                WorkspaceStatus::Running => assert!(has_disk, "{workspace:?}"),
                WorkspaceStatus::Paused => assert!(!has_disk, "not released: {workspace:?}"),
                // A first start that broke off may have left a disk.
                WorkspaceStatus::Stopped => {}
            }
        }
        let live: Vec<&SandboxId> =
            list.workspaces.iter().map(|workspace| workspace.r#ref.sandbox_id()).collect();
        for running in self.disks.borrow().keys() {
            assert!(live.contains(&running), "{running} runs and is nobody's");
        }
        let open = host.describe().unwrap().status == SessionStatus::Open;
        assert!(!open || live.contains(&list.active.sandbox_id()), "the active workspace exists");
    }

    /// Checks that `meta.json` agrees with the catalogue.
    fn check_record(&self, snapshot: &SnapshotSummary) -> BackupMeta {
        let bytes = self.bucket.objects.borrow()[&meta_key(&snapshot.id)].clone();
        let meta = BackupMeta::parse(&snapshot.id, &bytes).unwrap();
        let ours = meta.snapshotter.clone().unwrap();
        assert_eq!(meta.annotations(), snapshot.annotations);
        assert_eq!(ours.cause.turn, snapshot.cause.turn);
        assert_eq!(ours.unpinned_ttl.is_some(), snapshot.pinned);
        let expires_ms = expires_at_ms(meta.created_at_ms().unwrap(), meta.ttl);
        assert_eq!(rfc3339(expires_ms), snapshot.expires_at);
        meta
    }

    pub fn disk(&self, id: &str) -> Option<Disk> {
        self.disks.borrow().get(&SandboxId::parse(id).unwrap()).cloned()
    }

    /// Changes the one file of a running container.
    pub fn write(&self, id: &str, content: &str) {
        let id = SandboxId::parse(id).unwrap();
        content.clone_into(&mut self.disks.borrow_mut().get_mut(&id).unwrap().content);
    }

    /// Changes what a running container has outside the workspace.
    pub fn install(&self, id: &str, machine: &str) {
        let id = SandboxId::parse(id).unwrap();
        machine.clone_into(&mut self.disks.borrow_mut().get_mut(&id).unwrap().machine);
    }

    /// Stops the container, which loses its disk.
    pub fn kill(&self, id: &str) {
        self.disks.borrow_mut().remove(&SandboxId::parse(id).unwrap());
    }
}

#[async_trait(?Send)]
impl Sessions for World {
    async fn lend(&self, owner: &SessionId, request: LeaseRequest) -> Result<LeaseAnswer> {
        let database = self.sessions.borrow().get(owner).cloned();
        let database = database.unwrap_or_else(|| Rc::new(MemoryDatabase::new()));
        let owner = Self { database, ..self.clone() }.host(owner.as_str());
        self.faults.effect("lend", || owner.lend(&request)).await
    }

    async fn delete(&self, owner: &SessionId, request: OwnDelete) -> Result<OwnDeleted> {
        let database = self.sessions.borrow().get(owner).cloned();
        let database = database.unwrap_or_else(|| Rc::new(MemoryDatabase::new()));
        let owner = Self { database, ..self.clone() }.host(owner.as_str());
        self.faults.effect("askOwner", || Ok(())).await?;
        let deleted = owner.delete_for(&request).await;
        self.faults.effect("hearOwner", || deleted).await
    }

    async fn earlier_turn(&self, owner: &SessionId, request: TurnRequest) -> Result<TurnAnswer> {
        let database = self.sessions.borrow().get(owner).cloned();
        let database = database.unwrap_or_else(|| Rc::new(MemoryDatabase::new()));
        let owner = Self { database, ..self.clone() }.host(owner.as_str());
        self.faults.effect("earlierTurn", || owner.earlier_turn(&request)).await
    }
}

#[async_trait(?Send)]
impl Trees for World {
    async fn first_difference(
        &self,
        _binding: &str,
        archives: &Chain,
        full: &Part,
    ) -> Result<Option<String>> {
        let compare = || {
            let of = &archives.parts().last().unwrap().id;
            let objects = self.bucket.objects.borrow();
            let is_same = objects[&data_key(&full.id)] == self.archived.borrow()[of];
            Ok((!is_same).then(|| "evil.txt".to_owned()))
        };
        self.faults.effect("compareTrees", compare).await
    }
}

impl Sandboxes for World {
    fn get(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>> {
        Ok(Rc::new(FakeSandbox { id: id.clone(), world: self.clone() }))
    }
}

/// Runs a call that nothing breaks.
pub fn now<T>(call: impl Future<Output = T>) -> T {
    call.now_or_never().expect("no fault is armed")
}

/// Closes a session whose workspace can't be saved, so that its container runs on.
pub fn close_unsaved(world: &World, host: &Session) {
    for nth in 0.. {
        world.faults.arm(nth, Fault::ErrorBefore);
        let closed = now(host.close());
        assert!(world.faults.disarm(), "no step saves it");
        if world.faults.trace().get(nth).is_some_and(|name| name == "archive") {
            closed.unwrap();
            return;
        }
    }
}

/// Takes a snapshot that nothing breaks, and returns its id.
pub fn snapshot(host: &Session) -> BackupId {
    now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap().snapshot.id
}

/// Whether an error admits that the work was not done or may not be done.
pub fn is_honest(error: &Error) -> bool {
    error.outcome != Outcome::Committed
}

/// Lets other calls run.
pub async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

pub fn content(host: &Session) -> String {
    try_content(host).unwrap()
}

pub fn try_content(host: &Session) -> Result<String, ErrorCode> {
    let request = RunRequest {
        command: CommandLine::Shell("cat".into()),
        cwd: None,
        env: Default::default(),
        timeout_ms: None,
        wait_ms: None,
        max_output_bytes: None,
        stdin: None,
        workspace: None,
    };
    now(host.run(request)).map(|result| result.answer.stdout).map_err(|error| error.code)
}

pub fn call(host: &Session, tool: &str, input: Value) -> Result<Value, ErrorCode> {
    now(call_tool(host, tool, input, &Abort::default())).map_err(|error| error.code)
}

/// Calls a tool as an unrestricted caller.
pub async fn call_tool(
    host: &Session,
    tool: &str,
    input: Value,
    abort: &Abort,
) -> Result<Value, Error> {
    let caller = &Caller::BINDING;
    let scripts = &CallersTools { session: host, caller };
    tools::call(ToolCall { session: host, caller, abort, tools: scripts }, tool, input).await
}
