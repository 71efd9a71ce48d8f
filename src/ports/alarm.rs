//! The object's one alarm.

use crate::domain::error::Result;
use async_trait::async_trait;

/// A Durable Object has one alarm; it is kept at the earliest time asked for.
#[async_trait(?Send)]
pub trait Alarm {
    /// Makes sure the object is woken at `at_ms` or earlier. Durable when it returns.
    async fn wake_by(&self, at_ms: i64) -> Result<()>;
}
