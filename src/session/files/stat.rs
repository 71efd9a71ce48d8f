//! Look at a file, a directory or a symbolic link.

use crate::domain::{Result, TreeSelector, WorkspaceRef};
use crate::ports::sandbox::FileStat;
use crate::session::Session;
use crate::session::files::Files;
use crate::session::files::look::{Seen, Sight};
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::snapshot_stat::SnapshotPath;
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// What to look at.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatRequest {
    /// Path under the workspace, e.g. src/main.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Where to look: a snapshot or a workspace, as a name or id, turn:3, latest, head or
    /// workspace:ID. Default: the active workspace.
    pub at: Option<TreeSelector>,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct StatView {
    /// Absolute path.
    pub path: String,
    /// Its facts.
    #[serde(flatten)]
    pub stat: FileStat,
}

impl Session {
    /// Reads what a path of a workspace or of a snapshot is. Does not follow a symbolic link.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a path outside the workspace; as a restore of the
    /// snapshot.
    pub async fn stat(&self, request: StatRequest) -> Result<Seen<StatView>> {
        let files = Files::from(self);
        let StatRequest { path, at, allow_cross_session } = request;
        match files.context.sight(at.as_ref())? {
            Sight::Workspace(named) => files.stat(named.as_ref(), &path).await.map(Seen::from),
            Sight::Snapshot(r#ref) => {
                let request = SnapshotPath { r#ref, allow_cross_session, path };
                SnapshotFiles::from(self).stat(request).await
            }
        }
    }
}

impl Files<'_> {
    async fn stat(&self, workspace: Option<&WorkspaceRef>, path: &str) -> Result<Placed<StatView>> {
        let place = self.readable_place(workspace, path).await?;
        let stat = place.sandbox().stat(place.path.clone(), place.options()).await?;
        Ok(place.answers(StatView { path: place.path.to_string(), stat }))
    }
}
