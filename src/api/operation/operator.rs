//! The operator's calls across sessions as data. Only this module runs and logs them.

use crate::api::operation::PageArgs;
use crate::domain::json::render;
use crate::domain::{ErrorCode, PoolId, Result};
use crate::operator::{Operator, PruneRequest, WorkspacesRequest};
use crate::ports::{Clock, Level, Log, LogLine};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A call and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", content = "args", rename_all = "camelCase")]
pub enum OperatorCall {
    /// List the sessions.
    ListSessions(PageArgs),
    /// List the workspaces of all sessions.
    ListWorkspaces(WorkspacesRequest),
    /// List the warm pools.
    ListPools,
    /// Destroy a warm pool.
    DestroyPool(PoolId),
    /// Show how much each session stores.
    Usage(PageArgs),
    /// Delete backups by a rule.
    Prune(PruneRequest),
    /// Put snapshots back into the catalogues of sessions that lost their storage.
    Rebuild(PageArgs),
    /// Read the log of calls across sessions.
    ListEvents(PageArgs),
    /// Read the metrics, as text.
    Metrics,
}

impl OperatorCall {
    const fn event(&self) -> &'static str {
        match self {
            Self::ListSessions(_) => "operator.listSessions",
            Self::ListWorkspaces(_) => "operator.listWorkspaces",
            Self::ListPools => "operator.listPools",
            Self::DestroyPool(_) => "operator.destroyPool",
            Self::Usage(_) => "operator.usage",
            Self::Prune(_) => "operator.prune",
            Self::Rebuild(_) => "operator.rebuild",
            Self::ListEvents(_) => "operator.listEvents",
            Self::Metrics => "operator.metrics",
        }
    }

    /// Runs the call and writes its one log line.
    ///
    /// # Errors
    /// The call's errors. An `INTERNAL` error carries the incident id of its log
    /// line.
    pub async fn run(
        &self,
        operator: &Result<Operator>,
        clock: &dyn Clock,
        log: &dyn Log,
        incident_id: impl FnOnce() -> String,
    ) -> Result<Value> {
        let started_ms = clock.now_ms();
        let answer = match operator {
            Ok(operator) => self.answer(operator).await,
            Err(error) => Err(error.clone()),
        };
        let mut line = LogLine::new(Level::Info, self.event(), json!({ "caller": "operator" }));
        line.fields.insert("durationMs".to_owned(), json!(clock.now_ms() - started_ms));
        let answer = match answer {
            Ok(value) => {
                line.fields.insert("outcome".to_owned(), json!("ok"));
                for field in ["deleted", "restored"] {
                    if let Some(listed) = value.get(field).and_then(Value::as_array) {
                        line.fields.insert(field.to_owned(), json!(listed.len()));
                    }
                }
                for field in ["freedBytes", "dryRun"] {
                    if let Some(field_value) = value.get(field) {
                        line.fields.insert(field.to_owned(), field_value.clone());
                    }
                }
                Ok(value)
            }
            Err(error) => {
                line.level = Level::Warn;
                line.fields.insert("outcome".to_owned(), json!(error.code));
                line.fields.insert("cause".to_owned(), json!(error.cause));
                if error.code == ErrorCode::Internal {
                    let id = incident_id();
                    line.level = Level::Error;
                    line.fields.insert("incidentId".to_owned(), json!(id));
                    Err(error.with_details(json!({ "incidentId": id })))
                } else {
                    Err(error)
                }
            }
        };
        log.write(line);
        answer
    }

    async fn answer(&self, operator: &Operator) -> Result<Value> {
        match self {
            Self::ListSessions(page) => {
                render(&operator.list_sessions(page.limit, page.cursor.as_deref()).await?)
            }
            Self::ListWorkspaces(request) => render(&operator.list_workspaces(request).await?),
            Self::ListPools => render(&operator.list_pools().await?),
            Self::DestroyPool(pool) => render(&operator.destroy_pool(pool).await?),
            Self::Usage(page) => render(&operator.usage(page.limit, page.cursor.as_deref()).await?),
            Self::Prune(request) => render(&operator.prune(request).await?),
            Self::Rebuild(page) => {
                render(&operator.rebuild(page.limit, page.cursor.as_deref()).await?)
            }
            Self::ListEvents(page) => {
                render(&operator.list_events(page.limit, page.cursor.as_deref()).await?)
            }
            Self::Metrics => render(&operator.metrics().await?),
        }
    }
}
