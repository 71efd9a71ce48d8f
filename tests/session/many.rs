//! Very many sessions at once.

use crate::leases::published;
use crate::support::ports::TestAlarm;
use crate::world::World;
use crate::world::call_tool;
use futures::executor::block_on;
use futures::future::join_all;
use serde_json::{Value, json};
use snapshotter::domain::error::Result;
use snapshotter::session::{Abort, Session};
use std::collections::BTreeSet;

/// Sessions of one deployment, each with its own object.
fn sessions(world: &World, count: usize) -> Vec<(String, World, Session)> {
    let session = |nth: usize| {
        let mut own = world.other_session();
        own.alarm = TestAlarm::default();
        let id = format!("many-{nth}");
        let host = own.host(&id);
        (id, own, host)
    };
    (0..count).map(session).collect()
}

async fn open(host: &Session, config: Value) -> Result<()> {
    host.start().await?;
    host.open(serde_json::from_value(config).unwrap()).await.map(drop)
}

async fn cat(host: &Session) -> Result<String> {
    let input = json!({ "command": "cat" });
    let answer = call_tool(host, "workspace_run", input, &Abort::default()).await?;
    Ok(answer["stdout"].as_str().unwrap().to_owned())
}

#[test]
fn a_thousand_sessions_open_at_once() {
    let world = World::new();
    let sessions = sessions(&world, 1_000);
    world.faults.slow.set(true);
    let opened = sessions.iter().map(|(_, _, host)| open(host, json!({ "autosave": false })));
    let opened = block_on(join_all(opened));
    assert!(opened.iter().all(Result::is_ok));
    assert_eq!(world.starts.get(), 0, "an open starts no container");
    let alarms = block_on(join_all(sessions.iter().map(|(_, _, host)| host.recover())));
    assert!(alarms.iter().all(Result::is_ok));
    assert_eq!(world.directory.listed().len(), 1_000);

    let used = &sessions[..50];
    // Each is called by several at once.
    let ran = used.iter().flat_map(|(_, _, host)| [cat(host), cat(host), cat(host)]);
    let ran = block_on(join_all(ran));
    assert!(ran.iter().all(Result::is_ok));
    assert_eq!(world.starts.get(), 50, "nothing is started twice");
    let running: BTreeSet<String> = world.disks.borrow().keys().map(ToString::to_string).collect();
    assert_eq!(running, used.iter().map(|(id, _, _)| id.clone()).collect());
}

#[test]
fn one_template_is_claimed_by_a_hundred_at_once() {
    let (world, _owner, id, _) = published();
    let before = world.starts.get();
    let sessions = sessions(&world, 100);
    world.faults.slow.set(true);
    let claim = async |host: &Session| {
        open(host, json!({ "autosave": false, "from": id })).await?;
        cat(host).await
    };
    let claimed = block_on(join_all(sessions.iter().map(|(_, _, host)| claim(host))));
    for content in claimed {
        assert_eq!(content.unwrap(), "v1");
    }
    assert_eq!(world.starts.get() - before, 100, "nothing is started twice");
    let leases = world.database_count("SELECT COUNT(*) AS count FROM leases");
    assert_eq!(leases, 100, "each may wake from it again");
}
