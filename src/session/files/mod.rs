//! Files of a workspace, by default the active one. Every path is resolved against the workspace's
//! root here. The script in the container checks it again, following symbolic links.

pub(crate) mod archive;
pub(crate) mod copy;
pub(crate) mod find;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod look;
pub(crate) mod read;
pub(crate) mod snapshot;
pub(crate) mod snapshot_copy;
pub(crate) mod snapshot_grep;
pub(crate) mod snapshot_list;
pub(crate) mod snapshot_read;
pub(crate) mod snapshot_same;
pub(crate) mod watch;
pub(crate) mod write;

use crate::domain::{AbsolutePath, Cursor, Error, InstanceId, Result, WorkspaceRef};
use crate::ports::sandbox::{FileOptions, FoundPath, SandboxApi, SearchOptions};
pub use crate::session::files::archive::ArchiveRequest;
pub use crate::session::files::archive::{AbortedUpload, FinishUpload, StoredPart};
pub use crate::session::files::copy::CopyPaths;
pub use crate::session::files::find::{FindFilesRequest, FoundFileList};
pub use crate::session::files::grep::{FindLinesRequest, FoundLineList};
pub use crate::session::files::list::{ListFilesRequest, ListedEntry, ListedFiles};
pub use crate::session::files::look::Seen;
pub use crate::session::files::look::{StatRequest, StatView};
pub use crate::session::files::read::ReadFileRequest;
pub use crate::session::files::watch::WatchRequest;
pub use crate::session::files::write::{EditFileRequest, EditedFile};
pub use crate::session::files::write::{MadeDir, MakeDirRequest};
pub use crate::session::files::write::{RemoveRequest, Removed};
pub use crate::session::files::write::{WriteFileRequest, WrittenFile};
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::{Active, Context, LoadedSession, Placed, Watchers, Workspaces};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

pub(crate) struct Place {
    root: AbsolutePath,
    pub path: AbsolutePath,
    active: Active,
}

parts!(Files { context: Context, workspaces: Workspaces, watchers: Watchers });

impl Files<'_> {
    async fn place(
        &self,
        open: &LoadedSession,
        workspace: Option<&WorkspaceRef>,
        path: &str,
    ) -> Result<Place> {
        let path = resolve(open, "path", path)?;
        let root = open.config.workspace_dir.clone();
        Ok(Place { root, path, active: self.workspaces.chosen(open, workspace).await? })
    }

    pub(crate) async fn readable_place(
        &self,
        workspace: Option<&WorkspaceRef>,
        path: &str,
    ) -> Result<Place> {
        self.place(&self.context.require_open()?, workspace, path).await
    }

    pub(crate) async fn writable_place(
        &self,
        workspace: Option<&WorkspaceRef>,
        path: &str,
    ) -> Result<Place> {
        self.place(&self.context.require_open()?.writable()?, workspace, path).await
    }

    /// As [`Self::writable_place`], of what may be replaced or removed: not the workspace itself.
    async fn writable_place_below_root(
        &self,
        workspace: Option<&WorkspaceRef>,
        path: &str,
    ) -> Result<Place> {
        let open = self.context.require_open()?.writable()?;
        let root = &open.config.workspace_dir;
        if &resolve(&open, "path", path)? == root {
            return Err(Error::invalid("path", format!("{root} is the workspace itself")));
        }
        self.place(&open, workspace, path).await
    }
}

fn resolve(open: &LoadedSession, field: &str, path: &str) -> Result<AbsolutePath> {
    if open.config.modules.fs {
        open.config.workspace_dir.resolve(field, path)
    } else {
        Err(module_missing("fs"))
    }
}

impl Place {
    pub(crate) fn sandbox(&self) -> &dyn SandboxApi {
        self.active.sandbox.as_ref()
    }

    pub(crate) fn answers<T>(&self, answer: T) -> Placed<T> {
        self.active.answers(answer)
    }

    fn instance(&self) -> Option<InstanceId> {
        Some(self.active.instance.clone())
    }

    pub(crate) fn options(&self) -> FileOptions {
        FileOptions {
            within: Some(self.root.clone()),
            instance_id: self.instance(),
            ..FileOptions::default()
        }
    }

    fn search_options(&self) -> SearchOptions {
        SearchOptions {
            within: Some(self.root.clone()),
            instance_id: self.instance(),
            ..SearchOptions::default()
        }
    }

    /// Makes a path found below this one relative to the workspace's root.
    pub(crate) fn named_from_root(&self, found: FoundPath) -> FoundPath {
        let prefix = self.path.as_str().strip_prefix(self.root.as_str()).unwrap_or_default();
        let prefix = prefix.trim_start_matches('/');
        if prefix.is_empty() {
            return found;
        }
        if found.path.is_empty() {
            return FoundPath { path: prefix.to_owned(), path_base64: None };
        }
        let whole_bytes = |bytes: Vec<u8>| [prefix.as_bytes(), b"/", &bytes].concat();
        FoundPath {
            path: format!("{prefix}/{}", found.path),
            path_base64: found
                .path_base64
                .and_then(|coded| BASE64.decode(coded).ok())
                .map(|bytes| BASE64.encode(whole_bytes(bytes))),
        }
    }
}

fn skipped(cursor: Option<&str>) -> Result<u64> {
    match cursor.map(Cursor::decode).transpose()? {
        None => Ok(0),
        Some(Cursor::Offset { skipped }) => Ok(skipped),
        Some(_) => Err(Error::invalid("cursor", "belongs to another list")),
    }
}

fn next_cursor(truncated: bool, skipped: u64, answered: usize) -> Result<Option<String>> {
    let skipped = skipped.saturating_add(answered as u64);
    truncated.then(|| Cursor::Offset { skipped }.encode()).transpose()
}

pub(crate) fn root_path() -> String {
    ".".to_owned()
}
