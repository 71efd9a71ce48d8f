//! The idle time of a container.

use crate::domain::limits::{SLEEP_AFTER_DEFAULT_MS, SLEEP_AFTER_MAX_MS};
use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};

/// An idle time in milliseconds. It is parsed from a number of **seconds**, or
/// from text such as `"30s"`, `"10m"`, `"1h"`, as in `@cloudflare/sandbox`.
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
                let units = [('s', 1), ('m', 60), ('h', 3_600)];
                let (digits, unit_secs) = units
                    .into_iter()
                    .find_map(|(unit, secs)| Some((text.strip_suffix(unit)?, secs)))
                    .unwrap_or((&text, 1));
                // `parse` also accepts a sign.
                let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
                let count = digits.parse::<u64>().ok().filter(|_| is_number);
                count.and_then(|count| count.checked_mul(unit_secs))
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
