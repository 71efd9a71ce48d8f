//! What a recorded call makes or changes, as its record names it: a restart
//! recovers the call by what became of that.

use crate::domain::ids::{BackupId, SandboxId};
use std::fmt;

/// What a recorded call does, where it names what it makes or changes before
/// its first effect. A command that a tool runs has no such name, and no kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// Make a session token. Its row is its one effect, and it names nothing.
    CreateToken,
    /// Take a snapshot.
    Snapshot,
    /// Make a workspace from a snapshot.
    Restore,
    /// The same, as an experiment.
    Branch,
    /// Make workspaces from the active one as it is.
    LiveFork,
    /// Put the active workspace back to a snapshot, in place.
    Rewind,
    /// Save a workspace and release its container.
    Pause,
    /// Bring one back.
    Resume,
}

impl CallKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::CreateToken,
        Self::Snapshot,
        Self::Restore,
        Self::Branch,
        Self::LiveFork,
        Self::Rewind,
        Self::Pause,
        Self::Resume,
    ];

    /// The operation's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CreateToken => "createToken",
            Self::Snapshot => "snapshot",
            Self::Restore => "restore",
            Self::Branch => "branch",
            Self::LiveFork => "fork",
            Self::Rewind => "rewind",
            Self::Pause => "pause",
            Self::Resume => "resume",
        }
    }

    /// The kind of a call by what its record says it is: an operation's name,
    /// or a tool's.
    #[must_use]
    pub fn of(op: &str) -> Option<Self> {
        Self::of_operation(op).or_else(|| Self::of_tool(op))
    }

    /// The kind of the operation of this name.
    #[must_use]
    pub fn of_operation(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The kind of the operation that this tool does.
    #[must_use]
    pub fn of_tool(name: &str) -> Option<Self> {
        Self::of_operation(name.strip_prefix("workspace_")?)
    }
}

/// What a recorded call makes or changes. It is stored as its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The snapshot that is taken.
    Snapshot(BackupId),
    /// The workspace that is made from a snapshot.
    Workspace(SandboxId),
    /// The workspaces that a live fork makes.
    Workspaces(Vec<SandboxId>),
    /// The order of the rewind in the catalogue.
    Rewind(i64),
    /// The workspace that is paused.
    Pause(SandboxId),
    /// The workspace that is resumed.
    Resume(SandboxId),
}

const REWIND: &str = "rewind:";
const PAUSE: &str = "pausing:";
const RESUME: &str = "resuming:";

impl Subject {
    /// Reads what a call of this kind stored. None: such a call stores no such text.
    #[must_use]
    pub fn parse(kind: CallKind, text: &str) -> Option<Self> {
        let sandbox = |id: &str| SandboxId::parse(id).ok();
        match kind {
            CallKind::CreateToken => None,
            CallKind::Snapshot => BackupId::parse(text).ok().map(Self::Snapshot),
            CallKind::Restore | CallKind::Branch => sandbox(text).map(Self::Workspace),
            CallKind::LiveFork => {
                text.split(' ').map(sandbox).collect::<Option<_>>().map(Self::Workspaces)
            }
            CallKind::Rewind => text.strip_prefix(REWIND)?.parse().ok().map(Self::Rewind),
            CallKind::Pause => text.strip_prefix(PAUSE).and_then(sandbox).map(Self::Pause),
            CallKind::Resume => text.strip_prefix(RESUME).and_then(sandbox).map(Self::Resume),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Snapshot(id) => f.write_str(id.as_str()),
            Self::Workspace(id) => f.write_str(id.as_str()),
            Self::Workspaces(ids) => {
                let ids: Vec<&str> = ids.iter().map(SandboxId::as_str).collect();
                f.write_str(&ids.join(" "))
            }
            Self::Rewind(seq) => write!(f, "{REWIND}{seq}"),
            Self::Pause(id) => write!(f, "{PAUSE}{id}"),
            Self::Resume(id) => write!(f, "{RESUME}{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";

    /// Rows of running deployments have these texts.
    #[test]
    fn the_stored_text_is_unchanged() {
        let sandbox = |id: &str| SandboxId::parse(id).unwrap();
        let two = vec![sandbox("sess-branch-0000000a"), sandbox("sess-branch-0000000b")];
        for kind in CallKind::ALL {
            let stored = match kind {
                CallKind::CreateToken => vec![],
                CallKind::Snapshot => vec![(Subject::Snapshot(BackupId::parse(ID).unwrap()), ID)],
                CallKind::Restore | CallKind::Branch => {
                    vec![(Subject::Workspace(sandbox("sess-branch-1")), "sess-branch-1")]
                }
                CallKind::LiveFork => vec![
                    (Subject::Workspaces(two.clone()), "sess-branch-0000000a sess-branch-0000000b"),
                    (Subject::Workspaces(vec![sandbox("sess-branch-1")]), "sess-branch-1"),
                ],
                CallKind::Rewind => vec![(Subject::Rewind(17), "rewind:17")],
                CallKind::Pause => vec![(Subject::Pause(sandbox("sess")), "pausing:sess")],
                CallKind::Resume => vec![(Subject::Resume(sandbox("sess")), "resuming:sess")],
            };
            for (subject, text) in stored {
                assert_eq!(subject.to_string(), text);
                assert_eq!(Subject::parse(kind, text), Some(subject), "{kind:?}");
            }
        }
    }

    #[test]
    fn what_no_such_call_stores_is_not_read() {
        let (pausing, upper) = ("pausing:", "pausing:SESS");
        let long = "a".repeat(1 << 20);
        let hostile = ["", " ", "a  b", "a ", "rewind:", "rewind:x", "rewind:9223372036854775808"];
        let others =
            [pausing, upper, "resuming:../x", "pausing:resuming:a", "unknown:a", "\0", &long];
        for kind in CallKind::ALL {
            for text in hostile.into_iter().chain(others) {
                assert_eq!(Subject::parse(kind, text), None, "{kind:?}: {text}");
            }
        }
        // Nor what a call of another kind does.
        assert_eq!(Subject::parse(CallKind::Snapshot, "sess"), None);
        assert_eq!(Subject::parse(CallKind::Pause, "resuming:sess"), None);
        assert_eq!(Subject::parse(CallKind::Branch, "a b"), None);
    }

    #[test]
    fn a_tools_call_is_of_the_operations_kind() {
        for kind in CallKind::ALL {
            assert_eq!(CallKind::of(kind.as_str()), Some(kind));
            assert_eq!(CallKind::of_tool(kind.as_str()), None);
        }
        assert_eq!(CallKind::of("workspace_fork"), Some(CallKind::LiveFork));
        for other in ["workspace_run", "workspace_workspace_fork", "callTool", "Fork", ""] {
            assert_eq!(CallKind::of(other), None, "{other}");
        }
    }
}
