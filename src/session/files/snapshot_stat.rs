//! Look at what a path of a snapshot is.

use crate::domain::time::rfc3339;
use crate::domain::{Result, SnapshotSelector};
use crate::ports::sandbox::FileStat;
use crate::ports::sandbox::files::shown;
use crate::session::Session;
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::snapshot_path::{file_type, size_bytes};
use crate::session::files::{Seen, StatView, root_path};
use crate::squashfs::{Node, NodeKind};
use serde::{Deserialize, Serialize};

/// A path in a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotPath {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Path under the snapshot's root. Default: the root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
}

impl Session {
    /// Reads what a path of a snapshot is. Does not follow a symlink. Starts no
    /// container.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a path outside the snapshot; as a
    /// restore of the snapshot.
    pub async fn stat_snapshot_file(&self, request: SnapshotPath) -> Result<StatView> {
        Ok(SnapshotFiles::from(self).stat(request).await?.answer)
    }
}

impl SnapshotFiles<'_> {
    pub(crate) async fn stat(&self, request: SnapshotPath) -> Result<Seen<StatView>> {
        let SnapshotPath { r#ref, allow_cross_session, path } = request;
        let snapshot = self.open("statFile", &r#ref, allow_cross_session).await?;
        let found = snapshot.find_itself(&path).await?;
        let path = if found.path.is_empty() {
            snapshot.dir.to_string()
        } else {
            format!("{}/{}", snapshot.dir, found.shown())
        };
        let view = StatView { path, stat: stat_of(&found.node) };
        Ok(Seen::archived(snapshot.id.clone(), view))
    }
}

fn stat_of(node: &Node) -> FileStat {
    let (target, target_base64) = match &node.kind {
        NodeKind::Symlink { target } => {
            let (target, base64) = shown(target);
            (Some(target), base64)
        }
        _ => (None, None),
    };
    FileStat {
        r#type: file_type(node),
        size_bytes: size_bytes(node),
        modified_at: modified_at(node),
        mode: mode(node),
        uid: node.uid,
        gid: node.gid,
        target,
        target_base64,
    }
}

/// Time of the last change. An archive keeps whole seconds.
pub(crate) fn modified_at(node: &Node) -> String {
    rfc3339(i64::from(node.modified_at_secs) * 1_000)
}

/// Permission bits in octal.
pub(crate) fn mode(node: &Node) -> String {
    format!("{:o}", node.mode)
}
