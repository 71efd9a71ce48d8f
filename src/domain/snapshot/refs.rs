//! Refs: the names of snapshots and workspaces on every surface.
//!
//! A ref is a name, not a capability: `domain::snapshot::ownership` checks it
//! against the catalogue.

use crate::domain::ids::{BackupId, SandboxId};
use crate::domain::snapshot::backup::{BackupDir, BackupHandle};
use crate::domain::snapshot::turn::TurnCursor;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

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
    /// Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`,
    /// which does not say.
    #[cfg_attr(schemas, schemars(extend("x-null" = true)))]
    pub origin_sandbox_id: Option<SandboxId>,
}

impl SnapshotRef {
    /// The ref of a backup as it is published: id, directory and origin,
    /// without the handle's other fields.
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

// Callers may name a workspace by its id alone.
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
        SandboxId::parse(text).map(WorkspaceRef::new).map_err(E::custom)
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

/// A turn of this session: the newest at or before what is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TurnSelector {
    /// Its number.
    Turn(u64),
    /// The newest turn with this cursor.
    Cursor(TurnCursor),
}

/// A caller's name for one snapshot: a whole ref, its backup id, its name, or a turn that
/// ended with its files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SnapshotSelector {
    /// A whole ref, whose id and origin must both match the catalogue.
    Ref(SnapshotRef),
    /// A backup id.
    Id(BackupId),
    /// A name within this session.
    Name(String),
    /// A turn.
    Turn(TurnSelector),
}

impl SnapshotSelector {
    /// Reads a text as an id, or else as a name.
    #[must_use]
    pub fn named(text: &str) -> Self {
        BackupId::parse(text).map_or_else(|_| Self::Name(text.to_owned()), Self::Id)
    }

    /// The id, if it is given.
    #[must_use]
    pub fn backup_id(&self) -> Option<&BackupId> {
        match self {
            Self::Ref(named) => Some(&named.payload.backup.id),
            Self::Id(id) => Some(id),
            Self::Name(_) | Self::Turn(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for SnapshotSelector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SnapshotVisitor)
    }
}

struct SnapshotVisitor;

impl<'de> Visitor<'de> for SnapshotVisitor {
    type Value = SnapshotSelector;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a SnapshotRef, a snapshot id, a snapshot name or a turn")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<SnapshotSelector, E> {
        Ok(SnapshotSelector::named(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SnapshotSelector, A::Error> {
        let first: Option<String> = map.next_key()?;
        let turn = match first.as_deref() {
            Some("turn") => TurnSelector::Turn(map.next_value()?),
            Some("cursor") => TurnSelector::Cursor(map.next_value()?),
            _ => {
                let map = MapAccessDeserializer::new(Resumed { first, map });
                return SnapshotRef::deserialize(map).map(SnapshotSelector::Ref);
            }
        };
        match map.next_key::<String>()? {
            Some(_) => Err(de::Error::custom("a turn is named by its number or its cursor alone")),
            None => Ok(SnapshotSelector::Turn(turn)),
        }
    }
}

/// A map whose first key has been read.
struct Resumed<A> {
    first: Option<String>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Resumed<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(first) => seed.deserialize(first.into_deserializer()).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::arguments::read;
    use crate::domain::error::Result;
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
    fn a_string_is_an_id_or_a_name() {
        assert!(matches!(selector(json!(ID)).unwrap(), SnapshotSelector::Id(_)));
        assert!(matches!(selector(json!("v1")).unwrap(), SnapshotSelector::Name(_)));
        for bad in [json!(1), json!(null), json!([ID]), json!({}), json!({ "providerId": "x" })] {
            assert!(selector(bad).is_err());
        }
    }

    #[test]
    fn a_turn_is_named_by_its_number_or_its_cursor() {
        let turn = SnapshotSelector::Turn(TurnSelector::Turn(3));
        assert_eq!(selector(json!({ "turn": 3 })).unwrap(), turn);
        let sent = json!({ "cursor": { "message": 7 } });
        let read = selector(sent.clone()).unwrap();
        assert!(matches!(read, SnapshotSelector::Turn(TurnSelector::Cursor(_))));
        assert_eq!(json!(read), sent);
        for bad in [
            json!({ "turn": "3" }),
            json!({ "turn": -1 }),
            json!({ "turn": 3, "cursor": 1 }),
            json!({ "turn": 3, "providerId": "cloudflare-sandbox" }),
        ] {
            assert!(selector(bad).is_err());
        }
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
