//! Layers: archives of the changes since a base. A layer's chain lists the archives that its tree
//! needs below its own: a full one, then layers in the order of their application.

use crate::domain::limits::{LAYERS_MAX, LAYERS_MAX_DIVISOR};
use crate::domain::{BackupId, SnapshotKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One archive of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// The backup that has the archive.
    pub id: BackupId,
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256, lowercase hexadecimal.
    pub sha256: String,
}

/// The archives below a layer. Empty for a full archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chain(Vec<Part>);

impl Chain {
    /// The chain of a full archive.
    pub const NONE: Self = Self(Vec::new());

    /// Whether the archive is full.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The archives, in the order of their application.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The archives with their kinds.
    pub fn archives(&self) -> impl Iterator<Item = (&Part, SnapshotKind)> {
        let kinds =
            std::iter::once(SnapshotKind::Full).chain(std::iter::repeat(SnapshotKind::Layer));
        self.0.iter().zip(kinds)
    }

    pub(crate) fn check(&self, own: &BackupId, kind: SnapshotKind) -> Result<(), String> {
        if self.is_empty() != (kind == SnapshotKind::Full) {
            return Err("a layer has a chain, and a full archive has none".to_owned());
        }
        if self.0.len() > LAYERS_MAX {
            return Err(format!("its chain has {} archives", self.0.len()));
        }
        let mut ids: BTreeSet<&BackupId> = BTreeSet::from([own]);
        for Part { id, sha256, .. } in &self.0 {
            if !ids.insert(id) {
                return Err(format!("its chain has {id} twice"));
            }
            let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            if sha256.len() != 64 || !sha256.bytes().all(hex) {
                return Err(format!("its chain has no SHA-256 of {id}"));
            }
        }
        Ok(())
    }

    /// The chain of a layer on `top`, whose chain this is.
    #[must_use]
    pub fn with(mut self, top: Part) -> Self {
        self.0.push(top);
        self
    }

    /// Whether a layer with this chain needs the archive of `id`.
    #[must_use]
    pub fn needs(&self, id: &BackupId) -> bool {
        self.0.iter().any(|part| part.id == *id)
    }

    /// The chain once the backup of `full` has a full archive: those below are no longer needed.
    #[must_use]
    pub fn rebased(&self, full: &Part) -> Self {
        let Some(position) = self.0.iter().position(|part| part.id == full.id) else {
            return self.clone();
        };
        let above = self.0.iter().skip(position + 1).cloned();
        Self(std::iter::once(full.clone()).chain(above).collect())
    }

    /// Most bytes of the next layer: all layers have at most half of the full archive's. None if
    /// the next must be full, which needs nothing from R2: the container has the whole tree.
    #[must_use]
    pub fn room_bytes(&self) -> Option<u64> {
        let (full, layers) = self.0.split_first()?;
        if layers.len() >= LAYERS_MAX {
            return None;
        }
        let used: u64 = layers.iter().fold(0, |sum, part| sum.saturating_add(part.size_bytes));
        (full.size_bytes / LAYERS_MAX_DIVISOR).checked_sub(used).filter(|room| *room > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(n: u8, size_bytes: u64) -> Part {
        Part {
            id: BackupId::from_random([n; 16]),
            size_bytes,
            sha256: format!("{n:02x}").repeat(32),
        }
    }

    #[test]
    fn layers_have_at_most_half_of_the_full_archives_bytes_and_are_at_most_eight() {
        assert_eq!(Chain::NONE.room_bytes(), None);
        let mut chain = Chain::NONE.with(part(0, 1_000));
        assert_eq!(chain.room_bytes(), Some(500));
        assert_eq!(chain.clone().with(part(1, 499)).room_bytes(), Some(1));
        assert_eq!(chain.clone().with(part(1, 500)).room_bytes(), None);
        assert_eq!(chain.clone().with(part(1, u64::MAX)).with(part(2, 1)).room_bytes(), None);
        for n in 1..=7 {
            chain = chain.with(part(n, 1));
        }
        assert_eq!(chain.room_bytes(), Some(493));
        assert_eq!(chain.with(part(8, 1)).room_bytes(), None);
    }

    #[test]
    fn a_chain_begins_with_the_backup_that_became_full() {
        let chain = (0..4).fold(Chain::NONE, |chain, n| chain.with(part(n, 10)));
        let full = part(2, 99);
        assert!(chain.needs(&full.id));
        let rebased = chain.rebased(&full);
        assert_eq!(rebased.parts(), [full.clone(), part(3, 10)]);
        assert_eq!(rebased.rebased(&full), rebased);
        assert!(!rebased.needs(&part(1, 0).id));
        assert_eq!(rebased.rebased(&part(1, 99)), rebased);
    }
}
