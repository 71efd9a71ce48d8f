//! Foreign archives: tar, layers of OCI images, and backups of Cloudflare's Sandbox SDK 1.0.
//!
//! All assumptions about the SDK are in this file. Its `DirectoryBackup` puts one object,
//! `<prefix><id>.tar.zst`, into the bucket, with the backup's name as custom metadata. Directory,
//! size and SHA-256 are in a record that the application keeps.

use crate::domain::{Annotations, BackupDir, BackupId, Error, Result, SnapshotSelector};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Default prefix of the SDK's backups, from the SDK's example: the SDK has no default.
pub const SDK_BACKUPS_PREFIX: &str = "backups/";
const SDK_SUFFIX: &str = ".tar.zst";

/// Type of an archive. Its first bytes tell how it is compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ArchiveFormat {
    /// A tar archive, plain or compressed with gzip or zstd.
    #[default]
    Tar,
    /// A layer of an OCI image, compressed the same ways. Its whiteouts (`.wh.…`) are left out.
    OciLayer,
}

impl ArchiveFormat {
    /// Names of all formats.
    pub const NAMES: &'static [&'static str] = &["tar", "oci-layer"];

    /// Whether this is the default format.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The format of a backup that is not one of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub enum ForeignFormat {
    /// A tar archive compressed with zstd, as Sandbox SDK 1.0 names it in its records.
    #[serde(rename = "tar+zstd/1")]
    TarZstd,
}

/// The record of a backup of the SDK, as its `restore` takes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct SdkBackupRecord {
    /// Its id. The object's key is `<prefix><id>.tar.zst`.
    pub id: BackupId,
    /// The directory that was saved. The SDK restores to it unless its caller names another.
    pub dir: BackupDir,
    /// Size of the object in bytes.
    pub size: u64,
    /// The snapshot's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// SHA-256 of the object, lowercase hexadecimal.
    pub sha256: String,
    /// Its format.
    pub format: ForeignFormat,
}

/// The id of an exported backup. Equal archives have equal ids, so that an export can be repeated.
#[must_use]
pub fn sdk_id_of(sha256: &str) -> Option<BackupId> {
    let mut bytes = [0; 16];
    for (position, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(sha256.get(position * 2..position * 2 + 2)?, 16).ok()?;
    }
    Some(BackupId::from_random(bytes))
}

/// The prefix that a variable sets. `/` is the bucket's root.
#[must_use]
pub fn sdk_prefix(named: Option<&str>) -> String {
    let Some(named) = named else { return SDK_BACKUPS_PREFIX.to_owned() };
    let inner = named.trim_matches('/');
    if inner.is_empty() { String::new() } else { format!("{inner}/") }
}

/// R2 key of an SDK backup.
#[must_use]
pub fn sdk_key(prefix: &str, id: &BackupId) -> String {
    format!("{prefix}{id}{SDK_SUFFIX}")
}

/// The id of the SDK backup that a key names.
#[must_use]
pub fn sdk_backup_id(prefix: &str, key: &str) -> Option<BackupId> {
    let name = key.strip_prefix(prefix)?.strip_suffix(SDK_SUFFIX)?;
    BackupId::parse(name).ok()
}

/// Annotations of a snapshot that another call, such as a restore, makes from an SDK backup.
#[must_use]
pub fn sdk_annotations(id: &BackupId) -> Annotations {
    let description = Some(format!("backup {id} of Sandbox SDK 1.0"));
    Annotations { description, ..Annotations::default() }
}

/// The SHA-256 in the SDK's record, if the caller put it into the ref.
#[must_use]
pub fn recorded_sha256(selector: &SnapshotSelector) -> Option<String> {
    let SnapshotSelector::Ref(named) = selector else { return None };
    let recorded = named.payload.backup.extra.get("sha256");
    recorded.and_then(Value::as_str).map(str::to_owned)
}

/// Checks a SHA-256 that a caller sent.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub fn check_sha256(sha256: Option<&str>) -> Result<()> {
    let is_digest = |text: &str| {
        text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    if sha256.is_none_or(is_digest) {
        return Ok(());
    }
    Err(Error::invalid("sha256", "must be 64 lowercase hex digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_the_sdks_backups_are_read_and_nothing_else() {
        let id = BackupId::from_random([7; 16]);
        for prefix in ["", "backups/", "a/b/"] {
            let key = sdk_key(prefix, &id);
            assert_eq!(key, format!("{prefix}{id}.tar.zst"));
            assert_eq!(sdk_backup_id(prefix, &key).as_ref(), Some(&id));
            for other in [format!("x{key}"), format!("{key}x"), format!("{prefix}../{id}.tar.zst")]
            {
                assert_eq!(sdk_backup_id(prefix, &other), None, "{other}");
            }
        }
        assert_eq!(sdk_backup_id("backups/", &format!("backups/{id}/data.sqsh")), None);
    }

    #[test]
    fn equal_archives_have_the_same_id() {
        let id = sdk_id_of(&"0f".repeat(32)).unwrap();
        assert_eq!(id.to_string(), "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f");
        assert_eq!((sdk_id_of("0f"), sdk_id_of(&"xx".repeat(32))), (None, None));
    }

    #[test]
    fn a_prefix_ends_with_a_slash() {
        let named = [None, Some("/"), Some("w"), Some("w/"), Some("/a/b/")];
        let prefixes = named.map(sdk_prefix);
        assert_eq!(prefixes, ["backups/", "", "w/", "w/", "a/b/"]);
    }

    #[test]
    fn a_digest_is_lowercase_hexadecimal() {
        let digest = "0f".repeat(32);
        assert!(check_sha256(None).is_ok() && check_sha256(Some(&digest)).is_ok());
        for bad in [digest.to_uppercase(), digest.replace('f', "g"), digest[2..].to_owned()] {
            assert!(check_sha256(Some(&bad)).is_err(), "{bad}");
        }
    }
}
