//! Sessions whose first workspace comes from a warm pool.

use crate::leases::{expire, leases, published, run};
use crate::support::bucket::OneBucket;
use crate::support::database::MemoryDatabase;
use crate::support::faults::Fault;
use crate::support::pools::MemoryPools;
use crate::support::ports::TestAlarm;
use crate::world::{World, now};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::join_all;
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{BackupId, SandboxId, SessionId};
use snapshotter::domain::limits::{POOL_CHECK_MS, POOL_IDLE_MS, POOL_TAKEN_MS};
use snapshotter::domain::pools::{PoolSpec, PoolView, TakeRequest};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::pools::PoolsPorts;
use snapshotter::ports::clock::Clock;
use snapshotter::session::Session;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A published snapshot of a file `v1`, and a deployment with warm pools.
pub struct Deployment {
    world: World,
    owner: Session,
    id: BackupId,
    pub pools: MemoryPools,
    pub database: Rc<MemoryDatabase>,
    alarm: TestAlarm,
}

impl Deployment {
    pub fn new(limit: u32) -> Self {
        let (world, owner, id, _) = published();
        world.clock.stop();
        let alarm = TestAlarm { faults: world.faults.clone(), ..TestAlarm::default() };
        let database = Rc::new(MemoryDatabase::new());
        let ports = PoolsPorts {
            clock: Rc::new(world.clock.clone()),
            random: Rc::new(world.random.clone()),
            log: Rc::new(world.log.clone()),
            database: database.clone(),
            alarm: Rc::new(alarm.clone()),
            buckets: Rc::new(OneBucket(world.bucket.clone())),
            sandboxes: Rc::new(world.clone()),
        };
        let pools = MemoryPools::new(limit, ports);
        *world.pools.borrow_mut() = Some(Rc::new(pools.clone()));
        Self { world, owner, id, pools, database, alarm }
    }

    fn session(&self) -> World {
        let mut session = self.world.other_session();
        session.alarm = TestAlarm::default();
        session
    }

    fn config(&self, size: u32) -> Value {
        json!({ "pool": { "from": self.id, "size": size } })
    }

    /// What a session asks for one container.
    fn request(&self, session: &str) -> TakeRequest {
        let spec = PoolSpec {
            binding: "BACKUP_BUCKET".to_owned(),
            backup_id: self.id.clone(),
            internet: true,
            instance_type: None,
            persist_machine: None,
            force_image: false,
        };
        TakeRequest { spec, size: 1, session: SessionId::parse(session).unwrap() }
    }

    fn open(&self, name: &str, size: u32) -> (World, Session) {
        let world = self.session();
        let host = world.open_with(name, self.config(size));
        (world, host)
    }

    /// Runs the pools' alarm until nothing is due soon.
    fn fill(&self) {
        for _ in 0..100 {
            let due = self.alarm.at_ms.take();
            let Some(at_ms) = due.filter(|at_ms| *at_ms <= self.world.clock.now_ms() + 60_000)
            else {
                return self.alarm.at_ms.set(due);
            };
            self.world.clock.0.set(self.world.clock.now_ms().max(at_ms));
            block_on(self.pools.service().recover()).unwrap();
        }
        panic!("the alarm never rests");
    }

    /// Time passes, and the pools' alarm runs when it is due.
    fn pass(&self, ms: i64) {
        let until_ms = self.world.clock.now_ms() + ms;
        while let Some(at_ms) = self.alarm.at_ms.get().filter(|at_ms| *at_ms <= until_ms) {
            self.alarm.at_ms.set(None);
            self.world.clock.0.set(self.world.clock.now_ms().max(at_ms));
            block_on(self.pools.service().recover()).unwrap();
        }
        self.world.clock.0.set(until_ms);
    }

    fn list(&self) -> Vec<PoolView> {
        self.pools.service().list().unwrap().pools
    }

    fn ready(&self) -> Vec<u32> {
        self.list().iter().map(|pool| pool.ready).collect()
    }

    /// The sandboxes of pools whose containers run.
    fn running(&self) -> BTreeSet<SandboxId> {
        self.world.disks.borrow().keys().filter(|id| id.is_pooled()).cloned().collect()
    }
}

fn active(host: &Session) -> SandboxId {
    host.describe().unwrap().active.sandbox_id().clone()
}

fn open(world: &World, name: &str, config: &Value) -> Result<(), Error> {
    now(world.host(name).open(serde_json::from_value(config.clone()).unwrap())).map(drop)
}

#[test]
fn an_open_takes_a_container_that_runs_and_the_alarm_replaces_it() {
    let made = Deployment::new(10);
    let (cold, first) = made.open("first", 2);
    assert_eq!(active(&first).as_str(), "first", "the pool was empty");
    assert_eq!(run(&first).unwrap()["stdout"], "v1");
    assert_eq!(cold.disk("first").unwrap().content, "v1");
    made.fill();
    assert_eq!(made.ready(), [2]);

    let starts = made.world.starts.get();
    let (world, second) = made.open("second", 2);
    let id = active(&second);
    assert!(id.is_pooled(), "{id}");
    let answer = run(&second).unwrap();
    assert_eq!(answer["stdout"], "v1");
    assert_eq!(made.world.starts.get(), starts, "nothing is started");
    let told = answer["woken"]["message"].as_str().unwrap();
    assert!(told.starts_with("The workspace began with the files of snapshot"), "{told}");
    assert!(run(&second).unwrap().get("woken").is_none(), "it is told once");
    let events = world.database_text("SELECT kind FROM events ORDER BY seq");
    let place = |kind: &str| events.find(kind).unwrap_or_else(|| panic!("{kind} in {events}"));
    assert!(place("session.opened") < place("workspace.claimed"));
    assert!(place("workspace.claimed") < place("workspace.woken"));
    let configured = made.world.configured.borrow()[&id].clone();
    assert_eq!(configured.session.unwrap().as_str(), "second", "its first call configures it");

    made.fill();
    assert_eq!(made.ready(), [2]);
    assert_eq!(made.running().len(), 3);
}

#[test]
fn a_workspace_from_a_pool_is_as_any_other() {
    let made = Deployment::new(10);
    made.open("first", 1);
    made.fill();
    let (world, host) = made.open("second", 1);
    let id = active(&host);
    run(&host).unwrap();
    world.write(id.as_str(), "v2");
    world.recover("second");
    // The first session still has its lease on the snapshot.
    assert_eq!(leases(&made.world, &world), (1, 0), "the alarm saved it");
    world.kill(id.as_str());
    assert_eq!(run(&host).unwrap()["stdout"], "v2", "it wakes");
    assert_eq!(active(&host), id);

    let closing = json!({ "pool": { "from": made.id, "size": 7 }, "destroyOnClose": true });
    open(&world, "second", &closing).unwrap();
    now(host.close()).unwrap();
    assert!(world.disk(id.as_str()).is_none());
    open(&world, "second", &closing).unwrap();
    assert_eq!(active(&host).as_str(), "second", "only the first open takes one");
    assert_eq!(run(&host).unwrap()["stdout"], "");
}

#[test]
fn no_container_is_taken_twice() {
    let made = Deployment::new(20);
    made.open("first", 8);
    made.fill();
    let worlds: Vec<(World, Session)> = (0..12)
        .map(|nth| {
            let world = made.session();
            let host = world.host(&format!("many-{nth}"));
            (world, host)
        })
        .collect();
    made.world.faults.slow.set(true);
    let config = || serde_json::from_value(made.config(8)).unwrap();
    // Each opens twice at once.
    let opens = worlds.iter().flat_map(|(_, host)| [host.open(config()), host.open(config())]);
    let opened = block_on(join_all(opens));
    made.world.faults.slow.set(false);
    assert!(opened.iter().all(Result::is_ok), "{opened:?}");
    let taken: Vec<SandboxId> = worlds.iter().map(|(_, host)| active(host)).collect();
    let warm: BTreeSet<&SandboxId> = taken.iter().filter(|id| id.is_pooled()).collect();
    assert_eq!(taken.iter().filter(|id| id.is_pooled()).count(), warm.len());
    assert_eq!(warm.len(), 8);
    for (_, host) in &worlds {
        assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 1);
    }
    made.fill();
    assert_eq!((made.ready(), made.running().len()), (vec![8], 16));
}

/// A session asks twice at once. What one request got is not destroyed because the other one
/// failed.
#[test]
fn a_failed_take_leaves_the_container_to_a_repeated_one() {
    // The first of both is one step behind by then.
    for (failing, nth) in [(0, 0), (0, 1), (1, 0)] {
        let made = Deployment::new(10);
        made.open("first", 1);
        made.fill();
        let request = made.request("second");
        let service = made.pools.service();
        made.world.faults.slow.set(true);
        let mut takes =
            vec![service.take(&request).boxed_local(), service.take(&request).boxed_local()];
        for take in &mut takes {
            assert!(
                (0..2).all(|_| take.as_mut().now_or_never().is_none()),
                "it checks the container"
            );
        }
        let mut failing = takes.remove(failing);
        let handed = block_on(takes.remove(0)).unwrap().unwrap();
        made.world.faults.arm(nth, Fault::ErrorBefore);
        let ended = (0..4).find_map(|_| failing.as_mut().now_or_never());
        assert!(made.world.faults.disarm() && ended.is_some());
        made.world.faults.slow.set(false);
        made.fill();
        assert!(made.running().contains(&handed.sandbox));
    }
}

/// They do not take it from each other for ever.
#[test]
fn two_takes_of_a_container_that_has_stopped_end() {
    let made = Deployment::new(10);
    made.open("first", 1);
    made.fill();
    made.world.disks.borrow_mut().retain(|id, _| !id.is_pooled());
    made.world.faults.slow.set(true);
    let (service, request) = (made.pools.service(), made.request("second"));
    let mut takes = join_all([service.take(&request), service.take(&request)]).boxed_local();
    let ended = (0..50).find_map(|_| takes.as_mut().now_or_never());
    let taken: Vec<_> = ended.unwrap().into_iter().map(Result::unwrap).collect();
    assert_eq!(taken, [None, None]);
}

/// One that fails alone is destroyed.
#[test]
fn a_container_that_could_not_be_handed_over_is_replaced() {
    let made = Deployment::new(10);
    made.open("first", 1);
    made.fill();
    let before = made.running();
    made.world.faults.arm(1, Fault::ErrorBefore);
    let taken = block_on(made.pools.service().take(&made.request("second"))).unwrap();
    assert!(made.world.faults.disarm());
    assert_eq!(taken, None);
    made.fill();
    assert_eq!(made.ready(), [1]);
    assert!(before.is_disjoint(&made.running()));
}

/// The container is ended, and the pool says why and tries again.
#[test]
fn a_fill_that_hangs_ends_in_time() {
    let made = Deployment::new(10);
    made.open("first", 1);
    made.world.clock.start();
    made.world.faults.arm(1, Fault::CrashBefore);
    made.alarm.at_ms.set(None);
    block_on(made.pools.service().recover()).unwrap();
    assert!(made.world.faults.disarm());
    made.world.clock.stop();
    let problem = made.list()[0].problem.clone().unwrap();
    assert!(problem.message.contains("within 10 minutes"), "{}", problem.message);
    made.fill();
    assert_eq!((made.ready(), made.running().len()), (vec![1], 1));
}

#[test]
fn a_repeated_open_gets_the_container_that_it_took_before() {
    for fault in [Fault::CrashAfter, Fault::CrashBefore] {
        let made = Deployment::new(10);
        made.open("first", 1);
        made.fill();
        let world = made.session();
        // The session's object dies when it hears of the container.
        made.pools.faults.arm(1, fault);
        let host = world.host("second");
        let config = serde_json::from_value(made.config(1)).unwrap();
        assert!(host.open(config).now_or_never().is_none());
        assert!(made.pools.faults.disarm());
        let taken = made.running();
        let soon = made.world.configured.borrow()[taken.first().unwrap()].sleep_after_ms;
        assert_eq!(soon, Some(POOL_TAKEN_MS), "it would stop by itself");
        open(&world, "second", &made.config(1)).unwrap();
        assert_eq!([active(&world.host("second"))].as_slice(), Vec::from_iter(taken));
    }
}

#[test]
fn whatever_is_wrong_with_the_pool_the_session_opens() {
    let made = Deployment::new(10);
    made.open("first", 1);
    made.fill();
    made.pools.silent.set(true);
    let (_, second) = made.open("second", 1);
    assert_eq!(active(&second).as_str(), "second");
    assert_eq!(run(&second).unwrap()["stdout"], "v1");
    made.pools.silent.set(false);
    for fault in [Fault::ErrorBefore, Fault::ErrorAfter] {
        made.fill();
        made.pools.faults.arm(1, fault);
        let name = format!("lost-{fault:?}").to_lowercase();
        let (_, host) = made.open(&name, 1);
        made.pools.faults.disarm();
        assert_eq!(active(&host).as_str(), name);
        assert_eq!(run(&host).unwrap()["stdout"], "v1");
    }
    // A container that has stopped is not handed out.
    made.fill();
    made.world.disks.borrow_mut().retain(|id, _| !id.is_pooled());
    let (_, host) = made.open("stopped", 1);
    assert_eq!(active(&host).as_str(), "stopped");
    made.fill();
    assert_eq!(made.ready(), [1]);
}

#[test]
fn a_session_whose_claim_is_refused_takes_nothing() {
    let made = Deployment::new(10);
    made.open("first", 1);
    made.fill();
    let world = made.session();
    // The owner no longer answers, or says no.
    let nth = {
        let config = serde_json::from_value(made.config(1)).unwrap();
        let probe = made.session();
        made.world.faults.arm(usize::MAX, Fault::ErrorBefore);
        now(probe.host("probe").open(config)).unwrap();
        let trace = made.world.faults.trace();
        made.world.faults.disarm();
        trace.iter().position(|name| name == "lend").unwrap()
    };
    made.fill();
    let before = made.running();
    made.world.faults.arm(nth, Fault::ErrorBefore);
    let refused = open(&world, "second", &made.config(1)).unwrap_err();
    assert!(made.world.faults.disarm());
    assert_eq!(refused.code, ErrorCode::Unavailable, "{:?}", made.world.faults.trace());
    assert_eq!(made.running().len(), before.len() - 1, "the container that it took is gone");
    assert_eq!(world.host("second").describe().unwrap_err().code, ErrorCode::NotFound);
    open(&world, "second", &made.config(1)).unwrap();
    made.fill();
    assert_eq!(made.ready(), [1]);
}

#[test]
fn all_pools_together_keep_what_the_operator_allows() {
    let made = Deployment::new(3);
    made.open("first", 2);
    made.pass(1);
    let off = json!({ "pool": { "from": made.id, "size": 5 }, "network": { "mode": "off" } });
    open(&made.session(), "second", &off).unwrap();
    made.fill();
    let list = made.list();
    assert_eq!(list.len(), 2, "containers without the Internet have a pool of their own");
    let shown = |pool: &PoolView| (pool.size, pool.allowed, pool.ready);
    assert_eq!(list.iter().map(shown).collect::<Vec<_>>(), [(5, 2, 2), (2, 1, 1)]);
    let internet: Vec<Option<bool>> = made
        .running()
        .iter()
        .map(|id| made.world.configured.borrow()[id].enable_internet)
        .collect();
    assert_eq!(internet.iter().filter(|is_on| **is_on == Some(false)).count(), 2);
    // The operator allows fewer.
    made.pools.restart(1);
    made.pass(POOL_CHECK_MS);
    made.fill();
    assert_eq!((made.ready().iter().sum::<u32>(), made.running().len()), (1, 1));
    // The last open decides how many.
    made.pools.restart(10);
    made.open("third", 4);
    made.fill();
    assert_eq!(made.list()[0].size, 4);
    assert_eq!(made.ready(), [4, 5]);
}

#[test]
fn a_destroyed_pool_is_empty() {
    let made = Deployment::new(10);
    made.open("first", 3);
    made.fill();
    let (_, second) = made.open("second", 3);
    run(&second).unwrap();
    // One is being filled.
    made.world.faults.slow.set(true);
    let service = made.pools.service();
    let mut filling = service.recover().boxed_local();
    while made.running().len() < 4 {
        assert!(filling.as_mut().now_or_never().is_none());
    }
    let pool = made.list()[0].id.clone();
    let destroyed = block_on(service.destroy(&pool)).unwrap();
    assert_eq!(destroyed.destroyed, 3);
    block_on(filling).unwrap();
    made.world.faults.slow.set(false);
    made.fill();
    assert!(made.list().is_empty());
    assert_eq!(Vec::from_iter(made.running()), [active(&second)], "a session has it");
    assert_eq!(run(&second).unwrap()["stdout"], "v1");
    assert_eq!(block_on(service.destroy(&pool)).unwrap().destroyed, 0);
    made.open("third", 1);
    made.fill();
    assert_eq!(made.ready(), [1], "the next open makes it anew");
}

/// A fill goes on for a while after its pool is destroyed, and then its object dies.
#[test]
fn a_pool_that_is_destroyed_amid_a_fill_is_empty() {
    for after in 0..6 {
        for moment in 0.. {
            let made = Deployment::new(10);
            made.open("first", 2);
            made.world.faults.slow.set(true);
            let service = made.pools.service();
            let mut filling = service.recover().boxed_local();
            if (0..moment).any(|_| filling.as_mut().now_or_never().is_some()) {
                assert!(moment > 3);
                break;
            }
            block_on(service.destroy(&made.list()[0].id)).unwrap();
            let _ended = (0..after).any(|_| filling.as_mut().now_or_never().is_some());
            drop(filling);
            made.world.faults.slow.set(false);
            made.pools.restart(10);
            made.alarm.at_ms.set(Some(made.world.clock.now_ms()));
            made.fill();
            assert!(made.running().is_empty(), "{after} after {moment}");
            assert!(made.list().is_empty());
        }
    }
}

#[test]
fn a_pool_ends_with_its_snapshot_or_when_nobody_asks_for_it() {
    let made = Deployment::new(10);
    made.open("first", 2);
    made.fill();
    let edit = serde_json::from_value(json!({ "published": false })).unwrap();
    now(made.owner.update_snapshot(&SnapshotSelector::Id(made.id.clone()), &edit)).unwrap();
    let refused = open(&made.session(), "second", &made.config(2)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::SnapshotNotOwned, "nobody gets its files any more");
    made.pass(POOL_CHECK_MS + 1);
    assert!(made.list().is_empty());
    assert!(made.running().is_empty());

    let made = Deployment::new(10);
    made.open("first", 2);
    made.fill();
    expire(&made.world, &made.owner, &made.id);
    made.pass(POOL_CHECK_MS + 1);
    assert!(made.list().is_empty());
    assert!(made.running().is_empty());

    let made = Deployment::new(10);
    made.open("first", 2);
    made.fill();
    made.pass(POOL_IDLE_MS - 60_000);
    assert_eq!(made.ready(), [2]);
    made.pass(120_000);
    assert!(made.list().is_empty());
    assert!(made.running().is_empty());
    made.pass(POOL_IDLE_MS);
    assert_eq!(made.alarm.at_ms.get(), None, "nothing is left to do");
}

#[test]
fn containers_that_stop_are_replaced() {
    let made = Deployment::new(10);
    made.open("first", 2);
    made.fill();
    let gone = made.running().into_iter().next().unwrap();
    made.world.kill(gone.as_str());
    made.pass(POOL_CHECK_MS + 1);
    made.fill();
    assert_eq!((made.ready(), made.running().len()), (vec![2], 2));
    assert!(!made.running().contains(&gone));
}

/// However a step of the pools fails or their object dies, the pool is full in the end, and no
/// other container runs.
#[test]
fn a_broken_fill_leaves_no_container_behind() {
    let mut reached = BTreeSet::new();
    for fault in Fault::ALL {
        for nth in 0.. {
            let made = Deployment::new(10);
            made.open("first", 2);
            made.world.faults.arm(nth, fault);
            let service = made.pools.service();
            made.alarm.at_ms.set(None);
            let ended = service.recover().now_or_never();
            let trace = made.world.faults.trace();
            if !made.world.faults.disarm() {
                break;
            }
            reached.insert(trace[nth].clone());
            // The platform repeats the alarm. After a crash, in a new object.
            if ended.is_none() {
                made.pools.restart(10);
            }
            if !matches!(ended, Some(Ok(()))) {
                made.alarm.at_ms.set(Some(made.world.clock.now_ms()));
            }
            made.fill();
            assert_eq!(made.ready(), [2], "{fault:?} at {nth}: {trace:?}");
            assert_eq!(made.running().len(), 2, "{fault:?} at {nth}: {trace:?}");
        }
    }
    for name in ["alarm", "configure", "restore"] {
        assert!(reached.contains(name), "{name} of {reached:?}");
    }
}

#[test]
fn a_pool_that_cannot_be_filled_says_why_and_tries_less_and_less_often() {
    let made = Deployment::new(10);
    made.open("first", 1);
    made.world.bucket.objects.borrow_mut().retain(|key, _| !key.ends_with("data.sqsh"));
    let starts =
        || made.world.log.0.borrow().iter().filter(|it| it.event == "pool.unfilled").count();
    made.pass(60_000);
    let (first, list) = (starts(), made.list());
    let problem = list[0].problem.clone().unwrap();
    assert_eq!(problem.code, ErrorCode::SnapshotGone);
    assert!((2..8).contains(&first), "{first} in a minute");
    made.pass(60 * 60_000);
    assert!(starts() - first < 12, "{} in an hour", starts() - first);
    assert!(made.running().is_empty());
}

#[test]
fn a_pool_is_refused_where_it_cannot_be() {
    let made = Deployment::new(10);
    let refused = |config: Value| open(&made.session(), "second", &config).unwrap_err();
    for (config, message) in [
        (json!({ "pool": { "from": made.id, "size": 0 } }), "pool.size: must be 1 to 100"),
        (json!({ "pool": { "from": made.id, "size": 101 } }), "pool.size: must be 1 to 100"),
        (
            json!({ "pool": { "from": made.id, "size": 1 }, "from": made.id }),
            "from: can't be combined with pool; leave one out",
        ),
        (
            json!({ "pool": { "from": "name", "size": 1 } }),
            "pool.from: must be a SnapshotRef or a snapshot's id",
        ),
        (
            json!({ "pool": { "from": made.id, "size": 1 }, "id": "shared-x", "shareAcrossSessions": true }),
            "pool.from: is not for a sandbox that sessions share",
        ),
    ] {
        let error = refused(config);
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert_eq!(error.message, message);
    }
    let other = BackupId::from_random([9; 16]);
    let unknown = refused(json!({ "pool": { "from": other, "size": 1 } }));
    assert_eq!(unknown.code, ErrorCode::SnapshotNotOwned);
    assert!(made.list().is_empty(), "a refused open makes no pool");
    *made.world.pools.borrow_mut() = None;
    let none = refused(made.config(1));
    assert_eq!(none.code, ErrorCode::NotConfigured);
    assert!(none.hint.unwrap().contains("MAX_POOL_CONTAINERS"));
}

#[test]
fn pools_of_a_faultless_deployment_start_nothing_twice() {
    let made = Deployment::new(10);
    made.open("first", 3);
    let starts = made.world.starts.get();
    made.fill();
    made.pass(POOL_CHECK_MS * 3);
    assert_eq!(made.world.starts.get() - starts, 3);
}
