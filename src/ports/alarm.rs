//! The object's one alarm.

use crate::domain::Result;
use async_trait::async_trait;

/// A Durable Object has one alarm, so [`schedule_by`](Self::schedule_by) keeps the earliest time.
#[async_trait(?Send)]
pub trait Alarm {
    /// When it is due, in milliseconds since the epoch. None while its handler runs.
    async fn due_ms(&self) -> Result<Option<i64>>;

    /// Sets the alarm, replacing any earlier time. Durable on return.
    async fn set(&self, at_ms: i64) -> Result<()>;

    /// Makes sure that it runs at `at_ms` or earlier.
    async fn schedule_by(&self, at_ms: i64) -> Result<()> {
        if self.due_ms().await?.is_some_and(|due_ms| due_ms <= at_ms) {
            return Ok(());
        }
        self.set(at_ms).await
    }
}
