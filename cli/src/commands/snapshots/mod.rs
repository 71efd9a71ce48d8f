//! Snapshots: take, list, show, change and delete them.

mod change;
mod list;
mod take;
mod transfer;

pub use change::{Delete, Flatten, Update};
pub use list::List;
pub use take::{Take, take_unnamed};
pub use transfer::{Export, Import};

use super::selectors::SNAPSHOT_HELP;
use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output::Out;
use crate::output::format::{age, size};
use crate::remote::Remote;
use clap::Args;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

answer! {
    /// A page of the list.
    pub struct SnapshotPage {
        snapshots: Vec<ListedSnapshot>,
        next_cursor: Option<String>,
        problems: Option<Vec<ListProblem>>,
    }

    /// A snapshot that can't be shown.
    pub struct ListProblem { id: String, error: crate::error::ErrorBody }

    /// A snapshot in a list.
    pub struct ListedSnapshot {
        id: String,
        name: Option<String>,
        size_bytes: Option<u64>,
        created_at: String,
        expires_at: String,
        trigger: String,
        kind: Option<String>,
        state: String,
        pinned: bool,
        published: bool,
        labels: BTreeMap<String, String>,
    }

    /// The answer of a call about one snapshot.
    pub struct SnapshotView {
        snapshot: SnapshotSummary,
        unchanged: Option<bool>,
        woken: Option<Woken>,
    }

    /// A snapshot.
    pub struct SnapshotSummary {
        id: String,
        name: Option<String>,
        description: Option<String>,
        size_bytes: Option<u64>,
        created_at: String,
        expires_at: String,
        trigger: String,
        kind: Option<String>,
        state: String,
        restorable: bool,
        unrestorable_because: Option<String>,
        pinned: bool,
        published: bool,
        labels: BTreeMap<String, String>,
        parent_id: Option<String>,
        sha256: Option<String>,
        turn: Option<Turn>,
        git: Option<GitState>,
    }

    /// The turn that a snapshot ended.
    pub struct Turn { number: u64, label: Option<String>, cursor: Option<Value> }

    /// The git repository in the workspace's root.
    pub struct GitState { branch: Option<String>, head: Option<String>, clean: bool }

    /// The woken workspace, if it slept before the call.
    pub struct Woken { message: String }

    /// Whether a snapshot was deleted.
    pub struct Deleted { deleted: bool }
}

impl SnapshotSummary {
    /// The snapshot's name, or else its id.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }
}

/// Says that a workspace was woken, and how old its files are.
pub fn tell_woken(out: &Out, woken: Option<&Woken>) -> Result<(), Error> {
    woken.map_or(Ok(()), |woken| out.note(&woken.message))
}

/// Show a snapshot, or its history
#[derive(Debug, Args)]
pub struct Show {
    #[arg(help = SNAPSHOT_HELP)]
    snapshot: String,
    /// Show the events of the snapshot instead
    #[arg(long)]
    history: bool,
}

impl Show {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = remote.session()?;
        let snapshot = &self.snapshot;
        if self.history {
            let call = op::list_snapshot_events::call(session, snapshot)?.doing("Asking");
            return remote.show(&call, super::events::table);
        }
        let call = op::get_snapshot::call(session, snapshot)?.doing("Asking");
        remote.show(&call, |out, answer| describe(out, &read::<SnapshotView>(answer)?.snapshot))
    }
}

fn describe(out: &Out, snapshot: &SnapshotSummary) -> Result<(), Error> {
    let now = Timestamp::now();
    let time = |time: &str| format!("{time} ({})", age(time, now));
    let labels = snapshot.labels.iter().map(|(key, value)| format!("{key}={value}"));
    let state = match (&snapshot.unrestorable_because, snapshot.restorable) {
        (Some(code), false) => format!("{}, not restorable: {code}", snapshot.state),
        (None, false) => format!("{}, not restorable", snapshot.state),
        (_, true) => format!("{}, restorable", snapshot.state),
    };
    let mut pairs = vec![
        ("id", snapshot.id.clone()),
        ("name", snapshot.name.clone().unwrap_or_default()),
        ("description", snapshot.description.clone().unwrap_or_default()),
        ("state", state),
        ("size", snapshot.size_bytes.map(size).unwrap_or_default()),
        ("taken", time(&snapshot.created_at)),
        ("expires", time(&snapshot.expires_at)),
        ("by", snapshot.trigger.clone()),
        ("kind", snapshot.kind.clone().unwrap_or_default()),
        ("parent", snapshot.parent_id.clone().unwrap_or_default()),
        ("labels", labels.collect::<Vec<_>>().join(" ")),
        ("pinned", snapshot.pinned.to_string()),
        ("published", snapshot.published.to_string()),
        ("sha256", snapshot.sha256.clone().unwrap_or_default()),
    ];
    if let Some(turn) = &snapshot.turn {
        let label = turn.label.as_deref().unwrap_or_default();
        let cursor = turn.cursor.as_ref().map(Value::to_string).unwrap_or_default();
        pairs.push(("turn", format!("{} {label} {cursor}", turn.number)));
    }
    if let Some(git) = &snapshot.git {
        let name = |name: &Option<String>| name.clone().unwrap_or("none".to_owned());
        let state = if git.clean { "clean" } else { "changed" };
        pairs.push((
            "git",
            format!("branch {}, head {}, {state}", name(&git.branch), name(&git.head)),
        ));
    }
    pairs.retain(|(_, value)| !value.is_empty());
    out.pairs(&pairs)
}
