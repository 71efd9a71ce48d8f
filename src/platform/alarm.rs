//! [`Alarm`] over the object's storage.

use crate::domain::error::Result;
use crate::platform::convert::from_worker;
use crate::ports::alarm::Alarm;
use async_trait::async_trait;
use worker::{ScheduledTime, Storage};

/// The object's alarm.
pub struct ObjectAlarm {
    storage: Storage,
}

impl ObjectAlarm {
    /// The alarm of the object with this storage.
    pub const fn new(storage: Storage) -> Self {
        Self { storage }
    }
}

#[async_trait(?Send)]
impl Alarm for ObjectAlarm {
    async fn due_ms(&self) -> Result<Option<i64>> {
        self.storage.get_alarm().await.map_err(|error| from_worker(&error))
    }

    async fn set(&self, at_ms: i64) -> Result<()> {
        // Exact below 2^53, which is 285,000 years away.
        let date = js_sys::Date::new(&(at_ms as f64).into());
        self.storage.set_alarm(ScheduledTime::new(date)).await.map_err(|error| from_worker(&error))
    }
}
