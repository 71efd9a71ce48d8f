//! Options of `terminal`.

use crate::domain::exec::terminal::TerminalSize;
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{InstanceId, TerminalId};
use serde::{Deserialize, Serialize};

/// Options of `terminal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TerminalOptions {
    /// Where a new shell begins.
    pub cwd: AbsolutePath,
    /// The viewer's size.
    pub size: TerminalSize,
    /// The shell to come back to, if it still runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<TerminalId>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    pub instance_id: InstanceId,
}
