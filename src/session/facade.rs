//! What a session does, as methods: each calls its verb.
//!
//! The file is as long as there are verbs.

use crate::domain::call::{OperationState, OperationView};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{BackupId, OperationId, RestoreKind, TokenId, UploadId};
use crate::domain::session::config::{SessionConfig, WorkspaceConfig};
use crate::domain::session::scope::{Caller, Needs};
use crate::domain::session::usage::SessionUsage;
use crate::domain::snapshot::deletion::{OwnDelete, OwnDeleted};
use crate::domain::snapshot::lease::{LeaseAnswer, LeaseRequest};
use crate::domain::snapshot::prune::{OwnVerdict, PruneOwn};
use crate::domain::snapshot::rebuild::{RebuildOwn, Rebuilt};
use crate::domain::snapshot::refs::{SnapshotSelector, WorkspaceRef};
use crate::ports::sandbox::code::RunCodeResult;
use crate::ports::sandbox::{ExecResult, ImportedTar, ReadFileResult, UploadPart};
use crate::ports::stream::Bytes;
use crate::session::calls::recorded::{OperationPage, RecordRequest, Recorded};
use crate::session::exec::run::{Exec, RunRequest};
use crate::session::exec::run_code::{RunCode, RunCodeRequest};
use crate::session::files::Files;
use crate::session::files::archive::ArchiveRequest;
use crate::session::files::edit::{EditFileRequest, EditedFile};
use crate::session::files::find::{FindFilesRequest, FoundFileList};
use crate::session::files::grep::{FindLinesRequest, FoundLineList};
use crate::session::files::list::{ListFilesRequest, ListedFiles};
use crate::session::files::make_dir::{MadeDir, MakeDirRequest};
use crate::session::files::read::ReadFileRequest;
use crate::session::files::remove::{RemoveRequest, Removed};
use crate::session::files::stat::{StatRequest, StatView};
use crate::session::files::upload::{AbortedUpload, FinishUpload, StoredPart};
use crate::session::files::watch::WatchRequest;
use crate::session::files::write::{WriteFileRequest, WrittenFile};
use crate::session::leases::lend::Lend;
use crate::session::recovery::rebuild::Rebuild;
use crate::session::recovery::retention::{Retention, RetentionReport};
use crate::session::sessions::close::Close;
use crate::session::sessions::events::{EventPage, Events};
use crate::session::sessions::lineage::{Lineage, LineageOf};
use crate::session::sessions::open::Open;
use crate::session::sessions::tokens::{CreatedToken, Revoked, TokenList, TokenRequest, Tokens};
use crate::session::sessions::usage::UsageOf;
use crate::session::snapshots::delete::{Delete, DeleteOptions, Deleted};
use crate::session::snapshots::get::Get;
use crate::session::snapshots::list::{List, ListRequest, SnapshotPage};
use crate::session::snapshots::prune::Prune;
use crate::session::snapshots::take::Take;
use crate::session::snapshots::update::Update;
use crate::session::workspaces::describe::{DescribeWorkspace, WorkspaceView};
use crate::session::workspaces::destroy::{DestroyWorkspace, DestroyedWorkspace};
use crate::session::workspaces::destroy_container::DestroyContainer;
use crate::session::workspaces::live_fork::{ForkLive, LiveForkRequest};
use crate::session::workspaces::make::{MadeWorkspace, Make};
use crate::session::workspaces::pause::Pause;
use crate::session::workspaces::results::{LiveForks, Paused, Resumed, Rewound};
use crate::session::workspaces::resume::Resume;
use crate::session::workspaces::rewind::{Rewind, RewindRequest};
use crate::session::workspaces::start_fresh::StartFresh;
use crate::session::workspaces::switch::{Switch, WorkspaceList};
use crate::session::{
    Abort, Cancellable, Session, SessionView, SnapshotEdit, SnapshotRequest, SnapshotView, Woken,
};
use serde_json::Value;
use std::collections::BTreeSet;

impl Session {
    /// Records that a call begins, or finds the one that it repeats.
    pub async fn record(&self, request: &RecordRequest, abort: &Abort) -> Result<Recorded> {
        self.calls.record(request, abort).await
    }

    /// Records how a call ended. It must still be cancellable: what no one
    /// works on may be recovered.
    pub fn record_end(&self, id: &OperationId, answer: &Result<Value>) -> Result<()> {
        self.calls.record_end(id, answer)
    }

    /// Shows a recorded call.
    pub fn operation(&self, id: &OperationId) -> Result<OperationView> {
        self.calls.operation(id)
    }

    /// Lists recorded calls, newest first, without their results.
    pub fn list_operations(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<OperationPage> {
        self.calls.list_operations(limit, cursor)
    }

    /// Makes a call, and what it needs of its caller, known under its caller's
    /// id, to be cancelled by.
    pub fn cancellable(
        &self,
        id: &OperationId,
        abort: &Abort,
        needs: Needs,
    ) -> Result<Cancellable> {
        self.calls.cancellable(id, abort, needs)
    }

    /// What the running call of that id needs of its caller, if there is one.
    pub fn running(&self, id: &OperationId) -> Option<Needs> {
        self.calls.running(id)
    }

    /// Asks a running call to end: with `ABORTED` before its next step, or
    /// completed where there is none left; a command that it runs is ended.
    /// Returns the state it is in; a recorded call that has ended stays as it is.
    pub fn cancel(&self, id: &OperationId) -> Result<OperationState> {
        self.calls.cancel(id)
    }

    /// Runs a command in the active workspace. A nonzero exit is a result.
    pub async fn run(&self, request: RunRequest) -> Result<ExecResult> {
        Exec::from(self).run(request).await
    }

    /// The same, for a caller who may hear what it prints while it runs, and
    /// may give up: then it is ended, with all that it started.
    pub async fn run_followed(&self, request: RunRequest, abort: &Abort) -> Result<ExecResult> {
        Exec::from(self).run_followed(request, abort).await
    }

    /// The same, told while it runs: Server-Sent Events, each an
    /// [`ExecEvent`](crate::ports::sandbox::exec_event::ExecEvent).
    pub async fn run_streamed(&self, request: RunRequest) -> Result<Bytes> {
        Exec::from(self).run_streamed(request).await
    }

    /// Runs code in the active workspace, its root being the working
    /// directory. Nothing but files is kept for the next run. Code that fails
    /// is a result.
    pub async fn run_code(&self, request: RunCodeRequest) -> Result<RunCodeResult> {
        RunCode::from(self).run_code(request).await
    }

    /// The tree below a directory as a tar archive. A stream that ends is whole.
    pub async fn export_tar(&self, request: ArchiveRequest) -> Result<Bytes> {
        Files::from(self).export_tar(request).await
    }

    /// Puts the files of a tar archive into a directory, all or none.
    pub async fn import_tar(&self, request: ArchiveRequest, archive: Bytes) -> Result<ImportedTar> {
        Files::from(self).import_tar(request, archive).await
    }

    /// Edits a file of the active workspace.
    pub async fn edit_file(&self, request: EditFileRequest) -> Result<EditedFile> {
        Files::from(self).edit_file(request).await
    }

    /// Finds files of the active workspace.
    pub async fn find_files(&self, request: FindFilesRequest) -> Result<FoundFileList> {
        Files::from(self).find_files(request).await
    }

    /// Finds lines in files of the active workspace.
    pub async fn find_lines(&self, request: FindLinesRequest) -> Result<FoundLineList> {
        Files::from(self).find_lines(request).await
    }

    /// Lists a directory of the active workspace.
    pub async fn list_files(&self, request: ListFilesRequest) -> Result<ListedFiles> {
        Files::from(self).list_files(request).await
    }

    /// Makes a directory of the active workspace, and its parents. One that is
    /// there already is left as it is.
    pub async fn make_dir(&self, request: MakeDirRequest) -> Result<MadeDir> {
        Files::from(self).make_dir(request).await
    }

    /// Reads a file of the active workspace, or a part of it.
    pub async fn read_file(&self, request: ReadFileRequest) -> Result<ReadFileResult> {
        Files::from(self).read_file(request).await
    }

    /// Removes a file of the active workspace, or a symbolic link itself; with
    /// `recursive` a directory and all that is in it.
    pub async fn remove(&self, request: RemoveRequest) -> Result<Removed> {
        Files::from(self).remove(request).await
    }

    /// Looks at what a path of the active workspace is, at a symbolic link itself.
    pub async fn stat(&self, request: StatRequest) -> Result<StatView> {
        Files::from(self).stat(request).await
    }

    /// Stores a part of an archive; again replaces it.
    pub async fn store_part(&self, part: UploadPart, content: Bytes) -> Result<StoredPart> {
        Files::from(self).store_part(part, content).await
    }

    /// Puts the files of an archive whose parts are stored into a directory, all
    /// or none. If it fails, the parts stay.
    pub async fn finish_upload(
        &self,
        upload: UploadId,
        request: FinishUpload,
    ) -> Result<ImportedTar> {
        Files::from(self).finish_upload(upload, request).await
    }

    /// Removes the parts of an upload; again succeeds.
    pub async fn abort_upload(&self, upload: UploadId) -> Result<AbortedUpload> {
        Files::from(self).abort_upload(upload).await
    }

    /// Watches a directory of the active workspace: Server-Sent Events, each a
    /// [`WatchEvent`](crate::ports::sandbox::watch::WatchEvent). It does not count as use
    /// of the workspace, which is stopped when nobody uses it.
    pub async fn watch(&self, request: WatchRequest) -> Result<Bytes> {
        Files::from(self).watch(request).await
    }

    /// Writes a file of the active workspace, making its parent directories.
    pub async fn write_file(&self, request: WriteFileRequest) -> Result<WrittenFile> {
        Files::from(self).write_file(request).await
    }

    /// Begins, prolongs or ends a lease. Synchronous, so that a delete finds a
    /// lease that was granted, and no lease is granted once a delete has begun.
    pub fn lend(&self, request: &LeaseRequest) -> Result<LeaseAnswer> {
        Lend::from(self).lend(request)
    }

    /// Refuses a call that was meant for another active workspace.
    pub fn expect_active(&self, expected: Option<&WorkspaceRef>) -> Result<()> {
        self.context.expect_active(expected)
    }

    /// What the session may do; tools are listed and served by it.
    pub fn config(&self) -> Result<SessionConfig> {
        self.context.config()
    }

    /// Snapshots that nothing may take away: those that a workspace would wake
    /// from, those being read, and those that are lent.
    pub fn snapshots_in_use(&self) -> Result<BTreeSet<BackupId>> {
        self.in_flight.snapshots_in_use()
    }

    /// Counts a call against the session's rate. The count is in memory: a
    /// restart of the object forgets it, and whoever could bring one about by
    /// calling would have to rest longer than the bucket takes to fill.
    pub fn admit_call(&self) -> Result<()> {
        self.rate_limits.admit_call()
    }

    /// Counts a snapshot against the session's rate, durably: snapshots are
    /// expensive, and one more row is nothing to one.
    pub fn admit_snapshot(&self) -> Result<()> {
        self.rate_limits.admit_snapshot()
    }

    /// Walks one page of the bucket and puts back into the catalogue what is
    /// this session's by `meta.json` and has no row. Again does nothing more.
    pub async fn rebuild(&self, cursor: Option<&str>, limit: Option<u32>) -> Result<Rebuilt> {
        Rebuild::from(self).rebuild(cursor, limit).await
    }

    /// Puts back those of some backups that are this session's by `meta.json`
    /// and have no row, and lie in its bucket. Again does nothing more.
    pub async fn rebuild_own(&self, request: RebuildOwn) -> Result<Rebuilt> {
        Rebuild::from(self).rebuild_own(request).await
    }

    /// Shows what the policy would delete now, and what that would free.
    /// Changes nothing.
    pub fn plan_retention(&self) -> Result<RetentionReport> {
        Retention::from(self).plan_retention()
    }

    /// Deletes what the policy says, now rather than when the alarm is due. What
    /// one call does not get to, the alarm does.
    pub async fn retain(&self) -> Result<RetentionReport> {
        Retention::from(self).retain().await
    }

    /// Closes the session. Snapshots are kept. Containers stop after their idle
    /// time, or are destroyed now where the config says `destroyOnClose`; a
    /// shared sandbox never is. Closing a closed session succeeds.
    pub async fn close(&self) -> Result<SessionView> {
        Close::from(self).close().await
    }

    /// Shows the session. Starts no container.
    pub fn describe(&self) -> Result<SessionView> {
        self.context.describe()
    }

    /// Re-attaches to an open session: its active workspace. Starts no container.
    pub fn resolve(&self) -> Result<WorkspaceRef> {
        self.context.resolve()
    }

    /// Lists what happened in the session, newest first.
    pub fn list_events(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<EventPage> {
        Events::from(self).list_events(limit, cursor)
    }

    /// Lists the events that name a snapshot of this session, newest first.
    pub fn list_snapshot_events(
        &self,
        selector: &SnapshotSelector,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<EventPage> {
        Events::from(self).list_snapshot_events(selector, limit, cursor)
    }

    /// Shows the tree of workspaces and snapshots. Starts no container.
    pub async fn lineage(&self) -> Result<Lineage> {
        LineageOf::from(self).lineage().await
    }

    /// Opens the session. Starts no container.
    pub async fn open(&self, config: WorkspaceConfig) -> Result<SessionView> {
        Open::from(self).open(config).await
    }

    /// Sets the alarm for a session that was opened and is not listed yet. Where
    /// that can't be done now, the next call does it.
    pub async fn announce(&self) {
        self.registration.announce().await
    }

    /// Makes a token of this session.
    pub fn create_token(&self, request: TokenRequest) -> Result<CreatedToken> {
        Tokens::from(self).create_token(request)
    }

    /// Answers again what [`Self::create_token`] did: a token is what its row
    /// says, signed, so that no record needs to keep its text.
    pub fn created_token(&self, id: &TokenId) -> Result<CreatedToken> {
        Tokens::from(self).created_token(id)
    }

    /// Lists the tokens that are good.
    pub fn list_tokens(&self) -> Result<TokenList> {
        Tokens::from(self).list_tokens()
    }

    /// Ends a token: the next call with it is refused. Again succeeds.
    pub fn revoke_token(&self, id: &TokenId) -> Result<Revoked> {
        Tokens::from(self).revoke_token(id)
    }

    /// Refuses a token that was revoked, or whose time is up by now. Its
    /// signature was checked before it came here.
    pub fn authenticate(&self, caller: &Caller) -> Result<()> {
        Tokens::from(self).authenticate(caller)
    }

    /// Tells what the session keeps, by its catalogue. Asks R2 nothing.
    pub fn usage(&self) -> Result<SessionUsage> {
        UsageOf::from(self).usage()
    }

    /// Deletes a snapshot; deleting one of this session's that is gone
    /// succeeds. Workspaces made from it are not touched: what one needs for its
    /// wake is refused unless forced, or unless it runs and is saved by itself
    /// again, which is done at once. Starts no container.
    pub async fn delete(
        &self,
        selector: &SnapshotSelector,
        options: DeleteOptions,
    ) -> Result<Deleted> {
        Delete::from(self).delete(selector, options).await
    }

    /// Deletes a snapshot of this session for another one, which may cross. All
    /// that keeps it from this session's own delete keeps it here too; what it
    /// was lent to the asker for, the asker has looked at. That this session is
    /// closed, or only reads, does not by itself: crossing is the operator's decision.
    pub async fn delete_for(&self, request: &OwnDelete) -> Result<OwnDeleted> {
        self.deleter.delete_for(request).await
    }

    /// Shows one snapshot, expired and deleted ones too. Starts no container.
    pub async fn get(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<SnapshotView> {
        Get::from(self).get(selector, allow_cross_session).await
    }

    /// Lists snapshots. Starts no container.
    pub async fn list(&self, request: &ListRequest) -> Result<SnapshotPage> {
        List::from(self).list(request).await
    }

    /// Judges backups that name this session as their owner, and deletes those
    /// that the rule selects. A session that was never opened knows none; one that is
    /// closed or read-only is pruned like any.
    pub async fn prune_by_rule(&self, request: &PruneOwn) -> Result<Vec<OwnVerdict>> {
        Prune::from(self).prune_by_rule(request).await
    }

    /// Takes a snapshot of the active workspace. Returns only once R2 holds
    /// both objects. If nothing has changed since its head, nothing is uploaded:
    /// the head gets the name and whatever else is asked for, and is the answer.
    pub async fn snapshot(&self, request: SnapshotRequest, abort: &Abort) -> Result<SnapshotView> {
        Take::from(self).snapshot(request, abort).await
    }

    /// Changes what the session says of one of its own ready snapshots. Starts
    /// no container.
    pub async fn update_snapshot(
        &self,
        selector: &SnapshotSelector,
        edit: &SnapshotEdit,
    ) -> Result<SnapshotView> {
        Update::from(self).update_snapshot(selector, edit).await
    }

    /// Shows the active workspace. Starts no container.
    pub async fn describe_workspace(&self) -> Result<WorkspaceView> {
        DescribeWorkspace::from(self).describe_workspace().await
    }

    /// Destroys a workspace and its container. Snapshots taken from it are
    /// kept, and its last autosave lives a whole time to live from now. Nothing
    /// is saved: the answer says whether there may have been something to save.
    /// Destroying one that is gone succeeds.
    pub async fn destroy_workspace(&self, named: &WorkspaceRef) -> Result<DestroyedWorkspace> {
        DestroyWorkspace::from(self).destroy_workspace(named).await
    }

    /// Destroys the container of a workspace at once, the active one's too, in
    /// a closed session too. Calls that are in it end with an error. The
    /// workspace stays, and wakes with the files it was last saved with when it
    /// is used again; what was not saved is gone. Where none runs, it succeeds.
    pub async fn destroy_container(&self, named: &WorkspaceRef) -> Result<()> {
        DestroyContainer::from(self).destroy_container(named).await
    }

    /// Makes new workspaces with the active one's files as they are now. That
    /// one is not touched, and stays active.
    pub async fn live_fork(&self, request: &LiveForkRequest, abort: &Abort) -> Result<LiveForks> {
        ForkLive::from(self).live_fork(request, abort).await
    }

    /// Makes a new workspace from a snapshot, of this session or published by
    /// another. Does not make it the active one.
    pub async fn make_workspace(
        &self,
        kind: RestoreKind,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<MadeWorkspace> {
        Make::from(self).make_workspace(kind, selector, allow_cross_session, abort).await
    }

    /// The error of a call that made a workspace which could not become the
    /// active workspace: the session was closed meanwhile, say.
    pub fn unswitched(&self, made: &MadeWorkspace, error: Error) -> Error {
        Make::from(self).unswitched(made, error)
    }

    /// Saves a workspace, the active one unless another is named, and releases
    /// its container. Until it is resumed, calls that need one are refused. It
    /// has the workspace to itself meanwhile. Pausing a paused one succeeds.
    pub async fn pause(&self, named: Option<&WorkspaceRef>, abort: &Abort) -> Result<Paused> {
        Pause::from(self).pause(named, abort).await
    }

    /// Brings a workspace back, the active one unless another is named: its
    /// files, in a container that runs. One that sleeps is woken; resuming one
    /// that runs succeeds. If it fails, a paused one is paused as before.
    pub async fn resume(&self, named: Option<&WorkspaceRef>, abort: &Abort) -> Result<Resumed> {
        Resume::from(self).resume(named, abort).await
    }

    /// Puts the active workspace back to a snapshot, in place, after a safety
    /// snapshot of what it has. It has the workspace to itself meanwhile.
    pub async fn rewind(&self, request: &RewindRequest, abort: &Abort) -> Result<Rewound> {
        Rewind::from(self).rewind(request, abort).await
    }

    /// Gives the active workspace, whose container has stopped, a fresh and
    /// empty one instead of waking it, or of resuming it. Its snapshots are kept.
    /// Files that are still in a container are never discarded, but for those
    /// that a pause has saved.
    pub async fn start_fresh(&self) -> Result<WorkspaceRef> {
        StartFresh::from(self).start_fresh().await
    }

    /// Makes tools act on another workspace of this session, durably.
    pub async fn switch(&self, named: &WorkspaceRef) -> Result<WorkspaceRef> {
        Switch::from(self).switch(named).await
    }

    /// The same, only while `expected` is the active one.
    pub async fn switch_from(
        &self,
        expected: Option<&WorkspaceRef>,
        named: &WorkspaceRef,
    ) -> Result<WorkspaceRef> {
        Switch::from(self).switch_from(expected, named).await
    }

    /// Lists the session's workspaces. Starts no container.
    pub async fn list_workspaces(&self) -> Result<WorkspaceList> {
        Switch::from(self).list_workspaces().await
    }

    /// The same, and whether their containers run, as their sandboxes tell now.
    pub async fn list_with_containers(&self) -> Result<WorkspaceList> {
        Switch::from(self).list_with_containers().await
    }

    /// What the caller has not been told yet about a workspace that woke; once.
    pub fn take_unreported_wake(&self) -> Result<Option<Woken>> {
        self.context.take_unreported_wake()
    }
}
