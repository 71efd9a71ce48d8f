//! Describe the active workspace to a model, after a restore or in a new conversation.

use crate::domain::limits::{EXEC_OUTPUT_MAX_BYTES, EXEC_TIMEOUT_MAX_MS, FILE_MAX_BYTES};
use crate::domain::session::config::Modules;
use crate::domain::{
    BackupDir, Error, Language, Result, SandboxId, SessionConfig, SessionId, SnapshotSummary,
    WorkspaceKind, WorkspaceSummary,
};
use crate::session::Session;
use crate::session::parts::containers::buckets::BucketView;
use crate::session::parts::containers::services::ServiceView;
use crate::session::parts::{Active, Containers, Context, LoadedSession, Quotas, Schedule};
use serde::{Deserialize, Serialize};

/// The active workspace and what may be done in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceView {
    /// The session.
    pub session: SessionId,
    /// The workspace that tools act on.
    pub workspace: WorkspaceSummary,
    /// The directory that file paths are relative to.
    pub workspace_dir: String,
    /// The snapshot it was made from.
    pub parent_snapshot: Option<SnapshotSummary>,
    /// What the session may do.
    pub modules: ModulesView,
    /// Commands of the session's configuration that run in each workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<ServiceView>,
    /// Buckets that the workspace reaches with any S3 client, without credentials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<BucketView>,
    /// Limits.
    pub limits: WorkspaceLimits,
    /// What is kept and what is lost when an idle container stops.
    pub when_idle: String,
}

/// The modules of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModulesView {
    /// File tools.
    pub fs: bool,
    /// Command tools.
    pub shell: bool,
    /// Languages that code may be run in.
    pub code_languages: Vec<Language>,
    /// Whether there are code contexts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub code_contexts: bool,
    /// Scripts may run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub script: bool,
    /// Snapshot tools.
    pub snapshot: bool,
    /// Only what reads is allowed.
    pub read_only: bool,
    /// The only programs that may run, or null for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_programs: Option<Vec<String>>,
}

/// Limits that a model runs into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceLimits {
    /// Largest file read or written in one call, in bytes.
    pub file_max_bytes: u64,
    /// Default time limit of a command, in milliseconds.
    pub command_timeout_ms: u64,
    /// Longest time that a command can ask for, in milliseconds.
    pub command_timeout_max_ms: u64,
    /// Bytes of stdout, and of stderr, that are answered.
    pub command_output_max_bytes: usize,
    /// Containers that may run at once.
    pub max_running: u32,
    /// Workspaces that may exist at once.
    pub max_workspaces: u32,
}

impl ModulesView {
    fn of(modules: &Modules) -> Self {
        Self {
            fs: modules.fs,
            shell: modules.shell.is_some(),
            code_languages: modules.code.as_ref().map_or(Vec::new(), |code| code.languages.clone()),
            code_contexts: modules.code.as_ref().is_some_and(|code| code.stateful),
            script: modules.script.is_some(),
            snapshot: modules.snapshot.is_some(),
            read_only: modules.read_only,
            allowed_programs: modules.shell.as_ref().and_then(|shell| shell.allowlist.clone()),
        }
    }
}

parts!(DescribeWorkspace { context: Context, containers: Containers, quotas: Quotas });

impl Session {
    /// Shows the active workspace. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `CONFLICT` while closed.
    pub async fn describe_workspace(&self) -> Result<WorkspaceView> {
        let describe_workspace = DescribeWorkspace::from(self);
        let open = describe_workspace.context.require_open()?;
        let config = &open.config;
        let active = &open.row.active_sandbox_id;
        let workspace = describe_workspace
            .context
            .catalogue
            .workspace(active)?
            .ok_or_else(|| Error::internal(format!("active workspace {active} has no row")))?;
        let parent = match &workspace.from_backup_id {
            Some(id) => describe_workspace.context.catalogue.snapshot(id)?,
            None => None,
        };
        let (services, buckets) = describe_workspace.running_parts(&open).await;
        let shell = config.modules.shell.clone().unwrap_or_default();
        let status = describe_workspace.quotas.status_of(&open, &workspace).await;
        let saved = workspace.kind != WorkspaceKind::Shared;
        Ok(WorkspaceView {
            session: describe_workspace.context.session.clone(),
            workspace: workspace.summary(true, status),
            workspace_dir: config.workspace_dir.clone().into(),
            parent_snapshot: parent
                .map(|snapshot| snapshot.summary(describe_workspace.context.now_ms())),
            modules: ModulesView::of(&config.modules),
            services,
            buckets,
            limits: WorkspaceLimits {
                file_max_bytes: FILE_MAX_BYTES,
                command_timeout_ms: shell.time_limit_ms(None)?,
                command_timeout_max_ms: shell.max_duration_ms.unwrap_or(EXEC_TIMEOUT_MAX_MS),
                command_output_max_bytes: EXEC_OUTPUT_MAX_BYTES,
                max_running: config.max_running,
                max_workspaces: config.max_workspaces,
            },
            when_idle: when_idle(config, Schedule::of(config).filter(|_| saved)),
        })
    }
}

impl DescribeWorkspace<'_> {
    /// Without a lock: looking does not count as use.
    async fn running_parts(&self, open: &LoadedSession) -> (Vec<ServiceView>, Vec<BucketView>) {
        if open.config.services.is_empty() && open.config.bucket_mounts.is_empty() {
            return <_>::default();
        }
        let running = self.running(&open.row.active_sandbox_id).await;
        let running = running.ok().flatten();
        let services = self.containers.services.views(open, running.as_ref()).await;
        (services, self.containers.mounts.views(&open.config, running.as_ref()).await)
    }

    async fn running(&self, id: &SandboxId) -> Result<Option<Active>> {
        let Some(row) = self.containers.attached(id).await? else { return Ok(None) };
        let sandbox = self.context.ports.sandboxes.get(id)?;
        let instance = row.instance_id.clone();
        Ok(instance.map(|instance| Active::without_lock(sandbox, row, instance)))
    }
}

fn when_idle(config: &SessionConfig, schedule: Option<Schedule>) -> String {
    let mut text = files_when_idle(config, schedule);
    if let Some(Schedule { awake_ms, .. }) = schedule.filter(|_| config.keep_awake) {
        let awake_secs = awake_ms / 1_000;
        text += &format!(
            " A background process that is not a service keeps it running for up to {awake_secs} s."
        );
    }
    if !config.services.is_empty() {
        text += " The next call starts services again.";
    }
    text
}

/// Without a schedule, nothing is saved before the stop.
fn files_when_idle(config: &SessionConfig, schedule: Option<Schedule>) -> String {
    let dirs: Vec<&str> = config.saved_dirs.iter().map(BackupDir::as_str).collect();
    let dirs = dirs.join(" and ");
    if config.machine.is_some() {
        return match schedule {
            Some(Schedule { idle_ms, .. }) => format!(
                "After {} s without use the container stops. The files in {dirs} and all other changes on its disk, except in /tmp, /var/tmp and /run, are saved first and are back at the next call; processes are lost.",
                idle_ms / 1_000
            ),
            None => format!(
                "After {} s without use the container stops without being saved. What no snapshot holds is lost, and so are processes.",
                config.sleep_after.as_ms() / 1_000
            ),
        };
    }
    match schedule {
        Some(Schedule { idle_ms, .. }) => format!(
            "After {} s without use the container stops. The files in {dirs} are saved first and are back at the next call; processes and everything outside, such as installed packages, are lost.",
            idle_ms / 1_000
        ),
        None => format!(
            "After {} s without use the container stops without being saved. Files in {dirs} that no snapshot holds, processes, and everything outside, such as installed packages, are lost.",
            config.sleep_after.as_ms() / 1_000
        ),
    }
}
