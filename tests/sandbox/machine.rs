//! Starting, losing and destroying a container.

use crate::support::faults::{Fault, Faults};
use crate::support::ports::TestClock;
use crate::world::{DIR, World, handle, id, now, options};
use futures::FutureExt;
use snapshotter::domain::egress::{EgressPolicy, EgressRequest, NetworkMode, Verdict};
use snapshotter::domain::error::{ErrorCode, Outcome, Result};
use snapshotter::domain::limits::{
    CONTAINER_RESPONSE_TIMEOUT_AGAIN_MS, CONTAINER_RESPONSE_TIMEOUT_MS,
};
use snapshotter::domain::snapshot::backup::BackupDir;
use snapshotter::ports::container::Container;
use snapshotter::ports::contract;
use snapshotter::ports::sandbox::*;
use snapshotter::sandbox::SandboxService;
use std::cell::Cell;
use std::rc::Rc;

#[test]
fn the_fake_container_keeps_the_contract() {
    let world = World::new();
    let (container, clock, bucket) = (&world.container, &world.clock, &world.bucket);
    now(contract::container(container, clock, bucket, "BACKUP_BUCKET", "contract/")).unwrap();
    assert!(world.bucket.keys().is_empty() && world.bucket.uploads.borrow().is_empty());
}

#[test]
fn any_number_of_callers_start_one_container() {
    let world = World::new();
    let sandbox = world.sandbox();
    let ids = now(futures::future::join_all((0..5).map(|_| sandbox.ensure_running())));
    assert_eq!(world.container.starts.borrow().len(), 1);
    assert_eq!(world.container.count("instance.sh"), 1);
    let first = ids[0].clone().unwrap();
    assert!(ids.into_iter().all(|id| id.unwrap() == first));
    assert_eq!(now(sandbox.ensure_running()).unwrap(), first);
    assert_eq!(world.container.count("instance.sh"), 1, "it is remembered");
}

#[test]
fn a_call_that_names_a_disk_starts_nothing_while_it_is_destroyed() {
    let world = World::with_files(b"files");
    let instance_id = now(world.sandbox().ensure_running()).ok();
    let sandbox = world.sandbox();
    world.faults.slow.set(true);
    let options = ExecOptions { instance_id, ..ExecOptions::default() };
    let exec = sandbox.exec(CommandLine::Shell("true".to_owned()), options);
    let both = futures::future::join(sandbox.destroy(), exec);
    let (destroyed, run) = futures::executor::block_on(both);
    destroyed.unwrap();
    assert_eq!(run.unwrap_err().code, ErrorCode::WorkspaceLost);
    assert_eq!(world.container.starts.borrow().len(), 1);
    assert!(world.container.disk.borrow().is_none());
}

#[test]
fn asking_for_the_disk_of_one_that_is_destroyed_starts_nothing() {
    let destroyed = |asked_first| {
        let world = World::with_files(b"files");
        let sandbox = world.sandbox();
        world.faults.slow.set(true);
        let disk = if asked_first {
            let both = futures::future::join(sandbox.disk(), sandbox.destroy());
            futures::executor::block_on(both).0
        } else {
            let both = futures::future::join(sandbox.destroy(), sandbox.disk());
            futures::executor::block_on(both).1
        };
        assert_eq!(world.container.starts.borrow().len(), 1, "asked first: {asked_first}");
        assert!(world.container.disk.borrow().is_none());
        disk
    };
    assert_eq!([true, false].map(destroyed), [Ok(None), Ok(None)]);
}

#[test]
fn a_new_object_reads_the_disk_again_and_keeps_it_running() {
    let world = World::new();
    let first = now(world.sandbox().ensure_running()).unwrap();
    let sandbox = world.sandbox();
    let timeouts = || world.container.timeouts.borrow().len();
    assert_eq!(timeouts(), 1);
    now(sandbox.keep_running());
    now(sandbox.keep_running());
    assert_eq!(timeouts(), 2, "once for each object");
    assert_eq!(now(sandbox.ensure_running()).unwrap(), first);
    assert_eq!(world.container.starts.borrow().len(), 1);
}

#[test]
fn another_disk_is_a_lost_workspace_everywhere() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    let instance = now(sandbox.ensure_running()).unwrap();
    world.container.die();
    let file = FileOptions { instance_id: Some(instance.clone()), ..FileOptions::default() };
    let path =
        || snapshotter::domain::files::path::AbsolutePath::parse("path", "/workspace/a").unwrap();
    let exec = ExecOptions { instance_id: Some(instance.clone()), ..ExecOptions::default() };
    let backup = CreateBackupOptions { instance_id: Some(instance.clone()), ..options(&id(1)) };
    let codes = || {
        [
            now(sandbox.exec(CommandLine::Shell("true".into()), exec.clone())).unwrap_err().code,
            now(sandbox.read_file(path(), file.clone())).unwrap_err().code,
            now(sandbox.write_file(path(), "x".into(), file.clone())).unwrap_err().code,
            now(sandbox.mkdir(path(), file.clone())).unwrap_err().code,
            now(sandbox.list_files(path(), file.clone())).unwrap_err().code,
            now(sandbox.delete_file(path(), file.clone())).unwrap_err().code,
            now(sandbox.exists(path(), file.clone())).unwrap_err().code,
            now(sandbox.create_backup(backup.clone())).unwrap_err().code,
        ]
    };
    assert_eq!(codes(), [ErrorCode::WorkspaceLost; 8]);
    assert_eq!(world.container.starts.borrow().len(), 1, "none is started to find that out");
    // Another start gives a new disk.
    let other = now(sandbox.ensure_running()).unwrap();
    assert_ne!(other, instance);
    assert_eq!(codes(), [ErrorCode::WorkspaceLost; 8]);
    assert!(world.bucket.keys().is_empty());
}

#[test]
fn a_start_that_is_refused_for_a_moment_is_tried_again() {
    let world = World::new();
    world.container.refusals.set(3);
    assert!(now(world.sandbox().ensure_running()).is_ok());
    // The platform refuses for good. The wait is bounded, and the log has its words.
    let world = World::new();
    world.container.refusals.set(u32::MAX);
    let began_ms = world.now_ms();
    let error = now(world.sandbox().ensure_running()).unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable);
    assert_eq!(error.cause.as_deref(), Some("no such image; then: not running"));
    assert!(world.now_ms() - began_ms < 15_000);
}

#[test]
fn where_there_is_no_room_a_start_is_tried_until_there_is() {
    let full = "There is no container instance that can be provided to this Durable Object";
    let start = |refusals: u32| {
        let world = World::new();
        world.container.refused_because.set(full);
        world.container.refusals.set(refusals);
        let began_ms = world.now_ms();
        let started = now(world.sandbox().ensure_running());
        (started.map_err(|error| error.cause), world.now_ms() - began_ms)
    };
    // Waits longer than for other refusals, and leaves time to become ready.
    let (started, waited_ms) = start(40);
    assert!(started.is_ok() && waited_ms > 20_000, "{started:?} after {waited_ms} ms");
    let (refused, waited_ms) = start(u32::MAX);
    assert!(refused.unwrap_err().unwrap().contains(full));
    assert!((120_000..130_000).contains(&waited_ms), "{waited_ms} ms");
}

#[test]
fn a_container_that_never_runs_a_command_is_given_up_and_destroyed() {
    let world = World::new();
    for _ in 0..1_000 {
        world.container.script("instance.sh", 1, "", "read-only file system");
    }
    let began_ms = world.now_ms();
    let error = now(world.sandbox().ensure_running()).unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable);
    assert!(error.cause.unwrap().contains("read-only file system"));
    let took_ms = world.now_ms() - began_ms;
    assert!((50_000..=61_000).contains(&took_ms), "{took_ms}");
    assert!(world.container.disk.borrow().is_none());
}

#[test]
fn a_container_that_does_not_answer_is_given_up_and_left_as_it_is() {
    let (world, silent) = World::with_silence(b"unsaved");
    let sandbox = world.sandbox();
    let disk = now(sandbox.disk()).unwrap();
    silent.set(true);
    let gives_up_within = |limit_ms: u64, call: &dyn Fn() -> Result<()>| {
        let began_ms = world.now_ms();
        let error = call().unwrap_err();
        let took_ms = world.now_ms().abs_diff(began_ms);
        assert!(took_ms <= limit_ms + 5_000, "{took_ms} ms");
        assert_eq!(error.code, ErrorCode::Unavailable);
        error
    };
    let command = || CommandLine::Shell("true".to_owned());
    let exec = || now(sandbox.exec(command(), ExecOptions::default())).map(drop);
    let error = gives_up_within(CONTAINER_RESPONSE_TIMEOUT_MS, &exec);
    assert_eq!(error.outcome, Outcome::Unknown);
    for call in [
        &|| now(sandbox.disk()).map(drop),
        &|| now(sandbox.ensure_running()).map(drop),
        &|| now(sandbox.create_backup(options(&id(1)))).map(drop),
        &|| now(world.sandbox().disk()).map(drop),
    ] as [&dyn Fn() -> Result<()>; 4]
    {
        gives_up_within(CONTAINER_RESPONSE_TIMEOUT_AGAIN_MS, call);
    }

    silent.set(false);
    assert_eq!(now(sandbox.disk()).unwrap(), disk, "it only had much to do");
    assert_eq!(world.container.dir(DIR).unwrap(), b"unsaved");
    assert_eq!(world.container.starts.borrow().len(), 1);
}

#[test]
fn requests_are_intercepted_before_a_start_and_by_each_new_object() {
    let world = World::new();
    let sandbox = world.sandbox();
    let secret =
        serde_json::json!({ "hosts": ["api.example.com"], "header": "x-key", "value": "s3cr3t" });
    let egress = serde_json::json!({
        "mode": "allowlist", "hosts": ["*.example.com"], "secrets": { "KEY": secret }
    });
    let configure = |egress| {
        let options = serde_json::from_value(serde_json::json!({ "egress": egress })).unwrap();
        now(world.sandbox().configure(options))
    };
    configure(egress).unwrap();
    assert!(world.container.interceptions.borrow().is_empty(), "it starts nothing");
    let exec = |sandbox: &SandboxService| {
        now(sandbox.exec(CommandLine::Shell("env".into()), ExecOptions::default())).unwrap()
    };
    assert_eq!((exec(&sandbox).hint, exec(&sandbox).refused_hosts), (None, Vec::new()));
    assert!(!world.container.starts.borrow()[0].enable_internet);
    let seen: Vec<usize> =
        world.container.interceptions.borrow().iter().map(|seen| seen.0).collect();
    assert_eq!(seen, [0, 1], "before the start and after it");
    let all = world.container.interceptions.borrow()[0].1.clone();
    assert!(all.all_http && all.https.contains("*"));
    let command = world.container.commands.borrow().last().unwrap().clone();
    assert_eq!(command.env["SSL_CERT_FILE"], "/etc/cloudflare/certs/bundle.crt");
    assert!(!format!("{:?}", world.container.commands.borrow()).contains("s3cr3t"));

    // A new object finds the container running.
    now(world.sandbox().keep_running());
    assert_eq!(world.container.interceptions.borrow().len(), 3);

    let asked = |hostname: &str| EgressRequest {
        protocol: "https:".into(),
        hostname: hostname.into(),
        port: String::new(),
    };
    let decided = sandbox.decide(&asked("api.example.com")).unwrap();
    let headers = vec![("x-key".to_owned(), "s3cr3t".to_owned())];
    assert_eq!(decided, Verdict::Allowed { headers });
    for host in ["evil.org", "evil.org", "other.org"] {
        assert!(matches!(sandbox.decide(&asked(host)).unwrap(), Verdict::Refused { .. }));
        world.clock.advance(1_000);
    }
    // The refusals survive the object, and are said once.
    let answer = exec(&world.sandbox());
    let refused: Vec<(&str, u64)> =
        answer.refused_hosts.iter().map(|refused| (refused.host.as_str(), refused.count)).collect();
    assert_eq!(refused, [("evil.org", 2), ("other.org", 1)]);
    assert!(answer.hint.unwrap().contains("refused evil.org, other.org"));
    assert_eq!(exec(&sandbox).hint, None);
    for n in 0..100 {
        sandbox.decide(&asked(&format!("h{n}.org"))).unwrap();
    }
    assert_eq!(exec(&sandbox).refused_hosts.len(), 20);

    // A changed policy holds at once.
    let before = world.container.interceptions.borrow().len();
    configure(serde_json::json!({ "mode": "allowlist", "hosts": ["example.org"] })).unwrap();
    assert_eq!(world.container.interceptions.borrow().len(), before + 1);
    assert!(matches!(sandbox.decide(&asked("api.example.com")).unwrap(), Verdict::Refused { .. }));
}

#[test]
fn no_container_starts_whose_requests_cannot_be_intercepted() {
    let faults = Faults::decided_by(Rc::default(), |name| {
        (name == "intercept").then_some(Fault::ErrorBefore)
    });
    let world = World::breaking(TestClock::new(), faults);
    let sandbox = world.sandbox();
    let egress = EgressPolicy { mode: NetworkMode::Allowlist, ..EgressPolicy::default() };
    let options = ConfigureOptions { egress: Some(egress), ..ConfigureOptions::default() };
    now(sandbox.configure(options)).unwrap();
    assert_eq!(now(sandbox.ensure_running()).unwrap_err().code, ErrorCode::Unavailable);
    assert!(world.container.starts.borrow().is_empty());
}

#[test]
fn a_changed_policy_that_could_not_be_applied_is_applied_by_the_next_call() {
    let failing = Rc::new(Cell::new(false));
    let faults = Faults::decided_by(Rc::default(), {
        let failing = failing.clone();
        move |name| (failing.get() && name == "intercept").then_some(Fault::ErrorBefore)
    });
    let world = World::breaking(TestClock::new(), faults);
    let sandbox = world.sandbox();
    now(sandbox.ensure_running()).unwrap();
    let options: ConfigureOptions = serde_json::from_value(serde_json::json!({ "egress": {
        "secrets": { "A": { "hosts": ["a.example"], "header": "x", "value": "v" } }
    } }))
    .unwrap();
    failing.set(true);
    assert!(now(sandbox.configure(options.clone())).is_err());
    failing.set(false);
    assert!(world.container.interceptions.borrow().is_empty());
    now(sandbox.keep_running());
    now(sandbox.configure(options)).unwrap();
    let seen = world.container.interceptions.borrow().last().unwrap().1.clone();
    assert!(seen.https.contains("a.example"));
}

#[test]
fn nothing_is_intercepted_where_the_policy_says_nothing() {
    for mode in [NetworkMode::Open, NetworkMode::Off] {
        let world = World::new();
        let egress = Some(EgressPolicy { mode, ..EgressPolicy::default() });
        let options = ConfigureOptions { egress, ..ConfigureOptions::default() };
        now(world.sandbox().configure(options)).unwrap();
        now(world.sandbox().ensure_running()).unwrap();
        assert!(world.container.interceptions.borrow().is_empty());
        let is_open = mode == NetworkMode::Open;
        assert_eq!(world.container.starts.borrow()[0].enable_internet, is_open);
    }
}

#[test]
fn buckets_are_intercepted_whatever_the_network_and_commands_find_them() {
    for mode in [NetworkMode::Open, NetworkMode::Off] {
        let world = World::new();
        let configure = |mounts: serde_json::Value| {
            let options = serde_json::json!({
                "egress": { "mode": mode }, "bucketMounts": mounts,
                "envVars": { "AWS_REGION": "mine" },
            });
            now(world.sandbox().configure(serde_json::from_value(options).unwrap())).unwrap();
        };
        let exec = || {
            now(world.sandbox().exec(CommandLine::Shell("env".into()), ExecOptions::default()))
                .unwrap();
            world.container.commands.borrow().last().unwrap().env.clone()
        };
        configure(serde_json::json!([]));
        let env = exec();
        assert!(!env.contains_key("AWS_ENDPOINT_URL_S3"));
        assert!(world.container.interceptions.borrow().is_empty());
        configure(serde_json::json!([{ "bucket": "DATA", "prefix": "x/" }]));
        let seen = world.container.interceptions.borrow().last().unwrap().1.clone();
        assert_eq!(Vec::from_iter(&seen.http), ["r2.internal"]);
        assert!(!seen.all_http && seen.https.is_empty());
        let env = exec();
        assert_eq!(env["AWS_ENDPOINT_URL_S3"], "http://r2.internal");
        assert_eq!(env["AWS_REGION"], "mine", "the session's own variables come later");
        let reached = world.sandbox().reached_buckets().unwrap();
        let mounts = serde_json::to_value(reached.mounts).unwrap();
        assert_eq!(mounts, serde_json::json!([{ "bucket": "DATA", "prefix": "x/" }]));
    }
}

#[test]
fn configuration_is_kept_merged_and_forgotten() {
    let world = World::new();
    let sandbox = world.sandbox();
    let first: ConfigureOptions = serde_json::from_value(serde_json::json!({
        "sleepAfterMs": 30_000, "enableInternet": false, "instanceType": "standard-2",
        "envVars": { "A": "1", "B": "2" }
    }))
    .unwrap();
    now(sandbox.configure(first)).unwrap();
    let second = ConfigureOptions {
        env_vars: Some([("B".to_owned(), "3".to_owned())].into()),
        ..ConfigureOptions::default()
    };
    now(world.sandbox().configure(second)).unwrap();
    assert!(world.container.starts.borrow().is_empty());

    let sandbox = world.sandbox();
    let call = [("C".to_owned(), "4".to_owned())];
    let exec = ExecOptions { env: call.into(), ..ExecOptions::default() };
    now(sandbox.exec(CommandLine::Shell("env".into()), exec)).unwrap();
    let start = world.container.starts.borrow()[0].clone();
    assert!(!start.enable_internet);
    assert_eq!(start.instance_type.as_deref(), Some("standard-2"));
    assert_eq!(*world.container.timeouts.borrow(), [30_000]);
    let env = world.container.commands.borrow().last().unwrap().env.clone();
    let env: Vec<(&str, &str)> = env.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let expected =
        [("B", "3"), ("C", "4"), ("HOME", "/root"), ("IS_SANDBOX", "1"), ("LANG", "C.UTF-8")];
    assert_eq!(env, expected);

    // While it runs, a new idle time takes effect at once.
    let longer = ConfigureOptions { sleep_after_ms: Some(60_000), ..ConfigureOptions::default() };
    now(sandbox.configure(longer)).unwrap();
    assert_eq!(*world.container.timeouts.borrow(), [30_000, 60_000]);

    now(sandbox.destroy()).unwrap();
    let little = ConfigureOptions { sleep_after_ms: Some(60_000), ..ConfigureOptions::default() };
    now(sandbox.configure(little)).unwrap();
    now(sandbox.ensure_running()).unwrap();
    let start = world.container.starts.borrow()[1].clone();
    assert_eq!((start.enable_internet, start.instance_type), (false, None), "closed unless told");
    for bad in [
        serde_json::json!({ "sleepAfterMs": 0 }),
        serde_json::json!({ "sleepAfterMs": 21_600_001 }),
        serde_json::json!({ "envVars": { "A=B": "" } }),
        serde_json::json!({ "instanceType": "Big one" }),
    ] {
        let bad = serde_json::from_value(bad).unwrap();
        let error = now(sandbox.configure(bad)).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
    }
}

#[test]
fn asking_for_the_disk_starts_nothing() {
    let world = World::new();
    let sandbox = world.sandbox();
    assert_eq!(now(sandbox.disk()), Ok(None));
    assert!(world.container.starts.borrow().is_empty());
    let disk = now(sandbox.ensure_running()).unwrap();
    assert_eq!(now(sandbox.disk()), Ok(Some(disk.clone())));
    assert_eq!(now(world.sandbox().disk()), Ok(Some(disk)), "a new object reads it");
    world.container.die();
    assert_eq!(now(sandbox.disk()), Ok(None));
}

#[test]
fn a_disk_that_lost_its_name_is_the_same_as_long_as_its_container_runs() {
    let world = World::with_files(b"unsaved");
    let disk = now(world.sandbox().disk()).unwrap();
    let lose_name = || world.container.disk.borrow_mut().as_mut().unwrap().instance = None;
    lose_name();
    assert_eq!(now(world.sandbox().disk()).unwrap(), disk, "a new object asks again");
    lose_name();
    assert_eq!(now(world.sandbox().ensure_running()).ok(), disk);

    // A start that this sandbox did not make has another disk.
    world.container.die();
    let as_before = world.container.starts.borrow()[0].clone();
    world.container.start(&as_before).unwrap();
    let other = now(world.sandbox().disk()).unwrap();
    assert!(other.is_some() && other != disk, "{other:?}");
    world.container.die();
    let third = now(world.sandbox().ensure_running()).unwrap();
    assert!(Some(&third) != other.as_ref() && Some(&third) != disk.as_ref());
}

#[test]
fn a_disk_that_nothing_tells_of_is_left_alone() {
    let world = World::with_files(b"unsaved");
    let disk = now(world.sandbox().disk()).unwrap();
    // As one that an earlier version started.
    world.database.run("DELETE FROM container", &[]).unwrap();
    assert_eq!(now(world.sandbox().disk()).unwrap(), disk, "its name tells");
    world.database.run("DELETE FROM container", &[]).unwrap();
    world.container.disk.borrow_mut().as_mut().unwrap().instance = None;
    let sandbox = world.sandbox();
    assert_eq!(now(sandbox.disk()).unwrap_err().code, ErrorCode::Conflict);
    assert_eq!(now(sandbox.ensure_running()).unwrap_err().code, ErrorCode::Conflict);
    let error = now(sandbox.create_backup(options(&id(1)))).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Conflict, Outcome::None));
    assert_eq!(world.container.dir(DIR).unwrap(), b"unsaved");
    now(sandbox.destroy()).unwrap();
    world.configure();
    assert!(now(sandbox.ensure_running()).is_ok(), "who wants it gone can have that");
}

#[test]
fn a_start_ends_with_a_destroy() {
    let world = World::new();
    let sandbox = world.sandbox();
    world.faults.arm(1, Fault::CrashBefore);
    let mut starting = sandbox.ensure_running().boxed_local();
    assert!((&mut starting).now_or_never().is_none());
    world.faults.disarm();
    now(sandbox.destroy()).unwrap();
    assert!(!now(sandbox.is_running()).unwrap());
    assert_eq!(world.container.starts.borrow().len(), 1);
}

#[test]
fn log_lines_carry_no_content() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    let line = CommandLine::Shell("echo s3cret".into());
    now(sandbox.exec(line, ExecOptions::default())).unwrap();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    let lines = world.log.0.borrow();
    assert!(lines.iter().all(|line| !serde_json::to_string(line).unwrap().contains("s3cret")));
    let backup = lines.iter().find(|line| line.event == "sandbox.create_backup").unwrap();
    assert_eq!(backup.fields["sizeBytes"], 5);
    assert_eq!(backup.fields["outcome"], "ok");
    assert_eq!(backup.fields["sandbox"], "sandbox-1");
}

#[test]
fn store_schema_format_unchanged() {
    let world = World::new();
    world.sandbox();
    let shown = world.database.schema();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write("tests/golden/sandbox.sql", &shown).unwrap();
    }
    assert_eq!(shown, include_str!("../golden/sandbox.sql"));
}

#[test]
fn many_refused_requests_are_counted_in_memory_and_answered_with_a_pause() {
    let world = World::new();
    let sandbox = world.sandbox();
    let egress = EgressPolicy { mode: NetworkMode::Allowlist, ..EgressPolicy::default() };
    let options = ConfigureOptions { egress: Some(egress), ..ConfigureOptions::default() };
    now(sandbox.configure(options)).unwrap();
    now(sandbox.ensure_running()).unwrap();
    let flood = |count: usize| {
        let before = world.database.changes();
        let too_many = (0..count).filter(|_| match sandbox.decide(&asked("evil.org")).unwrap() {
            Verdict::Refused { retry_after_ms, .. } => retry_after_ms.is_some(),
            Verdict::Allowed { .. } => panic!("it is allowed"),
        });
        (too_many.count(), world.database.changes() - before)
    };
    assert_eq!(flood(1_000), (900, 1), "a hundred at once, and one row");
    world.clock.advance(999);
    assert_eq!(flood(10), (1, 0), "ten a second");
    world.clock.advance(1);
    assert_eq!(flood(1), (0, 1));
    world.clock.advance(60_000);
    assert_eq!(flood(1).0, 0, "a pause is enough");
    assert_eq!(flood(1), (0, 0));
    // All are told of, also those that were not written yet.
    let answer = now(sandbox.exec(CommandLine::Shell("true".into()), ExecOptions::default()));
    let refused = answer.unwrap().refused_hosts;
    assert_eq!((refused[0].host.as_str(), refused[0].count), ("evil.org", 1_013));
}

fn asked(hostname: &str) -> EgressRequest {
    EgressRequest { protocol: "https:".into(), hostname: hostname.into(), port: String::new() }
}

#[test]
fn nothing_starts_and_nothing_leaves_without_a_configuration() {
    let world = World::new();
    let sandbox = world.sandbox();
    now(sandbox.destroy()).unwrap();
    let error = now(sandbox.ensure_running()).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::None));
    assert!(error.message.contains("no configuration"), "{}", error.message);
    assert!(world.container.starts.borrow().is_empty());
    assert!(matches!(sandbox.decide(&asked("example.com")).unwrap(), Verdict::Refused { .. }));
    // The next one to use it configures it.
    world.configure();
    now(sandbox.ensure_running()).unwrap();
    assert!(matches!(sandbox.decide(&asked("example.com")).unwrap(), Verdict::Allowed { .. }));
}

#[test]
fn a_configuration_that_comes_during_a_destroy_stays() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    world.faults.slow.set(true);
    let mut destroy = Box::pin(sandbox.destroy());
    assert!((&mut destroy).now_or_never().is_none(), "it is under way");
    world.configure();
    futures::executor::block_on(destroy).unwrap();
    now(async { world.faults.slow.set(false) });
    now(sandbox.ensure_running()).unwrap();
    assert!(world.container.starts.borrow()[1].enable_internet);
}

/// Stops a restore after each of its steps, and destroys the container there.
fn destroyed_during_a_restore(machine: bool, is_fresh: bool) {
    for step in 0.. {
        let world = World::new();
        let persist = |world: &World| {
            let dirs = vec![BackupDir::parse(DIR).unwrap()];
            let options = ConfigureOptions {
                enable_internet: Some(true),
                persist_machine: machine.then_some(dirs),
                ..ConfigureOptions::default()
            };
            now(world.sandbox().configure(options)).unwrap();
        };
        persist(&world);
        now(world.sandbox().ensure_running()).unwrap();
        world.container.set_dir(DIR, b"files");
        now(world.sandbox().create_backup(options(&id(1)))).unwrap();
        let sandbox = world.sandbox();
        let backup = StoredBackup { id: id(1), binding: "BACKUP_BUCKET".to_owned() };
        let restore = || {
            let machine =
                machine.then(|| RestoreMachine { backup: backup.clone(), force_image: false });
            let options = RestoreBackupOptions {
                fresh_sandbox: true,
                machine,
                ..RestoreBackupOptions::default()
            };
            sandbox.restore_backup(handle(&id(1)), options)
        };
        if is_fresh {
            now(sandbox.destroy()).unwrap();
            persist(&world);
        } else {
            // One that has restored a machine is not fresh.
            now(restore()).unwrap();
        }
        world.faults.slow.set(true);
        let mut restoring = Box::pin(restore());
        let mut ended = false;
        for _ in 0..=step {
            ended = ended || (&mut restoring).now_or_never().is_some();
        }
        if ended {
            assert!(step > 5, "{step}");
            break;
        }
        futures::executor::block_on(sandbox.destroy()).unwrap();
        // Another call gives the sandbox its next configuration.
        persist(&world);
        let starts = world.container.starts.borrow().len();
        let error = futures::executor::block_on(restoring).unwrap_err();
        let codes = [ErrorCode::Unavailable, ErrorCode::WorkspaceLost];
        assert!(codes.contains(&error.code), "step {step}: {error:?}");
        assert_eq!(world.container.starts.borrow().len(), starts, "step {step}");
        assert!(world.container.disk.borrow().is_none(), "step {step}");
    }
}

#[test]
fn a_restore_whose_sandbox_was_destroyed_starts_no_container() {
    destroyed_during_a_restore(false, true);
    destroyed_during_a_restore(true, true);
    destroyed_during_a_restore(true, false);
}
