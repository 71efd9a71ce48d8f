//! Reads the state of the repository that a backup captures.

use crate::domain::snapshot::git::GitState;
use crate::ports::container::Command;
use crate::sandbox::SandboxService;
use crate::sandbox::backup::plan::Plan;
use crate::sandbox::checkpoints::records::Records;
use crate::sandbox::scripts::{GIT_STATE, OWN_DIR, script};

/// A backup does not wait longer for it.
const GIT_STATE_LIMIT_MS: u64 = 3_000;

impl SandboxService {
    /// The repository at the root of the directory. None if there is none, or if
    /// it can't be read in time: a backup does not fail because of it.
    pub(crate) async fn git_state(&self, plan: &Plan) -> Option<GitState> {
        plan.provenance.as_ref()?;
        let (dir, store) = (plan.dir.as_str(), format!("{OWN_DIR}/checkpoints"));
        let command = Command {
            kill_after_ms: Some(GIT_STATE_LIMIT_MS),
            ..script(GIT_STATE, &[dir, dir, &store])
        };
        let output = self.machine.run(&command).await.ok()?;
        if output.exit_code != 0 || output.killed {
            return None;
        }
        parse(&output.stdout)
    }
}

/// Parses a commit, a branch, and yes or no, each with a NUL.
fn parse(printed: &[u8]) -> Option<GitState> {
    let mut records = Records(printed);
    let mut text = || {
        let text = String::from_utf8_lossy(records.next()?).into_owned();
        Some((!text.is_empty()).then_some(text))
    };
    Some(GitState { head: text()?, branch: text()?, clean: text()?? == "yes" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_none() {
        let git = |head: Option<&str>, branch: Option<&str>, clean| GitState {
            head: head.map(str::to_owned),
            branch: branch.map(str::to_owned),
            clean,
        };
        assert_eq!(parse(b"abc\0main\0yes\0"), Some(git(Some("abc"), Some("main"), true)));
        assert_eq!(parse(b"\0\0no\0"), Some(git(None, None, false)));
        assert_eq!(parse(b"abc\0main\0"), None);
        assert_eq!(parse(b""), None);
    }
}
