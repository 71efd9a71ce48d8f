//! The machine part of a snapshot: differences from the image outside the workspace.

use crate::domain::{BackupId, Error, ErrorCode};
use serde::{Deserialize, Serialize};

/// The archive of a machine. Snapshots between which the machine did not change share one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MachinePart {
    /// The snapshot that has the archive: this one, or an earlier one.
    pub id: BackupId,
    /// Size of the archive in bytes.
    pub size_bytes: u64,
    /// SHA-256 of the archive, lowercase hexadecimal.
    pub sha256: String,
    /// The image that it differs from.
    pub image: MachineImage,
    /// Whether the bucket has lost the archive. The snapshot's files are all there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// What identifies an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct MachineImage {
    /// The platform's name for it, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// SHA-256 of the list of its files, lowercase hexadecimal.
    pub sha256: String,
}

impl MachineImage {
    /// A container's report, which may be hostile.
    pub(crate) fn reported(name: Option<String>, sha256: &str) -> Option<Self> {
        is_hash(sha256).then(|| Self { name, sha256: sha256.to_owned() })
    }

    fn shown(&self) -> String {
        let short = self.sha256.get(..12).unwrap_or_default();
        self.name.as_ref().map_or_else(|| short.to_owned(), |name| format!("{name} ({short})"))
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

impl MachinePart {
    pub(crate) fn check(&self) -> Result<(), String> {
        if is_hash(&self.sha256) && is_hash(&self.image.sha256) {
            Ok(())
        } else {
            Err("its machine has no SHA-256".to_owned())
        }
    }

    pub(crate) fn other_image(&self, found: &MachineImage) -> Error {
        let (saved, found) = (self.image.shown(), found.shown());
        Error::new(
            ErrorCode::Conflict,
            format!("the machine was saved on the image {saved}, and this container has the image {found}"),
        )
        .with_hint("deploy that image again, or open the session with forceImage: true to restore it all the same")
    }
}
