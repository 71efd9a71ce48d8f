//! Files of the active workspace, one verb a file.
//!
//! Every path is resolved against the workspace's root here, and once more in
//! the container, where symbolic links are followed, by the script that acts.

mod archive;
mod edit;
mod find;
mod grep;
mod list;
mod make_dir;
mod read;
mod remove;
mod stat;
mod upload;
mod watch;
mod write;

pub use archive::ArchiveRequest;
pub use edit::{EditFileRequest, EditedFile};
pub use find::{FindFilesRequest, FoundFileList};
pub use grep::{FindLinesRequest, FoundLineList};
pub use list::{ListFilesRequest, ListedEntry, ListedFiles};
pub use make_dir::{MadeDir, MakeDirRequest};
pub use read::ReadFileRequest;
pub use remove::{RemoveRequest, Removed};
pub use stat::{StatRequest, StatView};
pub use upload::{AbortedUpload, FinishUpload, StoredPart};
pub use watch::WatchRequest;
pub(super) use watch::Watchers;
pub use write::{WriteFileRequest, WrittenFile};

use super::active::Active;
use super::{Host, LoadedSession, module_missing};
use crate::domain::error::{Error, Result};
use crate::domain::ids::InstanceId;
use crate::domain::path::AbsolutePath;
use crate::ports::sandbox::{FileOptions, FoundPath, SandboxApi, SearchOptions};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

/// What a call names, in a workspace that is ready to be used.
struct Place {
    root: AbsolutePath,
    path: AbsolutePath,
    active: Active,
}

impl Host {
    /// Resolves a path and makes the active workspace ready.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the file module; `INVALID_ARGUMENT` for a path
    /// outside; `WORKSPACE_LOST`.
    async fn place(&self, open: &LoadedSession, named: &str) -> Result<Place> {
        let path = resolve(open, named)?;
        let root = open.config.workspace_dir.clone();
        Ok(Place { root, path, active: self.active(open).await? })
    }

    /// The same, for what would replace or remove the workspace itself.
    async fn place_below_root(&self, open: &LoadedSession, named: &str) -> Result<Place> {
        let root = &open.config.workspace_dir;
        if &resolve(open, named)? == root {
            return Err(Error::invalid("path", format!("{root} is the workspace itself")));
        }
        self.place(open, named).await
    }
}

fn resolve(open: &LoadedSession, named: &str) -> Result<AbsolutePath> {
    if open.config.modules.fs {
        open.config.workspace_dir.resolve("path", named)
    } else {
        Err(module_missing("fs"))
    }
}

impl Place {
    fn sandbox(&self) -> &dyn SandboxApi {
        self.active.sandbox.as_ref()
    }

    fn instance(&self) -> Option<InstanceId> {
        Some(self.active.instance.clone())
    }

    fn options(&self) -> FileOptions {
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

    /// A path found from here, as one from the workspace's root: what every
    /// file call takes.
    fn named_from_root(&self, found: FoundPath) -> FoundPath {
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

/// How many results to return.
fn limit(asked: Option<usize>, default: usize, most: usize) -> Result<Option<usize>> {
    match asked.unwrap_or(default) {
        limit if (1..=most).contains(&limit) => Ok(Some(limit)),
        _ => Err(Error::invalid("limit", format!("must be 1 to {most}"))),
    }
}

/// Where the next results begin, if there are more.
fn next_offset(truncated: bool, offset: u64, answered: usize) -> Option<u64> {
    truncated.then(|| offset.saturating_add(answered as u64))
}

/// The root, for calls that search all of it unless told otherwise.
fn root_path() -> String {
    ".".to_owned()
}
