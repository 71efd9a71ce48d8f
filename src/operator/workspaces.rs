//! Lists every session's workspaces and the state of their containers.

use crate::domain::limits::SESSIONS_ASKED;
use crate::domain::page::page_size;
use crate::domain::starts::StartsView;
use crate::domain::time::rfc3339;
use crate::domain::workspace::ContainerState;
use crate::domain::{Result, SandboxId, SessionId, WorkspaceSummary};
use crate::operator::{Operator, SessionList, SessionProblem};
use crate::ports::{Level, LogLine};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A request to list workspaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WorkspacesRequest {
    /// Maximum sessions per page.
    pub limit: Option<u32>,
    /// The last page's `next_cursor`, at which this page begins.
    pub cursor: Option<String>,
    /// Only workspaces whose container runs, is in an unknown state, or waits to start.
    pub running: bool,
}

/// A workspace and its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionWorkspace {
    /// Its session.
    pub session: SessionId,
    /// The workspace.
    #[serde(flatten)]
    pub workspace: WorkspaceSummary,
    /// Its container waits to start, because `MAX_CONCURRENT_STARTS` containers are already
    /// starting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_to_start: Option<WaitingToStart>,
}

/// A container that waits to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingToStart {
    /// When it began to wait, in RFC 3339.
    pub since: String,
    /// Its place among all that wait, from 1.
    pub place: u64,
}

/// Containers of all sessions and warm pools that start now or wait to start. A container that a
/// pool starts is no workspace yet, so it is not listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StartCounts {
    /// How many may start at once: `MAX_CONCURRENT_STARTS`.
    pub limit: u32,
    /// How many start now.
    pub starting: u64,
    /// How many wait.
    pub waiting: u64,
}

/// Workspaces of some sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkspacePage {
    /// In the order of their sessions' ids, and oldest first in each. A page may be empty without
    /// being the last.
    pub workspaces: Vec<SessionWorkspace>,
    /// Sessions whose objects could not be asked.
    pub problems: Vec<SessionProblem>,
    /// Containers that start or wait to start, in all sessions. Absent if starts are not limited,
    /// or if the queue of starts does not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts: Option<StartCounts>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Operator {
    /// Lists the workspaces of a page of sessions, as their objects report them now. Starts no
    /// container.
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
                    page.workspaces.extend(workspaces.into_iter().map(|workspace| {
                        let session = session.clone();
                        SessionWorkspace { session, workspace, waiting_to_start: None }
                    }));
                }
                Err(error) => {
                    page.problems.push(SessionProblem { session, error: error.to_wire().error });
                }
            }
        }
        self.add_starts(&mut page).await;
        page.workspaces.retain(|shown| {
            !request.running
                || shown.waiting_to_start.is_some()
                || shown.workspace.container != Some(ContainerState::Stopped)
        });
        Ok(page)
    }

    /// Adds which workspaces wait to start. If the queue does not answer, they are still listed.
    async fn add_starts(&self, page: &mut WorkspacePage) {
        let Some(view) = self.view_of_starts(&page.sandboxes()).await else { return };
        for waits in view.waits {
            let of = |shown: &&mut SessionWorkspace| {
                *shown.workspace.r#ref.sandbox_id() == waits.sandbox
            };
            for shown in page.workspaces.iter_mut().filter(of) {
                let since = rfc3339(waits.since_ms);
                shown.waiting_to_start = Some(WaitingToStart { since, place: waits.place });
            }
        }
        page.starts = view.limit.map(|limit| StartCounts {
            limit,
            starting: view.starting,
            waiting: view.waiting,
        });
    }

    /// The queue of starts. None if starts are not limited, or the queue does not answer.
    pub(crate) async fn view_of_starts(&self, sandboxes: &[SandboxId]) -> Option<StartsView> {
        let starts = self.ports.starts.as_ref()?;
        match starts.view(sandboxes).await {
            Ok(view) => Some(view),
            Err(error) => {
                let fields = json!({ "code": error.code, "cause": error.cause });
                self.ports.log.write(LogLine::new(Level::Warn, "starts.unknown", fields));
                None
            }
        }
    }
}

impl WorkspacePage {
    fn sandboxes(&self) -> Vec<SandboxId> {
        self.workspaces.iter().map(|shown| shown.workspace.r#ref.sandbox_id().clone()).collect()
    }
}
