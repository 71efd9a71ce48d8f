//! Snapshots: take, list, look at, change and delete them.

use super::selectors;
use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output::Out;
use crate::output::format::{age, size};
use crate::remote::Remote;
use clap::Args;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
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

    /// What a call about one snapshot answers.
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

    /// The workspace slept, and was woken for the call.
    pub struct Woken { message: String }

    /// Whether a snapshot was deleted.
    pub struct Deleted { deleted: bool }
}

impl SnapshotSummary {
    /// Its name, or else its id.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }
}

/// Says that a workspace was woken, and how old its files are.
pub fn tell_woken(out: &Out, woken: Option<&Woken>) -> Result<(), Error> {
    woken.map_or(Ok(()), |woken| out.note(&woken.message))
}

/// Save the active workspace's files as a snapshot
#[derive(Debug, Args)]
pub struct Take {
    /// A name for it, unique in the session
    name: Option<String>,
    /// What it is
    #[arg(long, short, value_name = "TEXT")]
    description: Option<String>,
    /// A label
    #[arg(long = "label", short, value_name = "KEY=VALUE", value_parser = selectors::pair)]
    labels: Vec<(String, String)>,
    /// How long to keep it, such as 12h or 7d
    #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
    ttl: Option<u64>,
    /// Take the name from the snapshot that has it
    #[arg(long)]
    replace: bool,
    /// Store only what changed since the last one
    #[arg(long)]
    incremental: bool,
}

impl Take {
    /// One with this name and nothing else.
    pub fn named(name: Option<String>) -> Self {
        Self { name, description: None, labels: Vec::new(), ttl: None, replace: false, incremental: false }
    }

    /// Does it.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::take_snapshot::field;
        let labels: Map<String, Value> =
            self.labels.into_iter().map(|(key, value)| (key, value.into())).collect();
        let call = op::take_snapshot::call(remote.session()?)?
            .doing("Taking a snapshot")
            .field(field::NAME, self.name)
            .field(field::DESCRIPTION, self.description)
            .field(field::LABELS, (!labels.is_empty()).then_some(Value::Object(labels)))
            .field(field::TTL_SECONDS, self.ttl)
            .field_flag(field::REPLACE, self.replace)
            .field_flag(field::INCREMENTAL, self.incremental);
        remote.show(&call, |out, answer| {
            let view: SnapshotView = read(answer)?;
            tell_woken(out, view.woken.as_ref())?;
            let snapshot = &view.snapshot;
            let size = size(snapshot.size_bytes.unwrap_or(0));
            let expires = age(&snapshot.expires_at, Timestamp::now());
            let name = snapshot.name.as_ref().map(|name| format!(" {name:?}")).unwrap_or_default();
            out.line(format!("snapshot{name} {}, {size}, expires {expires}", snapshot.id))?;
            if view.unchanged == Some(true) {
                out.note("nothing had changed since the last one, so nothing was uploaded")?;
            }
            Ok(())
        })
    }
}

/// Takes a snapshot without a name, and returns its id.
pub fn take_unnamed(remote: &Remote) -> Result<String, Error> {
    let call = op::take_snapshot::call(remote.session()?)?.doing("Taking a snapshot");
    Ok(read::<SnapshotView>(&remote.call(&call)?)?.snapshot.id)
}

/// List snapshots, newest first
#[derive(Debug, Default, Args)]
pub struct List {
    /// At most this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Go on where an earlier list ended
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    /// Only the one with this name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Only those with this label
    #[arg(long = "label", short, value_name = "KEY=VALUE")]
    labels: Vec<String>,
    /// Also those that the host took by itself
    #[arg(long, short)]
    auto: bool,
    /// Also those that have expired
    #[arg(long)]
    expired: bool,
    /// Also those that are not ready, or failed
    #[arg(long)]
    unready: bool,
    /// Also those of other sessions, if the session's policy allows it
    #[arg(long)]
    all_sessions: bool,
}

impl List {
    /// Does it.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::list_snapshots::query;
        let mut call = op::list_snapshots::call(remote.session()?)?
            .doing("Listing snapshots")
            .query(query::LIMIT, self.limit)
            .query(query::CURSOR, self.cursor)
            .query(query::NAME, self.name)
            .flag(query::INCLUDE_AUTO, self.auto)
            .flag(query::INCLUDE_EXPIRED, self.expired)
            .flag(query::INCLUDE_UNREADY, self.unready)
            .flag(query::ALLOW_CROSS_SESSION, self.all_sessions);
        for label in self.labels {
            call = call.query(query::LABELS, Some(label));
        }
        remote.show(&call, |out, answer| {
            let page: SnapshotPage = read(answer)?;
            let rows = page.snapshots.iter().map(row);
            out.table(["NAME", "ID", "SIZE", "TAKEN", "EXPIRES", "BY", "FLAGS"], rows.collect())?;
            for problem in page.problems.iter().flatten() {
                out.note(format!("{}: {}", problem.id, problem.error.message))?;
            }
            more(out, page.next_cursor.as_deref())
        })
    }
}

/// Says that there is more, and how to get it.
pub fn more(out: &Out, cursor: Option<&str>) -> Result<(), Error> {
    cursor.map_or(Ok(()), |cursor| out.note(format!("there are more: repeat it with --cursor {cursor}")))
}

fn row(snapshot: &ListedSnapshot) -> [String; 7] {
    let now = Timestamp::now();
    let mut flags = Vec::new();
    if snapshot.state != "ready" {
        flags.push(snapshot.state.clone());
    }
    for (is_set, flag) in [
        (snapshot.pinned, "pinned"),
        (snapshot.published, "published"),
        (snapshot.kind.as_deref() == Some("layer"), "layer"),
    ] {
        if is_set {
            flags.push(flag.to_owned());
        }
    }
    flags.extend(snapshot.labels.iter().map(|(key, value)| format!("{key}={value}")));
    [
        snapshot.name.clone().unwrap_or_default(),
        snapshot.id.clone(),
        snapshot.size_bytes.map(size).unwrap_or_default(),
        age(&snapshot.created_at, now),
        age(&snapshot.expires_at, now),
        snapshot.trigger.clone(),
        flags.join(" "),
    ]
}

/// Show a snapshot, or its history
#[derive(Debug, Args)]
pub struct Show {
    /// Its name or id
    snapshot: String,
    /// Show what happened to it, instead
    #[arg(long)]
    history: bool,
}

impl Show {
    /// Does it.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = remote.session()?;
        if self.history {
            let call = op::list_snapshot_events::call(session, &self.snapshot)?.doing("Asking");
            return remote.show(&call, |out, answer| super::events::table(out, answer));
        }
        let call = op::get_snapshot::call(session, &self.snapshot)?.doing("Asking");
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
        pairs.push(("git", format!("branch {}, head {}, {state}", name(&git.branch), name(&git.head))));
    }
    pairs.retain(|(_, value)| !value.is_empty());
    out.pairs(&pairs)
}

/// Change a snapshot's name, description, labels, expiry, pin or publication
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true).args([
    "name", "no_name", "description", "labels", "unlabels", "expires_at", "pin", "unpin", "publish", "unpublish",
]))]
pub struct Update {
    /// Its name or id
    snapshot: String,
    /// Name it
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Take its name away
    #[arg(long, conflicts_with = "name")]
    no_name: bool,
    /// Take the name from the snapshot that has it
    #[arg(long)]
    replace: bool,
    /// Describe it; an empty text removes the description
    #[arg(long, short, value_name = "TEXT")]
    description: Option<String>,
    /// Set a label
    #[arg(long = "label", short, value_name = "KEY=VALUE", value_parser = selectors::pair)]
    labels: Vec<(String, String)>,
    /// Remove a label
    #[arg(long = "unlabel", value_name = "KEY")]
    unlabels: Vec<String>,
    /// Keep it until this time, such as 2027-01-31T00:00:00Z
    #[arg(long, value_name = "TIME")]
    expires_at: Option<String>,
    /// Keep it from being deleted
    #[arg(long)]
    pin: bool,
    /// End that
    #[arg(long, conflicts_with = "pin")]
    unpin: bool,
    /// Let other sessions begin with it
    #[arg(long)]
    publish: bool,
    /// End that
    #[arg(long, conflicts_with = "publish")]
    unpublish: bool,
}

impl Update {
    /// Does it.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::update_snapshot::field;
        let switch = |on: bool, off: bool| (on || off).then_some(on);
        let mut labels = Map::new();
        labels.extend(self.labels.into_iter().map(|(key, value)| (key, value.into())));
        labels.extend(self.unlabels.into_iter().map(|key| (key, Value::Null)));
        let mut call = op::update_snapshot::call(remote.session()?, &self.snapshot)?
            .doing("Changing the snapshot")
            .field(field::NAME, self.name)
            .field_flag(field::REPLACE, self.replace)
            .field(field::LABELS, (!labels.is_empty()).then_some(Value::Object(labels)))
            .field(field::EXPIRES_AT, self.expires_at)
            .field(field::PINNED, switch(self.pin, self.unpin))
            .field(field::PUBLISHED, switch(self.publish, self.unpublish));
        if self.no_name {
            call = call.field_or_null(field::NAME, Value::Null);
        }
        if let Some(text) = self.description {
            call = call.field_or_null(field::DESCRIPTION, (!text.is_empty()).then_some(text));
        }
        remote.show(&call, |out, answer| describe(out, &read::<SnapshotView>(answer)?.snapshot))
    }
}

/// Delete snapshots
#[derive(Debug, Args)]
pub struct Delete {
    /// Their names or ids
    #[arg(required = true)]
    snapshots: Vec<String>,
    /// Also if one is pinned, published or needed by a workspace
    #[arg(long, short)]
    force: bool,
    /// Also free its archive if others are layers on it: makes those full first
    #[arg(long)]
    purge: bool,
}

impl Delete {
    /// Does it.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        for snapshot in &self.snapshots {
            let call = op::delete_snapshot::call(remote.session()?, snapshot)?
                .doing("Deleting")
                .flag(op::delete_snapshot::query::FORCE, self.force)
                .flag(op::delete_snapshot::query::PURGE, self.purge);
            remote.show(&call, |out, answer| {
                let Deleted { deleted } = read(answer)?;
                let what = if deleted { "deleted" } else { "was already deleted:" };
                out.line(format!("{what} {snapshot}"))
            })?;
        }
        Ok(())
    }
}

/// Make an incremental snapshot full, so that it needs no other one
#[derive(Debug, Args)]
pub struct Flatten {
    /// Its name or id
    snapshot: String,
}

impl Flatten {
    /// Does it.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::flatten_snapshot::call(remote.session()?, &self.snapshot)?.doing("Flattening");
        remote.show(&call, |out, answer| describe(out, &read::<SnapshotView>(answer)?.snapshot))
    }
}
