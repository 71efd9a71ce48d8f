//! Takes a git checkpoint.

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::GitCheckpointName;
use crate::domain::limits::CHECKPOINT_NESTED_SHOWN;
use crate::ports::sandbox::{FileOptions, NewGitCheckpoint, TakenGitCheckpoint};
use crate::sandbox::checkpoints::Checkpoints;
use crate::sandbox::checkpoints::checkpoint_script;
use crate::sandbox::parts::file_scripts::yes_or_no;
use crate::sandbox::scripts::TAKE_CHECKPOINT;
use crate::sandbox::scripts::records::Records;

impl Checkpoints<'_> {
    /// Commits a directory's files to a ref of its repository, and makes the
    /// repository if there is none. Its HEAD, branches, index and stash stay.
    ///
    /// # Errors
    /// `CONFLICT` if the name is taken; as [`Self::run_checkpoint`].
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
        parse(name, &output.stdout)
            .ok_or_else(|| Error::internal("take_checkpoint.sh printed unexpected output"))
    }
}

fn parse(name: GitCheckpointName, printed: &[u8]) -> Option<TakenGitCheckpoint> {
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
