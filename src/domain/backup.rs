//! A backup as it lies in R2: its keys, `meta.json`, lifetime, and the
//! directories that may be archived. The layout is that of
//! `@cloudflare/sandbox` 0.12, so backups cross both ways.

use super::error::{Error, ErrorCode, Result};
use super::ids::{BackupId, SandboxId, SessionId};
use super::json::fault;
use super::labels::Labels;
use super::limits::{EXPIRY_MARGIN_MS, TTL_DEFAULT_SECS, TTL_MAX_SECS, TTL_MIN_SECS};
use super::path::AbsolutePath;
use chrono::{DateTime, SecondsFormat};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Prefix of every key.
pub const BACKUPS_PREFIX: &str = "backups/";

/// R2 key of a backup's SquashFS archive.
#[must_use]
pub fn data_key(id: &BackupId) -> String {
    format!("{BACKUPS_PREFIX}{id}/data.sqsh")
}

/// R2 key of a backup's `meta.json`, its commit record.
#[must_use]
pub fn meta_key(id: &BackupId) -> String {
    format!("{BACKUPS_PREFIX}{id}/meta.json")
}

/// What `createBackup` returns and `restoreBackup` takes.
///
/// Fields we do not know belong to whichever sandbox made the backup; they are
/// kept whole and handed back to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct BackupHandle {
    /// Id of the backup.
    pub id: BackupId,
    /// Directory it captured, and is restored to.
    pub dir: BackupDir,
    /// Everything else, as it came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A directory that may be archived: absolute, no `..`, no NUL, at or under
/// `/workspace`, `/home`, `/app`, or under (not at) `/tmp`, `/var/tmp`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BackupDir(String);

impl BackupDir {
    const AT_OR_UNDER: [&'static str; 3] = ["/workspace", "/home", "/app"];
    const UNDER: [&'static str; 2] = ["/tmp", "/var/tmp"];

    /// Parses a directory; `//`, `.` and a trailing `/` are dropped.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `dir`.
    pub fn parse(text: &str) -> Result<Self> {
        let path = AbsolutePath::parse("dir", text)?;
        let allowed = Self::AT_OR_UNDER.iter().any(|root| path.is_at_or_under(root))
            || Self::UNDER.iter().any(|root| path.is_at_or_under(root) && path.as_str() != *root);
        if !allowed {
            return Err(Error::invalid(
                "dir",
                "must lie at or under /workspace, /home or /app, or under /tmp or /var/tmp",
            ));
        }
        Ok(Self(path.into()))
    }

    /// The directory as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for BackupDir {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<BackupDir> for String {
    fn from(dir: BackupDir) -> Self {
        dir.0
    }
}

/// A time to live that can be restored within, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Ttl(u64);

impl Ttl {
    /// Checks a time to live.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` outside 61 s to ten years.
    pub fn from_secs(secs: u64) -> Result<Self> {
        if (TTL_MIN_SECS..=TTL_MAX_SECS).contains(&secs) {
            Ok(Self(secs))
        } else {
            Err(Error::invalid(
                "ttl",
                format!(
                    "must be {TTL_MIN_SECS} to {TTL_MAX_SECS} seconds; {TTL_MAX_SECS} keeps a snapshot until it is deleted"
                ),
            ))
        }
    }

    /// The time to live in seconds.
    #[must_use]
    pub const fn as_secs(self) -> u64 {
        self.0
    }
}

impl Default for Ttl {
    fn default() -> Self {
        Self(TTL_DEFAULT_SECS)
    }
}

impl TryFrom<u64> for Ttl {
    type Error = Error;

    fn try_from(secs: u64) -> Result<Self> {
        Self::from_secs(secs)
    }
}

impl From<Ttl> for u64 {
    fn from(ttl: Ttl) -> Self {
        ttl.0
    }
}

/// When a backup's time is up, in milliseconds since the epoch.
#[must_use]
pub fn expires_at_ms(created_at_ms: i64, ttl_secs: u64) -> i64 {
    let ttl_ms = i64::try_from(ttl_secs).unwrap_or(i64::MAX).saturating_mul(1_000);
    created_at_ms.saturating_add(ttl_ms)
}

/// Whether a backup may no longer be restored: `now + 60 s > createdAt + ttl`.
#[must_use]
pub fn is_expired(now_ms: i64, created_at_ms: i64, ttl_secs: u64) -> bool {
    now_ms.saturating_add(EXPIRY_MARGIN_MS) > expires_at_ms(created_at_ms, ttl_secs)
}

/// Milliseconds since the epoch as RFC 3339 in UTC, as JavaScript's `toISOString`.
#[must_use]
pub fn rfc3339(ms: i64) -> String {
    DateTime::from_timestamp_millis(ms)
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Reads RFC 3339 into milliseconds since the epoch.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `field`.
pub fn parse_rfc3339(field: &str, text: &str) -> Result<i64> {
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.timestamp_millis())
        .map_err(|error| Error::invalid(field, format!("is not RFC 3339: {error}")))
}

/// What kind of archive a backup is. Tagged in `meta.json`, so that a reader
/// that cannot apply one refuses it by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SnapshotKind {
    /// The whole directory.
    Full,
}

impl SnapshotKind {
    /// The kind as stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
        }
    }
}

/// What had a snapshot taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SnapshotTrigger {
    /// A caller asked for it.
    #[default]
    Manual,
    /// The host, so that a workspace can wake or be forked. Goes before others do.
    Auto,
    /// A rewind, of what it was about to replace.
    Safety,
}

impl SnapshotTrigger {
    /// Whether a caller asked for it.
    #[must_use]
    pub const fn is_manual(&self) -> bool {
        matches!(self, Self::Manual)
    }

    /// The trigger of a snapshot that serves as one that `trigger` would have
    /// had taken: an automatic one stays on, and one that was asked for stays what it is.
    #[must_use]
    pub const fn taken_over_by(self, trigger: Self) -> Self {
        match (self, trigger) {
            (Self::Manual, _) | (_, Self::Manual) => Self::Manual,
            (Self::Safety, _) | (_, Self::Safety) => Self::Safety,
            (Self::Auto, Self::Auto) => Self::Auto,
        }
    }

    /// The trigger as stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
            Self::Safety => "safety",
        }
    }
}

/// Our object in `meta.json`, which `@cloudflare/sandbox` ignores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotterMeta {
    /// Version of this object; 1.
    pub version: u32,
    /// Kind of archive.
    pub kind: SnapshotKind,
    /// Session that took the snapshot.
    pub session_id: SessionId,
    /// Sandbox it was taken from.
    pub origin_sandbox_id: SandboxId,
    /// Snapshot that the workspace itself was made from, if any.
    pub parent_id: Option<BackupId>,
    /// SHA-256 of `data.sqsh`, lowercase hexadecimal.
    pub sha256: String,
    /// What had it taken; absent where a caller asked.
    #[serde(default, skip_serializing_if = "SnapshotTrigger::is_manual")]
    pub trigger: SnapshotTrigger,
    /// What its session wants to remember.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its labels.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Present while it is pinned: the time to live, in seconds, that it has
    /// again once it no longer is. `ttl` is the longest there is meanwhile, so
    /// that every reader keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpinned_ttl: Option<u64>,
    /// Whether other sessions may claim it; absent where not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub published: bool,
    /// What a later version wrote; an edit keeps it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `meta.json`: the commit record of a backup.
///
/// Written with exactly the fields of `@cloudflare/sandbox` 0.12 in its order,
/// and `snapshotter`. Unknown fields are kept, and mean nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupMeta {
    /// Id of the backup.
    pub id: BackupId,
    /// Directory it captured.
    pub dir: BackupDir,
    /// Name, or null.
    pub name: Option<String>,
    /// Size of `data.sqsh` in bytes.
    pub size_bytes: u64,
    /// Time to live in seconds.
    pub ttl: u64,
    /// RFC 3339.
    pub created_at: String,
    /// Ours; absent in backups of `@cloudflare/sandbox`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshotter: Option<SnapshotterMeta>,
    /// What nobody told us of; an edit keeps it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl BackupMeta {
    /// Reads the `meta.json` found under `id`. It is outside data: everything is checked.
    ///
    /// # Errors
    /// `INTEGRITY` where it is not what a backup's `meta.json` must be;
    /// `UNSUPPORTED` where a newer version of this product wrote it.
    pub fn parse(id: &BackupId, bytes: &[u8]) -> Result<Self> {
        let broken = |cause: String| {
            Error::new(ErrorCode::Integrity, format!("meta.json of backup {id} is not valid"))
                .with_cause(cause)
        };
        let value: Value = serde_json::from_slice(bytes).map_err(|error| broken(fault(&error)))?;
        if let Some(ours) = value.get("snapshotter") {
            let version = ours.get("version").and_then(Value::as_u64);
            let kind = ours.get("kind").and_then(Value::as_str);
            if version != Some(1) || kind != Some("full") {
                return Err(Error::new(
                    ErrorCode::Unsupported,
                    format!(
                        "backup {id} is of version {} and kind {}, which this version cannot apply",
                        version.map_or_else(|| "unknown".to_owned(), |v| v.to_string()),
                        kind.unwrap_or("unknown"),
                    ),
                ));
            }
        }
        let meta: Self = serde_json::from_value(value).map_err(|error| broken(fault(&error)))?;
        if &meta.id != id {
            return Err(broken(format!("it carries the id {}", meta.id)));
        }
        meta.created_at_ms().map_err(|error| broken(error.message))?;
        Ok(meta)
    }

    /// The bytes of `meta.json`.
    ///
    /// # Errors
    /// `INTERNAL` if it does not serialize, which would be a bug.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| Error::internal(error.to_string()))
    }

    /// When the backup was made, in milliseconds since the epoch.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `createdAt` is not RFC 3339 (never after [`Self::parse`]).
    pub fn created_at_ms(&self) -> Result<i64> {
        parse_rfc3339("createdAt", &self.created_at)
    }

    /// The handle for restoring this backup, rebuilt from the record alone.
    #[must_use]
    pub fn handle(&self) -> BackupHandle {
        BackupHandle { id: self.id.clone(), dir: self.dir.clone(), extra: Map::new() }
    }
}

/// Archive compression. `mksquashfs` must have been built with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// zlib: smallest without zstd, slow.
    Gzip,
    /// Fastest; the default.
    #[default]
    Lz4,
    /// Small and fast to read.
    Zstd,
}

impl Compression {
    /// The name `mksquashfs -comp` takes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";

    fn ours() -> BackupMeta {
        BackupMeta {
            id: BackupId::parse(ID).unwrap(),
            dir: BackupDir::parse("/workspace").unwrap(),
            name: None,
            size_bytes: 4096,
            ttl: 259_200,
            created_at: rfc3339(1_795_296_742_830),
            snapshotter: Some(SnapshotterMeta {
                version: 1,
                kind: SnapshotKind::Full,
                session_id: SessionId::parse("User@example.com").unwrap(),
                origin_sandbox_id: SandboxId::parse("s-x").unwrap(),
                parent_id: None,
                sha256: "ab".repeat(32),
                trigger: SnapshotTrigger::Manual,
                description: None,
                labels: Labels::default(),
                unpinned_ttl: None,
                published: false,
                extra: Map::new(),
            }),
            extra: Map::new(),
        }
    }

    #[test]
    fn meta_json_format_unchanged() {
        let expected = format!(
            r#"{{"id":"{ID}","dir":"/workspace","name":null,"sizeBytes":4096,"ttl":259200,"createdAt":"2026-11-21T21:32:22.830Z","snapshotter":{{"version":1,"kind":"full","sessionId":"User@example.com","originSandboxId":"s-x","parentId":null,"sha256":"{}"}}}}"#,
            "ab".repeat(32)
        );
        let bytes = ours().to_bytes().unwrap();
        assert_eq!(String::from_utf8(bytes.clone()).unwrap(), expected);
        assert_eq!(BackupMeta::parse(&ours().id, &bytes).unwrap(), ours());
    }

    #[test]
    fn edited_meta_json_format_unchanged() {
        let ours = |value: &str| format!(r#""sha256":"{}"{value}}}"#, "ab".repeat(32));
        let text = String::from_utf8(super::tests::ours().to_bytes().unwrap()).unwrap();
        let edited = text.replace(
            &ours(""),
            &ours(
                r#","trigger":"auto","description":"d","labels":{"a":"1"},"unpinnedTtl":61,"later":[1]"#,
            ),
        );
        let meta = BackupMeta::parse(&super::tests::ours().id, edited.as_bytes()).unwrap();
        let ours = meta.snapshotter.clone().unwrap();
        assert_eq!((ours.trigger, ours.unpinned_ttl), (SnapshotTrigger::Auto, Some(61)));
        assert_eq!(String::from_utf8(meta.to_bytes().unwrap()).unwrap(), edited);
    }

    #[test]
    fn sandbox_sdk_0_12_meta_json_reads_and_writes_back_byte_for_byte() {
        let text = format!(
            r#"{{"id":"{ID}","dir":"/workspace/proj","name":"fixture lz4","sizeBytes":40960,"ttl":315360000,"createdAt":"2026-11-21T21:32:22.830Z"}}"#
        );
        let meta = BackupMeta::parse(&BackupId::parse(ID).unwrap(), text.as_bytes()).unwrap();
        assert_eq!(meta.snapshotter, None);
        assert_eq!(String::from_utf8(meta.to_bytes().unwrap()).unwrap(), text);
    }

    #[test]
    fn a_meta_json_under_another_id_is_refused() {
        let other = BackupId::from_random([7; 16]);
        let error = BackupMeta::parse(&other, &ours().to_bytes().unwrap()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Integrity);
    }

    #[test]
    fn an_unknown_kind_is_refused_by_name() {
        let text =
            String::from_utf8(ours().to_bytes().unwrap()).unwrap().replace("\"full\"", "\"delta\"");
        let error = BackupMeta::parse(&ours().id, text.as_bytes()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Unsupported);
        assert!(error.message.contains("delta"), "{error}");
    }

    #[test]
    fn expiry_has_a_margin_of_a_minute() {
        let created = 1_000_000;
        assert!(!is_expired(created, created, 61));
        assert!(!is_expired(created + 1_000, created, 61));
        assert!(is_expired(created + 1_001, created, 61));
        assert!(is_expired(created, created, 60 - 1));
        assert!(!is_expired(created, created, u64::MAX));
    }

    #[test]
    fn unrestorable_lifetimes_are_refused() {
        for secs in [0, 1, 60, TTL_MAX_SECS + 1, u64::MAX] {
            assert!(Ttl::from_secs(secs).is_err(), "{secs}");
        }
        assert!(Ttl::from_secs(61).is_ok() && Ttl::from_secs(TTL_MAX_SECS).is_ok());
    }

    #[test]
    fn only_listed_directories_are_archived() {
        for good in [
            "/workspace",
            "/workspace/",
            "/workspace//a/./b",
            "/home/x",
            "/app",
            "/tmp/x",
            "/var/tmp/x",
        ] {
            assert!(BackupDir::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "workspace",
            "/",
            "/etc",
            "/tmp",
            "/tmp/",
            "/var/tmp",
            "/workspaces",
            "/workspace/../etc",
            "/home/\0",
            "/tmp/..",
        ] {
            assert!(BackupDir::parse(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn meta_json_of_any_bytes_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = BackupMeta::parse(&ours().id, &bytes);
        }

        #[test]
        fn handles_keep_unknown_fields(key in "[a-z]{3,10}", value in "[ -~]{0,20}") {
            prop_assume!(key != "dir");
            let mut text = serde_json::json!({ "id": ID, "dir": "/workspace" });
            text[&key] = Value::String(value);
            let handle: BackupHandle = serde_json::from_value(text.clone()).unwrap();
            prop_assert_eq!(serde_json::to_value(&handle).unwrap(), text);
        }
    }
}
