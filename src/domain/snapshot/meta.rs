//! `meta.json`: the record that makes an archive a backup.

use crate::domain::json::{fault, read_own};
use crate::domain::snapshot::annotations::Recorded;
use crate::domain::snapshot::cause::RecordedCause;
use crate::domain::snapshot::chain::{Chain, Part};
use crate::domain::time::parse_rfc3339;
use crate::domain::{
    Annotations, BackupDir, BackupHandle, BackupId, Cause, Error, ErrorCode, MachinePart, Result,
    SandboxId, SessionId, SnapshotKind,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Our object in `meta.json`. `@cloudflare/sandbox` ignores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotterMeta {
    /// Version of this object; 1.
    pub version: u32,
    /// Kind of archive.
    pub kind: SnapshotKind,
    /// Session that took the snapshot.
    pub session_id: SessionId,
    /// Sandbox that the snapshot was taken from.
    pub origin_sandbox_id: SandboxId,
    /// Last snapshot that equalled the workspace before this one.
    pub parent_id: Option<BackupId>,
    /// SHA-256 of the archive, lowercase hexadecimal.
    pub sha256: String,
    /// The archives that a layer needs below its own.
    #[serde(default, skip_serializing_if = "Chain::is_empty")]
    pub chain: Chain,
    /// The git repository at the root of the directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitState>,
    /// The machine that was saved with the snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachinePart>,
    /// Why the snapshot was taken.
    #[serde(flatten, with = "RecordedCause")]
    pub cause: Cause,
    /// The session's annotations, without the name.
    #[serde(flatten, with = "Recorded")]
    pub annotations: Annotations,
    /// Present while pinned: the `ttl` after an unpin. Until then, `ttl` is the longest, so that
    /// every reader keeps the backup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpinned_ttl: Option<u64>,
    /// Whether the use of the session renews `ttl`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub renews: bool,
    /// Whether other sessions may claim the snapshot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub published: bool,
    /// Fields of later versions, which edits keep.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `meta.json`, the commit record of a backup: exactly the fields of `@cloudflare/sandbox` 0.12, in
/// its order, and `snapshotter`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupMeta {
    /// Id of the backup.
    pub id: BackupId,
    /// Directory that the backup captured.
    pub dir: BackupDir,
    /// Name, or null.
    pub name: Option<String>,
    /// Size of the archive in bytes.
    pub size_bytes: u64,
    /// Time to live in seconds.
    pub ttl: u64,
    /// Creation time, in RFC 3339.
    pub created_at: String,
    /// Our object; absent in backups of `@cloudflare/sandbox`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshotter: Option<SnapshotterMeta>,
    /// Unknown fields, which edits keep.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl BackupMeta {
    /// Parses the `meta.json` at `id`. It comes from outside, so everything is checked.
    ///
    /// # Errors
    /// `INTEGRITY` if it is not valid for this backup; `UNSUPPORTED` if a newer version wrote it.
    pub fn parse(id: &BackupId, bytes: &[u8]) -> Result<Self> {
        let broken = |cause: String| {
            Error::new(ErrorCode::Integrity, format!("meta.json of backup {id} is not valid"))
                .with_cause(cause)
        };
        let value: Value = serde_json::from_slice(bytes).map_err(|error| broken(fault(&error)))?;
        if let Some(ours) = value.get("snapshotter") {
            let version = ours.get("version").and_then(Value::as_u64);
            let kind = ours.get("kind").and_then(Value::as_str);
            if version != Some(1) || !matches!(kind, Some("full" | "layer")) {
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
        let meta: Self =
            read_own("it", value).map_err(|error| broken(error.cause.unwrap_or_default()))?;
        if &meta.id != id {
            return Err(broken(format!("it carries the id {}", meta.id)));
        }
        meta.created_at_ms().map_err(|error| broken(error.message))?;
        if let Some(ours) = &meta.snapshotter {
            ours.chain.check(id, ours.kind).map_err(broken)?;
            ours.machine.as_ref().map_or(Ok(()), MachinePart::check).map_err(broken)?;
        }
        Ok(meta)
    }

    /// Kind of the archive.
    #[must_use]
    pub fn kind(&self) -> SnapshotKind {
        self.snapshotter.as_ref().map_or(SnapshotKind::Full, |ours| ours.kind)
    }

    /// The archives that the backup needs below its own.
    #[must_use]
    pub fn chain(&self) -> Chain {
        self.snapshotter.as_ref().map_or(Chain::NONE, |ours| ours.chain.clone())
    }

    /// The machine that was saved with the backup.
    #[must_use]
    pub fn machine(&self) -> Option<&MachinePart> {
        self.snapshotter.as_ref()?.machine.as_ref()
    }

    /// The archive, for the chain of a layer on it. None for `@cloudflare/sandbox`: it records no
    /// hash.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        let sha256 = self.snapshotter.as_ref()?.sha256.clone();
        Some(Part { id: self.id.clone(), size_bytes: self.size_bytes, sha256 })
    }

    /// The record once the backup has a full archive.
    #[must_use]
    pub fn flattened(mut self, size_bytes: u64, sha256: String) -> Self {
        self.size_bytes = size_bytes;
        if let Some(ours) = &mut self.snapshotter {
            ours.kind = SnapshotKind::Full;
            ours.chain = Chain::NONE;
            ours.sha256 = sha256;
        }
        self
    }

    /// The record once a backup in its chain has a full archive.
    #[must_use]
    pub fn rebased(mut self, full: &Part) -> Self {
        if let Some(ours) = &mut self.snapshotter {
            ours.chain = ours.chain.rebased(full);
        }
        self
    }

    /// The bytes of `meta.json`.
    ///
    /// # Errors
    /// `INTERNAL` if the record does not serialize: a bug.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| Error::internal(error.to_string()))
    }

    /// When the backup was made, in milliseconds since the epoch.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if `createdAt` is not RFC 3339; never after [`Self::parse`].
    pub fn created_at_ms(&self) -> Result<i64> {
        parse_rfc3339("createdAt", &self.created_at)
    }

    /// The session's annotations.
    #[must_use]
    pub fn annotations(&self) -> Annotations {
        let ours = self.snapshotter.as_ref().map(|ours| ours.annotations.clone());
        Annotations { name: self.name.clone(), ..ours.unwrap_or_default() }
    }

    /// For restoring the backup: built from the record alone.
    #[must_use]
    pub fn handle(&self) -> BackupHandle {
        BackupHandle { id: self.id.clone(), dir: self.dir.clone(), extra: Map::new() }
    }
}

/// The repository at the root of a snapshot's directory, when it was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct GitState {
    /// The commit of `HEAD`. Absent before the first commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The branch. Absent if `HEAD` is detached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Whether nothing was uncommitted, apart from ignored files.
    pub clean: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SnapshotTrigger;
    use crate::domain::time::rfc3339;
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
                chain: Chain::NONE,
                cause: SnapshotTrigger::Manual.into(),
                annotations: Annotations::default(),
                unpinned_ttl: None,
                renews: false,
                git: None,
                machine: None,
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
        assert_eq!((ours.cause.trigger, ours.unpinned_ttl), (SnapshotTrigger::Auto, Some(61)));
        assert_eq!(String::from_utf8(meta.to_bytes().unwrap()).unwrap(), edited);
    }

    #[test]
    fn a_name_in_our_part_is_an_unknown_field() {
        let text = String::from_utf8(ours().to_bytes().unwrap()).unwrap();
        let text = text.replace("}}", r#","name":"x"}}"#);
        let meta = BackupMeta::parse(&ours().id, text.as_bytes()).unwrap();
        assert_eq!(meta.annotations(), Annotations::default());
        assert_eq!(String::from_utf8(meta.to_bytes().unwrap()).unwrap(), text);
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
    fn numbers_in_unknown_fields_come_back_exactly() {
        let text = String::from_utf8(ours().to_bytes().unwrap()).unwrap();
        let text = text.replacen('{', &format!(r#"{{"later":1{},"#, "2".repeat(68)), 1);
        let meta = BackupMeta::parse(&ours().id, text.as_bytes()).unwrap();
        assert_eq!(BackupMeta::parse(&ours().id, &meta.to_bytes().unwrap()).unwrap(), meta);
    }

    #[test]
    fn a_meta_json_under_another_id_is_refused() {
        let other = BackupId::from_random([7; 16]);
        let error = BackupMeta::parse(&other, &ours().to_bytes().unwrap()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Integrity);
    }

    #[test]
    fn layer_meta_json_format_unchanged() {
        let base = "00000000-0000-4000-8000-000000000001";
        let part = format!(r#"{{"id":"{base}","sizeBytes":9,"sha256":"{}"}}"#, "cd".repeat(32));
        let text = String::from_utf8(ours().to_bytes().unwrap()).unwrap();
        let full = format!(r#""sha256":"{}""#, "ab".repeat(32));
        let layer = |chain: &str| {
            text.replace("\"full\"", "\"layer\"").replace(&full, &format!("{full}{chain}"))
        };
        let text = layer(&format!(r#","chain":[{part}]"#));
        let meta = BackupMeta::parse(&ours().id, text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(meta.to_bytes().unwrap()).unwrap(), text);
        assert_eq!((meta.kind(), meta.chain().parts().len()), (SnapshotKind::Layer, 1));
        let own = part.replace(base, ID);
        let long = vec![part.clone(); 10].join(",");
        for chain in [
            String::new(),
            format!(r#","chain":[{own}]"#),
            format!(r#","chain":[{part},{part}]"#),
            format!(r#","chain":[{long}]"#),
            format!(r#","chain":[{}]"#, part.replace("cd", "CD")),
        ] {
            let error = BackupMeta::parse(&ours().id, layer(&chain).as_bytes()).unwrap_err();
            assert_eq!(error.code, ErrorCode::Integrity, "{chain}");
        }
        let full = text.replace("\"layer\"", "\"full\"");
        let error = BackupMeta::parse(&ours().id, full.as_bytes()).unwrap_err();
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

    proptest! {
        #[test]
        fn meta_json_of_any_bytes_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = BackupMeta::parse(&ours().id, &bytes);
        }

    }
}
