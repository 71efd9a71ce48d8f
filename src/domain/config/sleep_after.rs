//! How long a container may idle.

use crate::domain::error::{Error, Result};
use crate::domain::limits::{SLEEP_AFTER_DEFAULT_MS, SLEEP_AFTER_MAX_MS};
use serde::{Deserialize, Serialize};

/// An idle time in milliseconds, read from a number of **seconds** or from text
/// such as `"30s"`, `"10m"`, `"1h"`, as `@cloudflare/sandbox` reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SleepAfterInput", into = "String")]
pub struct SleepAfter {
    ms: u64,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a number of seconds, or text such as \"10m\"")]
enum SleepAfterInput {
    Secs(u64),
    Text(String),
}

impl SleepAfter {
    /// The idle time in milliseconds.
    #[must_use]
    pub const fn as_ms(self) -> u64 {
        self.ms
    }
}

impl Default for SleepAfter {
    fn default() -> Self {
        Self { ms: SLEEP_AFTER_DEFAULT_MS }
    }
}

impl TryFrom<SleepAfterInput> for SleepAfter {
    type Error = Error;

    fn try_from(input: SleepAfterInput) -> Result<Self> {
        let secs = match input {
            SleepAfterInput::Secs(secs) => Some(secs),
            SleepAfterInput::Text(text) => {
                let (digits, unit_secs) = match text.chars().last() {
                    Some('s') => (text.trim_end_matches('s'), 1),
                    Some('m') => (text.trim_end_matches('m'), 60),
                    Some('h') => (text.trim_end_matches('h'), 3_600),
                    _ => (text.as_str(), 1),
                };
                digits.parse::<u64>().ok().and_then(|count| count.checked_mul(unit_secs))
            }
        };
        match secs.and_then(|secs| secs.checked_mul(1_000)) {
            Some(ms) if (1_000..=SLEEP_AFTER_MAX_MS).contains(&ms) => Ok(Self { ms }),
            _ => Err(Error::invalid(
                "sleepAfter",
                "must be 1 second to 6 hours, as seconds or as text such as \"10m\"",
            )),
        }
    }
}

impl From<SleepAfter> for String {
    fn from(sleep_after: SleepAfter) -> Self {
        format!("{}s", sleep_after.ms / 1_000)
    }
}
