//! Methods that one part serves alone. A verb's methods are in the verb's own file.

use crate::domain::snapshot::lease::{OwnDelete, OwnDeleted};
use crate::domain::{
    BackupId, OperationId, OperationState, OperationView, RecordedCall, Result, Rights, SandboxId,
    SessionConfig, SnapshotSelector, WorkspaceRef,
};
use crate::session::parts::calls::recorded::{OperationPage, RecordRequest, Recorded};
use crate::session::parts::snapshots::get::Get;
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

    /// Records how a call ended. The call must still be cancellable.
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

    /// Lists recorded calls, newest first, without their results.
    pub fn list_operations(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
        may_see: impl Fn(&RecordedCall) -> bool,
    ) -> Result<OperationPage> {
        self.calls.list_operations(limit, cursor, may_see)
    }

    /// Makes a call cancellable by its id.
    pub fn cancellable(
        &self,
        id: &OperationId,
        abort: &Abort,
        rights: impl Into<Rights>,
    ) -> Result<Cancellable> {
        self.calls.cancellable(id, abort, rights)
    }

    /// What other callers need for the running call of that id, if there is one.
    pub fn running(&self, id: &OperationId) -> Option<Rights> {
        self.calls.running(id)
    }

    /// Asks a running call to end, and returns its state.
    pub fn cancel(&self, id: &OperationId) -> Result<OperationState> {
        self.calls.cancel(id)
    }

    /// Refuses a call that was meant for another active workspace.
    pub fn expect_active(&self, expected: Option<&WorkspaceRef>) -> Result<()> {
        self.context.expect_active(expected)
    }

    /// The session's configuration.
    pub fn config(&self) -> Result<SessionConfig> {
        self.context.config()
    }

    /// Snapshots that nothing may delete.
    pub fn snapshots_in_use(&self) -> Result<BTreeSet<BackupId>> {
        self.in_flight.snapshots_in_use()
    }

    /// Counts a call against the session's rate.
    pub fn admit_call(&self) -> Result<()> {
        self.rate_limits.admit_call()
    }

    /// Counts a request to a server in a workspace against the session's rate of such requests.
    pub fn admit_visit(&self) -> Result<()> {
        self.rate_limits.admit_visit()
    }

    /// Counts a snapshot against the session's rate.
    pub fn admit_snapshot(&self) -> Result<()> {
        self.rate_limits.admit_snapshot()
    }

    pub(crate) fn ports(&self) -> &SessionPorts {
        &self.context.ports
    }

    /// Shows the session. Starts no container.
    pub fn describe(&self) -> Result<SessionView> {
        self.context.describe()
    }

    /// Re-attaches to an open session: returns its active workspace. Starts no container.
    pub fn resolve(&self) -> Result<WorkspaceRef> {
        self.context.resolve()
    }

    /// Has the alarm list an opened session in the directory.
    pub async fn announce(&self) {
        self.registration.announce().await
    }

    /// Deletes a snapshot of this session for another session, which may cross.
    pub async fn delete_for(&self, request: &OwnDelete) -> Result<OwnDeleted> {
        self.deleter.delete_for(request).await
    }

    /// Reads the wake that no answer has reported yet. The next answer reports it, too.
    pub fn unreported_wake(&self) -> Result<Option<Woken>> {
        self.context.unreported_wake()
    }

    /// Takes the wake that no answer has reported yet: only the next answer reports it.
    pub fn take_unreported_wake(&self) -> Result<Option<Woken>> {
        self.context.take_unreported_wake()
    }

    /// As [`Self::take_unreported_wake`], for one workspace.
    pub fn take_wake_of(&self, id: &SandboxId) -> Result<Option<Woken>> {
        self.context.take_wake_of(id)
    }

    /// Shows one snapshot, expired and deleted ones too. Starts no container.
    pub async fn get(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<SnapshotView> {
        Get::from(self).get(selector, allow_cross_session).await
    }
}
