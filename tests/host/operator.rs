//! What the operator does across sessions: the directory, and pruning by a rule.

use crate::support::bucket::{MemoryBucket, OneBucket};
use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use async_trait::async_trait;
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::domain::backup::{Ttl, data_key, meta_key};
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::ids::{BackupId, SessionId};
use snapshotter::domain::prune::{KeptBecause, OwnVerdict, Ownerless, PruneOwn, PrunePage};
use snapshotter::domain::refs::{SnapshotSelector, WorkspaceRef};
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::usage::SessionUsage;
use snapshotter::domain::workspace::WorkspaceSummary;
use snapshotter::ports::bucket::{Bucket, Buckets};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::hosts::{Hosts, SessionHost};
use snapshotter::ports::log::Level;
use snapshotter::usecases::host::{Abort, Host, ListRequest, RunRequest, SnapshotRequest};
use snapshotter::usecases::operator::{Operator, OperatorPorts, WorkspacesRequest};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const DAY_MS: i64 = 24 * 3_600_000;

/// Sessions over one bucket, one directory and one clock, and a second bucket.
#[derive(Clone)]
struct Deployment {
    world: World,
    sessions: Rc<RefCell<BTreeMap<String, World>>>,
    silent: Rc<RefCell<Vec<String>>>,
    second: MemoryBucket,
}

impl Deployment {
    fn new(sessions: &[&str]) -> Self {
        let world = World::new();
        let new = Self {
            second: MemoryBucket::new(world.faults.clone()),
            world,
            sessions: Rc::default(),
            silent: Rc::default(),
        };
        for session in sessions {
            // Else a workspace would be saved in between.
            new.session(session).open_with(session, json!({ "autosave": false }));
        }
        new
    }

    /// What outlives the session's objects. One that was never opened has empty storage.
    fn session(&self, session: &str) -> World {
        let mut sessions = self.sessions.borrow_mut();
        sessions.entry(session.to_owned()).or_insert_with(|| self.world.other_session()).clone()
    }

    fn host(&self, session: &str) -> Host {
        self.session(session).host(session)
    }

    /// Runs the alarms of all sessions.
    fn settle(&self) {
        let sessions = self.sessions.borrow().clone();
        for (session, world) in sessions {
            world.settle(&session);
        }
    }

    fn operator(&self) -> Operator {
        self.try_operator().unwrap()
    }

    fn try_operator(&self) -> Result<Operator> {
        let ports = OperatorPorts {
            clock: Rc::new(self.world.clock.clone()),
            log: Rc::new(self.world.log.clone()),
            directory: Rc::new(self.world.directory.clone()),
            hosts: Rc::new(self.clone()),
            buckets: Rc::new(self.clone()),
        };
        Operator::new(vec!["SECOND".to_owned(), "BACKUP_BUCKET".to_owned()], ports)
    }

    /// One page of a prune.
    fn prune(&self, request: Value) -> Result<PrunePage> {
        now(self.operator().prune(&serde_json::from_value(request).unwrap()))
    }

    /// Every page of it, so many backups a page.
    fn prune_all(&self, rule: Value, dry_run: bool, limit: u32) -> PrunePage {
        let mut all = PrunePage::default();
        let mut cursor = Value::Null;
        for _page in 0..100 {
            let request =
                json!({ "rule": rule, "dryRun": dry_run, "limit": limit, "cursor": cursor });
            let page = self.prune(request).unwrap();
            assert!(page.examined_count <= limit.into());
            all.examined_count += page.examined_count;
            all.deleted.extend(page.deleted);
            all.freed_bytes += page.freed_bytes;
            for (because, count) in page.kept {
                *all.kept.entry(because).or_default() += count;
            }
            all.problems.extend(page.problems);
            match page.next_cursor {
                Some(next) => cursor = json!(next),
                None => return all,
            }
        }
        panic!("the prune never ends");
    }

    /// R2 holds both objects of each ready snapshot, and nothing else.
    fn check(&self) {
        let mut expected = Vec::new();
        let sessions: Vec<String> = self.sessions.borrow().keys().cloned().collect();
        for session in &sessions {
            let request =
                ListRequest { include_expired: true, include_auto: true, ..Default::default() };
            let page = now(self.host(session).list(&request)).unwrap();
            for snapshot in page.details {
                expected.extend([data_key(&snapshot.id), meta_key(&snapshot.id)]);
            }
        }
        expected.sort();
        assert_eq!(self.world.bucket.keys(), expected);
    }

    fn put(&self, bucket: &MemoryBucket, key: &str, bytes: impl Into<Vec<u8>>) {
        bucket.objects.borrow_mut().insert(key.to_owned(), bytes.into());
        bucket.uploaded_at_ms.borrow_mut().insert(key.to_owned(), self.world.clock.now_ms());
    }
}

impl Buckets for Deployment {
    fn open(&self, binding: &str) -> Result<Rc<dyn Bucket>> {
        match binding {
            "SECOND" => Ok(Rc::new(self.second.clone())),
            binding => OneBucket(self.world.bucket.clone()).open(binding),
        }
    }
}

impl Hosts for Deployment {
    fn get(&self, session: &SessionId) -> Result<Rc<dyn SessionHost>> {
        let silent = self.silent.borrow().iter().any(|silent| silent == session.as_str());
        Ok(Rc::new(Remote { host: (!silent).then(|| self.host(session.as_str())) }))
    }
}

/// A session's object as the Worker reaches it.
struct Remote {
    host: Option<Host>,
}

impl Remote {
    fn host(&self) -> Result<&Host> {
        self.host.as_ref().ok_or_else(|| Error::new(ErrorCode::Unavailable, "no answer"))
    }
}

#[async_trait(?Send)]
impl SessionHost for Remote {
    async fn workspaces(&self) -> Result<Vec<WorkspaceSummary>> {
        Ok(self.host()?.list_with_containers().await?.workspaces)
    }

    async fn usage(&self) -> Result<SessionUsage> {
        self.host()?.usage()
    }

    async fn prune(&self, request: PruneOwn) -> Result<Vec<OwnVerdict>> {
        self.host()?.prune_by_rule(&request).await
    }
}

fn run(host: &Host) -> String {
    let request: RunRequest = serde_json::from_value(json!({ "command": "cat" })).unwrap();
    now(host.run(request)).unwrap().stdout
}

fn by_id(id: &BackupId) -> SnapshotSelector {
    SnapshotSelector::Id(id.clone())
}

fn pin(host: &Host, id: &BackupId) {
    let edit = serde_json::from_value(json!({ "pinned": true })).unwrap();
    now(host.update_snapshot(&by_id(id), &edit)).unwrap();
}

fn state(deployment: &Deployment, session: &str, id: &BackupId) -> ShownState {
    now(deployment.host(session).get(&by_id(id), false)).unwrap().snapshot.state
}

fn ids(page: &PrunePage) -> Vec<BackupId> {
    let mut ids: Vec<BackupId> = page.deleted.iter().map(|pruned| pruned.id.clone()).collect();
    ids.sort();
    ids
}

fn kept(page: &PrunePage, because: KeptBecause) -> u64 {
    page.kept.get(&because).copied().unwrap_or(0)
}

fn uuid(number: u8) -> BackupId {
    BackupId::from_random([number; 16])
}

/// A backup as `@cloudflare/sandbox` 0.12 writes it.
fn put_legacy(deployment: &Deployment, bucket: &MemoryBucket, id: &BackupId) {
    let created_at = snapshotter::domain::backup::rfc3339(deployment.world.clock.now_ms());
    let meta = json!({
        "id": id, "dir": "/workspace", "name": null, "sizeBytes": 7, "ttl": 259_200,
        "createdAt": created_at,
    });
    deployment.put(bucket, &meta_key(id), meta.to_string());
    deployment.put(bucket, &data_key(id), "archive");
}

// ---- the directory

#[test]
fn a_session_is_listed_by_its_alarm_and_its_open_waits_for_nothing() {
    let world = World::new();
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let host = world.open("sess");
    now(host.announce());
    assert_eq!(world.faults.trace(), ["alarm"], "nothing but the alarm is set");
    assert!(world.directory.listed().is_empty());
    world.settle("sess");
    assert_eq!(world.directory.listed(), ["sess"]);
    // Then never again.
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    world.alarm.at_ms.take();
    now(world.host("sess").wake()).unwrap();
    now(world.host("sess").settle()).unwrap();
    assert!(!world.faults.trace().contains(&"register".to_owned()));
    assert_eq!(world.alarm.at_ms.get(), None);
}

#[test]
fn a_directory_that_does_not_answer_fails_no_call_and_gets_the_session_later() {
    for fault in Fault::ALL {
        let world = World::new();
        let host = world.open("sess");
        now(host.announce());
        world.alarm.at_ms.take();
        world.faults.arm(0, fault);
        let settled = host.settle().now_or_never();
        assert!(world.faults.disarm(), "{fault:?}");
        let crashed = settled.is_none();
        assert!(crashed || settled.unwrap().is_ok(), "{fault:?}");
        let warned = world.log.0.borrow().iter().any(|line| line.event == "register");
        assert_eq!(warned, !crashed, "{fault:?}");
        // The object is a new one; after an error the alarm is set, after a crash the next call sets it.
        assert!(crashed || world.alarm.at_ms.get().is_some(), "{fault:?}");
        world.settle("sess");
        assert_eq!(world.directory.listed(), ["sess"], "{fault:?}");
        assert_eq!(world.database_count("SELECT COUNT(*) AS count FROM retries"), 0);
        world.check_invariants("sess");
    }
}

#[test]
fn a_directory_that_lost_its_storage_lists_what_is_used_again() {
    let world = World::new();
    now(world.open("sess").announce());
    world.settle("sess");
    let mut after = world.clone();
    after.directory = World::new().directory;
    after.settle("sess");
    assert!(after.directory.listed().is_empty(), "not at each call");
    after.clock.advance(30 * DAY_MS);
    after.settle("sess");
    assert_eq!(after.directory.listed(), ["sess"]);
}

#[test]
fn sessions_of_before_the_directory_are_listed_at_their_next_call() {
    let world = World::new();
    world.directory.bound.set(false);
    let host = world.open("sess");
    now(host.wake()).unwrap();
    world.settle("sess");
    assert_eq!(world.alarm.at_ms.get(), None, "without a directory there is nothing to do");
    assert_eq!(run(&world.host("sess")), "");
    world.directory.bound.set(true);
    assert!(world.directory.listed().is_empty());
    world.settle("sess");
    assert_eq!(world.directory.listed(), ["sess"]);
}

#[test]
fn every_session_is_listed_once_page_by_page() {
    let deployment = Deployment::new(&["B", "a", "a:b", "zz", "c"]);
    deployment.settle();
    let operator = deployment.operator();
    let (mut listed, mut cursor, mut pages) = (Vec::new(), None::<String>, 0);
    loop {
        let page = now(operator.list_sessions(Some(2), cursor.as_deref())).unwrap();
        listed.extend(page.sessions.into_iter().map(|listed| listed.session.to_string()));
        pages += 1;
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((listed, pages), (["B", "a", "a:b", "c", "zz"].map(str::to_owned).to_vec(), 3));
    // Cursors of other lists.
    for foreign in ["eyJjIjp7InMiOjQyfX0", "eyJwIjp7Im4iOiJTRUNPTkQifX0", "e30", "*"] {
        let refused = now(operator.list_sessions(None, Some(foreign))).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument, "{foreign}");
    }
}

#[test]
fn without_a_directory_the_operator_is_told_which_binding_is_missing() {
    let deployment = Deployment::new(&[]);
    deployment.world.directory.bound.set(false);
    let refused = deployment.try_operator().err().unwrap();
    assert_eq!(refused.code, ErrorCode::NotConfigured);
    assert!(refused.message.contains("DIRECTORY"), "{refused}");
}

#[test]
fn workspaces_of_every_session_are_listed_with_their_containers() {
    let deployment = Deployment::new(&["a", "b", "c"]);
    deployment.settle();
    run(&deployment.host("a"));
    run(&deployment.host("c"));
    let operator = deployment.operator();
    let list = |request: Value| {
        let request: WorkspacesRequest = serde_json::from_value(request).unwrap();
        now(operator.list_workspaces(&request)).unwrap()
    };
    let shown = |request: Value| -> Vec<String> {
        let page = list(request);
        let row = |row: &Value| format!("{} {}", row["session"], row["container"]);
        let rows = serde_json::to_value(&page.workspaces).unwrap();
        rows.as_array().unwrap().iter().map(row).collect()
    };
    assert_eq!(shown(json!({})), [r#""a" "running""#, r#""b" "stopped""#, r#""c" "running""#]);
    assert_eq!(shown(json!({ "running": true })), [r#""a" "running""#, r#""c" "running""#]);
    let first = list(json!({ "limit": 2, "running": true }));
    assert_eq!(first.workspaces.len(), 1);
    let next = json!({ "limit": 2, "running": true, "cursor": first.next_cursor });
    assert_eq!(shown(next), [r#""c" "running""#]);
    assert_eq!(deployment.world.starts.get(), 2, "nothing was started");

    deployment.silent.borrow_mut().push("b".to_owned());
    let page = list(json!({}));
    assert_eq!(page.workspaces.len(), 2);
    assert_eq!(page.problems.len(), 1);
    assert_eq!(page.problems[0].session.as_str(), "b");
    assert_eq!(page.problems[0].error.code, ErrorCode::Unavailable);
}

#[test]
fn usage_is_what_the_catalogues_say() {
    let deployment = Deployment::new(&["a", "b"]);
    deployment.settle();
    let host = deployment.host("a");
    run(&host);
    deployment.session("a").write("a", "12345");
    let first = snapshot(&host);
    pin(&host, &first);
    snapshot(&host);
    let page = now(deployment.operator().usage(None, None)).unwrap();
    let text = serde_json::to_value(&page).unwrap();
    assert_eq!(text["sessions"][0]["snapshots"], json!({ "count": 2, "bytes": 10 }));
    assert_eq!(text["sessions"][0]["pinned"], json!({ "count": 1, "bytes": 5 }));
    assert_eq!(text["sessions"][0]["automatic"], json!({ "count": 0, "bytes": 0 }));
    assert_eq!(text["sessions"][1]["snapshots"], json!({ "count": 0, "bytes": 0 }));
    assert_eq!(text["total"], json!({ "count": 2, "bytes": 10 }));
    assert_eq!(text["sessions"][0]["workspaceCount"], 1);
}

// ---- destroying a container

#[test]
fn a_container_that_is_destroyed_leaves_its_workspace_which_wakes() {
    let world = World::new();
    let host = world.open("sess");
    run(&host);
    world.write("sess", "saved");
    let id = snapshot(&host);
    world.write("sess", "not saved");
    let named: WorkspaceRef = host.resolve().unwrap();
    now(host.destroy_container(&named)).unwrap();
    assert!(world.disks.borrow().is_empty());
    now(host.destroy_container(&named)).unwrap();
    assert_eq!(host.resolve().unwrap(), named, "it stays the active one");
    assert_eq!(run(&host), "saved");
    let events = host.list_events(None, None).unwrap().events;
    let destroyed: Vec<_> =
        events.iter().filter(|event| event.kind == "container.destroyed").collect();
    assert_eq!(destroyed.len(), 2);
    assert_eq!(destroyed[0].payload, json!({ "sandboxId": "sess", "backupId": id }));
    let lines = world.log.0.borrow();
    let warned = lines.iter().filter(|line| line.event == "container.destroyed");
    assert!(
        warned.clone().count() == 2 && warned.into_iter().all(|line| line.level == Level::Warn)
    );
    drop(lines);
    world.settle("sess");
    world.check_invariants("sess");
}

#[test]
fn containers_of_a_closed_session_can_be_destroyed_and_those_of_others_not() {
    let world = World::new();
    let host = world.open("sess");
    run(&host);
    now(host.close()).unwrap();
    let named = WorkspaceRef::new("sess".to_owned().try_into().unwrap());
    assert!(!world.disks.borrow().is_empty());
    now(host.destroy_container(&named)).unwrap();
    assert!(world.disks.borrow().is_empty());
    let other = WorkspaceRef::new("other".to_owned().try_into().unwrap());
    let refused = now(host.destroy_container(&other)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::WorkspaceNotOwned);
}

// ---- pruning

/// Sessions with snapshots for every reason to keep one, a month ago.
struct Kept {
    deployment: Deployment,
    /// What only age speaks for.
    old: Vec<BackupId>,
    pinned: BackupId,
    latest: Vec<BackupId>,
}

fn a_month_of_snapshots() -> Kept {
    let deployment = Deployment::new(&["a", "b"]);
    deployment.settle();
    let (mut old, mut latest) = (Vec::new(), Vec::new());
    let ttl: Ttl = serde_json::from_value(json!(9_000_000)).unwrap();
    for session in ["a", "b"] {
        let host = deployment.host(session);
        run(&host);
        deployment.session(session).write(session, "12345");
        for _ in 0..3 {
            let request = SnapshotRequest { ttl: Some(ttl), ..Default::default() };
            let id = now(host.snapshot(request, &Abort::default())).unwrap().snapshot.id;
            deployment.world.clock.advance(1_000);
            old.push(id);
        }
        latest.push(old.pop().unwrap());
    }
    let host = deployment.host("a");
    pin(&host, &old[0]);
    let pinned = old.remove(0);
    deployment.world.clock.advance(30 * DAY_MS);
    old.sort();
    Kept { deployment, old, pinned, latest }
}

#[test]
fn a_rule_takes_what_is_old_and_asks_each_owner_first() {
    let Kept { deployment, old, pinned, latest } = a_month_of_snapshots();
    let rule = json!({ "olderThanSeconds": 7 * 86_400 });
    let before = deployment.world.bucket.keys();
    let planned = deployment.prune_all(rule.clone(), true, 2);
    assert_eq!(deployment.world.bucket.keys(), before, "a dry run changes nothing");
    assert!(planned.problems.is_empty() && planned.examined_count == 6);
    assert_eq!(ids(&planned), old);
    assert_eq!(planned.freed_bytes, 15);

    deployment.world.log.0.borrow_mut().clear();
    let pruned = deployment.prune_all(rule.clone(), false, 2);
    assert_eq!(pruned.deleted, planned.deleted, "and says what would be");
    assert_eq!(pruned.kept, planned.kept);
    // The latest is what each workspace would wake from.
    assert_eq!((kept(&pruned, KeptBecause::Head), kept(&pruned, KeptBecause::Pinned)), (2, 1));
    for pruned in &pruned.deleted {
        let session = pruned.session.as_ref().unwrap().as_str();
        assert_eq!(state(&deployment, session, &pruned.id), ShownState::Deleted);
        assert!(pruned.ownerless.is_none());
        let events = deployment.host(session).list_events(None, None).unwrap().events;
        let told = events.iter().find(|event| {
            event.kind == "snapshot.pruned" && event.payload["backupId"] == json!(pruned.id)
        });
        assert_eq!(told.unwrap().payload["reason"], "operator");
    }
    let lines = deployment.world.log.0.borrow().clone();
    let warned = lines.iter().filter(|line| line.event == "snapshot.pruned");
    assert_eq!(warned.filter(|line| line.level == Level::Warn).count(), old.len());
    assert_eq!(state(&deployment, "a", &pinned), ShownState::Ready);
    for (session, id) in ["a", "b"].into_iter().zip(&latest) {
        assert_eq!(state(&deployment, session, id), ShownState::Ready);
    }
    let again = deployment.prune_all(rule, false, 100);
    assert!(again.deleted.is_empty() && again.examined_count == 3);
    deployment.settle();
    deployment.check();
}

#[test]
fn what_the_rule_does_not_name_stays() {
    let Kept { deployment, old, .. } = a_month_of_snapshots();
    let only_b = deployment.prune_all(json!({ "olderThanSeconds": 0, "session": "b" }), true, 100);
    assert!(only_b.deleted.iter().all(|pruned| pruned.session.as_ref().unwrap().as_str() == "b"));
    assert_eq!((only_b.deleted.len(), kept(&only_b, KeptBecause::NotAskedFor)), (2, 3));
    let young = deployment.prune_all(json!({ "olderThanSeconds": 60 * 86_400 }), true, 100);
    assert_eq!((young.deleted.len(), kept(&young, KeptBecause::TooYoung)), (0, 6));
    let autos = json!({ "olderThanSeconds": 0, "trigger": "auto", "ownerless": ["legacy"] });
    assert_eq!(kept(&deployment.prune_all(autos, true, 100), KeptBecause::NotAskedFor), 6);
    let last = deployment.prune_all(json!({ "olderThanSeconds": 0, "keepLast": 2 }), true, 100);
    assert_eq!(last.deleted.len(), old.len() - 2);
    assert_eq!(kept(&last, KeptBecause::Latest), 2);
}

#[test]
fn without_a_workspace_even_the_latest_can_go() {
    let Kept { deployment, latest, .. } = a_month_of_snapshots();
    for session in ["a", "b"] {
        deployment.session(session).sql("UPDATE workspaces SET head_backup_id = NULL");
    }
    let rule = json!({ "olderThanSeconds": 0 });
    assert_eq!(kept(&deployment.prune_all(rule.clone(), true, 100), KeptBecause::Latest), 2);
    // What a rewind saved last takes no place of what was asked for.
    deployment.session("a").sql(
        "UPDATE snapshots SET trigger = 'safety' WHERE seq = (SELECT MAX(seq) FROM snapshots)",
    );
    assert_eq!(kept(&deployment.prune_all(rule, true, 100), KeptBecause::Latest), 3);
    let rule = json!({ "olderThanSeconds": 0, "keepLast": 0 });
    let pruned = deployment.prune_all(rule, false, 100);
    assert!(latest.iter().all(|id| ids(&pruned).contains(id)));
    assert_eq!(deployment.world.bucket.keys().len(), 2, "the pinned one is left");
}

#[test]
fn what_is_being_taken_read_or_deleted_is_never_touched() {
    let Kept { deployment, old, .. } = a_month_of_snapshots();
    let world = deployment.session("b");
    let is_own = |id: &&BackupId| now(deployment.host("b").get(&by_id(id), false)).is_ok();
    let owned: Vec<&BackupId> = old.iter().filter(is_own).collect();
    let all = json!({ "olderThanSeconds": 0, "keepLast": 0, "session": "b", "ownerless": ["legacy", "incomplete", "lost"] });
    for state in ["pending", "deleting"] {
        world.sql(&format!("UPDATE snapshots SET state = '{state}' WHERE id = '{}'", owned[0]));
        let page = deployment.prune_all(all.clone(), true, 100);
        assert_eq!(kept(&page, KeptBecause::Unfinished), 1, "{state}");
        assert!(!ids(&page).contains(owned[0]), "{state}");
    }
    world.sql(&format!("UPDATE snapshots SET state = 'ready' WHERE id = '{}'", owned[0]));
    world.sql(&format!(
        "INSERT INTO workspaces (sandbox_id, kind, state, from_backup_id, created_at_ms, last_used_at_ms)
         VALUES ('b-branch-00000000', 'branch', 'creating', '{}', 0, 0)",
        owned[0]
    ));
    let page = deployment.prune_all(all.clone(), false, 100);
    assert_eq!(kept(&page, KeptBecause::BeingRead), 1);
    assert!(deployment.world.bucket.keys().contains(&meta_key(owned[0])));
    // In the bucket of another binding it is another backup.
    world.sql("UPDATE snapshots SET binding = 'SECOND'");
    let page = deployment.prune_all(all, false, 100);
    assert!(page.deleted.is_empty());
    assert!(kept(&page, KeptBecause::OtherBinding) > 0);
}

#[test]
fn what_no_catalogue_has_goes_only_by_its_kind_and_leaves_an_event() {
    let deployment = Deployment::new(&["a"]);
    deployment.settle();
    let host = deployment.host("a");
    run(&host);
    let own = snapshot(&host);
    let (legacy, incomplete, lost, other) = (uuid(1), uuid(2), uuid(3), uuid(4));
    put_legacy(&deployment, &deployment.world.bucket, &legacy);
    put_legacy(&deployment, &deployment.second, &other);
    deployment.put(&deployment.world.bucket, &data_key(&incomplete), "half");
    let meta = deployment.world.bucket.objects.borrow()[&meta_key(&own)].clone();
    let meta = String::from_utf8(meta).unwrap().replace(own.as_str(), lost.as_str());
    deployment.put(&deployment.world.bucket, &meta_key(&lost), meta.replace(r#""a""#, r#""gone""#));
    deployment.put(&deployment.world.bucket, &data_key(&lost), "");
    deployment.put(&deployment.world.bucket, "backups/README/meta.json", "{}");
    deployment.put(&deployment.world.bucket, &meta_key(&uuid(5)), "{");
    let everything = json!(["legacy", "incomplete", "lost"]);
    let fresh = json!({ "olderThanSeconds": 0, "ownerless": everything });
    let page = deployment.prune_all(fresh.clone(), true, 100);
    assert!(!ids(&page).contains(&incomplete), "an upload of today may be under way");
    assert_eq!((page.deleted.len(), kept(&page, KeptBecause::TooYoung)), (3, 1));
    assert_eq!(page.problems.len(), 1, "what can't be read is told: {page:?}");

    deployment.world.clock.advance(30 * DAY_MS);
    let none = deployment.prune_all(json!({ "olderThanSeconds": 0 }), false, 100);
    assert_eq!(kept(&none, KeptBecause::Ownerless), 4);
    for (kind, id) in [("legacy", &legacy), ("incomplete", &incomplete), ("lost", &lost)] {
        let rule = json!({ "olderThanSeconds": 86_400, "ownerless": [kind] });
        deployment.world.log.0.borrow_mut().clear();
        let page = deployment.prune_all(rule, false, 100);
        assert!(ids(&page).contains(id), "{kind}");
        let warned = deployment.world.log.0.borrow();
        let warned: Vec<_> = warned.iter().filter(|line| line.event == "backup.pruned").collect();
        assert_eq!(warned.len(), page.deleted.len(), "{kind}");
        assert!(
            warned.iter().all(|line| line.level == Level::Warn && line.fields["ownerless"] == kind)
        );
    }
    assert!(deployment.second.keys().is_empty(), "the other binding was walked too");
    let left = deployment.world.bucket.keys();
    let expected =
        [data_key(&own), meta_key(&own), "backups/README/meta.json".to_owned(), meta_key(&uuid(5))];
    assert_eq!(left.len(), expected.len(), "{left:?}");
    assert!(expected.iter().all(|key| left.contains(key)), "{left:?}");
    let events = now(deployment.operator().list_events(Some(3), None)).unwrap();
    assert_eq!(events.events.len(), 3);
    let more =
        now(deployment.operator().list_events(Some(3), events.next_cursor.as_deref())).unwrap();
    assert_eq!((more.events.len(), more.next_cursor), (1, None));
    assert_eq!(more.events[0].kind, "backup.pruned");
    let told: Vec<&Value> = events.events.iter().map(|event| &event.payload["ownerless"]).collect();
    assert!(told.contains(&&json!(Ownerless::Lost)), "{told:?}");
}

#[test]
fn what_was_put_back_for_a_rebuild_is_lost_only_by_that_name() {
    let Kept { deployment, old, .. } = a_month_of_snapshots();
    for state in ["deleted", "failed"] {
        deployment.session("a").sql(&format!("UPDATE snapshots SET state = '{state}'"));
        let rule = json!({ "olderThanSeconds": 0, "keepLast": 0, "session": "a" });
        let page = deployment.prune_all(rule, false, 100);
        assert_eq!((page.deleted.len(), kept(&page, KeptBecause::Ownerless)), (0, 3), "{state}");
        let named = json!({ "olderThanSeconds": 0, "session": "a", "ownerless": ["lost"] });
        let page = deployment.prune_all(named, true, 100);
        assert_eq!(page.deleted.len(), 3, "{state}");
        assert!(page.deleted.iter().all(|pruned| pruned.ownerless == Some(Ownerless::Lost)));
    }
    assert_eq!(deployment.world.bucket.keys().len(), 2 * (old.len() + 3));
}

#[test]
fn an_owner_that_does_not_answer_loses_nothing() {
    let Kept { deployment, old, .. } = a_month_of_snapshots();
    deployment.silent.borrow_mut().push("b".to_owned());
    let rule = json!({ "olderThanSeconds": 0, "ownerless": ["lost", "legacy", "incomplete"] });
    let page = deployment.prune_all(rule.clone(), false, 100);
    assert_eq!(page.problems.len(), 3);
    assert!(page.problems.iter().all(|problem| problem.error.code == ErrorCode::Unavailable));
    assert!(page.deleted.iter().all(|pruned| pruned.session.as_ref().unwrap().as_str() == "a"));
    deployment.silent.borrow_mut().clear();
    let rest = deployment.prune_all(rule, false, 100);
    assert_eq!(page.deleted.len() + rest.deleted.len(), old.len());
}

#[test]
fn a_prune_that_breaks_anywhere_is_finished_by_the_same_call() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let Kept { deployment, old, .. } = a_month_of_snapshots();
            put_legacy(&deployment, &deployment.world.bucket, &uuid(1));
            deployment.put(&deployment.world.bucket, &data_key(&uuid(2)), "half");
            deployment.world.clock.advance(2 * DAY_MS);
            let rule = json!({ "olderThanSeconds": 3_600, "ownerless": ["legacy", "incomplete"] });
            let request = json!({ "rule": rule });
            deployment.world.faults.arm(nth, fault);
            let operator = deployment.operator();
            let request = serde_json::from_value(request).unwrap();
            let broken = operator.prune(&request).now_or_never();
            let reached = deployment.world.faults.disarm();
            if let Some(Ok(page)) = &broken {
                let done = page.deleted.len() + page.problems.len();
                assert_eq!(done, old.len() + 2, "{fault:?} {nth}: {page:?}");
            }
            deployment.settle();
            let rest = deployment.prune_all(rule, false, 3);
            assert!(rest.problems.is_empty(), "{fault:?} {nth}: {rest:?}");
            deployment.settle();
            for id in &old {
                assert!(!deployment.world.bucket.keys().contains(&data_key(id)), "{fault:?} {nth}");
            }
            assert_eq!(deployment.world.bucket.keys().len(), 6, "{fault:?} {nth}");
            deployment.check();
            if !reached {
                assert!(nth > 20, "too few effects: {nth}");
                break;
            }
        }
    }
}

#[test]
fn foreign_cursors_are_refused() {
    let deployment = Deployment::new(&[]);
    for foreign in [
        "eyJjIjp7InMiOjQyfX0",
        // {"p":{"n":"OTHER"}}: a binding that no session may use.
        "eyJwIjp7Im4iOiJPVEhFUiJ9fQ",
        "e30",
    ] {
        let request = json!({ "rule": { "olderThanSeconds": 0 }, "cursor": foreign });
        assert_eq!(deployment.prune(request).unwrap_err().code, ErrorCode::InvalidArgument);
    }
}
