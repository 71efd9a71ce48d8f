//! Refs name snapshots and workspaces on every surface. A ref is no capability:
//! `domain::snapshot::ownership` checks it against the catalogue.

use crate::domain::{BackupDir, BackupHandle, BackupId, SandboxId};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// The provider that each ref of this service names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub enum ProviderId {
    /// Containers on Cloudflare, archives in R2.
    #[serde(rename = "cloudflare-sandbox")]
    CloudflareSandbox,
}

/// Names a snapshot. Unknown fields are refused, except in `backup`.
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
    /// The backup. Fields that a caller adds are accepted and not used.
    pub backup: BackupHandle,
    /// Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`,
    /// which does not say.
    #[cfg_attr(schemas, schemars(extend("x-null" = true)))]
    pub origin_sandbox_id: Option<SandboxId>,
}

impl SnapshotRef {
    /// The published ref, without the handle's other fields.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

    /// The sandbox that the ref names.
    #[must_use]
    pub const fn sandbox_id(&self) -> &SandboxId {
        &self.payload.id
    }
}

// Callers may also give a selector's string, or only an id.
impl<'de> Deserialize<'de> for WorkspaceRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WorkspaceVisitor)
    }
}

struct WorkspaceVisitor;

impl<'de> Visitor<'de> for WorkspaceVisitor {
    type Value = WorkspaceRef;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a WorkspaceRef or a workspace id")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<WorkspaceRef, E> {
        let id = text.strip_prefix("workspace:").unwrap_or(text);
        SandboxId::parse(id).map(WorkspaceRef::new).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WorkspaceRef, A::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        struct Whole {
            provider_id: ProviderId,
            r#ref: WorkspaceRefPayload,
        }
        let Whole { provider_id, r#ref: payload } =
            Whole::deserialize(MapAccessDeserializer::new(map))?;
        Ok(WorkspaceRef { provider_id, payload })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::arguments::read;
    use crate::domain::{Result, SnapshotSelector};
    use serde_json::{Value, json};

    fn selector(value: Value) -> Result<SnapshotSelector> {
        read("ref", value)
    }

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
            selector(value)
        };
        assert!(with("").is_err());
        assert!(with("/ref").is_err());
        assert!(with("/ref/backup").is_ok());
    }

    #[test]
    fn a_ref_of_the_other_kind_is_called_what_it_is() {
        let workspace = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": "a" } });
        let snapshot = json!({
            "providerId": "cloudflare-sandbox",
            "ref": { "originSandboxId": "a", "backup": { "id": ID, "dir": "/workspace" } }
        });
        let error = selector(workspace).unwrap_err();
        assert!(error.message.contains("this is a workspace's ref"), "{error}");
        assert_eq!(error.details.unwrap()["field"], "ref.id");
        let error = read::<WorkspaceRef>("ref", snapshot).unwrap_err();
        assert!(error.message.contains("this is a snapshot's ref"), "{error}");
    }

    #[test]
    fn a_workspace_is_named_by_its_ref_or_its_id() {
        let id = "a-restored-00000000";
        let whole = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": id } });
        assert_eq!(json!(read::<WorkspaceRef>("ref", json!(id)).unwrap()), whole);
        assert_eq!(json!(read::<WorkspaceRef>("ref", whole.clone()).unwrap()), whole);
        let mut extra = whole.clone();
        extra["extra"] = json!(1);
        let provider = json!({ "providerId": "x", "ref": { "id": id } });
        let inner = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": "A" } });
        for (bad, field, says) in [
            (json!("Mixed-Case"), "ref", "uppercase"),
            (json!("../x"), "ref", "must be 1 to 63 characters"),
            (json!(5), "ref", "expected a WorkspaceRef or a workspace id"),
            (json!([whole]), "ref", "expected a WorkspaceRef or a workspace id"),
            (extra, "extra", "unknown field"),
            (provider, "providerId", "unknown variant"),
            (inner, "ref.id", "uppercase"),
        ] {
            let error = read::<WorkspaceRef>("ref", bad).unwrap_err();
            assert!(error.message.contains(says), "{error}");
            assert_eq!(error.details.unwrap()["field"], field);
        }
    }
}
