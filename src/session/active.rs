//! A workspace that is up.

use crate::domain::ids::InstanceId;
use crate::domain::workspace::Workspace;
use crate::ports::sandbox::SandboxApi;
use crate::session::locks::SharedGuard;
use std::rc::Rc;

/// A workspace and the disk that has its files. Counts as in use until dropped.
pub(crate) struct Active {
    pub sandbox: Rc<dyn SandboxApi>,
    pub workspace: Workspace,
    pub instance: InstanceId,
    _shared: Option<SharedGuard>,
}

impl Active {
    /// One that its call shares until it is dropped.
    pub(crate) fn new(
        sandbox: Rc<dyn SandboxApi>,
        workspace: Workspace,
        instance: InstanceId,
        shared: SharedGuard,
    ) -> Self {
        Self { sandbox, workspace, instance, _shared: Some(shared) }
    }

    /// Without a lock: does not count as use, and keeps no container running.
    pub(crate) fn without_lock(
        sandbox: Rc<dyn SandboxApi>,
        workspace: Workspace,
        instance: InstanceId,
    ) -> Self {
        Self { sandbox, workspace, instance, _shared: None }
    }
}
