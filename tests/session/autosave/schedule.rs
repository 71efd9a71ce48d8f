//! Automatic saves.

use super::{MINUTE_MS, all, call, kinds, pass, read, take, used};

use crate::support::faults::Fault;
use crate::world::{World, call_tool, now, yield_once};
use futures::FutureExt;
use futures::executor::block_on;
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::SnapshotTrigger;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::alarm::Alarm;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{
    Abort, DeleteOptions, ListRequest, Session, SnapshotEdit, SnapshotRequest,
};

#[test]
fn a_command_that_is_told_of_keeps_its_container_and_its_files_saved() {
    let (world, host) = used(json!({ "autosave": { "everyMs": 5 * MINUTE_MS } }));
    world.streaming.set(true);
    pass(&world, &host, 30 * MINUTE_MS);
    assert!(world.disk("sess").is_some(), "it is in use for as long as it runs");
    assert!(!all(&host).is_empty(), "and saved meanwhile");
    world.streaming.set(false);
    pass(&world, &host, 6 * MINUTE_MS);
    assert_eq!(world.disk("sess"), None, "it sleeps");
}

#[test]
fn a_workspace_used_left_to_sleep_and_used_again_shows_every_file_it_had() {
    let (world, host) = used(json!({}));
    pass(&world, &host, 9 * MINUTE_MS);
    assert!(world.disk("sess").is_some(), "it is not idle yet");
    pass(&world, &host, 2 * MINUTE_MS);
    assert_eq!(world.disk("sess"), None, "it sleeps");
    assert_eq!(kinds(&host)[0], "workspace.slept");
    let saved = all(&host);
    assert_eq!((saved.len(), saved[0].cause.trigger), (1, SnapshotTrigger::Auto));
    let woken = read(&host);
    assert_eq!(woken["stdout"], "work");
    assert_eq!(woken["woken"]["fromSnapshotId"], json!(saved[0].id));
    world.check_invariants("sess");
}

#[test]
fn an_unchanged_workspace_uploads_nothing() {
    let (world, host) = used(json!({}));
    let id = take(&host, SnapshotRequest::default()).snapshot.id;
    let keys = world.bucket.keys();
    for _ in 0..3 {
        read(&host);
        pass(&world, &host, 11 * MINUTE_MS);
        assert_eq!(world.disk("sess"), None);
        assert_eq!(world.bucket.keys(), keys);
    }
    assert_eq!(all(&host).into_iter().map(|row| row.id).collect::<Vec<_>>(), [id]);
    assert!(!kinds(&host).contains(&"snapshot.failed".to_owned()));
}

#[test]
fn a_busy_workspace_is_saved_every_15_minutes_and_as_many_are_kept_as_the_policy_says() {
    let (world, host) = used(json!({ "retention": { "keepAutosaves": 2 } }));
    let mut last: Option<BackupId> = None;
    for round in 0..5 {
        for _ in 0..4 {
            pass(&world, &host, 4 * MINUTE_MS);
            read(&host);
            world.write("sess", &format!("work {round}"));
        }
        let saved = all(&host);
        // The head, and the autosaves that are kept beside it.
        assert_eq!(saved.len(), 3.min(round + 1), "{saved:?}");
        assert_ne!(last.replace(saved[0].id.clone()), Some(saved[0].id.clone()));
    }
    assert!(kinds(&host).contains(&"snapshot.pruned".to_owned()), "with its reason");
    assert!(world.disk("sess").is_some());
    world.kill("sess");
    let woken = read(&host);
    assert!(woken["stdout"].as_str().unwrap().starts_with("work"), "{woken}");
    assert!(woken["woken"]["ageSeconds"].as_i64().unwrap() <= 16 * 60, "{woken}");
    world.check_invariants("sess");
}

#[test]
fn it_can_be_configured_and_turned_off() {
    let (world, host) = used(json!({ "autosave": false }));
    pass(&world, &host, 24 * 60 * MINUTE_MS);
    assert!(world.disk("sess").is_some(), "the platform stops it, not the host");
    assert_eq!(all(&host), []);
    let config = serde_json::from_value(json!({ "autosave": { "everyMs": 60_000 } }));
    now(host.open(config.unwrap())).unwrap();
    read(&host);
    pass(&world, &host, 2 * MINUTE_MS);
    assert_eq!(all(&host).len(), 1);
    let bad = serde_json::from_value(json!({ "autosave": { "everyMs": 999 } })).unwrap();
    assert!(now(host.open(bad)).unwrap_err().message.contains("autosave.everyMs"));
}

#[test]
fn what_others_share_and_what_only_reads_is_left_alone() {
    for config in [
        json!({ "id": "shared-x", "shareAcrossSessions": true }),
        json!({ "capabilities": { "readOnly": true } }),
    ] {
        let world = World::new();
        let host = world.open_with("sess", config);
        call(&host, "workspace_read_file", json!({ "path": "a" })).unwrap();
        pass(&world, &host, 24 * 60 * MINUTE_MS);
        assert_eq!(world.disks.borrow().len(), 1);
        assert_eq!(all(&host), []);
    }
}

#[test]
fn a_container_is_stopped_only_once_it_is_saved() {
    let (world, host) = used(json!({}));
    world.bucket.refuses.set(true);
    pass(&world, &host, 60 * MINUTE_MS);
    assert!(world.disk("sess").is_some(), "it runs on, unsaved");
    let warned = world.log.0.borrow().iter().filter(|line| line.event == "autosave.failed").count();
    assert!((5..40).contains(&warned), "{warned}");
    world.bucket.refuses.set(false);
    pass(&world, &host, 11 * MINUTE_MS);
    assert_eq!(world.disk("sess"), None);
    assert_eq!(read(&host)["stdout"], "work");
    world.check_invariants("sess");
}

/// Checks that new files are saved within seconds, before the container ends.
pub fn assert_saved_soon(world: &World, host: &Session, context: &str) {
    read(host);
    world.write("sess", "later");
    read(host);
    pass(world, host, 6_000);
    world.kill("sess");
    assert_eq!(read(host)["stdout"], "later", "{context}");
}

#[test]
fn a_container_that_ends_while_it_is_saved_keeps_the_next_one_waiting_for_nothing() {
    for later in 0..20 {
        let (world, host) = used(json!({ "autosave": { "everyMs": 5_000 } }));
        pass(&world, &host, 4_000);
        world.clock.advance(2_000);
        world.faults.slow.set(true);
        block_on(async {
            let end = async {
                for _ in 0..later {
                    yield_once().await;
                }
                world.kill("sess");
            };
            let (recovered, ()) = futures::join!(host.recover(), end);
            recovered.unwrap();
        });
        world.faults.slow.set(false);
        assert_saved_soon(&world, &host, &format!("ended after {later} effects"));
    }
}

#[test]
fn what_could_not_be_saved_of_one_container_keeps_the_next_one_waiting_for_nothing() {
    let (world, host) = used(json!({ "autosave": { "everyMs": 5_000 } }));
    world.bucket.refuses.set(true);
    pass(&world, &host, 5 * MINUTE_MS);
    world.kill("sess");
    world.bucket.refuses.set(false);
    assert_saved_soon(&world, &host, "woken");
}

#[test]
fn a_call_that_comes_while_it_is_saved_is_not_stopped_under() {
    // The call comes after any effect of the save.
    let mut kept_running = 0;
    for later in 0..30 {
        let (world, host) = used(json!({}));
        world.clock.advance(10 * MINUTE_MS);
        world.faults.slow.set(true);
        let none = Abort::default();
        let ran = block_on(async {
            let run = async {
                for _ in 0..later {
                    yield_once().await;
                }
                call_tool(&host, "workspace_run", json!({ "command": "cat" }), &none).await
            };
            let (recovered, ran) = futures::join!(host.recover(), run);
            recovered.unwrap();
            ran
        });
        assert_eq!(ran.unwrap()["stdout"], "work", "after {later} effects");
        kept_running += usize::from(!kinds(&host).contains(&"workspace.slept".to_owned()));
    }
    assert!((3..30).contains(&kept_running), "{kept_running}");
}

#[test]
fn automatic_ones_are_hidden_until_asked_for_or_named() {
    let (world, host) = used(json!({ "retention": { "keepAutosaves": 0 } }));
    pass(&world, &host, 11 * MINUTE_MS);
    let id = all(&host)[0].id.clone();
    assert_eq!(now(host.list(&ListRequest::default())).unwrap().snapshots, []);
    let edit = SnapshotEdit { name: Some("keep".into()), ..SnapshotEdit::default() };
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    assert_eq!(now(host.list(&ListRequest::default())).unwrap().snapshots[0].snapshot.id, id);
    read(&host);
    world.write("sess", "more work");
    pass(&world, &host, 11 * MINUTE_MS);
    read(&host);
    world.write("sess", "and more");
    pass(&world, &host, 11 * MINUTE_MS);
    let kept: Vec<BackupId> = all(&host).into_iter().map(|row| row.id).collect();
    assert_eq!(kept.len(), 2, "what was named is not pruned, what was not is");
    assert_eq!(kept[1], id);
}

#[test]
fn an_automatic_one_that_a_branch_wakes_from_is_kept() {
    let (world, host) = used(json!({ "retention": { "keepAutosaves": 0 } }));
    pass(&world, &host, 11 * MINUTE_MS);
    let first = all(&host)[0].id.clone();
    call(&host, "workspace_branch", json!({ "ref": first })).unwrap();
    call(
        &host,
        "workspace_switch",
        json!({ "ref": { "providerId": "cloudflare-sandbox", "ref": { "id": "sess" } } }),
    )
    .unwrap();
    read(&host);
    world.write("sess", "more work");
    pass(&world, &host, 11 * MINUTE_MS);
    assert_eq!(all(&host).len(), 2);
    world.check_invariants("sess");
}

#[test]
fn the_last_save_of_a_workspace_outlives_it() {
    let (world, host) = used(json!({ "retention": { "keepAutosaves": 0 } }));
    let base = take(&host, SnapshotRequest::default()).snapshot.id;
    let branch = call(&host, "workspace_branch", json!({ "ref": base })).unwrap();
    let branch = branch["ref"]["ref"]["id"].as_str().unwrap().to_owned();
    read(&host);
    world.write(&branch, "tried");
    pass(&world, &host, 11 * MINUTE_MS);
    let tried = all(&host)[0].id.clone();
    let home = json!({ "ref": { "providerId": "cloudflare-sandbox", "ref": { "id": "sess" } } });
    call(&host, "workspace_switch", home).unwrap();
    let gone = serde_json::from_value(
        json!({ "providerId": "cloudflare-sandbox", "ref": { "id": branch } }),
    );
    now(host.destroy_workspace(&gone.unwrap())).unwrap();
    pass(&world, &host, 60 * MINUTE_MS);
    assert_eq!(all(&host)[0].id, tried, "it is the newest there is");
    world.check_invariants("sess");
}

#[test]
fn a_delete_amid_an_idle_stop_leaves_files_somewhere() {
    // The call comes after any effect of the stop.
    let mut deleted = 0;
    for later in 0..30 {
        let (world, host) = used(json!({}));
        let id = take(&host, SnapshotRequest::default()).snapshot.id;
        world.clock.advance(10 * MINUTE_MS);
        world.faults.slow.set(true);
        let selector = SnapshotSelector::Id(id);
        let answer = block_on(async {
            let delete = async {
                for _ in 0..later {
                    yield_once().await;
                }
                host.delete(&selector, DeleteOptions::default()).await
            };
            let (recovered, answer) = futures::join!(host.recover(), delete);
            recovered.unwrap();
            answer
        });
        match answer {
            Ok(_) => deleted += 1,
            Err(error) => assert_eq!(error.code, ErrorCode::Conflict),
        }
        world.faults.slow.set(false);
        pass(&world, &host, 30 * MINUTE_MS);
        assert_eq!(read(&host)["stdout"], "work", "after {later} effects");
        world.check_invariants("sess");
    }
    assert!((1..30).contains(&deleted), "{deleted}");
}

#[test]
fn a_workspace_whose_head_was_deleted_is_saved_anew() {
    let (world, host) = used(json!({}));
    let id = take(&host, SnapshotRequest::default()).snapshot.id;
    now(host.delete(&SnapshotSelector::Id(id), DeleteOptions::default())).unwrap();
    pass(&world, &host, MINUTE_MS);
    world.kill("sess");
    assert_eq!(read(&host)["stdout"], "work");
}

#[test]
fn an_idle_stop_broken_anywhere_loses_nothing() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host) = used(json!({}));
            let before = take(&host, SnapshotRequest::default()).snapshot.id;
            world.write("sess", "later work");
            world.clock.advance(10 * MINUTE_MS);
            world.alarm.at_ms.take();
            world.faults.arm(nth, fault);
            let recovered = host.recover().now_or_never();
            if !world.faults.disarm() {
                assert!(nth >= 7 && world.disk("sess").is_none(), "{nth}");
                break;
            }
            let context = format!("{fault:?} at {nth} {:?}", world.faults.trace().last());
            if recovered.is_none() {
                // The runtime runs an alarm again that did not end.
                now(world.alarm.schedule_by(world.clock.now_ms())).unwrap();
            }
            drop(host);
            let host = world.host("sess");
            pass(&world, &host, 30 * MINUTE_MS);
            assert_eq!(world.disk("sess"), None, "{context}");
            assert_eq!(read(&host)["stdout"], "later work", "{context}");
            let kept = all(&host);
            assert_eq!(kept.len(), 2, "{context}: {kept:?}");
            assert_eq!(kept[1].id, before, "{context}");
            world.check_invariants("sess");
        }
    }
}
