//! Alarms of which something fails.

use crate::support::ports::{MemoryLog, TestAlarm, TestClock};
use crate::world::{World, now};
use serde_json::json;
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::ports::clock::Clock;
use snapshotter::tools;
use snapshotter::usecases::host::{Abort, Alarms, ListRequest};
use std::rc::Rc;

const MINUTE_MS: i64 = 60_000;

#[test]
fn what_fails_keeps_no_workspace_from_being_saved_and_stopped() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "sleepAfter": "10m" }));
    let input = json!({ "command": "true" });
    now(tools::call(&host, "workspace_run", input, &Abort::default())).unwrap();
    world.clock.advance(11 * MINUTE_MS);
    world.sql("ALTER TABLE retries RENAME TO elsewhere");
    assert_eq!(now(host.settle()).unwrap_err().code, ErrorCode::Internal);
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
