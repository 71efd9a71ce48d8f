//! Many sandboxes that start at once, under the operator's limit and the platform's.

mod crowd;

use crate::support::bucket::{MemoryBucket, OneBucket};
use crate::support::container::{Machines, MemoryContainer};
use crate::support::database::MemoryDatabase;
use crate::support::faults::Faults;
use crate::support::ports::{CountingRandom, MemoryLog};
use crate::support::starts::MemoryStarts;
use crate::support::virtual_time::VirtualClock;
use async_trait::async_trait;
use futures::FutureExt;
use futures::future::{Either, join, join_all, select};
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::ids::{InstanceId, SandboxId, SessionId, StartId};
use snapshotter::domain::limits::{START_LEASE_MS, START_WAIT_MS, STARTS_SILENT_MS};
use snapshotter::domain::starts::{PermitRequest, StartAnswer};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::sandbox::*;
use snapshotter::ports::starts::Starts;
use snapshotter::sandbox::{SandboxPorts, SandboxService, TransferSizes};
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;

/// A limited number of machines, on which containers take time to start.
struct Fleet {
    clock: VirtualClock,
    /// How long a start takes.
    start_ms: Cell<u64>,
    /// How many containers there is room for.
    room: Cell<usize>,
    running: Cell<usize>,
    starting: Cell<usize>,
    /// Most that were starting at once.
    peak: Cell<usize>,
}

/// One sandbox's part of the fleet.
struct Place {
    fleet: Rc<Fleet>,
    name: String,
    /// The sandboxes whose containers started, in that order.
    started: Rc<RefCell<Vec<String>>>,
    is_ready: Cell<bool>,
}

#[async_trait(?Send)]
impl Machines for Place {
    fn admit(&self) -> bool {
        let fleet = &self.fleet;
        if fleet.running.get() >= fleet.room.get() {
            return false;
        }
        fleet.running.set(fleet.running.get() + 1);
        fleet.starting.set(fleet.starting.get() + 1);
        fleet.peak.set(fleet.peak.get().max(fleet.starting.get()));
        self.started.borrow_mut().push(self.name.clone());
        true
    }

    async fn ready(&self) {
        if !self.is_ready.get() {
            self.fleet.clock.sleep_ms(self.fleet.start_ms.get()).await;
            if !self.is_ready.replace(true) {
                self.fleet.starting.set(self.fleet.starting.get() - 1);
            }
        }
    }
}

/// A deployment whose containers take a second to start.
struct Deployment {
    clock: VirtualClock,
    log: MemoryLog,
    random: CountingRandom,
    fleet: Rc<Fleet>,
    starts: MemoryStarts,
    started: Rc<RefCell<Vec<String>>>,
}

impl Deployment {
    fn new(limit: u32) -> Self {
        let clock = VirtualClock::new();
        let fleet = Fleet {
            clock: clock.clone(),
            start_ms: Cell::new(1_000),
            room: Cell::new(usize::MAX),
            running: Cell::default(),
            starting: Cell::default(),
            peak: Cell::default(),
        };
        Self {
            starts: MemoryStarts::new(Some(limit), Rc::new(clock.clone())),
            clock,
            log: MemoryLog::default(),
            random: CountingRandom::default(),
            fleet: Rc::new(fleet),
            started: Rc::default(),
        }
    }

    fn sandbox(&self, name: &str, session: &str) -> SandboxService {
        let bucket = MemoryBucket::new(Faults::default());
        let mut container = MemoryContainer::new(bucket.clone(), Faults::default());
        container.refused_because.set("Maximum number of running container instances exceeded");
        container.machines = Some(Rc::new(Place {
            fleet: self.fleet.clone(),
            name: name.to_owned(),
            started: self.started.clone(),
            is_ready: Cell::default(),
        }));
        let sandbox = self.sandbox_over(name, Rc::new(MemoryDatabase::new()), container);
        let session = Some(SessionId::parse(session).unwrap());
        let options = ConfigureOptions {
            session,
            enable_internet: Some(true),
            ..ConfigureOptions::default()
        };
        sandbox.configure(options).now_or_never().unwrap().unwrap();
        sandbox
    }

    fn sandbox_over(
        &self,
        name: &str,
        database: Rc<MemoryDatabase>,
        container: MemoryContainer,
    ) -> SandboxService {
        let ports = SandboxPorts {
            clock: Rc::new(self.clock.clone()),
            random: Rc::new(self.random.clone()),
            log: Rc::new(self.log.clone()),
            database,
            buckets: Rc::new(OneBucket(MemoryBucket::new(Faults::default()))),
            container: Rc::new(container),
            starts: Some(Rc::new(self.starts.clone())),
        };
        SandboxService::new(name.to_owned(), TransferSizes::default(), ports).unwrap()
    }

    /// Sandboxes `name-0`, `name-1` and so on.
    fn sandboxes(&self, name: &str, count: usize, session: &str) -> Vec<SandboxService> {
        (0..count).map(|nth| self.sandbox(&format!("{name}-{nth}"), session)).collect()
    }

    fn started(&self) -> Vec<String> {
        self.started.borrow().clone()
    }

    /// Checks that these started, each once.
    fn assert_started_once(&self, count: usize) {
        let mut started = self.started();
        started.sort();
        started.dedup();
        assert_eq!((started.len(), self.started.borrow().len()), (count, count));
    }

    fn assert_queue_empty(&self) {
        let view = self.starts.view(&[]).now_or_never().unwrap().unwrap();
        assert_eq!((view.starting, view.waiting), (0, 0));
    }

    fn lines(&self, event: &str, outcome: Option<&str>) -> usize {
        let lines = self.log.0.borrow();
        let of = |line: &&snapshotter::ports::log::LogLine| {
            line.event == event && outcome.is_none_or(|outcome| line.fields["outcome"] == outcome)
        };
        lines.iter().filter(of).count()
    }
}

/// The first command of each, all at once.
async fn start_all(sandboxes: &[SandboxService]) -> Vec<Result<InstanceId, Error>> {
    join_all(sandboxes.iter().map(SandboxApi::ensure_running)).await
}

/// Work, while something else happens again and again.
async fn beside<T>(work: impl Future<Output = T>, other: impl Future<Output = ()>) -> T {
    match select(pin!(work), pin!(other)).await {
        Either::Left((done, _)) => done,
        Either::Right(_) => panic!("it goes on for ever"),
    }
}

#[test]
fn no_more_start_at_once_than_allowed_and_each_starts_once() {
    let deployment = Deployment::new(4);
    let sandboxes: Vec<SandboxService> = (0..40)
        .flat_map(|session| deployment.sandboxes(&format!("s{session}"), 5, &format!("{session}")))
        .collect();
    let began_ms = deployment.clock.now_ms();
    let answers = deployment.clock.run(start_all(&sandboxes));
    assert!(answers.iter().all(Result::is_ok));
    deployment.assert_started_once(200);
    assert_eq!(deployment.fleet.peak.get(), 4);
    // 200 starts of a second, four at once, and half a second until the next one asks.
    let took_ms = deployment.clock.now_ms() - began_ms;
    assert!((50_000..90_000).contains(&took_ms), "{took_ms}");
    deployment.assert_queue_empty();
    assert_eq!(deployment.lines("sandbox.start_wait", Some("ok")), 196);
    let calls = deployment.starts.calls.get();
    assert!(calls < 200 * 30, "{calls} calls");
}

#[test]
fn sessions_are_served_in_turn_and_each_in_the_order_of_its_calls() {
    let deployment = Deployment::new(1);
    let greedy = deployment.sandboxes("greedy", 30, "greedy");
    let modest = deployment.sandboxes("modest", 1, "modest");
    let later = deployment.sandboxes("later", 3, "later");
    let starts = join_all([
        start_all(&greedy).boxed_local(),
        async {
            deployment.clock.sleep_ms(1_500).await;
            start_all(&modest).await
        }
        .boxed_local(),
        async {
            deployment.clock.sleep_ms(4_500).await;
            start_all(&later).await
        }
        .boxed_local(),
    ]);
    let answers = deployment.clock.run(starts).concat();
    assert!(answers.iter().all(Result::is_ok));
    let started = deployment.started();
    let place = |name: &str| started.iter().position(|started| started == name).unwrap();
    assert!(place("modest-0") <= 4, "{started:?}");
    for nth in 0..3 {
        assert!(place(&format!("later-{nth}")) <= 9 + 2 * nth, "{started:?}");
    }
    let of_greedy: Vec<&String> =
        started.iter().filter(|name| name.starts_with("greedy")).collect();
    let in_order: Vec<String> = (0..30).map(|nth| format!("greedy-{nth}")).collect();
    assert_eq!(of_greedy, in_order.iter().collect::<Vec<_>>());
}

#[test]
fn one_that_waits_too_long_starts_nothing_and_hears_when_to_try_again() {
    let deployment = Deployment::new(2);
    deployment.fleet.start_ms.set(50_000);
    let sandboxes = deployment.sandboxes("slow", 20, "sess");
    let began_ms = deployment.clock.now_ms();
    let answers = deployment.clock.run(start_all(&sandboxes));
    assert!(deployment.clock.now_ms() - began_ms < START_WAIT_MS + 60_000);
    let refused: Vec<&Error> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    let started = 20 - refused.len();
    assert!((4..=6).contains(&started), "{started}");
    for error in &refused {
        assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::None));
        assert!(error.retryable);
        let retry_ms = error.details.as_ref().unwrap()["retryAfterMs"].as_u64().unwrap();
        assert!((15_000..=45_000).contains(&retry_ms));
    }
    deployment.assert_started_once(started);
    assert_eq!(deployment.lines("sandbox.start_wait", Some("UNAVAILABLE")), refused.len());
    deployment.assert_queue_empty();

    deployment.fleet.start_ms.set(1_000);
    let again = deployment.clock.run(start_all(&sandboxes));
    assert!(again.iter().all(Result::is_ok));
    deployment.assert_started_once(20);
}

#[test]
fn a_restarted_queue_counts_what_starts_and_keeps_the_places() {
    let deployment = Deployment::new(2);
    let sandboxes = deployment.sandboxes("sess", 40, "sess");
    let restarts = async {
        loop {
            deployment.clock.sleep_ms(700).await;
            deployment.starts.restart();
        }
    };
    let answers = deployment.clock.run(beside(start_all(&sandboxes), restarts));
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(deployment.fleet.peak.get(), 2);
    let in_order: Vec<String> = (0..40).map(|nth| format!("sess-{nth}")).collect();
    let started = deployment.started();
    for (nth, name) in in_order.iter().enumerate() {
        let place = started.iter().position(|started| started == name).unwrap();
        assert!(place.abs_diff(nth) <= 1, "two are free at once: {started:?}");
    }
    deployment.assert_queue_empty();
}

#[test]
fn a_queue_that_does_not_answer_holds_nobody_up_for_long() {
    let deployment = Deployment::new(1);
    deployment.starts.silent.set(true);
    let sandboxes = deployment.sandboxes("sess", 5, "sess");
    let began_ms = deployment.clock.now_ms();
    let answers = deployment.clock.run(start_all(&sandboxes));
    assert!(answers.iter().all(Result::is_ok));
    let took_ms = deployment.clock.now_ms() - began_ms;
    assert!((STARTS_SILENT_MS..STARTS_SILENT_MS + 3_000).contains(&took_ms), "{took_ms}");
    deployment.assert_started_once(5);
    assert_eq!(deployment.lines("sandbox.start_unlimited", None), 5);

    // A short silence changes nothing.
    let deployment = Deployment::new(1);
    deployment.starts.silent.set(true);
    let sandboxes = deployment.sandboxes("sess", 5, "sess");
    let back = async {
        deployment.clock.sleep_ms(5_000).await;
        deployment.starts.silent.set(false);
    };
    let (answers, ()) = deployment.clock.run(join(start_all(&sandboxes), back));
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(
        (deployment.fleet.peak.get(), deployment.lines("sandbox.start_unlimited", None)),
        (1, 0)
    );
}

#[test]
fn answers_that_are_lost_cost_no_permit() {
    let deployment = Deployment::new(2);
    let sandboxes = deployment.sandboxes("sess", 20, "sess");
    let lossy = async {
        for lossy in [true, false].into_iter().cycle() {
            deployment.clock.sleep_ms(900).await;
            deployment.starts.lossy.set(lossy);
        }
    };
    let answers = deployment.clock.run(beside(start_all(&sandboxes), lossy));
    assert!(answers.iter().all(Result::is_ok));
    deployment.assert_started_once(20);
    assert!(deployment.fleet.peak.get() <= 2);
    assert_eq!(deployment.lines("sandbox.start_unlimited", None), 0);
}

#[test]
fn where_the_platform_has_no_room_each_call_ends_and_nothing_starts_twice() {
    let deployment = Deployment::new(3);
    deployment.fleet.room.set(10);
    let sandboxes: Vec<SandboxService> =
        (0..100).map(|n| deployment.sandbox(&format!("s-{n}"), &format!("{}", n % 7))).collect();
    // Each works for three seconds and leaves.
    let live = async |sandbox: &SandboxService| {
        let started = sandbox.ensure_running().await;
        if started.is_ok() {
            deployment.clock.sleep_ms(3_000).await;
            sandbox.destroy().await.unwrap();
            deployment.fleet.running.set(deployment.fleet.running.get() - 1);
        }
        started
    };
    let began_ms = deployment.clock.now_ms();
    let answers = deployment.clock.run(join_all(sandboxes.iter().map(live)));
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    deployment.assert_started_once(100);
    assert!(deployment.fleet.peak.get() <= 3);
    assert!(deployment.clock.now_ms() - began_ms < 120_000);
    deployment.assert_queue_empty();

    // There is never room for more than two. Whoever gets none hears so.
    let deployment = Deployment::new(3);
    deployment.fleet.room.set(2);
    let sandboxes = deployment.sandboxes("full", 30, "sess");
    let began_ms = deployment.clock.now_ms();
    let answers = deployment.clock.run(start_all(&sandboxes));
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 2);
    assert!(answers.iter().flat_map(|answer| answer.as_ref().err()).all(|error| error.retryable));
    deployment.assert_started_once(2);
    let took_ms = deployment.clock.now_ms() - began_ms;
    assert!(took_ms < START_WAIT_MS + 130_000, "{took_ms}");
    deployment.assert_queue_empty();
}

#[test]
fn a_sandbox_that_dies_as_it_starts_holds_its_permit_no_longer_than_the_lease() {
    let deployment = Deployment::new(1);
    let (dies, next) = (deployment.sandbox("dies", "a"), deployment.sandbox("next", "b"));
    // Its object ends during the start.
    let began_ms = deployment.clock.now_ms();
    deployment.clock.run(async {
        let moment = deployment.clock.sleep_ms(10).boxed_local();
        drop(select(dies.ensure_running().boxed_local(), moment).await);
    });
    drop(dies);
    assert_eq!(deployment.started(), ["dies"]);
    assert!(deployment.clock.run(next.ensure_running()).is_ok());
    let took_ms = deployment.clock.now_ms() - began_ms;
    assert!((START_LEASE_MS..START_LEASE_MS + 6_000).contains(&took_ms), "{took_ms}");
    let lapsed = deployment
        .starts
        .log
        .0
        .borrow()
        .iter()
        .filter(|line| line.event == "starts.lapsed")
        .count();
    assert_eq!(lapsed, 1);
}

#[test]
fn the_next_object_of_a_sandbox_goes_on_with_its_permit_and_place() {
    let deployment = Deployment::new(1);
    let request = |id: u8, sandbox: &str, since_ms: i64| PermitRequest {
        id: StartId::from_random([id; 16]),
        sandbox: SandboxId::parse(sandbox).unwrap(),
        session: None,
        since_ms: deployment.clock.now_ms() + since_ms,
    };
    let ask = |asked: &PermitRequest| deployment.starts.ask(asked).now_or_never().unwrap().unwrap();
    let end = |asked: &PermitRequest| {
        deployment.starts.end(&asked.sandbox, &asked.id).now_or_never().unwrap().unwrap();
    };
    let (first, second) = (request(1, "a", 0), request(2, "a", 0));
    let (b, c) = (request(3, "b", 1), request(4, "c", 2));
    assert_eq!(ask(&first), StartAnswer::Granted);
    assert!(matches!(ask(&b), StartAnswer::Wait { .. }));
    assert!(matches!(ask(&c), StartAnswer::Wait { .. }));
    assert_eq!(ask(&second), StartAnswer::Granted, "the sandbox's object is a new one");
    end(&first);
    assert!(matches!(ask(&b), StartAnswer::Wait { .. }), "a late return frees no other's permit");
    let b_again = request(5, "b", 3);
    assert!(matches!(ask(&b_again), StartAnswer::Wait { .. }));
    end(&b);
    end(&second);
    assert!(matches!(ask(&c), StartAnswer::Wait { .. }), "b is first, with its old place");
    assert_eq!(ask(&b_again), StartAnswer::Granted);
    end(&b_again);
    assert_eq!(ask(&c), StartAnswer::Granted);
}

#[test]
fn a_start_that_is_not_wanted_any_more_leaves_the_queue() {
    let deployment = Deployment::new(1);
    deployment.fleet.start_ms.set(20_000);
    let (first, second) = (deployment.sandbox("first", "a"), deployment.sandbox("second", "b"));
    let destroy = async {
        deployment.clock.sleep_ms(3_000).await;
        second.destroy().await
    };
    let all = futures::future::join3(first.ensure_running(), second.ensure_running(), destroy);
    let (first, second, destroyed) = deployment.clock.run(all);
    assert!(first.is_ok() && destroyed.is_ok());
    assert_eq!(second.unwrap_err().code, ErrorCode::Unavailable);
    assert_eq!(deployment.started(), ["first"]);
    deployment.assert_queue_empty();
}

#[test]
fn one_sandbox_asks_once_for_all_its_callers() {
    let deployment = Deployment::new(1);
    let sandbox = deployment.sandbox("sess", "sess");
    let callers = join_all((0..50).map(|_| sandbox.ensure_running()));
    assert!(deployment.clock.run(callers).iter().all(Result::is_ok));
    deployment.assert_started_once(1);
    assert_eq!(deployment.starts.calls.get(), 2, "it asks, and gives back");
    deployment.clock.run(sandbox.ensure_running()).unwrap();
    assert_eq!(deployment.starts.calls.get(), 2, "a running container needs no permit");
    assert_eq!(deployment.lines("sandbox.start_wait", None), 0, "and nobody waited");
}
