//! Limit calls, snapshots, requests to a session's servers, and claims by other sessions.

use crate::domain::limits::{
    CALLS_BURST, CALLS_PER_MINUTE, CLAIMS_BURST, CLAIMS_EACH_BURST, CLAIMS_EACH_PER_MINUTE,
    CLAIMS_PER_MINUTE, REFUSED_EVENTS_PER_MINUTE, SNAPSHOTS_BURST, SNAPSHOTS_PER_MINUTE,
    VISITS_BURST, VISITS_PER_MINUTE,
};
use crate::domain::session::rate::Rate;
use crate::domain::{Result, SessionId};
use crate::session::parts::Context;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// When the token buckets of claims are full again, in microseconds since the epoch.
#[derive(Debug, Default)]
pub(crate) struct ClaimBuckets {
    all_us: i64,
    each_us: BTreeMap<SessionId, i64>,
}

/// The session's rates: when each token bucket is full again, in microseconds since the epoch.
pub struct RateLimits {
    context: Rc<Context>,
    calls_full_at_us: Cell<i64>,
    visits_full_at_us: Cell<i64>,
    refusals_full_at_us: Cell<i64>,
    claims: RefCell<ClaimBuckets>,
}

impl RateLimits {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self {
            context,
            calls_full_at_us: Cell::default(),
            visits_full_at_us: Cell::default(),
            refusals_full_at_us: Cell::default(),
            claims: RefCell::default(),
        }
    }

    pub(crate) fn admits_refusal(&self) -> bool {
        let rate = Rate { per_minute: REFUSED_EVENTS_PER_MINUTE, burst: REFUSED_EVENTS_PER_MINUTE };
        let (full_at_us, now_ms) = (self.refusals_full_at_us.get(), self.context.now_ms());
        match rate.take("refused hosts", full_at_us, now_ms) {
            Ok(full_at_us) => {
                self.refusals_full_at_us.set(full_at_us);
                true
            }
            Err(_over) => false,
        }
    }

    /// Counts a call, in memory. A restart only comes when the bucket would be full anyway.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`.
    pub fn admit_call(&self) -> Result<()> {
        let rate = self.rates()?.0;
        self.calls_full_at_us.set(rate.take(
            "calls of this session",
            self.calls_full_at_us.get(),
            self.context.now_ms(),
        )?);
        Ok(())
    }

    /// Counts a request to a server. Its own rate keeps visitors from using up the session's calls.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`.
    pub fn admit_visit(&self) -> Result<()> {
        let rate = Rate { per_minute: VISITS_PER_MINUTE, burst: VISITS_BURST };
        self.visits_full_at_us.set(rate.take(
            "requests to servers of this session",
            self.visits_full_at_us.get(),
            self.context.now_ms(),
        )?);
        Ok(())
    }

    /// Counts a snapshot against the session's rate, durably: a row costs little beside a snapshot.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`.
    pub fn admit_snapshot(&self) -> Result<()> {
        let rate = self.rates()?.1;
        // No await between read and write: concurrent snapshots each take one token.
        let full_at_us = self.context.catalogue.snapshots_full_at_us()?;
        let next_us = rate.take("snapshots of this session", full_at_us, self.context.now_ms())?;
        self.context.catalogue.set_snapshots_full_at_us(next_us)
    }

    /// One session's claims leave room for others, and all together stay within one rate.
    pub(crate) fn admit_claim(&self, borrower: &SessionId) -> Result<()> {
        let all = Rate { per_minute: CLAIMS_PER_MINUTE, burst: CLAIMS_BURST };
        let each = Rate { per_minute: CLAIMS_EACH_PER_MINUTE, burst: CLAIMS_EACH_BURST };
        let now_ms = self.context.now_ms();
        let mut buckets = self.claims.borrow_mut();
        let full_at_us = buckets.each_us.get(borrower).copied().unwrap_or(0);
        let each_us = each.take("claims by one session", full_at_us, now_ms)?;
        buckets.all_us = all.take("claims by other sessions", buckets.all_us, now_ms)?;
        // The rate of all claims bounds how many buckets are not full.
        buckets.each_us.retain(|_, full_at_us| *full_at_us > now_ms.saturating_mul(1_000));
        buckets.each_us.insert(borrower.clone(), each_us);
        Ok(())
    }

    /// A session that was never opened has the defaults.
    fn rates(&self) -> Result<(Rate, Rate)> {
        let limits =
            self.context.catalogue.session()?.and_then(|row| row.config.limits).unwrap_or_default();
        let calls = Rate { per_minute: CALLS_PER_MINUTE, burst: CALLS_BURST };
        let snapshots = Rate { per_minute: SNAPSHOTS_PER_MINUTE, burst: SNAPSHOTS_BURST };
        Ok((limits.calls.unwrap_or(calls), limits.snapshots.unwrap_or(snapshots)))
    }
}
