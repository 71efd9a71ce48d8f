//! Write, edit and remove files, and make directories.

use crate::domain::files::edit::replace;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::text::utf8::hex;
use crate::domain::{Result, WorkspaceRef};
use crate::ports::sandbox::{Encoding, FileOptions};
use crate::session::Session;
use crate::session::files::Files;
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A file to write.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteFileRequest {
    /// Path under the workspace, e.g. src/main.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// The whole content.
    pub content: String,
    /// Encoding of content; base64 for bytes.
    #[serde(default)]
    pub encoding: Encoding,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// The answer to a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct WrittenFile {
    /// Absolute path.
    pub path: String,
}

impl Session {
    /// Writes a file of a workspace, making its parent directories.
    ///
    /// # Errors
    /// `TOO_LARGE`; `INVALID_ARGUMENT` for a path outside the workspace.
    pub async fn write_file(&self, request: WriteFileRequest) -> Result<Placed<WrittenFile>> {
        let files = Files::from(self);
        let place =
            files.writable_place_below_root(request.workspace.as_ref(), &request.path).await?;
        let options =
            FileOptions { encoding: Some(request.encoding), recursive: true, ..place.options() };
        place.sandbox().write_file(place.path.clone(), request.content, options).await?;
        Ok(place.answers(WrittenFile { path: place.path.to_string() }))
    }
}

/// An edit of a text file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditFileRequest {
    /// Path under the workspace, e.g. src/main.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Exact text in the file.
    #[cfg_attr(schemas, schemars(length(min = 1)))]
    pub old_text: String,
    /// Replacement text; empty to delete.
    pub new_text: String,
    /// Replace every occurrence of oldText.
    #[serde(default)]
    pub replace_all: bool,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// The answer to an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EditedFile {
    /// Absolute path.
    pub path: String,
    /// Number of replacements.
    pub replacements: usize,
    /// Line of the first replacement, from 1.
    pub first_line: usize,
}

impl Session {
    /// Changes the text here, and writes it back only if the file is still what was read: an edit
    /// never undoes another call's write.
    ///
    /// # Errors
    /// `CONFLICT` for a missing or repeated text, or a changed file; `NOT_FOUND`; `TOO_LARGE`.
    pub async fn edit_file(&self, request: EditFileRequest) -> Result<Placed<EditedFile>> {
        let files = Files::from(self);
        let place = files.writable_place(request.workspace.as_ref(), &request.path).await?;
        let text = FileOptions { encoding: Some(Encoding::Utf8), ..place.options() };
        let before = place.sandbox().read_file(place.path.clone(), text.clone()).await?.content;
        let edited = replace(&before, &request.old_text, &request.new_text, request.replace_all)?;
        let if_sha256 = Some(hex(&Sha256::digest(before.as_bytes())));
        drop(before);
        let options = FileOptions { if_sha256, ..text };
        place.sandbox().write_file(place.path.clone(), edited.text, options).await?;
        Ok(place.answers(EditedFile {
            path: place.path.to_string(),
            replacements: edited.replacements,
            first_line: edited.first_line,
        }))
    }
}

/// A directory to make.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MakeDirRequest {
    /// Directory under the workspace, e.g. src/new.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// The directory that exists now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct MadeDir {
    /// Absolute path.
    pub path: String,
}

impl Session {
    /// Makes a directory and its parents. Succeeds if it exists.
    ///
    /// # Errors
    /// `CONFLICT` if something else has that path; `INVALID_ARGUMENT`.
    pub async fn make_dir(&self, request: MakeDirRequest) -> Result<Placed<MadeDir>> {
        let files = Files::from(self);
        let place = files.writable_place(request.workspace.as_ref(), &request.path).await?;
        let options = FileOptions { recursive: true, ..place.options() };
        place.sandbox().mkdir(place.path.clone(), options).await?;
        Ok(place.answers(MadeDir { path: place.path.to_string() }))
    }
}

/// What to remove.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RemoveRequest {
    /// Path under the workspace, e.g. src/old.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Also a directory, with all its content.
    #[serde(default)]
    pub recursive: bool,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Removed {
    /// Absolute path that was removed.
    pub path: String,
}

impl Session {
    /// Removes a file, or a symbolic link itself; with `recursive` also a directory.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a directory without `recursive`, or the root.
    pub async fn remove(&self, request: RemoveRequest) -> Result<Placed<Removed>> {
        let files = Files::from(self);
        let place =
            files.writable_place_below_root(request.workspace.as_ref(), &request.path).await?;
        let options = FileOptions { recursive: request.recursive, ..place.options() };
        place.sandbox().delete_file(place.path.clone(), options).await?;
        Ok(place.answers(Removed { path: place.path.to_string() }))
    }
}
