//! [`Random`] over the runtime's `crypto`.

use crate::domain::error::{Error, Result};
use crate::ports::random::Random;

/// `crypto.getRandomValues`.
pub struct RuntimeRandom;

impl Random for RuntimeRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        getrandom::fill(bytes).map_err(|error| Error::internal(format!("getrandom: {error}")))
    }
}
