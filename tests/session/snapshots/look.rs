//! Looking into snapshots: an archive of `@cloudflare/sandbox` in a bucket in memory.

use crate::world::{World, call, now, snapshot};
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{DownloadFile, Session};
use std::path::Path;

const BACKUPS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sandbox-sdk-0.12.10/backups");
/// Everything in the archive, in the order of paths.
const PATHS: [&str; 11] = [
    ".git",
    ".git/HEAD",
    "README.md",
    "empty",
    "hard",
    "link",
    "name with space",
    "rnd",
    "src",
    "src/a.txt",
    "zeros",
];

/// A session whose one snapshot has the archive.
fn looking() -> (World, Session, BackupId) {
    looking_with(json!({}))
}

fn looking_with(config: Value) -> (World, Session, BackupId) {
    let world = World::new();
    let host = world.open_with("sess", config);
    let id = snapshot(&host);
    let backup = std::fs::read_dir(BACKUPS).unwrap().next().unwrap().unwrap().path();
    let archive = std::fs::read(Path::new(&backup).join("data.sqsh")).unwrap();
    world.sql(&format!("UPDATE snapshots SET size_bytes = {}", archive.len()));
    world.bucket.objects.borrow_mut().insert(data_key(&id), archive);
    (world, host, id)
}

fn of(id: &BackupId, more: Value) -> Value {
    let mut input = json!({ "at": id });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

fn paths(entries: &Value) -> Vec<String> {
    let entries = entries.as_array().unwrap().iter();
    entries.map(|entry| entry["path"].as_str().unwrap().to_owned()).collect()
}

/// All pages of a list, and how many there were.
fn pages(host: &Session, tool: &str, field: &str, input: Value) -> (Vec<Value>, usize) {
    let (mut found, mut input) = (Vec::new(), input);
    for page in 1..100 {
        let answer = call(host, tool, input.clone()).unwrap();
        found.extend(answer[field].as_array().unwrap().clone());
        let Some(cursor) = answer.get("nextCursor") else { return (found, page) };
        input["cursor"] = cursor.clone();
    }
    panic!("the list never ends");
}

#[test]
fn a_list_shows_a_directory_or_all_below_it() {
    let (world, host, id) = looking();
    let starts = world.starts.get();
    let ls = |more: Value| call(&host, "workspace_ls", of(&id, more)).unwrap();
    let top = ["README.md", "empty", "hard", "link", "name with space", "rnd", "src", "zeros"];
    assert_eq!(paths(&ls(json!({ "includeHidden": false }))["entries"]), top);
    assert_eq!(paths(&ls(json!({ "path": "src" }))["entries"]), ["src/a.txt"]);
    assert_eq!(paths(&ls(json!({ "recursive": true }))["entries"]), PATHS);
    let found = ls(json!({ "path": "src" }));
    assert_eq!(
        (&found["entries"][0]["type"], &found["entries"][0]["sizeBytes"]),
        (&json!("file"), &json!(12))
    );
    assert_eq!((&found["snapshotId"], found.get("workspaceId")), (&json!(id), None));
    let glob = |more: Value| call(&host, "workspace_glob", of(&id, more)).unwrap();
    assert_eq!(paths(&glob(json!({ "pattern": "*.txt" }))["files"]), ["src/a.txt"]);
    let all = glob(json!({ "pattern": "*" }));
    assert!(paths(&all["files"]).iter().all(|path| !path.starts_with(".git") && path != "src"));
    let with_git = glob(json!({ "pattern": "*", "includeIgnored": true }));
    assert!(paths(&with_git["files"]).len() > paths(&all["files"]).len());
    assert_eq!(world.starts.get(), starts, "nothing was started");
}

#[test]
fn pages_of_a_list_are_the_list() {
    let (_world, host, id) = looking();
    for limit in [1, 2, 3, 10, 11] {
        let input = of(&id, json!({ "recursive": true, "limit": limit }));
        let (found, count) = pages(&host, "workspace_ls", "entries", input);
        assert_eq!(paths(&json!(found)), PATHS);
        assert_eq!(count, PATHS.len().div_ceil(limit), "pages of {limit}");
    }
    // A page that ends with a directory goes on after it, not in it.
    let top = ["README.md", "empty", "hard", "link", "name with space", "rnd", "src", "zeros"];
    for limit in 1..10 {
        let input = of(&id, json!({ "limit": limit }));
        let (found, _) = pages(&host, "workspace_ls", "entries", input);
        assert_eq!(paths(&json!(found)), [&[".git"], &top[..]].concat(), "pages of {limit}");
        let input = of(&id, json!({ "recursive": true, "includeHidden": false, "limit": limit }));
        let (found, _) = pages(&host, "workspace_ls", "entries", input);
        let shown = PATHS.iter().filter(|path| !path.starts_with(".git"));
        assert_eq!(paths(&json!(found)), shown.copied().collect::<Vec<_>>(), "pages of {limit}");
    }
    let of_search = call(&host, "workspace_grep", of(&id, json!({ "pattern": "(" })));
    assert_eq!(of_search.unwrap_err(), ErrorCode::InvalidArgument);
    let stray = of(&id, json!({ "cursor": "bm9uZQ==" }));
    assert_eq!(call(&host, "workspace_ls", stray).unwrap_err(), ErrorCode::InvalidArgument);
}

#[test]
fn a_file_is_read_whole_or_in_parts_through_links_inside() {
    let (_world, host, id) = looking();
    let read = |more: Value| call(&host, "workspace_read_file", of(&id, more));
    let content = |more: Value| read(more).unwrap()["content"].as_str().unwrap().to_owned();
    assert_eq!(content(json!({ "path": "README.md" })), "hello\n");
    assert_eq!(content(json!({ "path": "/workspace/hard" })), "hello\n");
    assert_eq!(content(json!({ "path": "src/../README.md", "offset": 1, "maxBytes": 3 })), "ell");
    let text = content(json!({ "path": "src/a.txt" }));
    assert_eq!(content(json!({ "path": "link" })), text);
    let second: String = text.split_inclusive('\n').skip(1).take(1).collect();
    assert_eq!(content(json!({ "path": "src/a.txt", "startLine": 2, "lineCount": 1 })), second);
    let zeros = read(json!({ "path": "zeros" })).unwrap();
    assert_eq!((&zeros["encoding"], &zeros["sizeBytes"]), (&json!("base64"), &json!(70_000)));
    for (path, code) in [
        ("none", ErrorCode::NotFound),
        ("README.md/below", ErrorCode::NotFound),
        ("src", ErrorCode::InvalidArgument),
        ("../etc/passwd", ErrorCode::InvalidArgument),
        ("/etc/passwd", ErrorCode::InvalidArgument),
        ("", ErrorCode::InvalidArgument),
    ] {
        assert_eq!(read(json!({ "path": path })).unwrap_err(), code, "{path:?}");
    }
}

#[test]
fn a_link_is_looked_at_itself() {
    let (_world, host, id) = looking();
    let stat = |path: &str| call(&host, "workspace_stat", of(&id, json!({ "path": path })));
    let link = stat("link").unwrap();
    assert_eq!((&link["type"], &link["target"]), (&json!("symlink"), &json!("src/a.txt")));
    assert_eq!(link["path"], "/workspace/link");
    let file = stat("README.md").unwrap();
    assert_eq!(
        (&file["type"], &file["sizeBytes"], &file["mode"]),
        (&json!("file"), &json!(6), &json!("600"))
    );
    assert_eq!(stat("none").unwrap_err(), ErrorCode::NotFound);
}

#[test]
fn a_search_says_what_it_passed_over_and_goes_on_where_it_stopped() {
    let (_world, host, id) = looking();
    let grep = |more: Value| call(&host, "workspace_grep", of(&id, more)).unwrap();
    let found = grep(json!({ "pattern": "^hel+o$" }));
    assert_eq!(paths(&found["lines"])[..2], ["README.md", "hard"]);
    assert_eq!(
        (&found["lines"][0]["line"], &found["lines"][0]["text"]),
        (&json!(1), &json!("hello"))
    );
    assert_eq!(found["notSearched"], json!({ "binary": 2, "tooLarge": 0, "git": 1 }));
    let all = grep(json!({ "pattern": ".", "includeIgnored": true }));
    assert!(paths(&all["lines"]).contains(&".git/HEAD".to_owned()));
    for limit in [1, 2, 3] {
        let input = of(&id, json!({ "pattern": ".", "includeIgnored": true, "limit": limit }));
        let (lines, _pages) = pages(&host, "workspace_grep", "lines", input);
        assert_eq!(json!(lines), all["lines"], "pages of {limit}");
    }
    let literal = grep(json!({ "pattern": "hel+o", "fixed": true }));
    assert_eq!(literal["lines"], json!([]));
}

#[test]
fn a_download_is_the_part_that_was_asked_for() {
    let (_world, host, id) = looking();
    let download = |offset, length, suffix| {
        let file = DownloadFile {
            r#ref: SnapshotSelector::Id(id.clone()),
            allow_cross_session: false,
            path: "zeros".to_owned(),
            offset,
            max_bytes: length,
            suffix_bytes: suffix,
        };
        let mut download = now(host.download_file(file))?;
        let mut bytes = Vec::new();
        while let Some(chunk) = now(download.content.next()).unwrap() {
            assert!(!chunk.is_empty());
            bytes.extend(chunk);
        }
        Ok::<_, snapshotter::domain::error::Error>((download.part, bytes.len()))
    };
    assert_eq!(download(None, None, None).unwrap(), (None, 70_000));
    assert_eq!(download(Some(1), None, None).unwrap(), (Some(1..70_000), 69_999));
    assert_eq!(download(None, Some(9), None).unwrap(), (Some(0..9), 9));
    assert_eq!(download(Some(69_999), Some(9), None).unwrap(), (Some(69_999..70_000), 1));
    assert_eq!(download(None, None, Some(9)).unwrap(), (Some(69_991..70_000), 9));
    assert_eq!(download(None, None, Some(u64::MAX)).unwrap(), (Some(0..70_000), 70_000));
    assert_eq!(download(Some(u64::MAX), Some(u64::MAX), None).unwrap(), (Some(70_000..70_000), 0));
    for (offset, length, suffix) in
        [(None, Some(0), None), (None, None, Some(0)), (Some(1), None, Some(1))]
    {
        let refused = download(offset, length, suffix).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument);
    }
}

#[test]
fn a_snapshot_of_another_session_is_refused() {
    let (world, host, id) = looking();
    let other = world.other_session().open("other");
    for (tool, input) in [
        ("workspace_ls", json!({})),
        ("workspace_read_file", json!({ "path": "README.md" })),
        ("workspace_stat", json!({ "path": "README.md" })),
        ("workspace_grep", json!({ "pattern": "a" })),
        ("workspace_copy_from_snapshot", json!({ "paths": ["src"], "ref": id })),
    ] {
        let input = if input.get("ref").is_some() { input } else { of(&id, input) };
        assert_eq!(
            call(&other, tool, input.clone()).unwrap_err(),
            ErrorCode::SnapshotNotOwned,
            "{tool}"
        );
        if tool != "workspace_copy_from_snapshot" {
            assert!(call(&host, tool, input).is_ok(), "{tool}");
        }
    }
}

#[test]
fn a_damaged_archive_is_an_integrity_error_and_a_missing_one_is_gone() {
    let (world, host, id) = looking();
    let ls = || call(&host, "workspace_ls", of(&id, json!({ "recursive": true })));
    let whole = world.bucket.objects.borrow()[&data_key(&id)].clone();
    let put = |bytes: Vec<u8>| world.bucket.objects.borrow_mut().insert(data_key(&id), bytes);
    put(whole[..whole.len() - 1].to_vec());
    assert_eq!(ls().unwrap_err(), ErrorCode::Integrity);
    put(vec![0; whole.len()]);
    assert_eq!(ls().unwrap_err(), ErrorCode::Integrity);
    let (world, host, id) = looking();
    world.bucket.objects.borrow_mut().remove(&data_key(&id));
    let ls = call(&host, "workspace_ls", of(&id, json!({})));
    assert_eq!(ls.unwrap_err(), ErrorCode::SnapshotGone);
}

#[test]
fn a_session_looks_where_its_modules_let_it() {
    let (_world, host, id) = looking_with(json!({ "capabilities": { "snapshot": true } }));
    assert!(call(&host, "workspace_ls", of(&id, json!({}))).is_ok());
    assert_eq!(call(&host, "workspace_ls", json!({})).unwrap_err(), ErrorCode::Unsupported);
    let world = World::new();
    let host = world.open_with("sess", json!({ "capabilities": { "fs": true } }));
    for at in ["latest", "turn:1", "any"] {
        let refused = call(&host, "workspace_ls", json!({ "at": at })).unwrap_err();
        assert_eq!(refused, ErrorCode::Unsupported, "{at}");
    }
}
