//! Code contexts of a workspace: interpreters that keep their variables between calls. They end
//! with its container, so only `create` wakes it.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod run;

use crate::domain::{CodeCapability, Error, ErrorCode, Next, Result, WorkspaceRef};
use crate::ports::sandbox::CodeContextOptions;
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::{Active, Context, LoadedSession, RateLimits, Recorder, Workspaces};

parts!(CodeContexts {
    context: Context,
    workspaces: Workspaces,
    rate_limits: RateLimits,
    recorder: Recorder,
});

impl CodeContexts<'_> {
    /// Finds a workspace that runs already. A stopped container has no contexts, so it need not
    /// start.
    async fn running(
        &self,
        open: &LoadedSession,
        workspace: Option<&WorkspaceRef>,
    ) -> Result<Option<Active>> {
        declared(open)?;
        self.workspaces.running(open, workspace).await
    }
}

/// The code module of a session with contexts.
fn declared(open: &LoadedSession) -> Result<&CodeCapability> {
    let Some(code) = &open.config.modules.code else { return Err(module_missing("code")) };
    if code.stateful {
        return Ok(code);
    }
    Err(Error::new(ErrorCode::Unsupported, "this session has no code contexts")
        .with_hint(Next::RunCodeOnce))
}

fn on(active: &Active) -> CodeContextOptions {
    CodeContextOptions { instance_id: Some(active.instance.clone()) }
}
