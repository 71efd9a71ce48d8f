//! [`Hosts`] over the operator's requests to the sessions' objects.

use crate::api::access::ByCaller;
use crate::api::http::Forwarded;
use crate::api::operation::descriptor::Operation;
use crate::api::operation::inputs::NoArgs;
use crate::api::operations::sessions::ShowUsage;
use crate::api::operations::upkeep::Prune;
use crate::api::operations::upkeep::RebuildSome;
use crate::api::operations::workspaces::list::{ListWorkspaces, WorkspacesArgs};
use crate::domain::error::Result;
use crate::domain::ids::SessionId;
use crate::domain::session::scope::Caller;
use crate::domain::session::usage::SessionUsage;
use crate::domain::snapshot::prune::{OwnVerdict, PruneOwn};
use crate::domain::snapshot::rebuild::{RebuildOwn, Rebuilt};
use crate::domain::workspace::WorkspaceSummary;
use crate::platform::stubs::{OPERATION_PATH, agent_host, ask};
use crate::ports::hosts::{Hosts, SessionHost};
use crate::session::WorkspaceList;
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use std::rc::Rc;
use worker::{Env, Stub};

/// The namespace behind the binding `AGENT_HOST`.
pub struct BoundHosts {
    env: Env,
}

impl BoundHosts {
    /// The namespace of this environment.
    pub const fn new(env: Env) -> Self {
        Self { env }
    }
}

impl Hosts for BoundHosts {
    fn get(&self, session: &SessionId) -> Result<Rc<dyn SessionHost>> {
        Ok(Rc::new(RemoteHost { stub: agent_host(&self.env, session)? }))
    }
}

struct RemoteHost {
    stub: Stub,
}

impl RemoteHost {
    async fn run<T: DeserializeOwned>(&self, operation: Operation) -> Result<T> {
        let ask_for = Forwarded { route: None, known: None, invocation: operation.into() };
        ask(&self.stub, OPERATION_PATH, &ByCaller { caller: Caller::Operator, ask: ask_for }).await
    }
}

#[async_trait(?Send)]
impl SessionHost for RemoteHost {
    async fn workspaces(&self) -> Result<Vec<WorkspaceSummary>> {
        let args = WorkspacesArgs { containers: true };
        let list: WorkspaceList = self.run(Operation::of::<ListWorkspaces>(args)).await?;
        Ok(list.workspaces)
    }

    async fn usage(&self) -> Result<SessionUsage> {
        self.run(Operation::of::<ShowUsage>(NoArgs {})).await
    }

    async fn prune(&self, request: PruneOwn) -> Result<Vec<OwnVerdict>> {
        self.run(Operation::of::<Prune>(request)).await
    }

    async fn rebuild(&self, request: RebuildOwn) -> Result<Rebuilt> {
        self.run(Operation::of::<RebuildSome>(request)).await
    }
}
