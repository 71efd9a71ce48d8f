//! The directory, and the list of sessions.

use crate::operator::{DAY_MS, Deployment, run};
use crate::support::faults::Fault;
use crate::world::{World, now};
use futures::FutureExt;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::SessionId;
use snapshotter::domain::metrics::{Counted, Counters};
use snapshotter::ports::directory::Directory;

// ---- the directory

#[test]
fn a_session_is_listed_by_its_alarm_and_its_open_waits_for_nothing() {
    let world = World::new();
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let host = world.open("sess");
    now(host.announce());
    assert_eq!(world.faults.trace(), ["alarm"], "nothing but the alarm is set");
    assert!(world.directory.listed().is_empty());
    world.recover("sess");
    assert_eq!(world.directory.listed(), ["sess"]);
    // After that, the session does not register again.
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    world.alarm.at_ms.take();
    now(world.host("sess").start()).unwrap();
    now(world.host("sess").recover()).unwrap();
    assert!(!world.faults.trace().contains(&"register".to_owned()));
    assert_eq!(world.alarm.at_ms.get(), None);
}

#[test]
fn a_directory_that_does_not_answer_fails_no_call_and_gets_the_session_later() {
    for fault in Fault::ALL {
        let world = World::new();
        let host = world.open("sess");
        now(host.announce());
        world.alarm.at_ms.take();
        world.faults.arm(0, fault);
        let recovered = host.recover().now_or_never();
        assert!(world.faults.disarm(), "{fault:?}");
        let crashed = recovered.is_none();
        assert!(crashed || recovered.unwrap().is_ok(), "{fault:?}");
        let warned = world.log.0.borrow().iter().any(|line| line.event == "register");
        assert_eq!(warned, !crashed, "{fault:?}");
        // The object is new. After an error the alarm is set; after a crash the next call
        // sets it.
        assert!(crashed || world.alarm.at_ms.get().is_some(), "{fault:?}");
        world.recover("sess");
        assert_eq!(world.directory.listed(), ["sess"], "{fault:?}");
        assert_eq!(world.database_count("SELECT COUNT(*) AS count FROM retries"), 0);
        world.check_invariants("sess");
    }
}

#[test]
fn a_directory_that_lost_its_storage_lists_what_is_used_again() {
    let world = World::new();
    now(world.open("sess").announce());
    world.recover("sess");
    let mut after = world.clone();
    after.directory = World::new().directory;
    after.recover("sess");
    assert!(after.directory.listed().is_empty(), "not at each call");
    after.clock.advance(30 * DAY_MS);
    after.recover("sess");
    assert_eq!(after.directory.listed(), ["sess"]);
}

#[test]
fn sessions_of_before_the_directory_are_listed_at_their_next_call() {
    let world = World::new();
    world.directory.bound.set(false);
    let host = world.open("sess");
    now(host.start()).unwrap();
    world.recover("sess");
    assert_eq!(world.alarm.at_ms.get(), None, "without a directory there is nothing to do");
    assert_eq!(run(&world.host("sess")), "");
    world.directory.bound.set(true);
    assert!(world.directory.listed().is_empty());
    world.recover("sess");
    assert_eq!(world.directory.listed(), ["sess"]);
}

#[test]
fn every_session_is_listed_once_page_by_page() {
    let deployment = Deployment::new(&["B", "a", "a:b", "zz", "c"]);
    deployment.recover();
    let operator = deployment.operator();
    let (mut listed, mut cursor, mut pages) = (Vec::new(), None::<String>, 0);
    loop {
        let page = now(operator.list_sessions(Some(2), cursor.as_deref())).unwrap();
        listed.extend(page.sessions.into_iter().map(|listed| listed.session.to_string()));
        pages += 1;
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((listed, pages), (["B", "a", "a:b", "c", "zz"].map(str::to_owned).to_vec(), 3));
    // Cursors of other lists.
    for foreign in ["eyJjIjp7InMiOjQyfX0", "eyJwIjp7Im4iOiJTRUNPTkQifX0", "e30", "*"] {
        let refused = now(operator.list_sessions(None, Some(foreign))).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument, "{foreign}");
    }
}

#[test]
fn without_a_directory_the_operator_is_told_which_binding_is_missing() {
    let deployment = Deployment::new(&[]);
    deployment.world.directory.bound.set(false);
    let refused = deployment.try_operator().err().unwrap();
    assert_eq!(refused.code, ErrorCode::NotConfigured);
    assert!(refused.message.contains("DIRECTORY"), "{refused}");
}

// ---- numbers

#[test]
fn what_objects_count_adds_up_and_outlives_them() {
    let deployment = Deployment::new(&[]);
    let directory = &deployment.world.directory;
    now(directory.register(&SessionId::parse("sess").unwrap())).unwrap();
    let call = Counted { event: "open", outcome: Some("ok"), ..Counted::default() };
    let mut counters = Counters::default();
    counters.count(call);
    for _ in 0..3 {
        now(directory.count(&counters)).unwrap();
    }
    let text = now(deployment.operator().metrics()).unwrap();
    assert!(text.contains("snapshotter_calls_total{event=\"open\",outcome=\"ok\"} 3\n"), "{text}");
    assert!(text.contains("snapshotter_sessions 1\n"), "{text}");
}
