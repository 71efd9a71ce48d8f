//! Measures what each session stores.

use crate::domain::limits::SESSIONS_ASKED;
use crate::domain::page::page_size;
use crate::domain::session::usage::Stored;
use crate::domain::{Result, SessionUsage};
use crate::operator::{Operator, SessionList, SessionProblem};
use serde::{Deserialize, Serialize};

/// What some sessions keep.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsagePage {
    /// In the order of their ids.
    pub sessions: Vec<SessionUsage>,
    /// All snapshots of the sessions of this page.
    pub total: Stored,
    /// Sessions whose objects could not be asked.
    pub problems: Vec<SessionProblem>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Operator {
    /// Measures what each session of a page stores, by its own catalogue. Backups that no catalogue
    /// lists do not count; a prune finds them.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor.
    pub async fn usage(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<UsagePage> {
        let limit = page_size(limit, SESSIONS_ASKED)?;
        let SessionList { sessions, next_cursor } = self.page_of_sessions(limit, cursor).await?;
        let mut page = UsagePage { next_cursor, ..UsagePage::default() };
        let ids = sessions.into_iter().map(|listed| (listed.session, ())).collect();
        for (session, answer) in self.ask(ids, async |host, ()| host.usage().await).await {
            match answer {
                Ok(usage) => {
                    page.total = page.total.plus(usage.snapshots);
                    page.sessions.push(usage);
                }
                Err(error) => {
                    page.problems.push(SessionProblem { session, error: error.to_wire().error });
                }
            }
        }
        Ok(page)
    }
}
