//! Pruning across sessions, by a rule.

use crate::operator::{DAY_MS, Deployment, by_id, pin, run};
use crate::support::bucket::MemoryBucket;
use crate::support::faults::Fault;
use crate::world::{now, snapshot};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::domain::error::{ErrorCode, Result};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::{Ttl, data_key, meta_key};
use snapshotter::domain::snapshot::prune::{KeptBecause, Ownerless, PrunePage};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::log::Level;
use snapshotter::session::{Abort, SnapshotRequest};

impl Deployment {
    /// One page of a prune.
    fn prune(&self, request: Value) -> Result<PrunePage> {
        now(self.operator().prune(&serde_json::from_value(request).unwrap()))
    }

    /// All pages of a prune, with `limit` backups each.
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
    let created_at = snapshotter::domain::time::rfc3339(deployment.world.clock.now_ms());
    let meta = json!({
        "id": id, "dir": "/workspace", "name": null, "sizeBytes": 7, "ttl": 259_200,
        "createdAt": created_at,
    });
    deployment.put(bucket, &meta_key(id), meta.to_string());
    deployment.put(bucket, &data_key(id), "archive");
}

/// Sessions with month-old snapshots, one for every reason to keep one.
struct Kept {
    deployment: Deployment,
    /// Snapshots without any reason to keep them.
    old: Vec<BackupId>,
    pinned: BackupId,
    latest: Vec<BackupId>,
}

fn a_month_of_snapshots() -> Kept {
    let deployment = Deployment::new(&["a", "b"]);
    deployment.recover();
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
    // The latest snapshot is the one that each workspace would wake from.
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
    deployment.recover();
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
        deployment.session(session).sql("DELETE FROM heads");
    }
    let rule = json!({ "olderThanSeconds": 0 });
    assert_eq!(kept(&deployment.prune_all(rule.clone(), true, 100), KeptBecause::Latest), 2);
    // A safety snapshot does not take the place of one that was asked for.
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
    // In another binding's bucket, this would be another backup.
    world.sql("UPDATE snapshots SET binding = 'SECOND'");
    let page = deployment.prune_all(all, false, 100);
    assert!(page.deleted.is_empty());
    assert!(kept(&page, KeptBecause::OtherBinding) > 0);
}

#[test]
fn what_no_catalogue_has_goes_only_by_its_kind_and_leaves_an_event() {
    let deployment = Deployment::new(&["a"]);
    deployment.recover();
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
            deployment.recover();
            let rest = deployment.prune_all(rule, false, 3);
            assert!(rest.problems.is_empty(), "{fault:?} {nth}: {rest:?}");
            deployment.recover();
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
