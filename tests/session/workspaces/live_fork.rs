//! Live forks: new workspaces from the active one as it is.

use crate::support::faults::Fault;
use crate::world::{World, call_tool, now, snapshot};
use futures::FutureExt;
use futures::executor::block_on;
use serde_json::{Value, json};
use snapshotter::api::operation::Invocation;
use snapshotter::api::operation::run;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::ids::SandboxId;
use snapshotter::domain::session::scope::Caller;
use snapshotter::domain::snapshot::SnapshotTrigger;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{
    Abort, DeleteOptions, ListRequest, LiveFork, LiveForkRequest, LiveForks, Session,
    SnapshotRequest,
};

fn fork(host: &Session, count: u32) -> Result<LiveForks, ErrorCode> {
    let request = LiveForkRequest { count: Some(count), expected_active: None };
    now(host.live_fork(&request, &Abort::default())).map_err(|error| error.code)
}

fn made(forks: &LiveForks) -> Vec<SandboxId> {
    let made = forks.workspaces.iter().filter_map(|fork| match fork {
        LiveFork::Made { r#ref } => Some(r#ref.sandbox_id().clone()),
        LiveFork::Failed { .. } => None,
    });
    made.collect()
}

fn refused(forks: &LiveForks) -> Vec<ErrorCode> {
    let refused = forks.workspaces.iter().filter_map(|fork| match fork {
        LiveFork::Made { .. } => None,
        LiveFork::Failed { error } => Some(error.code),
    });
    refused.collect()
}

/// A workspace in use with one file, in a world where equal files give equal archives.
fn used(config: Value) -> (World, Session) {
    let world = World::new();
    world.steady.set(true);
    let host = world.open_with("sess", config);
    let run = json!({ "command": "true" });
    now(call_tool(&host, "workspace_run", run, &Abort::default())).unwrap();
    world.write("sess", "v1");
    (world, host)
}

fn listed(host: &Session, include_auto: bool) -> usize {
    let request = ListRequest { include_auto, ..ListRequest::default() };
    now(host.list(&request)).unwrap().snapshots.len()
}

#[test]
fn each_has_the_files_as_they_are() {
    let (world, host) = used(json!({}));
    let forks = fork(&host, 3).unwrap();
    let ids = made(&forks);
    assert_eq!(ids.len(), 3);
    for id in &ids {
        assert!(id.as_str().starts_with("sess-branch-"), "{id}");
        assert_eq!(world.disk(id.as_str()).unwrap().content, "v1");
    }
    assert_eq!(now(host.list_workspaces()).unwrap().active.sandbox_id().as_str(), "sess");
    assert_eq!((listed(&host, false), listed(&host, true)), (0, 1), "no one named a snapshot");
    world.write("sess", "v2");
    assert_eq!(world.disk(ids[0].as_str()).unwrap().content, "v1", "a disk of its own");
    // Each fork wakes from the snapshot on its own.
    world.kill(ids[1].as_str());
    now(host.switch(&WorkspaceRef::new(ids[1].clone()))).unwrap();
    let run = json!({ "command": "cat" });
    let answer = now(call_tool(&host, "workspace_run", run, &Abort::default())).unwrap();
    assert_eq!(answer["stdout"], "v1");
    assert_eq!(answer["woken"]["fromSnapshotId"], json!(forks.from_snapshot_id));
    world.check_invariants("sess");
}

#[test]
fn an_unchanged_workspace_is_not_saved_again() {
    let (world, host) = used(json!({}));
    let first = snapshot(&host);
    let keys = world.bucket.keys();
    assert_eq!(fork(&host, 1).unwrap().from_snapshot_id, first);
    assert_eq!(world.bucket.keys(), keys);
    world.write("sess", "v2");
    let forks = fork(&host, 1).unwrap();
    assert_ne!(forks.from_snapshot_id, first);
    let request = ListRequest { include_auto: true, ..ListRequest::default() };
    let newest = &now(host.list(&request)).unwrap().snapshots[0].snapshot;
    assert_eq!(
        (&newest.id, newest.cause.trigger),
        (&forks.from_snapshot_id, SnapshotTrigger::Auto)
    );
}

#[test]
fn a_head_past_its_time_is_not_forked_from() {
    let (world, host) = used(json!({}));
    let ttl = Some(snapshotter::domain::snapshot::backup::Ttl::from_secs(61).unwrap());
    let request = SnapshotRequest { ttl, ..SnapshotRequest::default() };
    let first = now(host.snapshot(request, &Abort::default())).unwrap().snapshot.id;
    world.clock.advance(120_000);
    let forks = fork(&host, 1).unwrap();
    assert_ne!(forks.from_snapshot_id, first);
    assert_eq!(made(&forks).len(), 1);
}

#[test]
fn quotas_bound_them_and_each_says_so() {
    let (world, host) = used(json!({ "limits": { "maxRunning": 3, "maxWorkspaces": 5 } }));
    for count in [0, 21] {
        assert_eq!(fork(&host, count).unwrap_err(), ErrorCode::InvalidArgument);
    }
    let forks = fork(&host, 5).unwrap();
    assert_eq!((made(&forks).len(), refused(&forks)), (2, vec![ErrorCode::QuotaExceeded; 3]));
    assert_eq!(fork(&host, 2).unwrap_err(), ErrorCode::QuotaExceeded, "none at all");
    world.kill(made(&forks)[0].as_str());
    world.kill(made(&forks)[1].as_str());
    let forks = fork(&host, 4).unwrap();
    assert_eq!((made(&forks).len(), refused(&forks).len()), (2, 2), "5 workspaces at most");
    assert_eq!(json!(forks)["workspaces"][3]["error"]["details"]["limit"], "maxWorkspaces");
    // Nothing is saved for what there is no room for.
    world.write("sess", "v2");
    let keys = world.bucket.keys();
    assert_eq!(fork(&host, 1).unwrap_err(), ErrorCode::QuotaExceeded);
    assert_eq!(world.bucket.keys(), keys);
    world.check_invariants("sess");
}

#[test]
fn one_that_fails_takes_nothing_from_the_others() {
    let (world, host) = used(json!({}));
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    fork(&host, 2).unwrap();
    let restores: Vec<usize> = (0..)
        .zip(world.faults.trace())
        .filter(|(_, name)| name == "restore")
        .map(|(nth, _)| nth)
        .collect();
    world.faults.disarm();
    for (which, nth) in restores.into_iter().enumerate() {
        let (world, host) = used(json!({}));
        world.faults.arm(nth, Fault::ErrorBefore);
        let forks = fork(&host, 2).unwrap();
        assert!(world.faults.disarm());
        let failed: Vec<bool> =
            forks.workspaces.iter().map(|fork| matches!(fork, LiveFork::Failed { .. })).collect();
        assert_eq!(failed, [which == 0, which == 1]);
        assert_eq!(made(&forks).len(), 1);
        world.recover("sess");
        assert_eq!(
            now(host.list_workspaces()).unwrap().workspaces.len(),
            2,
            "nothing is left of it"
        );
        world.check_invariants("sess");
    }
}

#[test]
fn only_the_workspace_that_was_meant_is_forked() {
    let (_world, host) = used(json!({}));
    let other = WorkspaceRef::new(SandboxId::parse("other").unwrap());
    let request = LiveForkRequest { count: None, expected_active: Some(other) };
    let error = now(host.live_fork(&request, &Abort::default())).unwrap_err();
    assert_eq!(error.code, ErrorCode::PreconditionFailed);
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 1);
}

/// If the fork's snapshot is deleted at any moment, either the delete is refused or
/// the fork takes another snapshot.
#[test]
fn what_is_forked_from_is_not_deleted_meanwhile() {
    let (mut refused, mut deleted) = (0, 0);
    for moment in 0..60 {
        let (world, host) = used(json!({}));
        let first = snapshot(&host);
        world.faults.slow.set(true);
        let request = LiveForkRequest { count: Some(2), expected_active: None };
        let abort = Abort::default();
        let mut forking = Box::pin(host.live_fork(&request, &abort));
        let ended = (0..moment).find_map(|_| forking.as_mut().now_or_never());
        if ended.is_some() {
            break;
        }
        let options = DeleteOptions { force: true, ..DeleteOptions::default() };
        match block_on(host.delete(&SnapshotSelector::Id(first), options)) {
            Ok(_) => deleted += 1,
            Err(error) => {
                assert_eq!(error.code, ErrorCode::Conflict);
                refused += 1;
            }
        }
        assert_eq!(made(&block_on(forking).unwrap()).len(), 2, "deleted at {moment}");
        world.faults.slow.set(false);
        // What was deleted while a layer on it was being taken goes by the alarm.
        world.recover("sess");
        world.check_invariants("sess");
    }
    assert!(refused > 3 && deleted > 0, "{refused} and {deleted}");
}

/// After any break, the record of the call lists exactly the workspaces that exist.
#[test]
fn a_recorded_fork_tells_what_there_is() {
    let asked = || {
        let (args, control) = (json!({ "count": 2 }), json!({ "idempotencyKey": "k" }));
        Invocation::parse("fork", args, control).unwrap()
    };
    let (abort, caller) = (Abort::default(), Caller::BINDING);
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host) = used(json!({}));
            world.faults.arm(nth, fault);
            let (clock, log) = (&world.clock, &world.log);
            let broken = run(&host, &caller, asked(), &abort, clock, log, String::new);
            let broken = broken.now_or_never();
            let reached = world.faults.disarm();
            drop(host);
            world.recover("sess");
            let host = world.host("sess");
            let operation = host.list_operations(None, None, |_| true).unwrap().operations.pop();
            let told = operation.map(|row| host.operation(&row.id).unwrap());
            let answer = told.as_ref().and_then(|told| told.result.clone());
            let mut named: Vec<Value> = answer
                .iter()
                .flat_map(|answer| answer["workspaces"].as_array().unwrap())
                .filter_map(|fork| fork.get("ref").cloned())
                .collect();
            let mut there: Vec<Value> = now(host.list_workspaces())
                .unwrap()
                .workspaces
                .into_iter()
                .filter(|workspace| !workspace.active)
                .map(|workspace| json!(workspace.r#ref))
                .collect();
            named.sort_by_key(Value::to_string);
            there.sort_by_key(Value::to_string);
            assert_eq!(named, there, "{fault:?} at {nth}: {broken:?}, {told:?}");
            world.check_invariants("sess");
            if !reached {
                assert!(nth > 10 && named.len() == 2);
                break;
            }
        }
    }
}

#[test]
fn a_restore_that_a_close_overtakes_says_whether_the_workspace_was_made() {
    let mut said = Vec::new();
    for moment in 0.. {
        let (world, host) = used(json!({}));
        let id = snapshot(&host);
        world.faults.slow.set(true);
        let (input, abort) = (json!({ "ref": id }), Abort::default());
        let mut forking = Box::pin(call_tool(&host, "workspace_restore", input, &abort));
        if (0..moment).any(|_| forking.as_mut().now_or_never().is_some()) {
            break;
        }
        block_on(host.close()).unwrap();
        let forked = block_on(forking);
        let list = block_on(host.list_workspaces()).unwrap();
        let made = list.workspaces.iter().find(|workspace| !workspace.active);
        let Err(error) = forked else { continue };
        assert_eq!(error.code, ErrorCode::Conflict, "at {moment}");
        let told = error.details.map(|details| details["ref"].clone());
        assert_eq!(told, made.map(|made| json!(made.r#ref)), "at {moment}");
        said.push(error.outcome);
    }
    assert_eq!(said.first(), Some(&Outcome::None), "nothing had begun");
    assert_eq!(said.last(), Some(&Outcome::Committed));
}
