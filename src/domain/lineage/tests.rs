use super::*;
use crate::domain::{BackupDir, SnapshotState};
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
        annotations: Default::default(),
        chain: Default::default(),
        cause: SnapshotTrigger::Manual.into(),
        state: SnapshotState::Ready,
        handle: None,
        parent_id: parent.map(backup),
        created_at_ms: number as i64,
        ttl_secs: 259_200,
        size_bytes: Some(1),
        sha256: None,
        renews: false,
        pinned: false,
        git: None,
        machine: None,
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
    row.annotations.name = Some("v1".into());
    let mut safety = snapshot(2, 0, None);
    safety.cause.trigger = SnapshotTrigger::Safety;
    let mut rewound = workspace(0, None);
    rewound.from_backup_id = Some(backup(1));
    let nodes =
        lineage(&[rewound], &[row, safety], &BTreeSet::new(), &BTreeMap::new(), &sandbox(0), 0);
    let text = as_text(&nodes);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "workspace w0 (branch) rewound to \"v1\" <- you are here");
    assert!(lines[2].ends_with("before a rewind"), "{text}");
    // A workspace that was made from a snapshot and never rewound shows no rewind.
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
    row.annotations.name = Some("a\u{202e}\"b".into());
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
