//! Runs the scripts that act on files. Each resolves a path, and must not leave a root.

use crate::domain::error::{Error, ErrorCode, Hint, Next, Outcome, Result};
use crate::domain::files::path::{AbsolutePath, leads_outside};
use crate::domain::ids::InstanceId;
use crate::domain::limits::FILE_MAX_BYTES;
use crate::ports::container::{Command, Needed, Output};
use crate::ports::sandbox::FileOptions;
use crate::ports::stream::Bytes;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::container::run::KILLED_EXIT_CODE;
use crate::sandbox::scripts::{complaint, script, status};
use std::rc::Rc;

pub(crate) struct FileScripts {
    container: Rc<SandboxContainer>,
}

impl FileScripts {
    pub(crate) const fn new(container: Rc<SandboxContainer>) -> Self {
        Self { container }
    }

    /// Runs a command on the disk that the caller expects.
    pub(crate) async fn run(
        &self,
        command: &Command,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<Output> {
        let (within, instance) = (options.within.as_ref(), options.instance_id.as_ref());
        self.run_on(command, path, within, instance).await
    }

    pub(crate) async fn run_on(
        &self,
        command: &Command,
        path: &AbsolutePath,
        within: Option<&AbsolutePath>,
        instance: Option<&InstanceId>,
    ) -> Result<Output> {
        self.container.require_disk(instance).await?;
        outcome_of(self.container.run_bounded(command).await?, path, within)
    }

    /// Runs a command with a stream as its stdin. At its time limit, the script ends with all that
    /// it started: a program may have put a pipe in the place of a file.
    pub(crate) async fn feed(
        &self,
        command: &Command,
        stream: Bytes,
        path: &AbsolutePath,
        within: Option<&AbsolutePath>,
    ) -> Result<Output> {
        outcome_of(self.container.write_to_bounded(command, stream).await?, path, within)
    }

    /// As [`Self::run`], for a command that changes files, perhaps from a stream. If it was killed,
    /// it may have changed some.
    pub(crate) async fn change(
        &self,
        command: &Command,
        input: Option<Bytes>,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<Output> {
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let output = match input {
            Some(stream) => self.container.write_to_bounded(command, stream).await?,
            None => self.container.run_bounded(command).await?,
        };
        let was_killed = output.killed || output.exit_code == KILLED_EXIT_CODE;
        let outcome = outcome_of(output, path, options.within.as_ref());
        if was_killed {
            return outcome.map_err(|error| error.with_outcome(Outcome::Unknown));
        }
        outcome
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
            status::IN_PART => Error::new(ErrorCode::Unavailable, said)
                .with_outcome(Outcome::Unknown)
                .with_hint("look at what is there, and call again: the call went on as far as it could"),
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
