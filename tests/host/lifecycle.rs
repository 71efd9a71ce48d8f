//! The operations when nothing breaks.

use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::api::tools;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, OperationId, RestoreKind, SandboxId};
use snapshotter::domain::session::config::{Toggle, WorkspaceConfig};
use snapshotter::domain::session::scope::Needs;
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::domain::snapshot::refs::{SnapshotSelector, WorkspaceRef};
use snapshotter::ports::sandbox::CommandLine;
use snapshotter::session::catalogue::Catalogue;
use snapshotter::session::{
    Abort, Annotations, DeleteOptions, ListRequest, RunRequest, Session, SnapshotRequest,
};

fn content(host: &Session) -> String {
    try_content(host).unwrap()
}

fn try_content(host: &Session) -> Result<String, ErrorCode> {
    let request = RunRequest {
        command: CommandLine::Shell("cat".into()),
        cwd: None,
        env: Default::default(),
        timeout_ms: None,
        max_output_bytes: None,
        stdin: None,
    };
    now(host.run(request)).map(|result| result.stdout).map_err(|error| error.code)
}

fn call(host: &Session, tool: &str, input: Value) -> Result<Value, ErrorCode> {
    now(tools::call(host, tool, input, &Abort::default())).map_err(|error| error.code)
}

fn named(name: &str, replace: bool) -> SnapshotRequest {
    let annotations = Annotations { name: Some(name.into()), ..Annotations::default() };
    SnapshotRequest { annotations, replace, ..SnapshotRequest::default() }
}

#[test]
fn a_restore_makes_a_workspace_and_the_tool_switches() {
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    world.write("sess", "good");
    call(&host, "workspace_snapshot", json!({ "name": "v1" })).unwrap();
    world.write("sess", "broken");

    let selector = SnapshotSelector::Name("v1".into());
    let branched =
        now(host.make_workspace(RestoreKind::Restored, &selector, false, &Abort::default()))
            .unwrap();
    assert_eq!(content(&host), "broken", "restore alone does not switch");
    let id = branched.r#ref.sandbox_id().as_str().to_owned();
    assert!(id.starts_with("sess-restored-"), "{id}");

    call(&host, "workspace_restore", json!({ "ref": "v1" })).unwrap();
    assert_eq!(content(&host), "good");
    assert_eq!(content(&world.host("sess")), "good", "the switch is durable");
    let branched = call(&host, "workspace_branch", json!({ "ref": "v1" })).unwrap();
    let branch = branched["ref"]["ref"]["id"].as_str().unwrap();
    assert!(branch.starts_with("sess-branch-"), "suffixes do not pile up: {branch}");

    let origin = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": "sess" } });
    call(&host, "workspace_switch", json!({ "ref": origin })).unwrap();
    assert_eq!(content(&host), "broken", "the old workspace was never touched");
    world.check_invariants("sess");
}

#[test]
fn a_snapshot_of_a_branch_has_its_parent() {
    let world = World::new();
    let host = world.open("sess");
    let first = snapshot(&host);
    call(&host, "workspace_branch", json!({ "ref": first })).unwrap();
    let second = now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
    assert_eq!(second.snapshot.parent_id, Some(first));
    let origin = second.r#ref.payload.origin_sandbox_id.unwrap();
    assert!(origin.as_str().starts_with("sess-branch-"), "{origin}");
}

#[test]
fn consecutive_snapshots_make_a_chain() {
    let world = World::new();
    let host = world.open("sess");
    let mut previous = None;
    for _ in 0..3 {
        let taken =
            now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap().snapshot;
        assert_eq!(taken.parent_id, previous);
        previous = Some(taken.id);
    }
}

#[test]
fn a_name_of_what_is_gone_says_so_as_its_id_does() {
    let world = World::new();
    let host = world.open("sess");
    let taken = now(host.snapshot(named("v1", false), &Abort::default())).unwrap().snapshot;
    let by_name = SnapshotSelector::Name("v1".into());
    let by_id = SnapshotSelector::Id(taken.id.clone());
    let restored = |selector: &SnapshotSelector| {
        now(host.make_workspace(RestoreKind::Restored, selector, false, &Abort::default()))
            .map(drop)
            .map_err(|error| error.code)
    };
    let options = DeleteOptions { force: true, ..DeleteOptions::default() };
    now(host.delete(&by_name, options)).unwrap();
    for selector in [&by_name, &by_id] {
        assert_eq!(restored(selector), Err(ErrorCode::SnapshotGone), "{selector:?}");
        assert!(now(host.delete(selector, options)).unwrap().deleted, "and again");
    }
    let again = now(host.snapshot(named("v1", false), &Abort::default())).unwrap().snapshot;
    assert_ne!(again.id, taken.id, "the name is free");
    world.clock.advance(259_200_000);
    for selector in [by_name, SnapshotSelector::Id(again.id)] {
        assert_eq!(restored(&selector), Err(ErrorCode::SnapshotExpired), "{selector:?}");
    }
    let never = SnapshotSelector::Name("v2".into());
    assert_eq!(restored(&never), Err(ErrorCode::SnapshotNotOwned));
}

#[test]
fn what_is_pinned_or_published_is_deleted_by_force_only() {
    let world = World::new();
    let host = world.open("sess");
    for edit in [json!({ "pinned": true }), json!({ "published": true })] {
        let id = snapshot(&host);
        world.write("sess", &edit.to_string());
        snapshot(&host);
        let selector = SnapshotSelector::Id(id.clone());
        now(host.update_snapshot(&selector, &serde_json::from_value(edit.clone()).unwrap()))
            .unwrap();
        let refused = now(host.delete(&selector, DeleteOptions::default())).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Conflict, "{edit}");
        assert!(refused.hint.unwrap().contains("false first"), "{edit}");
        let options = DeleteOptions { force: true, ..DeleteOptions::default() };
        assert!(now(host.delete(&selector, options)).unwrap().deleted);
        assert!(!world.bucket.objects.borrow().contains_key(&data_key(&id)));
    }
}

#[test]
fn a_taken_name_leads_to_what_the_caller_can_do() {
    let world = World::new();
    let host = world.open("sess");
    let id = now(host.snapshot(named("v1", false), &Abort::default())).unwrap().snapshot.id;
    let called =
        now(tools::call(&host, "workspace_snapshot", json!({ "name": "v1" }), &Abort::default()));
    let called = called.unwrap_err();
    let hint = called.hint.unwrap();
    assert!(hint.contains(id.as_str()) && !hint.contains("replace"), "{hint}");
    let asked = now(host.snapshot(named("v1", false), &Abort::default())).unwrap_err();
    assert!(asked.hint.unwrap().contains("replace: true"));
}

#[test]
fn names_are_unique_among_live_snapshots_and_can_move() {
    let world = World::new();
    let host = world.open("sess");
    let take = |name, replace| {
        now(host.snapshot(named(name, replace), &Abort::default())).map_err(|error| error.code)
    };
    let first = take("v1", false).unwrap();
    assert_eq!(take("v1", false).unwrap_err(), ErrorCode::Conflict);
    let second = take("v1", true).unwrap();
    let by_name = now(host.get(&SnapshotSelector::Name("v1".into()), false)).unwrap();
    assert_eq!(by_name.snapshot.id, second.snapshot.id);
    let old = now(host.get(&SnapshotSelector::Id(first.snapshot.id), false)).unwrap();
    assert_eq!((old.snapshot.annotations.name, old.snapshot.state), (None, ShownState::Ready));
    world.clock.advance(259_200_000);
    assert!(take("v1", false).is_ok(), "an expired snapshot has no claim to its name");
}

#[test]
fn a_name_that_is_about_to_move_is_not_given_to_another() {
    let world = World::new();
    let host = world.open("sess");
    let take = |replace| now(host.snapshot(named("v1", replace), &Abort::default()));
    take(false).unwrap();
    // A snapshot that takes over the name has begun, and completes later.
    let pending = BackupId::from_random([7; 16]);
    world.sql(&format!(
        "INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, name, kind, state, created_at_ms, ttl_secs)
         VALUES ('{pending}', 'BACKUP_BUCKET', 'sess', '/workspace', 'v1', 'full', 'pending', {}, 259200)",
        world.clock.0.get(),
    ));
    assert_eq!(take(true).unwrap_err().code, ErrorCode::Conflict);
    world.recover("sess");
    assert!(take(true).is_ok());
}

#[test]
fn expired_and_deleted_snapshots_are_hidden_unless_asked_for() {
    let world = World::new();
    let host = world.open("sess");
    let expiring = snapshot(&host);
    world.clock.advance(259_200_000);
    let deleted = snapshot(&host);
    now(host.delete(&SnapshotSelector::Id(deleted.clone()), DeleteOptions::default())).unwrap();
    let kept = snapshot(&host);
    let ids = |include_expired, include_unready| -> Vec<BackupId> {
        let request = ListRequest { include_expired, include_unready, ..ListRequest::default() };
        now(host.list(&request)).unwrap().snapshots.into_iter().map(|row| row.snapshot.id).collect()
    };
    assert_eq!(ids(false, false), std::slice::from_ref(&kept));
    assert_eq!(ids(true, false), [kept.clone(), expiring.clone()]);
    assert_eq!(ids(true, true), [kept, deleted, expiring.clone()]);
    let answer = now(host.make_workspace(
        RestoreKind::Branch,
        &SnapshotSelector::Id(expiring),
        false,
        &Abort::default(),
    ));
    assert_eq!(answer.unwrap_err().code, ErrorCode::SnapshotExpired);
}

#[test]
fn pages_are_clamped_and_follow_each_other() {
    let world = World::new();
    let host =
        world.open_with("sess", json!({ "capabilities": { "snapshot": { "maxListResults": 2 } } }));
    let taken: Vec<BackupId> = (0..5).map(|_| snapshot(&host)).collect();
    let mut listed = Vec::new();
    let mut cursor = None;
    for _page in 0..3 {
        let request =
            ListRequest { limit: Some(1_000), cursor: cursor.take(), ..ListRequest::default() };
        let page = now(host.list(&request)).unwrap();
        assert!(page.snapshots.len() <= 2);
        listed.extend(page.snapshots.into_iter().map(|row| row.snapshot.id));
        cursor = page.next_cursor;
    }
    assert_eq!(cursor, None);
    listed.reverse();
    assert_eq!(listed, taken);
}

#[test]
fn quotas_hold_before_anything_starts() {
    let world = World::new();
    let host =
        world.open_with("sess", json!({ "limits": { "maxRunning": 2, "maxWorkspaces": 3 } }));
    let id = snapshot(&host);
    let branch = || {
        now(host.make_workspace(
            RestoreKind::Branch,
            &SnapshotSelector::Id(id.clone()),
            false,
            &Abort::default(),
        ))
        .map_err(|error| error.code)
    };
    let first = branch().unwrap();
    assert_eq!(branch().unwrap_err(), ErrorCode::QuotaExceeded, "two run");
    world.kill(first.r#ref.sandbox_id().as_str());
    let second = branch().unwrap();
    world.kill(second.r#ref.sandbox_id().as_str());
    assert_eq!(branch().unwrap_err(), ErrorCode::QuotaExceeded, "three workspaces");
    now(host.destroy_workspace(&first.r#ref)).unwrap();
    now(host.destroy_workspace(&first.r#ref)).unwrap();
    assert!(branch().is_ok());
}

#[test]
fn a_model_makes_room_by_destroying_a_workspace() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "limits": { "maxWorkspaces": 2 } }));
    let id = snapshot(&host);
    let branched = call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    let taken = call(&host, "workspace_snapshot", json!({ "name": "in the branch" })).unwrap();
    let again = json!({ "ref": id });
    assert_eq!(
        call(&host, "workspace_branch", again.clone()),
        Err(ErrorCode::QuotaExceeded),
        "two workspaces"
    );
    let destroy = json!({ "ref": branched["ref"] });
    assert_eq!(call(&host, "workspace_destroy", destroy.clone()), Err(ErrorCode::Conflict));
    call(&host, "workspace_switch", json!({ "ref": "sess" })).unwrap();
    for _ in 0..2 {
        let answer = call(&host, "workspace_destroy", destroy.clone()).unwrap();
        assert_eq!(answer["destroyed"], true);
        assert!(answer["lastSnapshotId"].is_string() && answer["usedSince"] == false, "{answer}");
    }
    let kept = call(&host, "workspace_get_snapshot", json!({ "ref": taken["ref"] })).unwrap();
    assert_eq!(kept["snapshot"]["restorable"], true);
    call(&host, "workspace_branch", again.clone()).unwrap();
    // A deleted snapshot is the error, even though there is no room either.
    let gone = json!({ "ref": taken["ref"] });
    call(&host, "workspace_delete_snapshot", gone.clone()).unwrap();
    assert_eq!(call(&host, "workspace_restore", gone), Err(ErrorCode::SnapshotGone));
    assert_eq!(call(&host, "workspace_restore", again), Err(ErrorCode::QuotaExceeded));
}

#[test]
fn the_first_open_sets_the_policy() {
    let world = World::new();
    let host = world.open("sess");
    let open = |config: Value| {
        now(host.open(serde_json::from_value::<WorkspaceConfig>(config).unwrap()))
            .map_err(|error| error.code)
    };
    let view = open(json!({ "envVars": { "A": "secret" }, "sleepAfter": "1m" })).unwrap();
    assert_eq!(view.config.env_vars.unwrap()["A"], "<redacted>");
    let refused = now(host.open(
        serde_json::from_value(json!({ "enableInternet": false, "limits": { "maxRunning": 9 } }))
            .unwrap(),
    ))
    .unwrap_err();
    assert_eq!(refused.details.unwrap()["fields"], json!(["enableInternet", "limits"]));
    for policy in [
        json!({ "enableInternet": false }),
        json!({ "id": "shared-x", "shareAcrossSessions": true }),
        json!({ "capabilities": { "snapshot": { "crossSession": true } } }),
        json!({ "limits": { "maxRunning": 9 } }),
    ] {
        assert_eq!(open(policy.clone()).unwrap_err(), ErrorCode::Conflict, "{policy}");
    }
}

#[test]
fn what_a_later_open_leaves_out_stays() {
    let world = World::new();
    let host = world.open_with(
        "sess",
        json!({
            "envVars": { "A": "1", "B": "2" }, "sleepAfter": "1m", "autosave": false, "destroyOnClose": true,
        }),
    );
    let open = |config: Value| now(host.open(serde_json::from_value(config).unwrap()));
    let stored = || {
        let catalogue = Catalogue::open(world.database.clone()).unwrap();
        let config = catalogue.session().unwrap().unwrap().config;
        let autosaves = config.autosave != Some(Toggle::Plain(false));
        (json!(config.env_vars), json!(config.sleep_after), autosaves, config.destroy_on_close)
    };
    let first = stored();
    assert_eq!(first, (json!({ "A": "1", "B": "2" }), json!("60s"), false, Some(true)));
    let shown = open(json!({})).unwrap().config;
    assert_eq!(stored(), first);
    // Open again with the redacted configuration as shown.
    open(serde_json::to_value(shown).unwrap()).unwrap();
    assert_eq!(stored(), first);
    open(json!({ "envVars": { "A": "<redacted>", "C": "3" }, "autosave": true })).unwrap();
    assert_eq!(stored(), (json!({ "A": "1", "C": "3" }), json!("60s"), true, Some(true)));
    let unknown = open(json!({ "envVars": { "D": "<redacted>" } })).unwrap_err();
    assert_eq!((unknown.code, unknown.message.contains('D')), (ErrorCode::InvalidArgument, true));
    open(json!({ "envVars": {}, "destroyOnClose": false })).unwrap();
    assert_eq!(stored(), (json!({}), json!("60s"), true, Some(false)));
}

#[test]
fn a_closed_session_keeps_its_snapshots_and_can_be_reopened() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "destroyOnClose": true }));
    let id = snapshot(&host);
    now(host.close()).unwrap();
    now(host.close()).unwrap();
    assert_eq!(world.disk("sess"), None);
    assert_eq!(try_content(&host), Err(ErrorCode::Conflict));
    assert!(now(host.get(&SnapshotSelector::Id(id.clone()), false)).is_ok());
    let host = world.open_with("sess", json!({ "destroyOnClose": true }));
    assert_eq!(content(&host), "");
    assert!(call(&host, "workspace_restore", json!({ "ref": id })).is_ok());
}

#[test]
fn a_close_destroys_the_others_where_one_does_not_answer() {
    let mut tried = 0;
    for nth in 0.. {
        let world = World::new();
        let host = world.open_with("sess", json!({ "destroyOnClose": true }));
        let id = snapshot(&host);
        let branch = call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
        let branch = branch["ref"]["ref"]["id"].as_str().unwrap();
        world.faults.arm(nth, Fault::ErrorBefore);
        let closed = now(host.close());
        if !world.faults.disarm() {
            closed.unwrap();
            break;
        }
        assert!(closed.is_err(), "{nth}");
        if world.faults.trace()[nth] != "destroy" {
            continue;
        }
        tried += 1;
        let left = ["sess", branch].into_iter().filter(|left| world.disk(left).is_some());
        assert_eq!(left.count(), 1, "{nth}");
        world.recover("sess");
        assert_eq!((world.disk("sess"), world.disk(branch)), (None, None));
        world.check_invariants("sess");
    }
    assert_eq!(tried, 2);
}

#[test]
fn a_session_is_not_reopened_while_its_close_destroys() {
    let world = World::new();
    let config = json!({ "destroyOnClose": true });
    let host = world.open_with("sess", config.clone());
    content(&host);
    // The close stops before it has destroyed the container.
    world.faults.arm(1, Fault::CrashBefore);
    assert!(host.close().now_or_never().is_none());
    assert!(world.faults.disarm());
    let host = world.host("sess");
    let open = || now(host.open(serde_json::from_value(config.clone()).unwrap()));
    assert_eq!(open().unwrap_err().code, ErrorCode::Conflict);
    world.recover("sess");
    open().unwrap();
    assert_eq!(content(&host), "");
    world.check_invariants("sess");
}

#[test]
fn the_alarm_knows_of_a_destruction_before_it_is_recorded() {
    for nth in 0.. {
        let world = World::new();
        let host = world.open("sess");
        let id = snapshot(&host);
        let branch = call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
        let named: WorkspaceRef = serde_json::from_value(branch["ref"].clone()).unwrap();
        now(host.switch(&WorkspaceRef::new(SandboxId::parse("sess").unwrap()))).unwrap();
        // No alarm is set, as when nothing is due.
        world.alarm.at_ms.take();
        world.faults.arm(nth, Fault::CrashBefore);
        let ended = host.destroy_workspace(&named).now_or_never();
        if !world.faults.disarm() {
            assert!(ended.unwrap().is_ok() && nth > 1, "{nth}");
            return;
        }
        let left = world
            .database_count("SELECT COUNT(*) AS count FROM workspaces WHERE state = 'destroying'");
        assert!(left == 0 || world.alarm.at_ms.get().is_some(), "after {nth}");
    }
}

#[test]
fn opening_again_brings_no_retired_workspace_back() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    let origin = SandboxId::parse("sess").unwrap();
    now(host.destroy_workspace(&WorkspaceRef::new(origin))).unwrap();
    let before = now(host.list_workspaces()).unwrap();
    world.open("sess");
    assert_eq!(now(host.list_workspaces()).unwrap(), before);
}

#[test]
fn a_session_that_was_never_opened_is_not_found() {
    let host = World::new().host("sess");
    assert_eq!(host.describe().unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(try_content(&host), Err(ErrorCode::NotFound));
}

#[test]
fn only_declared_modules_are_served() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "capabilities": { "fs": true } }));
    assert_eq!(call(&host, "workspace_run", json!({ "command": "ls" })), Err(ErrorCode::NotFound));
    assert_eq!(try_content(&host), Err(ErrorCode::Unsupported), "direct calls are refused too");
    let named = SnapshotSelector::Name("a".into());
    let got = now(host.get(&named, false)).unwrap_err();
    let deleted = now(host.delete(&named, DeleteOptions::default())).unwrap_err();
    assert_eq!([got.code, deleted.code], [ErrorCode::Unsupported; 2]);
    assert!(call(&host, "workspace_write_file", json!({ "path": "a", "content": "x" })).is_ok());
    for bad in [json!({}), json!({ "path": 1 }), json!({ "path": "a", "surprise": 1 }), json!([])] {
        assert_eq!(call(&host, "workspace_read_file", bad), Err(ErrorCode::InvalidArgument));
    }
}

#[test]
fn a_running_call_is_cancelled_by_its_id() {
    let world = World::new();
    let host = world.open("sess");
    let id = OperationId::parse("op-1").unwrap();
    let abort = Abort::default();
    let guard = host.cancellable(&id, &abort, Needs::Nothing).unwrap();
    let twice = host.cancellable(&id, &Abort::default(), Needs::Nothing);
    assert_eq!(twice.map(drop).unwrap_err().code, ErrorCode::Conflict);
    host.cancel(&id).unwrap();
    assert_eq!(abort.check().unwrap_err().code, ErrorCode::Aborted);
    drop(guard);
    assert_eq!(host.cancel(&id).unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn a_catalogue_of_a_newer_version_is_refused_and_left_alone() {
    let world = World::new();
    world.open("sess");
    world.sql("UPDATE schema_version SET version = version + 1");
    let error = world.try_host("sess").map(drop).unwrap_err();
    assert_eq!(error.code, ErrorCode::Internal);
    world.sql("UPDATE schema_version SET version = version - 1");
    assert!(world.host("sess").describe().is_ok());
}

#[test]
fn an_event_of_an_unknown_kind_is_shown_with_a_warning() {
    let world = World::new();
    let host = world.open("sess");
    world.sql("INSERT INTO events (at_ms, kind, payload) VALUES (0, 'future.kind', '{\"x\":1}')");
    let events = host.list_events(Some(1), None).unwrap().events;
    assert_eq!(events[0].kind, "unknown");
    assert_eq!(events[0].payload, json!({ "kind": "future.kind", "payload": { "x": 1 } }));
}

#[test]
fn a_snapshot_that_its_sandbox_still_takes_is_not_settled() {
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    let id = BackupId::from_random([7; 16]);
    world.sql(&format!(
        "INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, kind, state, created_at_ms, ttl_secs)
         VALUES ('{id}', 'BACKUP_BUCKET', 'sess', '/workspace', 'full', 'pending', 0, 259200)"
    ));
    world.making.borrow_mut().push(id.clone());
    let state = || now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap().snapshot.state;
    now(host.recover()).unwrap();
    assert_eq!(state(), ShownState::Pending);
    assert!(world.alarm.at_ms.get().is_some(), "it is looked at again");
    world.making.borrow_mut().clear();
    now(host.recover()).unwrap();
    assert_eq!(state(), ShownState::Failed);
    world.check_invariants("sess");
}

#[test]
fn a_policy_says_when_an_unused_workspace_is_retired() {
    let world = World::new();
    let config = json!({ "autosave": false, "retention": { "retireAfterSeconds": 60 } });
    let host = world.open_with("sess", config);
    content(&host);
    let id = snapshot(&host);
    call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    assert!(world.alarm.at_ms.get().is_some_and(|at_ms| at_ms <= world.clock.0.get() + 60_000));
    world.clock.advance(59_000);
    now(host.recover()).unwrap();
    assert!(world.disk("sess").is_some(), "not yet");
    world.clock.advance(2_000);
    now(host.recover()).unwrap();
    assert_eq!(world.disk("sess"), None);
    world.check_invariants("sess");
}

#[test]
fn a_workspace_that_nobody_uses_for_a_week_is_retired() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    content(&host);
    let id = snapshot(&host);
    call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    let week_ms = 7 * 24 * 3_600_000;
    world.clock.advance(week_ms - 60_000);
    content(&host);
    // The alarm that the branch set has long fired.
    world.alarm.at_ms.take();
    now(host.recover()).unwrap();
    assert!(world.disk("sess").is_some());
    world.clock.0.set(world.alarm.at_ms.take().unwrap());
    now(host.recover()).unwrap();
    assert_eq!(world.disk("sess"), None, "the origin was left a week ago");
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 1, "the active one stays");
    let kinds: Vec<String> =
        host.list_events(None, None).unwrap().events.into_iter().map(|event| event.kind).collect();
    assert!(kinds.contains(&"workspace.retired".to_owned()), "{kinds:?}");
    world.check_invariants("sess");
}

#[test]
fn a_call_meant_for_another_active_workspace_is_refused() {
    let world = World::new();
    let host = world.open("sess");
    let first = host.resolve().unwrap();
    let id = snapshot(&host);
    let branch = now(host.make_workspace(
        RestoreKind::Branch,
        &SnapshotSelector::Id(id),
        false,
        &Abort::default(),
    ));
    let second = branch.unwrap().r#ref;
    now(host.switch_from(Some(&first), &second)).unwrap();
    let refused = now(host.switch_from(Some(&first), &first)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::PreconditionFailed);
    assert_eq!(refused.details.unwrap()["active"], serde_json::to_value(&second).unwrap());
    assert_eq!(host.resolve().unwrap(), second, "and nothing has changed");
    let of = |expected: &WorkspaceRef| SnapshotRequest {
        expected_active: Some(expected.clone()),
        ..SnapshotRequest::default()
    };
    let refused = now(host.snapshot(of(&first), &Abort::default())).unwrap_err();
    assert_eq!(refused.code, ErrorCode::PreconditionFailed);
    let taken = now(host.snapshot(of(&second), &Abort::default())).unwrap();
    assert_eq!(taken.r#ref.payload.origin_sandbox_id.as_ref(), Some(second.sandbox_id()));
    assert_eq!(host.expect_active(Some(&first)).unwrap_err().code, ErrorCode::PreconditionFailed);
    assert!(host.expect_active(Some(&second)).is_ok() && host.expect_active(None).is_ok());
}

#[test]
fn opening_again_tells_nothing_of_the_workspace_that_was_destroyed() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "destroyOnClose": true }));
    content(&host);
    snapshot(&host);
    world.kill("sess");
    // The workspace wakes, but no answer reports it.
    assert!(call(&host, "workspace_ls", json!({})).is_err());
    now(host.close()).unwrap();
    now(host.open(Default::default())).unwrap();
    let answer = call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    assert_eq!((&answer["stdout"], answer.get("woken")), (&json!(""), None));
}
