//! `list`.

use super::{ListedSnapshot, SnapshotPage};
use crate::api::{operations as op, read};
use crate::error::Error;
use crate::output::format::{age, size};
use crate::remote::Remote;
use clap::Args;
use jiff::Timestamp;

/// List snapshots, newest first
#[derive(Debug, Default, Args)]
pub struct List {
    /// At most this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after this cursor of an earlier list
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    /// Only the snapshot with this name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Only snapshots with this label
    #[arg(long = "label", short, value_name = "KEY=VALUE")]
    labels: Vec<String>,
    /// Include automatic snapshots, snapshots of turns, and safety snapshots
    #[arg(long, short)]
    auto: bool,
    /// Include expired snapshots
    #[arg(long)]
    expired: bool,
    /// Include snapshots that are not ready, or failed
    #[arg(long)]
    unready: bool,
    /// Include snapshots of other sessions, if the session's policy allows it
    #[arg(long)]
    all_sessions: bool,
}

impl List {
    /// Runs the command.
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
            out.more(page.next_cursor.as_deref())
        })
    }
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
