//! Rewinds that break off, and calls and alarms that finish them.

use crate::support::faults::Fault;
use crate::workspaces::rewind::{all, call, changed, head, kinds, read, rewind, to};
use crate::world::{World, is_honest, now, snapshot};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::maybe_done;
use futures::join;
use serde_json::json;
use snapshotter::api::operation::Invocation;
use snapshotter::api::operation::run;
use snapshotter::domain::error::Outcome;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::session::scope::Caller;
use snapshotter::domain::snapshot::SnapshotTrigger;
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::session::{Abort, Session};

#[test]
fn broken_anywhere_it_is_done_or_nothing_is() {
    for fault in Fault::ALL {
        for recovers in [true, false] {
            for nth in 0.. {
                let (world, host, id) = changed();
                drop(host);
                world.alarm.at_ms.take();
                world.faults.arm(nth, fault);
                let host = world.host("sess");
                let answer = host.rewind(&to(&id), &Abort::default()).now_or_never();
                if !world.faults.disarm() {
                    assert!(nth >= 11, "{nth} {:?}", world.faults.trace());
                    break;
                }
                let at = format!("{fault:?} at {nth} {:?}", world.faults.trace().last());
                if let Some(Err(error)) = &answer {
                    assert!(is_honest(error), "{at}: {error:?}");
                }
                if recovers {
                    drop(host);
                    world.recover("sess");
                } else {
                    // The next call comes before the alarm.
                    let content = read(&world.host("sess"));
                    assert!(content == "later" || content == "work", "{at}: {content}");
                    world.recover("sess");
                }
                world.check_invariants("sess");
                let host = world.host("sess");
                let content = read(&host);
                let rewound = kinds(&host).contains(&"workspace.rewound".to_owned());
                assert_eq!(content, if rewound { "work" } else { "later" }, "{at}");
                assert_eq!(head(&host), json!(id), "{at}");
                if answer.is_some_and(|answer| answer.is_ok()) {
                    assert!(rewound, "{at}");
                }
                if rewound {
                    let safety = all(&host).into_iter().next().unwrap();
                    assert_eq!(safety.cause.trigger, SnapshotTrigger::Safety, "{at}");
                    rewind(&host, &to(&safety.id)).unwrap();
                    assert_eq!(read(&host), "later", "{at}");
                }
                assert_eq!(
                    world.database_count(
                        "SELECT COUNT(*) AS count FROM rewinds WHERE state = 'running'"
                    ),
                    0
                );
            }
        }
    }
}

/// A rewind that dies between the swap and its record.
fn left_half_done() -> (World, BackupId) {
    let ready = || {
        let (world, host, id) = changed();
        drop(host);
        (world, id)
    };
    let (probe, id) = ready();
    probe.faults.arm(usize::MAX, Fault::ErrorBefore);
    rewind(&probe.host("sess"), &to(&id)).unwrap();
    let position = probe.faults.trace().iter().position(|name| name == "restore").unwrap();
    let (world, id) = ready();
    world.faults.arm(position, Fault::CrashAfter);
    let host = world.host("sess");
    assert!(host.rewind(&to(&id), &Abort::default()).now_or_never().is_none());
    assert!(world.faults.disarm());
    assert_eq!(world.faults.trace().last().unwrap(), "restore");
    (world, id)
}

#[test]
fn a_container_that_went_with_it_leaves_the_head_it_had() {
    let (world, id) = left_half_done();
    assert_eq!(world.disk("sess").unwrap().content, "work");
    world.kill("sess");
    world.recover("sess");
    let host = world.host("sess");
    assert!(!kinds(&host).contains(&"workspace.rewound".to_owned()));
    assert_eq!(head(&host), json!(id));
    let safety = all(&host).into_iter().find(|row| row.cause.trigger == SnapshotTrigger::Safety);
    let safety = safety.expect("what the container had last is there");
    rewind(&host, &to(&safety.id)).unwrap();
    assert_eq!(read(&host), "later");
}

#[test]
fn one_that_cannot_be_finished_is_given_up() {
    let (world, id) = left_half_done();
    world.bucket.objects.borrow_mut().remove(&data_key(&id));
    let host = world.host("sess");
    assert_eq!(read(&host), "work", "what it has, it has");
    world.write("sess", "further");
    assert_eq!(read(&host), "further");
    assert!(!kinds(&host).contains(&"workspace.rewound".to_owned()));
}

#[test]
fn a_fresh_workspace_is_not_rewound_by_what_was_left() {
    let (world, _) = left_half_done();
    world.kill("sess");
    let host = world.host("sess");
    now(host.start_fresh()).unwrap();
    world.recover("sess");
    assert_eq!(read(&world.host("sess")), "");
}

/// Whichever answer is lost, the workspace has the files of the later of two
/// rewinds. The end of the earlier one does not undo them.
#[test]
fn the_later_of_two_at_once_is_what_holds() {
    let mut lost = 0;
    for lag in 0..12 {
        for nth in 0.. {
            let (world, host, first) = changed();
            let second = snapshot(&host);
            world.write("sess", "latest");
            let (first, second) = (to(&first), to(&second));
            world.clock.stop();
            world.faults.slow.set(true);
            world.faults.arm(nth, Fault::ErrorAfter);
            let abort = Abort::default();
            let mut one = Box::pin(maybe_done(host.rewind(&first, &abort)));
            for _ in 0..lag {
                let _ = one.as_mut().now_or_never();
            }
            let mut other = Box::pin(maybe_done(host.rewind(&second, &abort)));
            block_on(async { join!(one.as_mut(), other.as_mut()) });
            let reached = world.faults.disarm();
            world.faults.slow.set(false);
            world.recover("sess");
            let (one, other) = (one.as_mut().take_output(), other.as_mut().take_output());
            let (one, other) = (one.unwrap(), other.unwrap());
            if other.is_ok() {
                assert_eq!(read(&host), "later", "{lag}, {nth}: {one:?}");
                lost += i32::from(one.is_err_and(|error| error.outcome == Outcome::Unknown));
            }
            if !reached {
                break;
            }
        }
    }
    assert!(lost > 0);
}

/// After any break, a caller that repeats a keyed rewind until it succeeds finds the
/// workspace rewound and its earlier files saved.
#[test]
fn repeated_until_it_succeeds_it_is_done() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host, id) = changed();
            let ask = |host: &Session| {
                let args = json!({ "ref": id });
                let asked = Invocation::parse("rewind", args, json!({ "idempotencyKey": "k" }));
                let abort = Abort::default();
                run(
                    host,
                    &Caller::BINDING,
                    asked.unwrap(),
                    &abort,
                    &world.clock,
                    &world.log,
                    String::new,
                )
                .now_or_never()
            };
            world.faults.arm(nth, fault);
            let broken = ask(&host);
            let reached = world.faults.disarm();
            drop(host);
            let done = (0..5).find_map(|_| {
                world.recover("sess");
                ask(&world.host("sess")).unwrap().ok()
            });
            let done = done.unwrap_or_else(|| panic!("{fault:?} at {nth}: {broken:?}"));
            let host = world.host("sess");
            assert_eq!(read(&host), "work");
            // The key is recorded, so a repetition does not undo later work.
            world.write("sess", "since");
            assert_eq!(ask(&host).unwrap().unwrap(), done);
            assert_eq!(read(&host), "since");
            let safety = done["safetyRef"]["ref"]["backup"]["id"].clone();
            call(&host, "workspace_rewind", json!({ "ref": safety })).unwrap();
            assert_eq!(read(&host), "later");
            if !reached {
                assert!(nth > 5);
                break;
            }
        }
    }
}

#[test]
fn a_snapshot_completed_late_is_no_head_of_a_rewound_workspace() {
    let (world, host, id) = changed();
    // A snapshot of the files that the rewind replaces, whose answer is lost.
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    snapshot(&host);
    let put = world.faults.trace().iter().position(|name| name == "putMeta").unwrap();
    world.faults.disarm();
    world.write("sess", "still later");
    world.faults.arm(put, Fault::ErrorAfter);
    assert!(now(host.snapshot(Default::default(), &Abort::default())).is_err());
    assert!(world.faults.disarm());
    rewind(&host, &to(&id)).unwrap();
    world.recover("sess");
    let host = world.host("sess");
    assert_eq!(head(&host), json!(id));
    world.kill("sess");
    assert_eq!(read(&host), "work");
}

/// The rewind's snapshot is out of reach long enough for the workspace to become due
/// for a save and a stop.
#[test]
fn one_that_is_not_finished_is_not_stopped_under() {
    let half_done = |nth| {
        let (world, host, id) = changed();
        snapshot(&host);
        world.faults.arm(nth, Fault::CrashAfter);
        drop(host.rewind(&to(&id), &Abort::default()).now_or_never());
        world.faults.disarm();
        drop(host);
        world.clock.advance(11 * 60_000);
        world
    };
    let restore =
        |world: &World| world.faults.trace().iter().position(|name| name == "restore").unwrap();
    let swapped = restore(&half_done(usize::MAX));
    let probe = half_done(swapped);
    probe.faults.arm(usize::MAX, Fault::ErrorBefore);
    now(probe.host("sess").recover()).unwrap();
    let world = half_done(swapped);
    world.faults.arm(restore(&probe), Fault::ErrorBefore);
    now(world.host("sess").recover()).unwrap();
    assert!(world.faults.disarm());
    world.recover("sess");
    let host = world.host("sess");
    let rewound = kinds(&host).contains(&"workspace.rewound".to_owned());
    assert_eq!((read(&host), rewound), (json!("work"), true));
    world.check_invariants("sess");
}
