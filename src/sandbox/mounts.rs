//! Mounts buckets in the container.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::s3::environment::HOST;
use crate::ports::container::Output;
use crate::ports::sandbox::{MountBucketsOptions, MountOutcome, MountState, MountedBuckets};
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::scripts::{MOUNT_BUCKETS, OWN_DIR, complaint, script};
use std::rc::Rc;

/// Longest time for one mount, and for the rest of the script.
const ONE_MS: u64 = 40_000;

parts!(Mounts { container: Rc<SandboxContainer> });

impl Mounts<'_> {
    /// Mounts buckets, if the container can.
    pub(crate) async fn mount(&self, options: MountBucketsOptions) -> Result<MountedBuckets> {
        let MountBucketsOptions { mounts, instance_id } = options;
        self.container.require_disk(instance_id.as_ref()).await?;
        let url = format!("http://{HOST}");
        let each = mounts.iter().flat_map(|mount| {
            let mode = if mount.read_only { "ro" } else { "rw" };
            [mount.path.as_str(), &mount.bucket, &mount.prefix, mode]
        });
        let arguments: Vec<&str> = [OWN_DIR, &url].into_iter().chain(each).collect();
        let mut command = script(MOUNT_BUCKETS, &arguments);
        let count = u64::try_from(mounts.len()).unwrap_or(u64::MAX);
        command.kill_after_ms = Some(ONE_MS.saturating_mul(count.saturating_add(1)));
        let output = self.container.run(&command).await?;
        let outcomes = outcomes(&output);
        if outcomes.len() != mounts.len() {
            let message = "the container does not say what it mounted";
            return Err(Error::new(ErrorCode::Unavailable, message).with_cause(complaint(&output)));
        }
        Ok(MountedBuckets { mounts: outcomes })
    }
}

fn outcomes(output: &Output) -> Vec<MountOutcome> {
    let printed = String::from_utf8_lossy(&output.stdout);
    let outcome = |line: &str| {
        let (word, problem) =
            line.split_once(' ').map_or((line, None), |(word, why)| (word, Some(why.to_owned())));
        let state = match word {
            "mounted" => MountState::Mounted,
            "unsupported" => MountState::Unsupported,
            "failed" => MountState::Failed,
            _ => return None,
        };
        Some(MountOutcome { state, problem })
    };
    printed.lines().filter_map(outcome).collect()
}
