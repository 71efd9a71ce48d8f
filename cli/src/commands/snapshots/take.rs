//! `snapshot`.

use super::{SnapshotView, tell_woken};
use crate::api::{operations as op, read};
use crate::commands::selectors;
use crate::error::Error;
use crate::output::format::{age, size};
use crate::remote::Remote;
use clap::Args;
use jiff::Timestamp;
use serde_json::{Map, Value};

/// Save the active workspace's files as a snapshot
#[derive(Debug, Args)]
pub struct Take {
    /// A name for the snapshot, unique in the session
    name: Option<String>,
    /// A description of the snapshot
    #[arg(long, short, value_name = "TEXT")]
    description: Option<String>,
    /// A label
    #[arg(long = "label", short, value_name = "KEY=VALUE", value_parser = selectors::pair)]
    labels: Vec<(String, String)>,
    /// How long to keep the snapshot, such as 12h or 7d
    #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
    ttl: Option<u64>,
    /// Take the name from the snapshot that has it
    #[arg(long)]
    replace: bool,
    /// Store only what changed since the last snapshot
    #[arg(long)]
    incremental: bool,
}

impl Take {
    /// A command that takes a snapshot with this name and no other options.
    pub fn named(name: Option<String>) -> Self {
        Self {
            name,
            description: None,
            labels: Vec::new(),
            ttl: None,
            replace: false,
            incremental: false,
        }
    }

    /// Runs the command.
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
