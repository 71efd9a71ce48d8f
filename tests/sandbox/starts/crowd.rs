//! A crowd that wants to start more than may start, for longer than a call waits.

use super::{Deployment, beside};
use futures::FutureExt;
use futures::future::join_all;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::sandbox::SandboxApi;
use snapshotter::sandbox::SandboxService;

/// Who calls again.
#[derive(Clone, Copy, PartialEq)]
enum Again {
    /// The same sandbox, as for a command.
    Same,
    /// Another one of the session, as for a restore.
    Another,
}

/// Starts a session's sandbox, and calls again as the refusals say. Returns the number of calls.
async fn start_patiently(deployment: &Deployment, nth: usize, again: Again) -> usize {
    let made = |call: usize| deployment.sandbox(&format!("s-{nth:04}-{call}"), &nth.to_string());
    let (mut sandbox, mut calls): (SandboxService, usize) = (made(1), 1);
    while let Err(error) = sandbox.ensure_running().await {
        assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::None));
        let retry_ms = error.details.as_ref().unwrap()["retryAfterMs"].as_u64().unwrap();
        deployment.clock.sleep_ms(retry_ms).await;
        calls += 1;
        if again == Again::Another {
            sandbox.destroy().await.unwrap();
            sandbox = made(calls);
        }
    }
    calls
}

/// What a crowd of sessions lived through.
struct Crowd {
    /// Most calls that one made until it started.
    calls: usize,
    /// How many started before one that had come before them, at most.
    overtaken_by: usize,
}

/// Lets sessions come one after the other, and waits until all have started.
fn crowd(deployment: &Deployment, count: usize, every_ms: u64, again: Again) -> Crowd {
    let come = async |nth: usize| {
        deployment.clock.sleep_ms(every_ms * nth as u64).await;
        start_patiently(deployment, nth, again).await
    };
    let all = join_all((0..count).map(|nth| come(nth).boxed_local()));
    // A new object serves the queue each minute.
    let restarts = async {
        loop {
            deployment.clock.sleep_ms(60_000).await;
            deployment.starts.restart();
        }
    };
    let calls = deployment.clock.run(beside(all, restarts));
    deployment.assert_started_once(count);
    deployment.assert_queue_empty();
    assert_eq!(deployment.fleet.peak.get(), 2);
    let order = deployment.started();
    let overtaken_by = |(place, name): (usize, &String)| {
        order[..place].iter().filter(|earlier| *earlier > name).count()
    };
    Crowd {
        calls: calls.into_iter().max().unwrap(),
        overtaken_by: order.iter().enumerate().map(overtaken_by).max().unwrap(),
    }
}

/// A place is kept while its caller is away, so one is overtaken only in that time: up to 45 s of
/// fewer than two starts a second. If it lost its place, 600 would overtake one here.
fn assert_fair(Crowd { calls, overtaken_by }: Crowd) {
    assert!(overtaken_by <= 90, "{overtaken_by}");
    assert!((2..=3).contains(&calls), "{calls}");
}

#[test]
fn a_thousand_sessions_all_start_and_calling_again_costs_none_its_place() {
    // Four come each second, so the queue grows for as long as they come.
    assert_fair(crowd(&Deployment::new(2), 1_000, 250, Again::Same));
}

#[test]
fn restores_that_are_called_again_keep_their_session_s_place() {
    assert_fair(crowd(&Deployment::new(2), 1_000, 250, Again::Another));
}

#[test]
fn five_hundred_that_come_at_once_all_start_about_in_their_order() {
    assert_fair(crowd(&Deployment::new(2), 500, 0, Again::Same));
}
