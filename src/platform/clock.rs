//! [`Clock`] over the runtime's clock.

use crate::ports::clock::Clock;
use async_trait::async_trait;
use futures::future::{Either, select};
use gloo_timers::future::sleep;
use std::pin::pin;
use std::time::Duration;
use worker::Date;

/// The runtime's clock. It advances only across I/O.
pub struct RuntimeClock;

#[async_trait(?Send)]
impl Clock for RuntimeClock {
    fn now_ms(&self) -> i64 {
        i64::try_from(Date::now().as_millis()).unwrap_or(i64::MAX)
    }

    async fn sleep_ms(&self, ms: u64) {
        sleep(Duration::from_millis(ms)).await;
    }
}

/// The output of `work`. None if `limit_ms` has passed first.
pub async fn within<F: Future>(limit_ms: u64, work: F) -> Option<F::Output> {
    let clock = RuntimeClock;
    match select(pin!(work), clock.sleep_ms(limit_ms)).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(((), _)) => None,
    }
}
