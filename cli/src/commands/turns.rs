//! Turns of a conversation, and the lineage of workspaces and snapshots.

use super::snapshots::{SnapshotView, tell_woken};
use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output::format::age;
use crate::remote::Remote;
use clap::Args;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

answer! {
    /// Turns.
    pub struct Timeline { turns: Vec<TurnView>, next_cursor: Option<String> }

    /// A turn.
    pub struct TurnView {
        number: u64,
        at: String,
        label: Option<String>,
        cursor: Option<Value>,
        snapshot_id: String,
        restorable: bool,
        changes: Option<TurnChanges>,
        commands: Option<Vec<CommandView>>,
        earlier_commands: Option<u64>,
    }

    /// A command that ran in the turn.
    pub struct CommandView { exit_code: Option<i64> }

    /// What the turn changed.
    pub struct TurnChanges { counts: Option<ChangeCounts> }

    /// How many files changed, and how.
    pub struct ChangeCounts { added: u64, removed: u64, modified: u64, renamed: u64, access: u64 }

    /// The tree of workspaces and snapshots.
    pub struct Lineage { text: String, truncated: bool }
}

impl ChangeCounts {
    /// The counts as text, without zeros.
    pub fn shown(&self) -> String {
        let counts = [
            (self.added, "added"),
            (self.removed, "removed"),
            (self.modified, "modified"),
            (self.renamed, "renamed"),
            (self.access, "with other access"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let shown: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        if shown.is_empty() { "no changes".to_owned() } else { shown.join(", ") }
    }
}

/// Save the active workspace at the end of a turn of the conversation
#[derive(Debug, Args)]
pub struct Turn {
    /// A label for the turn
    label: Option<String>,
    /// The turn's place in the conversation, as JSON
    #[arg(long, value_name = "JSON")]
    cursor: Option<String>,
}

impl Turn {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let cursor = self.cursor.as_deref().map(serde_json::from_str::<Value>).transpose();
        let cursor =
            cursor.map_err(|error| Error::Usage(format!("--cursor is no JSON: {error}")))?;
        let call = op::save_turn::call(remote.session()?)?
            .doing("Saving the turn")
            .field(op::save_turn::field::LABEL, self.label)
            .field(op::save_turn::field::CURSOR, cursor);
        remote.show(&call, |out, answer| {
            let view: SnapshotView = read(answer)?;
            tell_woken(out, view.woken.as_ref())?;
            let number = view.snapshot.turn.as_ref().map(|turn| turn.number.to_string());
            let number = number.unwrap_or_default();
            out.line(format!("turn {number}, snapshot {}", view.snapshot.title()))?;
            out.note(format!("to come back to it: snapshotter rewind turn:{number}"))
        })
    }
}

/// List turns, newest first, with the changes of each turn
#[derive(Debug, Default, Args)]
pub struct TimelineArgs {
    /// At most this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after this cursor of an earlier list
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

impl TimelineArgs {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::list_turns::call(remote.session()?)?
            .doing("Listing turns")
            .query(op::list_turns::query::LIMIT, self.limit)
            .query(op::list_turns::query::CURSOR, self.cursor);
        remote.show(&call, |out, answer| {
            let timeline: Timeline = read(answer)?;
            let now = Timestamp::now();
            let rows = timeline.turns.into_iter().map(|turn| {
                let ran = ran(turn.commands.unwrap_or_default(), turn.earlier_commands);
                let counts = turn.changes.and_then(|changes| changes.counts);
                [
                    turn.number.to_string(),
                    turn.label.unwrap_or_default(),
                    age(&turn.at, now),
                    counts.map(|counts| counts.shown()).unwrap_or_default(),
                    ran,
                    turn.cursor.map(|cursor| cursor.to_string()).unwrap_or_default(),
                    if turn.restorable { turn.snapshot_id } else { "gone".to_owned() },
                ]
            });
            out.table(
                ["TURN", "LABEL", "ENDED", "CHANGES", "COMMANDS", "CURSOR", "SNAPSHOT"],
                rows.collect(),
            )?;
            out.more(timeline.next_cursor.as_deref())
        })
    }
}

/// How many commands ran, and how many of the named ones failed.
fn ran(named: Vec<CommandView>, earlier: Option<u64>) -> String {
    let failed = named.iter().filter(|ran| ran.exit_code.is_some_and(|code| code != 0)).count();
    let all = u64::try_from(named.len()).unwrap_or(u64::MAX).saturating_add(earlier.unwrap_or(0));
    match failed {
        0 => all.to_string(),
        failed => format!("{all}, {failed} failed"),
    }
}

/// Show the tree of workspaces and snapshots: what came from what, and where you are
#[derive(Debug, Args)]
pub struct LineageArgs {}

impl LineageArgs {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::get_lineage::call(remote.session()?)?.doing("Asking");
        remote.show(&call, |out, answer| {
            let lineage: Lineage = read(answer)?;
            out.block(&lineage.text)?;
            if lineage.truncated { out.note("older places are left out") } else { Ok(()) }
        })
    }
}
