//! Random sequences of requests.

use super::{PermitRequest, StartAnswer, StartQueue, StartRow};
use crate::domain::limits::START_KEPT_MS;
use crate::domain::{SandboxId, SessionId, StartId};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Step {
    /// A sandbox of a session asks, for the first time or again.
    Ask {
        session: u8,
        sandbox: u8,
    },
    /// The start is ready, has failed, or is given up.
    End {
        session: u8,
        sandbox: u8,
    },
    /// The start has waited for too long, and will be retried.
    Leave {
        session: u8,
        sandbox: u8,
    },
    Pass {
        ms: i64,
    },
    /// The queue gets a new object.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let whose = (0..5_u8, 0..6_u8);
    prop_oneof![
        6 => whose.clone().prop_map(|(session, sandbox)| Step::Ask { session, sandbox }),
        3 => whose.clone().prop_map(|(session, sandbox)| Step::End { session, sandbox }),
        2 => whose.prop_map(|(session, sandbox)| Step::Leave { session, sandbox }),
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
        let mut kept: BTreeMap<SandboxId, StartRow> = BTreeMap::new();
        for step in steps {
            for lapsed in queue.remove_lapsed(now_ms) {
                kept.remove(&lapsed.sandbox_id);
            }
            match step {
                Step::Ask { session, sandbox } => {
                    let asks = request(session, sandbox, now_ms);
                    let place = kept.remove(&asks.sandbox).map(|row| (row.round, row.since_ms));
                    let asks = asked.entry(asks.sandbox.clone()).or_insert(asks);
                    let had = queue.row(&asks.sandbox).and_then(|row| row.leased_until_ms);
                    let granted = queue.ask(asks, now_ms) == StartAnswer::Granted;
                    prop_assert!(granted || had.is_none(), "a permit is not taken away");
                    prop_assert_eq!(queue.ask(asks, now_ms) == StartAnswer::Granted, granted);
                    if place.is_some() {
                        let now = queue.row(&asks.sandbox).map(|row| (row.round, row.since_ms));
                        prop_assert_eq!(now, place, "it is where it was");
                    }
                }
                Step::End { session, sandbox } => {
                    let ends = request(session, sandbox, now_ms);
                    queue.end(&ends.sandbox, &ends.id);
                    prop_assert!(queue.row(&ends.sandbox).is_none());
                    prop_assert!(queue.end(&ends.sandbox, &ends.id).is_none());
                    asked.remove(&ends.sandbox);
                }
                Step::Leave { session, sandbox } => {
                    let leaves = request(session, sandbox, now_ms);
                    let waits = queue.row(&leaves.sandbox);
                    let waits = waits.is_some_and(|row| row.leased_until_ms.is_none());
                    let row = queue.leave(&leaves.sandbox, &leaves.id, now_ms).cloned();
                    prop_assert_eq!(row.is_some(), waits, "a permit is not left");
                    if let Some(row) = row {
                        asked.remove(&leaves.sandbox);
                        kept.insert(leaves.sandbox, row);
                    }
                }
                Step::Pass { ms } => now_ms += ms,
                Step::Restart => {
                    let mut all = rows(&queue, &asked);
                    all.extend(kept.values().cloned());
                    let (starting, waiting) = (queue.starting(), queue.waiting());
                    queue = StartQueue::new(limit, queue.round(), all, now_ms);
                    prop_assert_eq!((queue.starting(), queue.waiting()), (starting, waiting));
                }
            }
            prop_assert!(queue.starting() <= limit as usize);
        }
    }

    /// All waiting starts keep asking, and more keep coming. For a start and each earlier one of
    /// its session, other sessions are served at most twice, and those that arrived with it once.
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
            // Each arrival is another sandbox of a few sessions that never stop.
            asking.push(request(session, u8::try_from(nth % 10).unwrap(), now_ms));
            // One start is ready, and all others ask again, the newest first.
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
            // Each round has one start of each of five sessions, and of this one.
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
fn the_place_of_one_that_is_to_ask_again_is_kept_for_two_minutes() {
    let mut queue = StartQueue::new(1, 0, Vec::new(), 0);
    let [runs, left, next] = [1, 2, 3].map(|session| request(session, 0, session.into()));
    let second = request(2, 1, 2);
    for asks in [&runs, &left, &second, &next] {
        queue.ask(asks, 3);
    }
    let kept = queue.leave(&left.sandbox, &left.id, 10).cloned().unwrap();
    assert_eq!((queue.starting(), queue.waiting()), (1, 2));
    queue.end(&runs.sandbox, &runs.id);
    assert_eq!(queue.ask(&next, 10), StartAnswer::Granted, "others pass");
    let newcomer = request(4, 0, 11);
    queue.ask(&newcomer, 11);
    // A new object continues with the stored rows.
    let rows = [&next, &second, &newcomer].map(|asks| queue.row(&asks.sandbox).cloned().unwrap());
    let mut rows = rows.to_vec();
    rows.push(kept);
    queue = StartQueue::new(1, queue.round(), rows, 12);
    let again = PermitRequest { id: StartId::from_random([9; 16]), since_ms: 12, ..left };
    queue.ask(&again, 12);
    queue.end(&next.sandbox, &next.id);
    for turn in [&again, &second, &newcomer] {
        for asks in [&newcomer, &second, &again] {
            let has_ended = queue.row(&asks.sandbox).is_none();
            let granted = !has_ended && queue.ask(asks, 13) == StartAnswer::Granted;
            assert_eq!(granted, asks == turn);
        }
        queue.end(&turn.sandbox, &turn.id);
    }
    // A start that does not return loses its place.
    queue.ask(&runs, 14);
    queue.ask(&next, 14);
    queue.leave(&next.sandbox, &next.id, 14);
    assert!(
        queue.remove_lapsed(START_KEPT_MS + 14).iter().all(|row| row.sandbox_id != next.sandbox)
    );
    queue.ask(&runs, START_KEPT_MS + 14);
    let lapsed = queue.remove_lapsed(START_KEPT_MS + 15);
    assert_eq!(lapsed.iter().map(|row| &row.sandbox_id).collect::<Vec<_>>(), [&next.sandbox]);
}

/// A refused restore is undone, and makes another sandbox when it is repeated.
#[test]
fn another_sandbox_of_the_session_has_the_place_that_is_kept() {
    let mut queue = StartQueue::new(1, 0, Vec::new(), 0);
    let [runs, first, second] =
        [(1, 0), (2, 0), (2, 1)].map(|(session, nth)| request(session, nth, 0));
    for asks in [&runs, &first, &second] {
        queue.ask(asks, 0);
    }
    let places = [&first, &second].map(|asks| {
        let row = queue.leave(&asks.sandbox, &asks.id, 1).unwrap();
        (row.round, row.since_ms)
    });
    assert_ne!(places[0], places[1]);
    let (other, stranger) = (request(2, 2, 9), request(3, 0, 9));
    assert_eq!(queue.inherit(&stranger), None);
    assert_eq!(queue.inherit(&second), None, "it has its own");
    assert_eq!(queue.inherit(&other), Some(first.sandbox.clone()));
    assert_eq!(queue.inherit(&other), None);
    for (asks, place) in [(&other, places[0]), (&second, places[1])] {
        queue.ask(asks, 9);
        let row = queue.row(&asks.sandbox).unwrap();
        assert_eq!((row.round, row.since_ms), place);
    }
    assert_eq!(queue.inherit(&other), None);
    assert_eq!(queue.inherit(&first), None, "it joins behind the others of its session");
    queue.ask(&first, 10);
    assert!(queue.row(&first.sandbox).unwrap().round > places[1].0);
    assert_eq!(queue.waiting(), 3);
}

/// A pool asks for a new container next time.
#[test]
fn no_place_is_kept_for_a_container_of_a_warm_pool() {
    let mut queue = StartQueue::new(1, 0, Vec::new(), 0);
    queue.ask(&request(1, 0, 0), 0);
    let pooled =
        PermitRequest { sandbox: SandboxId::pooled([1; 16]), session: None, ..request(2, 0, 0) };
    queue.ask(&pooled, 0);
    assert!(queue.leave(&pooled.sandbox, &pooled.id, 1).is_none());
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
