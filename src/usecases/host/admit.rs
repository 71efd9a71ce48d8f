//! How often a session may be called, and may be snapshotted.

use super::Host;
use crate::domain::error::Result;
use crate::domain::limits::{CALLS_BURST, CALLS_PER_MINUTE, SNAPSHOTS_BURST, SNAPSHOTS_PER_MINUTE};
use crate::domain::rate::Rate;

impl Host {
    /// Counts a call against the session's rate. The count is in memory: a
    /// restart of the object forgets it, and whoever could bring one about by
    /// calling would have to rest longer than the bucket takes to fill.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`.
    pub fn admit_call(&self) -> Result<()> {
        let rate = self.rates()?.0;
        self.calls_full_at_us.set(rate.take(
            "calls",
            self.calls_full_at_us.get(),
            self.now_ms(),
        )?);
        Ok(())
    }

    /// Counts a snapshot against the session's rate, durably: snapshots are
    /// expensive, and one more row is nothing to one.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`.
    pub fn admit_snapshot(&self) -> Result<()> {
        let rate = self.rates()?.1;
        // No await between the two: snapshots that come at once take one each.
        let full_at_us = self.catalogue.snapshots_full_at_us()?;
        let next_us = rate.take("snapshots", full_at_us, self.now_ms())?;
        self.catalogue.set_snapshots_full_at_us(next_us)
    }

    /// The rates of calls and of snapshots. A session that was never opened has
    /// the defaults.
    fn rates(&self) -> Result<(Rate, Rate)> {
        let limits =
            self.catalogue.session()?.and_then(|row| row.config.limits).unwrap_or_default();
        let calls = Rate { per_minute: CALLS_PER_MINUTE, burst: CALLS_BURST };
        let snapshots = Rate { per_minute: SNAPSHOTS_PER_MINUTE, burst: SNAPSHOTS_BURST };
        Ok((limits.calls.unwrap_or(calls), limits.snapshots.unwrap_or(snapshots)))
    }
}
