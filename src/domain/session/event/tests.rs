use super::*;
use crate::domain::Scope;

fn one_of_each() -> Vec<Event> {
    let backup_id = BackupId::from_random([1; 16]);
    let sandbox_id = SandboxId::parse("a").unwrap();
    vec![
        Event::SessionOpened { sandbox_id: sandbox_id.clone(), shared: false },
        Event::SessionClosed { destroyed: true },
        Event::SnapshotCreated {
            backup_id: backup_id.clone(),
            origin_sandbox_id: sandbox_id.clone(),
            size_bytes: 1,
        },
        Event::SnapshotFailed { backup_id: backup_id.clone(), code: ErrorCode::BackupFailed },
        Event::SnapshotDeleted { backup_id: backup_id.clone() },
        Event::SnapshotUpdated { backup_id: backup_id.clone() },
        Event::SnapshotFlattened { backup_id: backup_id.clone(), size_bytes: 1 },
        Event::SnapshotPruned {
            backup_id: backup_id.clone(),
            reason: DeleteReason::Expired,
            size_bytes: 1,
        },
        Event::SnapshotRebuilt { backup_id: backup_id.clone() },
        Event::SnapshotLost { backup_id: backup_id.clone() },
        Event::SnapshotRepaired { backup_id: backup_id.clone() },
        Event::SweepHalted { binding: "BACKUP_BUCKET".into(), missing: 4 },
        Event::SweepResumed { binding: "BACKUP_BUCKET".into() },
        Event::SnapshotClaimed {
            backup_id: backup_id.clone(),
            session_id: SessionId::parse("other").unwrap(),
            omitted_count: 0,
        },
        Event::WorkspaceClaimed { sandbox_id: sandbox_id.clone(), backup_id: backup_id.clone() },
        Event::WorkspaceRestored { sandbox_id: sandbox_id.clone(), backup_id: backup_id.clone() },
        Event::WorkspaceBranched { sandbox_id: sandbox_id.clone(), backup_id: backup_id.clone() },
        Event::WorkspaceFailed { sandbox_id: sandbox_id.clone(), code: ErrorCode::RestoreFailed },
        Event::WorkspaceDestroyed {
            sandbox_id: sandbox_id.clone(),
            backup_id: Some(backup_id.clone()),
            used_since: true,
        },
        Event::WorkspaceRetired {
            sandbox_id: sandbox_id.clone(),
            backup_id: Some(backup_id.clone()),
        },
        Event::WorkspaceStartedFresh { sandbox_id: sandbox_id.clone() },
        Event::WorkspaceWoken {
            sandbox_id: sandbox_id.clone(),
            backup_id: Some(backup_id.clone()),
            age_seconds: Some(1),
            moved_aside: Some("/workspace.aside-0".into()),
        },
        Event::WorkspaceSlept {
            sandbox_id: sandbox_id.clone(),
            backup_id: Some(backup_id.clone()),
        },
        Event::WorkspacePaused {
            sandbox_id: sandbox_id.clone(),
            backup_id: Some(backup_id.clone()),
        },
        Event::WorkspaceResumed { sandbox_id: sandbox_id.clone() },
        Event::ContainerDestroyed {
            sandbox_id: sandbox_id.clone(),
            backup_id: Some(backup_id.clone()),
        },
        Event::BackupPruned {
            backup_id: backup_id.clone(),
            binding: "BACKUP_BUCKET".into(),
            ownerless: Ownerless::Lost,
            session_id: Some(SessionId::parse("a").unwrap()),
            size_bytes: 1,
        },
        Event::WorkspacePromoted {
            sandbox_id: sandbox_id.clone(),
            backup_id: backup_id.clone(),
            safety_id: backup_id.clone(),
            added: 1,
            removed: 2,
            modified: 3,
        },
        Event::WorkspaceRewound {
            sandbox_id: sandbox_id.clone(),
            backup_id: backup_id.clone(),
            safety_id: backup_id.clone(),
            ended_processes: 1,
        },
        Event::WorkspaceSwitched { from: sandbox_id.clone(), to: sandbox_id.clone() },
        Event::SessionCrossed {
            operation: "restore".into(),
            backup_id: Some(backup_id),
            origin_sandbox_id: None,
        },
        Event::SessionSettled {
            subject: "a".into(),
            from: "creating".into(),
            to: "destroyed".into(),
        },
        Event::TokenCreated {
            token_id: TokenId::from_random([1; 16]),
            scopes: Scopes::from_iter([Scope::Read]),
        },
        Event::TokenRevoked { token_id: TokenId::from_random([1; 16]) },
        Event::PreviewShared {
            preview_id: PreviewId::from_random([1; 16]),
            port: 5173,
            sandbox_id: sandbox_id.clone(),
        },
        Event::PreviewRevoked { preview_id: PreviewId::from_random([1; 16]) },
        Event::EgressRefused { sandbox_id, host: "example.org".into(), count: 2 },
    ]
}

#[test]
fn every_kind_is_known() {
    for (seq, event) in (1..).zip(one_of_each()) {
        let stored = event.to_stored().unwrap();
        let view = EventView::of_stored(seq, "t".into(), stored.clone());
        assert_eq!((view.kind, view.warning), (stored.kind, None));
    }
}

#[test]
fn event_format_unchanged() {
    let stored: Vec<String> = one_of_each()
        .iter()
        .map(|event| event.to_stored().unwrap())
        .map(|stored| format!("{} {}", stored.kind, stored.payload))
        .collect();
    assert_eq!(stored.join("\n") + "\n", include_str!("../../../../tests/golden/events.txt"));
}

#[test]
fn an_unknown_kind_is_shown_with_its_json_and_a_warning() {
    let stored = StoredEvent { kind: "future.kind".into(), payload: json!({ "x": 1 }) };
    let view = EventView::of_stored(7, "t".into(), stored);
    assert_eq!(view.kind, "unknown");
    assert_eq!(view.payload, json!({ "kind": "future.kind", "payload": { "x": 1 } }));
    assert!(view.warning.unwrap().contains("future.kind"));
}
