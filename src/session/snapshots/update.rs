//! Rename, describe, label, pin or publish a snapshot, or change its expiry.

use crate::domain::limits::{RECOVER_AFTER_MS, TTL_MAX_SECS, TTL_MIN_SECS};
use crate::domain::snapshot::annotations::{Cleared, SnapshotEdit};
use crate::domain::snapshot::backup::Ttl;
use crate::domain::time::parse_rfc3339;
use crate::domain::{
    Error, Event, Result, Snapshot, SnapshotSelector, SnapshotState, SnapshotTrigger,
};
use crate::session::catalogue::EditedFields;
use crate::session::parts::snapshots::locate::Target;
use crate::session::parts::{Context, SnapshotStore};
use crate::session::{Session, SnapshotView};

fn edited(snapshot: &Snapshot, edit: &SnapshotEdit, now_ms: i64) -> Result<EditedFields> {
    let mut fields = EditedFields::of(snapshot);
    fields.annotations = fields.annotations.edited(edit)?;
    fields.pinned = edit.pinned.unwrap_or(fields.pinned);
    fields.published = edit.published.unwrap_or(fields.published);
    if edit.published == Some(true)
        && matches!(fields.cause.trigger, SnapshotTrigger::Auto | SnapshotTrigger::Turn)
    {
        // The snapshot is requested now: it is no longer hidden, nor pruned as an automatic one.
        fields.cause.trigger = SnapshotTrigger::Manual;
    }
    if let Some(text) = &edit.expires_at {
        fields.ttl_secs = ttl_until(snapshot, text, now_ms)?.as_secs();
        fields.renews = false;
    } else if edit.clear.contains(&Cleared::ExpiresAt) {
        fields.ttl_secs = TTL_MAX_SECS;
        fields.renews = false;
    }
    Ok(fields)
}

fn ttl_until(snapshot: &Snapshot, text: &str, now_ms: i64) -> Result<Ttl> {
    let at_ms = parse_rfc3339("expiresAt", text)?;
    let least_ms = now_ms.saturating_add(i64::try_from(TTL_MIN_SECS).unwrap_or(0) * 1_000);
    if at_ms < least_ms {
        return Err(Error::invalid(
            "expiresAt",
            format!("must be at least {TTL_MIN_SECS} seconds from now"),
        )
        .with_hint("to remove the snapshot now, delete it"));
    }
    let ms = u64::try_from(at_ms.saturating_sub(snapshot.created_at_ms)).unwrap_or(0);
    Ttl::from_secs(ms.div_ceil(1_000)).map_err(|_too_far| {
        Error::invalid("expiresAt", "must be at most ten years after the snapshot was made")
            .with_hint("clear expiresAt to keep a snapshot until it is deleted")
    })
}

parts!(Update { context: Context, store: SnapshotStore });

impl Session {
    /// Edits a ready snapshot of this session. Order: alarm, row, `meta.json`. The row is
    /// authoritative: if R2 does not respond, the alarm writes `meta.json` later.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `SNAPSHOT_GONE`; `CONFLICT` for a taken name or a pending snapshot.
    pub async fn update_snapshot(
        &self,
        selector: &SnapshotSelector,
        edit: &SnapshotEdit,
    ) -> Result<SnapshotView> {
        let update = Update::from(self);
        let loaded = update.context.load()?.writable()?;
        loaded.require_snapshots()?;
        let Target::Own(found) = update.context.locate(&loaded, selector, false)? else {
            return Err(Error::internal("a snapshot of this session was reached by crossing"));
        };
        let id = found.id;
        update.context.ports.alarm.schedule_by(update.context.now_ms() + RECOVER_AFTER_MS).await?;
        // No await from this check to the row: a delete that starts now finds the edit; we find a
        // delete that started before.
        let snapshot = update.context.require_snapshot(&id)?;
        check_editable(&snapshot)?;
        let fields = edited(&snapshot, edit, update.context.now_ms())?;
        let mut changed = vec![id.clone()];
        if fields != EditedFields::of(&snapshot) {
            let name = fields.annotations.name.as_deref();
            let now_ms = update.context.now_ms();
            let holder = name.map(|name| update.context.catalogue.snapshot_named(name, now_ms));
            let holder = holder.transpose()?.flatten().map(|holder| holder.id);
            if holder.as_ref() != Some(&id) {
                update.store.check_name_free(name, edit.replace)?;
                changed.extend(holder);
            }
            update.context.catalogue.edit_snapshot(&id, &fields)?;
            update.context.catalogue.add_event(
                update.context.now_ms(),
                &Event::SnapshotUpdated { backup_id: id.clone() },
            )?;
        }
        for changed in changed {
            let synced = update.store.sync_record(&changed).await;
            // If only the snapshot that lost its name is gone, this call still succeeds.
            if changed == id {
                synced?;
            }
        }
        Ok(SnapshotView::of(&update.context.require_snapshot(&id)?, update.context.now_ms()))
    }
}

/// An expired snapshot can still be edited, and so kept, until it is deleted.
fn check_editable(snapshot: &Snapshot) -> Result<()> {
    if snapshot.state == SnapshotState::Ready {
        return Ok(());
    }
    // The error says why the snapshot could not be restored either.
    snapshot.restorable(i64::MIN).map(drop)
}
