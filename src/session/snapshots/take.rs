//! Take a snapshot of the active workspace.

use crate::domain::call::subject::Subject;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::limits::TTL_MAX_SECS;
use crate::domain::session::event::Event;
use crate::domain::snapshot::backup::Ttl;
use crate::domain::snapshot::labels::Labels;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::domain::snapshot::{
    Snapshot, SnapshotState, SnapshotTrigger, check_description, check_name,
};
use crate::session::catalogue::EditedFields;
use crate::session::snapshots::saver::{Saved, Saving};
use crate::session::{Abort, Host, SnapshotView};
use serde_json::json;

/// What a caller says of the snapshot it wants.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SnapshotRequest {
    /// Name within the session.
    pub name: Option<String>,
    /// What to remember.
    pub description: Option<String>,
    /// Time to live. Default 3 days.
    pub ttl: Option<Ttl>,
    /// Take the name from a snapshot that has it.
    pub replace: bool,
    /// Labels.
    pub labels: Labels,
    /// Only of this workspace: refused if another one is active.
    pub expected_active: Option<WorkspaceRef>,
}

impl SnapshotRequest {
    /// Whether a snapshot of the same files can have all that is said here
    /// beside what is said of it already: it has one name, one description and
    /// one set of labels.
    fn fits(&self, held: &Snapshot) -> bool {
        let free = |asked: &Option<String>, held: &Option<String>| {
            asked.is_none() || held.is_none() || asked == held
        };
        free(&self.name, &held.name)
            && free(&self.description, &held.description)
            && (self.labels == Labels::default()
                || held.labels == Labels::default()
                || self.labels == held.labels)
    }
}

impl Host {
    /// Takes a snapshot of the active workspace. ResponseTimeout only once R2 holds
    /// both objects. If nothing has changed since its head, nothing is uploaded:
    /// the head gets the name and whatever else is asked for, and is the answer.
    ///
    /// # Errors
    /// `CONFLICT` for a taken name; `PRECONDITION_FAILED`; `RATE_LIMITED`,
    /// `QUOTA_EXCEEDED` by the retention policy; `WORKSPACE_LOST`; `BACKUP_FAILED`.
    pub async fn snapshot(&self, request: SnapshotRequest, abort: &Abort) -> Result<SnapshotView> {
        abort.check()?;
        let open = self.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        self.check_request(&request)?;
        if let Some(workspace) = self.catalogue.workspace(&open.row.active_sandbox_id)? {
            self.check_room(&open, &workspace)?;
        }
        abort.step("making the workspace ready")?;
        let active = self.active(&open).await?;
        abort.step("archiving the files into the bucket")?;
        let ttl = request.ttl.unwrap_or(self.retention_policy(&open)?.ttl);
        let dir = &open.config.snapshot_dir;
        let head = self.comparable_head(&active, dir)?.filter(|head| request.fits(head));
        let saving = Saving {
            name: request.name.clone(),
            description: request.description.clone(),
            labels: request.labels.clone(),
            ttl,
            trigger: SnapshotTrigger::Manual,
            unless_equal: head,
            ..Saving::default()
        };
        let began_ms = self.now_ms();
        // The row reserves the name, and is the one that the next must wait after.
        let last_check = |id: &BackupId| {
            self.check_request(&request)?;
            self.check_room(&open, &active.workspace)?;
            abort.makes(&Subject::Snapshot(id.clone()))
        };
        let saved =
            self.save(&open.config.backup_binding, &active, dir, saving, last_check).await?;
        if open.config.saved_dirs.are_in(dir) {
            self.catalogue.set_saved_at(&active.workspace.sandbox_id, began_ms)?;
        }
        let (snapshot, unchanged) = match saved {
            Saved::Taken(snapshot) => (snapshot, false),
            Saved::Unchanged(held) => {
                abort.makes(&Subject::Snapshot(held.id.clone()))?;
                (self.adopt(&request, ttl, &held, SnapshotTrigger::Manual).await?, true)
            }
        };
        let view = SnapshotView::of(&snapshot, self.now_ms());
        Ok(SnapshotView { unchanged, woken: self.take_unreported_wake()?, ..view })
    }

    /// Gives a snapshot of the same files what is asked for of a new one.
    pub(crate) async fn adopt(
        &self,
        request: &SnapshotRequest,
        ttl: Ttl,
        held: &Snapshot,
        trigger: SnapshotTrigger,
    ) -> Result<Snapshot> {
        // No await from these looks to the row.
        let held = self.require_snapshot(&held.id)?;
        held.restorable(i64::MIN)?;
        self.check_request(request)?;
        let mut fields = EditedFields::of(&held);
        fields.name = request.name.clone().or(fields.name);
        fields.description = request.description.clone().or(fields.description);
        if request.labels != Labels::default() {
            fields.labels = request.labels.clone();
        }
        // It lives as long as a new one would. An earlier caller may have been promised
        // longer; of an automatic snapshot nobody was, unless its expiry was edited.
        let age_ms = self.now_ms().saturating_sub(held.created_at_ms);
        let age_secs = u64::try_from(age_ms).unwrap_or(0).div_ceil(1_000);
        let ttl_secs = ttl.as_secs().saturating_add(age_secs).min(TTL_MAX_SECS);
        let default_secs = self.retention_policy(&self.load()?)?.ttl.as_secs();
        let promised = held.trigger != SnapshotTrigger::Auto
            || held.pinned
            || fields.ttl_secs > default_secs
            || request.ttl.is_none();
        fields.ttl_secs = if promised { ttl_secs.max(fields.ttl_secs) } else { ttl_secs };
        fields.trigger = fields.trigger.taken_over_by(trigger);
        if fields != EditedFields::of(&held) {
            self.catalogue.edit_snapshot(&held.id, &fields)?;
            let event = Event::SnapshotUpdated { backup_id: held.id.clone() };
            self.catalogue.add_event(self.now_ms(), &event)?;
            self.sync_record(&held.id).await?;
        }
        self.require_snapshot(&held.id)
    }

    fn check_request(&self, request: &SnapshotRequest) -> Result<()> {
        if let Some(description) = &request.description {
            check_description(description)?;
        }
        let Some(name) = &request.name else { return Ok(()) };
        check_name(name)?;
        match self.catalogue.name_claimant(name, self.now_ms())? {
            Some(holder) if holder.state == SnapshotState::Pending => {
                Err(Error::new(ErrorCode::Conflict, "name: a snapshot of this name is being taken")
                    .with_hint("wait for it, or choose another name"))
            }
            Some(holder) if !request.replace => Err(name_taken(&holder)),
            _ => Ok(()),
        }
    }
}

/// The refusal of a name that another snapshot has.
pub(crate) fn name_taken(holder: &Snapshot) -> Error {
    Error::new(ErrorCode::Conflict, format!("name: snapshot {} has this name", holder.id))
        .with_hint("choose another name, rename or delete that snapshot, or move the name with replace: true")
        .with_details(json!({ "field": "name", "holder": holder.id }))
}
