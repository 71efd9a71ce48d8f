//! The tree of a session's workspaces and snapshots. A snapshot's parent is the workspace it was
//! taken from; a workspace's parent is the snapshot it was made from.

use crate::domain::snapshot::ShownState;
use crate::domain::time::rfc3339;
use crate::domain::{
    BackupId, ErrorCode, SandboxId, Snapshot, SnapshotTrigger, Turn, Workspace, WorkspaceKind,
    WorkspaceState, WorkspaceStatus,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Deeper places get this indentation.
const INDENT_MAX: usize = 32;

/// One place of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LineageNode {
    /// Its sandbox id or backup id.
    pub id: String,
    /// Id of the place that this came from, earlier in the list.
    pub parent: Option<String>,
    /// Steps from the root.
    pub depth: usize,
    /// RFC 3339.
    pub created_at: String,
    /// A workspace or a snapshot.
    #[serde(flatten)]
    pub place: Place,
}

/// A place of the tree: a workspace or a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Place {
    /// A workspace.
    Workspace {
        /// How it came to be.
        kind: WorkspaceKind,
        /// State. A destroyed one is shown if something came from it.
        state: WorkspaceState,
        /// Whether it can be used as it is; absent for a destroyed one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<WorkspaceStatus>,
        /// Tools act on it: you are here.
        current: bool,
        /// The snapshot that it was last rewound to, if its files descend from that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rewound_to: Option<BackupId>,
        /// The snapshot of another session that its files came from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_snapshot_id: Option<BackupId>,
    },
    /// A snapshot.
    Snapshot {
        /// Name, or null.
        name: Option<String>,
        /// State. One that is gone is shown if something came from it.
        state: ShownState,
        /// Size of its archive, or null.
        size_bytes: Option<u64>,
        /// Why it was taken.
        trigger: SnapshotTrigger,
        /// The last turn that ended with its files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<Turn>,
        /// Whether a restore can be started now.
        restorable: bool,
        /// The code that a restore would fail with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unrestorable_because: Option<ErrorCode>,
    },
}

/// The tree, depth first, each level oldest first. `foreign` are claimed snapshots of others.
#[must_use]
pub fn lineage(
    workspaces: &[Workspace],
    snapshots: &[Snapshot],
    foreign: &BTreeSet<BackupId>,
    statuses: &BTreeMap<SandboxId, WorkspaceStatus>,
    active: &SandboxId,
    now_ms: i64,
) -> Vec<LineageNode> {
    let by_id: BTreeMap<&BackupId, &Snapshot> =
        snapshots.iter().map(|row| (&row.id, row)).collect();
    let known: BTreeSet<&SandboxId> = workspaces.iter().map(|row| &row.sandbox_id).collect();
    let sources: BTreeMap<&SandboxId, &BackupId> = workspaces
        .iter()
        .filter_map(|row| Some((&row.sandbox_id, row.made_from_backup_id.as_ref()?)))
        .filter(|(_, from)| by_id.contains_key(from))
        .collect();
    let mut children: BTreeMap<Option<String>, Vec<(i64, i64, LineageNode)>> = BTreeMap::new();
    for row in workspaces {
        let parent =
            sources.get(&row.sandbox_id).filter(|_| !is_own_ancestor(row, &sources, &by_id));
        let place = Place::Workspace {
            kind: row.kind,
            state: row.state,
            status: statuses.get(&row.sandbox_id).copied(),
            current: &row.sandbox_id == active,
            rewound_to: row
                .from_backup_id
                .clone()
                .filter(|from| by_id.contains_key(from) && parent != Some(&from)),
            from_snapshot_id: row.from_backup_id.clone().filter(|from| foreign.contains(from)),
        };
        let node =
            node(row.sandbox_id.as_str(), parent.map(|id| id.as_str()), row.created_at_ms, place);
        let parent = parent.map(ToString::to_string);
        children.entry(parent).or_default().push((row.created_at_ms, 0, node));
    }
    for row in snapshots {
        let parent = known.contains(&row.origin_sandbox_id).then(|| row.origin_sandbox_id.as_str());
        let unrestorable_because = row.restorable(now_ms).err().map(|error| error.code);
        let place = Place::Snapshot {
            name: row.annotations.name.clone(),
            state: row.shown_state(now_ms),
            size_bytes: row.size_bytes,
            trigger: row.cause.trigger,
            turn: row.cause.turn.clone(),
            restorable: unrestorable_because.is_none(),
            unrestorable_because,
        };
        let node = node(row.id.as_str(), parent, row.created_at_ms, place);
        children.entry(parent.map(str::to_owned)).or_default().push((
            row.created_at_ms,
            row.seq,
            node,
        ));
    }
    for level in children.values_mut() {
        // Newest first, because the loop below pops from the end.
        level.sort_by(|(one_ms, one, _), (other_ms, other, _)| {
            (other_ms, other).cmp(&(one_ms, one))
        });
    }
    let mut nodes = Vec::new();
    let mut stack = children.remove(&None).unwrap_or_default();
    while let Some((_, _, node)) = stack.pop() {
        let depth = node.depth;
        let below = children.remove(&Some(node.id.clone())).unwrap_or_default();
        nodes.push(node);
        stack.extend(
            below
                .into_iter()
                .map(|(at_ms, seq, node)| (at_ms, seq, LineageNode { depth: depth + 1, ..node })),
        );
    }
    nodes
}

fn node(id: &str, parent: Option<&str>, created_at_ms: i64, place: Place) -> LineageNode {
    LineageNode {
        id: id.to_owned(),
        parent: parent.map(str::to_owned),
        depth: 0,
        created_at: rfc3339(created_at_ms),
        place,
    }
}

/// Stored data may make a workspace its own ancestor. It then becomes a root.
fn is_own_ancestor(
    workspace: &Workspace,
    sources: &BTreeMap<&SandboxId, &BackupId>,
    by_id: &BTreeMap<&BackupId, &Snapshot>,
) -> bool {
    let mut seen = BTreeSet::new();
    let mut at = &workspace.sandbox_id;
    while let Some(above) = sources.get(at).and_then(|id| by_id.get(id)) {
        at = &above.origin_sandbox_id;
        if at == &workspace.sandbox_id {
            return true;
        }
        if !seen.insert(at) {
            return false;
        }
    }
    false
}

/// The tree as text, one line per place. An indented place comes from the one above it.
#[must_use]
pub fn as_text(nodes: &[LineageNode]) -> String {
    let quoted = |name: &String| format!("{name:?}");
    let names: BTreeMap<&str, &String> = nodes
        .iter()
        .filter_map(|node| match &node.place {
            Place::Snapshot { name: Some(name), .. } => Some((node.id.as_str(), name)),
            _ => None,
        })
        .collect();
    let mut text = String::new();
    for node in nodes {
        text.push_str(&"  ".repeat(node.depth.min(INDENT_MAX)));
        match &node.place {
            Place::Workspace { kind, state, status, current, rewound_to, from_snapshot_id } => {
                text.push_str(&format!("workspace {} ({}", node.id, kind.as_str()));
                if *state != WorkspaceState::Ready {
                    text.push_str(&format!(", {}", state.as_str()));
                } else if *status == Some(WorkspaceStatus::Paused) {
                    text.push_str(", paused");
                }
                text.push(')');
                if let Some(id) = rewound_to {
                    let shown =
                        names.get(id.as_str()).map_or_else(|| id.to_string(), |name| quoted(name));
                    text.push_str(&format!(" rewound to {shown}"));
                }
                if let Some(id) = from_snapshot_id {
                    text.push_str(&format!(" from snapshot {id} of another session"));
                }
                if *current {
                    text.push_str(" <- you are here");
                }
            }
            Place::Snapshot { name, state, trigger, turn, .. } => {
                let shown = name.as_ref().map_or_else(|| node.id.clone(), quoted);
                text.push_str(&format!("snapshot {shown} {}", node.created_at));
                if *trigger == SnapshotTrigger::Safety {
                    text.push_str(" before a rewind");
                }
                if let Some(turn) = turn {
                    text.push_str(&format!(" turn {}", turn.number));
                }
                if *state != ShownState::Ready {
                    text.push_str(&format!(" ({})", state.as_str()));
                }
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
