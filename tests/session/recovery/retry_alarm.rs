//! How often the alarm tries again what failed.

use super::sweep::{DAY_MS, by_id, get, meta_of};

use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::meta_key;
use snapshotter::ports::log::Level;
use snapshotter::session::DeleteOptions;

/// When the alarm failed to recover something, in seconds since `from_ms`, within a day.
fn failed_at(world: &World, from_ms: i64) -> Vec<i64> {
    let mut at = Vec::new();
    while let Some(at_ms) = world.alarm.at_ms.take().filter(|at_ms| *at_ms <= from_ms + DAY_MS) {
        world.clock.0.set(world.clock.0.get().max(at_ms));
        world.log.0.borrow_mut().clear();
        now(world.host("sess").recover()).unwrap();
        let lines = world.log.0.borrow();
        let failed =
            lines.iter().filter(|line| line.event == "recover" && line.level == Level::Warn);
        at.extend(failed.map(|_| (world.clock.0.get() - from_ms) / 1_000));
    }
    at
}

#[test]
fn what_cannot_be_settled_is_tried_ever_less_often_and_at_once_when_asked_for() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    world.sql("UPDATE snapshots SET state = 'deleting', binding = 'GONE'");
    world.alarm.at_ms.set(Some(world.clock.0.get()));
    let at = failed_at(&world, world.clock.0.get());
    assert_eq!(at[..8], [0, 30, 90, 210, 450, 930, 1_890, 3_810]);
    assert!((24..=32).contains(&at.len()), "{at:?}");
    assert!(at.windows(2).all(|two| two[1] - two[0] <= 3_600), "{at:?}");
    let said = world.log.0.borrow().iter().find(|line| line.event == "recover").cloned().unwrap();
    assert_eq!(said.fields["failures"], at.len());
    assert!(said.fields["message"].as_str().unwrap().contains("GONE"), "{said:?}");

    world.sql("UPDATE snapshots SET binding = 'BACKUP_BUCKET'");
    let host = world.host("sess");
    now(host.delete(&by_id(&id), DeleteOptions::default())).unwrap();
    assert_eq!(get(&host, &id).snapshot.state, ShownState::Deleted);
    assert_eq!(world.database_count("SELECT COUNT(*) AS count FROM retries"), 0);
    world.check_invariants("sess");
}

#[test]
fn an_edit_that_cannot_be_written_is_tried_ever_less_often_and_a_new_one_soon() {
    let world = World::new();
    let id = snapshot(&world.open_with("sess", json!({ "autosave": false })));
    let put = |bytes: Vec<u8>| world.bucket.objects.borrow_mut().insert(meta_key(&id), bytes);
    let label = |value: &str| {
        let edit = serde_json::from_value(json!({ "labels": { "try": value } })).unwrap();
        now(world.host("sess").update_snapshot(&by_id(&id), &edit)).unwrap();
    };
    let whole = put(b"damaged".to_vec()).unwrap();
    label("first");
    let end_ms = world.clock.0.get() + DAY_MS;
    let mut alarms = 0;
    while let Some(at_ms) = world.alarm.at_ms.take().filter(|at_ms| *at_ms <= end_ms) {
        world.clock.0.set(world.clock.0.get().max(at_ms));
        now(world.host("sess").recover()).unwrap();
        alarms += 1;
    }
    assert!((24..60).contains(&alarms), "{alarms} alarms in a day");
    label("second");
    put(whole);
    world.recover("sess");
    let labels = meta_of(&world, &id).annotations().labels;
    assert_eq!(serde_json::to_value(labels).unwrap(), json!({ "try": "second" }));
    world.check_invariants("sess");
}

#[test]
fn a_row_that_failed_does_not_keep_the_alarm_busy_while_a_call_works_on_it() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    world.sql("UPDATE snapshots SET state = 'deleting', binding = 'GONE'");
    world.sql("DELETE FROM heads");
    now(host.recover()).unwrap();
    world.sql("UPDATE snapshots SET binding = 'BACKUP_BUCKET'");
    world.clock.advance(60_000);
    world.alarm.at_ms.take();
    // The delete has set the alarm, and stops before its first effect on the bucket.
    world.faults.arm(1, Fault::CrashBefore);
    let selector = by_id(&id);
    let options = DeleteOptions { force: true, ..DeleteOptions::default() };
    let mut delete = Box::pin(host.delete(&selector, options));
    assert!((&mut delete).now_or_never().is_none());
    assert_eq!(world.faults.trace(), ["alarm", "delete"]);
    world.faults.disarm();
    world.alarm.at_ms.take();
    now(host.recover()).unwrap();
    assert!(world.alarm.at_ms.get().unwrap() > world.clock.0.get(), "not at once again");
}
