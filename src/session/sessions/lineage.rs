//! Show which workspaces and snapshots came from which.

use crate::domain::limits::LINEAGE_MAX_PLACES;
use crate::domain::lineage::{LineageNode, as_text, lineage};
use crate::domain::snapshot::flat_ids;
use crate::domain::{BackupId, Result, SandboxId, Snapshot, Workspace, WorkspaceRef};
use crate::session::Session;
use crate::session::parts::{Context, Quotas};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The tree of a session's workspaces and snapshots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Lineage {
    /// Depth first: each place follows its parent.
    pub nodes: Vec<LineageNode>,
    /// The workspace that tools act on.
    #[serde(flatten, with = "flat_ids::active_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::ActiveWithId"))]
    pub active: WorkspaceRef,
    /// The tree as text, one line per place.
    pub text: String,
    /// Whether the oldest places are omitted.
    pub truncated: bool,
}

parts!(LineageOf { context: Context, quotas: Quotas });

impl Session {
    /// Shows the tree of workspaces and snapshots. Starts no container. Ended ones appear only if
    /// an existing one came from them, autosaves and turns only if anything did.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub async fn lineage(&self) -> Result<Lineage> {
        let lineage_of = LineageOf::from(self);
        let loaded = lineage_of.context.load()?;
        loaded.require_snapshots()?;
        let rows = lineage_of.quotas.with_status(&loaded).await?.into_iter();
        let statuses: BTreeMap<_, _> = rows.map(|(row, status)| (row.sandbox_id, status)).collect();
        // No await from here on: the tree shows one moment.
        let active = lineage_of.context.load()?.row.active_sandbox_id;
        let mut places = Places::default();
        for workspace in lineage_of.context.catalogue.live_workspaces()? {
            places.workspaces.insert(workspace.sandbox_id.clone(), workspace);
        }
        for snapshot in lineage_of.context.catalogue.shown_snapshots(LINEAGE_MAX_PLACES + 1)? {
            places.snapshots.insert(snapshot.id.clone(), snapshot);
        }
        let truncated = places.snapshots.len() > LINEAGE_MAX_PLACES as usize
            || !lineage_of.add_ancestors(&mut places)?;
        let workspaces: Vec<Workspace> = places.workspaces.into_values().collect();
        let snapshots: Vec<Snapshot> = places.snapshots.into_values().collect();
        // A snapshot that only the limit leaves out still has a row.
        let mut foreign = BTreeSet::new();
        for id in workspaces.iter().filter_map(|row| row.from_backup_id.as_ref()) {
            if lineage_of.context.catalogue.snapshot(id)?.is_none() {
                foreign.insert(id.clone());
            }
        }
        let now_ms = lineage_of.context.now_ms();
        let nodes = lineage(&workspaces, &snapshots, &foreign, &statuses, &active, now_ms);
        let text = as_text(&nodes);
        Ok(Lineage { nodes, active: WorkspaceRef::new(active), text, truncated })
    }
}

impl LineageOf<'_> {
    /// Returns false if there are too many.
    fn add_ancestors(&self, places: &mut Places) -> Result<bool> {
        loop {
            let mut missing_workspaces: Vec<SandboxId> = Vec::new();
            for snapshot in places.snapshots.values() {
                if !places.workspaces.contains_key(&snapshot.origin_sandbox_id) {
                    missing_workspaces.push(snapshot.origin_sandbox_id.clone());
                }
            }
            let mut missing_snapshots: Vec<BackupId> = Vec::new();
            for workspace in places.workspaces.values() {
                for id in [&workspace.made_from_backup_id, &workspace.from_backup_id] {
                    if let Some(id) = id
                        && !places.snapshots.contains_key(id)
                    {
                        missing_snapshots.push(id.clone());
                    }
                }
            }
            let before = places.len();
            for id in missing_workspaces {
                if let Some(row) = self.context.catalogue.workspace(&id)? {
                    places.workspaces.insert(id, row);
                }
            }
            for id in missing_snapshots {
                if let Some(row) = self.context.catalogue.snapshot(&id)? {
                    places.snapshots.insert(id, row);
                }
            }
            if places.len() == before {
                return Ok(true);
            }
            if places.len() > 2 * LINEAGE_MAX_PLACES as usize {
                return Ok(false);
            }
        }
    }
}

#[derive(Default)]
struct Places {
    workspaces: BTreeMap<SandboxId, Workspace>,
    snapshots: BTreeMap<BackupId, Snapshot>,
}

impl Places {
    fn len(&self) -> usize {
        self.workspaces.len() + self.snapshots.len()
    }
}
