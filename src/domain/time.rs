//! Times as text.

use crate::domain::{Error, Result};
use chrono::{DateTime, SecondsFormat};

/// RFC 3339 in UTC, as JavaScript's `toISOString`.
#[must_use]
pub fn rfc3339(ms: i64) -> String {
    DateTime::from_timestamp_millis(ms)
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Parses RFC 3339 into milliseconds since the epoch.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `field`.
pub fn parse_rfc3339(field: &str, text: &str) -> Result<i64> {
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.timestamp_millis())
        .map_err(|error| Error::invalid(field, format!("is not RFC 3339: {error}")))
}

/// The pause after another failure: `first_ms`, doubled for each earlier one, at most `max_ms`.
pub fn pause_ms(failures: u32, first_ms: i64, max_ms: i64) -> i64 {
    // Beyond 2^32, a first pause of a millisecond exceeds every limit in use.
    first_ms.saturating_mul(1 << failures.min(32)).min(max_ms)
}

#[cfg(test)]
mod tests {
    use super::pause_ms;
    use proptest::prelude::*;

    #[test]
    fn pauses_double_up_to_the_limit() {
        let pauses: Vec<i64> = (0..6).map(|failures| pause_ms(failures, 30, 400)).collect();
        assert_eq!(pauses, [30, 60, 120, 240, 400, 400]);
    }

    proptest! {
        #[test]
        fn no_number_of_failures_overflows(failures in any::<u32>(), first_ms in 1..100_000_i64) {
            let pause = pause_ms(failures, first_ms, 600_000);
            prop_assert!((first_ms..=600_000).contains(&pause));
            prop_assert!(pause <= pause_ms(failures.saturating_add(1), first_ms, 600_000));
        }
    }
}
