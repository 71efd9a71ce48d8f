//! Refs: how snapshots and workspaces are named on every surface.
//!
//! A ref is a name, not a capability: what it may reach is decided against the
//! catalogue (`domain::ownership`).

use super::backup::{BackupDir, BackupHandle};
use super::error::{Error, Result};
use super::ids::{BackupId, SandboxId};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The provider of every ref of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub enum ProviderId {
    /// Containers on Cloudflare, archives in R2.
    #[serde(rename = "cloudflare-sandbox")]
    CloudflareSandbox,
}

/// Names a snapshot. Unknown fields are refused, but for those of `backup`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotRef {
    /// Always `cloudflare-sandbox`.
    pub provider_id: ProviderId,
    /// The payload.
    #[serde(rename = "ref")]
    pub payload: SnapshotRefPayload,
}

/// Payload of a [`SnapshotRef`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotRefPayload {
    /// The backup. What a caller adds to it is accepted and not used.
    pub backup: BackupHandle,
    /// Sandbox the snapshot was taken from; null for a backup of
    /// `@cloudflare/sandbox`, which does not say.
    pub origin_sandbox_id: Option<SandboxId>,
}

impl SnapshotRef {
    /// The ref of a backup as it is published: id, directory, origin, and
    /// nothing of the handle's other fields.
    #[must_use]
    pub fn new(id: BackupId, dir: BackupDir, origin_sandbox_id: Option<SandboxId>) -> Self {
        Self {
            provider_id: ProviderId::CloudflareSandbox,
            payload: SnapshotRefPayload {
                backup: BackupHandle { id, dir, extra: serde_json::Map::new() },
                origin_sandbox_id,
            },
        }
    }
}

/// Names a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspaceRef {
    /// Always `cloudflare-sandbox`.
    pub provider_id: ProviderId,
    /// The payload.
    #[serde(rename = "ref")]
    pub payload: WorkspaceRefPayload,
}

/// Payload of a [`WorkspaceRef`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkspaceRefPayload {
    /// The sandbox that holds the workspace.
    pub id: SandboxId,
}

impl WorkspaceRef {
    /// The ref of a sandbox's workspace.
    #[must_use]
    pub const fn new(id: SandboxId) -> Self {
        Self { provider_id: ProviderId::CloudflareSandbox, payload: WorkspaceRefPayload { id } }
    }

    /// The sandbox it names.
    #[must_use]
    pub const fn sandbox_id(&self) -> &SandboxId {
        &self.payload.id
    }
}

/// How a caller names one snapshot: a whole ref, its backup id, or its name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SnapshotSelector {
    /// A whole ref, whose id and origin must both match the catalogue.
    Ref(SnapshotRef),
    /// A backup id.
    Id(BackupId),
    /// A name within this session.
    Name(String),
}

impl SnapshotSelector {
    /// Reads a selector: an object is a ref, a string an id or a name.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `ref`.
    pub fn parse(value: Value) -> Result<Self> {
        match value {
            Value::String(text) => Ok(BackupId::parse(&text).map_or(Self::Name(text), Self::Id)),
            object @ Value::Object(_) => serde_json::from_value(object)
                .map(Self::Ref)
                .map_err(|error| Error::invalid("ref", format!("is not a SnapshotRef: {error}"))),
            _ => {
                Err(Error::invalid("ref", "must be a SnapshotRef, a backup id or a snapshot name"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for SnapshotSelector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(Value::deserialize(deserializer)?)
            .map_err(|error| serde::de::Error::custom(error.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ID: &str = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";

    #[test]
    fn snapshot_ref_format_unchanged() {
        let text = format!(
            r#"{{"providerId":"cloudflare-sandbox","ref":{{"backup":{{"id":"{ID}","dir":"/workspace"}},"originSandboxId":"a"}}}}"#
        );
        let parsed: SnapshotRef = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&parsed).unwrap(), text);
    }

    #[test]
    fn workspace_ref_format_unchanged() {
        let text = r#"{"providerId":"cloudflare-sandbox","ref":{"id":"a-restored-00000000"}}"#;
        let parsed: WorkspaceRef = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&parsed).unwrap(), text);
    }

    #[test]
    fn unknown_fields_are_refused_but_inside_backup() {
        let base = json!({
            "providerId": "cloudflare-sandbox",
            "ref": { "backup": { "id": ID, "dir": "/workspace" }, "originSandboxId": "a" }
        });
        let with = |pointer: &str| {
            let mut value = base.clone();
            value.pointer_mut(pointer).unwrap()["extra"] = json!(1);
            SnapshotSelector::parse(value)
        };
        assert!(with("").is_err());
        assert!(with("/ref").is_err());
        assert!(with("/ref/backup").is_ok());
    }

    #[test]
    fn a_string_is_an_id_or_a_name() {
        assert!(matches!(SnapshotSelector::parse(json!(ID)).unwrap(), SnapshotSelector::Id(_)));
        assert!(matches!(SnapshotSelector::parse(json!("v1")).unwrap(), SnapshotSelector::Name(_)));
        for bad in [json!(1), json!(null), json!([ID]), json!({}), json!({ "providerId": "x" })] {
            assert!(SnapshotSelector::parse(bad).is_err());
        }
    }
}
