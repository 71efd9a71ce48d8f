//! Edits of snapshots' metadata, in the catalogue and in `meta.json`.

use crate::support::faults::Fault;
use crate::world::{World, call_tool, now, snapshot};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::maybe_done;
use serde_json::{Value, json};
use snapshotter::api::operation::ListArgs;
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::limits::TTL_MAX_SECS;
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::{data_key, meta_key};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::time::rfc3339;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{
    Abort, DeleteOptions, Session, SnapshotEdit, SnapshotPage, SnapshotView,
};

fn by_id(id: &BackupId) -> SnapshotSelector {
    SnapshotSelector::Id(id.clone())
}

fn update(host: &Session, id: &BackupId, edit: Value) -> Result<SnapshotView, Error> {
    let edit: SnapshotEdit = serde_json::from_value(edit).unwrap();
    now(host.update_snapshot(&by_id(id), &edit))
}

fn get(host: &Session, id: &BackupId) -> SnapshotView {
    now(host.get(&by_id(id), false)).unwrap()
}

fn meta(world: &World, id: &BackupId) -> BackupMeta {
    BackupMeta::parse(id, &world.bucket.objects.borrow()[&meta_key(id)]).unwrap()
}

fn try_list(host: &Session, args: Value) -> Result<SnapshotPage, Error> {
    let args: ListArgs =
        serde_json::from_value(args).map_err(|error| Error::invalid("args", error))?;
    now(host.list(&args.try_into()?))
}

fn list(host: &Session, args: Value) -> Vec<String> {
    let listed = try_list(host, args).unwrap().snapshots;
    listed.into_iter().map(|row| row.snapshot.annotations.name.unwrap()).collect()
}

#[test]
fn an_edit_is_in_the_catalogue_and_in_the_bucket() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    let expires_ms = world.clock.now_ms() + 999_500;
    let edit = json!({
        "name": "v1", "description": "first", "labels": { "tests": "pass", "env": "ci" },
        "expiresAt": rfc3339(expires_ms),
    });
    let view = update(&host, &id, edit).unwrap();
    assert_eq!(view, get(&host, &id));
    assert_eq!(view.snapshot.expires_at, rfc3339(expires_ms + 500), "whole seconds, not fewer");
    let stored = meta(&world, &id);
    assert_eq!((stored.name.as_deref(), stored.ttl), (Some("v1"), 1_000));
    let ours = stored.snapshotter.unwrap();
    assert_eq!(ours.annotations.description.as_deref(), Some("first"));
    assert_eq!(ours.annotations.labels.get("tests"), Some("pass"));

    let edit = json!({ "clear": ["name", "labels.env", "expiresAt"], "labels": { "x": "" } });
    let view = update(&host, &id, edit).unwrap();
    assert_eq!(
        (view.snapshot.annotations.name, view.snapshot.annotations.description),
        (None, Some("first".to_owned()))
    );
    assert_eq!(
        serde_json::to_value(&view.snapshot.annotations.labels).unwrap(),
        json!({ "tests": "pass", "x": "" })
    );
    assert_eq!((meta(&world, &id).name, meta(&world, &id).ttl), (None, TTL_MAX_SECS));
    let kinds = host.list_events(None, None).unwrap().events;
    assert_eq!(kinds.iter().filter(|event| event.kind == "snapshot.updated").count(), 2);
    world.check_invariants("sess");
}

#[test]
fn an_edit_that_changes_nothing_writes_nothing() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    update(&host, &id, json!({})).unwrap();
    update(&host, &id, json!({ "pinned": false, "clear": ["name"], "expiresAt": null })).unwrap();
    assert!(!world.faults.trace().contains(&"replace".to_owned()));
    assert_eq!(host.list_events(Some(1), None).unwrap().events[0].kind, "snapshot.created");
}

#[test]
fn bad_edits_are_refused_and_change_nothing() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    let before = get(&host, &id);
    let soon = rfc3339(world.clock.now_ms() + 60_000);
    let too_far = rfc3339(world.clock.now_ms() + 10_000 + 1_000 * TTL_MAX_SECS as i64);
    for (edit, says) in [
        (json!({ "name": "" }), "name"),
        (json!({ "name": "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db" }), "UUID"),
        (json!({ "description": "x".repeat(1_025) }), "description"),
        (json!({ "expiresAt": "tomorrow" }), "expiresAt"),
        (json!({ "expiresAt": soon }), "61 seconds"),
        (json!({ "expiresAt": too_far }), "ten years"),
    ] {
        let error = update(&host, &id, edit).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.message.contains(says), "{error}");
    }
    for unread in [
        json!({ "state": "ready" }),
        json!({ "labels": { "a b": "x" } }),
        json!({ "clear": ["pinned"] }),
        json!({ "clear": ["labels."] }),
    ] {
        assert!(serde_json::from_value::<SnapshotEdit>(unread.clone()).is_err(), "{unread}");
    }
    assert_eq!(get(&host, &id), before);
}

#[test]
fn a_name_moves_only_when_asked_and_leaves_the_old_record_too() {
    let world = World::new();
    let host = world.open("sess");
    let (old, new) = (snapshot(&host), snapshot(&host));
    update(&host, &old, json!({ "name": "best" })).unwrap();
    let refused = update(&host, &new, json!({ "name": "best" })).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert!(refused.hint.is_some());
    update(&host, &old, json!({ "name": "best" })).unwrap();
    update(&host, &new, json!({ "name": "best", "replace": true })).unwrap();
    assert_eq!(get(&host, &old).snapshot.annotations.name, None);
    assert_eq!(meta(&world, &old).name, None);
    assert_eq!(meta(&world, &new).name.as_deref(), Some("best"));
    assert_eq!(
        now(host.get(&SnapshotSelector::Name("best".into()), false)).unwrap().snapshot.id,
        new
    );
}

#[test]
fn a_pinned_snapshot_outlives_its_time_and_gets_it_back() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "retention": { "ttlSeconds": 259_200 } }));
    let id = snapshot(&host);
    let expires_at = get(&host, &id).snapshot.expires_at;
    update(&host, &id, json!({ "pinned": true })).unwrap();
    assert_eq!(meta(&world, &id).ttl, TTL_MAX_SECS, "also for readers who know of no pins");
    world.clock.advance(400_000_000);
    let view = get(&host, &id);
    assert!(view.snapshot.restorable && view.snapshot.state == ShownState::Ready);
    assert!(
        now(host.make_workspace(RestoreKind::Branch, &by_id(&id), false, &Abort::default()))
            .is_ok()
    );
    let view = update(&host, &id, json!({ "pinned": false })).unwrap();
    assert_eq!((view.snapshot.expires_at, view.snapshot.state), (expires_at, ShownState::Expired));
    assert_eq!(view.snapshot.unrestorable_because, Some(ErrorCode::SnapshotExpired));
    assert_eq!(meta(&world, &id).ttl, 259_200);
    // While an expired snapshot exists, its expiry can still be changed.
    assert!(update(&host, &id, json!({ "clear": ["expiresAt"] })).unwrap().snapshot.restorable);
}

#[test]
fn only_ready_snapshots_of_ones_own_are_edited() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    let other = world.other_session().open("other");
    let crossing = update(&other, &id, json!({ "name": "mine" })).unwrap_err();
    assert_eq!(crossing.code, ErrorCode::SnapshotNotOwned);
    now(host.delete(&by_id(&id), DeleteOptions::default())).unwrap();
    let gone = update(&host, &id, json!({ "name": "late" })).unwrap_err();
    assert_eq!(gone.code, ErrorCode::SnapshotGone);
    assert_eq!(world.bucket.keys(), [""; 0], "an edit brings nothing back");
    let reading =
        world.other_session().open_with("reads", json!({ "capabilities": { "readOnly": true } }));
    assert_eq!(update(&reading, &id, json!({})).unwrap_err().code, ErrorCode::Forbidden);
}

#[test]
fn an_edit_never_brings_back_what_is_deleted_meanwhile() {
    let world = World::new();
    // Otherwise the alarm would save the workspace again.
    let host = world.open_with("sess", json!({ "autosave": false }));
    let older = snapshot(&host);
    let id = snapshot(&host);
    // The delete happens between the edit's read of meta.json and its write.
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    update(&host, &id, json!({ "name": "probe" })).unwrap();
    let trace = world.faults.trace();
    world.faults.disarm();
    let replace = trace.iter().position(|effect| effect == "replace").unwrap();
    world.faults.arm(replace, Fault::CrashBefore);
    let edit: SnapshotEdit = serde_json::from_value(json!({ "name": "late" })).unwrap();
    assert!(host.update_snapshot(&by_id(&id), &edit).now_or_never().is_none());
    world.faults.disarm();
    world.bucket.objects.borrow_mut().retain(|key, _| !key.contains(id.as_str()));
    world.recover("sess");
    assert_eq!(world.bucket.keys(), [data_key(&older), meta_key(&older)]);
    let view = get(&world.host("sess"), &id);
    assert_eq!(
        (view.snapshot.state, view.snapshot.unrestorable_because),
        (ShownState::Failed, Some(ErrorCode::SnapshotGone))
    );
    assert_eq!(
        world.host("sess").list_events(Some(1), None).unwrap().events[0].kind,
        "snapshot.lost"
    );
    world.check_invariants("sess");
}

#[test]
fn where_the_bucket_does_not_answer_the_edit_holds_and_follows() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    world.faults.arm(1, Fault::ErrorBefore);
    let view = update(&host, &id, json!({ "name": "kept" })).unwrap();
    assert!(world.faults.disarm());
    assert_eq!(
        (view.snapshot.annotations.name.as_deref(), meta(&world, &id).name),
        (Some("kept"), None)
    );
    assert!(world.log.0.borrow().iter().any(|line| line.event == "snapshot.unsynced"));
    world.recover("sess");
    assert_eq!(meta(&world, &id).name.as_deref(), Some("kept"));
}

#[test]
fn what_others_wrote_into_meta_json_stays() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    let mut found: Value =
        serde_json::from_slice(&world.bucket.objects.borrow()[&meta_key(&id)]).unwrap();
    found["theirs"] = json!([1]);
    found["snapshotter"]["later"] = json!("x");
    let bytes = serde_json::to_vec(&found).unwrap();
    world.bucket.objects.borrow_mut().insert(meta_key(&id), bytes);
    update(&host, &id, json!({ "name": "v1" })).unwrap();
    found["name"] = json!("v1");
    found["snapshotter"]["renews"] = json!(true);
    let after: Value =
        serde_json::from_slice(&world.bucket.objects.borrow()[&meta_key(&id)]).unwrap();
    assert_eq!(after, found);
}

#[test]
fn snapshots_are_found_by_name_label_kind_and_time() {
    let world = World::new();
    let host = world.open_with(
        "sess",
        json!({ "capabilities": { "fs": true, "snapshot": { "crossSession": true } } }),
    );
    let start_ms = world.clock.now_ms();
    for (name, labels) in [
        ("a", json!({ "env": "ci", "tests": "pass" })),
        ("b", json!({ "env": "ci" })),
        ("c", json!({ "env.x": "ci" })),
    ] {
        let input = json!({ "name": name, "labels": labels });
        now(call_tool(&host, "workspace_snapshot", input, &Abort::default())).unwrap();
        world.clock.advance(10_000);
    }
    let second = rfc3339(start_ms + 10_000);
    for (args, expected) in [
        (json!({}), &["c", "b", "a"][..]),
        (json!({ "name": "b" }), &["b"]),
        (json!({ "labels": ["env"] }), &["b", "a"]),
        (json!({ "labels": ["env=ci", "tests"] }), &["a"]),
        (json!({ "labels": ["env=prod"] }), &[]),
        (json!({ "labels": ["env.x=ci"] }), &["c"]),
        (json!({ "kind": "full" }), &["c", "b", "a"]),
        (json!({ "createdAfter": second }), &["c", "b"]),
        (json!({ "createdBefore": second }), &["a"]),
        (json!({ "createdAfter": second, "limit": 1 }), &["c"]),
    ] {
        assert_eq!(list(&host, args.clone()), expected, "{args}");
        let mut across = args.clone();
        across["allowCrossSession"] = json!(true);
        across["limit"] = json!(100);
        let mut found = list(&host, across);
        found.sort();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        if args.get("limit").is_none() {
            assert_eq!(found, expected, "across, {args}");
        }
    }
    let nine: Vec<String> = (0..9).map(|number| format!("k{number}")).collect();
    for bad in [
        json!({ "labels": ["=x"] }),
        json!({ "kind": "delta" }),
        json!({ "createdAfter": "now" }),
        json!({ "labels": nine }),
    ] {
        let answer = try_list(&host, bad.clone());
        assert_eq!(answer.unwrap_err().code, ErrorCode::InvalidArgument, "{bad}");
    }
}

#[test]
fn the_tool_edits_and_cannot_take_a_name() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    let call =
        |input: Value| now(call_tool(&host, "workspace_update_snapshot", input, &Abort::default()));
    let answer =
        call(json!({ "ref": id, "name": "v1", "labels": { "a": "1" }, "pinned": true })).unwrap();
    assert_eq!(answer["snapshot"]["labels"], json!({ "a": "1" }));
    assert_eq!(answer["snapshot"]["pinned"], true);
    for bad in [
        json!({ "name": "v2" }),
        json!({ "ref": id, "replace": true }),
        json!({ "ref": id, "surprise": 1 }),
        json!({ "ref": id, "labels": ["a"] }),
        json!({ "ref": id, "clear": ["pinned"] }),
    ] {
        assert_eq!(call(bad.clone()).unwrap_err().code, ErrorCode::InvalidArgument, "{bad}");
    }
    // A model in a vendor's strict mode fills every field.
    let filled = json!({ "ref": id, "name": "", "description": null, "labels": [], "clear": [], "expiresAt": "" });
    assert_eq!(call(filled).unwrap()["snapshot"]["name"], "v1");
    let cleared = json!({ "ref": id, "clear": ["name", "labels"], "labels": ["b=2=3"] });
    let cleared = call(cleared).unwrap();
    assert_eq!(cleared["snapshot"]["name"], Value::Null);
    assert_eq!(cleared["snapshot"]["labels"], json!({ "b": "2=3" }));
    assert!(world.bucket.objects.borrow().contains_key(&data_key(&id)));
}

#[test]
fn the_lineage_shows_where_one_is_and_what_that_came_from() {
    let world = World::new();
    let host = world.open("sess");
    let call =
        |tool: &str, input: Value| now(call_tool(&host, tool, input, &Abort::default())).unwrap();
    let first = snapshot(&host);
    let branch = call("workspace_branch", json!({ "ref": first }))["ref"]["ref"]["id"].clone();
    call("workspace_snapshot", json!({ "name": "tried" }));
    // A deleted snapshot stays in the lineage if something came from it.
    let alone = snapshot(&host);
    for gone in [&first, &alone] {
        world.sql(&format!("UPDATE snapshots SET state = 'deleted' WHERE id = '{gone}'"));
    }
    let shown = call("workspace_lineage", json!({}));
    let nodes = shown["nodes"].as_array().unwrap();
    let ids: Vec<&str> = nodes.iter().map(|node| node["id"].as_str().unwrap()).collect();
    assert_eq!(ids[..3], ["sess", first.as_str(), branch.as_str().unwrap()]);
    assert_eq!((nodes.len(), &nodes[3]["name"]), (4, &json!("tried")));
    assert_eq!((&nodes[1]["state"], &nodes[2]["current"]), (&json!("deleted"), &json!(true)));
    let text = shown["text"].as_str().unwrap();
    assert!(text.contains(&format!("    workspace {} (branch) <- you are here", ids[2])), "{text}");
    assert_eq!(shown["truncated"], false);
}

/// Also if the second edit undoes the first: then `meta.json` has the second's state
/// already while the first is being written.
#[test]
fn of_edits_at_once_the_bucket_has_each() {
    let pairs = [
        [json!({ "labels": { "tests": "pass" } }), json!({ "clear": ["name"] })],
        [json!({ "pinned": true }), json!({ "pinned": false })],
    ];
    for (pair, later) in pairs.iter().flat_map(|pair| (0..12).map(move |later| (pair, later))) {
        let world = World::new();
        let host = world.open("sess");
        let id = snapshot(&host);
        update(&host, &id, json!({ "name": "before" })).unwrap();
        let edits = pair.clone().map(|edit| serde_json::from_value::<SnapshotEdit>(edit).unwrap());
        let named = by_id(&id);
        world.faults.slow.set(true);
        let mut first = Box::pin(maybe_done(host.update_snapshot(&named, &edits[0])));
        let mut second = Box::pin(maybe_done(host.update_snapshot(&named, &edits[1])));
        // The second edit goes as far as it can while the first is paused.
        for _ in 0..later {
            let _ = first.as_mut().now_or_never();
        }
        for _ in 0..30 {
            let _ = second.as_mut().now_or_never();
        }
        block_on(async { futures::join!(first.as_mut(), second.as_mut()) });
        world.faults.slow.set(false);
        first.as_mut().take_output().unwrap().unwrap();
        second.as_mut().take_output().unwrap().unwrap();
        world.recover("sess");
        let (said, is) = (meta(&world, &id), get(&host, &id).snapshot);
        let ours = said.snapshotter.unwrap();
        assert_eq!(said.name, is.annotations.name, "{pair:?} after {later}");
        assert_eq!(ours.annotations.labels, is.annotations.labels, "{pair:?} after {later}");
        assert_eq!(ours.unpinned_ttl.is_some(), is.pinned, "{pair:?} after {later}");
    }
}

#[test]
fn a_name_of_white_space_is_given_no_more_and_kept_where_it_was() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    let error = update(&host, &id, json!({ "name": " " })).unwrap_err();
    assert_eq!(error.details, Some(json!({ "field": "name" })));
    world.sql("UPDATE snapshots SET name = ' '");
    update(&host, &id, json!({ "description": "blank" })).unwrap();
    assert_eq!(meta(&world, &id).name.as_deref(), Some(" "));
    assert_eq!(now(host.get(&SnapshotSelector::Name(" ".into()), false)).unwrap().snapshot.id, id);
    world.sql("DELETE FROM snapshots");
    now(world.host("sess").rebuild(None, None)).unwrap();
    assert_eq!(get(&host, &id).snapshot.annotations.name.as_deref(), Some(" "));
}

#[test]
fn a_snapshot_has_a_history_of_its_own_by_pages() {
    let world = World::new();
    let host = world.open("sess");
    let (id, other) = (snapshot(&host), snapshot(&host));
    update(&host, &id, json!({ "name": "v1" })).unwrap();
    now(host.make_workspace(RestoreKind::Branch, &by_id(&id), false, &Abort::default())).unwrap();
    let page = |selector: &SnapshotSelector, limit, cursor: Option<&str>| {
        let page = host.list_snapshot_events(selector, limit, cursor).unwrap();
        let kinds: Vec<String> = page.events.into_iter().map(|event| event.kind).collect();
        (kinds, page.next_cursor)
    };
    let whole = ["workspace.branched", "snapshot.updated", "snapshot.created"];
    assert_eq!(page(&by_id(&id), None, None), (whole.map(str::to_owned).to_vec(), None));
    let named = SnapshotSelector::Name("v1".to_owned());
    let (first, cursor) = page(&named, Some(2), None);
    let (rest, end) = page(&named, Some(2), cursor.as_deref());
    assert_eq!(([first, rest].concat(), end), (whole.map(str::to_owned).to_vec(), None));
    assert_eq!(page(&by_id(&other), None, None).0, ["snapshot.created"]);

    now(host.delete(&by_id(&id), DeleteOptions { force: true, ..DeleteOptions::default() }))
        .unwrap();
    assert_eq!(
        page(&by_id(&id), Some(1), None).0,
        ["snapshot.deleted"],
        "deleted ones have theirs"
    );
    let stranger = by_id(&BackupId::from_random([9; 16]));
    let refused = host.list_snapshot_events(&stranger, None, None).unwrap_err();
    assert_eq!(refused.code, ErrorCode::SnapshotNotOwned);
}
