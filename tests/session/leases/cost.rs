//! The cost of claims for the session that published a snapshot.

use crate::leases::{delete, kinds, leases, published, rewind_to, run};
use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind, SandboxId, SessionId};
use snapshotter::domain::limits::{CLAIMS_BURST, CLAIMS_EACH_BURST};
use snapshotter::domain::snapshot::backup::meta_key;
use snapshotter::domain::snapshot::lease::{LeaseAction, LeaseRequest};
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{Abort, Session};

fn claim(host: &Session, id: &BackupId) -> Result<SandboxId, ErrorCode> {
    let selector = SnapshotSelector::Id(id.clone());
    let branched =
        now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default()));
    branched.map(|branched| branched.r#ref.sandbox_id().clone()).map_err(|error| error.code)
}

fn request(id: &BackupId, borrower: &str, sandbox: &str, action: LeaseAction) -> LeaseRequest {
    LeaseRequest {
        backup_id: id.clone(),
        binding: "BACKUP_BUCKET".into(),
        borrower: SessionId::parse(borrower).unwrap(),
        sandbox_id: SandboxId::parse(sandbox).unwrap(),
        action,
    }
}

/// Whether a call sends a request to the owner.
fn asks(world: &World, call: impl FnOnce()) -> bool {
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    call();
    let asked = world.faults.trace().iter().any(|name| name == "lend");
    world.faults.disarm();
    asked
}

#[test]
fn what_the_borrowers_limits_refuse_is_not_asked_of_the_owner() {
    for limits in [json!({ "maxWorkspaces": 2 }), json!({ "maxRunning": 2 })] {
        let (world, host, id, other) = published();
        let config = json!({ "autosave": false, "limits": limits });
        let theirs = other.open_with("other", config);
        run(&theirs).unwrap();
        claim(&theirs, &id).unwrap();
        assert_eq!(kinds(&host, "snapshot.claimed"), 1);
        let asked = asks(&world, || {
            for _ in 0..20 {
                assert_eq!(claim(&theirs, &id), Err(ErrorCode::QuotaExceeded));
            }
        });
        assert!(!asked, "{limits}");
        assert_eq!(kinds(&host, "snapshot.claimed"), 1);
        assert_eq!(leases(&world, &other), (1, 1));
    }
}

#[test]
fn a_rewind_for_which_no_container_may_start_is_not_asked_of_the_owner() {
    let (world, host, id, other) = published();
    let config = json!({ "autosave": false, "limits": { "maxRunning": 1 } });
    let theirs = other.open_with("other", config);
    run(&theirs).unwrap();
    let own = snapshot(&theirs);
    world.kill("other");
    let branch = claim(&theirs, &own).unwrap();
    assert_eq!(kinds(&host, "snapshot.claimed"), 0, "that was its own");
    let rewind = || now(theirs.rewind(&rewind_to(&id), &Abort::default()));
    assert!(!asks(&world, || {
        assert_eq!(rewind().unwrap_err().code, ErrorCode::QuotaExceeded);
    }));
    // Once there is room, the rewind reaches the owner.
    now(theirs.destroy_workspace(&WorkspaceRef::new(branch))).unwrap();
    assert!(asks(&world, || drop(rewind().unwrap())));
    assert_eq!((leases(&world, &other), kinds(&host, "snapshot.claimed")), ((1, 1), 1));
}

#[test]
fn an_open_with_a_snapshot_of_another_directory_is_not_asked_of_the_owner() {
    let (world, host, id, other) = published();
    let theirs = other.host("other");
    let config = json!({ "from": id, "workspaceDir": "/home/agent" });
    assert!(!asks(&world, || {
        let config = serde_json::from_value(config).unwrap();
        assert_eq!(now(theirs.open(config)).unwrap_err().code, ErrorCode::InvalidArgument);
    }));
    assert_eq!(kinds(&host, "snapshot.claimed"), 0);
}

#[test]
fn the_claims_of_one_session_are_one_event_a_day() {
    let (world, host, id, _) = published();
    let lend = |borrower: &str| drop(host.lend(&request(&id, borrower, "w", LeaseAction::Claim)));
    for _ in 0..5 {
        lend("other");
    }
    assert_eq!(kinds(&host, "snapshot.claimed"), 1);
    lend("another");
    assert_eq!(kinds(&host, "snapshot.claimed"), 2);
    // A restart does not forget it either.
    world.clock.advance(24 * 3_600_000 - 1);
    drop(world.host("sess").lend(&request(&id, "other", "w", LeaseAction::Claim)));
    assert_eq!(kinds(&host, "snapshot.claimed"), 2);
    world.clock.advance(1);
    lend("other");
    assert_eq!(kinds(&host, "snapshot.claimed"), 3);
    let rows = world.database_count("SELECT COUNT(*) AS count FROM claimers");
    assert_eq!(rows, 1, "what is older is forgotten");
}

#[test]
fn the_rate_of_claims_is_the_owners() {
    let (world, host, id, _) = published();
    let ask = |borrower: &str, wanted| {
        host.lend(&request(&id, borrower, "w", wanted)).map(drop).map_err(|error| error.code)
    };
    for _ in 0..CLAIMS_EACH_BURST {
        assert_eq!(ask("other", LeaseAction::Claim), Ok(()));
    }
    let before = world.database.changes();
    let refused = host.lend(&request(&id, "other", "w", LeaseAction::Claim)).unwrap_err();
    assert_eq!((refused.code, refused.retryable), (ErrorCode::RateLimited, true));
    assert_eq!(world.database.changes(), before, "it costs no row");
    // The refusal does not reveal what exists. It stops neither other borrowers nor
    // renewals and returns.
    let unknown = request(&BackupId::from_random([7; 16]), "other", "w", LeaseAction::Claim);
    assert_eq!(host.lend(&unknown).unwrap_err(), refused);
    assert_eq!(ask("another", LeaseAction::Claim), Ok(()));
    for wanted in [LeaseAction::Keep, LeaseAction::Return] {
        assert_eq!(ask("other", wanted), Ok(()));
    }
    let wait_ms = refused.details.unwrap()["retryAfterMs"].as_i64().unwrap();
    world.clock.advance(wait_ms);
    assert_eq!(ask("other", LeaseAction::Claim), Ok(()));
    // All other borrowers together have one rate.
    world.clock.advance(60_000);
    let granted = (0..2 * CLAIMS_BURST).filter(|number| {
        let borrower = format!("claimer-{number}");
        ask(&borrower, LeaseAction::Claim).is_ok()
    });
    assert_eq!(granted.count(), CLAIMS_BURST as usize);
}

#[test]
fn a_delete_costs_the_same_with_few_leases_and_with_many() {
    let cost = |count: i64| {
        let (world, host, id, _) = published();
        let until_ms = world.clock.now_ms() + 3_600_000;
        world.sql(&format!(
            "WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < {count})
             INSERT INTO leases (backup_id, borrower, sandbox_id, reads, until_ms)
             SELECT '{id}', 'other-' || n, 'w', n % 2, {until_ms} FROM made"
        ));
        let before = world.database.steps.get();
        for force in [false, true] {
            assert_eq!(delete(&host, &id, force), Some(ErrorCode::Conflict));
        }
        world.database.steps.get() - before
    };
    let (few, many) = (cost(10), cost(10_000));
    assert!(many * 2 <= few * 3, "{few} instructions with few, {many} with many");
}

#[test]
fn what_is_lent_takes_no_room_of_its_owner() {
    let world = World::new();
    let limits = json!({ "retention": { "maxBytes": 5, "keepAutosaves": 0 }, "autosave": false });
    let host = world.open_with("sess", limits);
    run(&host).unwrap();
    let take = |content: &str| {
        world.write("sess", content);
        snapshot(&host)
    };
    let lent = take("four");
    let edit = serde_json::from_value(json!({ "published": true })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(lent.clone()), &edit)).unwrap();
    let other = world.other_session();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    let branch = claim(&theirs, &lent).unwrap();
    // Two snapshots that fill the limit, beside the lent one.
    let (second, third) = (take("ab"), take("abc"));
    world.clock.advance(60_000);
    now(host.recover()).unwrap();
    let is_there = |id: &BackupId| world.bucket.keys().contains(&meta_key(id));
    assert!([&lent, &second, &third].into_iter().all(is_there));
    assert_eq!(host.plan_retention().unwrap().exceeded, None);
    // Once its lease is over, the lent snapshot counts too.
    now(theirs.destroy_workspace(&WorkspaceRef::new(branch))).unwrap();
    other.recover("other");
    assert_eq!(leases(&world, &other), (0, 0));
    world.clock.advance(60_000);
    now(host.recover()).unwrap();
    assert!(!is_there(&lent) && is_there(&second) && is_there(&third));
}

/// Stores `count` leases of one snapshot.
fn lend_often(world: &World, id: &BackupId, count: i64, until_ms: i64) {
    world.sql(&format!(
        "WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < {count})
         INSERT INTO leases (backup_id, borrower, sandbox_id, reads, until_ms)
         SELECT '{id}', 'other-' || n, 'w', 0, {until_ms} FROM made"
    ));
}

#[test]
fn the_owners_calls_and_alarm_cost_the_same_with_few_leases_and_with_many() {
    let cost = |count: i64| {
        let world = World::new();
        let limits = json!({ "retention": { "maxCount": 100, "maxBytes": 1_000_000 } });
        let host = world.open_with("sess", limits);
        let id = snapshot(&host);
        lend_often(&world, &id, count, world.clock.now_ms() + 3_600_000);
        let before = world.database.steps.get();
        now(world.host("sess").start()).unwrap();
        now(host.recover()).unwrap();
        host.plan_retention().unwrap();
        snapshot(&host);
        world.database.steps.get() - before
    };
    let (few, many) = (cost(10), cost(10_000));
    assert!(many * 2 <= few * 3, "{few} instructions with few, {many} with many");
}

#[test]
fn leases_that_are_over_are_forgotten_a_few_at_a_time() {
    let (world, _, id, _) = published();
    lend_often(&world, &id, 700, world.clock.now_ms() + 1_000);
    world.clock.advance(60_000);
    let left = || world.database_count("SELECT COUNT(*) AS count FROM leases");
    for expected in [200, 0] {
        now(world.host("sess").recover()).unwrap();
        assert_eq!(left(), expected);
    }
}

#[test]
fn claims_of_many_sessions_are_sixty_events_an_hour() {
    let (world, host, id, _) = published();
    let lend = |number: u32| {
        let borrower = format!("claimer-{number}");
        host.lend(&request(&id, &borrower, "w", LeaseAction::Claim)).unwrap();
    };
    (0..100).for_each(lend);
    assert_eq!(kinds(&host, "snapshot.claimed"), 60);
    let rows = world.database_count("SELECT COUNT(*) AS count FROM claimers");
    assert_eq!(rows, 60, "nor do the others cost a row");
    world.clock.advance(3_600_000);
    (99..101).for_each(lend);
    let events = host.list_events(Some(2), None).unwrap().events;
    let untold: Vec<_> = events.iter().map(|event| &event.payload["omittedCount"]).collect();
    assert_eq!(untold, [&json!(0), &json!(40)]);
}
