//! Reads what a comparison needs of a workspace's tree, in few commands.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::limits::{TREE_READ_MAX_BYTES, TREE_TIMEOUT_MS};
use crate::ports::sandbox::{TreeOptions, TreeRead};
use crate::ports::stream::Bytes;
use crate::sandbox::SandboxService;
use crate::sandbox::files::file_script;
use crate::sandbox::scripts::{OWN_DIR, TREE_CONTENTS, TREE_DIFFERENCES, TREE_HASHES};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

impl SandboxService {
    /// Reads a part of the tree below a directory. Returns what the script printed,
    /// in base64.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` if the path is no directory; `TOO_LARGE`;
    /// `UNSUPPORTED` if the image lacks a program.
    pub(crate) async fn read_part_of_tree(
        &self,
        input: Bytes,
        path: &AbsolutePath,
        options: &TreeOptions,
    ) -> Result<String> {
        self.machine.require_disk(options.instance_id.as_ref()).await?;
        let within = Some(path);
        let mut command = match options.read {
            TreeRead::Differences => {
                let dir = format!("{OWN_DIR}/tree-{}", self.tag()?);
                file_script(TREE_DIFFERENCES, path, within, &[&dir])
            }
            TreeRead::Hashes => file_script(TREE_HASHES, path, within, &[]),
            TreeRead::Contents { max_bytes } => {
                file_script(TREE_CONTENTS, path, within, &[&max_bytes.to_string()])
            }
        };
        command.output_max_bytes = TREE_READ_MAX_BYTES;
        command.kill_after_ms = Some(TREE_TIMEOUT_MS);
        let output = self.feed_to(&command, input, path, within).await?;
        if output.stdout_truncated {
            return Err(Error::new(
                ErrorCode::TooLarge,
                format!("{path}: too much differs at once"),
            )
            .with_hint("compare with a nearer snapshot"));
        }
        Ok(BASE64.encode(output.stdout))
    }
}
