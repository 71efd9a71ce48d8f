//! Pausing and resuming a workspace.

use crate::world::{World, call_tool, now, snapshot};
use serde_json::{Value, json};
use snapshotter::api::operation::Invocation;
use snapshotter::api::operation::run;
use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use snapshotter::domain::ids::{RestoreKind, SandboxId};
use snapshotter::domain::session::scope::Caller;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::workspace::WorkspaceStatus;
use snapshotter::session::{Abort, DeleteOptions, LiveForkRequest, Paused, Resumed, Session};

const HOUR_MS: i64 = 3_600_000;

fn call(host: &Session, tool: &str, input: Value) -> Result<Value> {
    now(call_tool(host, tool, input, &Abort::default()))
}

pub fn read(host: &Session) -> Result<Value> {
    call(host, "workspace_run", json!({ "command": "cat" })).map(|mut ran| ran["stdout"].take())
}

pub fn pause(host: &Session) -> Result<Paused> {
    now(host.pause(None, &Abort::default()))
}

pub fn resume(host: &Session) -> Result<Resumed> {
    now(host.resume(None, &Abort::default()))
}

pub fn status(host: &Session) -> WorkspaceStatus {
    now(host.describe_workspace()).unwrap().workspace.status
}

pub fn count(host: &Session, kind: &str) -> usize {
    let events = host.list_events(None, None).unwrap().events;
    events.into_iter().filter(|event| event.kind == kind).count()
}

/// Checks the refusal of a call that needs a paused workspace's container.
pub fn is_refused(error: &Error, what: &str) {
    assert_eq!((error.code, error.outcome), (ErrorCode::Conflict, Outcome::None), "{what}");
    assert!(error.message.contains("is paused"), "{what}: {error:?}");
    let hint = error.hint.as_deref().unwrap();
    assert!(
        hint.contains("resumeWorkspace") && hint.contains("setActiveWorkspace"),
        "{what}: {hint}"
    );
}

/// A workspace in use that holds "work", where equal files give equal archives.
pub fn used(config: Value) -> (World, Session) {
    let world = World::new();
    world.steady.set(true);
    let host = world.open_with("sess", config);
    assert_eq!(status(&host), WorkspaceStatus::Stopped, "it was never used");
    read(&host).unwrap();
    world.write("sess", "work");
    (world, host)
}

#[test]
fn it_is_saved_released_and_brought_back() {
    for config in [json!({}), json!({ "autosave": false })] {
        let (world, host) = used(config);
        assert_eq!(status(&host), WorkspaceStatus::Running);
        let paused = pause(&host).unwrap();
        assert_eq!((paused.workspace.status, world.disk("sess")), (WorkspaceStatus::Paused, None));
        assert!(paused.workspace.head_snapshot_id.is_some());
        assert_eq!(pause(&host).unwrap(), paused, "again does nothing");
        let host = world.host("sess");
        assert_eq!(status(&host), WorkspaceStatus::Paused, "after a restart too");
        let resumed = resume(&host).unwrap();
        assert_eq!(resumed.workspace.status, WorkspaceStatus::Running);
        let woken = resumed.woken.unwrap();
        assert_eq!(woken.from_snapshot_id, paused.workspace.head_snapshot_id);
        assert!(woken.message.contains("was paused"), "{}", woken.message);
        assert_eq!(resume(&host).unwrap().woken, None, "again does nothing");
        assert_eq!(read(&host).unwrap(), "work");
        for kind in ["workspace.paused", "workspace.resumed", "workspace.woken"] {
            assert_eq!(count(&host, kind), 1, "{kind}");
        }
        world.recover("sess");
        world.check_invariants("sess");
    }
}

#[test]
fn what_needs_its_container_is_refused_and_starts_none() {
    let (world, host) = used(json!({}));
    let id = snapshot(&host);
    pause(&host).unwrap();
    let starts = world.starts.get();
    for (tool, input) in [
        ("workspace_run", json!({ "command": "cat" })),
        ("workspace_run_code", json!({ "language": "python", "code": "1" })),
        ("workspace_read_file", json!({ "path": "f" })),
        ("workspace_write_file", json!({ "path": "f", "content": "" })),
        ("workspace_ls", json!({})),
        ("workspace_snapshot", json!({})),
        ("workspace_fork", json!({})),
        ("workspace_rewind", json!({ "ref": id })),
    ] {
        is_refused(&call(&host, tool, input).unwrap_err(), tool);
    }
    for op in ["execStream", "watch", "exportTar"] {
        let args = if op == "execStream" { json!({ "command": "cat" }) } else { json!({}) };
        let asked = Invocation::parse(op, args, Value::Null).unwrap();
        let (clock, log) = (&world.clock, &world.log);
        let abort = Abort::default();
        let answer = now(run(&host, &Caller::BINDING, asked, &abort, clock, log, String::new));
        is_refused(&answer.unwrap_err(), op);
    }
    // Calls that need only the bucket or the catalogue still work.
    call(&host, "workspace_describe", json!({})).unwrap();
    let text = now(host.lineage()).unwrap().text;
    assert!(text.contains("sess (origin, paused) <- you are here"), "{text}");
    assert_eq!((world.starts.get(), world.disk("sess")), (starts, None));
    let branch = call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    assert_eq!(read(&host).unwrap(), "work");
    // A caller can switch to a paused workspace, and then resume it.
    let origin = WorkspaceRef::new(SandboxId::parse("sess").unwrap());
    call(&host, "workspace_switch", json!({ "ref": origin })).unwrap();
    is_refused(&read(&host).unwrap_err(), "after a switch");
    let resumed = call(&host, "workspace_resume", json!({})).unwrap();
    assert_eq!(resumed["workspace"]["status"], "running");
    assert_eq!(resumed["woken"]["fromSnapshotId"], json!(id));
    assert_eq!(read(&host).unwrap(), "work");
    // A ref names a workspace that is not active.
    let other = json!({ "ref": branch["ref"] });
    let paused = call(&host, "workspace_pause", other.clone()).unwrap();
    assert_eq!(paused["workspace"]["status"], "paused");
    assert_eq!(paused["workspace"]["active"], false);
    assert_eq!(call(&host, "workspace_resume", other).unwrap()["workspace"]["status"], "running");
    world.check_invariants("sess");
}

#[test]
fn unchanged_it_uploads_nothing() {
    let (world, host) = used(json!({}));
    let id = snapshot(&host);
    let keys = world.bucket.keys();
    for _ in 0..2 {
        assert_eq!(pause(&host).unwrap().workspace.head_snapshot_id, Some(id.clone()));
        resume(&host).unwrap();
    }
    assert_eq!(world.bucket.keys(), keys);
}

#[test]
fn one_that_cannot_be_saved_runs_on() {
    let (world, host) = used(json!({}));
    world.bucket.refuses.set(true);
    let error = pause(&host).unwrap_err();
    assert_eq!(error.code, ErrorCode::BackupFailed);
    assert!(error.message.contains("is not paused"), "{error:?}");
    assert_eq!(status(&host), WorkspaceStatus::Running);
    assert_eq!(read(&host).unwrap(), "work");
    assert_eq!(count(&host, "workspace.paused"), 0);
    world.bucket.refuses.set(false);
    pause(&host).unwrap();
}

#[test]
fn one_that_cannot_be_brought_back_stays_paused() {
    let (world, host) = used(json!({ "limits": { "maxRunning": 1 } }));
    let id = snapshot(&host);
    pause(&host).unwrap();
    let selector = SnapshotSelector::Id(id.clone());
    // A paused workspace does not count as running until it is resumed.
    let branch =
        now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default())).unwrap();
    assert_eq!(resume(&host).unwrap_err().code, ErrorCode::QuotaExceeded);
    assert_eq!(status(&host), WorkspaceStatus::Paused);
    now(host.destroy_workspace(&branch.r#ref)).unwrap();
    // The snapshot that it needs is kept.
    let deleted = now(host.delete(&selector, DeleteOptions::default()));
    assert_eq!(deleted.unwrap_err().code, ErrorCode::Conflict);
    assert!(host.snapshots_in_use().unwrap().contains(&id));
    // Without that snapshot, a resume fails instead of returning an empty workspace.
    let data = format!("backups/{id}/data.sqsh");
    let archive = world.bucket.objects.borrow_mut().remove(&data).unwrap();
    let failed = resume(&host).unwrap_err();
    assert_eq!(failed.code, ErrorCode::RestoreFailed);
    assert_eq!((status(&host), world.disk("sess")), (WorkspaceStatus::Paused, None));
    is_refused(&read(&host).unwrap_err(), "after a resume that failed");
    world.bucket.objects.borrow_mut().insert(data, archive);
    resume(&host).unwrap();
    assert_eq!(read(&host).unwrap(), "work");
    world.recover("sess");
    world.check_invariants("sess");
}

#[test]
fn its_files_can_be_given_up() {
    let (world, host) = used(json!({}));
    pause(&host).unwrap();
    now(host.start_fresh()).unwrap();
    assert_eq!((read(&host).unwrap(), status(&host)), (json!(""), WorkspaceStatus::Running));
    world.recover("sess");
    world.check_invariants("sess");
}

#[test]
fn a_command_that_is_told_of_is_not_broken_off() {
    let (world, host) = used(json!({}));
    world.streaming.set(true);
    let refused = pause(&host).unwrap_err();
    assert_eq!((refused.code, refused.retryable), (ErrorCode::Conflict, true));
    assert_eq!(read(&host).unwrap(), "work");
    world.streaming.set(false);
    pause(&host).unwrap();
}

#[test]
fn one_that_sleeps_or_was_never_used_is_paused_and_resumed_too() {
    let world = World::new();
    let host = world.open("sess");
    assert_eq!(pause(&host).unwrap().workspace.head_snapshot_id, None);
    is_refused(&read(&host).unwrap_err(), "never used");
    resume(&host).unwrap();
    assert_eq!(status(&host), WorkspaceStatus::Running);
    world.write("sess", "work");
    let id = snapshot(&host);
    world.kill("sess");
    assert_eq!(status(&host), WorkspaceStatus::Stopped);
    assert_eq!(pause(&host).unwrap().workspace.head_snapshot_id, Some(id.clone()));
    resume(&host).unwrap();
    assert_eq!(read(&host).unwrap(), "work");
    // A resume wakes a sleeping workspace.
    world.kill("sess");
    assert_eq!(resume(&host).unwrap().woken.unwrap().from_snapshot_id, Some(id));
}

#[test]
fn whose_it_is_not_may_not() {
    let (world, host) = used(json!({}));
    let abort = Abort::default();
    let other = WorkspaceRef::new(SandboxId::parse("nowhere").unwrap());
    let paused = now(host.pause(Some(&other), &abort)).map(drop);
    let resumed = now(host.resume(Some(&other), &abort)).map(drop);
    for answer in [paused, resumed] {
        assert_eq!(answer.unwrap_err().code, ErrorCode::WorkspaceNotOwned);
    }
    let config = json!({ "id": "shared-x", "shareAcrossSessions": true });
    let shared = world.other_session().open_with("sharing", config);
    read(&shared).unwrap();
    for answer in [pause(&shared).map(drop), resume(&shared).map(drop)] {
        assert_eq!(answer.unwrap_err().code, ErrorCode::Conflict);
    }
    assert!(world.disk("shared-x").is_some());
}

#[test]
fn neither_the_alarm_nor_time_ends_a_pause() {
    let (world, host) = used(json!({}));
    let id = snapshot(&host);
    let selector = SnapshotSelector::Id(id);
    let branch =
        now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default())).unwrap();
    now(host.pause(Some(&branch.r#ref), &Abort::default())).unwrap();
    pause(&host).unwrap();
    let starts = world.starts.get();
    for _ in 0..10 {
        world.clock.advance(24 * HOUR_MS);
        now(host.recover()).unwrap();
    }
    assert_eq!(world.starts.get(), starts);
    assert_eq!(count(&host, "workspace.retired"), 0, "who puts it aside has not left it");
    resume(&host).unwrap();
    assert_eq!(read(&host).unwrap(), "work");
    now(host.resume(Some(&branch.r#ref), &Abort::default())).unwrap();
    // It is retired a week after its resume.
    world.clock.advance(8 * 24 * HOUR_MS);
    now(host.recover()).unwrap();
    assert_eq!(count(&host, "workspace.retired"), 1);
}

#[test]
fn a_paused_workspace_can_be_destroyed_and_its_session_closed() {
    let (world, host) = used(json!({ "destroyOnClose": true }));
    let id = SnapshotSelector::Id(snapshot(&host));
    let branch =
        now(host.make_workspace(RestoreKind::Branch, &id, false, &Abort::default())).unwrap();
    now(host.pause(Some(&branch.r#ref), &Abort::default())).unwrap();
    now(host.destroy_workspace(&branch.r#ref)).unwrap();
    pause(&host).unwrap();
    let origin = WorkspaceRef::new(SandboxId::parse("sess").unwrap());
    now(host.destroy_container(&origin)).unwrap();
    assert_eq!(status(&host), WorkspaceStatus::Paused);
    now(host.close()).unwrap();
    assert_eq!(resume(&host).unwrap_err().code, ErrorCode::Conflict);
    let host = world.open_with("sess", json!({ "destroyOnClose": true }));
    assert_eq!(status(&host), WorkspaceStatus::Stopped, "another one, that begins anew");
    read(&host).unwrap();
    world.recover("sess");
    world.check_invariants("sess");
}

#[test]
fn a_live_fork_of_what_is_running_goes_on_beside_a_paused_one() {
    let (world, host) = used(json!({ "limits": { "maxRunning": 2 } }));
    let request = LiveForkRequest { count: Some(1), expected_active: None };
    let forks = now(host.live_fork(&request, &Abort::default())).unwrap();
    let made = serde_json::to_value(&forks.workspaces[0]).unwrap();
    let branch: WorkspaceRef = serde_json::from_value(made["ref"].clone()).unwrap();
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces[1].status, WorkspaceStatus::Running);
    now(host.pause(Some(&branch), &Abort::default())).unwrap();
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces[1].status, WorkspaceStatus::Paused);
    now(host.live_fork(&request, &Abort::default())).unwrap();
    world.recover("sess");
    world.check_invariants("sess");
}
