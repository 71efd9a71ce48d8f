//! Shows what all objects have counted.

use crate::domain::error::Result;
use crate::operator::Operator;

impl Operator {
    /// The counters of all objects, in the text format that Prometheus reads.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the directory does not answer.
    pub async fn metrics(&self) -> Result<String> {
        let counts = self.ports.directory.counts().await?;
        Ok(counts.counters.to_text(counts.sessions, env!("CARGO_PKG_VERSION")))
    }
}
