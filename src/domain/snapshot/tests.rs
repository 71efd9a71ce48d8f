use super::*;

#[test]
fn only_a_ready_unexpired_snapshot_is_restorable() {
    let id = BackupId::from_random([1; 16]);
    let dir = BackupDir::parse("/workspace").unwrap();
    let mut snapshot = Snapshot {
        seq: 1,
        id: id.clone(),
        binding: "B".into(),
        origin_sandbox_id: SandboxId::parse("a").unwrap(),
        dir: dir.clone(),
        annotations: Annotations::default(),
        chain: Default::default(),
        cause: SnapshotTrigger::Manual.into(),
        state: SnapshotState::Ready,
        handle: Some(SnapshotRef::new(id, dir, None).payload.backup),
        parent_id: None,
        created_at_ms: 0,
        ttl_secs: 100,
        size_bytes: Some(1),
        sha256: None,
        renews: false,
        pinned: false,
        git: None,
        machine: None,
        published: false,
        unsynced_edits: 0,
        rebuilt_at_ms: None,
        retired_at_ms: None,
    };
    assert!(snapshot.restorable(40_000).is_ok());
    assert_eq!(snapshot.restorable(40_001).unwrap_err().code, ErrorCode::SnapshotExpired);
    assert_eq!(snapshot.shown_state(40_000), ShownState::Ready);
    assert_eq!(snapshot.shown_state(40_001), ShownState::Expired);
    snapshot.pinned = true;
    assert!(snapshot.restorable(40_001).is_ok(), "a pinned one stays");
    for (state, code) in [
        (SnapshotState::Pending, ErrorCode::Conflict),
        (SnapshotState::Failed, ErrorCode::SnapshotGone),
        (SnapshotState::Deleting, ErrorCode::SnapshotGone),
        (SnapshotState::Deleted, ErrorCode::SnapshotGone),
    ] {
        snapshot.state = state;
        assert_eq!(snapshot.restorable(0).unwrap_err().code, code);
        assert_eq!(snapshot.summary(0).unrestorable_because, Some(code));
    }
}
