//! Lists every session's workspaces and the state of their containers.

use crate::domain::error::Result;
use crate::domain::ids::SessionId;
use crate::domain::limits::SESSIONS_ASKED;
use crate::domain::page::page_size;
use crate::domain::workspace::{ContainerState, WorkspaceSummary};
use crate::operator::{Operator, SessionList, SessionProblem};
use serde::{Deserialize, Serialize};

/// Which workspaces to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WorkspacesRequest {
    /// Maximum sessions per page.
    pub limit: Option<u32>,
    /// Where the page begins: the last page's `next_cursor`.
    pub cursor: Option<String>,
    /// Only workspaces whose container runs, or is in an unknown state.
    pub running: bool,
}

/// A workspace, and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct SessionWorkspace {
    /// Its session.
    pub session: SessionId,
    /// The workspace.
    #[serde(flatten)]
    pub workspace: WorkspaceSummary,
}

/// Workspaces of some sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkspacePage {
    /// In the order of their sessions' ids, and oldest first in each. A page
    /// may have none and not be the last.
    pub workspaces: Vec<SessionWorkspace>,
    /// Sessions whose objects could not be asked.
    pub problems: Vec<SessionProblem>,
    /// Where the next page begins, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Operator {
    /// Lists the workspaces of a page of sessions, as their objects report them
    /// now. Starts no container.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor.
    pub async fn list_workspaces(&self, request: &WorkspacesRequest) -> Result<WorkspacePage> {
        let limit = page_size(request.limit, SESSIONS_ASKED)?;
        let SessionList { sessions, next_cursor } =
            self.page_of_sessions(limit, request.cursor.as_deref()).await?;
        let mut page = WorkspacePage { next_cursor, ..WorkspacePage::default() };
        let ids = sessions.into_iter().map(|listed| (listed.session, ())).collect();
        for (session, answer) in self.ask(ids, async |host, ()| host.workspaces().await).await {
            match answer {
                Ok(workspaces) => {
                    let shown = workspaces.into_iter().filter(|workspace| {
                        !request.running || workspace.container != Some(ContainerState::Stopped)
                    });
                    page.workspaces.extend(
                        shown.map(|workspace| SessionWorkspace {
                            session: session.clone(),
                            workspace,
                        }),
                    );
                }
                Err(error) => {
                    page.problems.push(SessionProblem { session, error: error.to_wire().error });
                }
            }
        }
        Ok(page)
    }
}
