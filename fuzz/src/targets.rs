//! One function for each parser of outside bytes. Each says what must hold of
//! whatever it accepts; that nothing panics goes without saying.
//!
//! `make fuzz` feeds them random bytes; `tests/fuzz.rs` feeds them the corpus.

#[path = "diff.rs"]
mod diff;
#[path = "squashfs.rs"]
mod squashfs;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;
use snapshotter::api::http::{self, Asked, Forwarded, Found, Serve};
use snapshotter::api::mcp::{self, Head};
use snapshotter::api::operation::Operation;
use snapshotter::api::sandbox::SandboxCall;
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::domain::ids::{BackupId, SandboxId, SessionId};
use snapshotter::domain::page::Cursor;
use snapshotter::domain::session::config::WorkspaceConfig;
use snapshotter::domain::session::token::{Claims, TokenKeys};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::refs::{SnapshotRef, WorkspaceRef};
use snapshotter::domain::snapshot::retention::{RetentionConfig, RetentionPolicy};
use snapshotter::domain::snapshot::selector::{SnapshotSelector, TreeSelector};
use snapshotter::ports::sandbox::exec_event::ExecEventReader;
use snapshotter::sandbox::{Unreadable, WatchRecord, WatchRecords};
use std::str;

pub type Target = fn(&[u8]);

/// Every target by its name, which its corpus has too.
pub const TARGETS: [(&str, Target); 16] = [
    ("config", config),
    ("cursor", cursor),
    ("diff", diff::diff),
    ("exec-events", exec_events),
    ("http", request),
    ("ids", ids),
    ("mcp", message),
    ("merge", diff::merge),
    ("meta", meta),
    ("operation", operation),
    ("path", path),
    ("retention", retention),
    ("sandbox-call", sandbox_call),
    ("squashfs", archive),
    ("token", token),
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
    let values = |config: &WorkspaceConfig| config.env_vars.clone().unwrap_or_default();
    assert!(values(&shown).values().all(|value| value == "<redacted>"));
    assert!(values(&shown).keys().eq(values(&config).keys()));
    assert_eq!(values(&shown.over(Some(&config)).unwrap()), values(&config));
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
        let head = Head { method: "POST", header: &header, query: &[] };
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

/// What is seen of an archive is possible, however damaged it is.
fn archive(data: &[u8]) {
    squashfs::look(data);
}

/// What crosses to the session's object reads back as the same operation; and
/// refs within it are written as they were read.
fn operation(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    if let Ok(named) = serde_json::from_value::<SnapshotRef>(value.clone()) {
        assert_eq!(serde_json::to_value(&named).unwrap(), value);
    }
    if let Ok(named) = serde_json::from_value::<WorkspaceRef>(value.clone()) {
        let written = serde_json::to_value(&named).unwrap();
        assert!(written == value || value == named.sandbox_id().as_str());
    }
    let _ = serde_json::from_value::<SnapshotSelector>(value.clone());
    let _ = serde_json::from_value::<TreeSelector>(value.clone());
    let op = value.get("op").and_then(Value::as_str).unwrap_or("restore");
    let args = value.get("args").cloned().unwrap_or_default();
    if let Ok(operation) = Operation::parse(op, args) {
        let text = serde_json::to_string(&operation).unwrap();
        let read: Operation = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}

/// No name leads out of the root it is resolved against.
fn path(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    for root in ["/workspace", "/home/user/project"] {
        let root = AbsolutePath::parse("root", root).unwrap();
        if let Ok(resolved) = root.resolve("path", text) {
            let inside = resolved.as_str().strip_prefix(root.as_str()).unwrap();
            assert!(inside.is_empty() || inside.starts_with('/'));
            assert!(!inside.split('/').any(|segment| segment == ".." || segment == "."));
            assert_eq!(root.resolve("path", resolved.as_str()).unwrap(), resolved);
        }
    }
}

/// The sandbox's own surface: a method, a newline and its arguments as JSON.
fn sandbox_call(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Some((method, arguments)) = text.split_once('\n') else { return };
    let Ok(arguments) = serde_json::from_str(arguments) else { return };
    let _ = SandboxCall::parse(method, None, arguments);
}

/// What a sandbox of another Worker tells of a command is the same events
/// wherever its bytes are cut.
fn exec_events(data: &[u8]) {
    let whole = ExecEventReader::default().read(data);
    let mut reader = ExecEventReader::default();
    let pieces: Result<Vec<_>, _> = data.chunks(3).map(|piece| reader.read(piece)).collect();
    match (whole, pieces) {
        (Ok(whole), Ok(pieces)) => assert_eq!(pieces.concat(), whole),
        (whole, pieces) => assert_eq!(whole.is_err(), pieces.is_err()),
    }
}

/// A request: method, path, query, `Idempotency-Key`, `Operation-Id`, `If-Match`
/// and `Prefer`, a line each, and the body. What it asks the session's object
/// crosses to it as it is.
fn request(data: &[u8]) {
    let mut lines = data.splitn(8, |byte| *byte == b'\n');
    let mut text = || lines.next().and_then(|line| str::from_utf8(line).ok()).unwrap_or_default();
    let (method, path, query) = (text(), text(), text());
    let headers =
        ["idempotency-key", "operation-id", "if-match", "prefer"].map(|name| (name, text()));
    let body = lines.next().unwrap_or_default();
    let segments: Vec<String> = path.split('/').skip(1).map(str::to_owned).collect();
    let Found::Route(matched) = http::find(method, &segments) else { return };
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query: Vec<(String, String)> =
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let header = |wanted: &str| {
        let found = headers.iter().find(|(name, value)| *name == wanted && !value.is_empty());
        found.map(|(_, value)| (*value).to_owned())
    };
    let asked = Asked { matched: &matched, query: &query, header: &header, body };
    if let Ok(session) = matched.session() {
        assert_eq!(segments.get(2).map(String::as_str), Some(session.as_str()));
    }
    match matched.route.serve {
        Serve::Operator(_) => drop(asked.operator_call()),
        _ => {
            let Ok(forwarded) = asked.forwarded() else { return };
            let text = serde_json::to_string(&forwarded).unwrap();
            let read: Forwarded = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }
}

/// An accepted policy has limits that mean something, and waits within them.
fn retention(data: &[u8]) {
    let Ok(config) = serde_json::from_slice::<RetentionConfig>(data) else { return };
    let Ok(policy) = config.check("RETENTION", &RetentionPolicy::default()) else { return };
    assert!((61..=315_360_000).contains(&policy.ttl.as_secs()));
    let counts = [policy.keep_last, policy.keep_daily, policy.max_count];
    assert!(counts.into_iter().flatten().all(|count| (1..=10_000).contains(&count)));
    assert_ne!(policy.max_bytes, Some(0));
    for last_ms in [i64::MIN, 0, i64::MAX] {
        let wait_ms = policy.wait_ms(Some(last_ms), 1);
        assert!(wait_ms.is_none_or(|wait_ms| (1..=86_400_000).contains(&wait_ms)));
    }
}

/// A key of zeros.
const TOKEN_KEY: &str = "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// What no key signed is no token. Of what one did sign only the one text of
/// claims is. And `TOKEN_KEYS` shows nothing of itself, right or wrong.
fn token(data: &[u8]) {
    let keys = TokenKeys::parse(TOKEN_KEY).unwrap();
    let signed = format!("sst1.k1.{}", URL_SAFE_NO_PAD.encode(data));
    let mut mac = Hmac::<Sha256>::new_from_slice(&[0; 32]).unwrap();
    mac.update(signed.as_bytes());
    let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()));
    let says = serde_json::from_slice::<Claims>(data).ok().filter(|claims| {
        claims.expires_at_ms > 0
            && token.len() <= 1_024
            && serde_json::to_vec(claims).unwrap() == data
    });
    assert_eq!(keys.verify(&token, 0), says);
    if let Some(claims) = says {
        assert_eq!(keys.sign(&claims).unwrap(), token);
        assert_eq!(keys.verify::<Claims>(&token, claims.expires_at_ms), None);
    }
    let Ok(text) = str::from_utf8(data) else { return };
    assert_eq!(keys.verify::<Claims>(text, 0), None);
    match TokenKeys::parse(text) {
        Ok(keys) => {
            let ids: Vec<&str> =
                text.split(',').map(|key| key.trim().split(':').next().unwrap()).collect();
            assert_eq!(format!("{keys:?}"), format!("{ids:?}"));
        }
        Err(error) => {
            assert!(error.details.is_none() && error.cause.is_none());
            let said = error.message.trim_start_matches("the secret TOKEN_KEYS is malformed: ");
            let said: String = said.chars().filter(|c| !c.is_ascii_digit()).collect();
            assert!(TOKEN_KEYS_PROBLEMS.contains(&said.as_str()), "{said}");
        }
    }
}

/// All that is ever said of a malformed `TOKEN_KEYS`, but for numbers.
const TOKEN_KEYS_PROBLEMS: [&str; 6] = [
    "key  is not of the form id:base",
    "key  has an id that is not  to  characters of a-z - -",
    "key  is not base",
    "key  has fewer than  bytes",
    "key  has the same id as an earlier key",
    "there are more than  keys",
];
