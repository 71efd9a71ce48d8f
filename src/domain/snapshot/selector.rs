//! Selectors name a snapshot, a turn or a workspace. Only [`Named::parse`] parses their strings.
//! Where a string is accepted, so are objects: whole refs, turns and cursors.

use crate::domain::{BackupId, Error, Result, SandboxId, SnapshotRef, TurnCursor, WorkspaceRef};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::fmt;

const LATEST: &str = "latest";
const HEAD: &str = "head";
const NOW: &str = "now";
const TURN: &str = "turn:";
const WORKSPACE: &str = "workspace:";
/// For points in time, which later versions may add.
const MOMENT: &str = "@{";

/// What a selector's string names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named<'a> {
    /// `latest`: the session's newest snapshot, without safety snapshots.
    Latest,
    /// `head`: the snapshot from which the active workspace would wake.
    Head,
    /// `now`: the active workspace as it is.
    Now,
    /// `turn:3`.
    Turn(u64),
    /// `workspace:<id>`.
    Workspace(SandboxId),
    /// A snapshot's id.
    Id(BackupId),
    /// A snapshot's name: anything else.
    Name(&'a str),
}

impl<'a> Named<'a> {
    /// Parses a selector's string.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a turn that is no number, or a workspace that is no id.
    pub fn parse(text: &'a str) -> Result<Self> {
        Ok(match text {
            LATEST => Self::Latest,
            HEAD => Self::Head,
            NOW => Self::Now,
            _ => {
                if let Some(number) = text.strip_prefix(TURN) {
                    let number = number.parse().map_err(|_| {
                        Error::invalid("ref", "a turn is named by its number, such as turn:3")
                    })?;
                    Self::Turn(number)
                } else if let Some(id) = text.strip_prefix(WORKSPACE) {
                    Self::Workspace(SandboxId::parse(id)?)
                } else {
                    BackupId::parse(text).map_or(Self::Name(text), Self::Id)
                }
            }
        })
    }
}

/// Whether a text is, or may become, a selector. No snapshot may have such a name.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    matches!(name, LATEST | HEAD | NOW)
        || [TURN, WORKSPACE, MOMENT].iter().any(|prefix| name.starts_with(prefix))
}

/// A turn of this session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "TurnFields", into = "TurnFields")]
pub struct TurnSelector {
    /// The turn.
    pub place: TurnPlace,
    /// Whether to take the newest turn before it if it has expired or is gone.
    pub at_or_before: bool,
}

/// Identifies a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnPlace {
    /// The turn's number.
    Number(u64),
    /// The newest turn with this cursor.
    Cursor(TurnCursor),
}

impl TurnSelector {
    /// Exactly the turn with this number.
    #[must_use]
    pub const fn number(number: u64) -> Self {
        Self { place: TurnPlace::Number(number), at_or_before: false }
    }
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TurnFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<u64>,
    // A null cursor must not count as absent: its check refuses it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    cursor: Option<TurnCursor>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    at_or_before: bool,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TurnCursor>, D::Error> {
    TurnCursor::deserialize(deserializer).map(Some)
}

impl TryFrom<TurnFields> for TurnSelector {
    type Error = &'static str;

    fn try_from(fields: TurnFields) -> Result<Self, Self::Error> {
        let place = match (fields.turn, fields.cursor) {
            (Some(number), None) => TurnPlace::Number(number),
            (None, Some(cursor)) => TurnPlace::Cursor(cursor),
            _ => return Err("a turn is named by its number or its cursor alone"),
        };
        Ok(Self { place, at_or_before: fields.at_or_before })
    }
}

impl From<TurnSelector> for TurnFields {
    fn from(selector: TurnSelector) -> Self {
        let (turn, cursor) = match selector.place {
            TurnPlace::Number(number) => (Some(number), None),
            TurnPlace::Cursor(cursor) => (None, Some(cursor)),
        };
        Self { turn, cursor, at_or_before: selector.at_or_before }
    }
}

/// A caller's name for a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub enum SnapshotSelector {
    /// A whole ref. Id and origin must both match the catalogue.
    Ref(SnapshotRef),
    /// A backup id.
    Id(BackupId),
    /// A name within this session.
    Name(String),
    /// The snapshot of a turn.
    Turn(TurnSelector),
    /// The session's newest snapshot, without safety snapshots.
    Latest,
    /// The snapshot from which the active workspace would wake.
    Head,
}

impl SnapshotSelector {
    /// Parses a selector's string.
    ///
    /// # Errors
    /// As [`Named::parse`]; `INVALID_ARGUMENT` for a workspace.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(match Named::parse(text)? {
            Named::Latest => Self::Latest,
            Named::Head => Self::Head,
            Named::Turn(number) => Self::Turn(TurnSelector::number(number)),
            Named::Id(id) => Self::Id(id),
            Named::Name(name) => Self::Name(name.to_owned()),
            Named::Now | Named::Workspace(_) => {
                return Err(Error::invalid(
                    "ref",
                    format!("{text} names a workspace; name a snapshot or a turn here"),
                ));
            }
        })
    }

    /// The id, if the selector contains it.
    #[must_use]
    pub const fn backup_id(&self) -> Option<&BackupId> {
        match self {
            Self::Ref(named) => Some(&named.payload.backup.id),
            Self::Id(id) => Some(id),
            Self::Name(_) | Self::Turn(_) | Self::Latest | Self::Head => None,
        }
    }
}

impl Serialize for SnapshotSelector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ref(named) => named.serialize(serializer),
            Self::Id(id) => id.serialize(serializer),
            Self::Name(name) => name.serialize(serializer),
            Self::Turn(turn) => turn.serialize(serializer),
            Self::Latest => serializer.serialize_str(LATEST),
            Self::Head => serializer.serialize_str(HEAD),
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
        SnapshotSelector::parse(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SnapshotSelector, A::Error> {
        let first: Option<String> = map.next_key()?;
        let turn = matches!(first.as_deref(), Some("turn" | "cursor" | "atOrBefore"));
        let map = MapAccessDeserializer::new(Resumed { first, map });
        if turn {
            TurnSelector::deserialize(map).map(SnapshotSelector::Turn)
        } else {
            SnapshotRef::deserialize(map).map(SnapshotSelector::Ref)
        }
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TreeSelector {
    /// A snapshot.
    Snapshot(SnapshotSelector),
    /// A workspace of this session.
    Workspace(WorkspaceRef),
    /// The active workspace as it is.
    #[serde(untagged, serialize_with = "now")]
    Now,
}

fn now<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(NOW)
}

impl TreeSelector {
    /// Parses a selector's string. A name that no snapshot has may be a workspace's id.
    ///
    /// # Errors
    /// As [`Named::parse`].
    pub fn parse(text: &str) -> Result<Self> {
        Ok(match Named::parse(text)? {
            Named::Now => Self::Now,
            Named::Workspace(id) => Self::Workspace(WorkspaceRef::new(id)),
            _ => Self::Snapshot(SnapshotSelector::parse(text)?),
        })
    }
}

impl<'de> Deserialize<'de> for TreeSelector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = TreeSelector;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name, id or ref of a snapshot, a turn, or the id or ref of a workspace")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<TreeSelector, E> {
        TreeSelector::parse(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TreeSelector, A::Error> {
        let first: Option<String> = map.next_key()?;
        let found = match first.as_deref() {
            Some("snapshot") => TreeSelector::Snapshot(map.next_value()?),
            Some("workspace") => TreeSelector::Workspace(map.next_value()?),
            Some("turn" | "cursor" | "atOrBefore") => {
                return SnapshotVisitor
                    .visit_map(Resumed { first, map })
                    .map(TreeSelector::Snapshot);
            }
            // Both kinds of whole refs begin with the same field.
            _ => {
                let whole = Value::deserialize(MapAccessDeserializer::new(Resumed { first, map }))?;
                return if whole.pointer("/ref/backup").is_some() {
                    SnapshotRef::deserialize(whole)
                        .map(|named| TreeSelector::Snapshot(SnapshotSelector::Ref(named)))
                } else {
                    WorkspaceRef::deserialize(whole).map(TreeSelector::Workspace)
                }
                .map_err(de::Error::custom);
            }
        };
        match map.next_key::<String>()? {
            Some(_) => Err(de::Error::custom("name either a snapshot or a workspace")),
            None => Ok(found),
        }
    }
}

/// A map whose first key was read.
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

/// At most three names that are similar to `asked`, best first.
#[must_use]
pub fn nearest(asked: &str, names: impl IntoIterator<Item = String>) -> Vec<String> {
    /// Less similar names would be random.
    const SIMILAR: f64 = 0.6;
    let asked = asked.to_lowercase();
    let mut found: Vec<(f64, String)> = names
        .into_iter()
        .map(|name| (strsim::normalized_damerau_levenshtein(&asked, &name.to_lowercase()), name))
        .filter(|(likeness, name)| *likeness >= SIMILAR || name.to_lowercase().contains(&asked))
        .collect();
    found.sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| a.cmp(b)));
    found.into_iter().map(|(_, name)| name).take(3).collect()
}

#[cfg(test)]
mod tests;
