//! The session itself: `open`, `describe`, `close`, `usage` and `retention`.

use super::selectors;
use crate::api::{answer, operations as op, read};
use crate::args::Global;
use crate::error::Error;
use crate::output::format::{age, size, span};
use crate::profile::Profiles;
use crate::remote::Remote;
use clap::Args;
use clap::builder::PossibleValuesParser;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fs;
use std::io::{Read, stdin};

answer! {
    /// A session.
    pub struct SessionView {
        session: String,
        status: String,
        opened_at: String,
        active: WorkspaceRef,
        workspace_dir: String,
        config: WorkspaceConfigAnswer,
        missing: Option<Vec<MissingView>>,
    }

    /// How it was opened.
    pub struct WorkspaceConfigAnswer {
        persist: Option<String>,
        sleep_after: Option<Value>,
        instance_type: Option<String>,
    }

    /// A bucket that lacks snapshots.
    pub struct MissingView { binding: String, message: String, snapshots: u64 }

    /// Names a workspace.
    pub struct WorkspaceRef { r#ref: WorkspaceRefPayload }

    /// The name in it.
    pub struct WorkspaceRefPayload { id: String }

    /// How much a session stores.
    pub struct SessionUsage {
        snapshots: Stored,
        automatic: Stored,
        pinned: Stored,
        held: Stored,
        workspace_count: u64,
        last_used_at: Option<String>,
    }

    /// A number of snapshots, and their size.
    pub struct Stored { count: u64, bytes: u64 }

    /// What the retention policy does.
    pub struct RetentionReport {
        delete_count: u64,
        freed_bytes: u64,
        kept_count: u64,
        kept_bytes: u64,
        next_due_at: Option<String>,
        decisions: Vec<DecisionView>,
        policy: RetentionPolicyView,
    }

    /// What becomes of one snapshot, and why.
    pub struct DecisionView { id: String, verdict: String, reason: String, size_bytes: u64, created_at: String }

    /// The policy.
    pub struct RetentionPolicyView { ttl_seconds: u64, retire_after_seconds: u64 }
}

impl Stored {
    /// As text.
    pub fn shown(&self) -> String {
        format!("{} ({})", self.count, size(self.bytes))
    }
}

impl WorkspaceRef {
    /// The workspace's id.
    pub fn id(&self) -> &str {
        &self.r#ref.id
    }
}

/// Open the session: make it, or check that it is as asked
#[derive(Debug, Args)]
pub struct Open {
    /// The session's name, instead of --session
    name: Option<String>,
    /// Begin with the files of this snapshot: one of this session or, by its id, one that another session has published
    #[arg(long, value_name = "SNAPSHOT")]
    from: Option<String>,
    /// Stop the container after this time without use, such as 20m
    #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
    sleep_after: Option<u64>,
    /// What snapshots hold: the workspace's directory, or the machine's installed packages, too
    #[arg(long, value_parser = PossibleValuesParser::new(op::values::Persist))]
    persist: Option<String>,
    /// Allow previews of this port; may be repeated
    #[arg(long = "preview-port", value_name = "PORT")]
    preview_ports: Vec<u16>,
    /// A file with more of the configuration as JSON; - is standard input
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
    /// Store the session as the profile's default
    #[arg(long)]
    default: bool,
}

impl Open {
    /// Runs the command.
    pub fn run(self, remote: &Remote, global: &Global) -> Result<(), Error> {
        let session = match &self.name {
            Some(name) => name,
            None => remote.session()?,
        };
        let mut call = op::open_session::call(session)?.doing("Opening");
        if let Some(file) = &self.config {
            call.body = config(file)?;
        }
        let call = call
            .field(op::open_session::field::FROM_, self.from.as_deref().map(selectors::snapshot))
            .field(op::open_session::field::SLEEP_AFTER, self.sleep_after)
            .field(op::open_session::field::PERSIST, self.persist)
            .field(
                op::open_session::field::PREVIEW_PORTS,
                (!self.preview_ports.is_empty()).then_some(self.preview_ports),
            );
        remote.show(&call, |out, answer| {
            let view: SessionView = read(answer)?;
            let id = view.active.id();
            out.line(format!("session {} is {}; its workspace is {id}", view.session, view.status))
        })?;
        if self.default {
            return store_default(global, session);
        }
        if remote.session().is_ok_and(|chosen| chosen == session) {
            return Ok(());
        }
        remote.out.note(format!("to act on it from now on: snapshotter open {session} --default"))
    }
}

fn config(file: &str) -> Result<Map<String, Value>, Error> {
    let mut text = String::new();
    let read = if file == "-" {
        stdin().read_to_string(&mut text)
    } else {
        fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.map_err(|error| Error::local(file, error))?;
    serde_json::from_str(&text)
        .map_err(|error| Error::Usage(format!("{file} is no JSON object: {error}")))
}

fn store_default(global: &Global, session: &str) -> Result<(), Error> {
    let mut profiles = Profiles::load()?;
    let chosen = profiles.choose(global.profile.as_deref())?.map(|(name, _)| name.to_owned());
    let profile = chosen.and_then(|name| profiles.profiles.get_mut(&name));
    let Some(profile) = profile else {
        return Err(Error::Usage(
            "--default needs a profile: run `snapshotter login URL` first".to_owned(),
        ));
    };
    profile.session = Some(session.to_owned());
    profiles.save()?;
    global.out().note(format!("commands now act on session {session:?}"))
}

/// Show the session and how it is configured
#[derive(Debug, Args)]
pub struct Describe {}

impl Describe {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::describe_session::call(remote.session()?)?.doing("Asking");
        remote.show(&call, |out, answer| {
            let view: SessionView = read(answer)?;
            let config = &view.config;
            let default = |value: &Option<String>| value.clone().unwrap_or("default".to_owned());
            let sleep_after = config.sleep_after.as_ref().map(|value| match value {
                Value::String(text) => text.clone(),
                seconds => format!("{seconds} s"),
            });
            out.pairs(&[
                ("session", view.session.clone()),
                ("status", view.status.clone()),
                (
                    "opened",
                    format!("{} ({})", view.opened_at, age(&view.opened_at, Timestamp::now())),
                ),
                ("active workspace", view.active.id().to_owned()),
                ("directory", view.workspace_dir.clone()),
                ("snapshots hold", default(&config.persist)),
                ("sleeps after", default(&sleep_after)),
                ("instance type", default(&config.instance_type)),
            ])?;
            for missing in view.missing.iter().flatten() {
                out.line(format!(
                    "{} snapshots are out of reach in {}: {}",
                    missing.snapshots, missing.binding, missing.message
                ))?;
            }
            Ok(())
        })
    }
}

/// Close the session; its snapshots are kept
#[derive(Debug, Args)]
pub struct Close {}

impl Close {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::close_session::call(remote.session()?)?.doing("Closing");
        remote.show(&call, |out, answer| {
            let view: SessionView = read(answer)?;
            out.line(format!("session {} is {}; its snapshots are kept", view.session, view.status))
        })
    }
}

/// Show how much the session stores
#[derive(Debug, Args)]
pub struct Usage {}

impl Usage {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::get_usage::call(remote.session()?)?.doing("Asking");
        remote.show(&call, |out, answer| {
            let usage: SessionUsage = read(answer)?;
            let used = usage.last_used_at.map(|time| age(&time, Timestamp::now()));
            out.pairs(&[
                ("snapshots", usage.snapshots.shown()),
                ("taken by the host", usage.automatic.shown()),
                ("pinned", usage.pinned.shown()),
                ("held for others", usage.held.shown()),
                ("workspaces", usage.workspace_count.to_string()),
                ("last used", used.unwrap_or("never".to_owned())),
            ])
        })
    }
}

/// Show what the retention policy would delete; with --apply, delete it
#[derive(Debug, Args)]
pub struct Retention {
    /// Delete now what is due
    #[arg(long)]
    apply: bool,
}

impl Retention {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = if self.apply {
            op::retain::call(remote.session()?)?.doing("Deleting what is due")
        } else {
            op::plan_retention::call(remote.session()?)?.doing("Asking")
        };
        remote.show(&call, |out, answer| {
            let report: RetentionReport = read(answer)?;
            let verb = if self.apply { "deleted" } else { "to delete" };
            let next = report.next_due_at.map(|time| age(&time, Timestamp::now()));
            out.pairs(&[
                (verb, format!("{} ({})", report.delete_count, size(report.freed_bytes))),
                ("kept", format!("{} ({})", report.kept_count, size(report.kept_bytes))),
                ("next due", next.unwrap_or("nothing".to_owned())),
                ("default life", span(report.policy.ttl_seconds)),
                (
                    "unused workspaces",
                    format!("retired after {}", span(report.policy.retire_after_seconds)),
                ),
            ])?;
            let rows = report.decisions.into_iter().map(|decision| {
                let created = age(&decision.created_at, Timestamp::now());
                [decision.id, size(decision.size_bytes), created, decision.verdict, decision.reason]
            });
            out.table(["SNAPSHOT", "SIZE", "TAKEN", "VERDICT", "REASON"], rows.collect())
        })
    }
}
