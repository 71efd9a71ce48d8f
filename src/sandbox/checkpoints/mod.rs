//! The checkpoint methods: commits of a directory's files in its git repository.
//!
//! `scripts/git/repository.sh` keeps git from running programs that the
//! repository names, and from writing outside the root.

pub(crate) mod diff;
pub(crate) mod list;
pub(crate) mod restore;
pub(crate) mod take;

use crate::domain::error::{Error, ErrorCode, Next, Outcome, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::GitCheckpointName;
use crate::domain::limits::CHECKPOINT_TIMEOUT_MS;
use crate::ports::container::{Command, Needed, Output};
use crate::ports::sandbox::FileOptions;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::file_scripts::{file_script, hint_on_failure, outcome_of};
use crate::sandbox::scripts::{DELETE_CHECKPOINT, OWN_DIR, complaint, status};
use std::rc::Rc;

parts!(Checkpoints { container: Rc<SandboxContainer> });

impl Checkpoints<'_> {
    /// Deletes a git checkpoint. Repeating it changes nothing. Returns how many bytes only the
    /// checkpoint had, if that is known.
    ///
    /// # Errors
    /// As [`Self::run_checkpoint`].
    pub(crate) async fn delete(
        &self,
        name: &GitCheckpointName,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<Option<u64>> {
        let command = checkpoint_script(DELETE_CHECKPOINT, path, options, &[name.as_str()]);
        let output = self.run_checkpoint(&command, path, options).await?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().parse().ok())
    }

    /// Runs a command of [`checkpoint_script`].
    ///
    /// # Errors
    /// `NOT_FOUND`; `CONFLICT`, also if another git holds a lock, or if git would read a pipe or a
    /// device; `UNSUPPORTED` if the image has no git, or the repository can't be used;
    /// `INVALID_ARGUMENT` if the path is no directory or lies outside the root; `RATE_LIMITED`
    /// while another call works there.
    async fn run_checkpoint(
        &self,
        command: &Command,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<Output> {
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let output = self.container.run_bounded(command).await?;
        let said = complaint(&output);
        Err(match output.exit_code {
            status::LOCKED => Error::new(ErrorCode::Conflict, said).with_hint(Next::RemoveLock),
            status::UNREADABLE => Error::new(ErrorCode::Conflict, format!("{path}: {said}"))
                .with_hint(Next::RemoveUnreadable),
            status::NO_CHECKPOINT => {
                Error::new(ErrorCode::NotFound, said).with_hint(Next::ListGitCheckpoints)
            }
            status::EXISTS => Error::new(ErrorCode::Conflict, said)
                .with_hint("choose another name, or replace it with replace: true"),
            status::NO_REPOSITORY => Error::new(ErrorCode::Unsupported, format!("{path}: {said}"))
                .with_hint(Next::NameRepository),
            status::CHANGED => Error::new(ErrorCode::Conflict, said)
                .with_hint("move or remove them, and restore again"),
            status::IN_PART => {
                let hint = hint_on_failure(&said);
                Error::new(ErrorCode::Unavailable, said)
                    .with_outcome(Outcome::Unknown)
                    .with_hint(hint)
            }
            status::TOOL_MISSING => {
                Error::new(ErrorCode::Unsupported, said).with_hint(Next::SnapshotInstead)
            }
            _ => return outcome_of(output, path, options.within.as_ref()),
        })
    }
}

/// The command of a script that begins with `scripts/git/repository.sh`. It prints
/// little.
fn checkpoint_script(
    source: &str,
    path: &AbsolutePath,
    options: &FileOptions,
    more: &[&str],
) -> Command {
    let store = format!("{OWN_DIR}/checkpoints");
    let arguments: Vec<&str> = [store.as_str()].iter().chain(more).copied().collect();
    Command {
        room: Needed::Nothing,
        kill_after_ms: Some(CHECKPOINT_TIMEOUT_MS),
        ..file_script(source, path, options.within.as_ref(), &arguments)
    }
}
