//! Layers that are becoming full.

use crate::domain::snapshot::chain::Part;
use crate::domain::{BackupId, Result, SandboxId, Snapshot};
use crate::ports::database::query;
use crate::session::catalogue::Catalogue;
use crate::session::catalogue::snapshots::chain_column;
use serde::Deserialize;

/// A layer that is becoming full.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Flattening {
    /// Its id.
    pub snapshot_id: BackupId,
    /// The sandbox whose container archives it.
    pub sandbox_id: SandboxId,
}

impl Catalogue {
    /// Records that a layer is about to become full.
    pub fn add_flattening(&self, id: &BackupId, sandbox_id: &SandboxId) -> Result<()> {
        self.database.exec(
            "INSERT OR REPLACE INTO flattening (snapshot_id, sandbox_id) VALUES (?, ?)",
            &[id.as_str().into(), sandbox_id.as_str().into()],
        )?;
        Ok(())
    }

    /// Layers that are becoming full.
    pub fn flattening(&self) -> Result<Vec<Flattening>> {
        let sql = "SELECT snapshot_id, sandbox_id FROM flattening ORDER BY snapshot_id";
        query(self.database.as_ref(), sql, &[])
    }

    /// Whether this snapshot, or one below it in its chain, is being flattened.
    pub fn is_flattening(&self, id: &BackupId) -> Result<bool> {
        let rows = self.database.exec(
            "SELECT 1 AS one FROM flattening WHERE snapshot_id = ?1 OR snapshot_id IN (
                SELECT part.value ->> '$.id' FROM snapshots, json_each(COALESCE(chain, '[]')) AS part
                WHERE snapshots.id = ?1)
             LIMIT 1",
            &[id.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// All snapshots whose chains contain `id`.
    pub fn layers_above(&self, id: &BackupId) -> Result<Vec<Snapshot>> {
        let (mut found, mut below): (Vec<Snapshot>, _) = (Vec::new(), vec![id.clone()]);
        while let Some(id) = below.pop() {
            let layers = self.layers_on(&id)?;
            below.extend(layers.iter().map(|layer| layer.id.clone()));
            found.extend(layers);
        }
        Ok(found)
    }

    /// Forgets that a layer was becoming full.
    pub fn drop_flattening(&self, id: &BackupId) -> Result<()> {
        self.database
            .exec("DELETE FROM flattening WHERE snapshot_id = ?", &[id.as_str().into()])?;
        Ok(())
    }

    /// Records that a snapshot has a full archive, and shortens the chains of the layers
    /// above it.
    pub fn set_full(&self, full: &Part, above: &[Snapshot]) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET chain = NULL, size_bytes = ?, sha256 = ? WHERE id = ?",
            &[full.size_bytes.into(), full.sha256.as_str().into(), full.id.as_str().into()],
        )?;
        for layer in above {
            self.database.exec(
                "UPDATE snapshots SET chain = ? WHERE id = ?",
                &[chain_column(&layer.chain.rebased(full))?, layer.id.as_str().into()],
            )?;
        }
        Ok(())
    }
}
