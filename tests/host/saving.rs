//! Automatic saves, and files that need none.

use crate::support::faults::Fault;
use crate::world::{World, now, yield_once};
use futures::FutureExt;
use futures::executor::block_on;
use serde_json::{Value, json};
use snapshotter::api::tools;
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::backup::{Ttl, data_key, rfc3339};
use snapshotter::domain::snapshot::refs::SnapshotSelector;
use snapshotter::domain::snapshot::{SnapshotSummary, SnapshotTrigger};
use snapshotter::ports::alarm::Alarm;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{
    Abort, Annotations, DeleteOptions, ListRequest, Session, SnapshotEdit, SnapshotRequest,
    SnapshotView,
};

pub const MINUTE_MS: i64 = 60_000;

pub fn call(host: &Session, tool: &str, input: Value) -> Result<Value, Error> {
    now(tools::call(host, tool, input, &Abort::default()))
}

pub fn read(host: &Session) -> Value {
    call(host, "workspace_run", json!({ "command": "cat" })).unwrap()
}

pub fn all(host: &Session) -> Vec<SnapshotSummary> {
    let request = ListRequest { include_auto: true, ..ListRequest::default() };
    now(host.list(&request)).unwrap().snapshots.into_iter().map(|row| row.snapshot).collect()
}

fn kinds(host: &Session) -> Vec<String> {
    host.list_events(None, None).unwrap().events.into_iter().map(|event| event.kind).collect()
}

/// Runs the alarm whenever it is due, for `ms`.
pub fn pass(world: &World, host: &Session, ms: i64) {
    let until_ms = world.clock.now_ms() + ms;
    for _ in 0..1_000 {
        match world.alarm.at_ms.get() {
            Some(at_ms) if at_ms <= until_ms => {
                world.alarm.at_ms.take();
                world.clock.0.set(world.clock.now_ms().max(at_ms));
                now(host.recover()).unwrap();
            }
            _ => {
                world.clock.0.set(until_ms);
                return;
            }
        }
    }
    panic!("the alarm never rests");
}

/// A world where equal files give equal archives, and a workspace in use.
pub fn used(config: Value) -> (World, Session) {
    let world = World::new();
    world.steady.set(true);
    let host = world.open_with("sess", config);
    read(&host);
    world.write("sess", "work");
    (world, host)
}

pub fn take(host: &Session, request: SnapshotRequest) -> SnapshotView {
    now(host.snapshot(request, &Abort::default())).unwrap()
}

fn named(name: &str) -> SnapshotRequest {
    let annotations = Annotations { name: Some(name.into()), ..Annotations::default() };
    SnapshotRequest { annotations, ..SnapshotRequest::default() }
}

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
    assert_eq!((saved.len(), saved[0].trigger), (1, SnapshotTrigger::Auto));
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
fn assert_saved_soon(world: &World, host: &Session, context: &str) {
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
                tools::call(&host, "workspace_run", json!({ "command": "cat" }), &none).await
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
    let edit = SnapshotEdit { name: Some(Some("keep".into())), ..SnapshotEdit::default() };
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

#[test]
fn a_snapshot_of_what_has_not_changed_is_the_one_there_is() {
    let (world, host) = used(json!({}));
    let first = take(&host, SnapshotRequest::default());
    assert!(!first.unchanged);
    world.clock.advance(3_600_000);
    let keys = world.bucket.keys();
    let second = take(&host, named("v1"));
    assert!(second.unchanged);
    assert_eq!(
        (&second.snapshot.id, second.snapshot.annotations.name.as_deref()),
        (&first.snapshot.id, Some("v1"))
    );
    assert!(
        second.snapshot.expires_at > first.snapshot.expires_at,
        "it lives as long as a new one"
    );
    assert_eq!(take(&host, SnapshotRequest::default()).snapshot.id, first.snapshot.id);
    assert_eq!(world.bucket.keys(), keys);
    // One snapshot has one name: a second name for the same files is a second archive.
    let third = take(&host, named("v2"));
    assert!(!third.unchanged && third.snapshot.id != first.snapshot.id);
    let by_name = |name: &str| {
        now(host.get(&SnapshotSelector::Name(name.into()), false)).unwrap().snapshot.id
    };
    assert_eq!((by_name("v1"), by_name("v2")), (first.snapshot.id, third.snapshot.id));
    world.write("sess", "other work");
    assert!(!take(&host, SnapshotRequest::default()).unchanged);
    world.check_invariants("sess");
}

#[test]
fn an_automatic_one_that_is_asked_for_becomes_a_manual_one() {
    let (world, host) = used(json!({}));
    pass(&world, &host, 11 * MINUTE_MS);
    let asked = take(&host, SnapshotRequest::default());
    assert!(asked.unchanged && asked.woken.is_some());
    assert_eq!(asked.snapshot.trigger, SnapshotTrigger::Manual);
    assert_eq!(
        now(host.list(&ListRequest::default())).unwrap().snapshots[0].snapshot.id,
        asked.snapshot.id
    );
    world.check_invariants("sess");
}

#[test]
fn equality_with_what_the_bucket_lost_is_worth_nothing() {
    let (world, host) = used(json!({}));
    let first = take(&host, SnapshotRequest::default()).snapshot.id;
    world.bucket.objects.borrow_mut().remove(&data_key(&first));
    let second = take(&host, SnapshotRequest::default());
    assert!(!second.unchanged && second.snapshot.id != first);
    world.kill("sess");
    assert_eq!(read(&host)["stdout"], "work");
    world.check_invariants("sess");
}

#[test]
fn what_could_not_be_saved_of_one_container_keeps_a_fresh_one_waiting_for_nothing() {
    let (world, host) = used(json!({ "autosave": { "everyMs": 5_000 } }));
    world.bucket.refuses.set(true);
    pass(&world, &host, 5 * MINUTE_MS);
    world.kill("sess");
    world.bucket.refuses.set(false);
    now(host.start_fresh()).unwrap();
    assert_saved_soon(&world, &host, "fresh");
}

#[test]
fn a_wake_that_fails_brings_the_alarm_no_sooner() {
    let (world, host) = used(json!({ "autosave": { "everyMs": 5_000 } }));
    let id = take(&host, SnapshotRequest::default()).snapshot.id;
    world.write("sess", "later");
    world.bucket.refuses.set(true);
    pass(&world, &host, 5 * MINUTE_MS);
    world.kill("sess");
    let data = world.bucket.objects.borrow_mut().remove(&data_key(&id)).unwrap();
    let due_ms = world.alarm.at_ms.get();
    for _ in 0..3 {
        let failed = call(&host, "workspace_run", json!({ "command": "cat" }));
        assert_eq!(failed.unwrap_err().code, ErrorCode::RestoreFailed);
        assert_eq!(world.alarm.at_ms.get(), due_ms);
    }
    world.bucket.objects.borrow_mut().insert(data_key(&id), data);
    world.bucket.refuses.set(false);
    assert_saved_soon(&world, &host, "woken at last");
}

#[test]
fn a_head_that_the_bucket_lost_is_missed_by_who_sleeps_and_replaced_by_who_runs() {
    let (world, host) = used(json!({}));
    let first = take(&host, SnapshotRequest::default()).snapshot.id;
    let branch = || {
        let selector = SnapshotSelector::Id(first.clone());
        let branched =
            now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default()));
        branched.unwrap().r#ref
    };
    let (runs, sleeps) = (branch(), branch());
    world.kill(sleeps.sandbox_id().as_str());
    let data = world.bucket.objects.borrow_mut().remove(&data_key(&first)).unwrap();
    assert!(!take(&host, SnapshotRequest::default()).unchanged);
    pass(&world, &host, MINUTE_MS);
    world.kill(runs.sandbox_id().as_str());
    now(host.switch(&runs)).unwrap();
    assert_eq!(read(&host)["stdout"], "work", "it was saved anew");
    now(host.switch(&sleeps)).unwrap();
    let failed = call(&host, "workspace_run", json!({ "command": "cat" })).unwrap_err();
    assert_eq!(failed.code, ErrorCode::RestoreFailed, "it does not begin anew as if it had none");
    drop(data);
}

/// The first caller that asks for an autosave sets its time to live. A snapshot
/// that somebody asked for lives at least as long as that caller's answer said.
#[test]
fn a_shorter_life_holds_for_an_autosave_that_is_asked_for() {
    let (world, host) = used(json!({ "autosave": { "everyMs": 1_000 } }));
    world.write("sess", "work");
    world.clock.advance(2_000);
    now(host.recover()).unwrap();
    let saved_ms = world.clock.now_ms();
    world.clock.advance(10_000);
    let lives = |secs: Option<u64>| {
        let ttl = secs.map(|secs| Ttl::from_secs(secs).unwrap());
        let taken = take(&host, SnapshotRequest { ttl, ..SnapshotRequest::default() });
        assert!(taken.unchanged);
        taken.snapshot.expires_at
    };
    assert_eq!(lives(Some(600)), rfc3339(world.clock.now_ms() + 600_000), "saved at {saved_ms}");
    let longer = lives(Some(900));
    assert_eq!(longer, rfc3339(world.clock.now_ms() + 900_000));
    assert_eq!(lives(Some(600)), longer, "the caller before was told so");
    world.check_invariants("sess");
}

#[test]
fn a_sandbox_that_reports_another_backup_is_not_believed() {
    let (world, host) = used(json!({}));
    let first = take(&host, named("first")).snapshot.id;
    world.write("sess", "more work");
    *world.misreported.borrow_mut() = Some(first.clone());
    let refused = now(host.snapshot(named("second"), &Abort::default())).unwrap_err();
    assert_eq!((refused.code, refused.outcome), (ErrorCode::Internal, Outcome::Unknown));
    *world.misreported.borrow_mut() = None;
    pass(&world, &host, MINUTE_MS);
    let second = now(host.get(&SnapshotSelector::Name("second".into()), false)).unwrap();
    assert_ne!(second.snapshot.id, first, "what it did make is found under its own id");
}
