//! Look at one snapshot.

use crate::domain::snapshot::backup::expires_at_ms;
use crate::domain::snapshot::ownership::foreign_origin;
use crate::domain::snapshot::{ShownState, flat_ids, gone};
use crate::domain::time::rfc3339;
use crate::domain::{
    BackupMeta, Cause, ErrorCode, Result, Snapshot, SnapshotRef, SnapshotSelector, SnapshotSummary,
    SnapshotTrigger,
};
use crate::session::Woken;
use crate::session::parts::snapshots::locate::{Target, check_unexpired};
use crate::session::parts::{Context, Leases};
use serde::{Deserialize, Serialize};

/// A snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct SnapshotView {
    /// Its ref.
    #[serde(flatten, with = "flat_ids::snapshot_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::SnapshotWithId"))]
    pub r#ref: SnapshotRef,
    /// Its data.
    pub snapshot: SnapshotSummary,
    /// Nothing had changed, so this is an earlier snapshot. It now has the requested name and other
    /// fields; nothing was uploaded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// The snapshots it woke from, if it was asleep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<Woken>,
}

impl SnapshotView {
    pub(crate) fn of(snapshot: &Snapshot, now_ms: i64) -> Self {
        Self {
            r#ref: snapshot.to_ref(),
            snapshot: snapshot.summary(now_ms),
            unchanged: false,
            woken: None,
        }
    }

    /// The view of a backup without a row in this session, from its `meta.json` alone.
    pub(crate) fn of_foreign(meta: &BackupMeta, now_ms: i64) -> Result<Self> {
        let created_at_ms = meta.created_at_ms()?;
        let unrestorable = check_unexpired(meta, now_ms).err().map(|error| error.code);
        let expired = unrestorable == Some(ErrorCode::SnapshotExpired);
        let ours = meta.snapshotter.as_ref();
        Ok(Self {
            r#ref: SnapshotRef::new(
                meta.id.clone(),
                meta.dir.clone(),
                foreign_origin(meta).cloned(),
            ),
            snapshot: SnapshotSummary {
                id: meta.id.clone(),
                annotations: meta.annotations(),
                published: ours.is_some_and(|ours| ours.published),
                pinned: ours.is_some_and(|ours| ours.unpinned_ttl.is_some()),
                kind: ours.map(|ours| ours.kind),
                format: None,
                cause: ours.map_or_else(Cause::default, |ours| ours.cause.clone()),
                state: if expired { ShownState::Expired } else { ShownState::Ready },
                created_at: rfc3339(created_at_ms),
                expires_at: rfc3339(expires_at_ms(created_at_ms, meta.ttl)),
                size_bytes: Some(meta.size_bytes),
                parent_id: ours.and_then(|ours| ours.parent_id.clone()),
                sha256: ours.map(|ours| ours.sha256.clone()),
                dropped: None,
                clamped_times: None,
                git: ours.and_then(|ours| ours.git.clone()),
                machine: ours.and_then(|ours| ours.machine.clone()),
                retired_at: None,
                restorable: unrestorable.is_none(),
                unrestorable_because: unrestorable,
            },
            unchanged: false,
            woken: None,
        })
    }

    pub(crate) fn is_hidden(&self) -> bool {
        !matches!(self.snapshot.cause.trigger, SnapshotTrigger::Manual | SnapshotTrigger::Import)
            && self.snapshot.annotations.name.is_none()
    }

    pub(crate) fn is_expired(&self) -> bool {
        self.snapshot.unrestorable_because == Some(ErrorCode::SnapshotExpired)
    }
}

parts!(Get { context: Context, leases: Leases });

impl Get<'_> {
    /// Shows one snapshot, also an expired, a deleted or a borrowed one. Starts no container.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; when crossing, `SNAPSHOT_GONE`.
    pub async fn get(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<SnapshotView> {
        let loaded = self.context.load()?;
        loaded.require_snapshots()?;
        if !allow_cross_session && self.context.began_with(selector)? {
            let binding = &loaded.config.backup_binding;
            let meta = self.leases.find_published(binding, selector).await?;
            return SnapshotView::of_foreign(&meta, self.context.now_ms());
        }
        match self.context.locate(&loaded, selector, allow_cross_session)? {
            Target::Own(snapshot) => Ok(SnapshotView::of(&snapshot, self.context.now_ms())),
            Target::Foreign(id) => {
                if let Some(meta) = self.context.cross_to(&loaded, "get", selector, &id).await? {
                    return SnapshotView::of_foreign(&meta, self.context.now_ms());
                }
                let backup = self
                    .context
                    .find_sdk_backup(&loaded.config.backup_binding, selector, &id)
                    .await?;
                let backup = backup.ok_or_else(|| gone(&id, "is not in the bucket"))?;
                Ok(backup.view(&loaded.config.snapshot_dir))
            }
        }
    }
}
