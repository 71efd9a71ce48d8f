//! Random sequences of requests.

use super::{PermitRequest, StartAnswer, StartQueue, StartRow};
use crate::domain::ids::{SandboxId, SessionId, StartId};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Step {
    /// A sandbox of a session asks, for the first time or again.
    Ask { session: u8, sandbox: u8 },
    /// It is ready, has failed or gives up.
    End { session: u8, sandbox: u8 },
    /// Time passes.
    Pass { ms: i64 },
    /// The queue's object is a new one.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let whose = (0..5_u8, 0..6_u8);
    prop_oneof![
        6 => whose.clone().prop_map(|(session, sandbox)| Step::Ask { session, sandbox }),
        3 => whose.prop_map(|(session, sandbox)| Step::End { session, sandbox }),
        2 => (0..4_000_i64).prop_map(|ms| Step::Pass { ms }),
        1 => Just(Step::Restart),
    ]
}

fn request(session: u8, sandbox: u8, since_ms: i64) -> PermitRequest {
    PermitRequest {
        id: StartId::from_random([session * 16 + sandbox; 16]),
        sandbox: SandboxId::parse(&format!("s{session}-{sandbox}")).unwrap(),
        session: Some(SessionId::parse(&session.to_string()).unwrap()),
        since_ms,
    }
}

/// What SQLite has of it.
fn rows(queue: &StartQueue, asked: &BTreeMap<SandboxId, PermitRequest>) -> Vec<StartRow> {
    asked.keys().filter_map(|sandbox| queue.row(sandbox).cloned()).collect()
}

proptest! {
    #[test]
    fn never_more_than_the_limit_whatever_comes(
        limit in 1..4_u32, steps in prop::collection::vec(step(), 1..200),
    ) {
        let (mut queue, mut now_ms) = (StartQueue::new(limit, 0, Vec::new(), 0), 0);
        let mut asked: BTreeMap<SandboxId, PermitRequest> = BTreeMap::new();
        for step in steps {
            queue.remove_lapsed(now_ms);
            match step {
                Step::Ask { session, sandbox } => {
                    let asks = request(session, sandbox, now_ms);
                    let asks = asked.entry(asks.sandbox.clone()).or_insert(asks);
                    let had = queue.row(&asks.sandbox).and_then(|row| row.leased_until_ms);
                    let granted = queue.ask(asks, now_ms) == StartAnswer::Granted;
                    prop_assert!(granted || had.is_none(), "a permit is not taken away");
                    prop_assert_eq!(queue.ask(asks, now_ms) == StartAnswer::Granted, granted);
                }
                Step::End { session, sandbox } => {
                    let ends = request(session, sandbox, now_ms);
                    queue.end(&ends.sandbox, &ends.id);
                    prop_assert!(queue.row(&ends.sandbox).is_none());
                    prop_assert!(queue.end(&ends.sandbox, &ends.id).is_none());
                    asked.remove(&ends.sandbox);
                }
                Step::Pass { ms } => now_ms += ms,
                Step::Restart => {
                    let kept = rows(&queue, &asked);
                    let (starting, waiting) = (queue.starting(), queue.waiting());
                    queue = StartQueue::new(limit, queue.round(), kept, now_ms);
                    prop_assert_eq!((queue.starting(), queue.waiting()), (starting, waiting));
                }
            }
            prop_assert!(queue.starting() <= limit as usize);
        }
    }

    /// All who wait keep asking, and more keep coming. Each is served after at most two starts of
    /// each other session for each own one before it, and those that came with it.
    #[test]
    fn nobody_starves(
        limit in 1..4_u32, hoard in 1..6_u8, arrivals in prop::collection::vec(0..5_u8, 0..60),
    ) {
        let mut queue = StartQueue::new(limit, 0, Vec::new(), 0);
        let mut now_ms = 0;
        let mut asking: Vec<PermitRequest> = (0..=hoard).map(|n| request(7, n, 0)).collect();
        let last = asking.last().unwrap().sandbox.clone();
        let mut granted = Vec::new();
        for asks in &asking {
            if queue.ask(asks, now_ms) == StartAnswer::Granted {
                granted.push(asks.clone());
            }
        }
        for (nth, session) in arrivals.into_iter().enumerate() {
            now_ms += 100;
            // Each arrival is another sandbox, of a few sessions that never stop.
            asking.push(request(session, u8::try_from(nth % 10).unwrap(), now_ms));
            // One is ready, and all ask again, the newest first.
            if let Some(ready) = granted.pop() {
                queue.end(&ready.sandbox, &ready.id);
                asking.retain(|asks| asks.sandbox != ready.sandbox);
            }
            for asks in asking.iter().rev() {
                let had = queue.row(&asks.sandbox).is_some_and(|row| row.leased_until_ms.is_some());
                if queue.ask(asks, now_ms) == StartAnswer::Granted && !had {
                    granted.insert(0, asks.clone());
                }
            }
            if queue.row(&last).is_none_or(|row| row.leased_until_ms.is_some()) {
                return Ok(());
            }
            // In each round, five sessions have one start each, and this one has one.
            prop_assert!(nth < 6 * (usize::from(hoard) + 2), "the last of {hoard} waits");
        }
    }
}

#[test]
fn a_newcomer_waits_for_one_start_of_each_other_session() {
    let mut queue = StartQueue::new(1, 0, Vec::new(), 0);
    let mut hoard: Vec<PermitRequest> = (0..10).map(|n| request(1, n, 0)).collect();
    for asks in &hoard {
        queue.ask(asks, 0);
    }
    let newcomer = request(2, 0, 5);
    assert!(matches!(queue.ask(&newcomer, 5), StartAnswer::Wait { .. }));
    let mut others = 0;
    loop {
        let ready = hoard.remove(0);
        queue.end(&ready.sandbox, &ready.id);
        others += 1;
        if queue.ask(&newcomer, 5) == StartAnswer::Granted {
            break;
        }
        assert_eq!(queue.ask(&hoard[0], 5), StartAnswer::Granted);
    }
    assert_eq!(others, 2, "the one that ran, and the next");
}

/// However many containers warm pools want, a session waits for one of them only.
#[test]
fn all_warm_pools_are_served_as_one_session() {
    let mut queue = StartQueue::new(1, 0, Vec::new(), 0);
    let pooled = |nth: u8| PermitRequest {
        id: StartId::from_random([nth; 16]),
        sandbox: SandboxId::pooled([nth; 16]),
        session: None,
        since_ms: 0,
    };
    for nth in 0..10 {
        queue.ask(&pooled(nth), 0);
    }
    let session = request(1, 0, 5);
    queue.ask(&session, 5);
    queue.end(&pooled(0).sandbox, &pooled(0).id);
    let next = (1..10).find(|nth| queue.ask(&pooled(*nth), 5) == StartAnswer::Granted).unwrap();
    queue.end(&pooled(next).sandbox, &pooled(next).id);
    assert_eq!(queue.ask(&session, 5), StartAnswer::Granted);
}

#[test]
fn the_first_in_line_that_is_gone_blocks_the_others_for_seconds_only() {
    let mut queue = StartQueue::new(1, 0, Vec::new(), 0);
    let [runs, gone, next] = [1, 2, 3].map(|session| request(session, 0, session.into()));
    for asks in [&runs, &gone, &next] {
        queue.ask(asks, 3);
    }
    queue.end(&runs.sandbox, &runs.id);
    assert!(matches!(queue.ask(&next, 4_000), StartAnswer::Wait { .. }));
    assert!(queue.remove_lapsed(6_000).is_empty());
    let lapsed = queue.remove_lapsed(6_100);
    assert_eq!(lapsed.iter().map(|row| &row.sandbox_id).collect::<Vec<_>>(), [&gone.sandbox]);
    assert_eq!(queue.ask(&next, 6_100), StartAnswer::Granted);
}

#[test]
fn those_that_wait_ask_a_few_hundred_times_a_second_together() {
    for limit in [2, 1_000] {
        let mut queue = StartQueue::new(limit, 0, Vec::new(), 0);
        let asked = |nth: u32| PermitRequest {
            id: StartId::from_random([7; 16]),
            sandbox: SandboxId::parse(&format!("s-{nth}")).unwrap(),
            session: None,
            since_ms: nth.into(),
        };
        for nth in 0..6_000 {
            queue.ask(&asked(nth), 6_000);
        }
        let rates = (0..6_000).filter_map(|nth| match queue.ask(&asked(nth), 6_000) {
            StartAnswer::Wait { ask_again_ms } => Some(1_000.0 / ask_again_ms as f64),
            _ => None,
        });
        let asks_per_second: f64 = rates.sum();
        assert!((150.0..800.0).contains(&asks_per_second), "{asks_per_second}");
    }
}
