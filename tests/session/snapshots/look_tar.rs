//! Looking into backups of the Sandbox SDK 1.0, by crossing, as into snapshots.

use crate::world::{World, call, content, now, snapshot};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::files::tar::{self, TarKind};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::archive::sdk_key;
use snapshotter::domain::snapshot::backup::{BackupDir, data_key};
use snapshotter::domain::snapshot::refs::SnapshotRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{DownloadFile, Session};
use std::path::Path;

const TIME: u32 = 1_500_000_000;

/// Files, in another order than that of a walk.
fn archive() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |path: &str, kind: TarKind<'_>, content: &[u8]| {
        bytes.extend(tar::header(path.as_bytes(), kind, 0o640, TIME).unwrap());
        bytes.extend(content);
        bytes.extend(tar::padding(content.len() as u64));
    };
    let file = |content: &[u8]| TarKind::File { size_bytes: content.len() as u64 };
    put("./", TarKind::Directory, b"");
    put("z.txt", file(b"last\nof all\n"), b"last\nof all\n");
    put("src", TarKind::Directory, b"");
    put("src/main.py", file(b"print('needle')\n"), b"print('needle')\n");
    put("link", TarKind::Symlink { target: b"src/main.py" }, b"");
    put("same", TarKind::HardLink { target: b"src/main.py" }, b"");
    put(".git", TarKind::Directory, b"");
    put(".git/HEAD", file(b"needle"), b"needle");
    put("big", file(&[7; 70_000]), &[7; 70_000]);
    bytes.extend(tar::end());
    compress_to_vec(bytes.as_slice(), CompressionLevel::Fastest)
}

fn crossing() -> Value {
    let capabilities = json!({ "fs": true, "shell": true, "snapshot": { "crossSession": true } });
    json!({ "autosave": false, "capabilities": capabilities })
}

/// A session that may cross, and a backup of the SDK in its bucket.
fn looking() -> (World, Session, BackupId) {
    let world = World::new();
    let host = world.open_with("sess", crossing());
    let id = BackupId::from_random([3; 16]);
    world.bucket.objects.borrow_mut().insert(sdk_key("backups/", &id), archive());
    (world, host, id)
}

fn of(id: &BackupId, more: Value) -> Value {
    let mut input = json!({ "at": id, "allowCrossSession": true });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

fn paths(entries: &Value) -> Vec<&str> {
    let entries = entries.as_array().unwrap().iter();
    entries.map(|entry| entry["path"].as_str().unwrap()).collect()
}

#[test]
fn files_are_listed_read_looked_at_and_searched_without_a_container() {
    let (world, host, id) = looking();
    let starts = world.starts.get();
    let look = |tool: &str, more: Value| call(&host, tool, of(&id, more)).unwrap();
    let all = look("workspace_ls", json!({ "recursive": true }));
    let expected = [".git", ".git/HEAD", "big", "link", "same", "src", "src/main.py", "z.txt"];
    assert_eq!(paths(&all["entries"]), expected);
    let mut cursor = json!({});
    for path in [".git", "big", "link", "same", "src", "z.txt"] {
        let mut input = json!({ "limit": 1 });
        input.as_object_mut().unwrap().extend(cursor.as_object().unwrap().clone());
        let page = look("workspace_ls", input);
        assert_eq!(paths(&page["entries"]), [path]);
        cursor = page.get("nextCursor").map_or(json!({}), |next| json!({ "cursor": next }));
    }
    assert_eq!(cursor, json!({}));
    let read = |more: Value| look("workspace_read_file", more)["content"].clone();
    assert_eq!(read(json!({ "path": "/workspace/link" })), "print('needle')\n");
    assert_eq!(read(json!({ "path": "same", "offset": 7, "maxBytes": 6 })), "needle");
    assert_eq!(read(json!({ "path": "z.txt", "startLine": 2, "lineCount": 1 })), "of all\n");
    let stat = look("workspace_stat", json!({ "path": "src/main.py" }));
    assert_eq!((&stat["sizeBytes"], &stat["mode"]), (&json!(16), &json!("640")));
    assert_eq!(stat["modifiedAt"], "2017-07-14T02:40:00.000Z");
    let found = look("workspace_grep", json!({ "pattern": "needle", "glob": "*.py" }));
    assert_eq!(paths(&found["lines"]), ["src/main.py"]);
    let found = look("workspace_grep", json!({ "pattern": "needle" }));
    assert_eq!(paths(&found["lines"]), ["same", "src/main.py"]);
    assert_eq!(found["notSearched"]["git"], 1);
    assert_eq!(world.starts.get(), starts, "nothing was started");
    assert!(world.bucket.keys().contains(&sdk_key("backups/", &id)));
}

#[test]
fn a_file_is_streamed_and_its_tag_stays_the_same() {
    let (_world, host, id) = looking();
    let download = |offset| {
        let file = DownloadFile {
            r#ref: SnapshotSelector::Id(id.clone()),
            allow_cross_session: true,
            path: "big".to_owned(),
            offset,
            max_bytes: None,
            suffix_bytes: None,
        };
        let mut download = now(host.download_file(file)).unwrap();
        let mut bytes = Vec::new();
        while let Some(chunk) = now(download.content.next()).unwrap() {
            bytes.extend(chunk);
        }
        (bytes.len(), download.etag)
    };
    let (whole, etag) = download(None);
    assert_eq!((whole, download(Some(69_999))), (70_000, (1, etag)));
}

#[test]
fn it_is_compared_with_snapshots_of_either_kind() {
    let (world, host, id) = looking();
    let backups =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sandbox-sdk-0.12.10/backups");
    let backup = std::fs::read_dir(backups).unwrap().next().unwrap().unwrap().path();
    let squashed = std::fs::read(Path::new(&backup).join("data.sqsh")).unwrap();
    content(&host);
    let own = snapshot(&host);
    world.sql(&format!("UPDATE snapshots SET size_bytes = {}", squashed.len()));
    world.bucket.objects.borrow_mut().insert(data_key(&own), squashed);
    let diff = |from: &BackupId, to: &BackupId, more: Value| {
        let mut input = json!({
            "from": { "snapshot": from }, "to": { "snapshot": to }, "allowCrossSession": true,
        });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(&host, "workspace_diff", input).unwrap()
    };
    let same = diff(&id, &id, json!({}));
    assert_eq!(same["changes"], json!([]), "{same}");
    let found = diff(&own, &id, json!({}));
    let text = found.to_string();
    for path in ["src/main.py", "z.txt", "README.md"] {
        assert!(text.contains(path), "{path}: {text}");
    }
    let other = BackupId::from_random([4; 16]);
    world.bucket.objects.borrow_mut().insert(sdk_key("backups/", &other), archive());
    assert_eq!(diff(&id, &other, json!({}))["changes"], json!([]));
}

#[test]
fn only_a_session_that_may_cross_looks_and_each_look_is_noted() {
    let (world, host, id) = looking();
    let other = world.other_session().open("other");
    for (tool, input) in [
        ("workspace_ls", json!({})),
        ("workspace_read_file", json!({ "path": "z.txt" })),
        ("workspace_stat", json!({ "path": "z.txt" })),
        ("workspace_grep", json!({ "pattern": "a" })),
        (
            "workspace_copy_from_snapshot",
            json!({ "paths": ["src"], "ref": id, "allowCrossSession": true }),
        ),
    ] {
        let input = if input.get("ref").is_some() { input } else { of(&id, input) };
        assert_eq!(
            call(&other, tool, input.clone()).unwrap_err(),
            ErrorCode::CrossSessionDisabled,
            "{tool}"
        );
        let mut within = input;
        within["allowCrossSession"] = json!(false);
        assert_eq!(call(&host, tool, within).unwrap_err(), ErrorCode::SnapshotNotOwned, "{tool}");
    }
    let crossed =
        || world.database_text("SELECT COUNT(*) FROM events WHERE kind = 'session.crossed'");
    let before = crossed();
    call(&host, "workspace_ls", of(&id, json!({}))).unwrap();
    assert_ne!(crossed(), before);
    let noted = world.database_text("SELECT * FROM events WHERE kind = 'session.crossed'");
    assert!(noted.contains("listFiles") && noted.contains(&id.to_string()), "{noted}");
}

#[test]
fn a_ref_says_where_its_files_were() {
    let (_world, host, id) = looking();
    let named = SnapshotRef::new(id.clone(), BackupDir::parse("/workspace/app").unwrap(), None);
    let mut input = of(&id, json!({ "path": "/workspace/app/z.txt" }));
    input["at"] = serde_json::to_value(&named).unwrap();
    let stat = call(&host, "workspace_stat", input).unwrap();
    assert_eq!(stat["path"], "/workspace/app/z.txt");
}

#[test]
fn a_damaged_archive_is_an_integrity_error_and_a_missing_one_is_gone() {
    let (world, host, id) = looking();
    let key = sdk_key("backups/", &id);
    let ls = || call(&host, "workspace_ls", of(&id, json!({})));
    ls().unwrap();
    let whole = archive();
    for damaged in [whole[..whole.len() / 2].to_vec(), b"no archive".to_vec(), Vec::new()] {
        world.bucket.objects.borrow_mut().insert(key.clone(), damaged);
        assert_eq!(ls().unwrap_err(), ErrorCode::Integrity);
    }
    world.bucket.objects.borrow_mut().insert(key.clone(), whole);
    ls().unwrap();
    world.bucket.objects.borrow_mut().remove(&key);
    assert_eq!(ls().unwrap_err(), ErrorCode::SnapshotGone);
}
