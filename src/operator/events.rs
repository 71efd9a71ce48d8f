//! Lists the operator's events, which belong to no session's own log.

use crate::domain::limits::MAX_LIST_RESULTS_DEFAULT;
use crate::domain::{EventView, Result, RowPage};
use crate::operator::Operator;
use serde::{Deserialize, Serialize};

/// A page of events, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperatorEventPage {
    /// The events.
    pub events: Vec<EventView>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Operator {
    /// Lists the directory's events, newest first. The directory keeps the latest 10,000.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor.
    pub async fn list_events(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<OperatorEventPage> {
        let page = RowPage::parse(limit, MAX_LIST_RESULTS_DEFAULT, cursor)?;
        let directory = &self.ports.directory;
        let mut events = directory.events(page.before_seq, page.rows_to_read()).await?;
        let next_cursor = page.cut(&mut events, |event| event.seq)?;
        Ok(OperatorEventPage { events, next_cursor })
    }
}
