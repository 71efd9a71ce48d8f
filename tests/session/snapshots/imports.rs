//! Snapshots of archives, exports, and backups of the Sandbox SDK 1.0.

use crate::support::stream::MemoryBytes;
use crate::world::{World, call, content, now, snapshot, try_content};
use serde_json::json;
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::ids::{BackupId, RestoreKind, SandboxId};
use snapshotter::domain::snapshot::archive::{ForeignFormat, sdk_key};
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::domain::snapshot::refs::SnapshotRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::snapshot::{SnapshotTrigger, backup::BackupDir};
use snapshotter::session::{
    Abort, Annotations, DeleteOptions, Download, ImportRequest, ImportSource, ListRequest,
    RewindRequest, Session, SnapshotRequest, SnapshotView, StoredArchive,
};

fn named(name: &str) -> ImportRequest {
    let annotations = Annotations { name: Some(name.to_owned()), ..Annotations::default() };
    ImportRequest {
        snapshot: SnapshotRequest { annotations, ..SnapshotRequest::default() },
        ..ImportRequest::default()
    }
}

fn sent(bytes: &[u8]) -> ImportSource {
    ImportSource::Sent(Box::new(MemoryBytes::of([bytes.to_vec()])))
}

fn import(host: &Session, request: ImportRequest, bytes: &[u8]) -> Result<SnapshotView, Error> {
    now(host.import_snapshot(request, sent(bytes), &Abort::default()))
}

fn stored(host: &Session, at: StoredArchive, crosses: bool) -> Result<SnapshotView, Error> {
    let source = ImportSource::Stored { at, allow_cross_session: crosses };
    now(host.import_snapshot(ImportRequest::default(), source, &Abort::default()))
}

fn crossing() -> serde_json::Value {
    let capabilities = json!({ "shell": true, "snapshot": { "crossSession": true } });
    json!({ "autosave": false, "capabilities": capabilities })
}

/// A backup of the SDK in the bucket.
fn sdk_backup(world: &World, byte: u8) -> BackupId {
    let id = BackupId::from_random([byte; 16]);
    world.bucket.objects.borrow_mut().insert(sdk_key("backups/", &id), b"of the SDK".to_vec());
    id
}

fn crossing_list(host: &Session) -> Vec<BackupId> {
    let request = ListRequest { allow_cross_session: true, ..ListRequest::default() };
    let page = now(host.list(&request)).unwrap();
    page.snapshots.into_iter().map(|listed| listed.snapshot.id).collect()
}

fn code<T>(answer: Result<T, Error>) -> ErrorCode {
    answer.err().unwrap().code
}

#[test]
fn an_imported_snapshot_is_restored_and_is_no_save_of_the_workspace() {
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    world.write("sess", "the workspace's");
    let head = snapshot(&host);
    let view = import(&host, named("it"), b"the archive's").unwrap();
    assert_eq!(view.snapshot.cause.trigger, SnapshotTrigger::Import);
    assert_eq!(view.snapshot.parent_id, None);
    assert_eq!(content(&host), "the workspace's");
    let from = SnapshotSelector::Name("it".to_owned());
    let made = now(host.make_workspace(RestoreKind::Branch, &from, false, &Abort::default()));
    let id = made.unwrap().r#ref.sandbox_id().clone();
    assert_eq!(world.disk(id.as_str()).unwrap().content, "the archive's");
    // Without its container, the workspace wakes with its own files.
    world.kill("sess");
    assert_eq!(content(&host), "the workspace's");
    let heads = world.database_text("SELECT backup_id FROM heads WHERE sandbox_id = 'sess'");
    assert!(heads.contains(&head.to_string()), "{heads}");
    assert!(!heads.contains(&view.snapshot.id.to_string()), "{heads}");
    world.check_invariants("sess");
}

#[test]
fn an_imported_snapshot_is_listed_as_requested_ones_are() {
    let world = World::new();
    let host = world.open("sess");
    let view = import(&host, ImportRequest::default(), b"archive").unwrap();
    let page = now(host.list(&ListRequest::default())).unwrap();
    assert_eq!(page.snapshots[0].snapshot.id, view.snapshot.id);
    assert_eq!(code(import(&host, named("a b\n"), b"x")), ErrorCode::InvalidArgument);
    import(&host, named("taken"), b"x").unwrap();
    assert_eq!(code(import(&host, named("taken"), b"y")), ErrorCode::Conflict);
}

#[test]
fn a_refused_archive_leaves_nothing() {
    let world = World::new();
    let host = world.open("sess");
    let keys = world.bucket.keys();
    let wrong = ImportRequest { sha256: Some("0".repeat(64)), ..ImportRequest::default() };
    for (request, bytes, expected) in [
        (wrong, &b"archive"[..], ErrorCode::Integrity),
        (ImportRequest::default(), b"", ErrorCode::InvalidArgument),
    ] {
        let error = import(&host, request, bytes).unwrap_err();
        assert_eq!((error.code, error.outcome), (expected, Outcome::None));
    }
    let short = ImportRequest { sha256: Some("0".to_owned()), ..ImportRequest::default() };
    assert_eq!(code(import(&host, short, b"archive")), ErrorCode::InvalidArgument);
    assert_eq!(world.bucket.keys(), keys);
    assert!(now(host.list(&ListRequest::default())).unwrap().snapshots.is_empty());
    world.check_invariants("sess");
}

#[test]
fn an_export_says_its_length_and_hash() {
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    world.write("sess", "exported");
    let id = SnapshotSelector::Id(snapshot(&host));
    let Download { size_bytes, sha256, mut content, etag, .. } =
        now(host.export_snapshot(&id, false, &Abort::default())).unwrap();
    assert_eq!(size_bytes, 8);
    assert_eq!(etag, format!("\"{}\"", sha256.unwrap()));
    assert_eq!(now(content.next()).unwrap().unwrap(), b"exported");
    let none = SnapshotSelector::Id(BackupId::from_random([1; 16]));
    assert!(now(host.export_snapshot(&none, false, &Abort::default())).is_err());
}

#[test]
fn an_export_into_the_bucket_is_a_backup_of_the_sdk_and_stays_one_when_repeated() {
    let world = World::new();
    let host = world.open_with("sess", crossing());
    content(&host);
    world.write("sess", "exported");
    let id = SnapshotSelector::Id(snapshot(&host));
    let export = |crosses| now(host.export_backup(&id, crosses, &Abort::default()));
    assert_eq!(code(export(false)), ErrorCode::InvalidArgument);
    let record = export(true).unwrap();
    assert_eq!((record.size, record.format), (8, ForeignFormat::TarZstd));
    assert_eq!(export(true).unwrap(), record);
    let backups = crossing_list(&host);
    assert_eq!(backups.iter().filter(|listed| **listed == record.id).count(), 1);
    let made = stored(&host, StoredArchive::Backup(record.id), true).unwrap();
    assert_eq!(world.archived.borrow()[&made.snapshot.id], b"exported");
    let strict = world.other_session().open("strict");
    let theirs = SnapshotSelector::Id(snapshot(&strict));
    let refused = now(strict.export_backup(&theirs, true, &Abort::default()));
    assert_eq!(code(refused), ErrorCode::CrossSessionDisabled);
}

#[test]
fn a_backup_of_the_sdk_is_reached_only_by_crossing() {
    let world = World::new();
    let id = sdk_backup(&world, 1);
    let selector = SnapshotSelector::Id(id.clone());
    let host = world.open_with("sess", crossing());
    assert!(now(host.list(&ListRequest::default())).unwrap().snapshots.is_empty());
    assert_eq!(code(now(host.get(&selector, false))), ErrorCode::SnapshotNotOwned);
    assert_eq!(
        code(stored(&host, StoredArchive::Backup(id.clone()), false)),
        ErrorCode::InvalidArgument
    );
    let other = world.other_session();
    let strict = other.open("strict");
    for at in [StoredArchive::Backup(id.clone()), StoredArchive::Key("any".to_owned())] {
        assert_eq!(code(stored(&strict, at, true)), ErrorCode::CrossSessionDisabled);
    }
    assert_eq!(crossing_list(&host), std::slice::from_ref(&id));
    let view = now(host.get(&selector, true)).unwrap();
    assert_eq!(view.snapshot.format, Some(ForeignFormat::TarZstd));
    assert_eq!(view.r#ref.payload.origin_sandbox_id, None);
    assert_eq!((view.snapshot.kind, view.snapshot.sha256), (None, None));
    let made = stored(&host, StoredArchive::Backup(id.clone()), true).unwrap();
    assert_eq!(world.archived.borrow()[&made.snapshot.id], b"of the SDK");
    assert!(world.bucket.objects.borrow().contains_key(&data_key(&made.snapshot.id)));
    let absent = StoredArchive::Backup(BackupId::from_random([2; 16]));
    assert_eq!(code(stored(&host, absent, true)), ErrorCode::SnapshotGone);
    assert_eq!(
        code(stored(&host, StoredArchive::Key("x".repeat(2_000)), true)),
        ErrorCode::InvalidArgument
    );
}

#[test]
fn a_restore_of_a_backup_of_the_sdk_takes_a_snapshot_that_stays() {
    let world = World::new();
    let id = sdk_backup(&world, 1);
    let host = world.open_with("sess", crossing());
    let dir = BackupDir::parse("/workspace").unwrap();
    let mut wrong = SnapshotRef::new(id.clone(), dir.clone(), None);
    wrong.payload.backup.extra.insert("sha256".to_owned(), json!("0".repeat(64)));
    let restore = |selector: SnapshotSelector| {
        now(host.make_workspace(RestoreKind::Restored, &selector, true, &Abort::default()))
    };
    assert_eq!(code(restore(SnapshotSelector::Ref(wrong))), ErrorCode::Integrity);
    let owned = SnapshotRef::new(id.clone(), dir.clone(), Some(SandboxId::parse("sess").unwrap()));
    assert_eq!(code(restore(SnapshotSelector::Ref(owned))), ErrorCode::SnapshotNotOwned);
    let made = restore(SnapshotSelector::Ref(SnapshotRef::new(id.clone(), dir, None))).unwrap();
    let sandbox = made.r#ref.sandbox_id().clone();
    assert_eq!(world.disk(sandbox.as_str()).unwrap().content, "of the SDK");
    // The application deletes its backup: the workspace wakes all the same.
    now(host.delete(
        &SnapshotSelector::Id(id.clone()),
        DeleteOptions { allow_cross_session: true, ..DeleteOptions::default() },
    ))
    .unwrap();
    assert!(!world.bucket.objects.borrow().contains_key(&sdk_key("backups/", &id)));
    world.kill(sandbox.as_str());
    now(host.switch(&made.r#ref)).unwrap();
    assert_eq!(content(&host), "of the SDK");
    world.check_invariants("sess");
}

#[test]
fn a_rewind_to_a_backup_of_the_sdk_takes_a_snapshot_that_stays() {
    let world = World::new();
    let id = sdk_backup(&world, 1);
    let host = world.open_with("sess", crossing());
    content(&host);
    world.write("sess", "before");
    let rewind = |selector: SnapshotSelector, allow_cross_session| {
        let request = RewindRequest {
            r#ref: selector,
            expected_head: None,
            allow_cross_session,
            expected_active: None,
            dry_run: false,
        };
        now(host.rewind(&request, &Abort::default()))
    };
    let named = || SnapshotSelector::Id(id.clone());
    assert_eq!(code(rewind(named(), false)), ErrorCode::SnapshotNotOwned);
    let mut wrong = SnapshotRef::new(id.clone(), BackupDir::parse("/workspace").unwrap(), None);
    wrong.payload.backup.extra.insert("sha256".to_owned(), json!("0".repeat(64)));
    assert_eq!(code(rewind(SnapshotSelector::Ref(wrong), true)), ErrorCode::Integrity);
    assert_eq!(content(&host), "before");
    let rewound = rewind(named(), true).unwrap();
    assert_eq!(content(&host), "of the SDK");
    // It went back to a snapshot of ours, and saved what there was.
    assert_ne!(rewound.from_snapshot_id, id);
    let from = now(host.get(&SnapshotSelector::Id(rewound.from_snapshot_id), false)).unwrap();
    assert_eq!(from.snapshot.cause.trigger, SnapshotTrigger::Import);
    assert_eq!(
        from.snapshot.annotations.description.unwrap(),
        format!("backup {id} of Sandbox SDK 1.0")
    );
    world.bucket.objects.borrow_mut().remove(&sdk_key("backups/", &id));
    world.kill("sess");
    assert_eq!(content(&host), "of the SDK");
    rewind(SnapshotSelector::Ref(rewound.safety_ref.unwrap()), false).unwrap();
    assert_eq!(content(&host), "before");
    let strict = world.other_session().open("strict");
    let request = RewindRequest {
        r#ref: named(),
        expected_head: None,
        allow_cross_session: true,
        expected_active: None,
        dry_run: false,
    };
    let refused = now(strict.rewind(&request, &Abort::default()));
    assert_eq!(code(refused), ErrorCode::CrossSessionDisabled);
    world.check_invariants("sess");
}

/// The configuration of a session that begins with a backup.
fn beginning(from: serde_json::Value) -> serde_json::Value {
    let mut config = crossing();
    config["from"] = from;
    config
}

#[test]
fn a_session_opens_from_a_backup_of_the_sdk_and_its_first_use_imports_it() {
    let world = World::new();
    let id = sdk_backup(&world, 1);
    let host = world.open_with("sess", beginning(json!(id)));
    assert_eq!(world.starts.get(), 0, "an open starts no container");
    let noted = world.database_text("SELECT * FROM events WHERE kind = 'session.crossed'");
    assert!(noted.contains(&id.to_string()), "{noted}");
    assert_eq!(content(&host), "of the SDK");
    let page = now(host.list(&ListRequest::default())).unwrap();
    let [imported] = page.snapshots.as_slice() else { panic!("{:?}", page.snapshots) };
    assert_eq!(imported.snapshot.cause.trigger, SnapshotTrigger::Import);
    let heads = world.database_text("SELECT backup_id FROM heads WHERE sandbox_id = 'sess'");
    assert!(heads.contains(&imported.snapshot.id.to_string()), "{heads}");
    // It wakes without the SDK's object, and an open that repeats the first one changes nothing.
    world.bucket.objects.borrow_mut().remove(&sdk_key("backups/", &id));
    world.kill("sess");
    let again = world.open_with("sess", beginning(json!(id)));
    assert_eq!(content(&again), "of the SDK");
    assert_eq!(now(host.list(&ListRequest::default())).unwrap().snapshots.len(), 1);
    world.check_invariants("sess");
}

#[test]
fn only_a_session_that_may_cross_opens_from_a_backup_of_the_sdk() {
    let world = World::new();
    let id = sdk_backup(&world, 1);
    let reference = |dir: &str, sha256: &str| {
        let mut named = SnapshotRef::new(id.clone(), BackupDir::parse(dir).unwrap(), None);
        named.payload.backup.extra.insert("sha256".to_owned(), json!(sha256));
        serde_json::to_value(named).unwrap()
    };
    let open = |name: &str, config: serde_json::Value| {
        let config = serde_json::from_value(config).unwrap();
        now(world.host(name).open(config)).map(drop)
    };
    let strict = json!({ "autosave": false, "from": id });
    let absent = BackupId::from_random([2; 16]);
    for (config, expected) in [
        (strict, ErrorCode::SnapshotNotOwned),
        (beginning(json!(absent)), ErrorCode::SnapshotNotOwned),
        (beginning(reference("/workspace/app", &"0".repeat(64))), ErrorCode::InvalidArgument),
        (beginning(reference("/workspace", "0")), ErrorCode::InvalidArgument),
    ] {
        assert_eq!(code(open("sess", config.clone())), expected, "{config}");
    }
    // Another hash is found at the first use, and at each later one.
    let wrong = beginning(reference("/workspace", &"0".repeat(64)));
    let host = world.open_with("sess", wrong);
    for _ in 0..2 {
        assert_eq!(try_content(&host).unwrap_err(), ErrorCode::Integrity);
    }
    assert!(now(host.list(&ListRequest::default())).unwrap().snapshots.is_empty());
    world.bucket.objects.borrow_mut().remove(&sdk_key("backups/", &id));
    assert_eq!(try_content(&host).unwrap_err(), ErrorCode::SnapshotGone);
    world.check_invariants("sess");
}

#[test]
fn the_sdks_backups_follow_ours_page_by_page() {
    let world = World::new();
    let host = world.open_with("sess", crossing());
    let mut all: Vec<BackupId> = (0..3).map(|_| snapshot(&host)).collect();
    all.extend((1..4).map(|byte| sdk_backup(&world, byte)));
    // Neither of these is one.
    for key in ["backups/readme.tar.zst", "backups/x/y.tar.zst"] {
        world.bucket.objects.borrow_mut().insert(key.to_owned(), vec![1]);
    }
    for limit in 1..8 {
        let (mut listed, mut cursor) = (Vec::new(), None);
        loop {
            let request = ListRequest {
                limit: Some(limit),
                cursor: cursor.take(),
                allow_cross_session: true,
                ..ListRequest::default()
            };
            let page = now(host.list(&request)).unwrap();
            assert!(page.snapshots.len() <= limit as usize);
            listed.extend(page.snapshots.into_iter().map(|listed| listed.snapshot.id));
            let Some(next) = page.next_cursor else { break };
            cursor = Some(next);
        }
        let mut sorted = listed.clone();
        sorted.sort();
        all.sort();
        assert_eq!(sorted, all, "{limit}");
    }
}

#[test]
fn what_is_in_a_backup_of_the_sdk_is_told_to_be_imported_first() {
    let world = World::new();
    let id = sdk_backup(&world, 1);
    let host = world.open_with("sess", crossing());
    let (selector, abort) = (SnapshotSelector::Id(id.clone()), Abort::default());
    let export = now(host.export_snapshot(&selector, true, &abort)).err().unwrap();
    let at = json!({ "at": id, "allowCrossSession": true });
    assert_eq!(export.code, ErrorCode::Unsupported);
    assert!(export.hint.unwrap().contains("importBackup"));
    assert_eq!(call(&host, "workspace_ls", at).unwrap_err(), ErrorCode::Unsupported);
}
