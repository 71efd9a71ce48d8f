//! Calls of a host to other objects. A call may be lost on its way there or back,
//! and its object may go on or not when the caller stops.

use crate::runtime::Object;
use crate::support::faults::Faults;
use crate::world::{SESSIONS, World};
use async_trait::async_trait;
use futures::channel::oneshot;
use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::domain::ids::{BackupId, InstanceId, SandboxId, SessionId, UploadId};
use snapshotter::domain::snapshot::backup::BackupHandle;
use snapshotter::domain::snapshot::deletion::{OwnDelete, OwnDeleted};
use snapshotter::domain::snapshot::lease::{LeaseAnswer, LeaseRequest};
use snapshotter::ports::sandbox::watch::WatchOptions;
use snapshotter::ports::sandbox::*;
use snapshotter::ports::sessions::Sessions;
use snapshotter::ports::stream::Bytes;
use snapshotter::sandbox::SandboxService;
use std::rc::Rc;

struct Remote {
    id: SandboxId,
    world: World,
    caller: Object,
    faults: Faults,
}

/// The runtime's error for a call whose object or connection is gone.
fn interrupted() -> Error {
    Error::new(ErrorCode::Interrupted, "the object that does the work restarted mid-way")
        .with_outcome(Outcome::Unknown)
}

impl Remote {
    async fn call<T: 'static, F: Future<Output = Result<T>>>(
        &self,
        work: impl FnOnce(Rc<SandboxService>) -> F + 'static,
    ) -> Result<T> {
        let sent = self.faults.effect("call", || Ok(())).await;
        sent.map_err(|_lost| interrupted())?;
        let (answer, answered) = oneshot::channel();
        let (world, id) = (self.world.clone(), self.id.clone());
        let object = Object::Sandbox(self.id.clone());
        self.world.runtime.spawn(object, Some(self.caller.clone()), async move {
            let service = world.service(&id);
            service.keep_running().await;
            let _nobody_waits = answer.send(work(service).await);
        });
        let result = answered.await.unwrap_or_else(|_stopped| Err(interrupted()))?;
        let received = self.faults.effect("answer", || Ok(())).await;
        received.map_err(|_lost| interrupted())?;
        Ok(result)
    }
}

#[async_trait(?Send)]
impl SandboxApi for Remote {
    async fn configure(&self, options: ConfigureOptions) -> Result<()> {
        self.call(async move |service| service.configure(options).await).await
    }

    async fn ensure_running(&self) -> Result<InstanceId> {
        self.call(async move |service| service.ensure_running().await).await
    }

    async fn disk(&self) -> Result<Option<InstanceId>> {
        self.call(async move |service| service.disk().await).await
    }

    async fn exec_stream(&self, command: CommandLine, options: ExecOptions) -> Result<Bytes> {
        self.call(async move |service| service.exec_stream(command, options).await).await
    }

    async fn store_part(
        &self,
        content: Bytes,
        part: UploadPart,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.call(async move |service| service.store_part(content, part, path, options).await).await
    }

    async fn import_upload(
        &self,
        archive: UploadedArchive,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
        self.call(async move |service| service.import_upload(archive, path, options).await).await
    }

    async fn drop_upload(
        &self,
        upload: UploadId,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.call(async move |service| service.drop_upload(upload, path, options).await).await
    }

    async fn watch(&self, path: AbsolutePath, options: WatchOptions) -> Result<Bytes> {
        self.call(async move |service| service.watch(path, options).await).await
    }

    async fn is_running(&self) -> Result<bool> {
        self.call(async move |service| service.is_running().await).await
    }

    async fn runs_commands(&self) -> Result<bool> {
        self.call(async move |service| service.runs_commands().await).await
    }

    async fn destroy(&self) -> Result<()> {
        self.call(async move |service| service.destroy().await).await
    }

    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle> {
        self.call(async move |service| service.create_backup(options).await).await
    }

    async fn restore_backup(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult> {
        self.call(async move |service| service.restore_backup(handle, options).await).await
    }

    async fn recover_backup(&self, id: BackupId) -> Result<BackupProgress> {
        self.call(async move |service| service.recover_backup(id).await).await
    }

    async fn exec(&self, command: CommandLine, options: ExecOptions) -> Result<ExecResult> {
        self.call(async move |service| service.exec(command, options).await).await
    }

    async fn run_code(&self, code: String, options: RunCodeOptions) -> Result<RunCodeResult> {
        self.call(async move |service| service.run_code(code, options).await).await
    }

    async fn read_file(&self, path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult> {
        self.call(async move |service| service.read_file(path, options).await).await
    }

    async fn write_file(
        &self,
        path: AbsolutePath,
        content: String,
        options: FileOptions,
    ) -> Result<()> {
        self.call(async move |service| service.write_file(path, content, options).await).await
    }

    async fn mkdir(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.call(async move |service| service.mkdir(path, options).await).await
    }

    async fn list_files(
        &self,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ListFilesResult> {
        self.call(async move |service| service.list_files(path, options).await).await
    }

    async fn delete_file(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.call(async move |service| service.delete_file(path, options).await).await
    }

    async fn exists(&self, path: AbsolutePath, options: FileOptions) -> Result<bool> {
        self.call(async move |service| service.exists(path, options).await).await
    }

    async fn stat(&self, path: AbsolutePath, options: FileOptions) -> Result<FileStat> {
        self.call(async move |service| service.stat(path, options).await).await
    }

    async fn export_tar(&self, path: AbsolutePath, options: FileOptions) -> Result<Bytes> {
        self.call(async move |service| service.export_tar(path, options).await).await
    }

    async fn import_tar(
        &self,
        archive: Bytes,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
        self.call(async move |service| service.import_tar(archive, path, options).await).await
    }

    async fn glob(&self, path: AbsolutePath, options: SearchOptions) -> Result<FoundFiles> {
        self.call(async move |service| service.glob(path, options).await).await
    }

    async fn grep(&self, path: AbsolutePath, options: GrepOptions) -> Result<FoundLines> {
        self.call(async move |service| service.grep(path, options).await).await
    }
}

/// The sandboxes and the other sessions as a host sees them.
pub struct Namespace {
    pub world: World,
    pub caller: usize,
}

impl Sandboxes for Namespace {
    fn get(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>> {
        let (world, caller) = (self.world.clone(), Object::Session(self.caller));
        let faults = world.runtime.faults_of(caller.clone());
        Ok(Rc::new(Remote { id: id.clone(), world, caller, faults }))
    }
}

#[async_trait(?Send)]
impl Sessions for Namespace {
    async fn lend(&self, owner: &SessionId, request: LeaseRequest) -> Result<LeaseAnswer> {
        let owner = SESSIONS.iter().position(|name| *name == owner.as_str()).unwrap();
        let faults = self.world.runtime.faults_of(Object::Session(self.caller));
        // One effect, because the owner has no await. The owner may be a new object.
        let lend = || Ok(self.world.host(owner).lend(&request));
        faults.effect("lend", lend).await.map_err(|_lost| interrupted())?
    }

    async fn delete(&self, owner: &SessionId, request: OwnDelete) -> Result<OwnDeleted> {
        let owner = SESSIONS.iter().position(|name| *name == owner.as_str()).unwrap();
        let caller = Object::Session(self.caller);
        let faults = self.world.runtime.faults_of(caller.clone());
        let lost = |_lost| interrupted();
        faults.effect("call", || Ok(())).await.map_err(lost)?;
        let (answer, answered) = oneshot::channel();
        let world = self.world.clone();
        self.world.runtime.spawn(Object::Session(owner), Some(caller), async move {
            let host = world.host(owner);
            let _nobody_waits = answer.send(host.delete_for(&request).await);
        });
        let deleted = answered.await.unwrap_or_else(|_stopped| Err(interrupted()))?;
        faults.effect("answer", || Ok(())).await.map_err(lost)?;
        Ok(deleted)
    }
}
