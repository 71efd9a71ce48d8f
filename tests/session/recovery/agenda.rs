//! Alarms work in pieces. Some pieces fail, and some take long.

use crate::autosave::{MINUTE_MS, call, read, used};
use crate::support::faults::Fault;
use crate::support::ports::{MemoryLog, TestAlarm, TestClock};
use crate::world::{World, call_tool, now, snapshot};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde_json::json;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::session::scope::Needs;
use snapshotter::domain::snapshot::backup::meta_key;
use snapshotter::domain::time::rfc3339;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::random::Random;
use snapshotter::session::{
    Abort, Alarms, ListRequest, LiveForkRequest, RecordRequest, Recorded, Session, SessionSettings,
};
use std::rc::Rc;

const HOUR_MS: i64 = 60 * MINUTE_MS;

#[test]
fn what_fails_keeps_no_workspace_from_being_saved_and_stopped() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "sleepAfter": "10m" }));
    let input = json!({ "command": "true" });
    now(call_tool(&host, "workspace_run", input, &Abort::default())).unwrap();
    world.clock.advance(11 * MINUTE_MS);
    world.sql("ALTER TABLE retries RENAME TO elsewhere");
    assert_eq!(now(host.recover()).unwrap_err().code, ErrorCode::Internal);
    assert!(world.disk("sess").is_none(), "it sleeps");
    let request = ListRequest { include_auto: true, ..ListRequest::default() };
    assert_eq!(now(host.list(&request)).unwrap().snapshots.len(), 1, "and was saved");
}

#[test]
fn one_that_fails_is_set_again_ever_later_until_one_succeeds() {
    let (alarm, clock, log) = (TestAlarm::default(), TestClock::new(), MemoryLog::default());
    let alarms = Alarms {
        label: "sess".to_owned(),
        alarm: Rc::new(alarm.clone()),
        clock: Rc::new(clock.clone()),
        log: Rc::new(log.clone()),
        failures: Default::default(),
    };
    let failed = || {
        alarm.at_ms.set(None);
        let error = Error::new(ErrorCode::NotConfigured, "RETENTION is no policy");
        now(alarms.ended(Err(error))).unwrap();
        (alarm.at_ms.get().unwrap() - clock.now_ms()) / MINUTE_MS
    };
    assert_eq!([(); 6].map(|()| failed()), [1, 2, 4, 8, 10, 10]);
    let lines = log.0.borrow().len();
    alarm.at_ms.set(None);
    now(alarms.ended(Ok(()))).unwrap();
    assert_eq!((alarm.at_ms.get(), log.0.borrow().len()), (None, lines));
    let failed = || {
        now(alarms.ended(Err(Error::internal("no storage")))).unwrap();
        (alarm.at_ms.get().unwrap() - clock.now_ms()) / MINUTE_MS
    };
    assert_eq!([failed(), failed()], [1, 1], "one that is due before stays");
    assert!(log.0.borrow().iter().all(|line| line.event == "alarm.failed"));
}

/// Fires alarms for `ms`, each when it is due, as the runtime does. Alarms that do
/// not end go on in `going_on`.
fn come<'a>(
    world: &World,
    host: &'a Session,
    going_on: &mut Vec<LocalBoxFuture<'a, Result<()>>>,
    ms: i64,
) -> usize {
    let until_ms = world.clock.now_ms() + ms;
    for count in 0..10_000 {
        let Some(at_ms) = world.alarm.at_ms.get().filter(|at_ms| *at_ms <= until_ms) else {
            world.clock.0.set(until_ms);
            return count;
        };
        world.alarm.at_ms.take();
        world.clock.0.set(world.clock.now_ms().max(at_ms));
        let mut alarm = host.recover().boxed_local();
        match (&mut alarm).now_or_never() {
            Some(recovered) => recovered.unwrap(),
            None => {
                now(host.stay_loaded()).unwrap();
                going_on.push(alarm);
            }
        }
    }
    panic!("the alarm never rests");
}

/// A session with a snapshot that nothing needs, and two workspaces that run.
fn two_running() -> (World, Session, BackupId, SandboxId) {
    let config = json!({ "autosave": { "everyMs": 5 * MINUTE_MS }, "sleepAfter": "6h" });
    let (world, host) = used(config);
    let first = snapshot(&host);
    let expires_at = rfc3339(world.clock.now_ms() + 30 * MINUTE_MS);
    let edit = serde_json::from_value(json!({ "expiresAt": expires_at })).unwrap();
    let named = snapshotter::domain::snapshot::selector::SnapshotSelector::Id(first.clone());
    now(host.update_snapshot(&named, &edit)).unwrap();
    world.write("sess", "second");
    snapshot(&host);
    let request = LiveForkRequest { count: None, expected_active: None };
    now(host.live_fork(&request, &Abort::default())).unwrap();
    let list = now(host.list_workspaces()).unwrap().workspaces;
    let branch = list.into_iter().find(|workspace| !workspace.active).unwrap();
    (world, host, first, branch.r#ref.sandbox_id().clone())
}

#[test]
fn an_archive_without_end_keeps_nothing_else_from_its_time() {
    let (world, host, expires, branch) = two_running();
    let mut going_on = Vec::new();
    come(&world, &host, &mut going_on, MINUTE_MS);
    assert!(going_on.is_empty(), "all is quick");
    let active = SandboxId::parse("sess").unwrap();
    world.archiving.borrow_mut().push(active);
    world.write("sess", "third");
    read(&host);
    come(&world, &host, &mut going_on, 6 * MINUTE_MS);
    assert_eq!(going_on.len(), 1, "its archive goes on");
    // Meanwhile, the alarm saves another workspace in use on time.
    let named = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": branch } });
    call(&host, "workspace_switch", json!({ "ref": named })).unwrap();
    read(&host);
    world.write(branch.as_str(), "of the branch");
    read(&host);
    let saved_of = |origin: &str| {
        world.database_count(&format!(
            "SELECT COUNT(*) AS count FROM snapshots
             WHERE origin_sandbox_id = '{origin}' AND state <> 'deleted'"
        ))
    };
    let before = saved_of(branch.as_str());
    come(&world, &host, &mut going_on, 6 * MINUTE_MS);
    assert_eq!(saved_of(branch.as_str()), before + 1, "the branch is saved");
    // What a crash left is finished.
    world.sql(&format!("UPDATE snapshots SET checked_at_ms = 0 WHERE id <> '{expires}'"));
    come(&world, &host, &mut going_on, HOUR_MS);
    assert!(!world.bucket.keys().contains(&meta_key(&expires)), "what expired is deleted");
    let unchecked = "SELECT COUNT(*) AS count FROM snapshots
        WHERE state = 'ready' AND checked_at_ms = 0";
    assert_eq!(world.database_count(unchecked), 0, "what R2 has is checked");
    assert_eq!(going_on.len(), 1, "and its archive still goes on, once");
    assert_eq!(saved_of("sess"), 2, "one deleted, one kept, and one that is being made");
}

#[test]
fn a_heartbeat_does_nothing_else() {
    let (world, host, ..) = two_running();
    let mut none = Vec::new();
    come(&world, &host, &mut none, MINUTE_MS);
    let abort = Abort::default();
    let request = RecordRequest {
        id: None,
        op: "workspace_run".to_owned(),
        key: None,
        fingerprint: String::new(),
        rights: Needs::Nothing.into(),
        names_subject: false,
    };
    now(host.stay_loaded()).unwrap();
    let Recorded::New(working) = now(host.record(&request, &abort)).unwrap() else { panic!() };
    let due_ms = world.alarm.at_ms.get().unwrap();
    assert_eq!(due_ms - world.clock.now_ms(), 5_000);
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let (changes, statements) = (world.database.changes(), world.database.statements.get());
    let beats = come(&world, &host, &mut none, MINUTE_MS);
    assert_eq!(beats, 12);
    assert_eq!(world.database.changes(), changes);
    assert_eq!(world.database.statements.get() - statements, 12, "one that asks what runs");
    assert!(world.faults.trace().iter().all(|name| name == "alarm"), "{:?}", world.faults.trace());
    // The beats end with the work, and the alarm's other tasks run on time.
    drop(working);
    assert!(come(&world, &host, &mut none, MINUTE_MS) <= 3);
    assert!(world.alarm.at_ms.get().unwrap() > world.clock.now_ms() + 5_000);
    come(&world, &host, &mut none, 6 * MINUTE_MS);
    assert!(world.faults.trace().iter().any(|name| name == "archive"));
    assert!(none.is_empty());
}

#[test]
fn a_piece_that_fails_stops_no_other_and_comes_again_ever_later() {
    let (world, host, expires, _) = two_running();
    let mut none = Vec::new();
    come(&world, &host, &mut none, MINUTE_MS);
    world.sql("ALTER TABLE halted_sweeps RENAME TO elsewhere");
    world.sql("UPDATE snapshots SET checked_at_ms = 0");
    world.clock.advance(31 * MINUTE_MS);
    let fails = |after_ms: i64| {
        world.clock.advance(after_ms);
        world.alarm.at_ms.take();
        assert_eq!(now(host.recover()).unwrap_err().code, ErrorCode::Internal);
        let line = world.log.0.borrow().last().unwrap().clone();
        assert_eq!(
            (line.event.as_str(), &line.fields["piece"]),
            ("alarm.piece_failed", &json!("sweep"))
        );
        assert!(world.alarm.at_ms.get().is_some());
        line.fields["nextTryAt"].as_str().unwrap().to_owned()
    };
    let in_minutes = |minutes| rfc3339(world.clock.now_ms() + minutes * MINUTE_MS);
    assert_eq!(fails(0), in_minutes(1));
    assert!(!world.bucket.keys().contains(&meta_key(&expires)), "what expired is deleted");
    assert_eq!(fails(MINUTE_MS), in_minutes(2));
    // An alarm before that time does not retry it.
    world.clock.advance(MINUTE_MS);
    now(host.recover()).unwrap();
    assert_eq!(fails(MINUTE_MS), in_minutes(4));
    world.sql("ALTER TABLE elsewhere RENAME TO halted_sweeps");
    world.clock.advance(4 * MINUTE_MS);
    now(host.recover()).unwrap();
    let checked = "SELECT COUNT(*) AS count FROM snapshots WHERE checked_at_ms = 0";
    assert_eq!(world.database_count(checked), 1, "but the deleted one");
}

#[test]
fn an_alarm_that_has_worked_for_long_begins_nothing_more() {
    let (world, host, expires, _) = two_running();
    let mut none = Vec::new();
    come(&world, &host, &mut none, MINUTE_MS);
    world.clock.advance(31 * MINUTE_MS);
    world.write("sess", "third");
    read(&host);
    world.archive_ms.set(30_000);
    world.alarm.at_ms.take();
    now(host.recover()).unwrap();
    let is_there = || world.bucket.keys().contains(&meta_key(&expires));
    assert!(is_there(), "it is left to the next");
    assert!(world.alarm.at_ms.take().unwrap() <= world.clock.now_ms());
    now(host.recover()).unwrap();
    assert!(!is_there());
}

/// Random numbers that differ between the objects of a test.
struct Drawn(u16);

impl Random for Drawn {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        let drawn = self.0.wrapping_mul(7_919).to_le_bytes();
        bytes.iter_mut().zip(drawn.into_iter().cycle()).for_each(|(to, from)| *to = from);
        Ok(())
    }
}

/// A deploy makes all objects new at once. Their overdue upkeep comes at random times of a
/// minute.
#[test]
fn overdue_upkeep_of_many_new_objects_does_not_come_at_once() {
    let mut delays = Vec::new();
    for nth in 1..40 {
        let world = World::new();
        let host = world.open_with("sess", json!({ "autosave": false }));
        let input = json!({ "command": "true" });
        now(call_tool(&host, "workspace_run", input, &Abort::default())).unwrap();
        snapshot(&host);
        world.recover("sess");
        world.clock.advance(48 * HOUR_MS);
        let new_host = || {
            let settings = SessionSettings { spread_ms: 60_000, ..SessionSettings::default() };
            world.host_by("sess", settings, Rc::new(Drawn(nth))).unwrap()
        };
        let looks_at_r2 = |work: &dyn Fn()| {
            world.faults.arm(usize::MAX, Fault::ErrorBefore);
            work();
            world.faults.trace().iter().any(|effect| effect == "head")
        };
        let (began_ms, delay_ms) =
            (world.clock.now_ms(), || world.alarm.at_ms.get().unwrap() - world.clock.now_ms());
        world.alarm.at_ms.set(None);
        now(new_host().start()).unwrap();
        assert!((0..=60_000).contains(&delay_ms()), "{}", delay_ms());
        delays.push(delay_ms());
        // A late alarm may be the first event of an object.
        let host = new_host();
        world.alarm.at_ms.set(None);
        assert!(!looks_at_r2(&|| now(host.recover()).unwrap()), "it does not look at once");
        assert!((1..=60_000).contains(&delay_ms()), "{}", delay_ms());
        world.clock.0.set(began_ms + 60_000);
        assert!(looks_at_r2(&|| now(host.recover()).unwrap()), "but within the minute");
    }
    delays.sort_unstable();
    delays.dedup();
    assert!(delays.len() > 30, "{delays:?}");
}

#[test]
fn what_a_crash_left_is_not_put_off_after_a_deploy() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    let input = json!({ "command": "true" });
    now(call_tool(&host, "workspace_run", input, &Abort::default())).unwrap();
    world.recover("sess");
    let pending = || {
        let rows = "SELECT COUNT(*) AS count FROM snapshots WHERE state = 'pending'";
        world.database_count(rows)
    };
    for nth in 0..10 {
        world.faults.arm(nth, Fault::CrashAfter);
        let broken = host.snapshot(Default::default(), &Abort::default()).now_or_never();
        world.faults.disarm();
        if broken.is_none() && pending() > 0 {
            break;
        }
    }
    assert_eq!(pending(), 1);
    world.clock.advance(48 * HOUR_MS);
    let settings = SessionSettings { spread_ms: 60_000, ..SessionSettings::default() };
    let host = world.host_by("sess", settings, Rc::new(Drawn(3))).unwrap();
    world.alarm.at_ms.set(None);
    now(host.start()).unwrap();
    assert_eq!(world.alarm.at_ms.get(), Some(world.clock.now_ms()));
    now(host.recover()).unwrap();
    assert_eq!(pending(), 0);
}
