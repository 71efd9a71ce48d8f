//! The file methods: each a script that finds out where a path leads, and acts
//! on it, in one go.

use super::SandboxService;
use super::scripts::{DELETE, EXISTS, MKDIR, READ, WRITE, complaint, script, status};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::FILE_MAX_BYTES;
use crate::domain::path::{AbsolutePath, outside_workspace};
use crate::ports::container::{Command, Output};
use crate::ports::sandbox::{Encoding, FileOptions, ReadFileResult};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

impl SandboxService {
    /// Reads a regular file.
    ///
    /// # Errors
    /// `NOT_FOUND`; `TOO_LARGE` past 8 MiB; `INVALID_ARGUMENT` for what is not
    /// a regular file, and for text that is asked of bytes that are none.
    pub(super) async fn read(
        &self,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<ReadFileResult> {
        let mut command = file_script(READ, path, options, &[&FILE_MAX_BYTES.to_string()]);
        let max_bytes = usize::try_from(FILE_MAX_BYTES).unwrap_or(usize::MAX);
        command.output_max_bytes = max_bytes;
        let output = self.run_file_script(&command, path, options).await?;
        if output.stdout_truncated {
            return Err(too_large(path));
        }
        let size = output.stdout.len() as u64;
        let (content, encoding) = match (options.encoding, String::from_utf8(output.stdout)) {
            (Some(Encoding::Base64), Ok(text)) => (BASE64.encode(text), Encoding::Base64),
            (None | Some(Encoding::Utf8), Ok(text)) => (text, Encoding::Utf8),
            (Some(Encoding::Utf8), Err(_)) => {
                return Err(Error::invalid(
                    "encoding",
                    format!("{path} is not UTF-8; read it as base64"),
                ));
            }
            (None | Some(Encoding::Base64), Err(bytes)) => {
                (BASE64.encode(bytes.as_bytes()), Encoding::Base64)
            }
        };
        Ok(ReadFileResult { content, encoding, size })
    }

    /// Writes a file, all at once: a reader sees the old content or the new.
    /// With `recursive`, makes its directory.
    ///
    /// # Errors
    /// `NOT_FOUND` where its directory does not exist; `TOO_LARGE` past 8 MiB.
    pub(super) async fn write(
        &self,
        path: &AbsolutePath,
        content: String,
        options: &FileOptions,
    ) -> Result<()> {
        let bytes = match options.encoding.unwrap_or_default() {
            Encoding::Utf8 => content.into_bytes(),
            Encoding::Base64 => BASE64
                .decode(content)
                .map_err(|error| Error::invalid("content", format!("is not base64: {error}")))?,
        };
        if bytes.len() as u64 > FILE_MAX_BYTES {
            return Err(too_large(path));
        }
        let size = bytes.len().to_string();
        let more = [size.as_str(), yes_or_no(options.recursive)];
        let mut command = file_script(WRITE, path, options, &more);
        command.stdin = Some(bytes);
        self.run_file_script(&command, path, options).await.map(drop)
    }

    /// Makes a directory; with `recursive`, its parents too.
    ///
    /// # Errors
    /// `CONFLICT` where something is there already; `NOT_FOUND` without its parent.
    pub(super) async fn make_dir(&self, path: &AbsolutePath, options: &FileOptions) -> Result<()> {
        let command = file_script(MKDIR, path, options, &[yes_or_no(options.recursive)]);
        self.run_file_script(&command, path, options).await.map(drop)
    }

    /// Deletes a file, or a symbolic link itself.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a directory.
    pub(super) async fn delete(&self, path: &AbsolutePath, options: &FileOptions) -> Result<()> {
        let command = file_script(DELETE, path, options, &[]);
        self.run_file_script(&command, path, options).await.map(drop)
    }

    /// Whether a path leads to something.
    pub(super) async fn has(&self, path: &AbsolutePath, options: &FileOptions) -> Result<bool> {
        let command = file_script(EXISTS, path, options, &[]);
        let output = self.run_file_script(&command, path, options).await?;
        Ok(output.stdout.starts_with(b"yes"))
    }

    /// Runs a script about a file on the disk that the caller expects.
    pub(super) async fn run_file_script(
        &self,
        command: &Command,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<Output> {
        self.machine.require_disk(options.instance_id.as_ref()).await?;
        let output = self.machine.run(command).await?;
        let said = format!("{path}: {}", complaint(&output));
        Err(match output.exit_code {
            0 => return Ok(output),
            status::NOT_FOUND => Error::new(ErrorCode::NotFound, said),
            status::OUTSIDE => outside_workspace(
                path.as_str(),
                options.within.as_ref().map_or("/", AbsolutePath::as_str),
            ),
            status::WRONG_TYPE => Error::invalid("path", said),
            status::TOO_LARGE => too_large(path),
            status::EXISTS => Error::new(ErrorCode::Conflict, said),
            status::INCOMPLETE => Error::new(ErrorCode::Unavailable, said),
            // The disk is full, or read-only, or the like.
            _ => Error::new(ErrorCode::Unavailable, said),
        })
    }
}

/// A script that is preceded by `scripts/paths.sh`.
pub(super) fn file_script(
    source: &str,
    path: &AbsolutePath,
    options: &FileOptions,
    more: &[&str],
) -> Command {
    let within = options.within.as_ref().map_or("", AbsolutePath::as_str);
    let mut arguments = vec![path.as_str(), within];
    arguments.extend_from_slice(more);
    script(source, &arguments)
}

pub(super) const fn yes_or_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

fn too_large(path: &AbsolutePath) -> Error {
    Error::new(ErrorCode::TooLarge, format!("{path}: is larger than {FILE_MAX_BYTES} bytes"))
        .with_hint("use workspace_run to read or write it in parts")
}
