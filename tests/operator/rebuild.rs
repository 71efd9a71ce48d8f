//! Rebuilding the catalogues of all sessions in one walk of the buckets.

use crate::operator::{Deployment, run};
use crate::world::{now, snapshot};
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::backup::{data_key, meta_key};
use snapshotter::domain::snapshot::rebuild::RebuildPage;
use snapshotter::session::{ListRequest, Session};

impl Deployment {
    /// All pages of a rebuild, with `limit` backups each.
    fn rebuild_all(&self, limit: u32) -> RebuildPage {
        let mut all = RebuildPage::default();
        let mut cursor: Option<String> = None;
        for _page in 0..100 {
            let page = now(self.operator().rebuild(Some(limit), cursor.as_deref())).unwrap();
            assert!(page.examined_count <= limit.into());
            all.examined_count += page.examined_count;
            all.restored.extend(page.restored);
            all.known_count += page.known_count;
            all.left_alone_count += page.left_alone_count;
            all.unopened.extend(page.unopened);
            all.problems.extend(page.problems);
            cursor = page.next_cursor;
            if cursor.is_none() {
                return all;
            }
        }
        panic!("the rebuild never ends");
    }

    fn reopen(&self, session: &str) {
        self.session(session).open_with(session, json!({ "autosave": false }));
    }
}

fn listed(host: &Session) -> Vec<BackupId> {
    let page = now(host.list(&ListRequest::default())).unwrap();
    let mut ids: Vec<BackupId> = page.snapshots.into_iter().map(|row| row.snapshot.id).collect();
    ids.sort();
    ids
}

/// Sessions `a`, `b` and `c`, with the ids of each one's snapshots.
fn three_sessions() -> (Deployment, Vec<(&'static str, Vec<BackupId>)>) {
    let deployment = Deployment::new(&["a", "b", "c"]);
    let sessions = ["a", "b", "c"].map(|session| {
        let host = deployment.host(session);
        run(&host);
        let mut ids = Vec::new();
        for round in 0..3 {
            deployment.session(session).write(session, &format!("{session} {round}"));
            ids.push(snapshot(&host));
        }
        ids.sort();
        (session, ids)
    });
    deployment.recover();
    (deployment, sessions.into())
}

#[test]
fn one_walk_hands_each_session_what_it_lacks() {
    let (deployment, sessions) = three_sessions();
    deployment.lose("a");
    deployment.lose("b");
    deployment.reopen("a");
    let first = deployment.rebuild_all(2);
    assert_eq!((first.examined_count, first.known_count, first.left_alone_count), (9, 3, 0));
    assert!(first.restored.iter().all(|back| back.session.as_str() == "a"));
    assert_eq!((first.restored.len(), first.problems.len()), (3, 0));
    let unopened: Vec<&str> = first.unopened.iter().map(|session| session.as_str()).collect();
    assert_eq!(unopened, ["b"], "it is not made by the walk");
    deployment.reopen("b");
    assert_eq!(deployment.rebuild_all(100).restored.len(), 3);
    for (session, ids) in &sessions {
        assert_eq!(&listed(&deployment.host(session)), ids, "{session}");
    }
    let before = deployment.session("a").database.changes();
    let again = deployment.rebuild_all(4);
    assert_eq!((again.restored.len(), again.known_count, again.unopened.len()), (0, 9, 0));
    assert_eq!(deployment.session("a").database.changes(), before);
    deployment.recover();
    deployment.check();
}

#[test]
fn what_is_nobodys_or_in_another_bucket_is_left_alone() {
    let (deployment, sessions) = three_sessions();
    deployment.lose("a");
    deployment.reopen("a");
    let (of_a, bucket) = (&sessions[0].1[0], &deployment.world.bucket);
    // A copy in a bucket that the session does not use, and an archive without a record.
    for key in [meta_key(of_a), data_key(of_a)] {
        let bytes = bucket.objects.borrow_mut().remove(&key).unwrap();
        deployment.put(&deployment.second, &key, bytes);
    }
    bucket.objects.borrow_mut().remove(&meta_key(&sessions[0].1[1]));
    let rebuilt = deployment.rebuild_all(100);
    assert_eq!((rebuilt.restored.len(), rebuilt.known_count), (1, 6));
    assert_eq!(rebuilt.left_alone_count, 2);
    assert_eq!(listed(&deployment.host("a")), [sessions[0].1[2].clone()]);
}

#[test]
fn a_session_that_does_not_answer_keeps_no_other_from_its_snapshots() {
    let (deployment, sessions) = three_sessions();
    for session in ["a", "b"] {
        deployment.lose(session);
        deployment.reopen(session);
    }
    deployment.silent.borrow_mut().push("a".to_owned());
    let rebuilt = deployment.rebuild_all(100);
    assert_eq!((rebuilt.restored.len(), rebuilt.problems.len()), (3, 3));
    assert!(rebuilt.problems.iter().all(|problem| problem.error.code == ErrorCode::Unavailable));
    deployment.silent.borrow_mut().clear();
    assert_eq!(deployment.rebuild_all(100).restored.len(), 3);
    assert_eq!(listed(&deployment.host("a")), sessions[0].1);
    let foreign = now(deployment.operator().rebuild(None, Some("e30")));
    assert_eq!(foreign.unwrap_err().code, ErrorCode::InvalidArgument);
}
