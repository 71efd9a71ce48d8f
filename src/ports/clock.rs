//! Time.

use async_trait::async_trait;

/// Wall-clock time and waiting.
#[async_trait(?Send)]
pub trait Clock {
    /// Milliseconds since the epoch. Workers advance it only across I/O.
    fn now_ms(&self) -> i64;

    /// Waits for `ms` milliseconds.
    async fn sleep_ms(&self, ms: u64);
}
