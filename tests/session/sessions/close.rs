//! Closing a session.

use crate::world::{call, content, try_content};

use crate::support::faults::Fault;
use crate::world::{World, close_unsaved, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::DeleteOptions;
use snapshotter::session::catalogue::Catalogue;

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
fn a_close_saves_what_runs_and_ends_its_container() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    content(&host);
    world.write("sess", "unsaved");
    now(host.close()).unwrap();
    assert_eq!(world.disk("sess"), None, "its container has ended");
    let host = world.open("sess");
    assert_eq!(content(&host), "unsaved");
    // What can't be saved now runs on, and a second close tries again.
    world.write("sess", "more");
    close_unsaved(&world, &host);
    assert!(world.disk("sess").is_some(), "nothing is lost");
    now(host.close()).unwrap();
    assert_eq!(world.disk("sess"), None);
    assert_eq!(content(&world.open("sess")), "more");
}

#[test]
fn what_a_close_could_not_save_is_saved_later_also_without_autosave() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    content(&host);
    world.write("sess", "unsaved");
    close_unsaved(&world, &host);
    assert!(world.disk("sess").is_some(), "nothing is lost");
    world.clock.advance(600_000);
    world.recover("sess");
    assert_eq!(world.disk("sess"), None, "its container has ended");
    assert_eq!(content(&world.open("sess")), "unsaved");
}

#[test]
fn a_deleted_session_leaves_nothing_and_begins_anew() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "previewPorts": [80] }));
    content(&host);
    let id = snapshot(&host);
    let pin = serde_json::from_value(json!({ "pinned": true })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &pin)).unwrap();
    call(&host, "workspace_fork", json!({})).unwrap();
    let refused = now(host.delete_session(false)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    assert!(refused.hint.unwrap().contains("close"));
    assert!(now(host.get(&SnapshotSelector::Id(id.clone()), false)).is_ok(), "nothing is lost");
    let deleted = now(host.delete_session(true)).unwrap();
    assert_eq!((deleted.workspaces, deleted.deleted), (2, true));
    assert!(deleted.snapshots >= 1);
    assert!(world.bucket.objects.borrow().is_empty(), "{:?}", world.bucket.objects.borrow().keys());
    assert!(world.disks.borrow().is_empty(), "no container runs");
    assert_eq!(host.describe().unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(now(host.delete_session(true)).unwrap().snapshots, 0);
    world.recover("sess");
    // Another policy than before.
    let host = world.open_with("sess", json!({ "network": { "mode": "off" } }));
    assert!(host.list_commands(None, None).unwrap().commands.is_empty());
    assert_eq!(content(&host), "");
}

#[test]
fn a_deleted_session_leaves_no_row_in_any_table() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "destroyOnClose": true }));
    let id = SnapshotSelector::Id(snapshot(&host));
    now(host.delete(&id, DeleteOptions { force: true, ..DeleteOptions::default() })).unwrap();
    now(host.close()).unwrap();
    let select = |sql: &str| world.database.run(sql, &[]).unwrap();
    // Not the schema's version, the sums that triggers maintain, and the sandboxes that the alarm
    // still has to destroy.
    let tables = select(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
            AND name NOT IN ('schema_version', 'autosave_counts', 'held_sums', 'snapshot_changes',
                'snapshot_sums', 'clean_sandboxes')",
    );
    let tables: Vec<&str> = tables.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(tables.contains(&"commands"));
    let has_rows = |table: &str| !select(&format!("SELECT 1 AS one FROM {table}")).is_empty();
    // A table without a row gets one, whatever it says. What becomes full would be still in use.
    for table in tables.iter().filter(|table| **table != "flattening" && !has_rows(table)) {
        let columns = select(&format!("SELECT name, type FROM pragma_table_info('{table}')"));
        let names: Vec<&str> =
            columns.iter().map(|column| column["name"].as_str().unwrap()).collect();
        let values: Vec<&str> = columns
            .iter()
            .map(|column| if column["type"] == json!("TEXT") { "'{}'" } else { "1" })
            .collect();
        let (names, values) = (names.join(", "), values.join(", "));
        world.sql(&format!("INSERT INTO {table} ({names}) VALUES ({values})"));
    }
    assert!(Catalogue::open(world.database.clone()).unwrap().forget_session().unwrap());
    let left: Vec<&&str> = tables.iter().filter(|table| has_rows(table)).collect();
    assert!(left.is_empty(), "{left:?}");
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
