//! Lists the sessions.

use crate::domain::limits::MAX_LIST_RESULTS_CEILING;
use crate::domain::page::page_size;
use crate::domain::{Cursor, Error, ErrorBody, Result, SessionId};
use crate::operator::Operator;
use crate::ports::directory::ListedSession;
use serde::{Deserialize, Serialize};

/// Sessions, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<ListedSession>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A session whose object did not answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct SessionProblem {
    /// The session.
    pub session: SessionId,
    /// Why.
    pub error: ErrorBody,
}

impl Operator {
    /// Lists every session that was ever opened, including closed ones. Reads only the directory.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor.
    pub async fn list_sessions(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<SessionList> {
        self.page_of_sessions(page_size(limit, MAX_LIST_RESULTS_CEILING)?, cursor).await
    }

    pub(crate) async fn page_of_sessions(
        &self,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<SessionList> {
        let after = match cursor.map(Cursor::decode).transpose()? {
            None => None,
            Some(Cursor::Sessions { after }) => Some(after),
            Some(_) => return Err(Error::invalid("cursor", "is not one that this list returned")),
        };
        // One session more than the limit shows whether there is a next page.
        let mut sessions = self.ports.directory.sessions(after.as_ref(), limit + 1).await?;
        let more = sessions.len() > limit as usize;
        sessions.truncate(limit as usize);
        let last = sessions.last().filter(|_| more).map(|listed| listed.session.clone());
        let next_cursor = last.map(|after| Cursor::Sessions { after }.encode()).transpose()?;
        Ok(SessionList { sessions, next_cursor })
    }
}
