//! Restores a git checkpoint.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::GitCheckpointName;
use crate::domain::limits::{CHECKPOINT_CHANGES_SHOWN, CHECKPOINT_NESTED_SHOWN};
use crate::ports::container::Command;
use crate::ports::sandbox::checkpoints::PathChange;
use crate::ports::sandbox::{ChangedPath, FileOptions, FoundPath, RestoredGitCheckpoint};
use crate::sandbox::checkpoints::Checkpoints;
use crate::sandbox::checkpoints::checkpoint_script;
use crate::sandbox::scripts::RESTORE_CHECKPOINT;
use crate::sandbox::scripts::records::Records;

/// Maximum bytes of paths to keep: enough for the longest ones.
const PATHS_MAX_BYTES: usize = 1024 * 1024;

impl Checkpoints<'_> {
    /// Restores the files of a git checkpoint. Ignored files and nested
    /// repositories stay, and so do HEAD, branches, index and stash.
    ///
    /// # Errors
    /// `NOT_FOUND`; `CONFLICT` if an ignored file is in the way; as
    /// [`Self::run_checkpoint`]. On `UNAVAILABLE` a part may be restored.
    pub(crate) async fn restore(
        &self,
        name: &GitCheckpointName,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<RestoredGitCheckpoint> {
        let [nested, changes] =
            [CHECKPOINT_NESTED_SHOWN, CHECKPOINT_CHANGES_SHOWN].map(|max| max.to_string());
        let command = Command {
            output_max_bytes: PATHS_MAX_BYTES,
            ..checkpoint_script(
                RESTORE_CHECKPOINT,
                path,
                options,
                &[name.as_str(), &nested, &changes],
            )
        };
        let output = self.run_checkpoint(&command, path, options).await.map_err(|error| {
            if error.code == ErrorCode::Unavailable {
                error.with_outcome(Outcome::Unknown)
            } else {
                error
            }
        })?;
        parse(&output.stdout)
            .ok_or_else(|| Error::internal("restore_checkpoint.sh printed unexpected output"))
    }
}

fn parse(printed: &[u8]) -> Option<RestoredGitCheckpoint> {
    let mut records = Records(printed);
    let mut words = records.words()?;
    let commit = words.next()?.to_owned();
    let changed_count = words.next()?.parse().ok()?;
    let nested = records.paths()?;
    let mut changes = Vec::new();
    while let (Some(status), Some(path)) = (records.next(), records.next()) {
        let change = match status {
            b"A" => PathChange::Added,
            b"D" => PathChange::Deleted,
            _ => PathChange::Modified,
        };
        changes.push(ChangedPath { path: FoundPath::of(path), change });
    }
    Some(RestoredGitCheckpoint { commit, changes, changed_count, nested })
}
