//! A session's host in a world of fakes, and what must hold in it.

use crate::support::bucket::{MemoryBucket, OneBucket};
use crate::support::container::hex;
use crate::support::database::MemoryDatabase;
use crate::support::directory::MemoryDirectory;
use crate::support::faults::Faults;
use crate::support::ports::{CountingRandom, MemoryLog, TestAlarm, TestClock};
use crate::support::stream::MemoryBytes;
use async_trait::async_trait;
use futures::FutureExt;
use snapshotter::domain::backup::{
    BackupHandle, BackupMeta, SnapshotKind, SnapshotterMeta, data_key, expires_at_ms, meta_key,
    rfc3339,
};
use snapshotter::domain::deletion::{OwnDelete, OwnDeleted};
use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use snapshotter::domain::ids::{BackupId, InstanceId, SandboxId, SessionId};
use snapshotter::domain::loan::{Lent, LoanRequest};
use snapshotter::domain::path::AbsolutePath;
use snapshotter::domain::snapshot::{ShownState, SnapshotSummary};
use snapshotter::domain::workspace::{WorkspaceStatus, check_instance};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::database::Database;
use snapshotter::ports::exec_event::{ExecEvent, ExecEventKind};
use snapshotter::ports::random::random_bytes;
use snapshotter::ports::sandbox::*;
use snapshotter::ports::sessions::Sessions;
use snapshotter::ports::stream::Bytes;
use snapshotter::ports::watch::{WatchEventKind, WatchOptions};
use snapshotter::usecases::host::{
    Abort, Host, HostPorts, HostSettings, ListRequest, SessionStatus, SnapshotRequest,
};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A container's disk: which one it is, and its one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Disk {
    pub instance: InstanceId,
    pub content: String,
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
    /// What the image has where the workspace's one file is.
    pub image: Rc<RefCell<String>>,
    /// Containers started so far.
    pub starts: Rc<Cell<usize>>,
    /// Whether equal files give equal archives. Else each archive is another
    /// one, as if something had always changed.
    pub steady: Rc<Cell<bool>>,
    /// Whether commands that are told of run until they are cancelled.
    pub endless: Rc<Cell<bool>>,
    /// Whether one runs now.
    pub telling: Rc<Cell<bool>>,
    /// Whether their end is not told.
    pub silent: Rc<Cell<bool>>,
    /// Whether the one that was started last was.
    pub cancelled: Rc<RefCell<Rc<Cell<bool>>>>,
    /// What was moved aside by restores.
    pub aside: Rc<RefCell<Vec<String>>>,
    /// Processes that use the workspace's directory.
    pub users: Rc<RefCell<Vec<EndedProcess>>>,
    /// Whether the workspace's directory can't be renamed.
    pub mounted: Rc<Cell<bool>>,
    /// Backups that a sandbox says it is still making.
    pub making: Rc<RefCell<Vec<BackupId>>>,
    settled: Rc<RefCell<Vec<BackupId>>>,
    /// What each session stored.
    sessions: Rc<RefCell<BTreeMap<SessionId, Rc<MemoryDatabase>>>>,
    random: CountingRandom,
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
            image: Rc::default(),
            starts: Rc::default(),
            steady: Rc::default(),
            endless: Rc::default(),
            telling: Rc::default(),
            silent: Rc::default(),
            cancelled: Rc::default(),
            aside: Rc::default(),
            users: Rc::default(),
            mounted: Rc::default(),
            making: Rc::default(),
            settled: Rc::default(),
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
    pub fn host(&self, session: &str) -> Host {
        self.try_host(session).unwrap()
    }

    pub fn try_host(&self, session: &str) -> Result<Host> {
        let ports = HostPorts {
            clock: Rc::new(self.clock.clone()),
            random: Rc::new(self.random.clone()),
            log: Rc::new(self.log.clone()),
            database: self.database.clone(),
            alarm: Rc::new(self.alarm.clone()),
            buckets: Rc::new(OneBucket(self.bucket.clone())),
            sandboxes: Rc::new(self.clone()),
            directory: Rc::new(self.directory.clone()),
            sessions: Rc::new(self.clone()),
        };
        let id = SessionId::parse(session).unwrap();
        self.sessions.borrow_mut().insert(id.clone(), self.database.clone());
        let settings = HostSettings {
            token_keys: Some("k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".to_owned()),
            ..HostSettings::default()
        };
        Host::new(id, settings, ports)
    }

    /// Changes what is stored, as another version might have.
    pub fn sql(&self, statement: &str) {
        self.database.exec(statement, &[]).unwrap();
    }

    /// The column `count` of a query's one row.
    pub fn database_count(&self, query: &str) -> i64 {
        self.database.exec(query, &[]).unwrap()[0]["count"].as_i64().unwrap()
    }

    /// All that a query finds, as text to look for something in.
    pub fn database_text(&self, query: &str) -> String {
        format!("{:?}", self.database.exec(query, &[]).unwrap())
    }

    pub fn open(&self, session: &str) -> Host {
        self.open_with(session, serde_json::json!({}))
    }

    pub fn open_with(&self, session: &str, config: serde_json::Value) -> Host {
        let host = self.host(session);
        now(host.open(serde_json::from_value(config).unwrap())).unwrap();
        host
    }

    /// Runs the alarm until nothing is due before workspaces are idle.
    pub fn settle(&self, session: &str) {
        let host = self.host(session);
        host.wake().now_or_never().unwrap().unwrap();
        for _ in 0..100 {
            let Some(at_ms) = self.alarm.at_ms.take() else { return };
            if at_ms > self.clock.now_ms() + 540_000 {
                return;
            }
            self.clock.0.set(self.clock.now_ms().max(at_ms));
            host.settle().now_or_never().unwrap().unwrap();
        }
        panic!("the alarm never rests");
    }

    /// What must hold of a session at rest.
    pub fn check_invariants(&self, session: &str) {
        let host = self.host(session);
        let request = ListRequest {
            include_expired: true,
            include_unready: true,
            include_auto: true,
            ..Default::default()
        };
        let page = host.list(&request).now_or_never().unwrap().unwrap();
        let mut expected = Vec::new();
        for snapshot in &page.details {
            match snapshot.state {
                ShownState::Ready | ShownState::Expired => {
                    self.check_record(snapshot);
                    expected.extend([data_key(&snapshot.id), meta_key(&snapshot.id)]);
                }
                ShownState::Deleted | ShownState::Failed => {}
                unfinished => panic!("{} is still {unfinished:?}", snapshot.id),
            }
        }
        expected.sort();
        assert_eq!(self.bucket.keys(), expected, "R2 holds exactly the ready snapshots");
        let list = now(host.list_workspaces()).unwrap();
        for workspace in &list.workspaces {
            assert_eq!(workspace.state.as_str(), "ready", "{workspace:?}");
            let has_disk = self.disks.borrow().contains_key(workspace.r#ref.sandbox_id());
            match workspace.status {
                WorkspaceStatus::Running => assert!(has_disk, "{workspace:?}"),
                WorkspaceStatus::Paused => assert!(!has_disk, "not released: {workspace:?}"),
                // A first start that was broken off may have left one.
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

    /// `meta.json` says what the catalogue says.
    fn check_record(&self, snapshot: &SnapshotSummary) {
        let bytes = self.bucket.objects.borrow()[&meta_key(&snapshot.id)].clone();
        let meta = BackupMeta::parse(&snapshot.id, &bytes).unwrap();
        let ours = meta.snapshotter.clone().unwrap();
        assert_eq!(meta.name, snapshot.name);
        assert_eq!(ours.description, snapshot.description);
        assert_eq!(ours.labels, snapshot.labels);
        assert_eq!(ours.unpinned_ttl.is_some(), snapshot.pinned);
        let expires_ms = expires_at_ms(meta.created_at_ms().unwrap(), meta.ttl);
        assert_eq!(rfc3339(expires_ms), snapshot.expires_at);
    }

    pub fn disk(&self, id: &str) -> Option<Disk> {
        self.disks.borrow().get(&SandboxId::parse(id).unwrap()).cloned()
    }

    /// Changes the one file of a running container.
    pub fn write(&self, id: &str, content: &str) {
        let id = SandboxId::parse(id).unwrap();
        content.clone_into(&mut self.disks.borrow_mut().get_mut(&id).unwrap().content);
    }

    /// The container stops, and with it goes its disk.
    pub fn kill(&self, id: &str) {
        self.disks.borrow_mut().remove(&SandboxId::parse(id).unwrap());
    }
}

#[async_trait(?Send)]
impl Sessions for World {
    async fn lend(&self, owner: &SessionId, request: LoanRequest) -> Result<Lent> {
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
}

impl Sandboxes for World {
    fn get(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>> {
        Ok(Rc::new(FakeSandbox { id: id.clone(), world: self.clone() }))
    }
}

struct FakeSandbox {
    id: SandboxId,
    world: World,
}

impl FakeSandbox {
    fn start(&self) -> Result<InstanceId> {
        let mut disks = self.world.disks.borrow_mut();
        if !disks.contains_key(&self.id) {
            let instance = InstanceId::from_random(random_bytes(&self.world.random)?);
            let content = self.world.image.borrow().clone();
            disks.insert(self.id.clone(), Disk { instance, content });
            self.world.starts.set(self.world.starts.get() + 1);
        }
        Ok(disks[&self.id].instance.clone())
    }

    fn check(&self, expected: Option<&InstanceId>) -> Result<()> {
        let Some(expected) = expected else { return Ok(()) };
        let disks = self.world.disks.borrow();
        let stopped = InstanceId::from_random([255; 16]);
        check_instance(expected, disks.get(&self.id).map_or(&stopped, |disk| &disk.instance))
    }
}

#[async_trait(?Send)]
impl SandboxApi for FakeSandbox {
    async fn configure(&self, _options: ConfigureOptions) -> Result<()> {
        self.world.faults.effect("configure", || Ok(())).await
    }

    async fn ensure_running(&self) -> Result<InstanceId> {
        self.world.faults.effect("ensureRunning", || self.start()).await
    }

    async fn knows_disks(&self) -> Result<bool> {
        Ok(true)
    }

    async fn disk(&self) -> Result<Option<InstanceId>> {
        let disk = || Ok(self.world.disks.borrow().get(&self.id).map(|disk| disk.instance.clone()));
        self.world.faults.effect("disk", disk).await
    }

    async fn is_running(&self) -> Result<bool> {
        let running = || Ok(self.world.disks.borrow().contains_key(&self.id));
        self.world.faults.effect("isRunning", running).await
    }

    async fn is_telling(&self) -> Result<bool> {
        Ok(self.world.telling.get())
    }

    async fn destroy(&self) -> Result<()> {
        self.world
            .faults
            .effect("destroy", || {
                self.world.disks.borrow_mut().remove(&self.id);
                Ok(())
            })
            .await
    }

    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle> {
        self.check(options.instance_id.as_ref())?;
        let id = options.id.clone().unwrap();
        let ours = options.snapshotter.clone().unwrap();
        let put = |key: String, bytes: Vec<u8>| {
            self.world.bucket.objects.borrow_mut().insert(key, bytes);
            Ok(())
        };
        if self.world.settled.borrow().contains(&id) {
            return Err(Error::new(ErrorCode::Conflict, "settled"));
        }
        if self.world.bucket.refuses.get() {
            return Err(Error::new(ErrorCode::BackupFailed, "the bucket refuses it"));
        }
        let archive = || {
            self.check(options.instance_id.as_ref())?;
            Ok(self.world.disks.borrow()[&self.id].content.clone().into_bytes())
        };
        let content = self.world.faults.effect("archive", archive).await?;
        if let Some(known) = &options.unless_equal
            && self.world.steady.get()
            && known.sha256 == hex(&content)
        {
            let handle =
                BackupHandle { id: known.id.clone(), dir: options.dir, extra: Default::default() };
            return self.world.faults.effect("compare", || Ok(handle)).await;
        }
        let meta = BackupMeta {
            id: id.clone(),
            dir: options.dir.clone(),
            name: options.name.clone(),
            size_bytes: content.len() as u64,
            ttl: options.ttl.as_secs(),
            created_at: rfc3339(self.world.clock.now_ms()),
            snapshotter: Some(SnapshotterMeta {
                version: 1,
                kind: SnapshotKind::Full,
                session_id: ours.session_id,
                origin_sandbox_id: ours.origin_sandbox_id,
                parent_id: ours.parent_id,
                sha256: hex(self.world.disks.borrow()[&self.id].content.as_bytes()),
                trigger: ours.trigger,
                description: ours.description,
                labels: ours.labels,
                unpinned_ttl: None,
                published: false,
                extra: Default::default(),
            }),
            extra: Default::default(),
        };
        self.world.faults.effect("putData", || put(data_key(&id), content)).await?;
        self.world.faults.effect("putMeta", || put(meta_key(&id), meta.to_bytes()?)).await?;
        Ok(meta.handle())
    }

    async fn restore_backup(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult> {
        self.world
            .faults
            .effect("restore", || {
                let data = self.world.bucket.objects.borrow().get(&data_key(&handle.id)).cloned();
                let data = data.ok_or_else(|| Error::new(ErrorCode::SnapshotGone, "no archive"))?;
                self.check(options.instance_id.as_ref())?;
                let instance_id = Some(self.start()?);
                if options.end_users && self.world.mounted.get() {
                    return Err(Error::new(ErrorCode::Unsupported, "it is a mount"));
                }
                let ended = if options.end_users { self.world.users.take() } else { Vec::new() };
                let before = self.world.disks.borrow()[&self.id].content.clone();
                let aside = (options.wake && !before.is_empty()).then(|| {
                    self.world.aside.borrow_mut().push(before);
                    "/workspace.aside-0".to_owned()
                });
                self.world.write(self.id.as_str(), &String::from_utf8(data).unwrap());
                let dir = handle.dir.as_str().to_owned();
                Ok(RestoreBackupResult {
                    success: true,
                    dir,
                    id: handle.id,
                    instance_id,
                    aside,
                    ended,
                })
            })
            .await
    }

    async fn settle_backup(&self, id: BackupId) -> Result<BackupProgress> {
        self.world
            .faults
            .effect("settleBackup", || {
                if self.world.making.borrow().contains(&id) {
                    return Ok(BackupProgress::Running);
                }
                self.world.settled.borrow_mut().push(id);
                Ok(BackupProgress::Ended)
            })
            .await
    }

    async fn exec(&self, _command: CommandLine, options: ExecOptions) -> Result<ExecResult> {
        self.check(options.instance_id.as_ref())?;
        Ok(ExecResult {
            success: true,
            exit_code: 0,
            stdout: self.world.disks.borrow()[&self.id].content.clone(),
            stderr: String::new(),
            stdout_truncated: false,
            stderr_truncated: false,
            timed_out: false,
            duration: 0,
        })
    }

    async fn exec_stream(&self, command: CommandLine, options: ExecOptions) -> Result<Bytes> {
        let followed = options.followed;
        let result = self.exec(command.clone(), options).await?;
        let data = result.stdout.clone();
        let stdout = if followed { data.clone() } else { String::new() };
        let result = ExecResult { stdout, ..result };
        let mut events = vec![
            ExecEventKind::Start { command },
            ExecEventKind::Stdout { data },
            ExecEventKind::Complete { exit_code: 0, result },
        ];
        let hangs = self.world.endless.get();
        if hangs || self.world.silent.get() {
            events.pop();
        }
        let events = events.into_iter().map(|kind| ExecEvent::new(0, kind).to_sse().unwrap());
        let mut stream = MemoryBytes::of(events);
        stream.hangs = hangs;
        self.world.cancelled.replace(stream.cancelled.clone());
        Ok(Box::new(stream))
    }

    async fn run_code(&self, code: String, options: RunCodeOptions) -> Result<RunCodeResult> {
        let exec = ExecOptions { instance_id: options.instance_id, ..Default::default() };
        let exec = self.exec(CommandLine::Shell(code), exec).await?;
        let (value, value_text, images, omitted) = Default::default();
        Ok(RunCodeResult { exec, value, value_text, images, omitted })
    }

    async fn read_file(&self, _path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult> {
        self.check(options.instance_id.as_ref())?;
        let content = self.world.disks.borrow()[&self.id].content.clone();
        let truncated = options.range.is_some();
        Ok(ReadFileResult { size: content.len() as u64, content, truncated, ..Default::default() })
    }

    async fn write_file(
        &self,
        _path: AbsolutePath,
        content: String,
        options: FileOptions,
    ) -> Result<()> {
        self.check(options.instance_id.as_ref())?;
        let held = hex(self.world.disks.borrow()[&self.id].content.as_bytes());
        if options.if_sha256.is_some_and(|expected| expected != held) {
            return Err(Error::new(ErrorCode::Conflict, "was changed meanwhile"));
        }
        self.world.write(self.id.as_str(), &content);
        Ok(())
    }

    async fn mkdir(&self, _path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.world.faults.effect("mkdir", || self.check(options.instance_id.as_ref())).await
    }

    async fn list_files(&self, _: AbsolutePath, _: FileOptions) -> Result<ListFilesResult> {
        Err(Error::new(ErrorCode::Unsupported, "there is one file"))
    }

    async fn delete_file(&self, _: AbsolutePath, options: FileOptions) -> Result<()> {
        self.check(options.instance_id.as_ref())?;
        self.world.write(self.id.as_str(), "");
        Ok(())
    }

    async fn exists(&self, _: AbsolutePath, _: FileOptions) -> Result<bool> {
        Err(Error::new(ErrorCode::Unsupported, "the host does not look for files"))
    }

    async fn stat(&self, _: AbsolutePath, _: FileOptions) -> Result<FileStat> {
        Err(Error::new(ErrorCode::Unsupported, "there is one file"))
    }

    async fn glob(&self, path: AbsolutePath, options: SearchOptions) -> Result<FoundFiles> {
        self.check(options.instance_id.as_ref())?;
        assert!(path.is_at_or_under(options.within.unwrap().as_str()));
        let found = |path: &str, coded: Option<&str>| FoundPath {
            path: path.to_owned(),
            path_base64: coded.map(str::to_owned),
        };
        let files = vec![found("a", None), found("b\u{fffd}", Some("Yv8="))];
        Ok(FoundFiles { files, truncated: options.limit == Some(2) })
    }

    async fn export_tar(&self, _: AbsolutePath, options: FileOptions) -> Result<Bytes> {
        self.check(options.instance_id.as_ref())?;
        let content = self.world.disks.borrow()[&self.id].content.clone();
        Ok(Box::new(MemoryBytes::of([content.into_bytes()])))
    }

    async fn import_tar(
        &self,
        mut archive: Bytes,
        _: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
        self.check(options.instance_id.as_ref())?;
        let mut content = Vec::new();
        while let Some(bytes) = archive.next().await? {
            content.extend(bytes);
        }
        self.world.write(self.id.as_str(), &String::from_utf8(content.clone()).unwrap());
        let bytes = content.len() as u64;
        Ok(ImportedTar { entries: 1, files: 1, directories: 0, links: 0, bytes })
    }

    async fn watch(&self, path: AbsolutePath, options: WatchOptions) -> Result<Bytes> {
        self.check(options.instance_id.as_ref())?;
        assert!(path.is_at_or_under(options.within.unwrap().as_str()));
        let mut stream = MemoryBytes::of([WatchEventKind::Watching { directories: 1 }.to_sse(0)?]);
        stream.hangs = self.world.endless.get();
        self.world.cancelled.replace(stream.cancelled.clone());
        Ok(Box::new(stream))
    }

    async fn grep(&self, _: AbsolutePath, options: GrepOptions) -> Result<FoundLines> {
        self.check(options.search.instance_id.as_ref())?;
        let file = FoundPath { path: String::new(), path_base64: None };
        let text = self.world.disks.borrow()[&self.id].content.clone();
        let line = FoundLine { file, line: Some(1), text, cut: false, matches: true };
        Ok(FoundLines { lines: vec![line], truncated: false })
    }
}

/// Runs a call that nothing breaks.
pub fn now<T>(call: impl Future<Output = T>) -> T {
    call.now_or_never().expect("no fault is armed")
}

/// Takes a snapshot that nothing breaks, and returns its id.
pub fn snapshot(host: &Host) -> BackupId {
    now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap().snapshot.id
}

/// Whether an answer says honestly that it does not know or did not do.
pub fn is_honest(error: &Error) -> bool {
    error.outcome != Outcome::Committed
}

/// Lets calls go on by turns.
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
