//! A sandbox of one file, for hosts.

use super::{Disk, World};
use crate::support::container::hex;
use crate::support::stream::MemoryBytes;
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use futures::channel::oneshot;
use serde_json::json;
use snapshotter::domain::egress::NetworkMode;
use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use snapshotter::domain::exec::terminal::{Frame, ServerMessage};
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::domain::ids::*;
use snapshotter::domain::snapshot::backup::machine::{MachineImage, MachinePart};
use snapshotter::domain::snapshot::backup::{
    BackupHandle, SnapshotKind, archive_key, machine_key, meta_key,
};
use snapshotter::domain::snapshot::chain::Chain;
use snapshotter::domain::snapshot::meta::{BackupMeta, SnapshotterMeta};
use snapshotter::domain::time::rfc3339;
use snapshotter::domain::workspace::check_instance;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::random::random_bytes;
use snapshotter::ports::sandbox::exec_event::{ExecEvent, ExecEventKind};
use snapshotter::ports::sandbox::watch::{WatchEventKind, WatchOptions};
use snapshotter::ports::sandbox::*;
use snapshotter::ports::stream::Bytes;

/// A container with one file, and archives of it.
pub(super) struct FakeSandbox {
    pub(super) id: SandboxId,
    pub(super) world: World,
}

impl FakeSandbox {
    fn start(&self) -> Result<InstanceId> {
        let mut disks = self.world.disks.borrow_mut();
        if !disks.contains_key(&self.id) {
            let instance = InstanceId::from_random(random_bytes(&self.world.random)?);
            let content = self.world.image.borrow().clone();
            let machine = String::new();
            disks.insert(self.id.clone(), Disk { instance, content, machine });
            self.world.starts.set(self.world.starts.get() + 1);
        }
        Ok(disks[&self.id].instance.clone())
    }

    /// What concerns more than a container's own files happens where no caller's command ran.
    fn assert_clean(&self) {
        assert!(self.id.as_str().starts_with("s-clean-"), "{} is a workspace", self.id);
        let configured = &self.world.configured.borrow()[&self.id];
        assert_eq!(configured.egress_policy().mode, NetworkMode::Off);
        assert!(configured.buckets().is_empty() && configured.persist_machine.is_none());
    }

    /// The machine, and its archive unless it is shared.
    fn save_machine(
        &self,
        id: &BackupId,
        options: &CreateBackupOptions,
    ) -> Result<Option<(MachinePart, Option<Vec<u8>>)>> {
        if !self.persists_machine() {
            return Ok(None);
        }
        let machine = self.world.disks.borrow()[&self.id].machine.clone().into_bytes();
        let sha256 = hex(&machine);
        if let Some(known) = options.known_machine.as_ref().filter(|it| it.sha256 == sha256) {
            return Ok(Some((known.clone(), None)));
        }
        let image = MachineImage { name: None, sha256: self.world.image_sha256.borrow().clone() };
        let (id, size_bytes) = (id.clone(), machine.len() as u64);
        let lost = false;
        Ok(Some((MachinePart { id, size_bytes, sha256, image, lost }, Some(machine))))
    }

    /// Returns whether the bucket has lost the machine.
    fn restore_machine(&self, options: &RestoreBackupOptions) -> Result<bool> {
        let Some(wanted) = &options.machine else { return Ok(false) };
        assert!(options.fresh_sandbox && self.persists_machine());
        let objects = self.world.bucket.objects.borrow();
        let meta = objects.get(&meta_key(&wanted.backup.id));
        let meta = meta.ok_or_else(|| Error::new(ErrorCode::SnapshotGone, "no record"))?;
        let meta = BackupMeta::parse(&wanted.backup.id, meta)?;
        let Some(part) = meta.machine() else { return Ok(false) };
        if part.image.sha256 != *self.world.image_sha256.borrow() && !wanted.force_image {
            return Err(Error::new(ErrorCode::Conflict, "another image"));
        }
        let Some(archive) = objects.get(&machine_key(&part.id)) else { return Ok(true) };
        self.start()?;
        self.world.install(self.id.as_str(), &String::from_utf8_lossy(archive));
        Ok(false)
    }

    fn persists_machine(&self) -> bool {
        let configured = self.world.configured.borrow();
        configured.get(&self.id).is_some_and(|options| options.persist_machine.is_some())
    }

    fn processes(&self) -> Vec<ProcessView> {
        let disks = self.world.disks.borrow();
        let Some(disk) = disks.get(&self.id) else { return Vec::new() };
        let processes = self.world.processes.borrow();
        let here = processes.iter().filter(|(on, _)| *on == disk.instance);
        here.map(|(_, process)| process.clone()).collect()
    }

    fn end_processes(&self, which: impl Fn(&ProcessView) -> bool) {
        let instance = self.world.disks.borrow()[&self.id].instance.clone();
        for (on, process) in self.world.processes.borrow_mut().iter_mut() {
            if *on == instance && process.state == ProcessState::Running && which(process) {
                process.state = ProcessState::Ended;
                process.exit_code = Some(143);
                process.ended_at = Some(rfc3339(self.world.clock.now_ms()));
            }
        }
    }

    /// Archives `content`, or else the workspace's file.
    async fn back_up(
        &self,
        options: CreateBackupOptions,
        content: Option<Vec<u8>>,
    ) -> Result<BackupHandle> {
        self.check(options.instance_id.as_ref())?;
        let id = options.id.clone().unwrap();
        let ours = options.snapshotter.clone().unwrap();
        let put = |key: String, bytes: Vec<u8>| {
            self.world.bucket.objects.borrow_mut().insert(key, bytes);
            Ok(())
        };
        if self.world.recovered.borrow().contains(&id) {
            return Err(Error::new(ErrorCode::Conflict, "settled"));
        }
        if self.world.bucket.refuses.get() {
            return Err(Error::new(ErrorCode::BackupFailed, "the bucket refuses it"));
        }
        let archive = || {
            self.check(options.instance_id.as_ref())?;
            let of_disk = || self.world.disks.borrow()[&self.id].content.clone().into_bytes();
            Ok(content.unwrap_or_else(of_disk))
        };
        let content = self.world.faults.effect("archive", archive).await?;
        if self.world.archiving.borrow().contains(&self.id) {
            return self.until_stopped(&id).await;
        }
        self.world.clock.advance(self.world.archive_ms.get());
        let machine = self.save_machine(&id, &options)?;
        if let Some(known) = &options.unless_equal
            && machine.as_ref().is_none_or(|(_, archive)| archive.is_none())
            && self.world.steady.get()
            && known.sha256 == hex(&content)
        {
            let handle =
                BackupHandle { id: known.id.clone(), dir: options.dir, extra: Default::default() };
            return self.world.faults.effect("compare", || Ok(handle)).await;
        }
        let sha256 = hex(&content);
        let chain = if self.world.layers.get() { options.base.clone() } else { Chain::NONE };
        let kind = if chain.is_empty() { SnapshotKind::Full } else { SnapshotKind::Layer };
        // A layer is small, and only its sandbox knows the files.
        let archive = if chain.is_empty() { content.clone() } else { vec![b'+'] };
        self.world.archived.borrow_mut().insert(id.clone(), content);
        let meta = BackupMeta {
            id: id.clone(),
            dir: options.dir.clone(),
            name: options.name.clone(),
            size_bytes: archive.len() as u64,
            ttl: options.ttl.as_secs(),
            created_at: rfc3339(self.world.clock.now_ms()),
            snapshotter: Some(SnapshotterMeta {
                version: 1,
                kind,
                session_id: ours.session_id,
                origin_sandbox_id: ours.origin_sandbox_id,
                parent_id: ours.parent_id,
                sha256,
                chain,
                git: self.world.git.borrow().clone(),
                machine: machine.as_ref().map(|(part, _)| part.clone()),
                cause: ours.cause,
                annotations: ours.annotations,
                unpinned_ttl: None,
                renews: ours.renews,
                published: false,
                extra: Default::default(),
            }),
            extra: Default::default(),
        };
        if let Some((_, Some(archive))) = machine {
            let key = machine_key(&id);
            self.world.faults.effect("putMachine", || put(key, archive)).await?;
        }
        self.world.faults.effect("putData", || put(archive_key(&id, kind), archive)).await?;
        self.world.faults.effect("putMeta", || put(meta_key(&id), meta.to_bytes()?)).await?;
        let reported = self.world.misreported.borrow().clone().unwrap_or(id);
        Ok(BackupHandle { id: reported, ..meta.handle() })
    }

    /// Works until it is ended.
    async fn until_stopped<T>(&self, id: &BackupId) -> Result<T> {
        let (sender, stopped) = oneshot::channel();
        self.world.stops.borrow_mut().insert(id.clone(), sender);
        // A dropped sender is no stop.
        stopped.await.expect("the world lives on");
        Err(Error::new(ErrorCode::Aborted, "the caller aborted; nothing was changed"))
    }

    pub(super) fn check(&self, expected: Option<&InstanceId>) -> Result<()> {
        let Some(expected) = expected else { return Ok(()) };
        let disks = self.world.disks.borrow();
        let stopped = InstanceId::from_random([255; 16]);
        check_instance(expected, disks.get(&self.id).map_or(&stopped, |disk| &disk.instance))
    }
}

#[async_trait(?Send)]
impl SandboxApi for FakeSandbox {
    async fn configure(&self, options: ConfigureOptions) -> Result<()> {
        let configure = || {
            self.world.configured.borrow_mut().insert(self.id.clone(), options);
            Ok(())
        };
        self.world.faults.effect("configure", configure).await
    }

    async fn ensure_running(&self) -> Result<InstanceId> {
        self.world.faults.effect("ensureRunning", || self.start()).await
    }

    async fn disk(&self) -> Result<Option<InstanceId>> {
        let disk = || Ok(self.world.disks.borrow().get(&self.id).map(|disk| disk.instance.clone()));
        self.world.faults.effect("disk", disk).await
    }

    async fn is_running(&self) -> Result<bool> {
        let running = || Ok(self.world.disks.borrow().contains_key(&self.id));
        self.world.faults.effect("isRunning", running).await
    }

    async fn runs_commands(&self) -> Result<bool> {
        Ok(self.world.streaming.get())
    }

    async fn destroy(&self) -> Result<()> {
        self.world
            .faults
            .effect("destroy", || {
                self.world.disks.borrow_mut().remove(&self.id);
                self.world.configured.borrow_mut().remove(&self.id);
                Ok(())
            })
            .await
    }

    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle> {
        self.back_up(options, None).await
    }

    async fn import_backup(
        &self,
        mut archive: Bytes,
        import: ImportBackupOptions,
        options: CreateBackupOptions,
    ) -> Result<BackupHandle> {
        // A workspace that has never had files runs no commands before it has them.
        let rows = self.world.database_text("SELECT instance_id FROM workspaces");
        if rows.contains(self.world.disks.borrow()[&self.id].instance.as_str()) {
            self.assert_clean();
        }
        self.check(options.instance_id.as_ref())?;
        let mut content = Vec::new();
        while let Some(bytes) = archive.next().await? {
            content.extend(bytes);
        }
        let refused = |code, what: &str| Error::new(code, what).with_outcome(Outcome::None);
        if import.sha256.is_some_and(|sha256| sha256 != hex(&content)) {
            return Err(refused(ErrorCode::Integrity, "another SHA-256"));
        }
        if content.is_empty() {
            return Err(refused(ErrorCode::InvalidArgument, "the archive is empty"));
        }
        self.world.faults.effect("stage", || Ok(())).await?;
        if self.world.hanging.get() {
            return self.until_stopped(options.id.as_ref().unwrap()).await;
        }
        // A tree beside the workspace's: its one file is the archive's content.
        self.back_up(options, Some(content)).await
    }

    async fn pack_backup(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<PackedBackup> {
        self.assert_clean();
        self.check(options.instance_id.as_ref())?;
        let packed = || {
            let files = self.world.archived.borrow().get(&backup.id).cloned();
            let files = files.ok_or_else(|| Error::new(ErrorCode::SnapshotGone, "no archive"))?;
            let (size_bytes, sha256) = (files.len() as u64, hex(&files));
            Ok(PackedBackup { name: backup.id.to_string(), size_bytes, sha256 })
        };
        if self.world.hanging.get() {
            return self.until_stopped(&backup.id).await;
        }
        self.world.faults.effect("packBackup", packed).await
    }

    async fn read_packed(&self, name: String, options: FlattenBackupOptions) -> Result<Bytes> {
        self.check(options.instance_id.as_ref())?;
        let files = self.world.archived.borrow()[&BackupId::parse(&name)?].clone();
        Ok(Box::new(MemoryBytes::of([files])))
    }

    async fn store_packed(&self, name: String, options: StorePackedOptions) -> Result<()> {
        self.assert_clean();
        self.check(options.instance_id.as_ref())?;
        let files = self.world.archived.borrow()[&BackupId::parse(&name)?].clone();
        let store = || {
            self.world.bucket.objects.borrow_mut().insert(options.key.clone(), files);
            Ok(())
        };
        self.world.faults.effect("storePacked", store).await
    }

    async fn restore_backup(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult> {
        if self.world.hanging.get() {
            self.start()?;
            return self.until_stopped(&handle.id).await;
        }
        self.world
            .faults
            .effect("restore", || {
                let objects = self.world.bucket.objects.borrow();
                let lacks = |what| Error::new(ErrorCode::SnapshotGone, what);
                if self.world.misses.take() {
                    return Err(lacks("it was just changed"));
                }
                let meta = objects.get(&meta_key(&handle.id)).ok_or_else(|| lacks("no record"))?;
                let meta = BackupMeta::parse(&handle.id, meta)?;
                let (kind, chain) = (meta.kind(), meta.chain());
                let archive = objects.get(&archive_key(&handle.id, kind)).cloned();
                let archive = archive.ok_or_else(|| lacks("no archive"))?;
                for (part, kind) in chain.archives() {
                    let below = objects.get(&archive_key(&part.id, kind));
                    let fits = below.is_some_and(|found| found.len() as u64 == part.size_bytes);
                    if !fits {
                        return Err(lacks("no archive below"));
                    }
                }
                drop(objects);
                let machine_lost = self.restore_machine(&options)?;
                let data = match kind {
                    SnapshotKind::Full => archive,
                    SnapshotKind::Layer => self.world.archived.borrow()[&handle.id].clone(),
                };
                self.check(options.instance_id.as_ref())?;
                let instance_id = self.start()?;
                if options.end_users && self.world.mounted.get() {
                    return Err(Error::new(ErrorCode::Unsupported, "it is a mount"));
                }
                let ended = if options.end_users { self.world.users.take() } else { Vec::new() };
                if options.end_users && !self.world.lingering.get() {
                    self.end_processes(|_| true);
                }
                let before = self.world.disks.borrow()[&self.id].content.clone();
                let aside = (options.wake && !before.is_empty()).then(|| {
                    self.world.aside.borrow_mut().push(before);
                    "/workspace.aside-0".to_owned()
                });
                self.world.write(self.id.as_str(), &String::from_utf8_lossy(&data));
                let dir = handle.dir.as_str().to_owned();
                self.world.restored.borrow_mut().push((handle.id.clone(), dir.clone()));
                let (success, id) = (true, handle.id);
                Ok(RestoreBackupResult {
                    success,
                    dir,
                    id,
                    instance_id,
                    aside,
                    ended,
                    machine_lost,
                })
            })
            .await
    }

    async fn flatten_backup(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<FlattenedBackup> {
        self.assert_clean();
        self.check(options.instance_id.as_ref())?;
        let (id, objects) = (&backup.id, &self.world.bucket.objects);
        let meta = BackupMeta::parse(id, &objects.borrow()[&meta_key(id)])?;
        assert_eq!(meta.kind(), SnapshotKind::Layer);
        let forged = self.world.forged.borrow().clone();
        let files = forged.unwrap_or_else(|| self.world.archived.borrow()[id].clone());
        let made = FlattenedBackup { size_bytes: files.len() as u64, sha256: hex(&files) };
        let put = || {
            objects.borrow_mut().insert(archive_key(id, SnapshotKind::Full), files);
            Ok(made)
        };
        if self.world.hanging.get() {
            return self.until_stopped(id).await;
        }
        let unknown = |error: Error| error.with_outcome(Outcome::Unknown);
        self.world.faults.effect("flattenData", put).await.map_err(unknown)
    }

    async fn stop_backup(&self, id: BackupId) -> Result<()> {
        if let Some(stop) = self.world.stops.borrow_mut().remove(&id) {
            // Its receiver may be gone.
            let _ = stop.send(());
        }
        Ok(())
    }

    async fn recover_backup(&self, id: BackupId) -> Result<BackupProgress> {
        self.world
            .faults
            .effect("recoverBackup", || {
                if self.world.making.borrow().contains(&id) {
                    return Ok(BackupProgress::Running);
                }
                // Of a layer that was becoming full, the full archive is the unfinished part.
                let mut objects = self.world.bucket.objects.borrow_mut();
                let meta = objects.get(&meta_key(&id)).map(|meta| BackupMeta::parse(&id, meta));
                if meta.transpose()?.is_some_and(|meta| meta.kind() == SnapshotKind::Layer) {
                    objects.remove(&archive_key(&id, SnapshotKind::Full));
                }
                self.world.recovered.borrow_mut().push(id);
                Ok(BackupProgress::Ended)
            })
            .await
    }

    async fn exec(&self, _command: CommandLine, options: ExecOptions) -> Result<ExecResult> {
        self.check(options.instance_id.as_ref())?;
        let refused_hosts = self.world.refused.borrow().clone();
        let hint = (!refused_hosts.is_empty()).then(|| "ask for them".to_owned());
        Ok(ExecResult {
            success: true,
            exit_code: 0,
            stdout: self.world.disks.borrow()[&self.id].content.clone(),
            stderr: String::new(),
            stdout_truncated: false,
            stderr_truncated: false,
            timed_out: false,
            duration_ms: 0,
            refused_hosts,
            left_running: None,
            hint,
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

    async fn terminal(&self, _typed: Bytes, options: TerminalOptions) -> Result<Bytes> {
        self.check(Some(&options.instance_id))?;
        let terminal = TerminalId::from_random([0; 16]);
        let started = ServerMessage::Started { terminal, resumed: options.terminal.is_some() };
        Ok(Box::new(MemoryBytes::of([Frame::message(&started)?.to_bytes()])))
    }

    async fn start_process(
        &self,
        name: ProcessName,
        command: CommandLine,
        options: StartProcessOptions,
    ) -> Result<ProcessView> {
        self.check(options.instance_id.as_ref())?;
        let start = || {
            let instance = self.start()?;
            let mut processes = self.world.processes.borrow_mut();
            let is_it = |(on, one): &(InstanceId, ProcessView)| *on == instance && one.name == name;
            if processes.iter().any(|one| is_it(one) && one.1.state == ProcessState::Running) {
                return Err(Error::new(ErrorCode::Conflict, "runs already"));
            }
            processes.retain(|one| !is_it(one));
            if options.cwd.as_str().ends_with("/missing") {
                return Err(Error::new(ErrorCode::NotFound, "there is no such directory"));
            }
            let timeout = options.timeout.map(|ms| format!(" for {ms} ms")).unwrap_or_default();
            let (shown, cwd) = (command.shown(), &options.cwd);
            let started = format!("{}: {name}: {shown} in {cwd}{timeout}", self.id);
            self.world.started.borrow_mut().push(started);
            let now = rfc3339(self.world.clock.now_ms());
            let ended = self.world.short_lived.borrow().contains(&name);
            let process = ProcessView {
                name: name.clone(),
                state: if ended { ProcessState::Ended } else { ProcessState::Running },
                exit_code: ended.then_some(1),
                started_at: now.clone(),
                ended_at: ended.then_some(now),
                log_bytes: 0,
                command: shown,
                left_running: false,
                hint: None,
            };
            processes.push((instance.clone(), process.clone()));
            Ok(process)
        };
        self.world.faults.effect("startProcess", start).await
    }

    async fn list_processes(&self, options: ProcessOptions) -> Result<ProcessList> {
        self.check(options.instance_id.as_ref())?;
        let list = || Ok(ProcessList { processes: self.processes() });
        self.world.faults.effect("listProcesses", list).await
    }

    async fn list_users(&self, _: AbsolutePath, options: ProcessOptions) -> Result<DirUsers> {
        self.check(options.instance_id.as_ref())?;
        let running = self.processes().into_iter().filter(|one| one.state == ProcessState::Running);
        let background = running.map(|one| one.name).collect();
        let users = || Ok(DirUsers { processes: self.world.users.borrow().clone(), background });
        self.world.faults.effect("listUsers", users).await
    }

    async fn read_process_log(
        &self,
        name: ProcessName,
        options: ProcessOptions,
    ) -> Result<ProcessLog> {
        self.check(options.instance_id.as_ref())?;
        let process = self.processes().into_iter().find(|one| one.name == name);
        let process = process.ok_or_else(|| Error::new(ErrorCode::NotFound, "no process"))?;
        let offset = options.offset.unwrap_or_default();
        Ok(ProcessLog { process, offset, next_offset: offset + 2, text: "hi".to_owned() })
    }

    async fn stop_process(
        &self,
        name: ProcessName,
        options: ProcessOptions,
    ) -> Result<ProcessView> {
        self.check(options.instance_id.as_ref())?;
        if !self.processes().iter().any(|one| one.name == name) {
            return Err(Error::new(ErrorCode::NotFound, "no process"));
        }
        self.end_processes(|one| one.name == name);
        Ok(self.processes().into_iter().find(|one| one.name == name).unwrap())
    }

    async fn mount_buckets(&self, options: MountBucketsOptions) -> Result<MountedBuckets> {
        self.check(options.instance_id.as_ref())?;
        let mount = || {
            let disk = self.start()?;
            self.world.bucket_dirs.borrow_mut().push((disk, options.mounts.clone()));
            Ok(self.world.bucket_mounts.borrow().clone())
        };
        self.world.faults.effect("mountBuckets", mount).await
    }

    async fn run_code(&self, code: String, options: RunCodeOptions) -> Result<RunCodeResult> {
        let exec = ExecOptions { instance_id: options.instance_id, ..Default::default() };
        let exec = self.exec(CommandLine::Shell(code), exec).await?;
        Ok(RunCodeResult { exec, left: CodeLeft::default() })
    }

    async fn create_code_context(&self, options: CreateCodeContextOptions) -> Result<CodeContext> {
        self.check(options.instance_id.as_ref())?;
        let create = || {
            let disk = self.start()?;
            let random = random_bytes(&self.world.random)?;
            let created = CodeContext {
                context: CodeContextId::new(&disk, random),
                language: options.language,
                memory_mib: options.memory_mib.unwrap_or(1024),
                created_at: rfc3339(self.world.clock.now_ms()),
            };
            self.world.contexts.borrow_mut().push(created.clone());
            Ok(created)
        };
        self.world.faults.effect("createCodeContext", create).await
    }

    async fn list_code_contexts(&self, options: CodeContextOptions) -> Result<CodeContextList> {
        self.check(options.instance_id.as_ref())?;
        let disk = self.world.disks.borrow()[&self.id].instance.clone();
        let contexts = self.world.contexts.borrow();
        let here = contexts.iter().filter(|one| one.context.is_on(&disk));
        Ok(CodeContextList { contexts: here.cloned().collect() })
    }

    async fn run_in_code_context(
        &self,
        context: CodeContextId,
        code: String,
        options: RunInCodeContextOptions,
    ) -> Result<Bytes> {
        self.check(options.instance_id.as_ref())?;
        let listed = self.list_code_contexts(CodeContextOptions::default()).await?;
        if !listed.contexts.iter().any(|one| one.context == context) {
            return Err(Error::new(ErrorCode::NotFound, "no context"));
        }
        self.world.started.borrow_mut().push(format!("{:?} ms: {code}", options.timeout));
        let exec = ExecOptions { followed: true, ..ExecOptions::default() };
        let result = ExecResult {
            stdout: code.clone(),
            ..self.exec(CommandLine::Shell(code.clone()), exec).await?
        };
        let left = CodeLeft { value: Some(json!(6)), ..CodeLeft::default() };
        let context_ended = (code == "exit()").then(|| "its interpreter exited with 0".to_owned());
        let mut events = vec![
            ExecEventKind::Stdout { data: code },
            ExecEventKind::Left { code: LeftInContext { left, context_ended } },
            ExecEventKind::Complete { exit_code: 0, result },
        ];
        let hangs = self.world.endless.get();
        if hangs {
            events.truncate(1);
        }
        let events = events.into_iter().map(|kind| ExecEvent::new(0, kind).to_sse().unwrap());
        let mut stream = MemoryBytes::of(events);
        stream.hangs = hangs;
        self.world.cancelled.replace(stream.cancelled.clone());
        Ok(Box::new(stream))
    }

    async fn delete_code_context(
        &self,
        context: CodeContextId,
        options: CodeContextOptions,
    ) -> Result<()> {
        self.check(options.instance_id.as_ref())?;
        self.world.contexts.borrow_mut().retain(|one| one.context != context);
        Ok(())
    }

    async fn read_file(&self, _path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult> {
        self.check(options.instance_id.as_ref())?;
        let content = self.world.disks.borrow()[&self.id].content.clone();
        let truncated = options.range.is_some();
        Ok(ReadFileResult {
            size_bytes: content.len() as u64,
            content,
            truncated,
            ..Default::default()
        })
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
        if self.world.replaced.get() {
            if !options.clear {
                return Err(Error::new(ErrorCode::Conflict, "it exists, and is no directory"));
            }
            self.world.replaced.set(false);
            self.world.write(self.id.as_str(), "");
        }
        self.world.faults.effect("mkdir", || self.check(options.instance_id.as_ref())).await
    }

    async fn list_files(&self, _: AbsolutePath, options: FileOptions) -> Result<ListFilesResult> {
        self.check(options.instance_id.as_ref())?;
        Ok(ListFilesResult { files: Vec::new(), truncated: false })
    }

    async fn delete_file(&self, _: AbsolutePath, options: FileOptions) -> Result<()> {
        self.check(options.instance_id.as_ref())?;
        self.world.write(self.id.as_str(), "");
        Ok(())
    }

    async fn exists(&self, _: AbsolutePath, _: FileOptions) -> Result<Existence> {
        Err(Error::new(ErrorCode::Unsupported, "the host does not look for files"))
    }

    async fn stat(&self, path: AbsolutePath, options: FileOptions) -> Result<FileStat> {
        self.check(options.instance_id.as_ref())?;
        let is_dir = path.as_str() == "/workspace" && !self.world.replaced.get();
        let stat = json!({
            "type": if is_dir { "directory" } else { "file" }, "sizeBytes": 1, "modifiedAt": rfc3339(0), "mode": "644", "uid": 0, "gid": 0,
        });
        Ok(serde_json::from_value(stat).unwrap())
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

    async fn export_tar(&self, dir: AbsolutePath, options: FileOptions) -> Result<Bytes> {
        self.check(options.instance_id.as_ref())?;
        assert!(options.paths.iter().all(|path| path.is_at_or_under(dir.as_str())));
        if options.paths.iter().any(|path| path.as_str().ends_with("/missing")) {
            return Err(Error::new(ErrorCode::NotFound, "does not exist"));
        }
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
        Ok(ImportedTar {
            entries: 1,
            files: 1,
            directories: 0,
            links: 0,
            size_bytes: bytes,
            dropped: None,
        })
    }

    async fn store_part(
        &self,
        _: Bytes,
        _: UploadPart,
        _: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.check(options.instance_id.as_ref()).map(drop)
    }

    async fn import_upload(
        &self,
        _: UploadedArchive,
        _: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
        self.check(options.instance_id.as_ref())?;
        Ok(ImportedTar {
            entries: 1,
            files: 1,
            directories: 0,
            links: 0,
            size_bytes: 0,
            dropped: None,
        })
    }

    async fn drop_upload(&self, _: UploadId, _: AbsolutePath, options: FileOptions) -> Result<()> {
        self.check(options.instance_id.as_ref()).map(drop)
    }

    async fn watch(&self, path: AbsolutePath, options: WatchOptions) -> Result<Bytes> {
        self.check(options.instance_id.as_ref())?;
        assert!(path.is_at_or_under(options.within.unwrap().as_str()));
        let mut stream = MemoryBytes::of([WatchEventKind::Watching { directories: 1 }.to_sse(0)?]);
        stream.hangs = self.world.endless.get();
        self.world.cancelled.replace(stream.cancelled.clone());
        Ok(Box::new(stream))
    }

    async fn read_tree(
        &self,
        mut input: Bytes,
        _: AbsolutePath,
        options: TreeOptions,
    ) -> Result<String> {
        self.check(options.instance_id.as_ref())?;
        let mut bytes = Vec::new();
        while let Some(chunk) = input.next().await? {
            bytes.extend(chunk);
        }
        let trees = self.world.trees.borrow();
        let touched = self.world.touched.borrow().get(&self.id).cloned();
        let touched = options.saved.map(|_| touched);
        Ok(BASE64.encode(trees[&self.id].read_since(options.read, &bytes, touched)))
    }

    async fn apply_changes(
        &self,
        mut changes: Bytes,
        _: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.check(options.instance_id.as_ref())?;
        let mut archive = Vec::new();
        while let Some(chunk) = changes.next().await? {
            archive.extend(chunk);
        }
        let apply = || {
            let mut trees = self.world.trees.borrow_mut();
            trees.get_mut(&self.id).unwrap().apply(&archive)
        };
        self.world.faults.effect("applyChanges", apply).await
    }

    async fn grep(&self, _: AbsolutePath, options: GrepOptions) -> Result<FoundLines> {
        self.check(options.search.instance_id.as_ref())?;
        let file = FoundPath { path: String::new(), path_base64: None };
        let text = self.world.disks.borrow()[&self.id].content.clone();
        let lines = vec![FoundLine { file, line: Some(1), text, cut: false, matches: true }];
        Ok(FoundLines { lines, truncated: false })
    }

    async fn take_git_checkpoint(
        &self,
        checkpoint: NewGitCheckpoint,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<TakenGitCheckpoint> {
        self.commit(checkpoint, &path, &options)
    }

    async fn list_git_checkpoints(
        &self,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<GitCheckpointList> {
        self.commits(&path, &options)
    }

    async fn restore_git_checkpoint(
        &self,
        name: GitCheckpointName,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<RestoredGitCheckpoint> {
        self.check_out(&name, &path, &options)
    }

    async fn diff_git_checkpoint(
        &self,
        name: GitCheckpointName,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<GitCheckpointDiff> {
        self.compare(&name, &path, &options)
    }

    async fn delete_git_checkpoint(
        &self,
        name: GitCheckpointName,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<Option<u64>> {
        self.drop_commit(&name, &path, &options).map(|()| Some(3_000_000))
    }
}
