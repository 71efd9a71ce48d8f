//! The lifetime of a backup.

use crate::domain::limits::{
    EXPIRY_MARGIN_MS, TTL_DEFAULT_SECS, TTL_MAX_SECS, TTL_MIN_SECS, TTL_USED_SECS,
};
use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};

/// A time to live in seconds, long enough for a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Ttl(u64);

impl Ttl {
    /// Checks a time to live.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` outside 61 s to ten years.
    pub fn from_secs(secs: u64) -> Result<Self> {
        if (TTL_MIN_SECS..=TTL_MAX_SECS).contains(&secs) {
            Ok(Self(secs))
        } else {
            Err(Error::invalid(
                "ttl",
                format!(
                    "must be {TTL_MIN_SECS} to {TTL_MAX_SECS} seconds; {TTL_MAX_SECS} keeps a snapshot until it is deleted"
                ),
            ))
        }
    }

    /// The time to live after a session's last use.
    #[must_use]
    pub const fn after_use() -> Self {
        Self(TTL_USED_SECS)
    }

    /// In seconds.
    #[must_use]
    pub const fn as_secs(self) -> u64 {
        self.0
    }

    /// In milliseconds.
    #[must_use]
    pub fn as_ms(self) -> i64 {
        i64::try_from(self.as_secs()).unwrap_or(i64::MAX).saturating_mul(1_000)
    }
}

impl Default for Ttl {
    fn default() -> Self {
        Self(TTL_DEFAULT_SECS)
    }
}

impl TryFrom<u64> for Ttl {
    type Error = Error;

    fn try_from(secs: u64) -> Result<Self> {
        Self::from_secs(secs)
    }
}

impl From<Ttl> for u64 {
    fn from(ttl: Ttl) -> Self {
        ttl.0
    }
}

/// When a backup expires, in milliseconds since the epoch.
#[must_use]
pub fn expires_at_ms(created_at_ms: i64, ttl_secs: u64) -> i64 {
    let ttl_ms = i64::try_from(ttl_secs).unwrap_or(i64::MAX).saturating_mul(1_000);
    created_at_ms.saturating_add(ttl_ms)
}

/// Whether a backup may no longer be restored: `now + 60 s > createdAt + ttl`.
#[must_use]
pub fn is_expired(now_ms: i64, created_at_ms: i64, ttl_secs: u64) -> bool {
    now_ms.saturating_add(EXPIRY_MARGIN_MS) > expires_at_ms(created_at_ms, ttl_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiry_has_a_margin_of_a_minute() {
        let created = 1_000_000;
        assert!(!is_expired(created, created, 61));
        assert!(!is_expired(created + 1_000, created, 61));
        assert!(is_expired(created + 1_001, created, 61));
        assert!(is_expired(created, created, 60 - 1));
        assert!(!is_expired(created, created, u64::MAX));
    }

    #[test]
    fn unrestorable_lifetimes_are_refused() {
        for secs in [0, 1, 60, TTL_MAX_SECS + 1, u64::MAX] {
            assert!(Ttl::from_secs(secs).is_err(), "{secs}");
        }
        assert!(Ttl::from_secs(61).is_ok() && Ttl::from_secs(TTL_MAX_SECS).is_ok());
    }
}
