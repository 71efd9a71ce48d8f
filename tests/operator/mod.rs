//! A deployment of several sessions, and its operator.

mod prune;
mod rebuild;
mod sessions;
mod workspaces;

use crate::support::bucket::{MemoryBucket, OneBucket};
use crate::world::{World, now};
use async_trait::async_trait;
use serde_json::json;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::ids::{BackupId, SessionId};
use snapshotter::domain::session::usage::SessionUsage;
use snapshotter::domain::snapshot::backup::{data_key, meta_key};
use snapshotter::domain::snapshot::prune::{OwnVerdict, PruneOwn};
use snapshotter::domain::snapshot::rebuild::{RebuildOwn, Rebuilt};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::workspace::WorkspaceSummary;
use snapshotter::operator::{Operator, OperatorPorts};
use snapshotter::ports::bucket::{Bucket, Buckets};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::hosts::{Hosts, SessionHost};
use snapshotter::ports::starts::Starts;
use snapshotter::session::{ListRequest, ListedSnapshot, RunRequest, Session};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

pub const DAY_MS: i64 = 24 * 3_600_000;

/// Sessions over one bucket, one directory and one clock, and a second bucket.
#[derive(Clone)]
pub struct Deployment {
    pub world: World,
    sessions: Rc<RefCell<BTreeMap<String, World>>>,
    pub silent: Rc<RefCell<Vec<String>>>,
    pub second: MemoryBucket,
    /// The queue of starts, if starts are limited.
    pub starts: Rc<RefCell<Option<Rc<dyn Starts>>>>,
}

impl Deployment {
    pub fn new(sessions: &[&str]) -> Self {
        let world = World::new();
        let new = Self {
            second: MemoryBucket::new(world.faults.clone()),
            world,
            sessions: Rc::default(),
            silent: Rc::default(),
            starts: Rc::default(),
        };
        for session in sessions {
            // Otherwise the alarm would save workspaces in between.
            new.session(session).open_with(session, json!({ "autosave": false }));
        }
        new
    }

    /// The state that outlives the session's objects. A session that was never opened
    /// has empty storage.
    pub fn session(&self, session: &str) -> World {
        let mut sessions = self.sessions.borrow_mut();
        sessions.entry(session.to_owned()).or_insert_with(|| self.world.other_session()).clone()
    }

    /// The session's object lost its storage.
    pub fn lose(&self, session: &str) {
        self.sessions.borrow_mut().insert(session.to_owned(), self.world.other_session());
    }

    pub fn host(&self, session: &str) -> Session {
        self.session(session).host(session)
    }

    /// Runs the alarms of all sessions.
    pub fn recover(&self) {
        let sessions = self.sessions.borrow().clone();
        for (session, world) in sessions {
            world.recover(&session);
        }
    }

    pub fn operator(&self) -> Operator {
        self.try_operator().unwrap()
    }

    pub fn try_operator(&self) -> Result<Operator> {
        let ports = OperatorPorts {
            clock: Rc::new(self.world.clock.clone()),
            log: Rc::new(self.world.log.clone()),
            directory: Rc::new(self.world.directory.clone()),
            hosts: Rc::new(self.clone()),
            buckets: Rc::new(self.clone()),
            starts: self.starts.borrow().clone(),
            pools: self.world.pools.borrow().clone(),
        };
        Operator::new(vec!["SECOND".to_owned(), "BACKUP_BUCKET".to_owned()], ports)
    }

    /// R2 holds both objects of each ready snapshot, and nothing else.
    pub fn check(&self) {
        let mut expected = Vec::new();
        let sessions: Vec<String> = self.sessions.borrow().keys().cloned().collect();
        for session in &sessions {
            let request =
                ListRequest { include_expired: true, include_auto: true, ..Default::default() };
            let page = now(self.host(session).list(&request)).unwrap();
            for ListedSnapshot { snapshot, .. } in page.snapshots {
                expected.extend([data_key(&snapshot.id), meta_key(&snapshot.id)]);
            }
        }
        expected.sort();
        assert_eq!(self.world.bucket.keys(), expected);
    }

    pub fn put(&self, bucket: &MemoryBucket, key: &str, bytes: impl Into<Vec<u8>>) {
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
    host: Option<Session>,
}

impl Remote {
    fn host(&self) -> Result<&Session> {
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

    async fn rebuild(&self, request: RebuildOwn) -> Result<Rebuilt> {
        self.host()?.rebuild_own(request).await
    }
}

pub fn run(host: &Session) -> String {
    let request: RunRequest = serde_json::from_value(json!({ "command": "cat" })).unwrap();
    now(host.run(request)).unwrap().answer.stdout
}

pub fn by_id(id: &BackupId) -> SnapshotSelector {
    SnapshotSelector::Id(id.clone())
}

pub fn pin(host: &Session, id: &BackupId) {
    let edit = serde_json::from_value(json!({ "pinned": true })).unwrap();
    now(host.update_snapshot(&by_id(id), &edit)).unwrap();
}
