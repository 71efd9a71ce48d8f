//! Checkpoints of a sandbox's one file.

use super::fake_sandbox::FakeSandbox;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::domain::ids::GitCheckpointName;
use snapshotter::domain::time::rfc3339;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::sandbox::checkpoints::PathChange;
use snapshotter::ports::sandbox::*;

fn found(path: &str) -> FoundPath {
    FoundPath { path: path.to_owned(), path_base64: None }
}

fn nested() -> Vec<FoundPath> {
    vec![found("module")]
}

impl FakeSandbox {
    /// The file's content.
    pub(super) fn held(&self, path: &AbsolutePath, options: &FileOptions) -> Result<String> {
        self.check(options.instance_id.as_ref())?;
        assert!(path.is_at_or_under(options.within.as_ref().unwrap().as_str()));
        Ok(self.world.disks.borrow()[&self.id].content.clone())
    }

    fn committed(&self, name: &GitCheckpointName) -> Result<String> {
        let none = || Error::new(ErrorCode::NotFound, format!("there is no checkpoint {name}"));
        self.world.checkpoints.borrow().get(name).cloned().ok_or_else(none)
    }

    pub(super) fn commit(
        &self,
        checkpoint: NewGitCheckpoint,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<TakenGitCheckpoint> {
        let content = self.held(path, options)?;
        let mut checkpoints = self.world.checkpoints.borrow_mut();
        if checkpoints.contains_key(&checkpoint.name) && !checkpoint.replace {
            return Err(Error::new(ErrorCode::Conflict, "there is such a checkpoint"));
        }
        let (name, commit) = (checkpoint.name.clone(), checkpoint.description);
        checkpoints.insert(checkpoint.name, content);
        Ok(TakenGitCheckpoint { name, commit, files: 1, made_repository: false, nested: nested() })
    }

    pub(super) fn commits(
        &self,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<GitCheckpointList> {
        self.held(path, options)?;
        let created_at = rfc3339(self.world.clock.now_ms());
        let listed = |name: &GitCheckpointName| ListedGitCheckpoint {
            name: name.clone(),
            commit: String::new(),
            created_at: created_at.clone(),
            description: None,
        };
        let checkpoints = self.world.checkpoints.borrow().keys().map(listed).collect();
        Ok(GitCheckpointList { git_checkpoints: checkpoints, truncated: false })
    }

    pub(super) fn check_out(
        &self,
        name: &GitCheckpointName,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<RestoredGitCheckpoint> {
        self.held(path, options)?;
        self.world.write(self.id.as_str(), &self.committed(name)?);
        let changes = vec![ChangedPath { path: found("a"), change: PathChange::Modified }];
        let commit = String::new();
        Ok(RestoredGitCheckpoint { commit, changes, changed_count: 1, nested: nested() })
    }

    pub(super) fn compare(
        &self,
        name: &GitCheckpointName,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<GitCheckpointDiff> {
        let diff = format!("-{}\n+{}\n", self.committed(name)?, self.held(path, options)?);
        let (commit, truncated, nested) = (String::new(), false, nested());
        let (files_changed, insertions, deletions) = (1, 1, 1);
        Ok(GitCheckpointDiff {
            commit,
            diff,
            truncated,
            files_changed,
            insertions,
            deletions,
            nested,
        })
    }

    pub(super) fn drop_commit(
        &self,
        name: &GitCheckpointName,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<()> {
        self.held(path, options)?;
        self.world.checkpoints.borrow_mut().remove(name);
        Ok(())
    }
}
