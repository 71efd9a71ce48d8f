//! The session itself: `open`, `describe`, `close`, `usage` and `retention`.

use super::selectors;
use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::global::Global;
use crate::output::format::{age, count, size, span};
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
        config: Value,
        missing: Option<Vec<MissingView>>,
    }

    /// What was deleted with a session.
    pub struct DeletedSession { snapshots: u64, workspaces: u64 }

    /// A bucket that lacks snapshots.
    pub struct MissingView { binding: String, message: String, snapshots: u64 }

    /// Names a workspace.
    pub struct WorkspaceRef { r#ref: WorkspaceRefPayload }

    /// The workspace's id.
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
    pub struct Stored { count: u64, size_bytes: u64 }

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

    /// What the policy does with one snapshot, and why.
    pub struct DecisionView { id: String, verdict: String, reason: String, size_bytes: u64, created_at: String }

    /// The policy.
    pub struct RetentionPolicyView { ttl_seconds: u64, retire_after_seconds: u64 }
}

impl Stored {
    /// The numbers as text.
    pub fn shown(&self) -> String {
        format!("{} ({})", self.count, size(self.size_bytes))
    }
}

impl WorkspaceRef {
    /// The workspace's id.
    pub fn id(&self) -> &str {
        &self.r#ref.id
    }
}

/// Open the session: make it, or check that its configuration is the requested one
#[derive(Debug, Args)]
pub struct Open {
    /// The session's name, instead of --session
    name: Option<String>,
    /// Begin with the files of this snapshot: one of this session or, by id, one that another session has published
    #[arg(long, value_name = "SNAPSHOT")]
    from: Option<String>,
    /// Stop the container after this time without use, such as 20m
    #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
    sleep_after: Option<u64>,
    /// Keep the container running while a background process runs, up to 5 h 50 min after the last use
    #[arg(long)]
    keep_awake: bool,
    /// What snapshots hold: only the workspace's directory, or also the machine's installed packages
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
            .field(op::open_session::field::FROM_, self.from)
            .field(op::open_session::field::SLEEP_AFTER, self.sleep_after)
            .field(op::open_session::field::KEEP_AWAKE, self.keep_awake.then_some(true))
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

/// Show the session: its ids and times, what it stores, and its policy
#[derive(Debug, Args)]
pub struct Describe {}

impl Describe {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = remote.session()?;
        let call = op::describe_session::call(session)?.doing("Asking");
        remote.show(&call, |out, answer| {
            let view: SessionView = read(answer)?;
            let usage: SessionUsage = read(&remote.call(&op::get_usage::call(session)?)?)?;
            let plan: RetentionReport = read(&remote.call(&op::plan_retention::call(session)?)?)?;
            let now = Timestamp::now();
            let time = |time: &str| format!("{time} ({})", age(time, now));
            out.pairs(&[
                ("session", view.session.clone()),
                ("status", view.status.clone()),
                ("opened", time(&view.opened_at)),
                ("last used", usage.last_used_at.as_deref().map_or("never".to_owned(), time)),
                ("active workspace", view.active.id().to_owned()),
                ("workspaces", usage.workspace_count.to_string()),
                ("directory", view.workspace_dir.clone()),
                ("snapshots", usage.snapshots.shown()),
                ("snapshots live", span(plan.policy.ttl_seconds)),
                (
                    "unused workspaces",
                    format!("retired after {}", span(plan.policy.retire_after_seconds)),
                ),
            ])?;
            for missing in view.missing.iter().flatten() {
                out.line(format!(
                    "{} snapshots are out of reach in {}: {}",
                    missing.snapshots, missing.binding, missing.message
                ))?;
            }
            let mut policy = Vec::new();
            values("", &view.config, &mut policy);
            out.line("policy that the session was opened with; the rest are defaults:")?;
            let policy: Vec<_> =
                policy.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            out.pairs(&policy)
        })
    }
}

/// The values in a configuration, each with its path, such as `network.mode`.
fn values(path: &str, value: &Value, into: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                values(&format!("{path}{dot}{name}"), value, into);
            }
        }
        Value::Array(items) if items.iter().all(|item| !item.is_object()) => {
            let shown =
                |item: &Value| item.as_str().map_or_else(|| item.to_string(), str::to_owned);
            let items: Vec<String> = items.iter().map(shown).collect();
            into.push((format!("  {path}"), items.join(" ")));
        }
        Value::String(text) => into.push((format!("  {path}"), text.clone())),
        other => into.push((format!("  {path}"), other.to_string())),
    }
}

/// Close the session; its snapshots are kept
#[derive(Debug, Args)]
pub struct Close {
    /// The session's name, instead of --session
    name: Option<String>,
}

impl Close {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = match &self.name {
            Some(name) => name,
            None => remote.session()?,
        };
        let call = op::close_session::call(session)?.doing("Closing");
        remote.show(&call, |out, answer| {
            let view: SessionView = read(answer)?;
            out.line(format!("session {} is {}; its snapshots are kept", view.session, view.status))
        })
    }
}

/// Delete the session with everything it has, including its snapshots
#[derive(Debug, Args)]
pub struct DeleteSession {
    /// Really delete it
    #[arg(long)]
    force: bool,
}

impl DeleteSession {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::delete_session::call(remote.session()?)?
            .doing("Deleting")
            .flag(op::delete_session::query::FORCE, self.force);
        remote.show(&call, |out, answer| {
            let gone: DeletedSession = read(answer)?;
            out.line(format!(
                "deleted with {} and {}",
                count(gone.workspaces, "workspace"),
                count(gone.snapshots, "snapshot")
            ))
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
                ("taken automatically", usage.automatic.shown()),
                ("pinned", usage.pinned.shown()),
                ("deleted, but needed by others", usage.held.shown()),
                ("workspaces", usage.workspace_count.to_string()),
                ("last used", used.unwrap_or("never".to_owned())),
            ])
        })
    }
}

/// Show what the retention policy would delete; with --apply, delete it
#[derive(Debug, Args)]
pub struct Retention {
    /// Delete the snapshots that are due now
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_configuration_is_shown_by_its_values() {
        let config = json!({
            "persist": "machine", "sleepAfter": 1800, "id": null, "previewPorts": [80, 81],
            "network": { "mode": "allowlist", "hosts": ["a.example", "b.example"] },
            "services": [{ "name": "web" }], "envVars": {}
        });
        let mut shown = Vec::new();
        values("", &config, &mut shown);
        let shown: Vec<String> =
            shown.iter().map(|(name, value)| format!("{} {value}", name.trim_start())).collect();
        assert_eq!(
            shown,
            [
                "persist machine",
                "sleepAfter 1800",
                "previewPorts 80 81",
                "network.mode allowlist",
                "network.hosts a.example b.example",
                "services [{\"name\":\"web\"}]",
            ]
        );
    }
}
