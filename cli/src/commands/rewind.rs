//! Rewinds the workspace in place: `rewind` and `undo`.

use super::selectors::SNAPSHOT_HELP;
use super::session::WorkspaceRef;
use super::snapshots::{Turn, Woken, tell_woken};
use super::turns::ChangeCounts;
use super::workspaces::{EndedProcess, SnapshotRef};
use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output::Out;
use crate::remote::Remote;
use clap::Args;
use serde::Deserialize;
use serde_json::Value;

answer! {
    /// A rewind.
    pub struct Rewound {
        r#ref: WorkspaceRef,
        from_snapshot_id: String,
        safety_ref: Option<SnapshotRef>,
        changes: Option<PlannedChanges>,
        undone: Option<Undone>,
        ended_processes: Vec<EndedProcess>,
        ended_background: Option<Vec<String>>,
        restarted: Option<Vec<String>>,
        turn: Option<Turn>,
        woken: Option<Woken>,
    }

    /// What a dry run would change.
    pub struct PlannedChanges { counts: ChangeCounts, paths: Vec<ChangedPath> }

    /// A path that would change.
    pub struct ChangedPath { change: String, path: String }

    /// What an undo reverted.
    pub struct Undone { turns: Vec<u64>, unsaved: bool }
}

/// Put the active workspace back to a snapshot, in place
#[derive(Debug, Args)]
pub struct Rewind {
    #[arg(help = SNAPSHOT_HELP)]
    snapshot: String,
    /// Also reach snapshots of other sessions, if the session's policy allows it
    #[arg(long)]
    all_sessions: bool,
    /// Change nothing, and print what would change
    #[arg(long)]
    dry_run: bool,
}

impl Rewind {
    /// A rewind to this snapshot.
    pub fn to(snapshot: String) -> Self {
        Self { snapshot, all_sessions: false, dry_run: false }
    }

    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::rewind::call(remote.session()?)?
            .doing("Rewinding")
            .field(op::rewind::field::REF_, self.snapshot)
            .field_flag(op::rewind::field::ALLOW_CROSS_SESSION, self.all_sessions)
            .field_flag(op::rewind::field::DRY_RUN, self.dry_run);
        remote.show(&call, tell_rewound)
    }
}

/// Put the active workspace back by turns, in place
///
/// Changes since the last turn count as one turn: the first undo goes back to the last turn's end, or else to the turn
/// before it.
#[derive(Debug, Args)]
pub struct Undo {
    /// How many turns to go back
    #[arg(default_value_t = 1)]
    turns: u32,
    /// Change nothing, and print what would change
    #[arg(long)]
    dry_run: bool,
}

impl Undo {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::undo::call(remote.session()?)?
            .doing("Undoing")
            .field(op::undo::field::TURNS, self.turns)
            .field_flag(op::undo::field::DRY_RUN, self.dry_run);
        remote.show(&call, tell_rewound)
    }
}

fn tell_rewound(out: &Out, answer: &Value) -> Result<(), Error> {
    let rewound: Rewound = read(answer)?;
    tell_woken(out, rewound.woken.as_ref())?;
    let (workspace, from) = (rewound.r#ref.id(), &rewound.from_snapshot_id);
    match &rewound.changes {
        None => out.line(format!("workspace {workspace} has the files of {from}"))?,
        Some(changes) => {
            out.line(format!("workspace {workspace} would get the files of {from}"))?;
            tell_planned(out, changes)?;
        }
    }
    if let Some(undone) = &rewound.undone {
        if undone.unsaved {
            out.line("undone: what has changed since the last turn")?;
        }
        for turn in &undone.turns {
            out.line(format!("undone: turn {turn}"))?;
        }
    }
    if let Some(turn) = &rewound.turn {
        let cursor = turn.cursor.as_ref().map(|cursor| format!(", cursor {cursor}"));
        out.line(format!("back at the end of turn {}{}", turn.number, cursor.unwrap_or_default()))?;
    }
    let ended = if rewound.changes.is_some() { "would end" } else { "ended" };
    for process in &rewound.ended_processes {
        out.note(format!("{ended} process {}: {}", process.pid, process.command))?;
    }
    for name in rewound.ended_background.iter().flatten() {
        out.note(format!("{ended} background process {name}"))?;
    }
    for name in rewound.restarted.iter().flatten() {
        out.note(format!("started again: {name}"))?;
    }
    match &rewound.safety_ref {
        Some(safety) => {
            out.note(format!("to undo it: snapshotter rewind {}", safety.r#ref.backup.id))
        }
        None => out.note("nothing was changed"),
    }
}

/// Prints what a dry run would change.
pub fn tell_planned(out: &Out, changes: &PlannedChanges) -> Result<(), Error> {
    for one in &changes.paths {
        out.line(format!("{:9}{}", one.change, one.path))?;
    }
    out.note(changes.counts.shown())
}
