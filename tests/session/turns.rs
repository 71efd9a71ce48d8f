//! Turns: what is kept of each, and how to get back to one.

use crate::support::faults::Fault;
use crate::support::tree::MemoryTree;
use crate::trees::{LONG_AGO, project, put_archive, set_tree};
use crate::world::{World, content, now, snapshot};
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::SnapshotTrigger;
use snapshotter::domain::snapshot::backup::{SnapshotKind, archive_key, meta_key};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{
    Abort, DeleteOptions, ListRequest, LiveForkRequest, RewindRequest, Rewound, SaveTurnRequest,
    Session, SnapshotView, Timeline, TimelineRequest, UndoRequest, Undone,
};

fn save_turn(host: &Session, cursor: Value) -> SnapshotView {
    let request = SaveTurnRequest {
        cursor: Some(serde_json::from_value(cursor).unwrap()),
        ..SaveTurnRequest::default()
    };
    now(host.save_turn(request, &Abort::default())).unwrap()
}

fn selector(named: Value) -> SnapshotSelector {
    serde_json::from_value(named).unwrap()
}

fn rewind(host: &Session, named: Value) -> Result<Rewound, Error> {
    let request = RewindRequest {
        r#ref: selector(named),
        expected_head: None,
        allow_cross_session: false,
        expected_active: None,
        dry_run: false,
    };
    now(host.rewind(&request, &Abort::default()))
}

fn timeline(host: &Session) -> Timeline {
    now(host.timeline(&TimelineRequest::default())).unwrap()
}

fn numbers(host: &Session) -> Vec<u64> {
    timeline(host).turns.iter().map(|turn| turn.turn.number).collect()
}

fn meta(world: &World, id: &BackupId) -> BackupMeta {
    BackupMeta::parse(id, &world.bucket.objects.borrow()[&meta_key(id)]).unwrap()
}

fn cursor_of(turn: &snapshotter::domain::snapshot::turn::Turn) -> Value {
    serde_json::to_value(&turn.cursor).unwrap()
}

/// A running session whose unchanged files are known as unchanged.
fn steady() -> (World, Session) {
    let world = World::new();
    world.steady.set(true);
    let host = world.open("sess");
    content(&host);
    (world, host)
}

/// Ends a turn with these files.
fn turn(world: &World, host: &Session, files: &str, cursor: Value) -> SnapshotView {
    world.write("sess", files);
    world.clock.advance(1_000);
    save_turn(host, cursor)
}

fn undo(host: &Session, turns: u32) -> Result<Rewound, Error> {
    let request = UndoRequest { turns, expected_head: None, expected_active: None, dry_run: false };
    now(host.undo(&request, &Abort::default()))
}

/// Ends a turn with these files of trees.
fn turn_of_tree(world: &World, host: &Session, tree: &MemoryTree) -> BackupId {
    set_tree(world, "sess", tree.clone());
    let files = format!("{tree:?}");
    let id = turn(world, host, &files, json!({ "message": files })).snapshot.id;
    put_archive(world, &id, tree);
    world.clock.advance(3_600_000);
    id
}

/// Three turns that each change a file.
fn turns_of_one_file(world: &World, host: &Session) -> (Vec<MemoryTree>, Vec<BackupId>) {
    let trees: Vec<MemoryTree> = ["1", "second", "the third"]
        .map(|content| {
            let mut tree = project();
            tree.put("src/a.txt", content, LONG_AGO + content.len() as i64);
            tree
        })
        .into();
    let ids = trees.iter().map(|tree| turn_of_tree(world, host, tree)).collect();
    (trees, ids)
}

/// A workspace whose last turn can be undone.
pub fn undoable() -> World {
    let (world, host) = steady();
    turns_of_one_file(&world, &host);
    world
}

#[test]
fn undo_goes_back_by_turns_and_unsaved_changes_come_first() {
    let (world, host) = steady();
    let (trees, ids) = turns_of_one_file(&world, &host);
    // A turn that changed nothing does not count.
    world.sql(&format!(
        "INSERT INTO turns SELECT 4, cursor, label, snapshot_id, sandbox_id, snapshot_id, at_ms, NULL
         FROM turns WHERE snapshot_id = '{}'",
        ids[2]
    ));
    // What is only ignored does not count either.
    let mut built = trees[2].clone();
    built.put("ignored/y", "built", LONG_AGO);
    set_tree(&world, "sess", built);
    let dry = UndoRequest { turns: 1, expected_head: None, expected_active: None, dry_run: true };
    let plan = now(host.undo(&dry, &Abort::default())).unwrap();
    assert_eq!((plan.dry_run, &plan.from_snapshot_id), (true, &ids[1]));
    let back = undo(&host, 1).unwrap();
    assert_eq!((&back.from_snapshot_id, back.turn.unwrap().number), (&ids[1], 2));
    assert_eq!(back.undone, Some(Undone { turns: vec![3], unsaved: false }));
    let undoing = SnapshotSelector::Ref(back.safety_ref.unwrap());
    assert_eq!(rewind(&host, serde_json::to_value(undoing).unwrap()).unwrap().undone, None);
    rewind(&host, json!("turn:2")).unwrap();
    // Changes since the last turn are undone first.
    set_tree(&world, "sess", trees[0].clone());
    let back = undo(&host, 1).unwrap();
    assert_eq!(back.undone, Some(Undone { turns: vec![], unsaved: true }));
    assert_eq!((&back.from_snapshot_id, back.turn.unwrap().number), (&ids[1], 2));
    set_tree(&world, "sess", trees[2].clone());
    let back = undo(&host, 2).unwrap();
    assert_eq!(back.undone, Some(Undone { turns: vec![2], unsaved: true }));
    assert_eq!(back.from_snapshot_id, ids[0]);
    // The first turn began with no files that could be brought back.
    set_tree(&world, "sess", trees[0].clone());
    let refused = undo(&host, 1).unwrap_err();
    assert_eq!(
        (refused.code, &refused.details.unwrap()["turns"]),
        (ErrorCode::NotFound, &json!(0))
    );
    assert_eq!(undo(&host, 0).unwrap_err().code, ErrorCode::InvalidArgument);
    let tool =
        crate::world::call(&host, "workspace_rewind", json!({ "turns": 1, "ref": "turn:1" }));
    assert_eq!(tool, Err(ErrorCode::InvalidArgument));
    let tool = crate::world::call(&host, "workspace_rewind", json!({ "turns": 1 }));
    assert_eq!(tool, Err(ErrorCode::NotFound));
}

#[test]
fn a_workspace_made_anew_has_no_turn_to_undo() {
    let world = World::new();
    world.steady.set(true);
    let config = json!({ "destroyOnClose": true });
    let host = world.open_with("sess", config.clone());
    content(&host);
    turn_of_tree(&world, &host, &project());
    now(host.close()).unwrap();
    let host = world.open_with("sess", config);
    assert_eq!(content(&host), "");
    set_tree(&world, "sess", MemoryTree::default());
    assert_eq!(undo(&host, 1).unwrap_err().code, ErrorCode::NotFound);
}

/// Three turns. The answer to the second save is lost: its turn is recovered after the third.
fn with_a_late_turn(between: impl Fn(&World, &Session)) -> (World, Session, [BackupId; 3]) {
    let mut trees = [project(), project(), project()];
    trees[1].put("src/new.txt", "new\n", LONG_AGO + 1);
    trees[2].put("src/new.txt", "new\n", LONG_AGO + 1);
    trees[2].put("src/a.txt", "changed\n", LONG_AGO + 1);
    for nth in 0.. {
        let world = World::new();
        world.steady.set(true);
        let host = world.open_with("sess", json!({ "autosave": false }));
        content(&host);
        let first = turn_of_tree(&world, &host, &trees[0]);
        set_tree(&world, "sess", trees[1].clone());
        world.write("sess", "the second turn");
        world.faults.arm(nth, Fault::ErrorAfter);
        let broken = now(host.save_turn(SaveTurnRequest::default(), &Abort::default()));
        assert!(world.faults.disarm(), "no step writes it");
        if world.faults.trace()[nth] != "putMeta" {
            continue;
        }
        assert!(broken.is_err());
        world.clock.advance(1_000);
        between(&world, &host);
        let third = turn_of_tree(&world, &host, &trees[2]);
        assert_eq!(numbers(&host), [3, 1]);
        now(host.recover()).unwrap();
        let turn = "SELECT snapshot_id FROM turns WHERE number = 2";
        let second = world.database.run(turn, &[]).unwrap()[0]["snapshot_id"].clone();
        let second: BackupId = serde_json::from_value(second).unwrap();
        put_archive(&world, &second, &trees[1]);
        return (world, host, [first, second, third]);
    }
    unreachable!()
}

#[test]
fn a_turn_that_is_recovered_late_stands_before_the_next_one() {
    let (_world, host, [first, second, third]) = with_a_late_turn(|_, _| {});
    let turns = timeline(&host).turns;
    let places: Vec<_> = turns
        .iter()
        .map(|turn| (turn.turn.number, Some(&turn.snapshot_id), turn.before_snapshot_id.as_ref()))
        .collect();
    let expected = [
        (3, Some(&third), Some(&second)),
        (2, Some(&second), Some(&first)),
        (1, Some(&first), None),
    ];
    assert_eq!(places, expected);
    assert!(turns[0].at > turns[1].at && turns[1].at > turns[2].at);
    let added = |at: usize| turns[at].changes.as_ref().unwrap().counts.as_ref().unwrap().added;
    assert_eq!((added(0), added(1)), (0, 1), "compared anew with the files of turn 2");
    let back = undo(&host, 2).unwrap();
    assert_eq!(back.undone, Some(Undone { turns: vec![3, 2], unsaved: false }));
    assert_eq!(back.from_snapshot_id, first);
}

#[test]
fn a_turn_that_is_recovered_after_a_rewind_is_not_where_the_next_one_began() {
    let (_world, host, [first, second, third]) = with_a_late_turn(|world, host| {
        rewind(host, json!("turn:1")).unwrap();
        world.clock.advance(1_000);
    });
    let turns = timeline(&host).turns;
    assert_eq!((turns[0].turn.number, &turns[0].snapshot_id), (3, &third));
    assert_eq!(turns[0].before_snapshot_id.as_ref(), Some(&first));
    assert_eq!((turns[1].turn.number, &turns[1].snapshot_id), (2, &second));
    assert_eq!(turns[1].before_snapshot_id.as_ref(), Some(&first));
}

#[test]
fn a_turn_is_saved_once_and_carries_its_place_in_the_conversation_everywhere() {
    let (world, host) = steady();
    let saved = turn(&world, &host, "a longer first content", json!({ "message": 1 }));
    let id = saved.snapshot.id.clone();
    assert_eq!((saved.snapshot.cause.trigger, saved.unchanged), (SnapshotTrigger::Turn, false));
    let recorded = meta(&world, &id).snapshotter.unwrap().cause.turn.unwrap();
    assert_eq!((recorded.number, cursor_of(&recorded)), (1, json!({ "message": 1 })));
    assert_eq!(saved.snapshot.cause.turn.as_ref(), Some(&recorded));

    let shown = now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap();
    assert_eq!(shown.snapshot.cause.turn.as_ref(), Some(&recorded));
    let hidden = now(host.list(&ListRequest::default())).unwrap();
    assert_eq!(hidden.snapshots, []);
    let all = ListRequest { include_auto: true, ..ListRequest::default() };
    let listed = now(host.list(&all)).unwrap().snapshots;
    assert_eq!(listed[0].snapshot.cause.turn.as_ref(), Some(&recorded));
    let forked = now(host.live_fork(&LiveForkRequest::default(), &Abort::default())).unwrap();
    assert_eq!((&forked.from_snapshot_id, forked.turn.as_ref()), (&id, Some(&recorded)));
    let (kind, named) = (RestoreKind::Branch, selector(json!({ "turn": 1 })));
    let made = now(host.make_workspace(kind, &named, false, &Abort::default())).unwrap();
    assert_eq!(made.turn.as_ref(), Some(&recorded));
    let lineage = now(host.lineage()).unwrap();
    assert!(lineage.text.contains(" turn 1"), "{}", lineage.text);
    let tree = serde_json::to_value(lineage.nodes).unwrap();
    let places = tree.as_array().unwrap();
    let place = places.iter().find(|place| place["id"] == json!(id)).unwrap();
    assert_eq!(place["turn"], serde_json::to_value(&recorded).unwrap());

    world.write("sess", "spoilt");
    let rewound = rewind(&host, json!({ "turn": 1 })).unwrap();
    assert_eq!((&rewound.from_snapshot_id, rewound.turn.as_ref()), (&id, Some(&recorded)));
    assert_eq!(content(&host), "a longer first content");
    world.check_invariants("sess");
}

#[test]
fn a_turn_that_changed_nothing_uploads_nothing_and_is_recorded_all_the_same() {
    let (world, host) = steady();
    let first = turn(&world, &host, "first", json!("m1"));
    let keys = world.bucket.keys();
    world.clock.advance(1_000);
    let second = save_turn(&host, json!("m2"));
    assert!(second.unchanged);
    assert_eq!(second.snapshot.id, first.snapshot.id);
    assert_eq!(world.bucket.keys(), keys);
    assert_eq!(numbers(&host), [2, 1]);
    // The snapshot carries the last place that its files go with; each turn has its own.
    let recorded = meta(&world, &first.snapshot.id).snapshotter.unwrap().cause.turn.unwrap();
    assert_eq!(cursor_of(&recorded), json!("m2"));
    let back = |named: Value| cursor_of(&rewind(&host, named).unwrap().turn.unwrap());
    assert_eq!(back(json!({ "turn": 1 })), json!("m1"));
    assert_eq!(back(json!({ "cursor": "m1" })), json!("m1"));
    assert_eq!(back(json!({ "turn": 2 })), json!("m2"));
    assert_eq!(back(json!(first.snapshot.id)), json!("m2"));
    world.check_invariants("sess");
}

#[test]
fn a_turn_may_end_with_files_that_somebody_else_has_saved() {
    let (world, host) = steady();
    world.write("sess", "asked for");
    let asked = snapshot(&host);
    let kept = save_turn(&host, json!("m1"));
    assert_eq!((&kept.snapshot.id, kept.unchanged), (&asked, true));
    assert_eq!(kept.snapshot.cause.trigger, SnapshotTrigger::Manual, "it stays what it was");
    world.write("sess", "saved by the alarm");
    world.clock.advance(540_000);
    world.recover("sess");
    content(&host);
    let taken_over = save_turn(&host, json!("m2"));
    assert!(taken_over.unchanged);
    assert_eq!(taken_over.snapshot.cause.trigger, SnapshotTrigger::Turn);
    assert_eq!(numbers(&host), [2, 1]);
    world.check_invariants("sess");
}

#[test]
fn turns_after_the_first_are_layers() {
    let (world, host) = steady();
    turn(&world, &host, "a content of which a layer is a small part", json!(1));
    let second = turn(&world, &host, "a content of which a layer is a small part 2", json!(2));
    assert_eq!(second.snapshot.kind, Some(SnapshotKind::Layer));
    rewind(&host, json!({ "turn": 1 })).unwrap();
    rewind(&host, json!({ "turn": 2 })).unwrap();
    assert_eq!(content(&host), "a content of which a layer is a small part 2");
}

#[test]
fn a_rewind_finds_the_named_turn_or_if_asked_the_newest_before_it() {
    let (world, host) = steady();
    let second = |host: &Session| turn(&world, host, "two", json!({ "at": 2 })).snapshot.id;
    turn(&world, &host, "one", json!({ "at": 1 }));
    let gone = second(&host);
    turn(&world, &host, "three", json!({ "at": 3 }));
    let found = rewind(&host, json!({ "cursor": { "at": 2 } })).unwrap();
    assert_eq!(found.from_snapshot_id, gone);
    rewind(&host, json!({ "turn": 3 })).unwrap();
    let options = DeleteOptions { force: true, ..DeleteOptions::default() };
    now(host.delete(&SnapshotSelector::Id(gone), options)).unwrap();
    assert_eq!(numbers(&host), [3, 1]);
    let at_or_before = |turn: u64| json!({ "turn": turn, "atOrBefore": true });
    let before = rewind(&host, at_or_before(2)).unwrap();
    assert_eq!((before.turn.unwrap().number, content(&host).as_str()), (1, "one"));
    let latest = rewind(&host, at_or_before(9_007_199_254_740_991)).unwrap();
    assert_eq!(latest.turn.unwrap().number, 3);
    for (named, nearest) in [
        (json!({ "turn": 0 }), json!(["turn:1"])),
        (json!({ "turn": 2 }), json!(["turn:3", "turn:1"])),
        (json!("turn:99"), json!(["turn:3"])),
        (at_or_before(0), json!(["turn:1"])),
        (json!({ "cursor": { "at": 2 } }), json!(["turn:3", "turn:1"])),
        (json!({ "cursor": 1, "atOrBefore": true }), json!(["turn:3", "turn:1"])),
    ] {
        let error = rewind(&host, named).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
        assert_eq!(error.details.unwrap()["nearest"], nearest);
        assert!(error.hint.unwrap().contains("listTurns"));
    }
    assert_eq!(content(&host), "three", "nothing was rewound");
    // One cursor twice: the newest turn that has it.
    turn(&world, &host, "four", json!({ "at": 1 }));
    assert_eq!(rewind(&host, json!({ "cursor": { "at": 1 } })).unwrap().turn.unwrap().number, 4);
}

#[test]
fn an_expired_turn_is_passed_over_for_an_earlier_one_if_asked() {
    let (world, host) = steady();
    let first = turn(&world, &host, "one", json!(1)).snapshot.id;
    let edit = serde_json::from_value(json!({ "pinned": true })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(first), &edit)).unwrap();
    turn(&world, &host, "two", json!(2));
    world.clock.advance(31 * 86_400_000);
    let turns = timeline(&host).turns;
    let restorable: Vec<bool> = turns.iter().map(|turn| turn.restorable).collect();
    assert_eq!(restorable, [false, true]);
    let made = |named| {
        let named = selector(named);
        now(host.make_workspace(RestoreKind::Restored, &named, false, &Abort::default()))
    };
    assert_eq!(made(json!("turn:2")).unwrap_err().code, ErrorCode::SnapshotExpired);
    let before = made(json!({ "turn": 2, "atOrBefore": true })).unwrap();
    assert_eq!(before.turn.unwrap().number, 1);
}

#[test]
fn only_the_latest_turns_stay_and_what_they_leave_goes_like_an_autosave() {
    let world = World::new();
    world.steady.set(true);
    let retention = json!({ "retention": { "keepTurns": 3, "keepAutosaves": 0 } });
    let host = world.open_with("sess", retention);
    content(&host);
    let ids: Vec<BackupId> =
        (0..6).map(|at| turn(&world, &host, &format!("v{at}"), json!(at)).snapshot.id).collect();
    // Two turns without changes push out others all the same.
    save_turn(&host, json!(6));
    assert_eq!(numbers(&host), [7, 6, 5]);
    now(host.retain()).unwrap();
    let state = |id: &BackupId| {
        let shown = now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap();
        shown.snapshot.restorable
    };
    let left: Vec<bool> = ids.iter().map(state).collect();
    assert_eq!(left, [false, false, false, false, true, true]);
    world.recover("sess");
    world.check_invariants("sess");
}

#[test]
fn keep_rules_and_the_interval_are_for_snapshots_that_are_asked_for() {
    let world = World::new();
    world.steady.set(true);
    let retention = json!({ "keepLast": 1, "minIntervalSeconds": 3600, "maxCount": 4 });
    let host = world.open_with("sess", json!({ "retention": retention }));
    content(&host);
    world.write("sess", "asked for");
    let asked = snapshot(&host);
    for at in 0..5 {
        turn(&world, &host, &format!("v{at}"), json!(at));
    }
    now(host.retain()).unwrap();
    world.recover("sess");
    // Limits take turns before what was asked for.
    assert_eq!(numbers(&host), [5, 4, 3]);
    assert!(now(host.get(&SnapshotSelector::Id(asked), false)).unwrap().snapshot.restorable);
}

#[test]
fn a_published_turn_is_one_that_was_asked_for_and_tells_others_its_place() {
    let (world, host) = steady();
    let saved = turn(&world, &host, "one", json!({ "message": 1 }));
    let edit = serde_json::from_value(json!({ "published": true })).unwrap();
    let published =
        now(host.update_snapshot(&SnapshotSelector::Ref(saved.r#ref.clone()), &edit)).unwrap();
    assert_eq!(published.snapshot.cause.trigger, SnapshotTrigger::Manual);
    let theirs = world.other_session().open("other");
    let (kind, named) = (RestoreKind::Branch, SnapshotSelector::Ref(saved.r#ref));
    let made = now(theirs.make_workspace(kind, &named, false, &Abort::default())).unwrap();
    assert_eq!(cursor_of(&made.turn.unwrap()), json!({ "message": 1 }));
    assert_eq!(numbers(&theirs), [] as [u64; 0]);
}

#[test]
fn what_is_no_cursor_or_label_is_refused_before_anything_is_saved() {
    let (world, host) = steady();
    for (cursor, label) in [
        (Some(json!("x".repeat(4_096))), None),
        (None, Some(String::new())),
        (None, Some("x".repeat(129))),
    ] {
        let cursor = cursor.map(|cursor| serde_json::from_value(cursor).unwrap());
        let request = SaveTurnRequest { cursor, label, expected_active: None };
        let error = now(host.save_turn(request, &Abort::default())).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
    }
    assert_eq!(world.bucket.keys(), [] as [String; 0]);
    assert_eq!(numbers(&host), [] as [u64; 0]);
}

#[test]
fn a_rebuilt_session_has_its_turns_and_goes_on_counting() {
    let (world, host) = steady();
    turn(&world, &host, "one", json!(1));
    turn(&world, &host, "two", json!(2));
    let empty = world.other_session();
    let host = empty.open("sess");
    now(host.rebuild(None, None)).unwrap();
    assert_eq!(numbers(&host), [2, 1]);
    content(&host);
    let third = turn(&empty, &host, "three", json!(3));
    assert_eq!(third.snapshot.cause.turn.unwrap().number, 3);
    let rewound = rewind(&host, json!({ "cursor": 2 })).unwrap();
    assert_eq!(rewound.turn.unwrap().number, 2);
    assert_eq!(content(&host), "two");
}

/// Ends a turn with this tree.
fn turn_of(world: &World, host: &Session, tree: &MemoryTree, number: u64) {
    let saved = turn(world, host, &format!("tree {number}"), json!(number)).snapshot;
    let archive = tree.archive();
    let mut meta = meta(world, &saved.id);
    meta.size_bytes = archive.len() as u64;
    world.sql(&format!(
        "UPDATE snapshots SET size_bytes = {} WHERE id = '{}'",
        meta.size_bytes, saved.id
    ));
    let mut objects = world.bucket.objects.borrow_mut();
    objects.insert(meta_key(&saved.id), meta.to_bytes().unwrap());
    objects.insert(archive_key(&saved.id, SnapshotKind::Full), archive);
}

#[test]
fn the_timeline_says_what_each_turn_changed_and_reads_it_once() {
    let (world, host) = steady();
    world.layers.set(false);
    let mut tree = project();
    turn_of(&world, &host, &tree, 1);
    tree.put("src/a.txt", "changed\n", LONG_AGO + 1);
    tree.put("src/new.txt", "new\n", LONG_AGO + 1);
    tree.put("ignored/x", "2", LONG_AGO + 1);
    turn_of(&world, &host, &tree, 2);
    save_turn(&host, json!("nothing new"));
    let turns = serde_json::to_value(timeline(&host).turns).unwrap();
    assert_eq!(
        turns[0]["changes"]["counts"],
        json!({
            "added": 0, "removed": 0, "modified": 0, "renamed": 0, "access": 0,
        })
    );
    assert_eq!(
        turns[1]["changes"],
        json!({
            "counts": { "added": 1, "removed": 0, "modified": 1, "renamed": 0, "access": 0 },
            "paths": [
                { "path": "src/a.txt", "change": "modified" },
                { "path": "src/new.txt", "change": "added" },
            ],
        })
    );
    assert_eq!(turns[2]["changes"]["counts"]["added"], json!(5), "it began empty");
    assert_eq!(turns[0]["beforeSnapshotId"], turns[0]["snapshotId"], "nothing new");
    assert_eq!(turns[1]["beforeSnapshotId"], turns[2]["snapshotId"]);
    assert_eq!(turns[2].get("beforeSnapshotId"), None);
    let read =
        |world: &World| world.faults.trace().iter().filter(|name| *name == "readRange").count();
    let reads = read(&world);
    assert_eq!(serde_json::to_value(timeline(&host).turns).unwrap(), turns);
    assert_eq!(read(&world), reads);
    // The turn after a rewind changed what it was rewound to.
    rewind(&host, json!({ "turn": 1 })).unwrap();
    tree.0.remove(&b"src/new.txt"[..]);
    turn_of(&world, &host, &tree, 4);
    let turns = serde_json::to_value(timeline(&host).turns).unwrap();
    assert_eq!(
        turns[0]["changes"]["paths"],
        json!([{ "path": "src/a.txt", "change": "modified" }])
    );
}

#[test]
fn turns_whose_files_before_are_gone_keep_no_other_from_being_compared() {
    let (world, host) = steady();
    world.layers.set(false);
    let mut tree = project();
    for number in 1..=24 {
        tree.put("src/a.txt", &format!("{number}\n"), LONG_AGO + i64::try_from(number).unwrap());
        turn_of(&world, &host, &tree, number);
    }
    for number in (4..=24).step_by(2) {
        let options = DeleteOptions { force: true, ..DeleteOptions::default() };
        let named = selector(json!({ "turn": number }));
        assert!(now(host.delete(&named, options)).unwrap().deleted);
    }
    let turns = timeline(&host).turns;
    let known: Vec<u64> =
        turns.iter().filter(|turn| turn.changes.is_some()).map(|turn| turn.turn.number).collect();
    assert_eq!((turns.len(), known), (13, vec![3, 2, 1]));
}

#[test]
fn a_page_of_the_timeline_begins_where_the_last_one_ended() {
    let (world, host) = steady();
    for at in 1..=5 {
        turn(&world, &host, &format!("v{at}"), json!(at));
    }
    let mut found = Vec::new();
    let mut cursor = None;
    loop {
        let request = TimelineRequest { limit: Some(2), cursor };
        let page = now(host.timeline(&request)).unwrap();
        found.extend(page.turns.iter().map(|turn| turn.turn.number));
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(found, [5, 4, 3, 2, 1]);
    let none = TimelineRequest { limit: Some(0), cursor: None };
    assert_eq!(now(host.timeline(&none)).unwrap_err().code, ErrorCode::InvalidArgument);
}
