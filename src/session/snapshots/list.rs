//! List snapshots: the session's own, or the whole bucket if the operator allows crossing.

use crate::domain::limits::META_READS_AT_ONCE;
use crate::domain::page::page_size;
use crate::domain::snapshot::backup::BACKUPS_PREFIX;
use crate::domain::snapshot::flat_ids;
use crate::domain::snapshot::rebuild::ListProblem;
use crate::domain::{
    BackupId, Cursor, Error, ErrorCode, Result, RowPage, SnapshotQuery, SnapshotRef,
    SnapshotSummary,
};
use crate::ports::Bucket;
use crate::session::catalogue::SnapshotFilter;
use crate::session::parts::{Context, LoadedSession};
use crate::session::{Session, SnapshotView};
use crate::support::backup_objects::read_meta;
use futures::stream;
use futures::stream::StreamExt;
use serde::{Deserialize, Serialize};

/// Which snapshots to list, and how many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListRequest {
    /// Maximum number of results; clamped to the session's `maxListResults`.
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// Also list expired snapshots.
    pub include_expired: bool,
    /// Also snapshots that are being taken or deleted, are deleted, or failed.
    pub include_unready: bool,
    /// Also list automatic snapshots.
    pub include_auto: bool,
    /// Walk the whole bucket.
    pub allow_cross_session: bool,
    /// Which snapshots to list.
    pub query: SnapshotQuery,
}

/// A page of snapshots.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SnapshotPage {
    /// Snapshots with their refs and data.
    pub snapshots: Vec<ListedSnapshot>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Backups with unreadable records (crossing only).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ListProblem>,
}

/// A snapshot of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ListedSnapshot {
    /// Its ref.
    #[serde(flatten, with = "flat_ids::snapshot_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::SnapshotWithId"))]
    pub r#ref: SnapshotRef,
    /// What a reader wants to know, in the same object.
    #[serde(flatten)]
    pub snapshot: SnapshotSummary,
}

impl SnapshotPage {
    fn push(&mut self, view: SnapshotView) {
        let SnapshotView { r#ref, snapshot, .. } = view;
        self.snapshots.push(ListedSnapshot { r#ref, snapshot });
    }
}

parts!(List { context: Context });

impl Session {
    /// Lists snapshots: the session's own, newest first; or, crossing, one R2 page in key order,
    /// which may be short without being the last. Starts no container.
    ///
    /// # Errors
    /// `CROSS_SESSION_DISABLED`; `INVALID_ARGUMENT` for another list's cursor.
    pub async fn list(&self, request: &ListRequest) -> Result<SnapshotPage> {
        let parts = List::from(self);
        let loaded = parts.context.load()?;
        loaded.require_snapshots()?;
        request.query.check()?;
        let crossing = loaded.boundary(request.allow_cross_session).crossing()?;
        let limit = page_size(request.limit, loaded.config.modules.max_list_results())?;
        let cursor = request.cursor.as_deref().map(Cursor::decode).transpose()?;
        match (crossing, cursor) {
            (false, None) => parts.list_own(request, RowPage::new(limit, None)),
            (false, Some(Cursor::Catalogue { before_seq })) => {
                parts.list_own(request, RowPage::new(limit, Some(before_seq)))
            }
            (true, None) => parts.list_bucket(&loaded, request, None, limit).await,
            (true, Some(Cursor::Bucket { r2 })) => {
                parts.list_bucket(&loaded, request, Some(r2), limit).await
            }
            (true, Some(Cursor::SdkBackups { r2 })) => {
                let mut page = SnapshotPage::default();
                parts.context.note_crossing("list", None, None)?;
                parts.add_sdk_backups(&loaded, request, &mut page, r2, limit).await?;
                Ok(page)
            }
            (_, Some(_)) => {
                Err(Error::invalid("cursor", "belongs to a list with another allowCrossSession"))
            }
        }
    }
}

impl List<'_> {
    fn list_own(&self, request: &ListRequest, wanted: RowPage) -> Result<SnapshotPage> {
        let now_ms = self.context.now_ms();
        let filter = SnapshotFilter {
            query: request.query.clone(),
            include_expired: request.include_expired,
            include_unready: request.include_unready,
            include_auto: request.include_auto,
        };
        let mut rows = self.context.catalogue.list_snapshots(
            &filter,
            now_ms,
            wanted.before_seq,
            wanted.rows_to_read(),
        )?;
        let next_cursor = wanted.cut(&mut rows, |row| row.seq)?;
        let mut page = SnapshotPage { next_cursor, ..SnapshotPage::default() };
        for row in &rows {
            page.push(SnapshotView::of(row, now_ms));
        }
        Ok(page)
    }

    async fn list_bucket(
        &self,
        loaded: &LoadedSession,
        request: &ListRequest,
        cursor: Option<String>,
        limit: u32,
    ) -> Result<SnapshotPage> {
        self.context.note_crossing("list", None, None)?;
        let bucket = self.context.ports.buckets.open(&loaded.config.backup_binding)?;
        let folders = bucket.list_folders(BACKUPS_PREFIX, cursor.as_deref(), limit).await?;
        let room = limit.saturating_sub(u32::try_from(folders.folders.len()).unwrap_or(limit));
        let follows = folders.cursor.map(|r2| Cursor::Bucket { r2 });
        let is_end = follows.is_none();
        let mut page = SnapshotPage {
            next_cursor: follows.map(|cursor| cursor.encode()).transpose()?,
            ..SnapshotPage::default()
        };
        let ids = folders.folders.iter().filter_map(|folder| backup_id_of(folder));
        let mut records = stream::iter(ids)
            .map(|id| view_of_backup(bucket.as_ref(), id, self.context.now_ms()))
            .buffered(META_READS_AT_ONCE);
        while let Some((id, view)) = records.next().await {
            match view {
                Ok(Some(view))
                    if request.query.finds(&view.snapshot)
                        && (request.include_expired || !view.is_expired())
                        && (request.include_auto || !view.is_hidden()) =>
                {
                    page.push(view);
                }
                // Filtered out; or an archive without a commit record, which is not a backup.
                Ok(_) => {}
                Err(error) if error.code == ErrorCode::Unavailable => return Err(error),
                Err(error) => page.problems.push(ListProblem { id, error: error.to_wire().error }),
            }
        }
        drop(records);
        if is_end && room > 0 {
            self.add_sdk_backups(loaded, request, &mut page, None, room).await?;
        } else if is_end {
            page.next_cursor = Some(Cursor::SdkBackups { r2: None }.encode()?);
        }
        Ok(page)
    }

    /// One R2 page of them. They follow our snapshots.
    async fn add_sdk_backups(
        &self,
        loaded: &LoadedSession,
        request: &ListRequest,
        page: &mut SnapshotPage,
        cursor: Option<String>,
        limit: u32,
    ) -> Result<()> {
        let found = self.context.list_sdk_backups(loaded, cursor.as_deref(), limit).await?;
        for backup in found.backups {
            let view = backup.view(&loaded.config.snapshot_dir);
            if request.query.finds(&view.snapshot) {
                page.push(view);
            }
        }
        let next = found.cursor.map(|r2| Cursor::SdkBackups { r2: Some(r2) }.encode());
        page.next_cursor = next.transpose()?;
        Ok(())
    }
}

/// None: the folder is not ours.
pub(crate) fn backup_id_of(folder: &str) -> Option<BackupId> {
    let name = folder.strip_prefix(BACKUPS_PREFIX)?.strip_suffix('/')?;
    BackupId::parse(name).ok()
}

async fn view_of_backup(
    bucket: &dyn Bucket,
    id: BackupId,
    now_ms: i64,
) -> (BackupId, Result<Option<SnapshotView>>) {
    let view = match read_meta(bucket, &id).await {
        Ok(Some(meta)) => SnapshotView::of_foreign(&meta, now_ms).map(Some),
        Ok(None) => Ok(None),
        Err(error) => Err(error),
    };
    (id, view)
}
