//! Compares files with a git checkpoint.

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::GitCheckpointName;
use crate::domain::limits::{CHECKPOINT_DIFF_MAX_BYTES, CHECKPOINT_NESTED_SHOWN};
use crate::ports::container::{Command, Needed};
use crate::ports::sandbox::{FileOptions, GitCheckpointDiff};
use crate::sandbox::checkpoints::Checkpoints;
use crate::sandbox::checkpoints::checkpoint_script;
use crate::sandbox::scripts::DIFF_CHECKPOINT;
use crate::sandbox::scripts::records::Records;

/// Maximum bytes before the diff: its counts, and the paths of nested repositories.
const HEADING_MAX_BYTES: usize = 128 * 1024;

impl Checkpoints<'_> {
    /// Compares a directory's files with a git checkpoint. Changes nothing, not even
    /// in the repository.
    ///
    /// # Errors
    /// `NOT_FOUND`; as [`Self::run_checkpoint`].
    pub(crate) async fn diff(
        &self,
        name: &GitCheckpointName,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<GitCheckpointDiff> {
        let nested = CHECKPOINT_NESTED_SHOWN.to_string();
        let bytes = (CHECKPOINT_DIFF_MAX_BYTES + 1).to_string();
        let command = Command {
            room: Needed::Stdout,
            output_max_bytes: HEADING_MAX_BYTES + CHECKPOINT_DIFF_MAX_BYTES + 1,
            ..checkpoint_script(DIFF_CHECKPOINT, path, options, &[name.as_str(), &nested, &bytes])
        };
        let output = self.run_checkpoint(&command, path, options).await?;
        parse(&output.stdout)
            .ok_or_else(|| Error::internal("diff_checkpoint.sh printed unexpected output"))
    }
}

fn parse(printed: &[u8]) -> Option<GitCheckpointDiff> {
    let mut records = Records(printed);
    let mut words = records.words()?;
    let commit = words.next()?.to_owned();
    let mut number = || words.next()?.parse().ok();
    let (files_changed, insertions, deletions) = (number()?, number()?, number()?);
    let nested = records.paths()?;
    let Records(text) = records;
    let kept = text.get(..CHECKPOINT_DIFF_MAX_BYTES);
    let diff = String::from_utf8_lossy(kept.unwrap_or(text)).into_owned();
    let truncated = text.len() > CHECKPOINT_DIFF_MAX_BYTES;
    Some(GitCheckpointDiff {
        commit,
        diff,
        truncated,
        files_changed,
        insertions,
        deletions,
        nested,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        let printed = |length: usize| [&b"abc 1 2 3\0\0"[..], &vec![b'x'; length]].concat();
        let whole = parse(&printed(CHECKPOINT_DIFF_MAX_BYTES)).unwrap();
        assert_eq!((whole.diff.len(), whole.truncated), (CHECKPOINT_DIFF_MAX_BYTES, false));
        assert_eq!((whole.files_changed, whole.insertions, whole.deletions), (1, 2, 3));
        let cut = parse(&printed(CHECKPOINT_DIFF_MAX_BYTES + 1)).unwrap();
        assert_eq!((cut.diff.len(), cut.truncated), (CHECKPOINT_DIFF_MAX_BYTES, true));
    }
}
