//! `update`, `delete` and `flatten`.

use super::{Deleted, SnapshotView, describe};
use crate::api::{operations as op, read};
use crate::commands::selectors;
use crate::error::Error;
use crate::remote::Remote;
use clap::Args;
use serde_json::{Map, Value};

/// Change a snapshot's name, description, labels, expiry, pin or publication
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true).args([
    "name", "no_name", "description", "labels", "unlabels", "expires_at", "pin", "unpin", "publish", "unpublish",
]))]
pub struct Update {
    /// The snapshot's name or id
    snapshot: String,
    /// Name the snapshot
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Remove the snapshot's name
    #[arg(long, conflicts_with = "name")]
    no_name: bool,
    /// Take the name from the snapshot that has it
    #[arg(long)]
    replace: bool,
    /// Describe the snapshot; an empty text removes the description
    #[arg(long, short, value_name = "TEXT")]
    description: Option<String>,
    /// Set a label
    #[arg(long = "label", short, value_name = "KEY=VALUE", value_parser = selectors::pair)]
    labels: Vec<(String, String)>,
    /// Remove a label
    #[arg(long = "unlabel", value_name = "KEY")]
    unlabels: Vec<String>,
    /// Keep the snapshot until this time, such as 2027-01-31T00:00:00Z
    #[arg(long, value_name = "TIME")]
    expires_at: Option<String>,
    /// Protect the snapshot from deletion
    #[arg(long)]
    pin: bool,
    /// Let the snapshot be deleted again
    #[arg(long, conflicts_with = "pin")]
    unpin: bool,
    /// Let other sessions begin with the snapshot
    #[arg(long)]
    publish: bool,
    /// Stop other sessions from beginning with the snapshot
    #[arg(long, conflicts_with = "publish")]
    unpublish: bool,
}

impl Update {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::update_snapshot::field;
        let switch = |on: bool, off: bool| (on || off).then_some(on);
        let labels: Map<String, Value> =
            self.labels.into_iter().map(|(key, value)| (key, value.into())).collect();
        let mut clear: Vec<String> =
            self.unlabels.iter().map(|key| format!("labels.{key}")).collect();
        if self.no_name {
            clear.push("name".to_owned());
        }
        if self.description.as_deref() == Some("") {
            clear.push("description".to_owned());
        }
        let call = op::update_snapshot::call(remote.session()?, &self.snapshot)?
            .doing("Changing the snapshot")
            .field(field::NAME, self.name)
            .field_flag(field::REPLACE, self.replace)
            .field(field::LABELS, (!labels.is_empty()).then_some(Value::Object(labels)))
            .field(field::DESCRIPTION, self.description.filter(|text| !text.is_empty()))
            .field(field::CLEAR, (!clear.is_empty()).then_some(clear))
            .field(field::EXPIRES_AT, self.expires_at)
            .field(field::PINNED, switch(self.pin, self.unpin))
            .field(field::PUBLISHED, switch(self.publish, self.unpublish));
        remote.show(&call, |out, answer| describe(out, &read::<SnapshotView>(answer)?.snapshot))
    }
}

/// Delete snapshots
#[derive(Debug, Args)]
pub struct Delete {
    /// The snapshots' names or ids
    #[arg(required = true)]
    snapshots: Vec<String>,
    /// Delete even if pinned, published or needed by a workspace
    #[arg(long, short)]
    force: bool,
    /// Delete the archives too; first make layers above them full
    #[arg(long)]
    purge: bool,
}

impl Delete {
    /// Runs the command.
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

/// Make an incremental snapshot full, so that it needs no other snapshot
#[derive(Debug, Args)]
pub struct Flatten {
    /// The snapshot's name or id
    snapshot: String,
}

impl Flatten {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call =
            op::flatten_snapshot::call(remote.session()?, &self.snapshot)?.doing("Flattening");
        remote.show(&call, |out, answer| describe(out, &read::<SnapshotView>(answer)?.snapshot))
    }
}
