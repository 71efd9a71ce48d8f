//! Decides which session may access which snapshot.

use crate::domain::ids::not_owned_snapshot;
use crate::domain::{BackupMeta, Error, ErrorCode, Result, SandboxId, Snapshot, SnapshotSelector};

/// Whether a request may cross the session boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boundary {
    /// The caller set `allowCrossSession`.
    pub requested: bool,
    /// The operator set `capabilities.snapshot.crossSession`.
    pub enabled: bool,
}

impl Boundary {
    /// Whether the request crosses the boundary.
    ///
    /// # Errors
    /// `CROSS_SESSION_DISABLED` if it asks to, without the operator's permission.
    pub fn crossing(self) -> Result<bool> {
        if self.requested && !self.enabled {
            return Err(Error::new(
                ErrorCode::CrossSessionDisabled,
                "this session may not reach snapshots of other sessions",
            )
            .with_hint(
                "leave allowCrossSession out; an operator allows it with capabilities.snapshot.crossSession at the session's first open",
            ));
        }
        Ok(self.requested)
    }

    /// Refuses a request that does not cross.
    ///
    /// # Errors
    /// As [`Self::crossing`]; `INVALID_ARGUMENT` with the reason to cross.
    pub fn require_crossing(self, because: &str) -> Result<()> {
        if self.crossing()? {
            return Ok(());
        }
        Err(Error::invalid("allowCrossSession", format!("must be true: {because}")))
    }
}

/// How a session may reach a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is in this session's catalogue.
    Own,
    /// It is not, but the operator allows crossing.
    Crossing,
}

/// Decides access to a snapshot, from its row in this session's catalogue, and
/// [`Boundary::crossing`]. In a whole ref, **both** the backup id and the origin must match.
///
/// # Errors
/// `SNAPSHOT_NOT_OWNED`, whether or not the snapshot exists elsewhere.
pub fn decide(
    selector: &SnapshotSelector,
    record: Option<&Snapshot>,
    crossing: bool,
) -> Result<Access> {
    match (selector, record) {
        (SnapshotSelector::Ref(named), Some(record)) => {
            if named.payload.origin_sandbox_id.as_ref() == Some(&record.origin_sandbox_id) {
                Ok(Access::Own)
            } else {
                Err(not_owned_snapshot())
            }
        }
        (_, Some(_)) => Ok(Access::Own),
        (SnapshotSelector::Ref(_) | SnapshotSelector::Id(_), None) if crossing => {
            Ok(Access::Crossing)
        }
        (_, None) => Err(not_owned_snapshot()),
    }
}

/// Checks another session's backup. A whole ref must name the origin in `meta.json`, which is null
/// for `@cloudflare/sandbox` 0.12.
///
/// # Errors
/// `SNAPSHOT_NOT_OWNED`.
pub fn check_foreign(selector: &SnapshotSelector, meta: &BackupMeta) -> Result<()> {
    let SnapshotSelector::Ref(named) = selector else { return Ok(()) };
    if named.payload.origin_sandbox_id.as_ref() == foreign_origin(meta) {
        Ok(())
    } else {
        Err(not_owned_snapshot())
    }
}

/// The sandbox that a backup was taken from, if recorded.
#[must_use]
pub fn foreign_origin(meta: &BackupMeta) -> Option<&SandboxId> {
    meta.snapshotter.as_ref().map(|ours| &ours.origin_sandbox_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BackupDir, BackupId, SnapshotRef, SnapshotState, SnapshotTrigger};
    use proptest::prelude::*;

    fn sandbox(text: &str) -> SandboxId {
        SandboxId::parse(text).unwrap()
    }

    fn record(id: &BackupId, origin: &str) -> Snapshot {
        Snapshot {
            seq: 1,
            id: id.clone(),
            binding: "B".into(),
            origin_sandbox_id: sandbox(origin),
            dir: BackupDir::parse("/workspace").unwrap(),
            annotations: Default::default(),
            chain: Default::default(),
            cause: SnapshotTrigger::Manual.into(),
            state: SnapshotState::Ready,
            handle: None,
            parent_id: None,
            created_at_ms: 0,
            ttl_secs: 100,
            size_bytes: None,
            sha256: None,
            renews: false,
            pinned: false,
            git: None,
            machine: None,
            published: false,
            unsynced_edits: 0,
            rebuilt_at_ms: None,
            retired_at_ms: None,
        }
    }

    fn named(id: &BackupId, origin: Option<&str>) -> SnapshotSelector {
        let dir = BackupDir::parse("/workspace").unwrap();
        SnapshotSelector::Ref(SnapshotRef::new(id.clone(), dir, origin.map(sandbox)))
    }

    #[test]
    fn id_and_origin_must_both_match() {
        let id = BackupId::from_random([1; 16]);
        let ours = record(&id, "a");
        assert_eq!(decide(&named(&id, Some("a")), Some(&ours), false).unwrap(), Access::Own);
        for forged in [named(&id, Some("b")), named(&id, None)] {
            for crossing in [false, true] {
                let error = decide(&forged, Some(&ours), crossing).unwrap_err();
                assert_eq!(error.code, ErrorCode::SnapshotNotOwned);
            }
        }
    }

    #[test]
    fn a_crossing_needs_request_and_permission() {
        let id = BackupId::from_random([1; 16]);
        let foreign = named(&id, Some("b"));
        let code = |requested, enabled| {
            let crossing = Boundary { requested, enabled }.crossing();
            crossing
                .and_then(|crossing| decide(&foreign, None, crossing))
                .map_err(|error| error.code)
        };
        assert_eq!(code(false, false), Err(ErrorCode::SnapshotNotOwned));
        assert_eq!(code(false, true), Err(ErrorCode::SnapshotNotOwned));
        assert_eq!(code(true, false), Err(ErrorCode::CrossSessionDisabled));
        assert_eq!(code(true, true), Ok(Access::Crossing));
    }

    #[test]
    fn a_name_never_crosses() {
        let selector = SnapshotSelector::Name("v1".into());
        assert_eq!(decide(&selector, None, true).unwrap_err().code, ErrorCode::SnapshotNotOwned);
    }

    proptest! {
        #[test]
        fn without_a_record_nothing_is_reached_inside_the_boundary(
            bytes in any::<[u8; 16]>(), origin in "[a-z0-9]{1,20}",
        ) {
            let id = BackupId::from_random(bytes);
            for selector in [named(&id, Some(&origin)), named(&id, None), SnapshotSelector::Id(id.clone())] {
                let error = decide(&selector, None, false).unwrap_err();
                prop_assert_eq!(&error, &not_owned_snapshot());
            }
        }
    }
}
