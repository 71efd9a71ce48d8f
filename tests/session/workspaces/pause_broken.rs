//! A pause or a resume that breaks off, or that follows one that did.

use crate::support::faults::Fault;
use crate::workspaces::pause::{count, is_refused, pause, read, resume, status, used};
use crate::world::{World, call_tool, is_honest, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::api::operation::Invocation;
use snapshotter::api::operation::run;
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::session::scope::Caller;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::workspace::WorkspaceStatus;
use snapshotter::session::{Abort, DeleteOptions, Session};

/// A paused workspace whose container could not be released.
fn unreleased() -> (World, Session, Error) {
    let (world, host) = used(json!({}));
    // Where it comes to that effect, in a world that is the same.
    let (probe, other) = used(json!({}));
    probe.faults.arm(usize::MAX, Fault::ErrorBefore);
    pause(&other).unwrap();
    let nth = probe.faults.trace().iter().position(|name| name == "destroy").unwrap();
    world.faults.arm(nth, Fault::ErrorBefore);
    let error = pause(&host).unwrap_err();
    assert!(world.faults.disarm());
    (world, host, error)
}

#[test]
fn who_does_not_wait_learns_what_became_of_it() {
    for (op, breaks_at, fault, holds) in [
        ("pause", "putData", Fault::CrashBefore, None),
        ("pause", "destroy", Fault::CrashBefore, Some("paused")),
        ("pause", "destroy", Fault::ErrorBefore, Some("paused")),
        ("resume", "restore", Fault::CrashAfter, None),
    ] {
        let (world, host) = used(json!({}));
        if op == "resume" {
            pause(&host).unwrap();
        }
        let asked = |id: &str| {
            let control = json!({ "idempotencyKey": id, "operationId": id });
            Invocation::parse(op, json!({}), control).unwrap()
        };
        let perform = |world: &World, id: &str| {
            let (host, abort) = (world.host("sess"), Abort::default());
            let (clock, log) = (&world.clock, &world.log);
            run(&host, &Caller::BINDING, asked(id), &abort, clock, log, String::new).now_or_never()
        };
        // Where it comes to that effect, in a world that is the same.
        let (probe, host) = used(json!({}));
        if op == "resume" {
            pause(&host).unwrap();
        }
        probe.faults.arm(usize::MAX, Fault::CrashBefore);
        perform(&probe, "probe").unwrap().unwrap();
        let nth = probe.faults.trace().iter().position(|name| name == breaks_at).unwrap();
        world.faults.arm(nth, fault);
        perform(&world, "call");
        assert!(world.faults.disarm());
        world.recover("sess");
        let host = world.host("sess");
        let view = host.operation(&"call".to_owned().try_into().unwrap()).unwrap();
        let view = serde_json::to_value(view).unwrap();
        match holds {
            Some(status) => {
                assert_eq!(view["state"], "succeeded", "{view}");
                assert_eq!(view["result"]["workspace"]["status"], status, "{view}");
            }
            None => {
                assert_eq!(view["error"]["code"], "INTERRUPTED", "{view}");
                assert_eq!(view["error"]["outcome"], "none", "{view}");
                let holds = if op == "pause" { "was not paused" } else { "is still paused" };
                assert!(view["error"]["message"].as_str().unwrap().contains(holds), "{view}");
                // The error asks for a repetition, so the key is free for it.
                perform(&world, "call").unwrap().unwrap_or_default();
            }
        }
        world.recover("sess");
        world.check_invariants("sess");
    }
}

#[test]
fn broken_anywhere_nothing_is_lost() {
    for fault in Fault::ALL {
        for resumes in [false, true] {
            for nth in 0.. {
                let (world, host) = used(json!({}));
                let before = snapshot(&host);
                world.write("sess", "later");
                if resumes {
                    pause(&host).unwrap();
                }
                drop(host);
                world.alarm.at_ms.take();
                world.faults.arm(nth, fault);
                let host = world.host("sess");
                let abort = Abort::default();
                let answer = match resumes {
                    false => host.pause(None, &abort).now_or_never().map(|done| done.map(drop)),
                    true => host.resume(None, &abort).now_or_never().map(|done| done.map(drop)),
                };
                if !world.faults.disarm() {
                    assert!(nth >= if resumes { 5 } else { 6 }, "{nth} {:?}", world.faults.trace());
                    break;
                }
                let at = format!("{fault:?} at {nth} {:?}, {resumes}", world.faults.trace().last());
                if let Some(Err(error)) = &answer {
                    assert!(is_honest(error), "{at}: {error:?}");
                }
                drop(host);
                world.recover("sess");
                world.check_invariants("sess");
                let host = world.host("sess");
                match (status(&host), resumes) {
                    (WorkspaceStatus::Paused, _) => {
                        is_refused(&read(&host).unwrap_err(), &at);
                        resume(&host).unwrap();
                    }
                    (_, true) => assert!(answer.is_none_or(|answer| answer.is_ok()), "{at}"),
                    (_, false) => assert!(answer.is_none_or(|answer| answer.is_err()), "{at}"),
                }
                assert_eq!(read(&host).unwrap(), "later", "{at}");
                world.recover("sess");
                world.check_invariants("sess");
                assert!(now(host.get(&SnapshotSelector::Id(before), false)).is_ok(), "{at}");
            }
        }
    }
}

#[test]
fn a_rewind_that_was_broken_off_is_finished_before_it_is_saved() {
    let (world, host) = used(json!({}));
    let id = snapshot(&host);
    world.write("sess", "later");
    let request = || json!({ "ref": id });
    let perform = |host: &Session| {
        call_tool(host, "workspace_rewind", request(), &Abort::default()).now_or_never()
    };
    // Where it comes to that effect, in a world that is the same.
    world.faults.arm(usize::MAX, Fault::CrashBefore);
    perform(&host).unwrap().unwrap();
    let nth = world.faults.trace().iter().position(|name| name == "restore").unwrap();
    world.faults.disarm();
    world.write("sess", "later");
    world.faults.arm(nth, Fault::CrashBefore);
    assert!(perform(&host).is_none());
    assert!(world.faults.disarm());
    let host = world.host("sess");
    pause(&host).unwrap();
    assert_eq!(count(&host, "workspace.rewound"), 2);
    resume(&host).unwrap();
    assert_eq!(read(&host).unwrap(), "work");
    world.recover("sess");
    world.check_invariants("sess");
}

#[test]
fn one_that_could_not_be_released_yet_is_paused_all_the_same() {
    for again_by in ["pause", "resume", "alarm"] {
        let (world, host, error) = unreleased();
        assert_eq!(error.outcome, Outcome::Unknown);
        assert!(error.message.contains("saved and paused"), "{error:?}");
        assert!(world.disk("sess").is_some(), "its container is still there");
        assert_eq!(status(&host), WorkspaceStatus::Paused);
        is_refused(&read(&host).unwrap_err(), "it has a container, and is paused");
        world.write("sess", "written by a process that ran on");
        match again_by {
            "pause" => drop(pause(&host).unwrap()),
            "alarm" => world.recover("sess"),
            _ => {}
        }
        assert_eq!(world.disk("sess").is_none(), again_by != "resume");
        let resumed = resume(&world.host("sess")).unwrap();
        assert_eq!(
            resumed.woken.unwrap().moved_aside,
            None,
            "{again_by}: in a container of its own"
        );
        assert_eq!(read(&host).unwrap(), "work", "{again_by}");
        world.recover("sess");
        world.check_invariants("sess");
    }
}

#[test]
fn what_it_is_resumed_with_is_kept_though_its_container_is_still_there() {
    let (world, host, _) = unreleased();
    assert!(world.disk("sess").is_some(), "it is about to go");
    let head = now(host.describe_workspace()).unwrap().workspace.head_snapshot_id.unwrap();
    let head = SnapshotSelector::Id(head);
    let refused = now(host.delete(&head, DeleteOptions::default())).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict, "{refused:?}");
    world.recover("sess");
    resume(&host).unwrap();
    assert_eq!(read(&host).unwrap(), "work");
    now(host.delete(&head, DeleteOptions::default())).unwrap();
}
