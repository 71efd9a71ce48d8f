//! Shows the counters of all objects.

use crate::domain::Result;
use crate::domain::metrics::starts_text;
use crate::operator::Operator;

impl Operator {
    /// The counters of all objects, and running and waiting starts, in Prometheus' text format.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the directory does not answer.
    pub async fn metrics(&self) -> Result<String> {
        let counts = self.ports.directory.counts().await?;
        let text = counts.counters.to_text(counts.sessions, env!("CARGO_PKG_VERSION"));
        let starts = self.view_of_starts(&[]).await;
        Ok(text + &starts.as_ref().map(starts_text).unwrap_or_default())
    }
}
