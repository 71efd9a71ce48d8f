//! Rate limits: a token bucket, stored as the time at which it is full again. A token moves this
//! time forward by an interval, unless it would then be further away than a whole bucket takes to
//! fill. An unused bucket fills by itself.

use crate::domain::limits::RATE_MAX;
use crate::domain::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A rate, and how many calls may come at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rate {
    /// Calls a minute.
    #[cfg_attr(schemas, schemars(range(min = 1, max = RATE_MAX)))]
    pub per_minute: u32,
    /// Calls that may come at once, after a pause.
    #[cfg_attr(schemas, schemars(range(min = 1, max = RATE_MAX)))]
    pub burst: u32,
}

impl Rate {
    /// Checks a configured rate.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the field.
    pub fn check(self, field: &str) -> Result<Self> {
        for (name, value) in [("perMinute", self.per_minute), ("burst", self.burst)] {
            if !(1..=RATE_MAX).contains(&value) {
                return Err(Error::invalid(
                    &format!("{field}.{name}"),
                    format!("must be 1 to {RATE_MAX}"),
                ));
            }
        }
        Ok(self)
    }

    /// The time in which one token comes back.
    fn interval_us(self) -> i64 {
        60_000_000 / i64::from(self.per_minute.max(1))
    }

    /// Takes a token, and returns the new time at which the bucket is full. If `full_at_us` is too
    /// far away, a clock ran ahead, and the bucket counts as empty.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`. The bucket does not change.
    pub fn take(self, what: &str, full_at_us: i64, now_ms: i64) -> Result<i64> {
        let now_us = now_ms.saturating_mul(1_000);
        let whole_us = self.interval_us().saturating_mul(i64::from(self.burst));
        let full_at_us = full_at_us.clamp(now_us, now_us.saturating_add(whole_us));
        let next_us = full_at_us.saturating_add(self.interval_us());
        let wait_us = next_us.saturating_sub(now_us).saturating_sub(whole_us);
        if wait_us <= 0 {
            return Ok(next_us);
        }
        // Rounded up, so that a call succeeds exactly after this wait.
        let retry_after_ms = (wait_us + 999) / 1_000;
        Err(Error::new(
            ErrorCode::RateLimited,
            format!("too many {what}: {} a minute, {} at once", self.per_minute, self.burst),
        )
        .with_hint("wait for retryAfterMs, then call less often")
        .with_details(json!({ "retryAfterMs": retry_after_ms })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RATE: Rate = Rate { per_minute: 60, burst: 3 };

    fn retry_after_ms(error: &Error) -> i64 {
        assert_eq!((error.code, error.retryable), (ErrorCode::RateLimited, true));
        error.details.as_ref().unwrap()["retryAfterMs"].as_i64().unwrap()
    }

    #[test]
    fn a_burst_and_then_the_rate() {
        let mut full_at_us = 0;
        for _ in 0..3 {
            full_at_us = RATE.take("calls", full_at_us, 10_000).unwrap();
        }
        let refused = RATE.take("calls", full_at_us, 10_000).unwrap_err();
        assert_eq!(retry_after_ms(&refused), 1_000);
        assert_eq!(retry_after_ms(&RATE.take("calls", full_at_us, 10_600).unwrap_err()), 400);
        full_at_us = RATE.take("calls", full_at_us, 11_000).unwrap();
        assert!(RATE.take("calls", full_at_us, 11_000).is_err());
        for _ in 0..3 {
            full_at_us = RATE.take("calls", full_at_us, 60_000).unwrap();
        }
        assert!(
            RATE.take("calls", full_at_us, 60_000).is_err(),
            "a rest fills no more than it holds"
        );
    }

    #[test]
    fn a_clock_that_goes_back_locks_nobody_out_for_long() {
        let ahead = RATE.take("calls", 0, 9_000_000).unwrap();
        assert_eq!(retry_after_ms(&RATE.take("calls", ahead, 0).unwrap_err()), 1_000);
    }

    #[test]
    fn odd_rates_are_kept() {
        for per_minute in [1, 7, RATE_MAX] {
            let rate = Rate { per_minute, burst: 1 };
            let full_at_us = rate.take("calls", 0, 0).unwrap();
            let wait = retry_after_ms(&rate.take("calls", full_at_us, 0).unwrap_err());
            assert!(rate.take("calls", full_at_us, wait - 1).is_err());
            assert!(rate.take("calls", full_at_us, wait).is_ok());
        }
        for (per_minute, burst) in [(0, 1), (1, 0), (RATE_MAX + 1, 1), (1, u32::MAX)] {
            let error = Rate { per_minute, burst }.check("limits.calls").unwrap_err();
            assert!(error.message.starts_with("limits.calls."), "{error}");
        }
    }

    proptest! {
        #[test]
        fn never_more_than_the_burst_and_the_rate(
            per_minute in 1..=RATE_MAX, burst in 1..100_u32,
            steps in prop::collection::vec(0..5_000_i64, 1..200),
        ) {
            let rate = Rate { per_minute, burst };
            let (mut now_ms, mut full_at_us, mut taken) = (1_000_000, 0, 0_i64);
            let start_ms = now_ms;
            for step in steps {
                now_ms += step;
                if let Ok(next) = rate.take("calls", full_at_us, now_ms) {
                    full_at_us = next;
                    taken += 1;
                }
            }
            let refilled = (now_ms - start_ms) * 1_000 / rate.interval_us();
            prop_assert!(taken <= i64::from(burst) + refilled + 1);
        }

        #[test]
        fn who_waits_as_told_is_let_in(
            per_minute in 1..=RATE_MAX, burst in 1..=RATE_MAX, full_at_us in any::<i64>(), now_ms in 0..(1_i64 << 42),
        ) {
            let rate = Rate { per_minute, burst };
            if let Err(error) = rate.take("calls", full_at_us, now_ms) {
                let wait = retry_after_ms(&error);
                prop_assert!(wait > 0 && wait <= 60_000);
                let whole_us = rate.interval_us() * i64::from(burst);
                let kept = full_at_us.clamp(now_ms * 1_000, now_ms * 1_000 + whole_us);
                prop_assert!(rate.take("calls", kept, now_ms + wait).is_ok());
            }
        }
    }
}
