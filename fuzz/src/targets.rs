//! One function for each parser of outside bytes. Each says what must hold of
//! whatever it accepts; that nothing panics goes without saying.
//!
//! `make fuzz` feeds them random bytes; `tests/fuzz.rs` feeds them the corpus.

use serde_json::Value;
use snapshotter::domain::backup::BackupMeta;
use snapshotter::domain::config::WorkspaceConfig;
use snapshotter::domain::ids::{BackupId, SandboxId, SessionId};
use snapshotter::domain::page::Cursor;
use snapshotter::domain::path::AbsolutePath;
use snapshotter::domain::refs::{SnapshotRef, SnapshotSelector, WorkspaceRef};
use snapshotter::surface::mcp::{self, Head};
use snapshotter::surface::operation::Operation;
use snapshotter::surface::sandbox::SandboxCall;
use snapshotter::usecases::sandbox::{Unreadable, WatchRecord, WatchRecords};
use std::str;

pub type Target = fn(&[u8]);

/// Every target by its name, which its corpus has too.
pub const TARGETS: [(&str, Target); 9] = [
    ("config", config),
    ("cursor", cursor),
    ("ids", ids),
    ("mcp", message),
    ("meta", meta),
    ("operation", operation),
    ("path", path),
    ("sandbox-call", sandbox_call),
    ("watch", watch),
];

/// The target of a name.
pub fn find(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
}

const ID: &str = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";

/// An accepted configuration stays within its bounds, and shows no value of `envVars`.
fn config(data: &[u8]) {
    let Ok(config) = serde_json::from_slice::<WorkspaceConfig>(data) else { return };
    let session = SessionId::parse("fuzz").unwrap();
    if let Ok(checked) = config.check(&session, &["OTHER_BUCKET".to_owned()]) {
        assert!(["BACKUP_BUCKET", "OTHER_BUCKET"].contains(&checked.backup_binding.as_str()));
        assert!(checked.sleep_after.as_ms() <= 6 * 3_600_000);
        assert_eq!(checked.origin, session.origin());
    }
    let shown = config.redacted();
    assert!(shown.env_vars.values().all(|value| value == "<redacted>"));
    assert!(shown.env_vars.keys().eq(config.env_vars.keys()));
}

/// A cursor has one text.
fn cursor(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    if let Ok(cursor) = Cursor::decode(text) {
        let again = Cursor::decode(&cursor.encode().unwrap()).unwrap();
        assert_eq!(again, cursor);
    }
}

/// Ids are what they were parsed from; a session's origin is always a sandbox id.
fn ids(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    if let Ok(id) = BackupId::parse(text) {
        assert_eq!(id.as_str(), text);
    }
    if let Ok(id) = SandboxId::parse(text) {
        assert_eq!(id.as_str(), text);
        assert!(text.len() <= 63 && !text.contains('/'));
    }
    if let Ok(session) = SessionId::parse(text) {
        let origin = session.origin();
        assert_eq!(SandboxId::parse(origin.as_str()).unwrap(), origin);
        assert!(!origin.is_shared());
    }
}

/// Records are the same wherever their bytes are cut, and no path leaves the
/// directory; what waits for its rest is bounded.
fn watch(data: &[u8]) {
    let whole = WatchRecords::default().read(data);
    let mut records = WatchRecords::default();
    let pieces: Result<Vec<_>, Unreadable> = data
        .chunks(3)
        .map(|piece| {
            let read = records.read(piece);
            assert!(records.waiting_bytes() <= WatchRecords::WAITING_MAX_BYTES + piece.len());
            read
        })
        .collect();
    assert_eq!(pieces.map(|pieces| pieces.concat()), whole);
    for record in whole.into_iter().flatten() {
        let paths = match record {
            WatchRecord::Change(_, named) => vec![named.path],
            WatchRecord::Renamed(from, to) => vec![from, to.path],
            _ => continue,
        };
        for path in paths {
            let parts = path.split(|byte| *byte == b'/');
            assert!(parts.into_iter().all(|part| !matches!(part, b"" | b"." | b"..")));
        }
    }
}

/// Whatever arrives at MCP's address has an answer or is a call.
fn message(data: &[u8]) {
    let session = SessionId::parse("fuzz").unwrap();
    for revision in [None, Some("2025-11-25"), Some("2026-07-28")] {
        let header = |name: &str| match name {
            "accept" => Some("application/json, text/event-stream".to_owned()),
            "mcp-protocol-version" => revision.map(str::to_owned),
            _ => None,
        };
        let head = Head { method: "POST", header: &header };
        let _ = mcp::receive(&session, head, data, || Some("client".to_owned()));
    }
}

/// An accepted record is of the id it was found under, and reads back from its own bytes.
fn meta(data: &[u8]) {
    let id = BackupId::parse(ID).unwrap();
    let Ok(meta) = BackupMeta::parse(&id, data) else { return };
    assert_eq!(meta.id, id);
    assert!(meta.created_at_ms().is_ok());
    assert_eq!(BackupMeta::parse(&id, &meta.to_bytes().unwrap()).unwrap(), meta);
}

/// What crosses to the session's object reads back as the same operation; and
/// refs within it are written as they were read.
fn operation(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    if let Ok(named) = serde_json::from_value::<SnapshotRef>(value.clone()) {
        assert_eq!(serde_json::to_value(&named).unwrap(), value);
    }
    if let Ok(named) = serde_json::from_value::<WorkspaceRef>(value.clone()) {
        assert_eq!(serde_json::to_value(&named).unwrap(), value);
    }
    let _ = SnapshotSelector::parse(value.clone());
    let op = value.get("op").and_then(Value::as_str).unwrap_or("restore");
    let args = value.get("args").cloned().unwrap_or_default();
    if let Ok(operation) = Operation::parse(op, args) {
        let text = serde_json::to_string(&operation).unwrap();
        assert_eq!(serde_json::from_str::<Operation>(&text).unwrap(), operation);
    }
}

/// No name leads out of the root it is resolved against.
fn path(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    for root in ["/workspace", "/home/user/project"] {
        let root = AbsolutePath::parse("root", root).unwrap();
        if let Ok(resolved) = root.resolve(text) {
            let inside = resolved.as_str().strip_prefix(root.as_str()).unwrap();
            assert!(inside.is_empty() || inside.starts_with('/'));
            assert!(!inside.split('/').any(|segment| segment == ".." || segment == "."));
            assert_eq!(root.resolve(resolved.as_str()).unwrap(), resolved);
        }
    }
}

/// The sandbox's own surface: a method, a newline and its arguments as JSON.
fn sandbox_call(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Some((method, arguments)) = text.split_once('\n') else { return };
    let Ok(arguments) = serde_json::from_str(arguments) else { return };
    let _ = SandboxCall::parse(method, arguments);
}
