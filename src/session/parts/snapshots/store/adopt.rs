//! Reuse an existing snapshot of the same files for a new request.

use crate::domain::limits::TTL_MAX_SECS;
use crate::domain::snapshot::backup::Ttl;
use crate::domain::{
    Annotations, Cause, Error, ErrorCode, Event, Result, Snapshot, SnapshotState, SnapshotTrigger,
    WorkspaceRef,
};
use crate::session::catalogue::EditedFields;
use crate::session::parts::SnapshotStore;
use serde_json::json;

/// A request for a snapshot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SnapshotRequest {
    /// The session's annotations of the snapshot.
    pub annotations: Annotations,
    /// Time to live. Default: 30 days after the last use of the session.
    pub ttl: Option<Ttl>,
    /// Take the name from a snapshot that has it.
    pub replace: bool,
    /// Whether the snapshot may be a layer. Default: as the session's configuration says.
    pub incremental: Option<bool>,
    /// The workspace to take it of. Refused if another one is active.
    pub expected_active: Option<WorkspaceRef>,
}

impl SnapshotStore {
    /// Gives `held`, a snapshot of the same files, the request's annotations, lifetime and turn.
    pub(crate) async fn adopt(
        &self,
        request: &SnapshotRequest,
        (ttl, renews): (Ttl, bool),
        held: &Snapshot,
        cause: Cause,
    ) -> Result<Snapshot> {
        // No await from these checks to the row.
        let held = self.context.require_snapshot(&held.id)?;
        held.restorable(i64::MIN)?;
        self.check_request(request)?;
        let mut fields = EditedFields::of(&held);
        fields.annotations = request.annotations.clone().or(fields.annotations);
        // The snapshot lives as long as a new one would. An earlier caller may have been promised
        // longer; nobody was promised an automatic snapshot, unless someone edited its expiry.
        let age_ms = self.context.now_ms().saturating_sub(held.created_at_ms);
        let age_secs = u64::try_from(age_ms).unwrap_or(0).div_ceil(1_000);
        let ttl_secs = ttl.as_secs().saturating_add(age_secs).min(TTL_MAX_SECS);
        let default_secs = self.context.retention_policy(&self.context.load()?)?.ttl.as_secs();
        let promised = held.cause.trigger != SnapshotTrigger::Auto
            || held.pinned
            || fields.ttl_secs > default_secs
            || request.ttl.is_none();
        fields.ttl_secs = if promised { ttl_secs.max(fields.ttl_secs) } else { ttl_secs };
        fields.renews |= renews;
        fields.cause = fields.cause.taken_over_by(cause);
        if fields != EditedFields::of(&held) {
            self.context.catalogue.edit_snapshot(&held.id, &fields)?;
            let event = Event::SnapshotUpdated { backup_id: held.id.clone() };
            self.context.catalogue.add_event(self.context.now_ms(), &event)?;
            self.sync_record(&held.id).await?;
        }
        self.context.require_snapshot(&held.id)
    }

    pub(crate) fn check_request(&self, request: &SnapshotRequest) -> Result<()> {
        request.annotations.check()?;
        self.check_name_free(request.annotations.name.as_deref(), request.replace)
    }

    /// Refuses a name that is taken or about to be, unless `replace` may take it.
    pub(crate) fn check_name_free(&self, name: Option<&str>, replace: bool) -> Result<()> {
        let Some(name) = name else { return Ok(()) };
        match self.context.catalogue.name_claimant(name, self.context.now_ms())? {
            Some(holder) if holder.state == SnapshotState::Pending => {
                Err(Error::new(ErrorCode::Conflict, "name: a snapshot of this name is being taken")
                    .with_hint("wait for it, or choose another name"))
            }
            Some(holder) if !replace => Err(name_taken(&holder)),
            _ => Ok(()),
        }
    }
}

fn name_taken(holder: &Snapshot) -> Error {
    Error::new(ErrorCode::Conflict, format!("name: snapshot {} has this name", holder.id))
        .with_hint("choose another name, rename or delete that snapshot, or move the name with replace: true")
        .with_details(json!({ "field": "name", "holder": holder.id }))
}
