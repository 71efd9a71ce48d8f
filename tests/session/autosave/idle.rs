//! How the alarm treats idle workspaces, and snapshots that nobody needs.

use crate::autosave::{MINUTE_MS, all, call, pass, read, take, used};
use crate::support::faults::Fault;
use crate::world::{World, call_tool, now, yield_once};
use futures::FutureExt;
use futures::executor::block_on;
use serde_json::json;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::SnapshotTrigger;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::sandbox::ProcessState;
use snapshotter::session::catalogue::Catalogue;
use snapshotter::session::{Abort, Session, SnapshotEdit, SnapshotRequest};

#[test]
fn one_that_is_saved_and_not_used_again_is_looked_at_no_more_often_than_it_would_be_saved() {
    let config = json!({
        "autosave": { "everyMs": 5 * MINUTE_MS }, "sleepAfter": "2h",
        "retention": { "keepAutosaves": 0 },
    });
    let (world, host) = used(config);
    pass(&world, &host, 6 * MINUTE_MS);
    let [saved] = &all(&host)[..] else { panic!("it is saved") };
    assert_eq!(saved.cause.saved_by.as_deref(), Some("autosave"));
    // This fails if the alarm never rests.
    pass(&world, &host, 113 * MINUTE_MS);
    assert!(world.disk("sess").is_some(), "it is not idle yet");
    world.write("sess", "later");
    read(&host);
    pass(&world, &host, 6 * MINUTE_MS);
    assert_eq!(all(&host).len(), 1, "and saved again in time");
    world.kill("sess");
    assert!(read(&host)["stdout"].as_str().unwrap().starts_with("later"));
}

/// Starts a process that ends only if it is stopped.
fn start(host: &Session, name: &str) {
    call(host, "workspace_start", json!({ "name": name, "command": "train" })).unwrap();
}

#[test]
fn a_process_keeps_its_workspace_awake_only_where_asked_and_not_for_ever() {
    for (config, awake_minutes) in [(json!({}), 10), (json!({ "keepAwake": true }), 350)] {
        let (world, host) = used(config);
        start(&host, "training");
        pass(&world, &host, (awake_minutes - 1) * MINUTE_MS);
        assert!(world.disk("sess").is_some(), "{awake_minutes}");
        world.write("sess", "by the process");
        pass(&world, &host, 2 * MINUTE_MS);
        assert_eq!(world.disk("sess"), None, "{awake_minutes}");
        assert!(read(&host)["stdout"].as_str().unwrap().starts_with("by the process"));
    }
}

#[test]
fn what_a_process_writes_is_saved_while_it_keeps_its_workspace_awake() {
    let (world, host) = used(json!({ "keepAwake": true }));
    start(&host, "training");
    pass(&world, &host, 60 * MINUTE_MS);
    world.write("sess", "by the process");
    pass(&world, &host, 16 * MINUTE_MS);
    assert!(world.disk("sess").is_some(), "it is kept");
    world.kill("sess");
    assert!(read(&host)["stdout"].as_str().unwrap().starts_with("by the process"));
}

#[test]
fn a_process_that_ends_lets_its_workspace_sleep_and_a_service_never_keeps_it() {
    let service = json!([{ "name": "web", "command": "serve" }]);
    let (world, host) = used(json!({ "keepAwake": true, "services": service }));
    start(&host, "training");
    pass(&world, &host, 60 * MINUTE_MS);
    assert!(world.disk("sess").is_some(), "it is kept");
    for (_, process) in world.processes.borrow_mut().iter_mut() {
        if process.name.as_str() == "training" {
            process.state = ProcessState::Ended;
        }
    }
    pass(&world, &host, 11 * MINUTE_MS);
    assert_eq!(world.disk("sess"), None, "only its service still ran");
}

#[test]
fn keep_awake_needs_a_host_that_stops_containers() {
    let world = World::new();
    for config in [
        json!({ "keepAwake": true, "autosave": false }),
        json!({ "keepAwake": true, "id": "shared-a", "shareAcrossSessions": true }),
    ] {
        let refused = now(world.host("sess").open(serde_json::from_value(config).unwrap()));
        assert_eq!(refused.unwrap_err().details.unwrap()["field"], "keepAwake");
    }
}

#[test]
fn one_whose_session_is_opened_with_a_shorter_time_is_saved_and_stopped_by_that() {
    let (world, host) =
        used(json!({ "autosave": { "everyMs": 300 * MINUTE_MS }, "sleepAfter": "6h" }));
    let open = |config| now(host.open(serde_json::from_value(config).unwrap())).unwrap();
    open(json!({ "autosave": { "everyMs": 5 * MINUTE_MS }, "sleepAfter": "6h" }));
    pass(&world, &host, 6 * MINUTE_MS);
    assert_eq!(all(&host).len(), 1, "it is saved");
    open(json!({ "autosave": { "everyMs": 300 * MINUTE_MS }, "sleepAfter": "20m" }));
    pass(&world, &host, 21 * MINUTE_MS);
    assert_eq!(world.disk("sess"), None, "it sleeps");
}

#[test]
fn one_whose_session_is_opened_to_save_no_more_is_left_to_the_platform_at_once() {
    let (world, host) = used(json!({ "sleepAfter": "6h" }));
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let config = json!({ "autosave": false, "sleepAfter": "20m" });
    now(host.open(serde_json::from_value(config).unwrap())).unwrap();
    assert!(world.faults.trace().iter().any(|name| name == "configure"));
    world.faults.disarm();
    // The alarm saves again once autosave is on.
    world.recover("sess");
    now(host.open(serde_json::from_value(json!({ "sleepAfter": "6h", "autosave": true })).unwrap())).unwrap();
    read(&host);
    pass(&world, &host, 16 * MINUTE_MS);
    assert_eq!(all(&host).len(), 1);
}

#[test]
fn what_is_pinned_while_others_are_pruned_stays() {
    let mut pinned = 0;
    for later in 0..12 {
        let (world, host) = used(json!({ "retention": { "keepAutosaves": 0 } }));
        pass(&world, &host, 11 * MINUTE_MS);
        let first = all(&host)[0].id.clone();
        let branch = call(&host, "workspace_branch", json!({ "ref": first })).unwrap();
        let branch = branch["ref"]["ref"]["id"].as_str().unwrap().to_owned();
        let change = |id: &str, to: &str| {
            let named = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": id } });
            call(&host, "workspace_switch", json!({ "ref": named })).unwrap();
            read(&host);
            world.write(id, to);
        };
        for id in [branch.as_str(), "sess"] {
            change(id, &format!("saved of {id}"));
            pass(&world, &host, 11 * MINUTE_MS);
        }
        for id in [branch.as_str(), "sess"] {
            change(id, &format!("taken of {id}"));
            take(&host, SnapshotRequest::default());
        }
        // Nothing needs the autosaves of the two workspaces any more.
        let autos: Vec<BackupId> = all(&host)
            .into_iter()
            .filter(|row| row.cause.trigger == SnapshotTrigger::Auto)
            .map(|row| row.id)
            .collect();
        assert_eq!(autos.len(), 2);
        let edit = SnapshotEdit { pinned: Some(true), ..SnapshotEdit::default() };
        let named = SnapshotSelector::Id(autos[0].clone());
        world.faults.slow.set(true);
        let pin = async {
            for _ in 0..later {
                yield_once().await;
            }
            host.update_snapshot(&named, &edit).await
        };
        let (recovered, answer) = block_on(async { futures::join!(host.recover(), pin) });
        world.faults.slow.set(false);
        recovered.unwrap();
        let is_kept = all(&host).iter().any(|row| row.id == autos[0]);
        assert_eq!(answer.is_ok(), is_kept, "after {later}: {answer:?}");
        pinned += usize::from(is_kept);
        world.check_invariants("sess");
    }
    assert!((2..12).contains(&pinned), "{pinned}");
}

#[test]
fn a_head_that_is_read_takes_no_autosave_s_place() {
    for later in 0..12 {
        let (world, host) = used(json!({ "retention": { "keepAutosaves": 1 } }));
        pass(&world, &host, 11 * MINUTE_MS);
        read(&host);
        world.write("sess", "more");
        pass(&world, &host, 11 * MINUTE_MS);
        let saved = all(&host);
        assert_eq!(saved.len(), 2, "the head, and one beside it");
        world.faults.slow.set(true);
        let (none, head) = (Abort::default(), json!({ "ref": saved[0].id }));
        let branch = call_tool(&host, "workspace_branch", head, &none);
        let alarm = async {
            for _ in 0..later {
                yield_once().await;
            }
            host.recover().await
        };
        let (branched, recovered) = block_on(async { futures::join!(branch, alarm) });
        branched.unwrap();
        recovered.unwrap();
        assert_eq!(all(&host), saved, "after {later}");
    }
}

#[test]
fn an_autosave_keeps_no_close_from_destroying() {
    for later in 0..12 {
        let (world, host) = used(json!({ "destroyOnClose": true }));
        world.clock.0.set(world.clock.now_ms() + 16 * MINUTE_MS);
        world.faults.slow.set(true);
        let close = async {
            for _ in 0..later {
                yield_once().await;
            }
            host.close().await
        };
        let (recovered, closed) = block_on(async { futures::join!(host.recover(), close) });
        world.faults.slow.set(false);
        recovered.unwrap();
        assert!(closed.is_ok(), "after {later}: {closed:?}");
        world.recover("sess");
        assert_eq!(world.disk("sess"), None, "after {later}");
        world.check_invariants("sess");
    }
}

#[test]
fn a_first_use_broken_anywhere_leaves_nothing_running_that_nobody_stops() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let world = World::new();
            let host = world.open("sess");
            world.faults.arm(nth, fault);
            let (none, input) = (Abort::default(), json!({ "command": "cat" }));
            drop(call_tool(&host, "workspace_run", input, &none).now_or_never());
            if !world.faults.disarm() {
                break;
            }
            let context = format!("{fault:?} at {nth} {:?}", world.faults.trace().last());
            drop(host);
            let catalogue = Catalogue::open(world.database.clone()).unwrap();
            let rows = catalogue.live_workspaces().unwrap();
            let host = world.host("sess");
            pass(&world, &host, 30 * MINUTE_MS);
            // The alarm may leave a disk that is not recorded to the next call.
            let is_known = rows[0].instance_id.is_some();
            assert!(!is_known || world.disk("sess").is_none(), "{context}");
            world.check_invariants("sess");
        }
    }
}

#[test]
fn of_calls_that_set_the_alarm_at_once_the_earliest_time_holds() {
    for later in 0..12 {
        let world = World::new();
        let host = world.open("sess");
        world.alarm.at_ms.take();
        let active = block_on(host.list_workspaces()).unwrap().active;
        world.faults.slow.set(true);
        let switch = async {
            for _ in 0..later {
                yield_once().await;
            }
            // The workspace that this leaves may be retired in seven days.
            host.switch(&active).await
        };
        let (none, input) = (Abort::default(), json!({ "command": "cat" }));
        let used = call_tool(&host, "workspace_run", input, &none);
        let (switched, used) = block_on(async { futures::join!(switch, used) });
        world.faults.slow.set(false);
        switched.unwrap();
        used.unwrap();
        pass(&world, &host, 11 * MINUTE_MS);
        assert_eq!(world.disk("sess"), None, "it sleeps, {later}");
    }
}
