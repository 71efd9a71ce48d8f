//! Background processes of a workspace. They end with its container; services begin anew with the next.

pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod start;
pub(crate) mod stop;

use crate::domain::{Error, ErrorCode, ProcessName, Result, WorkspaceRef};
use crate::ports::sandbox::ProcessOptions;
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::{Active, Context, LoadedSession, Recorder, Workspaces};

parts!(Processes { context: Context, workspaces: Workspaces, recorder: Recorder });

impl Processes<'_> {
    /// Finds a workspace that runs already. A stopped container has no processes, so it need not
    /// start.
    async fn running(
        &self,
        open: &LoadedSession,
        workspace: Option<&WorkspaceRef>,
    ) -> Result<Option<Active>> {
        if open.config.modules.shell.is_none() {
            return Err(module_missing("shell"));
        }
        self.workspaces.running(open, workspace).await
    }
}

fn on(active: &Active) -> ProcessOptions {
    ProcessOptions { instance_id: Some(active.instance.clone()), ..ProcessOptions::default() }
}

fn not_running(name: &ProcessName) -> Error {
    Error::new(ErrorCode::NotFound, format!("there is no process {name}: no container runs"))
        .with_hint("start it again; processes end with the container, which stops when the workspace is idle")
}
