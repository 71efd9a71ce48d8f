//! Workspaces compared with what they have in common.

use super::{LONG_AGO, project, set_tree, snapshot_of};
use crate::world::{World, call};
use serde_json::{Value, json};
use snapshotter::domain::egress::RefusedHost;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::session::Session;

/// A session, two branches of it, and what they have in common.
fn branches() -> (World, Session, Vec<String>, BackupId) {
    let world = World::new();
    let host = world.open("sess");
    let base = snapshot_of(&world, &host, &project());
    world.clock.advance(3_600_000);
    let others = (0..2).map(|_| {
        let made = call(&host, "workspace_branch", json!({ "ref": base })).unwrap();
        made["ref"]["ref"]["id"].as_str().unwrap().to_owned()
    });
    let others: Vec<String> = others.collect();
    call(&host, "workspace_switch", json!({ "ref": "sess" })).unwrap();
    let mut one = project();
    one.put("src/a.txt", "1\n", LONG_AGO + 9);
    one.put("one", "x", LONG_AGO + 9);
    let mut two = project();
    two.put("src/a.txt", "2\n", LONG_AGO + 9);
    two.0.remove(&b"src/b.txt"[..]);
    two.put("ignored/x", "changed", LONG_AGO + 9);
    set_tree(&world, "sess", project());
    set_tree(&world, &others[0], one);
    set_tree(&world, &others[1], two);
    (world, host, others, base)
}

/// The paths of twenty workspaces are in memory together.
#[test]
fn changes_of_very_many_paths_are_counted_and_no_longer_kept() {
    let (world, host, others, _) = branches();
    for workspace in &others {
        let mut tree = project();
        for at in 0..6_000 {
            tree.put(&format!("{at:04}{}", "x".repeat(200)), "1", LONG_AGO + 9);
        }
        tree.put("zz", "1", LONG_AGO + 9);
        set_tree(&world, workspace, tree);
    }
    let found = compare(&host, json!({ "limit": 2_000 })).unwrap();
    let row = &found["workspaces"][1];
    assert_eq!((&row["counts"]["added"], &row["truncated"]), (&json!(6_001), &json!(true)));
    let contested = found["contested"].as_array().unwrap();
    assert_eq!((contested.len(), found["text"].as_str().unwrap().contains("zz")), (2_000, false));
}

fn compare(host: &Session, input: Value) -> Result<Value, ErrorCode> {
    call(host, "workspace_compare", input)
}

#[test]
fn each_is_compared_with_what_all_came_from() {
    let (world, host, others, base) = branches();
    let starts = world.starts.get();
    let found = compare(&host, json!({})).unwrap();
    assert_eq!(found["base"]["snapshotId"], json!(base));
    let rows: Vec<(&str, bool, u64, u64, u64)> = found["workspaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let count = |name: &str| row["counts"][name].as_u64().unwrap();
            let id = row["workspaceId"].as_str().unwrap();
            (
                id,
                row["active"].as_bool().unwrap(),
                count("added"),
                count("removed"),
                count("modified"),
            )
        })
        .collect();
    let mut expected = vec![
        ("sess", true, 0, 0, 0),
        (others[0].as_str(), false, 1, 0, 1),
        (others[1].as_str(), false, 0, 1, 1),
    ];
    expected.sort_unstable();
    let mut sorted = rows.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    let contested = &found["contested"][0];
    assert_eq!(contested["path"], "src/a.txt");
    assert_eq!(contested["workspaceIds"].as_array().unwrap().len(), 2);
    let text = found["text"].as_str().unwrap();
    assert!(
        text.contains("sess (active)") && text.contains("changed by several: \"src/a.txt\""),
        "{text}"
    );
    assert_eq!(world.starts.get(), starts, "nothing was started");
}

#[test]
fn a_command_runs_in_each() {
    let (world, host, others, _) = branches();
    let input = json!({ "workspaces": [others[0], others[1]], "command": "true" });
    let found = compare(&host, input.clone()).unwrap();
    for row in found["workspaces"].as_array().unwrap() {
        assert_eq!(row["command"]["exitCode"], 0, "{row}");
        assert_eq!((row["command"].get("refusedHosts"), row["command"].get("hint")), (None, None));
    }
    assert!(found["text"].as_str().unwrap().contains("exit 0 in 0.0 s"));
    let refused = vec![RefusedHost { host: "evil.example.org".to_owned(), count: 2 }];
    world.refused.replace(refused.clone());
    for row in compare(&host, input).unwrap()["workspaces"].as_array().unwrap() {
        assert_eq!(row["command"]["refusedHosts"], json!(refused), "{row}");
        assert_eq!(row["command"]["hint"], "ask for them", "{row}");
    }
}

#[test]
fn one_that_cannot_be_read_has_its_own_error() {
    let (world, host, others, base) = branches();
    // It sleeps, and its archive is gone.
    let id = snapshotter::domain::ids::SandboxId::parse(&others[0]).unwrap();
    world.disks.borrow_mut().remove(&id);
    world.bucket.objects.borrow_mut().remove(&data_key(&base));
    let other = snapshot_of(&world, &host, &project());
    let found = compare(&host, json!({ "base": other })).unwrap();
    let rows = found["workspaces"].as_array().unwrap();
    let failed: Vec<&Value> = rows.iter().filter(|row| row.get("error").is_some()).collect();
    assert_eq!(failed.len(), 1, "{found}");
    assert_eq!(failed[0]["workspaceId"], json!(others[0]));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let (_world, host, others, _) = branches();
    for (input, code) in [
        (json!({ "workspaces": ["sess"] }), ErrorCode::InvalidArgument),
        (json!({ "workspaces": ["sess", "sess"] }), ErrorCode::InvalidArgument),
        (json!({ "workspaces": ["sess", "foreign"] }), ErrorCode::WorkspaceNotOwned),
        (json!({ "glob": "{a" }), ErrorCode::InvalidArgument),
        (json!({ "limit": 0 }), ErrorCode::InvalidArgument),
    ] {
        assert_eq!(compare(&host, input.clone()), Err(code), "{input}");
    }
    call(&host, "workspace_destroy", json!({ "ref": others[0] })).unwrap();
    let gone = compare(&host, json!({ "workspaces": ["sess", others[0]] }));
    assert_eq!(gone, Err(ErrorCode::Conflict));
}
