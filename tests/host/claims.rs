//! Snapshots that a session publishes, and workspaces of others that begin
//! with them.

use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::{FusedFuture, LocalBoxFuture, join_all};
use futures::join;
use serde_json::{Value, json};
use snapshotter::domain::backup::{BackupMeta, meta_key, rfc3339};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{BackupId, ForkKind, SandboxId};
use snapshotter::domain::refs::{SnapshotSelector, WorkspaceRef};
use snapshotter::ports::clock::Clock;
use snapshotter::tools;
use snapshotter::usecases::host::{
    Abort, DeleteOptions, ForkRequest, Host, ListRequest, RewindRequest, Rewound, SnapshotRequest,
};

/// A session `sess` with a published snapshot of a workspace with one file, and
/// another session's world.
fn published() -> (World, Host, BackupId, World) {
    let world = World::new();
    let host = world.open("sess");
    run(&host).unwrap();
    world.write("sess", "v1");
    let id = snapshot(&host);
    publish(&host, &id, true);
    let other = world.other_session();
    (world, host, id, other)
}

fn publish(host: &Host, id: &BackupId, published: bool) {
    let edit = serde_json::from_value(json!({ "published": published })).unwrap();
    let view = now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    assert_eq!(view.snapshot.published, published);
}

fn expire(world: &World, host: &Host, id: &BackupId) {
    let soon = rfc3339(world.clock.now_ms() + 61_000);
    let edit = serde_json::from_value(json!({ "expiresAt": soon })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    world.clock.advance(5_000);
}

fn run(host: &Host) -> Result<Value, Error> {
    let input = json!({ "command": "cat" });
    now(tools::call(host, "workspace_run", input, &Abort::default()))
}

fn claim(host: &Host, id: &BackupId) -> Result<SandboxId, Error> {
    let selector = SnapshotSelector::Id(id.clone());
    let forked = now(host.fork(ForkKind::Branch, &selector, false, &Abort::default()))?;
    Ok(forked.r#ref.sandbox_id().clone())
}

/// Puts the active workspace back to another session's snapshot.
fn rewind_to(id: &BackupId) -> RewindRequest {
    RewindRequest {
        r#ref: SnapshotSelector::Id(id.clone()),
        expected_head: None,
        allow_cross_session: false,
        expected_active: None,
    }
}

fn delete(host: &Host, id: &BackupId, force: bool) -> Option<ErrorCode> {
    let options = DeleteOptions { force, ..DeleteOptions::default() };
    now(host.delete(&SnapshotSelector::Id(id.clone()), options)).err().map(|error| error.code)
}

fn kinds(host: &Host, kind: &str) -> usize {
    let events = host.list_events(None, None).unwrap().events;
    events.iter().filter(|event| event.kind == kind).count()
}

/// Loans that the owner has, and those that the borrower has.
fn loans(world: &World, other: &World) -> (i64, i64) {
    (
        world.database_count("SELECT COUNT(*) AS count FROM loans"),
        other.database_count("SELECT COUNT(*) AS count FROM borrowed"),
    )
}

#[test]
fn only_a_published_one_is_claimed_and_all_else_is_refused_alike() {
    let (world, host, id, other) = published();
    let theirs = other.open("other");
    let refused = |id: &BackupId| claim(&theirs, id).unwrap_err();
    let unknown = refused(&BackupId::from_random([7; 16]));
    assert_eq!(unknown.code, ErrorCode::SnapshotNotOwned);
    let fork = claim(&theirs, &id).unwrap();
    assert_eq!(world.disk(fork.as_str()).unwrap().content, "v1");
    assert_eq!(kinds(&host, "snapshot.claimed"), 1);
    publish(&host, &id, false);
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    assert_eq!(refused(&id), unknown);
    assert!(!world.faults.trace().iter().any(|name| name == "lend"), "no owner is woken");
    world.faults.disarm();
    // Whatever meta.json says, the owner decides.
    let key = meta_key(&id);
    let mut meta = BackupMeta::parse(&id, &world.bucket.objects.borrow()[&key].clone()).unwrap();
    assert!(!meta.snapshotter.as_ref().unwrap().published);
    meta.snapshotter.as_mut().unwrap().published = true;
    world.bucket.objects.borrow_mut().insert(key, meta.to_bytes().unwrap());
    assert_eq!(refused(&id), unknown);
    // Nor is it by another origin, by name, or for anything but its files.
    publish(&host, &id, true);
    let mut forged = now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap().r#ref;
    forged.payload.origin_sandbox_id = Some(SandboxId::parse("other").unwrap());
    let forged = SnapshotSelector::Ref(forged);
    let abort = Abort::default();
    let answer = now(theirs.fork(ForkKind::Branch, &forged, false, &abort));
    assert_eq!(answer.unwrap_err(), unknown);
    let get = now(theirs.get(&SnapshotSelector::Id(id.clone()), false));
    assert_eq!(get.unwrap_err().code, ErrorCode::SnapshotNotOwned);
    assert_eq!(delete(&theirs, &id, true), Some(ErrorCode::SnapshotNotOwned));
}

#[test]
fn a_model_can_claim_and_not_publish() {
    let (world, host, id, other) = published();
    let input = json!({ "ref": id, "published": true });
    let refused = now(tools::call(&host, "workspace_update_snapshot", input, &Abort::default()));
    assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidArgument);
    let theirs = other.open("other");
    let input = json!({ "ref": id });
    let answer = now(tools::call(&theirs, "workspace_restore", input, &Abort::default())).unwrap();
    let fork = answer["ref"]["ref"]["id"].as_str().unwrap();
    assert_eq!(world.disk(fork).unwrap().content, "v1");
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1", "and it went on there");
}

#[test]
fn what_is_published_survives_the_loss_of_the_catalogue() {
    let (world, _host, id, other) = published();
    let empty = world.other_session();
    let host = empty.open("sess");
    now(host.rebuild(None, None)).unwrap();
    let view = now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap();
    assert!(view.snapshot.published);
    assert!(claim(&other.open("other"), &id).is_ok());
}

#[test]
fn a_session_begins_with_a_published_snapshot() {
    let (world, host, id, other) = published();
    let theirs = other.host("other");
    let open = |config: Value| now(theirs.open(serde_json::from_value(config).unwrap()));
    let unknown = BackupId::from_random([7; 16]);
    for (from, code) in [
        (json!(unknown), ErrorCode::SnapshotNotOwned),
        (json!("a name"), ErrorCode::InvalidArgument),
    ] {
        assert_eq!(open(json!({ "from": from })).unwrap_err().code, code);
    }
    let elsewhere = json!({ "from": id, "workspaceDir": "/home/agent" });
    assert_eq!(open(elsewhere).unwrap_err().code, ErrorCode::InvalidArgument);
    assert_eq!(theirs.describe().unwrap_err().code, ErrorCode::NotFound, "nothing was opened");
    assert_eq!(loans(&world, &other), (0, 0));
    open(json!({ "from": id })).unwrap();
    assert_eq!(world.disk("other"), None, "it starts no container");
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict));
    let first = run(&theirs).unwrap();
    assert_eq!((&first["stdout"], &first["woken"]["fromSnapshotId"]), (&json!("v1"), &json!(id)));
    assert!(first["woken"]["message"].as_str().unwrap().starts_with("The workspace began with"));
    // Again does nothing, whatever has become of the snapshot.
    assert_eq!(delete(&host, &id, true), None);
    open(json!({ "from": id })).unwrap();
    assert_eq!(open(json!({})).unwrap_err().code, ErrorCode::Conflict, "it is part of the policy");
    assert_eq!((kinds(&theirs, "workspace.claimed"), kinds(&host, "snapshot.claimed")), (1, 2));
}

#[test]
fn as_long_as_a_workspace_would_wake_from_it_only_force_deletes_it() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    let fork = claim(&theirs, &id).unwrap();
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict));
    // However long that is, and whatever its time to live says.
    for _ in 0..5 {
        world.clock.advance(20 * 3_600_000);
        now(theirs.switch(&WorkspaceRef::new(fork.clone()))).unwrap();
        now(theirs.settle()).unwrap();
        now(host.settle()).unwrap();
    }
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict));
    world.kill(fork.as_str());
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1", "it woke from it");
    // Once it has been saved, it is the owner's to delete.
    now(theirs.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
    other.settle("other");
    assert_eq!(loans(&world, &other), (0, 0));
    assert_eq!(delete(&host, &id, false), None);
    world.kill(fork.as_str());
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1", "from its own");
}

#[test]
fn a_forced_delete_is_said_at_the_next_wake() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    let fork = claim(&theirs, &id).unwrap();
    now(theirs.switch(&WorkspaceRef::new(fork.clone()))).unwrap();
    assert_eq!(delete(&host, &id, true), None);
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1", "what runs is not harmed");
    world.kill(fork.as_str());
    let error = run(&theirs).unwrap_err();
    assert_eq!(error.code, ErrorCode::RestoreFailed);
    assert!(error.hint.unwrap().contains("startFresh"));
}

#[test]
fn retention_keeps_what_is_lent_and_a_borrower_that_is_gone_keeps_nothing() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    claim(&theirs, &id).unwrap();
    // It is neither the newest nor a head of its own session.
    world.write("sess", "v2");
    snapshot(&host);
    let edit = json!({ "expiresAt": "2027-01-15T08:02:00.000Z" });
    let edit = serde_json::from_value(edit).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    world.clock.advance(3_600_000);
    assert_eq!(now(host.retain()).unwrap().delete_count, 0);
    assert!(world.bucket.keys().contains(&meta_key(&id)));
    // It never comes back; its day is over.
    world.clock.advance(24 * 3_600_000);
    assert_eq!(now(host.retain()).unwrap().delete_count, 1);
    assert!(!world.bucket.keys().contains(&meta_key(&id)));
    now(host.settle()).unwrap();
    assert_eq!(loans(&world, &other).0, 0, "nor a row");
}

#[test]
fn an_automatic_one_that_is_published_is_asked_for() {
    let (world, host, _, other) = published();
    world.write("sess", "v2");
    let request = ForkRequest { count: None, expected_active: None };
    let auto = now(host.fork_live(&request, &Abort::default())).unwrap().from_snapshot_id;
    publish(&host, &auto, true);
    // No workspace of its own needs it any more.
    world.write("sess", "v3");
    snapshot(&host);
    let forks = now(host.list_workspaces()).unwrap().workspaces;
    let fork = forks.into_iter().find(|workspace| !workspace.active).unwrap();
    now(host.destroy_workspace(&fork.r#ref)).unwrap();
    world.settle("sess");
    let listed = now(host.list(&ListRequest::default())).unwrap();
    assert!(listed.details.iter().any(|row| row.id == auto && row.published));
    let fork = claim(&other.open("other"), &auto).unwrap();
    assert_eq!(world.disk(fork.as_str()).unwrap().content, "v2");
}

/// At whatever moment the borrower's alarm comes due: it gives back nothing that
/// is about to be needed.
#[test]
fn an_alarm_amid_a_claim_leaves_the_loan_alone() {
    for moment in 0..60 {
        let (world, _, id, other) = published();
        let theirs = other.open_with("other", json!({ "autosave": false }));
        world.faults.slow.set(true);
        let (selector, abort) = (SnapshotSelector::Id(id), Abort::default());
        let fork = theirs.fork(ForkKind::Branch, &selector, false, &abort);
        let mut claiming = Box::pin(fork);
        if (0..moment).any(|_| claiming.as_mut().now_or_never().is_some()) {
            assert!(moment > 5);
            return;
        }
        let before = loans(&world, &other);
        // As far as it comes: where the claim is just telling the owner, the alarm waits for that.
        let mut alarm = Box::pin(theirs.settle().fuse());
        let _ = (0..60).any(|_| alarm.as_mut().now_or_never().is_some());
        assert_eq!(loans(&world, &other), before, "at {moment}");
        block_on(claiming).unwrap();
        if !alarm.is_terminated() {
            block_on(alarm).unwrap();
        }
        assert_eq!(loans(&world, &other), (1, 1), "at {moment}");
    }
}

#[test]
fn a_workspace_is_rewound_to_a_published_one() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    run(&theirs).unwrap();
    world.write("other", "theirs");
    let abort = Abort::default();
    let rewound = now(theirs.rewind(&rewind_to(&id), &abort)).unwrap();
    assert_eq!(world.disk("other").unwrap().content, "v1");
    assert_eq!(kinds(&host, "snapshot.claimed"), 1);
    assert_eq!(loans(&world, &other), (1, 1));
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict), "it would wake from it");
    // What it has it needs, whatever its owner refuses of it later.
    expire(&world, &host, &id);
    let refused = now(theirs.rewind(&rewind_to(&id), &abort)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::SnapshotExpired);
    assert_eq!(loans(&world, &other), (1, 1));
    // Back to its own, its owner has it back at once.
    let own = RewindRequest { r#ref: SnapshotSelector::Ref(rewound.safety_ref), ..rewind_to(&id) };
    now(theirs.rewind(&own, &abort)).unwrap();
    assert_eq!(world.disk("other").unwrap().content, "theirs");
    assert_eq!(loans(&world, &other), (0, 0));
    assert_eq!(delete(&host, &id, false), None);
}

#[test]
fn a_fresh_start_gives_back_what_it_had_begun_with() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "from": id, "autosave": false }));
    run(&theirs).unwrap();
    assert_eq!(loans(&world, &other), (1, 1));
    world.kill("other");
    now(theirs.start_fresh()).unwrap();
    assert_eq!(loans(&world, &other), (0, 0), "at once");
    assert_eq!(delete(&host, &id, false), None);
}

/// A rewind of a session in use, held up at one of its moments; none where it
/// has ended by then. All is slow from here on.
fn held_up<'a>(
    world: &World,
    theirs: &'a Host,
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

/// One that has borrowed keeps it, though its owner refuses the next.
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
        assert_eq!(loans(&world, &other), (stands, stands), "{first:?} at {moment}");
        let conflict = first.is_ok().then_some(ErrorCode::Conflict);
        assert_eq!(delete(&host, &id, false), conflict, "{first:?} at {moment}");
    }
}

/// Two rewinds at once to one snapshot are one loan, which neither ends for the
/// other, nor does an alarm between them.
#[test]
fn rewinds_at_once_share_a_loan() {
    for moment in 0..60 {
        let (world, host, id, other) = published();
        let theirs = other.open_with("other", json!({ "autosave": false }));
        let (request, abort) = (rewind_to(&id), Abort::default());
        let Some(first) = held_up(&world, &theirs, &request, &abort, moment) else { return };
        let second = theirs.rewind(&request, &abort);
        let (first, second, settled) = block_on(async { join!(first, second, theirs.settle()) });
        settled.unwrap();
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?} at {moment}");
        world.faults.slow.set(false);
        assert_eq!(loans(&world, &other), (1, 1), "at {moment}");
        assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict), "at {moment}");
    }
}

/// At whatever moment its owner deletes it: that is refused, or the claim is,
/// before it has begun. No workspace fails for want of its snapshot.
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
            let fork = theirs.fork(ForkKind::Branch, &selector, cross, &abort);
            let mut claiming = Box::pin(fork);
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

/// Whatever breaks and wherever: in the end the owner has lent what a workspace
/// would wake from, and nothing else.
#[test]
fn every_break_point_of_a_claim_settles() {
    type Operate = fn(&Host, &BackupId) -> Option<Result<(), Error>>;
    let cases: [(&str, Operate); 3] = [
        ("rewind", |host, id| {
            let (request, abort) = (rewind_to(id), Abort::default());
            Some(host.rewind(&request, &abort).now_or_never()?.map(drop))
        }),
        ("claim", |host, id| {
            let (selector, abort) = (SnapshotSelector::Id(id.clone()), Abort::default());
            let fork = host.fork(ForkKind::Branch, &selector, false, &abort);
            Some(fork.now_or_never()?.map(drop))
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
                other.settle("other");
                let theirs = other.host("other");
                let needed = other.database_count(&format!(
                    "SELECT COUNT(*) AS count FROM workspaces
                     WHERE head_backup_id = '{id}' AND state <> 'destroyed'"
                ));
                assert_eq!(loans(&world, &other), (needed, needed), "{context}");
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
    let hosts: Vec<(String, Host)> = (0..20)
        .map(|number| {
            let name = format!("claimer-{number}");
            (name.clone(), world.other_session().host(&name))
        })
        .collect();
    world.faults.slow.set(true);
    let opened = hosts.iter().map(async |(name, host)| {
        host.open(serde_json::from_value(json!({ "from": id })).unwrap()).await.unwrap();
        let input = json!({ "command": "cat" });
        let answer = tools::call(host, "workspace_run", input, &Abort::default()).await.unwrap();
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
