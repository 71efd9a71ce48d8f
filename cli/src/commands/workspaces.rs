//! Workspaces: list, make, rewind, switch, pause, resume and destroy them.

use super::selectors::SNAPSHOT_HELP;
use super::session::WorkspaceRef;
use super::snapshots::{Woken, tell_woken};
use crate::api::{answer, operations as op, read};
use crate::error::{Error, ErrorBody};
use crate::output::Out;
use crate::output::format::age;
use crate::remote::Remote;
use clap::Args;
use jiff::Timestamp;
use serde::Deserialize;

answer! {
    /// All workspaces.
    pub struct WorkspaceList { workspaces: Vec<WorkspaceSummary> }

    /// A workspace.
    pub struct WorkspaceSummary {
        r#ref: WorkspaceRef,
        active: bool,
        kind: String,
        status: String,
        container: Option<String>,
        created_at: String,
        last_used_at: String,
        head_snapshot_id: Option<String>,
    }

    /// A new workspace.
    pub struct MadeWorkspace { r#ref: WorkspaceRef }

    /// New workspaces.
    pub struct LiveForks { workspaces: Vec<LiveFork>, woken: Option<Woken> }

    /// A new workspace, or why there is none.
    pub struct LiveFork { r#ref: Option<WorkspaceRef>, error: Option<ErrorBody> }

    /// Names a snapshot.
    pub struct SnapshotRef { r#ref: SnapshotRefPayload }

    /// The backup in the ref.
    pub struct SnapshotRefPayload { backup: BackupHandle }

    /// The id in the handle.
    pub struct BackupHandle { id: String }

    /// A process that a rewind ended.
    pub struct EndedProcess { pid: u64, command: String }

    /// The workspace that tools act on.
    pub struct NamedWorkspace { r#ref: WorkspaceRef }

    /// A resumed workspace.
    pub struct Resumed { woken: Option<Woken> }

    /// Whether a workspace was destroyed, and its last save.
    pub struct DestroyedWorkspace { destroyed: bool, last_snapshot_id: Option<String>, used_since: bool }

    /// Whether a container was destroyed.
    pub struct Destroyed { destroyed: bool }
}

/// List workspaces, oldest first; * marks the one that commands act on
#[derive(Debug, Default, Args)]
pub struct List {
    /// Also ask which containers run
    #[arg(long)]
    containers: bool,
}

impl List {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::list_workspaces::call(remote.session()?)?
            .doing("Listing workspaces")
            .flag(op::list_workspaces::query::CONTAINERS, self.containers);
        remote.show(&call, |out, answer| {
            let now = Timestamp::now();
            let rows = read::<WorkspaceList>(answer)?.workspaces.into_iter().map(|workspace| {
                let container = workspace.container.map(|state| format!(", container {state}"));
                [
                    if workspace.active { "*" } else { "" }.to_owned(),
                    workspace.r#ref.id().to_owned(),
                    workspace.kind,
                    format!("{}{}", workspace.status, container.unwrap_or_default()),
                    age(&workspace.created_at, now),
                    age(&workspace.last_used_at, now),
                    workspace.head_snapshot_id.unwrap_or_default(),
                ]
            });
            out.table(["", "ID", "KIND", "STATUS", "MADE", "USED", "LAST SAVE"], rows.collect())
        })
    }
}

/// Make a workspace with a snapshot's files, beside the existing ones
#[derive(Debug, Args)]
pub struct Restore {
    #[command(flatten)]
    made: Made,
}

/// Make a branch from a snapshot: a workspace for trying something else
#[derive(Debug, Args)]
pub struct Branch {
    #[command(flatten)]
    made: Made,
}

#[derive(Debug, Args)]
struct Made {
    #[arg(help = SNAPSHOT_HELP)]
    snapshot: String,
    /// Make the branch the active workspace, which commands and the agent act on
    #[arg(long)]
    switch: bool,
    /// Also reach snapshots of other sessions, if the session's policy allows it
    #[arg(long)]
    all_sessions: bool,
}

impl Restore {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        self.made.run(remote, "restored")
    }
}

impl Branch {
    /// A command that makes a branch and makes it active.
    pub fn switching(snapshot: String) -> Self {
        Self { made: Made { snapshot, switch: true, all_sessions: false } }
    }

    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        self.made.run(remote, "branch")
    }
}

impl Made {
    fn run(self, remote: &Remote, kind: &str) -> Result<(), Error> {
        let session = remote.session()?;
        let call = op::create_workspace::call(session)?
            .doing("Making a workspace")
            .field(op::create_workspace::field::FROM_, self.snapshot)
            .field(op::create_workspace::field::KIND, kind)
            .field_flag(op::create_workspace::field::SWITCH, self.switch)
            .field_flag(op::create_workspace::field::ALLOW_CROSS_SESSION, self.all_sessions);
        remote.show(&call, |out, answer| {
            let made: MadeWorkspace = read(answer)?;
            let id = made.r#ref.id();
            if self.switch {
                out.line(format!("workspace {id}, active from now on"))
            } else {
                out.line(format!("workspace {id}"))?;
                out.note(format!("to act on it: snapshotter switch {id}"))
            }
        })
    }
}

/// Make workspaces with the current files of the active one
#[derive(Debug, Args)]
pub struct Fork {
    /// How many workspaces to make
    #[arg(long, short = 'n', value_name = "N")]
    count: Option<u64>,
}

impl Fork {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::fork_workspace::call(remote.session()?)?
            .doing("Forking")
            .field(op::fork_workspace::field::COUNT, self.count);
        remote.show(&call, |out, answer| {
            let forks: LiveForks = read(answer)?;
            tell_woken(out, forks.woken.as_ref())?;
            let mut failed = None;
            for fork in forks.workspaces {
                match (fork.r#ref, fork.error) {
                    (Some(made), _) => out.line(format!("workspace {}", made.id()))?,
                    (None, error) => failed = error.or(failed),
                }
            }
            match failed {
                Some(error) => {
                    out.note(format!("not all were made: {} ({})", error.message, error.code))?;
                    Err(Error::Exit(1))
                }
                None => Ok(()),
            }
        })
    }
}

/// Make another workspace the active one, for commands and for the agent
#[derive(Debug, Args)]
pub struct Switch {
    /// The workspace's id
    workspace: String,
}

impl Switch {
    /// A command that switches to this workspace.
    pub fn to(workspace: String) -> Self {
        Self { workspace }
    }

    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::set_active_workspace::call(remote.session()?)?
            .doing("Switching")
            .field(op::set_active_workspace::field::REF_, self.workspace);
        remote.show(&call, |out, answer| {
            let active: NamedWorkspace = read(answer)?;
            out.line(format!("workspace {} is active", active.r#ref.id()))
        })
    }
}

/// The active workspace's id.
pub fn active(remote: &Remote) -> Result<String, Error> {
    let call = op::get_active_workspace::call(remote.session()?)?.doing("Asking");
    let active: NamedWorkspace = read(&remote.call(&call)?)?;
    Ok(active.r#ref.id().to_owned())
}

/// Save a workspace and release its container
#[derive(Debug, Args)]
pub struct Pause {
    /// The workspace's id [default: the active one]
    workspace: Option<String>,
}

impl Pause {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let workspace = self.workspace.map_or_else(|| active(remote), Ok)?;
        let call = op::pause_workspace::call(remote.session()?, &workspace)?.doing("Pausing");
        remote.show(&call, |out, _| out.line(format!("workspace {workspace} is paused")))
    }
}

/// Give a paused workspace a container again, with its files
#[derive(Debug, Args)]
pub struct Resume {
    /// The workspace's id [default: the active one]
    workspace: Option<String>,
}

impl Resume {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let workspace = self.workspace.map_or_else(|| active(remote), Ok)?;
        let call = op::resume_workspace::call(remote.session()?, &workspace)?.doing("Resuming");
        remote.show(&call, |out, answer| {
            tell_woken(out, read::<Resumed>(answer)?.woken.as_ref())?;
            out.line(format!("workspace {workspace} runs"))
        })
    }
}

/// Destroy a workspace that is not active; its snapshots are kept
#[derive(Debug, Args)]
pub struct Destroy {
    /// The workspace's id
    workspace: String,
    /// Destroy only the workspace's container, even the active one's; unsaved changes are lost
    #[arg(long)]
    container: bool,
}

impl Destroy {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let (session, id) = (remote.session()?, &self.workspace);
        if self.container {
            let call = op::destroy_container::call(session, id)?.doing("Destroying");
            return remote.show(&call, |out, answer| {
                let Destroyed { destroyed } = read(answer)?;
                out.line(if destroyed {
                    format!("the container of {id} is gone")
                } else {
                    format!("{id} has no container")
                })
            });
        }
        let call = op::destroy_workspace::call(session, id)?.doing("Destroying");
        remote.show(&call, |out, answer| {
            let gone: DestroyedWorkspace = read(answer)?;
            tell_destroyed(out, id, &gone)
        })
    }
}

fn tell_destroyed(out: &Out, id: &str, gone: &DestroyedWorkspace) -> Result<(), Error> {
    let what = if gone.destroyed { "is destroyed" } else { "was already destroyed" };
    out.line(format!("workspace {id} {what}"))?;
    if let Some(last) = &gone.last_snapshot_id {
        let since = if gone.used_since { ", without the changes made since" } else { "" };
        out.note(format!("its files are in snapshot {last}{since}"))?;
    }
    Ok(())
}

/// Give a sleeping workspace, whose files can't be brought back, an empty container
#[derive(Debug, Args)]
pub struct StartFresh {}

impl StartFresh {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::start_fresh::call(remote.session()?)?.doing("Starting");
        remote.show(&call, |out, answer| {
            let active: NamedWorkspace = read(answer)?;
            out.line(format!("workspace {} is empty", active.r#ref.id()))
        })
    }
}
