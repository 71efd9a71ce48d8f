//! Rename, describe, label, pin or publish a snapshot, or change its expiry.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
#[cfg(schemas)]
use crate::domain::limits;
use crate::domain::limits::{RECOVER_AFTER_MS, TTL_MAX_SECS, TTL_MIN_SECS};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::session::event::Event;
use crate::domain::snapshot::backup::{Ttl, parse_rfc3339};
use crate::domain::snapshot::labels::LabelChanges;
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::domain::snapshot::{
    Snapshot, SnapshotState, SnapshotTrigger, check_description, check_name,
};
use crate::session::SnapshotView;
use crate::session::catalogue::EditedFields;
use crate::session::context::Context;
use crate::session::snapshots::locate::Target;
use crate::session::snapshots::store::SnapshotStore;
use crate::session::snapshots::take::name_taken;
use serde::{Deserialize, Deserializer, Serialize};

/// What to change of a snapshot. What is absent stays; null removes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SnapshotEdit {
    /// Name within the session.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = limits::SNAPSHOT_NAME_MAX_CHARS), regex(pattern = schemas::NAME_PATTERN)))]
    pub name: Option<Option<String>>,
    /// Take the name from a snapshot that has it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace: bool,
    /// What to remember.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(max = limits::SNAPSHOT_DESCRIPTION_MAX_CHARS), regex(pattern = schemas::TEXT_PATTERN)))]
    pub description: Option<Option<String>>,
    /// Labels to set, and with null to remove.
    #[serde(skip_serializing_if = "LabelChanges::is_empty")]
    #[cfg_attr(schemas, schemars(schema_with = "schemas::label_changes"))]
    pub labels: LabelChanges,
    /// Whether it stays, whatever its time to live and the policy say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Whether other sessions may start workspaces from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<bool>,
    /// When its time is up, in RFC 3339; null keeps it until it is deleted. A
    /// snapshot lives whole seconds, so its end is up to one second later.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(extend("format" = "date-time")))]
    pub expires_at: Option<Option<String>>,
}

/// Reads a field that is present, null included.
///
/// # Errors
/// If it is neither text nor null.
pub fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl SnapshotEdit {
    fn apply(&self, snapshot: &Snapshot, now_ms: i64) -> Result<EditedFields> {
        let mut fields = EditedFields::of(snapshot);
        if let Some(name) = &self.name {
            name.as_deref().map_or(Ok(()), check_name)?;
            fields.name.clone_from(name);
        }
        if let Some(description) = &self.description {
            description.as_deref().map_or(Ok(()), check_description)?;
            fields.description.clone_from(description);
        }
        fields.labels = fields.labels.changed(&self.labels)?;
        fields.pinned = self.pinned.unwrap_or(fields.pinned);
        fields.published = self.published.unwrap_or(fields.published);
        if self.published == Some(true) && fields.trigger == SnapshotTrigger::Auto {
            // It is requested now: no longer hidden, nor pruned as an automatic one.
            fields.trigger = SnapshotTrigger::Manual;
        }
        match &self.expires_at {
            None => {}
            Some(None) => fields.ttl_secs = TTL_MAX_SECS,
            Some(Some(text)) => fields.ttl_secs = ttl_until(snapshot, text, now_ms)?.as_secs(),
        }
        Ok(fields)
    }
}

/// The time to live that ends at `text`.
fn ttl_until(snapshot: &Snapshot, text: &str, now_ms: i64) -> Result<Ttl> {
    let at_ms = parse_rfc3339("expiresAt", text)?;
    let least_ms = now_ms.saturating_add(i64::try_from(TTL_MIN_SECS).unwrap_or(0) * 1_000);
    if at_ms < least_ms {
        return Err(Error::invalid(
            "expiresAt",
            format!("must be at least {TTL_MIN_SECS} seconds from now"),
        )
        .with_hint("to be rid of the snapshot now, delete it"));
    }
    let ms = u64::try_from(at_ms.saturating_sub(snapshot.created_at_ms)).unwrap_or(0);
    Ttl::from_secs(ms.div_ceil(1_000)).map_err(|_too_far| {
        Error::invalid("expiresAt", "must be at most ten years after the snapshot was made")
            .with_hint("null keeps a snapshot until it is deleted")
    })
}

parts!(Update { context: Context, store: SnapshotStore });

impl Update<'_> {
    /// Changes what the session says of one of its own ready snapshots. Starts
    /// no container.
    ///
    /// Order: alarm, row, `meta.json`. The row is authoritative; if R2 does not
    /// respond, the alarm writes the edit to `meta.json` later.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `SNAPSHOT_GONE`; `CONFLICT` for a taken name, or
    /// while the snapshot is being taken.
    pub async fn update_snapshot(
        &self,
        selector: &SnapshotSelector,
        edit: &SnapshotEdit,
    ) -> Result<SnapshotView> {
        let loaded = self.context.load()?.writable()?;
        loaded.require_snapshots()?;
        let Target::Own(found) = self.context.locate(&loaded, selector, false)? else {
            return Err(Error::internal("an own snapshot was reached by crossing"));
        };
        let id = found.id;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        // No await from this check to the row: a delete that starts now finds the
        // edit; we find one that started before.
        let snapshot = self.context.require_snapshot(&id)?;
        check_editable(&snapshot)?;
        let fields = edit.apply(&snapshot, self.context.now_ms())?;
        let mut changed = vec![id.clone()];
        if fields != EditedFields::of(&snapshot) {
            self.check_name_free(&id, &fields, edit.replace)?;
            if let Some(name) = &fields.name {
                let holder = self.context.catalogue.snapshot_named(name, self.context.now_ms())?;
                changed.extend(holder.map(|holder| holder.id).filter(|holder| holder != &id));
            }
            self.context.catalogue.edit_snapshot(&id, &fields)?;
            self.context.catalogue.add_event(
                self.context.now_ms(),
                &Event::SnapshotUpdated { backup_id: id.clone() },
            )?;
        }
        for changed in changed {
            let synced = self.store.sync_record(&changed).await;
            // If another snapshot, which lost its name, is gone, its loss is recorded and
            // this call still succeeds.
            if changed == id {
                synced?;
            }
        }
        Ok(SnapshotView::of(&self.context.require_snapshot(&id)?, self.context.now_ms()))
    }

    fn check_name_free(&self, id: &BackupId, fields: &EditedFields, replace: bool) -> Result<()> {
        let Some(name) = &fields.name else { return Ok(()) };
        let holder = self.context.catalogue.snapshot_named(name, self.context.now_ms())?;
        if holder.is_some_and(|holder| &holder.id == id) {
            return Ok(());
        }
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

/// Refuses a snapshot that is not ready. An expired one can still be edited, and
/// so kept, until it is deleted.
fn check_editable(snapshot: &Snapshot) -> Result<()> {
    if snapshot.state == SnapshotState::Ready {
        return Ok(());
    }
    // The error says why the snapshot could not be restored either.
    snapshot.restorable(i64::MIN).map(drop)
}
