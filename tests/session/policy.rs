//! A session's policy holds for tools and for direct calls alike.

use crate::world::{World, call_tool, now, snapshot, yield_once};
use futures::executor::block_on;
use serde_json::{Value, json};
use snapshotter::api::tools;
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::session::scope::Caller;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::sandbox::CommandLine;
use snapshotter::session::{
    Abort, DeleteOptions, EditFileRequest, MakeDirRequest, RemoveRequest, RunCodeRequest,
    RunRequest, Session, SnapshotRequest, WriteFileRequest,
};

fn call(host: &Session, tool: &str, input: Value) -> Result<Value, Error> {
    now(call_tool(host, tool, input, &Abort::default()))
}

fn code<T: std::fmt::Debug>(answer: Result<T, Error>) -> ErrorCode {
    answer.unwrap_err().code
}

fn run(host: &Session, request: Value) -> Result<String, Error> {
    let request: RunRequest = serde_json::from_value(request).unwrap();
    now(host.run(request)).map(|result| result.answer.stdout)
}

#[test]
fn a_read_only_session_serves_what_reads_and_nothing_else() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "capabilities": { "readOnly": true } }));
    for tool in tools::list(
        &host.config().unwrap().modules,
        &snapshotter::domain::session::config::ToolSelection::All,
        &Caller::Operator,
    )
    .unwrap()
    {
        assert!(tool.annotations.read_only_hint, "{}", tool.name);
    }
    assert_eq!(code(call(&host, "workspace_rm", json!({ "path": "a" }))), ErrorCode::Forbidden);
    assert!(call(&host, "workspace_read_file", json!({ "path": "a" })).is_ok());
    assert!(call(&host, "workspace_list_snapshots", json!({})).is_ok());

    let abort = Abort::default();
    let any = SnapshotSelector::Name("any".into());
    let own: WorkspaceRef = host.resolve().unwrap();
    let write = WriteFileRequest { path: "a".into(), ..WriteFileRequest::default() };
    let edit = EditFileRequest {
        path: "a".into(),
        old_text: "x".into(),
        new_text: "y".into(),
        replace_all: false,
        workspace: None,
    };
    let remove = RemoveRequest { path: "a".into(), recursive: true, workspace: None };
    for (call, answer) in [
        ("run", code(run(&host, json!({ "command": "ls" })))),
        ("write", code(now(host.write_file(write)))),
        ("edit", code(now(host.edit_file(edit)))),
        ("mkdir", code(now(host.make_dir(MakeDirRequest { path: "a".into(), workspace: None })))),
        ("rm", code(now(host.remove(remove)))),
        ("snapshot", code(now(host.snapshot(SnapshotRequest::default(), &abort)))),
        ("branch", code(now(host.make_workspace(RestoreKind::Branch, &any, false, &abort)))),
        ("rewind", code(call(&host, "workspace_rewind", json!({ "ref": "any" })))),
        ("delete", code(now(host.delete(&any, DeleteOptions::default())))),
        ("switch", code(now(host.switch(&own)))),
        ("destroy", code(now(host.destroy_workspace(&own)))),
        ("startFresh", code(now(host.start_fresh()))),
    ] {
        assert_eq!(answer, ErrorCode::Forbidden, "{call}");
    }
}

#[test]
fn an_allowlist_holds_for_tools_and_direct_calls() {
    let world = World::new();
    let config =
        json!({ "capabilities": { "shell": { "allowlist": ["ls"], "maxDurationMs": 9_000 } } });
    let host = world.open_with("sess", config);
    for refused in [
        json!({ "command": "ls" }),
        json!({ "command": ["rm", "-rf", "."] }),
        json!({ "command": ["/bin/ls"] }),
        json!({ "command": ["ls"], "env": { "PATH": "/workspace" } }),
        json!({ "command": ["ls"], "env": { "LD_PRELOAD": "/workspace/x.so" } }),
    ] {
        assert_eq!(code(run(&host, refused.clone())), ErrorCode::Forbidden);
        let error = call(&host, "workspace_run", refused).unwrap_err();
        assert_eq!(error.code, ErrorCode::Forbidden);
        assert!(error.hint.is_some(), "{error}");
    }
    assert_eq!(world.disk("sess"), None, "a refusal starts nothing");
    assert!(run(&host, json!({ "command": ["ls"], "env": { "CI": "1" } })).is_ok());
    let long = json!({ "command": ["ls"], "timeoutMs": 9_001 });
    assert_eq!(code(run(&host, long)), ErrorCode::InvalidArgument);
    assert!(matches!(
        serde_json::from_value::<RunRequest>(json!({ "command": ["ls"] })).unwrap().command,
        CommandLine::Argv(_)
    ));
}

#[test]
fn a_tool_that_is_off_is_told_from_one_that_is_none() {
    let host = World::new().open_with("sess", json!({ "capabilities": { "fs": true } }));
    let hint = |tool: &str| {
        let error = call(&host, tool, json!({})).unwrap_err();
        assert!(tools::is_no_such_tool(&error), "{error}");
        error.hint.unwrap()
    };
    assert!(hint("workspace_run").contains("capabilities"));
    assert!(!hint("workspace_fly").contains("capabilities"));
}

#[test]
fn a_list_that_lets_nothing_run_begins_no_session_and_ends_none() {
    let world = World::new();
    let config = |list: &[&str]| json!({ "capabilities": { "shell": { "allowlist": list } } });
    let open =
        |config: Value| now(world.host("sess").open(serde_json::from_value(config).unwrap()));
    let error = open(config(&[])).unwrap_err();
    assert_eq!(error.details, Some(json!({ "field": "capabilities.shell.allowlist" })));
    open(config(&["ls"])).unwrap();
    // The configuration as earlier versions stored it.
    world.sql("UPDATE session SET config = replace(config, '[\"ls\"]', '[]')");
    let error = run(&world.host("sess"), json!({ "command": ["ls"] })).unwrap_err();
    assert_eq!(error.code, ErrorCode::Forbidden);
    assert!(open(config(&[])).is_ok());
}

#[test]
fn what_is_wrong_with_a_command_is_named_as_its_caller_does() {
    let host = World::new().open("sess");
    for (request, field) in [
        (json!({ "command": "ls", "cwd": "../.." }), "cwd"),
        (json!({ "command": "ls", "cwd": "" }), "cwd"),
        (json!({ "command": "ls", "env": { "A B": "x" } }), "env"),
    ] {
        let error = run(&host, request.clone()).unwrap_err();
        assert_eq!(error.details, Some(json!({ "field": field })), "{error}");
        // To a tool, empty text is a field that is not given.
        if request["cwd"] != "" {
            assert_eq!(call(&host, "workspace_run", request).unwrap_err().message, error.message);
        }
    }
}

#[test]
fn code_is_run_in_declared_languages_for_as_long_as_commands_may() {
    let world = World::new();
    let run = |host: &Session, language: &str, timeout_ms: u64| {
        let input = json!({ "language": language, "code": "1", "timeoutMs": timeout_ms });
        call(host, "workspace_run_code", input)
    };
    let config = json!({ "capabilities": {
        "shell": { "maxDurationMs": 9_000 }, "code": { "languages": ["python"] }
    } });
    let host = world.open_with("sess", config);
    assert_eq!(run(&host, "python", 9_000).unwrap()["images"], json!([]));
    assert_eq!(code(run(&host, "python", 9_001)), ErrorCode::InvalidArgument);
    assert_eq!(code(run(&host, "javascript", 1)), ErrorCode::InvalidArgument);
    assert_eq!(code(run(&host, "perl", 1)), ErrorCode::InvalidArgument);
    let none =
        world.other_session().open_with("none", json!({ "capabilities": { "shell": true } }));
    assert_eq!(code(run(&none, "python", 1)), ErrorCode::NotFound);
    let request = json!({ "language": "python", "code": "1" });
    let request: RunCodeRequest = serde_json::from_value(request).unwrap();
    assert_eq!(code(now(none.run_code(request))), ErrorCode::Unsupported);
}

#[test]
fn the_policy_of_a_session_cannot_be_widened_by_opening_it_again() {
    let world = World::new();
    let config = json!({ "capabilities": { "shell": { "allowlist": ["ls"] } } });
    let host = world.open_with("sess", config);
    let open = |config: Value| code(now(host.open(serde_json::from_value(config).unwrap())));
    assert_eq!(open(json!({ "capabilities": { "shell": true } })), ErrorCode::Conflict);
    let wider = json!({ "capabilities": { "shell": { "allowlist": ["ls", "sh"] } } });
    assert_eq!(open(wider), ErrorCode::Conflict);
    // Variables may change with each open, so the open checks them too.
    let variable = json!({
        "capabilities": { "shell": { "allowlist": ["ls"] } }, "envVars": { "LD_PRELOAD": "x" }
    });
    assert_eq!(open(variable), ErrorCode::Forbidden);
}

#[test]
fn a_model_learns_where_it_is() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "limits": { "maxRunning": 3 } }));
    let describe = || call(&host, "workspace_describe", json!({})).unwrap();
    let first = describe();
    assert_eq!(world.disk("sess"), None, "looking starts nothing");
    assert_eq!(
        (&first["workspace"]["ref"]["ref"]["id"], &first["parentSnapshot"]),
        (&json!("sess"), &json!(null))
    );
    assert_eq!(first["workspaceDir"], "/workspace");
    assert_eq!(first["modules"]["shell"], true);
    assert_eq!(
        (&first["limits"]["maxRunning"], &first["limits"]["fileMaxBytes"]),
        (&json!(3), &json!(2_097_152))
    );
    let id = snapshot(&host);
    call(&host, "workspace_restore", json!({ "ref": id })).unwrap();
    let restored = describe();
    assert_eq!(restored["workspace"]["kind"], "restored");
    assert_eq!(restored["parentSnapshot"]["id"], json!(id));
    let idle =
        "After 600 s without use the container stops. The files in /workspace are saved first";
    assert!(first["whenIdle"].as_str().unwrap().starts_with(idle), "{first}");
    let other =
        World::new().open_with("unsaved", json!({ "autosave": false, "sleepAfter": "20m" }));
    let unsaved = call(&other, "workspace_describe", json!({})).unwrap();
    let idle = "After 1200 s without use the container stops without being saved.";
    assert!(unsaved["whenIdle"].as_str().unwrap().starts_with(idle), "{unsaved}");
    let got = call(&host, "workspace_get_snapshot", json!({ "ref": id })).unwrap();
    assert_eq!(got["snapshot"], restored["parentSnapshot"]);
    let foreign = json!({ "ref": "00000000-0000-4000-8000-000000000000" });
    assert_eq!(code(call(&host, "workspace_get_snapshot", foreign)), ErrorCode::SnapshotNotOwned);
}

/// An open at any moment of a call: the container does not keep the configuration
/// that the call began with.
#[test]
fn what_a_later_open_changes_holds_for_calls_that_are_under_way() {
    for later in 0..12 {
        let world = World::new();
        world.open_with("sess", json!({ "envVars": { "A": "1" } }));
        let host = world.host("sess");
        let changed = serde_json::from_value(json!({ "envVars": { "A": "2" } })).unwrap();
        world.faults.slow.set(true);
        let open = async {
            for _ in 0..later {
                yield_once().await;
            }
            host.open(changed).await
        };
        let (none, input) = (Abort::default(), json!({ "command": "cat" }));
        let run = call_tool(&host, "workspace_run", input, &none);
        let (opened, ran) = block_on(async { futures::join!(open, run) });
        world.faults.slow.set(false);
        opened.unwrap();
        ran.unwrap();
        call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
        let sandbox = host.resolve().unwrap().sandbox_id().clone();
        let configured = world.configured.borrow()[&sandbox].clone();
        assert_eq!(configured.env_vars.unwrap()["A"], "2", "{later}");
    }
}
