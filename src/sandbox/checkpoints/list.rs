//! Lists git checkpoints.

use crate::domain::error::Result;
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::GitCheckpointName;
use crate::domain::limits::{CHECKPOINTS_SHOWN, SNAPSHOT_DESCRIPTION_MAX_CHARS};
use crate::domain::time::rfc3339;
use crate::ports::container::{Command, Needed};
use crate::ports::sandbox::{FileOptions, GitCheckpointList, ListedGitCheckpoint};
use crate::sandbox::checkpoints::Checkpoints;
use crate::sandbox::checkpoints::checkpoint_script;
use crate::sandbox::scripts::LIST_CHECKPOINTS;
use crate::sandbox::scripts::records::Records;

/// Maximum bytes of checkpoints to keep: enough for the descriptions that
/// `takeGitCheckpoint` accepts.
const LIST_MAX_BYTES: usize = 1024 * 1024;

impl Checkpoints<'_> {
    /// Lists the git checkpoints of a directory, newest first. Without a repository
    /// there are none.
    ///
    /// # Errors
    /// As [`Self::run_checkpoint`].
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
            checkpoints.extend(parse(heading, description));
            count += 1;
        }
        let truncated = output.stdout_truncated || count > CHECKPOINTS_SHOWN;
        checkpoints.truncate(CHECKPOINTS_SHOWN);
        Ok(GitCheckpointList { git_checkpoints: checkpoints, truncated })
    }
}

/// Parses `TYPE COMMIT TIME NAME` and a description. None: something else has put
/// a ref there.
fn parse(heading: &[u8], description: &[u8]) -> Option<ListedGitCheckpoint> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commits_with_a_checkpoints_name_are_listed() {
        let listed = parse(b"commit abc 1700000000 one", b"first").unwrap();
        assert_eq!((listed.commit.as_str(), listed.name.as_str()), ("abc", "one"));
        assert_eq!(listed.created_at, "2023-11-14T22:13:20.000Z");
        assert_eq!(listed.description.as_deref(), Some("first"));
        assert_eq!(parse(b"commit abc 1 one", b"").unwrap().description, None);
        for heading in ["blob abc  one", "commit abc 1 .one", "commit abc 1 a/b", "commit abc"] {
            assert_eq!(parse(heading.as_bytes(), b""), None, "{heading}");
        }
    }
}
