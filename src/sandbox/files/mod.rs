//! The file methods. Each runs one script that resolves a path and acts on it.

pub(crate) mod glob;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod stat;
pub(crate) mod tar;

use crate::domain::error::{Error, ErrorCode, Hint, Next, Result};
use crate::domain::files::path::{AbsolutePath, leads_outside};
use crate::domain::ids::InstanceId;
use crate::domain::limits::FILE_MAX_BYTES;
use crate::ports::container::{Command, Needed, Output};
use crate::ports::sandbox::{Encoding, FileOptions};
use crate::sandbox::SandboxService;
use crate::sandbox::scripts::{DELETE, EXISTS, MKDIR, WRITE, complaint, script, status};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

impl SandboxService {
    /// Writes a file atomically: a reader sees the old content or the new. With
    /// `recursive`, makes its directory.
    ///
    /// # Errors
    /// `NOT_FOUND` if its directory does not exist; `TOO_LARGE` past 2 MiB;
    /// `CONFLICT` if its content is not the expected one.
    pub(crate) async fn write(
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
        let mut more = vec![size.as_str(), yes_or_no(options.recursive)];
        more.extend(options.if_sha256.as_deref());
        let mut command = file_script(WRITE, path, options.within.as_ref(), &more);
        command.stdin = Some(bytes);
        self.run_on_file(&command, path, options).await.map(drop)
    }

    /// Makes a directory. With `recursive`, makes its parents too, and the
    /// directory may exist.
    ///
    /// # Errors
    /// `CONFLICT` if the path exists; `NOT_FOUND` if its parent does not.
    pub(crate) async fn make_dir(&self, path: &AbsolutePath, options: &FileOptions) -> Result<()> {
        let how = if options.clear { "clear" } else { yes_or_no(options.recursive) };
        let command = file_script(MKDIR, path, options.within.as_ref(), &[how]);
        self.run_on_file(&command, path, options).await.map(drop)
    }

    /// Deletes a file, or a symbolic link itself. With `recursive`, deletes a
    /// directory and its content too.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a directory without `recursive`.
    pub(crate) async fn delete(&self, path: &AbsolutePath, options: &FileOptions) -> Result<()> {
        let recursive: &[&str] = if options.recursive { &["yes"] } else { &[] };
        let command = file_script(DELETE, path, options.within.as_ref(), recursive);
        self.run_on_file(&command, path, options).await.map(drop)
    }

    /// Whether a path exists. Follows symbolic links.
    pub(crate) async fn has(&self, path: &AbsolutePath, options: &FileOptions) -> Result<bool> {
        let command = file_script(EXISTS, path, options.within.as_ref(), &[]);
        let output = self.run_on_file(&command, path, options).await?;
        Ok(output.stdout.starts_with(b"yes"))
    }

    /// Runs a file script on the disk that the caller expects.
    pub(crate) async fn run_on_file(
        &self,
        command: &Command,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<Output> {
        let (within, instance) = (options.within.as_ref(), options.instance_id.as_ref());
        self.run_file_script(command, path, within, instance).await
    }

    /// Runs a command of [`file_script`].
    pub(crate) async fn run_file_script(
        &self,
        command: &Command,
        path: &AbsolutePath,
        within: Option<&AbsolutePath>,
        instance: Option<&InstanceId>,
    ) -> Result<Output> {
        self.machine.require_disk(instance).await?;
        outcome_of(self.machine.run_bounded(command).await?, path, within)
    }
}

/// Turns the exit status of a [`file_script`] command into a result.
pub(crate) fn outcome_of(
    output: Output,
    path: &AbsolutePath,
    within: Option<&AbsolutePath>,
) -> Result<Output> {
    if output.killed {
        return Err(Error::new(ErrorCode::Unavailable, format!("{path}: took too long"))
            .with_hint("try again with less at once, for example a directory further down"));
    }
    let said = format!("{path}: {}", complaint(&output));
    Err(match output.exit_code {
            0 => return Ok(output),
            status::NOT_FOUND => Error::new(ErrorCode::NotFound, said)
                .with_hint(Next::LookForFile),
            status::MADE_AGAIN => made_again(complaint(&output)),
            status::OUTSIDE => {
                leads_outside(path.as_str(), within.map_or("/", AbsolutePath::as_str))
            }
            status::WRONG_TYPE => Error::invalid("path", said)
                .with_hint(Next::CheckType),
            status::TOO_LARGE if complaint(&output).starts_with("the archive") => {
                Error::new(ErrorCode::TooLarge, complaint(&output))
                    .with_hint("send it as several archives, each to its directory; directories are merged")
            }
            status::TOO_LARGE => too_large(path),
            status::REFUSED => Error::invalid("archive", complaint(&output))
                .with_hint("nothing was changed; send an uncompressed tar archive of files, directories and links that stay inside it"),
            status::PARTS_MISSING => Error::new(ErrorCode::Conflict, complaint(&output))
                .with_hint("send them, then finish again; parts are lost when the container ends, or an hour after the last one"),
            status::CHECKSUM => Error::invalid("sha256", complaint(&output))
                .with_hint("send the parts again, or abort the upload"),
            status::EXISTS => Error::new(ErrorCode::Conflict, said)
                .with_hint(Next::RenameOrRemove),
            status::CHANGED => Error::new(ErrorCode::Conflict, said)
                .with_hint("read the file again, and redo the change on its current content"),
            status::DATABASE_OPEN => Error::new(ErrorCode::Conflict, complaint(&output))
                .with_hint(Next::StopWriter),
            status::BAD_PATTERN => Error::invalid("pattern", complaint(&output))
                .with_hint("correct the regular expression, or search for literal text with fixed: true"),
            status::TOOL_MISSING => Error::new(ErrorCode::Unsupported, complaint(&output))
                .with_hint(Next::SearchByCommand),
            status::UNREADABLE => Error::new(ErrorCode::Conflict, said)
                .with_hint("remove or replace it and call again; a search with includeIgnored: true does not read it"),
            status::BUSY => Error::new(ErrorCode::RateLimited, said)
                .with_hint("wait until one of them has ended, and call again"),
            status::INCOMPLETE => Error::new(ErrorCode::Unavailable, said)
                .with_hint("call again: only a part of it arrived"),
            _ => {
                let hint = hint_on_failure(&said);
                Error::new(ErrorCode::Unavailable, said).with_hint(hint)
            }
        })
}

/// The hint for a failure without an exit status of its own.
pub(crate) fn hint_on_failure(said: &str) -> Hint {
    if said.contains("No space left on device") || said.contains("Disk quota exceeded") {
        "the disk is full: remove files that you don't need (df, du), then call again".into()
    } else if said.contains("Read-only file system") {
        "the files are on a file system that can't be changed: name a path elsewhere".into()
    } else {
        Next::LookAtFiles.into()
    }
}

/// The command of a script that begins with `scripts/files/paths.sh`.
pub(crate) fn file_script(
    source: &str,
    path: &AbsolutePath,
    within: Option<&AbsolutePath>,
    more: &[&str],
) -> Command {
    let mut arguments = vec![path.as_str(), within.map_or("", AbsolutePath::as_str)];
    arguments.extend_from_slice(more);
    Command { room: Needed::Stdout, ..script(source, &arguments) }
}

/// The error if the workspace's directory was gone and was made again.
fn made_again(said: String) -> Error {
    let mut error = Error::new(ErrorCode::Conflict, said).with_hint(Next::BringFilesBack);
    error.retryable = true;
    error
}

pub(crate) const fn yes_or_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

pub(crate) fn too_large(path: &AbsolutePath) -> Error {
    Error::new(ErrorCode::TooLarge, format!("{path}: is larger than {FILE_MAX_BYTES} bytes"))
        .with_hint(Next::ReadInParts)
}
