//! Claims, rewinds to borrowed snapshots, and deletes: concurrent or broken off.

use crate::leases::{delete, expire, kinds, leases, published, rewind_to, run};
use crate::support::faults::Fault;
use crate::world::{World, call_tool, now, snapshot};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::{FusedFuture, LocalBoxFuture, join_all};
use futures::join;
use serde_json::json;
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::limits::LEASE_RENEW_MS;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{Abort, DeleteOptions, RewindRequest, Rewound, Session};

/// A rewind of a session in use, paused after `moment` steps; none if it ended
/// before. Every effect is slow from here on.
fn held_up<'a>(
    world: &World,
    theirs: &'a Session,
    request: &'a RewindRequest,
    abort: &'a Abort,
    moment: usize,
) -> Option<LocalBoxFuture<'a, Result<Rewound, Error>>> {
    run(theirs).unwrap();
    world.faults.slow.set(true);
    let mut rewind = theirs.rewind(request, abort).boxed_local();
    let ended = (0..moment).any(|_| rewind.as_mut().now_or_never().is_some());
    assert!(!ended || moment > 10);
    (!ended).then_some(rewind)
}

/// At any moment of a claim, the borrower's alarm does not return the lease that
/// the claim needs.
#[test]
fn an_alarm_amid_a_claim_leaves_the_lease_alone() {
    for moment in 0..60 {
        let (world, _, id, other) = published();
        let theirs = other.open_with("other", json!({ "autosave": false }));
        world.faults.slow.set(true);
        let (selector, abort) = (SnapshotSelector::Id(id), Abort::default());
        let branch = theirs.make_workspace(RestoreKind::Branch, &selector, false, &abort);
        let mut claiming = Box::pin(branch);
        if (0..moment).any(|_| claiming.as_mut().now_or_never().is_some()) {
            assert!(moment > 5);
            return;
        }
        let before = leases(&world, &other);
        // Run the alarm as far as it gets: it may wait for the claim's call to the
        // owner.
        let mut alarm = Box::pin(theirs.recover().fuse());
        let _ = (0..60).any(|_| alarm.as_mut().now_or_never().is_some());
        assert_eq!(leases(&world, &other), before, "at {moment}");
        block_on(claiming).unwrap();
        if !alarm.is_terminated() {
            block_on(alarm).unwrap();
        }
        assert_eq!(leases(&world, &other), (1, 1), "at {moment}");
    }
}

/// A save during the renewal of a lease ends the need for it. The owner gets the
/// lease back at once, not at the next renewal.
#[test]
fn a_save_while_a_lease_is_renewed_returns_it_at_once() {
    let mut saved_amid = 0;
    for moment in 0..60 {
        let (world, _, id, other) = published();
        let theirs = other.open_with("other", json!({ "autosave": false }));
        run(&theirs).unwrap();
        now(theirs.rewind(&rewind_to(&id), &Abort::default())).unwrap();
        other.write("other", "v2");
        assert_eq!(leases(&world, &other), (1, 1));
        other.clock.advance(LEASE_RENEW_MS);
        world.faults.slow.set(true);
        let mut alarm = Box::pin(theirs.recover());
        if (0..moment).any(|_| alarm.as_mut().now_or_never().is_some()) {
            break;
        }
        world.faults.slow.set(false);
        snapshot(&theirs);
        saved_amid += usize::from(leases(&world, &other) == (1, 1));
        block_on(alarm).unwrap();
        let now_ms = other.clock.now_ms();
        assert!(other.alarm.at_ms.get().is_none_or(|at_ms| at_ms < now_ms + 1_000), "at {moment}");
        other.clock.advance(1_000);
        block_on(theirs.recover()).unwrap();
        assert_eq!(leases(&world, &other), (0, 0), "at {moment}");
    }
    assert!(saved_amid > 2, "{saved_amid}");
}

/// A workspace keeps its lease, even if the owner refuses the next claim.
#[test]
fn a_call_that_is_refused_takes_nothing_from_another() {
    for moment in 0..80 {
        let (world, host, id, other) = published();
        let theirs = other.open_with("other", json!({ "autosave": false }));
        let (request, abort) = (rewind_to(&id), Abort::default());
        let Some(first) = held_up(&world, &theirs, &request, &abort, moment) else { return };
        world.faults.slow.set(false);
        expire(&world, &host, &id);
        let (second, first) = block_on(async { join!(theirs.rewind(&request, &abort), first) });
        assert!(second.is_err(), "at {moment}");
        let stands = i64::from(first.is_ok());
        assert_eq!(leases(&world, &other), (stands, stands), "{first:?} at {moment}");
        let conflict = first.is_ok().then_some(ErrorCode::Conflict);
        assert_eq!(delete(&host, &id, false), conflict, "{first:?} at {moment}");
    }
}

/// Two concurrent rewinds to one snapshot share one lease. Neither rewind ends it
/// for the other, nor does an alarm between them.
#[test]
fn rewinds_at_once_share_a_lease() {
    for moment in 0..60 {
        let (world, host, id, other) = published();
        let theirs = other.open_with("other", json!({ "autosave": false }));
        let (request, abort) = (rewind_to(&id), Abort::default());
        let Some(first) = held_up(&world, &theirs, &request, &abort, moment) else { return };
        let second = theirs.rewind(&request, &abort);
        let (first, second, recovered) = block_on(async { join!(first, second, theirs.recover()) });
        recovered.unwrap();
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?} at {moment}");
        world.faults.slow.set(false);
        assert_eq!(leases(&world, &other), (1, 1), "at {moment}");
        assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict), "at {moment}");
    }
}

/// At any moment of the claim, either the delete is refused or the claim is, before
/// it begins. No workspace fails because its snapshot is missing.
#[test]
fn a_delete_meets_no_reader_of_another_session() {
    for cross in [false, true] {
        let (mut refused, mut deleted) = (0, 0);
        for moment in 0..60 {
            let (world, host, id, other) = published();
            let config = json!({ "capabilities": { "snapshot": { "crossSession": cross } } });
            let theirs = other.open_with("other", config);
            world.faults.slow.set(true);
            let (selector, abort) = (SnapshotSelector::Id(id.clone()), Abort::default());
            let branch = theirs.make_workspace(RestoreKind::Branch, &selector, cross, &abort);
            let mut claiming = Box::pin(branch);
            if (0..moment).any(|_| claiming.as_mut().now_or_never().is_some()) {
                break;
            }
            let options = DeleteOptions { force: true, ..DeleteOptions::default() };
            let answer = block_on(host.delete(&selector, options));
            let claimed = block_on(claiming);
            match answer {
                Ok(_) => deleted += 1,
                Err(error) => {
                    assert_eq!(error.code, ErrorCode::Conflict);
                    assert!(claimed.is_ok(), "{claimed:?} though the delete was refused");
                    refused += 1;
                }
            }
            assert_eq!(kinds(&theirs, "workspace.failed"), 0, "{claimed:?} at {moment}");
        }
        assert!(refused > 2 && deleted > 2, "{refused} and {deleted}");
    }
}

/// After any break, the owner in the end lends exactly the snapshots that workspaces
/// would wake from.
#[test]
fn every_break_point_of_a_claim_settles() {
    type Operate = fn(&Session, &BackupId) -> Option<Result<(), Error>>;
    let cases: [(&str, Operate); 3] = [
        ("rewind", |host, id| {
            let (request, abort) = (rewind_to(id), Abort::default());
            Some(host.rewind(&request, &abort).now_or_never()?.map(drop))
        }),
        ("claim", |host, id| {
            let (selector, abort) = (SnapshotSelector::Id(id.clone()), Abort::default());
            let branch = host.make_workspace(RestoreKind::Branch, &selector, false, &abort);
            Some(branch.now_or_never()?.map(drop))
        }),
        ("open", |host, id| {
            let config = json!({ "from": id, "autosave": false });
            let config = serde_json::from_value(config).unwrap();
            Some(host.open(config).now_or_never()?.map(drop))
        }),
    ];
    for (name, operate) in cases {
        for fault in Fault::ALL {
            for nth in 0.. {
                let (world, host, id, other) = published();
                if name != "open" {
                    run(&other.open_with("other", json!({ "autosave": false }))).unwrap();
                }
                let theirs = other.host("other");
                world.faults.arm(nth, fault);
                let answer = operate(&theirs, &id);
                let reached = world.faults.disarm();
                let context = format!("{name} broken by {fault:?} at {nth}: {answer:?}");
                drop(theirs);
                other.recover("other");
                let theirs = other.host("other");
                let needed = other.database_count(&format!(
                    "SELECT COUNT(*) AS count FROM workspaces
                     WHERE head_backup_id = '{id}' AND state <> 'destroyed'"
                ));
                assert_eq!(leases(&world, &other), (needed, needed), "{context}");
                let conflict = (needed > 0).then_some(ErrorCode::Conflict);
                assert_eq!(delete(&host, &id, false), conflict, "{context}");
                let made = matches!(answer, Some(Ok(())));
                assert!(!made || needed == 1, "{context}");
                if !reached {
                    assert!(made && nth > if name == "open" { 2 } else { 4 }, "{context}");
                    assert!(theirs.describe().is_ok());
                    break;
                }
            }
        }
    }
}

#[test]
fn twenty_claim_one_at_once() {
    let (world, host, id, _) = published();
    let hosts: Vec<(String, Session)> = (0..20)
        .map(|number| {
            let name = format!("claimer-{number}");
            (name.clone(), world.other_session().host(&name))
        })
        .collect();
    world.faults.slow.set(true);
    let opened = hosts.iter().map(async |(name, host)| {
        host.open(serde_json::from_value(json!({ "from": id })).unwrap()).await.unwrap();
        let input = json!({ "command": "cat" });
        let answer = call_tool(host, "workspace_run", input, &Abort::default()).await.unwrap();
        assert_eq!(answer["stdout"], "v1", "{name}");
    });
    block_on(join_all(opened));
    world.faults.slow.set(false);
    assert_eq!(world.starts.get(), 21);
    for (name, _) in &hosts {
        world.write(name, name);
    }
    for (name, claimer) in &hosts {
        assert_eq!(run(claimer).unwrap()["stdout"], name.as_str(), "each has a disk of its own");
    }
    assert_eq!(kinds(&host, "snapshot.claimed"), 20);
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict));
}
