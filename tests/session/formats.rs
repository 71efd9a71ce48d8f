//! Pins the stored and the published formats. A change here needs a migration or a
//! changelog entry.

use crate::pools::Deployment;
use crate::support::database::MemoryDatabase;
use crate::support::directory::MemoryDirectory;
use crate::support::faults::Faults;
use crate::support::ports::TestClock;
use crate::support::starts::MemoryStarts;
use crate::world::{World, now};
use serde_json::{Value, json};
use snapshotter::api::operation::Operation;
use snapshotter::api::operation::run;
use snapshotter::domain::session::scope::Caller;
use snapshotter::session::Abort;
use std::rc::Rc;

/// Compares `shown` with a file of `tests/golden`, or writes the file.
fn pinned(file: &str, golden: &str, shown: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(format!("tests/golden/{file}"), shown).unwrap();
    }
    assert!(shown == golden, "{file} changed; see git diff after UPDATE_GOLDEN=1");
}

#[test]
fn catalogue_schema_format_unchanged() {
    let world = World::new();
    world.open("sess");
    pinned("catalogue.sql", include_str!("../golden/catalogue.sql"), &world.database.schema());
}

#[test]
fn schemas_of_the_deployments_objects_format_unchanged() {
    let clock = TestClock::new();
    let directory = Rc::new(MemoryDatabase::new());
    MemoryDirectory::over(directory.clone(), clock.clone(), Faults::default());
    pinned("directory.sql", include_str!("../golden/directory.sql"), &directory.schema());
    let starts = MemoryStarts::new(Some(1), Rc::new(clock));
    pinned("starts.sql", include_str!("../golden/starts.sql"), &starts.database.schema());
    let pools = Deployment::new(1);
    pinned("pools.sql", include_str!("../golden/pools.sql"), &pools.database.schema());
}

#[test]
fn answers_and_log_lines_format_unchanged() {
    let world = World::new();
    let host = world.host("sess");
    let mut shown = String::new();
    let workspace = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": "sess" } });
    for (op, args) in [
        ("open", json!({ "config": { "envVars": { "TOKEN": "secret" } } })),
        ("resolve", json!({})),
        ("callTool", json!({ "name": "workspace_run", "input": { "command": "cat" } })),
        ("snapshot", json!({ "name": "v1", "description": "first", "ttlSeconds": 61 })),
        ("snapshot", json!({ "name": "v1" })),
        ("restore", json!({ "ref": "v1" })),
        ("branch", json!({ "ref": "none" })),
        ("get", json!({ "ref": "v1" })),
        ("list", json!({ "limit": 1 })),
        ("switch", json!({ "ref": workspace })),
        ("listWorkspaces", json!({})),
        ("delete", json!({ "ref": "v1" })),
        ("list", json!({ "includeUnready": true })),
        ("listEvents", json!({ "limit": 2 })),
        ("describe", json!({})),
        ("close", json!({})),
    ] {
        world.log.0.borrow_mut().clear();
        let operation = Operation::parse(op, args.clone()).unwrap().into();
        let answer = now(run(
            &host,
            &Caller::Operator,
            operation,
            &Abort::default(),
            &world.clock,
            &world.log,
            || "incident".to_owned(),
        ));
        let answer: Value = match answer {
            Ok(value) => value,
            Err(error) => serde_json::to_value(error.to_wire()).unwrap(),
        };
        shown += &format!("> {op} {args}\n{answer}\n");
        for line in world.log.0.borrow().iter() {
            let line = serde_json::to_string(line).unwrap();
            assert!(!line.contains("secret"), "{line}");
            shown += &format!("log {line}\n");
        }
    }
    pinned("answers.txt", include_str!("../golden/answers.txt"), &shown);
}
