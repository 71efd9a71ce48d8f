//! What came from what: the tree of a session's workspaces and snapshots. Pure.
//!
//! A snapshot hangs under the workspace it was taken from, a workspace under the
//! snapshot it was made from.

use crate::domain::error::ErrorCode;
use crate::domain::ids::{BackupId, SandboxId};
use crate::domain::snapshot::backup::rfc3339;
use crate::domain::snapshot::{ShownState, Snapshot, SnapshotTrigger};
use crate::domain::workspace::{Workspace, WorkspaceKind, WorkspaceState, WorkspaceStatus};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Levels that the text indents; what is deeper is written at this depth.
const INDENT_MAX: usize = 32;

/// One place of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LineageNode {
    /// Its sandbox id or backup id.
    pub id: String,
    /// What this comes from: the id of a place before it in the list.
    pub parent: Option<String>,
    /// Steps from the root.
    pub depth: usize,
    /// RFC 3339.
    pub created_at: String,
    /// What it is.
    #[serde(flatten)]
    pub place: Place,
}

/// What a place of the tree is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Place {
    /// A workspace.
    Workspace {
        /// How it came to be.
        kind: WorkspaceKind,
        /// Where it is in its life; a destroyed one is shown for what came from it.
        state: WorkspaceState,
        /// Whether it can be used as it is; none of a destroyed one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<WorkspaceStatus>,
        /// Tools act on it: you are here.
        current: bool,
        /// The snapshot that it was last rewound to, if its files descend from that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rewound_to: Option<BackupId>,
        /// The snapshot that its files came from, if that is no place of this
        /// tree: one of another session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_snapshot_id: Option<BackupId>,
    },
    /// A snapshot.
    Snapshot {
        /// Name, or null.
        name: Option<String>,
        /// State; one that is gone is shown for what came from it.
        state: ShownState,
        /// Size of its archive, or null.
        size_bytes: Option<u64>,
        /// What had it taken: a caller, or a rewind, of what it was about to replace.
        trigger: SnapshotTrigger,
        /// Whether a restore can be started now.
        restorable: bool,
        /// The code that a restore would answer, where it cannot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unrestorable_because: Option<ErrorCode>,
    },
}

/// Sorts what came from what into a tree, depth first, each level oldest first.
/// `foreign` are the snapshots of other sessions that workspaces came from.
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
            name: row.name.clone(),
            state: row.shown_state(now_ms),
            size_bytes: row.size_bytes,
            trigger: row.trigger,
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
        // Taken from the end below.
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

/// Whether stored data would hang a workspace under itself. Then it is a root.
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

/// The tree as text, a line each: what is indented comes from what is above it.
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
            Place::Snapshot { name, state, trigger, .. } => {
                let shown = name.as_ref().map_or_else(|| node.id.clone(), quoted);
                text.push_str(&format!("snapshot {shown} {}", node.created_at));
                if *trigger == SnapshotTrigger::Safety {
                    text.push_str(" before a rewind");
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
mod tests {
    use super::*;
    use crate::domain::snapshot::SnapshotState;
    use crate::domain::snapshot::backup::{BackupDir, SnapshotKind};
    use proptest::prelude::*;

    fn sandbox(number: usize) -> SandboxId {
        SandboxId::parse(&format!("w{number}")).unwrap()
    }

    fn backup(number: usize) -> BackupId {
        BackupId::from_random([u8::try_from(number).unwrap(); 16])
    }

    fn workspace(number: usize, from: Option<usize>) -> Workspace {
        Workspace {
            sandbox_id: sandbox(number),
            kind: WorkspaceKind::Branch,
            state: WorkspaceState::Ready,
            instance_id: None,
            from_backup_id: from.map(backup),
            made_from_backup_id: from.map(backup),
            head_backup_id: None,
            head_seq: 0,
            saved_at_ms: 0,
            created_at_ms: number as i64,
            last_used_at_ms: 0,
            paused_at_ms: None,
        }
    }

    fn snapshot(number: usize, of: usize, parent: Option<usize>) -> Snapshot {
        Snapshot {
            seq: number as i64,
            id: backup(number),
            binding: "B".into(),
            origin_sandbox_id: sandbox(of),
            dir: BackupDir::parse("/workspace").unwrap(),
            name: None,
            description: None,
            kind: SnapshotKind::Full,
            trigger: SnapshotTrigger::Manual,
            state: SnapshotState::Ready,
            handle: None,
            parent_id: parent.map(backup),
            created_at_ms: number as i64,
            ttl_secs: 259_200,
            size_bytes: Some(1),
            sha256: None,
            labels: Default::default(),
            pinned: false,
            published: false,
            unsynced_edits: 0,
            rebuilt_at_ms: None,
            retired_at_ms: None,
        }
    }

    fn shape(nodes: &[LineageNode]) -> Vec<String> {
        nodes.iter().map(|node| format!("{}{}", " ".repeat(node.depth), &node.id[..2])).collect()
    }

    #[test]
    fn what_comes_from_something_is_below_it() {
        let workspaces = [workspace(0, None), workspace(1, Some(1)), workspace(2, Some(1))];
        let snapshots = [snapshot(1, 0, None), snapshot(2, 0, None), snapshot(3, 2, Some(1))];
        let nodes =
            lineage(&workspaces, &snapshots, &BTreeSet::new(), &BTreeMap::new(), &sandbox(2), 0);
        assert_eq!(shape(&nodes), ["w0", " 01", "  w1", "  w2", "   03", " 02"]);
        let text = as_text(&nodes);
        assert!(text.contains("\n    workspace w2 (branch) <- you are here\n"), "{text}");
        assert_eq!(text.matches("you are here").count(), 1);
    }

    #[test]
    fn a_rewound_workspace_stays_where_it_began() {
        // w1 was made from 1, saved as 2, and rewound to 2.
        let mut workspaces = [workspace(0, None), workspace(1, Some(1))];
        workspaces[1].from_backup_id = Some(backup(2));
        let snapshots = [snapshot(1, 0, None), snapshot(2, 1, Some(1))];
        let nodes =
            lineage(&workspaces, &snapshots, &BTreeSet::new(), &BTreeMap::new(), &sandbox(1), 0);
        assert_eq!(shape(&nodes), ["w0", " 01", "  w1", "   02"]);
    }

    #[test]
    fn a_branch_stays_below_its_origin_when_that_is_rewound_into_it() {
        // w1 was made from 1, saved as 2; then w0 was rewound to 2.
        let mut workspaces = [workspace(0, None), workspace(1, Some(1))];
        workspaces[0].from_backup_id = Some(backup(2));
        let snapshots = [snapshot(1, 0, None), snapshot(2, 1, Some(1))];
        let nodes =
            lineage(&workspaces, &snapshots, &BTreeSet::new(), &BTreeMap::new(), &sandbox(0), 0);
        assert_eq!(shape(&nodes), ["w0", " 01", "  w1", "   02"]);
        let rewound = |node: &LineageNode| matches!(&node.place, Place::Workspace { rewound_to: Some(id), .. } if *id == backup(2));
        let rewound: Vec<bool> = nodes.iter().map(rewound).collect();
        assert_eq!(rewound, [true, false, false, false]);
    }

    #[test]
    fn a_rewind_is_shown_where_it_led() {
        let mut row = snapshot(1, 0, None);
        row.name = Some("v1".into());
        let mut safety = snapshot(2, 0, None);
        safety.trigger = SnapshotTrigger::Safety;
        let mut rewound = workspace(0, None);
        rewound.from_backup_id = Some(backup(1));
        let nodes =
            lineage(&[rewound], &[row, safety], &BTreeSet::new(), &BTreeMap::new(), &sandbox(0), 0);
        let text = as_text(&nodes);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "workspace w0 (branch) rewound to \"v1\" <- you are here");
        assert!(lines[2].ends_with("before a rewind"), "{text}");
        // One that was made from a snapshot, and never rewound, says nothing of the kind.
        let made = [workspace(0, None), workspace(1, Some(1))];
        let text = as_text(&lineage(
            &made,
            &[snapshot(1, 0, None)],
            &BTreeSet::new(),
            &BTreeMap::new(),
            &sandbox(0),
            0,
        ));
        assert!(!text.contains("rewound"), "{text}");
    }

    #[test]
    fn names_cannot_break_the_lines_and_what_is_gone_is_said() {
        let mut row = snapshot(1, 0, None);
        row.name = Some("a\u{202e}\"b".into());
        row.state = SnapshotState::Deleted;
        let text = as_text(&lineage(
            &[workspace(0, None)],
            &[row],
            &BTreeSet::new(),
            &BTreeMap::new(),
            &sandbox(0),
            0,
        ));
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains("\\u{202e}\\\"b\" 1970") && text.contains("(deleted)"), "{text}");
    }

    proptest! {
        #[test]
        fn every_place_is_there_once_and_after_its_parent(
            made in proptest::collection::vec(proptest::option::of(0..12_usize), 1..8),
            taken in proptest::collection::vec((0..9_usize, proptest::option::of(0..12_usize)), 0..12),
        ) {
            let workspaces: Vec<Workspace> =
                made.iter().enumerate().map(|(number, from)| workspace(number, *from)).collect();
            let snapshots: Vec<Snapshot> = taken
                .iter()
                .enumerate()
                .map(|(number, (of, parent))| snapshot(number, *of, *parent))
                .collect();
            let nodes = lineage(&workspaces, &snapshots, &BTreeSet::new(), &BTreeMap::new(), &sandbox(0), 0);
            prop_assert_eq!(nodes.len(), workspaces.len() + snapshots.len());
            let mut depths = BTreeMap::new();
            for node in &nodes {
                let depth = node.parent.as_ref().map_or(0, |parent| depths[parent] + 1);
                prop_assert_eq!(node.depth, depth);
                prop_assert!(depths.insert(node.id.clone(), depth).is_none());
            }
        }
    }
}
