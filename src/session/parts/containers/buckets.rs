//! A session's buckets: mounted in its containers, and shown by `workspace_describe`.

use crate::domain::s3::environment::HOST;
use crate::domain::session::config::MountedBucket;
use crate::domain::{InstanceId, SandboxId, SessionConfig};
use crate::ports::sandbox::{BucketDir, ExecResult, MountBucketsOptions, MountOutcome, MountState};
use crate::session::parts::{Active, Context};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The error of a system call on a mount whose program has ended.
const PROGRAM_ENDED: &str = "Transport endpoint is not connected";

/// A bucket that the workspace reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BucketView {
    /// Its name for S3 clients.
    pub bucket: String,
    /// Address at which S3 clients reach the bucket.
    pub url: String,
    /// Whether it is read-only.
    pub read_only: bool,
    /// Directory where the bucket appears, if `mount` is `MOUNTED`.
    pub mount_path: String,
    /// Whether the bucket is mounted.
    pub mount: MountState,
    /// Why mounting failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount_problem: Option<String>,
}

/// Mounts the session's buckets. Remembers mounts only to save asking the container at each call.
pub(crate) struct Mounts {
    context: Rc<Context>,
    known: RefCell<BTreeMap<SandboxId, (InstanceId, Vec<MountOutcome>)>>,
}

impl Mounts {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, known: RefCell::default() }
    }

    pub(crate) fn forget(&self, id: &SandboxId) {
        self.known.borrow_mut().remove(id);
    }

    /// If a command met a mount whose program has ended, the next use looks at the mounts again.
    pub(crate) fn note_output(&self, id: &SandboxId, output: &ExecResult) {
        let mut known = self.known.borrow_mut();
        if known.contains_key(id)
            && [&output.stderr, &output.stdout].iter().any(|text| text.contains(PROGRAM_ENDED))
        {
            known.remove(id);
        }
    }

    pub(crate) async fn mount(&self, config: &SessionConfig, active: &Active) {
        if self.outcomes(&active.workspace.sandbox_id, &active.instance).is_none() {
            self.look(config, active).await;
        }
    }

    /// Makes mounts that are missing or whose program has ended. Logs a failure, and fails no call.
    async fn look(&self, config: &SessionConfig, active: &Active) {
        if config.bucket_mounts.is_empty() {
            return;
        }
        let id = &active.workspace.sandbox_id;
        let before = self.outcomes(id, &active.instance).unwrap_or_default();
        let mounts = config.bucket_mounts.iter().map(|MountedBucket { mount, path }| BucketDir {
            path: path.clone(),
            bucket: mount.bucket.clone(),
            prefix: mount.prefix.clone(),
            read_only: mount.read_only,
        });
        let instance_id = Some(active.instance.clone());
        let options = MountBucketsOptions { mounts: mounts.collect(), instance_id };
        match active.sandbox.mount_buckets(options).await {
            Ok(mounted) => {
                let failed = |it: &&MountOutcome| it.state == MountState::Failed;
                let news = mounted.mounts.iter().filter(|it| !before.contains(it));
                for outcome in news.filter(failed) {
                    let fields = json!({ "sandboxId": id, "message": outcome.problem });
                    self.context.warn("mount.failed", fields);
                }
                let known = (active.instance.clone(), mounted.mounts);
                self.known.borrow_mut().insert(id.clone(), known);
            }
            Err(error) => {
                let fields = json!({
                    "sandboxId": id,
                    "code": error.code, "message": error.message, "cause": error.cause,
                });
                self.context.warn("mount.failed", fields);
                self.forget(id);
            }
        }
    }

    fn outcomes(&self, id: &SandboxId, instance: &InstanceId) -> Option<Vec<MountOutcome>> {
        let known = self.known.borrow();
        let (of, outcomes) = known.get(id)?;
        (of == instance).then(|| outcomes.clone())
    }

    pub(crate) async fn views(
        &self,
        config: &SessionConfig,
        running: Option<&Active>,
    ) -> Vec<BucketView> {
        let outcomes = match running {
            None => None,
            Some(active) => {
                self.look(config, active).await;
                self.outcomes(&active.workspace.sandbox_id, &active.instance)
            }
        };
        let unknown = if running.is_none() { MountState::Stopped } else { MountState::Failed };
        let view = |(at, MountedBucket { mount, path }): (usize, &MountedBucket)| {
            let outcome = outcomes.as_ref().and_then(|outcomes| outcomes.get(at));
            BucketView {
                bucket: mount.bucket.clone(),
                url: format!("http://{HOST}/{}/{}", mount.bucket, mount.prefix),
                read_only: mount.read_only,
                mount_path: path.as_str().to_owned(),
                mount: outcome.map_or(unknown, |outcome| outcome.state),
                mount_problem: outcome.and_then(|outcome| outcome.problem.clone()),
            }
        };
        config.bucket_mounts.iter().enumerate().map(view).collect()
    }
}
