//! Buckets as directories: when they are mounted, and what is said of them.

use crate::support::faults::{Fault, Faults};
use crate::workspaces::pause::{pause, resume};
use crate::workspaces::rewind::{rewind, to};
use crate::world::{World, content, now, snapshot};
use serde_json::{Value, json};
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::sandbox::{MountOutcome, MountState, MountedBuckets};
use snapshotter::session::{Abort, LiveForkRequest, Session};
use std::rc::Rc;

fn config() -> Value {
    json!({
        "bucketMounts": [
            { "bucket": "BACKUP_BUCKET", "mountPath": "/data", "prefix": "/x", "readOnly": true },
            { "bucket": "far", "mountPath": "/far", "endpoint": "https://s3.example.com",
              "credentials": { "accessKeyId": "AKIA123", "secretAccessKey": "s3cr3t" } },
        ],
        "services": [{ "name": "web", "command": "serve /data" }],
    })
}

fn world() -> World {
    let world = World::new();
    let mounted = MountOutcome { state: MountState::Mounted, problem: None };
    let failed = MountOutcome { state: MountState::Failed, problem: Some("no such bucket".into()) };
    *world.bucket_mounts.borrow_mut() = MountedBuckets { mounts: vec![mounted, failed] };
    world
}

/// How many containers were asked to mount since the last look.
fn asked(world: &World) -> usize {
    world.bucket_dirs.take().len()
}

fn shown(host: &Session) -> Vec<(MountState, Option<String>)> {
    let buckets = now(host.describe_workspace()).unwrap().buckets;
    buckets.into_iter().map(|bucket| (bucket.mount, bucket.mount_problem)).collect()
}

#[test]
fn every_new_container_mounts_them_once_before_services() {
    let world = world();
    let host = world.open_with("sess", config());
    assert_eq!(shown(&host), [(MountState::Stopped, None), (MountState::Stopped, None)]);
    assert_eq!((asked(&world), world.starts.get()), (0, 0), "open and describe start nothing");
    content(&host);
    let mounted = world.bucket_dirs.take();
    let [(disk, dirs)] = mounted.as_slice() else { panic!("{mounted:?}") };
    assert_eq!(*disk, world.disks.borrow().values().next().unwrap().instance);
    assert_eq!(
        serde_json::to_value(dirs).unwrap(),
        json!([
            { "path": "/data", "bucket": "BACKUP_BUCKET", "prefix": "x/", "readOnly": true },
            { "path": "/far", "bucket": "far" },
        ])
    );
    content(&host);
    let first = snapshot(&host);
    assert_eq!(asked(&world), 0);
    world.kill("sess");
    content(&host);
    assert_eq!(asked(&world), 1, "a wake");
    pause(&host).unwrap();
    resume(&host).unwrap();
    assert_eq!(asked(&world), 1, "a resume");
    let from = SnapshotSelector::Id(first.clone());
    for kind in [RestoreKind::Restored, RestoreKind::Branch] {
        now(host.make_workspace(kind, &from, false, &Abort::default())).unwrap();
        assert_eq!(asked(&world), 1, "{kind:?}");
    }
    now(host.live_fork(&LiveForkRequest::default(), &Abort::default())).unwrap();
    assert_eq!(asked(&world), 1, "a fork");
    world.write("sess", "v2");
    rewind(&host, &to(&first)).unwrap();
    content(&host);
    assert_eq!(asked(&world), 0, "a rewind keeps the container");
}

#[test]
fn describe_says_how_it_went_and_a_failure_fails_no_call() {
    let world = world();
    let host = world.open_with("sess", config());
    content(&host);
    let expected =
        [(MountState::Mounted, None), (MountState::Failed, Some("no such bucket".to_owned()))];
    assert_eq!(shown(&host), expected);
    let warnings = |world: &World| {
        world.log.0.borrow().iter().filter(|line| line.event == "mount.failed").count()
    };
    assert_eq!(warnings(&world), 1);
    // Another object of the session asks, and the container keeps what it has.
    asked(&world);
    let again = world.host("sess");
    content(&again);
    content(&again);
    assert_eq!(asked(&world), 1);
    assert_eq!(shown(&again), expected);
    assert_eq!((asked(&world), warnings(&world)), (1, 2), "what is known is not logged again");

    let faults = Faults::decided_by(Rc::default(), |name| {
        (name == "mountBuckets").then_some(Fault::ErrorBefore)
    });
    let mut broken = self::world();
    broken.faults = faults;
    let host = broken.open_with("sess", config());
    content(&host);
    assert_eq!(shown(&host), [(MountState::Failed, None), (MountState::Failed, None)]);
    assert!(warnings(&broken) > 1);
}

#[test]
fn a_mount_that_ends_is_noticed_and_made_again() {
    let world = world();
    let good = world.bucket_mounts.borrow().clone();
    let mut ended = good.clone();
    ended.mounts[0] = MountOutcome { state: MountState::Failed, problem: Some("ended".into()) };
    let host = world.open_with("sess", config());
    content(&host);
    world.bucket_mounts.replace(ended);
    assert_eq!(shown(&host)[0], (MountState::Failed, Some("ended".to_owned())));
    world.bucket_mounts.replace(good);
    assert_eq!(shown(&host)[0], (MountState::Mounted, None));

    // Other calls look only after a command has met such a mount.
    asked(&world);
    content(&host);
    assert_eq!(asked(&world), 0);
    world.write("sess", "cat: /data/file: Transport endpoint is not connected");
    content(&host);
    assert_eq!(asked(&world), 0, "the call that meets it");
    world.write("sess", "v2");
    content(&host);
    content(&host);
    assert_eq!(asked(&world), 1, "the next call");
}

#[test]
fn code_in_a_context_notices_a_mount_that_ended() {
    let world = world();
    let mut config = config();
    config["capabilities"] = json!({ "fs": true, "shell": {}, "code": { "stateful": true } });
    let host = world.open_with("sess", config);
    let create = serde_json::from_value(json!({ "language": "python" })).unwrap();
    let context = now(host.create_code_context(create)).unwrap().answer.context;
    content(&host);
    asked(&world);
    // The fake's code prints itself.
    let code = json!({ "context": context, "code": "Transport endpoint is not connected" });
    let code = serde_json::from_value(code).unwrap();
    now(host.run_in_code_context(code, &Abort::default())).unwrap();
    content(&host);
    assert_eq!(asked(&world), 1);
}

#[test]
fn no_credential_leaves_the_configuration() {
    let world = world();
    let host = world.open_with("sess", config());
    content(&host);
    snapshot(&host);
    let seen = [
        format!("{:?}", now(host.describe_workspace()).unwrap()),
        format!("{:?}", world.bucket_dirs.borrow()),
        format!("{:?}", world.log.0.borrow()),
        format!("{:?}", host.describe().unwrap()),
        format!("{:?}", world.configured.borrow()),
    ];
    for text in &seen {
        assert!(!text.contains("s3cr3t") && !text.contains("AKIA123"), "{text}");
    }
    // The sandbox's object has them, because it answers the gateway.
    let configured = world.configured.borrow();
    let mounts = configured.values().next().unwrap().bucket_mounts.clone().unwrap();
    let stored = serde_json::to_string(&mounts).unwrap();
    assert!(stored.contains("s3cr3t") && stored.contains("AKIA123"));
}
