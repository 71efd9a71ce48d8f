//! `operator`: what the operator sees and does across sessions.

mod pools;

use super::selectors;
use super::session::{Stored, WorkspaceRef};
use crate::api::{Call, answer, operations as op, read};
use crate::error::{Error, ErrorBody};
use crate::output::Out;
use crate::output::format::{age, size};
use crate::remote::Remote;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal, Read, stdin};

answer! {
    /// Sessions.
    pub struct SessionList { sessions: Vec<ListedSession>, next_cursor: Option<String> }

    /// A session that was opened.
    pub struct ListedSession { session: String, registered_at: String }

    /// Workspaces of all sessions.
    pub struct WorkspacePage {
        workspaces: Vec<SessionWorkspace>,
        problems: Vec<SessionProblem>,
        next_cursor: Option<String>,
    }

    /// A workspace of a session.
    pub struct SessionWorkspace {
        session: String,
        r#ref: WorkspaceRef,
        active: bool,
        kind: String,
        status: String,
        container: Option<String>,
        last_used_at: String,
        waiting_to_start: Option<WaitingToStart>,
    }

    /// A container that waits to start.
    pub struct WaitingToStart { since: String, place: u64 }

    /// A session that did not answer.
    pub struct SessionProblem { session: String, error: ErrorBody }

    /// What each session stores.
    pub struct UsagePage {
        sessions: Vec<SessionUsage>,
        problems: Vec<SessionProblem>,
        total: Stored,
        next_cursor: Option<String>,
    }

    /// What a session stores.
    pub struct SessionUsage {
        session: String,
        snapshots: Stored,
        automatic: Stored,
        pinned: Stored,
        workspace_count: u64,
        last_used_at: Option<String>,
    }

    /// What a prune deleted or would delete.
    pub struct PrunePage {
        deleted: Vec<PrunedBackup>,
        examined_count: u64,
        freed_bytes: u64,
        kept: BTreeMap<String, u64>,
        problems: Vec<PruneProblem>,
        next_cursor: Option<String>,
    }

    /// A backup that is deleted or would be deleted.
    pub struct PrunedBackup { id: String, session: Option<String>, size_bytes: u64, ownerless: Option<String> }

    /// A backup that could not be deleted.
    pub struct PruneProblem { id: String, error: ErrorBody }
}

/// Look at all sessions, and delete old backups. Needs the operator's token
#[derive(Debug, Args)]
pub struct Operator {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the sessions that were ever opened
    Sessions(Page),
    /// List the workspaces of all sessions
    Workspaces {
        #[command(flatten)]
        page: Page,
        /// Only workspaces whose containers run
        #[arg(long)]
        running: bool,
    },
    /// List the warm pools
    Pools,
    /// Destroy a warm pool and its containers, but not the containers that sessions have taken
    DestroyPool {
        /// The pool's id, as `pools` shows it
        pool: String,
    },
    /// Show how much each session stores
    Usage(Page),
    /// Show events that belong to no session
    Events(Page),
    /// Print metrics, in the text format of Prometheus
    Metrics,
    /// Show what a rule would delete across sessions, then ask whether to delete it
    Prune(Prune),
}

#[derive(Debug, Args)]
struct Page {
    /// At most this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after this cursor of an earlier list
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

#[derive(Debug, Args)]
struct Prune {
    /// Only backups of at least this age, such as 30d; 0 for any age
    #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
    older_than: u64,
    /// Keep this many of each session's latest backups
    #[arg(long, value_name = "N")]
    keep_last: Option<u64>,
    /// Only backups of the session that --session names on the command line
    #[arg(long)]
    only_session: bool,
    /// Only backups taken for this reason
    #[arg(long, value_parser = PossibleValuesParser::new(op::values::SnapshotTrigger))]
    trigger: Option<String>,
    /// Include backups of this kind, which no session's catalogue lists
    #[arg(long, value_parser = PossibleValuesParser::new(op::values::Ownerless))]
    ownerless: Vec<String>,
    /// Delete without asking
    #[arg(long, short)]
    yes: bool,
    /// Only show what would be deleted
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

impl Operator {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        match self.what {
            What::Sessions(page) => {
                use op::list_sessions::query;
                let call = op::list_sessions::call()?
                    .query(query::LIMIT, page.limit)
                    .query(query::CURSOR, page.cursor);
                remote.show(&call.doing("Listing sessions"), sessions)
            }
            What::Workspaces { page, running } => {
                use op::list_all_workspaces::query;
                let call = op::list_all_workspaces::call()?
                    .query(query::LIMIT, page.limit)
                    .query(query::CURSOR, page.cursor)
                    .flag(query::RUNNING, running);
                remote.show(&call.doing("Asking the sessions"), workspaces)
            }
            What::Pools => pools::list(remote),
            What::DestroyPool { pool } => pools::destroy(remote, &pool),
            What::Usage(page) => {
                use op::list_usage::query;
                let call = op::list_usage::call()?
                    .query(query::LIMIT, page.limit)
                    .query(query::CURSOR, page.cursor);
                remote.show(&call.doing("Asking the sessions"), usage)
            }
            What::Events(page) => {
                use op::list_operator_events::query;
                let call = op::list_operator_events::call()?
                    .query(query::LIMIT, page.limit)
                    .query(query::CURSOR, page.cursor);
                remote.show(&call.doing("Asking"), super::events::table)
            }
            What::Metrics => metrics(remote),
            What::Prune(prune) => prune.run(remote),
        }
    }
}

fn metrics(remote: &Remote) -> Result<(), Error> {
    let mut text = String::new();
    let mut body = remote.client.stream(&op::get_metrics::call()?)?;
    body.read_to_string(&mut text)
        .map_err(|error| Error::Network(format!("the answer broke off: {error}")))?;
    remote.out.block(&text)
}

fn sessions(out: &Out, answer: &Value) -> Result<(), Error> {
    let list: SessionList = read(answer)?;
    let now = Timestamp::now();
    let rows = list
        .sessions
        .into_iter()
        .map(|session| [session.session, age(&session.registered_at, now)]);
    out.table(["SESSION", "OPENED"], rows.collect())?;
    out.more(list.next_cursor.as_deref())
}

fn workspaces(out: &Out, answer: &Value) -> Result<(), Error> {
    let page: WorkspacePage = read(answer)?;
    let now = Timestamp::now();
    let rows = page.workspaces.into_iter().map(|workspace| {
        [
            workspace.session,
            if workspace.active { "*" } else { "" }.to_owned(),
            workspace.r#ref.id().to_owned(),
            workspace.kind,
            workspace.status,
            match workspace.waiting_to_start {
                Some(waiting) => {
                    format!("waits, no. {}, {}", waiting.place, age(&waiting.since, now))
                }
                None => workspace.container.unwrap_or_default(),
            },
            age(&workspace.last_used_at, now),
        ]
    });
    out.table(["SESSION", "", "WORKSPACE", "KIND", "STATUS", "CONTAINER", "USED"], rows.collect())?;
    tell_problems(out, &page.problems)?;
    out.more(page.next_cursor.as_deref())
}

fn usage(out: &Out, answer: &Value) -> Result<(), Error> {
    let page: UsagePage = read(answer)?;
    let now = Timestamp::now();
    let rows = page.sessions.into_iter().map(|usage| {
        [
            usage.session,
            usage.snapshots.shown(),
            usage.automatic.shown(),
            usage.pinned.shown(),
            usage.workspace_count.to_string(),
            usage.last_used_at.map(|time| age(&time, now)).unwrap_or_default(),
        ]
    });
    out.table(
        ["SESSION", "SNAPSHOTS", "BY THE HOST", "PINNED", "WORKSPACES", "USED"],
        rows.collect(),
    )?;
    out.line(format!("total of this page: {}", page.total.shown()))?;
    tell_problems(out, &page.problems)?;
    out.more(page.next_cursor.as_deref())
}

fn tell_problems(out: &Out, problems: &[SessionProblem]) -> Result<(), Error> {
    problems.iter().try_for_each(|problem| {
        out.note(format!(
            "session {}: {} ({})",
            problem.session, problem.error.message, problem.error.code
        ))
    })
}

impl Prune {
    fn run(self, remote: &Remote) -> Result<(), Error> {
        if self.yes {
            return self.pass(remote, false).map(|_| ());
        }
        let (count, bytes) = self.pass(remote, true)?;
        if count == 0 || self.dry_run {
            return Ok(());
        }
        if !stdin().is_terminal() {
            return remote.out.note("nothing was deleted: repeat it with --yes to delete them");
        }
        let what =
            if count == 1 { "this backup".to_owned() } else { format!("these {count} backups") };
        remote.out.ask(format!("Delete {what} ({})? Type yes to do it: ", size(bytes)))?;
        let mut line = String::new();
        stdin()
            .lock()
            .read_line(&mut line)
            .map_err(|error| Error::local("standard input", error))?;
        if line.trim() != "yes" {
            return remote.out.note("nothing was deleted");
        }
        self.pass(remote, false).map(|_| ())
    }

    /// Goes through all pages. Returns the count and size of the backups to delete.
    fn pass(&self, remote: &Remote, is_dry_run: bool) -> Result<(u64, u64), Error> {
        let (mut count, mut bytes, mut examined) = (0, 0, 0);
        let mut cursor: Option<String> = None;
        loop {
            let call = self.call(remote, is_dry_run, cursor)?;
            let answer = remote.call(&call.doing("Looking at backups"))?;
            let page: PrunePage = read(&answer)?;
            count += page.deleted.len() as u64;
            bytes += page.freed_bytes;
            examined += page.examined_count;
            if remote.out.is_json() {
                remote.out.json(&answer)?;
            } else {
                tell_page(&remote.out, &page, is_dry_run)?;
            }
            match page.next_cursor {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        let what = if is_dry_run { "would be deleted" } else { "deleted" };
        remote.out.note(format!("{count} of {examined} backups {what}, {}", size(bytes)))?;
        Ok((count, bytes))
    }

    fn call(
        &self,
        remote: &Remote,
        is_dry_run: bool,
        cursor: Option<String>,
    ) -> Result<Call, Error> {
        let mut rule = Map::new();
        rule.insert("olderThanSeconds".to_owned(), self.older_than.into());
        if let Some(count) = self.keep_last {
            rule.insert("keepLast".to_owned(), count.into());
        }
        if self.only_session {
            rule.insert("session".to_owned(), remote.session()?.into());
        }
        if let Some(trigger) = &self.trigger {
            rule.insert("trigger".to_owned(), trigger.as_str().into());
        }
        if !self.ownerless.is_empty() {
            rule.insert("ownerless".to_owned(), self.ownerless.clone().into());
        }
        Ok(op::prune::call()?
            .field(op::prune::field::RULE, Value::Object(rule))
            .field_or_null(op::prune::field::DRY_RUN, is_dry_run)
            .field(op::prune::field::CURSOR, cursor))
    }
}

fn tell_page(out: &Out, page: &PrunePage, is_dry_run: bool) -> Result<(), Error> {
    let what = if is_dry_run { "would delete" } else { "deleted" };
    for backup in &page.deleted {
        let owner = match (&backup.session, &backup.ownerless) {
            (Some(session), _) => format!("of session {session}"),
            (None, kind) => format!("of no session ({})", kind.as_deref().unwrap_or("unknown")),
        };
        out.line(format!("{what} {} {owner}, {}", backup.id, size(backup.size_bytes)))?;
    }
    for (reason, count) in &page.kept {
        out.note(format!("kept {count}: {reason}"))?;
    }
    for problem in &page.problems {
        out.note(format!("{}: {} ({})", problem.id, problem.error.message, problem.error.code))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::api::operations::fields;

    #[test]
    fn the_rule_has_published_fields() {
        for field in ["olderThanSeconds", "keepLast", "session", "trigger", "ownerless"] {
            assert!(fields::PruneRule.contains(&field), "{field}");
        }
    }
}
