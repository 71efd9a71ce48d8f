//! The checkpoint methods: commits of a directory's files in its git repository.
//! `scripts/git/repository.sh` keeps git from running programs that the repository names, and from
//! writing outside the root.

use crate::domain::error::{Error, ErrorCode, Next, Outcome, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::GitCheckpointName;
use crate::domain::limits::{
    CHECKPOINT_CHANGES_SHOWN, CHECKPOINT_DIFF_MAX_BYTES, CHECKPOINT_NESTED_SHOWN,
    CHECKPOINT_TIMEOUT_MS, CHECKPOINTS_SHOWN, SNAPSHOT_DESCRIPTION_MAX_CHARS,
};
use crate::domain::time::rfc3339;
use crate::ports::container::{Command, Needed, Output};
use crate::ports::sandbox::checkpoints::PathChange;
use crate::ports::sandbox::{
    ChangedPath, FileOptions, FoundPath, GitCheckpointDiff, GitCheckpointList, ListedGitCheckpoint,
    NewGitCheckpoint, RestoredGitCheckpoint, TakenGitCheckpoint,
};
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::file_scripts::{file_script, hint_on_failure, outcome_of, yes_or_no};
use crate::sandbox::scripts::records::Records;
use crate::sandbox::scripts::{
    DELETE_CHECKPOINT, DIFF_CHECKPOINT, LIST_CHECKPOINTS, OWN_DIR, RESTORE_CHECKPOINT,
    TAKE_CHECKPOINT, complaint, status,
};
use std::rc::Rc;

/// Maximum bytes of checkpoints to keep: room for the descriptions that `takeGitCheckpoint`
/// accepts.
const LIST_MAX_BYTES: usize = 1024 * 1024;
/// Maximum bytes of paths to keep: room for the longest ones.
const PATHS_MAX_BYTES: usize = 1024 * 1024;
/// Maximum bytes before the diff: its counts, and the paths of nested repositories.
const HEADING_MAX_BYTES: usize = 128 * 1024;

parts!(Checkpoints { container: Rc<SandboxContainer> });

impl Checkpoints<'_> {
    /// Commits a directory's files to a ref of its repository, and makes a repository if needed.
    /// HEAD, branches, index and stash stay.
    pub(crate) async fn take(
        &self,
        checkpoint: NewGitCheckpoint,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<TakenGitCheckpoint> {
        let NewGitCheckpoint { name, description, replace } = checkpoint;
        let nested = CHECKPOINT_NESTED_SHOWN.to_string();
        let arguments = [name.as_str(), yes_or_no(replace), &nested, &description];
        let command = checkpoint_script(TAKE_CHECKPOINT, path, options, &arguments);
        let output = self.run_checkpoint(&command, path, options).await?;
        read_taken(name, &output.stdout)
            .ok_or_else(|| Error::internal("take_checkpoint.sh printed unexpected output"))
    }

    /// Lists the git checkpoints of a directory, newest first.
    pub(crate) async fn list(
        &self,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<GitCheckpointList> {
        let max = (CHECKPOINTS_SHOWN + 1).to_string();
        let command = Command {
            room: Needed::Stdout,
            output_max_bytes: LIST_MAX_BYTES,
            ..checkpoint_script(LIST_CHECKPOINTS, path, options, &[&max])
        };
        let output = self.run_checkpoint(&command, path, options).await?;
        let mut records = Records(&output.stdout);
        let (mut checkpoints, mut count) = (Vec::new(), 0);
        while let (Some(heading), Some(description)) = (records.next(), records.next()) {
            checkpoints.extend(read_listed(heading, description));
            count += 1;
        }
        let truncated = output.stdout_truncated || count > CHECKPOINTS_SHOWN;
        checkpoints.truncate(CHECKPOINTS_SHOWN);
        Ok(GitCheckpointList { git_checkpoints: checkpoints, truncated })
    }

    /// Restores the files of a git checkpoint. Ignored files, nested repositories, HEAD, branches,
    /// index and stash stay. On `UNAVAILABLE` a part may be restored.
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
        read_restored(&output.stdout)
            .ok_or_else(|| Error::internal("restore_checkpoint.sh printed unexpected output"))
    }

    /// Compares a directory's files with a git checkpoint. Changes nothing, not even in the
    /// repository.
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
        read_diff(&output.stdout)
            .ok_or_else(|| Error::internal("diff_checkpoint.sh printed unexpected output"))
    }

    /// Returns how many bytes only the deleted checkpoint had, if known. Repeating it changes
    /// nothing.
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

    /// Runs a command of [`checkpoint_script`]. `CONFLICT` also means that another git holds a
    /// lock, or that git would read a pipe or a device; `RATE_LIMITED`, that another call works
    /// there.
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

/// The command of a script that begins with `scripts/git/repository.sh`.
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

fn read_taken(name: GitCheckpointName, printed: &[u8]) -> Option<TakenGitCheckpoint> {
    let mut records = Records(printed);
    let mut words = records.words()?;
    Some(TakenGitCheckpoint {
        name,
        commit: words.next()?.to_owned(),
        files: words.next()?.parse().ok()?,
        made_repository: words.next()? == "yes",
        nested: records.paths()?,
    })
}

/// Parses `TYPE COMMIT TIME NAME` and a description. None: another program made this ref.
fn read_listed(heading: &[u8], description: &[u8]) -> Option<ListedGitCheckpoint> {
    let mut words = std::str::from_utf8(heading).ok()?.splitn(4, ' ');
    (words.next()? == "commit").then_some(())?;
    let commit = words.next()?.to_owned();
    let seconds: i64 = words.next()?.parse().ok()?;
    let name = GitCheckpointName::parse(words.next()?).ok()?;
    let description = String::from_utf8_lossy(description);
    let description: String = description.chars().take(SNAPSHOT_DESCRIPTION_MAX_CHARS).collect();
    Some(ListedGitCheckpoint {
        name,
        commit,
        created_at: rfc3339(seconds.saturating_mul(1_000)),
        description: (!description.is_empty()).then_some(description),
    })
}

fn read_restored(printed: &[u8]) -> Option<RestoredGitCheckpoint> {
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

fn read_diff(printed: &[u8]) -> Option<GitCheckpointDiff> {
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
    fn only_commits_with_a_checkpoints_name_are_listed() {
        let first = read_listed(b"commit abc 1700000000 one", b"first").unwrap();
        assert_eq!((first.commit.as_str(), first.name.as_str()), ("abc", "one"));
        assert_eq!(first.created_at, "2023-11-14T22:13:20.000Z");
        assert_eq!(first.description.as_deref(), Some("first"));
        assert_eq!(read_listed(b"commit abc 1 one", b"").unwrap().description, None);
        for heading in ["blob abc  one", "commit abc 1 .one", "commit abc 1 a/b", "commit abc"] {
            assert_eq!(read_listed(heading.as_bytes(), b""), None, "{heading}");
        }
    }

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        let printed = |length: usize| [&b"abc 1 2 3\0\0"[..], &vec![b'x'; length]].concat();
        let whole = read_diff(&printed(CHECKPOINT_DIFF_MAX_BYTES)).unwrap();
        assert_eq!((whole.diff.len(), whole.truncated), (CHECKPOINT_DIFF_MAX_BYTES, false));
        assert_eq!((whole.files_changed, whole.insertions, whole.deletions), (1, 2, 3));
        let cut = read_diff(&printed(CHECKPOINT_DIFF_MAX_BYTES + 1)).unwrap();
        assert_eq!((cut.diff.len(), cut.truncated), (CHECKPOINT_DIFF_MAX_BYTES, true));
    }
}
