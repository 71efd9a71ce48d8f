//! What one part of a session does alone, as methods of the session. A verb's methods
//! are in its own file, unless a part stands on that file.

use crate::domain::call::{OperationState, OperationView, RecordedCall};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{BackupId, OperationId, RestoreKind, SandboxId};
use crate::domain::session::config::SessionConfig;
use crate::domain::session::scope::Rights;
use crate::domain::snapshot::deletion::{OwnDelete, OwnDeleted};
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::domain::snapshot::selector::SnapshotSelector;
use crate::ports::stream::Bytes;
use crate::session::calls::recorded::{OperationPage, RecordRequest, Recorded};
use crate::session::files::Files;
use crate::session::files::watch::WatchRequest;
use crate::session::recovery::retention::{Retention, RetentionReport};
use crate::session::snapshots::get::Get;
use crate::session::workspaces::make::Make;
use crate::session::workspaces::results::MadeWorkspace;
use crate::session::{Abort, Cancellable, Session, SessionPorts, SessionView, SnapshotView, Woken};
use serde_json::Value;
use std::collections::BTreeSet;

impl Session {
    /// Runs a call's work. Its waits for a workspace end when the caller gives up.
    pub async fn with_signal<T>(&self, abort: &Abort, work: impl Future<Output = T>) -> T {
        self.locks.with_signal(abort, work).await
    }

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

    /// A recorded call's row.
    pub fn recorded(&self, id: &OperationId) -> Result<RecordedCall> {
        self.calls.recorded(id)
    }

    /// Lists recorded calls, newest first, without their results. Of those that the caller may
    /// not see, only their names and states.
    pub fn list_operations(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
        may_see: impl Fn(&RecordedCall) -> bool,
    ) -> Result<OperationPage> {
        self.calls.list_operations(limit, cursor, may_see)
    }

    /// Makes a call, and what others need for it, known under its caller's
    /// id, to be cancelled by.
    pub fn cancellable(
        &self,
        id: &OperationId,
        abort: &Abort,
        rights: impl Into<Rights>,
    ) -> Result<Cancellable> {
        self.calls.cancellable(id, abort, rights)
    }

    /// What others need for the running call of that id, if there is one.
    pub fn running(&self, id: &OperationId) -> Option<Rights> {
        self.calls.running(id)
    }

    /// Asks a running call to end: with `ABORTED` before its next step, or
    /// completed where there is none left; a command that it runs is ended.
    /// Returns the state it is in; a recorded call that has ended stays as it is.
    pub fn cancel(&self, id: &OperationId) -> Result<OperationState> {
        self.calls.cancel(id)
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

    /// Counts a call against the session's rate.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`.
    pub fn admit_call(&self) -> Result<()> {
        self.rate_limits.admit_call()
    }

    /// Counts a request to a server in a workspace against the session's rate of them.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`.
    pub fn admit_visit(&self) -> Result<()> {
        self.rate_limits.admit_visit()
    }

    /// Counts a snapshot against the session's rate, durably: snapshots are
    /// expensive, and one more row is nothing to one.
    pub fn admit_snapshot(&self) -> Result<()> {
        self.rate_limits.admit_snapshot()
    }

    /// The ports of the session.
    pub(crate) fn ports(&self) -> &SessionPorts {
        &self.context.ports
    }

    /// Shows the session. Starts no container.
    pub fn describe(&self) -> Result<SessionView> {
        self.context.describe()
    }

    /// Re-attaches to an open session: its active workspace. Starts no container.
    pub fn resolve(&self) -> Result<WorkspaceRef> {
        self.context.resolve()
    }

    /// Sets the alarm for a session that was opened and is not listed yet. Where
    /// that can't be done now, the next call does it.
    pub async fn announce(&self) {
        self.registration.announce().await
    }

    /// Deletes a snapshot of this session for another one, which may cross. All
    /// that keeps it from this session's own delete keeps it here too; what it
    /// was lent to the asker for, the asker has looked at. That this session is
    /// closed, or only reads, does not by itself: crossing is the operator's decision.
    pub async fn delete_for(&self, request: &OwnDelete) -> Result<OwnDeleted> {
        self.deleter.delete_for(request).await
    }

    /// What no answer has said yet about a workspace that woke. The next answer says it, too.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn unreported_wake(&self) -> Result<Option<Woken>> {
        self.context.unreported_wake()
    }

    /// What the caller has not been told yet about a workspace that woke; once.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn take_unreported_wake(&self) -> Result<Option<Woken>> {
        self.context.take_unreported_wake()
    }

    /// The same, of one workspace.
    pub fn take_wake_of(&self, id: &SandboxId) -> Result<Option<Woken>> {
        self.context.take_wake_of(id)
    }

    /// Watches a directory of a workspace: Server-Sent Events, each a
    /// [`WatchEvent`](crate::ports::sandbox::watch::WatchEvent). It does not count as use
    /// of the workspace, which is stopped when nobody uses it.
    pub async fn watch(&self, request: WatchRequest) -> Result<Bytes> {
        Files::from(self).watch(request).await
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

    /// Shows one snapshot, expired and deleted ones too. Starts no container.
    pub async fn get(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<SnapshotView> {
        Get::from(self).get(selector, allow_cross_session).await
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
}
