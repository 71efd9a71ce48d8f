//! Reads the parts of a workspace's tree that a comparison needs, in few commands, and makes the
//! changes of a merge.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::limits::{
    IMPORTS_AT_ONCE, TAR_MAX_BYTES, TAR_TIMEOUT_MS, TREE_READ_MAX_BYTES, TREE_TIMEOUT_MS,
};
use crate::domain::snapshot::backup::BackupDir;
use crate::ports::sandbox::{FileOptions, TreeOptions, TreeRead};
use crate::ports::stream::Bytes;
use crate::sandbox::backup::manifest::manifest_path;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::file_scripts::{FileScripts, file_script, outcome_of};
use crate::sandbox::scripts::{OWN_DIR, TREE_APPLY, TREE_CONTENTS, TREE_DIFFERENCES, TREE_HASHES};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::rc::Rc;

parts!(Trees {
    context: Context,
    container: Rc<SandboxContainer>,
    file_scripts: FileScripts,
});

impl Trees<'_> {
    /// Reads a part of the tree below a directory. Returns the script's output in base64.
    pub(crate) async fn read_part(
        &self,
        input: Bytes,
        path: &AbsolutePath,
        options: &TreeOptions,
    ) -> Result<String> {
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let within = Some(path);
        let mut command = match options.read {
            TreeRead::Differences => {
                let dir = format!("{OWN_DIR}/tree-{}", self.context.new_tag()?);
                let manifest = manifest_path(&BackupDir::parse(path.as_str())?);
                let mut more = vec![dir.as_str()];
                if let Some(saved) = &options.saved {
                    more.extend([manifest.as_str(), saved]);
                }
                file_script(TREE_DIFFERENCES, path, within, &more)
            }
            TreeRead::Hashes => file_script(TREE_HASHES, path, within, &[]),
            TreeRead::Contents { max_bytes } => {
                file_script(TREE_CONTENTS, path, within, &[&max_bytes.to_string()])
            }
        };
        command.output_max_bytes = TREE_READ_MAX_BYTES;
        command.kill_after_ms = Some(TREE_TIMEOUT_MS);
        let output = self.file_scripts.feed(&command, input, path, within).await?;
        if output.stdout_truncated {
            return Err(Error::new(
                ErrorCode::TooLarge,
                format!("{path}: too much differs at once"),
            )
            .with_hint("compare with a nearer snapshot"));
        }
        Ok(BASE64.encode(output.stdout))
    }

    /// Makes changes in the tree below a directory. On `CONFLICT`, `TOO_LARGE` or `RATE_LIMITED`
    /// nothing was changed. The outcome of other errors may be unknown.
    pub(crate) async fn change(
        &self,
        changes: Bytes,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<()> {
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let dir = format!("{OWN_DIR}/import-{}", self.context.new_tag()?);
        let (bytes, at_once) = (TAR_MAX_BYTES.to_string(), IMPORTS_AT_ONCE.to_string());
        let mut command = file_script(TREE_APPLY, path, Some(path), &[&dir, &bytes, &at_once]);
        command.kill_after_ms = Some(TAR_TIMEOUT_MS);
        let output = self.container.write_to_bounded(&command, changes).await;
        let output = output.map_err(|error| error.with_outcome(Outcome::Unknown))?;
        let has_begun = output.stdout.starts_with(b"begun");
        outcome_of(output, path, Some(path))
            .map(drop)
            .map_err(|error| if has_begun { error.with_outcome(Outcome::Unknown) } else { error })
    }
}
