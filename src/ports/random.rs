//! Randomness.

use crate::domain::Result;

/// A cryptographic random source.
pub trait Random {
    /// Fills `bytes`. `INTERNAL` if the platform provides no randomness.
    fn fill(&self, bytes: &mut [u8]) -> Result<()>;
}

/// `N` random bytes.
///
/// # Errors
/// As [`Random::fill`].
pub fn random_bytes<const N: usize>(random: &dyn Random) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    random.fill(&mut bytes)?;
    Ok(bytes)
}

/// A random time from half to one and a half of `ms`, so that waiting callers spread.
///
/// # Errors
/// As [`Random::fill`].
pub fn around_ms(random: &dyn Random, ms: u64) -> Result<u64> {
    let [drawn] = random_bytes(random)?;
    Ok(ms / 2 + ms * u64::from(drawn) / 255)
}

/// A random time from 0 to `ms`.
///
/// # Errors
/// As [`Random::fill`].
pub fn below_ms(random: &dyn Random, ms: u64) -> Result<u64> {
    let drawn = u16::from_le_bytes(random_bytes(random)?);
    Ok(ms.saturating_mul(u64::from(drawn)) / u64::from(u16::MAX))
}
