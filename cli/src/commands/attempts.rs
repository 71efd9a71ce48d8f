//! Compares attempts and keeps one: `diff`, `compare` and `promote`.

use super::rewind::{PlannedChanges, tell_planned};
use super::selectors::{self, TREE_HELP};
use super::session::WorkspaceRef;
use super::snapshots::{Woken, tell_woken};
use super::turns::ChangeCounts;
use super::workspaces::{EndedProcess, SnapshotRef};
use crate::api::{answer, operations as op, read};
use crate::error::{Error, ErrorBody};
use crate::output::format::count;
use crate::output::{BAD, DIM, GOOD, Out, STRONG};
use crate::remote::Remote;
use anstyle::Style;
use base64::Engine as _;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Deserialize;
use serde_json::Value;
use std::io::{IsTerminal, Write, stdout};

answer! {
    /// The differences between two trees.
    pub struct TreeDiff {
        from: ComparedTree,
        changes: Vec<ShownChange>,
        counts: ChangeCounts,
        next_offset: Option<u64>,
        patch: Option<String>,
        patch_base64: Option<String>,
        truncated: bool,
    }

    /// One side of a comparison.
    pub struct ComparedTree {
        name: Option<String>,
        saved_at: Option<String>,
        snapshot_id: Option<String>,
        turn: Option<Turn>,
    }

    /// The turn that ended with the tree's files.
    pub struct Turn { number: u64 }

    /// The difference at one path.
    pub struct ShownChange {
        change: String,
        path: String,
        renamed_from: Option<FoundPath>,
        text: Option<String>,
        no_text: Option<String>,
        uncertain: Option<bool>,
    }

    /// A path.
    pub struct FoundPath { path: String }

    /// A comparison of workspaces.
    pub struct Comparison { text: String, workspaces: Vec<ComparedWorkspace> }

    /// What a workspace changed, and how the command ended in it.
    pub struct ComparedWorkspace { workspace_id: Option<String>, command: Option<CommandOutcome> }

    /// Changes that were brought over.
    pub struct Promoted {
        r#ref: WorkspaceRef,
        changed: bool,
        counts: ChangeCounts,
        merged_files: u64,
        kept: Vec<String>,
        discarded: Vec<WorkspaceRef>,
        decided_conflicts: Vec<MergeConflict>,
        conflicts: Option<Vec<MergeConflict>>,
        left_out: Option<Vec<FoundPath>>,
        changes: Option<PlannedChanges>,
        ended_processes: Vec<EndedProcess>,
        safety_ref: Option<SnapshotRef>,
        woken: Option<Woken>,
    }

    /// A path that both sides changed differently.
    pub struct MergeConflict { path: String, conflict: String }
}

/// How a command ended in one workspace, or why it could not run.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum CommandOutcome {
    /// The command ran.
    Ran { exit_code: i64, timed_out: bool, stdout_tail: String, stderr_tail: String },
    /// The command could not run.
    Failed { error: ErrorBody },
}

/// Show what differs between two snapshots or workspaces
///
/// Without arguments: what the active workspace changed since its last turn or snapshot.
#[derive(Debug, Default, Args)]
pub struct Diff {
    #[arg(help = format!("The older side. {TREE_HELP} [default: the last turn or snapshot of the other side]"))]
    from: Option<String>,
    #[arg(help = format!("The newer side. {TREE_HELP} [default: the active workspace]"))]
    to: Option<String>,
    /// List only which paths changed
    #[arg(long, conflicts_with = "patch")]
    list: bool,
    /// Print a patch for `git apply`
    #[arg(long)]
    patch: bool,
    /// Only this file, or what is below this directory
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Only paths that match, such as '*.py'
    #[arg(long, value_name = "GLOB")]
    glob: Option<String>,
    /// Lines around each change
    #[arg(long, short = 'U', value_name = "N")]
    context: Option<u64>,
    /// Also list files in .git and files that a .gitignore names
    #[arg(long)]
    ignored: bool,
    /// Compare all contents, even of files with equal size and time
    #[arg(long)]
    content: bool,
    /// At most this many changes
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Skip this many changes
    #[arg(long, value_name = "N")]
    offset: Option<u64>,
    /// At most this many bytes of text
    #[arg(long, value_name = "N")]
    max_bytes: Option<u64>,
    /// Exit with 1 if anything differs
    #[arg(long)]
    exit_code: bool,
}

impl Diff {
    /// What the active workspace changed since this snapshot.
    pub fn since(from: Option<String>) -> Self {
        Self { from, ..Self::default() }
    }

    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::diff::field;
        let form = match (self.patch, self.list) {
            (true, _) => "patch",
            (_, true) => "list",
            _ => "text",
        };
        let call = op::diff::call(remote.session()?)?
            .doing("Comparing")
            .field(field::FROM_, self.from)
            .field(field::TO, self.to)
            .field(field::OUTPUT, form)
            .field(field::PATH, self.path)
            .field(field::GLOB, self.glob)
            .field(field::CONTEXT, self.context)
            .field_flag(field::INCLUDE_IGNORED, self.ignored)
            .field_flag(field::CONTENT, self.content)
            .field(field::LIMIT, self.limit)
            .field(field::OFFSET, self.offset)
            .field(field::MAX_BYTES, self.max_bytes);
        let answer = remote.call(&call)?;
        let diff: TreeDiff = read(&answer)?;
        let out = &remote.out;
        if out.is_json() {
            out.json(&answer)?;
        } else if self.patch {
            print_patch(out, &diff)?;
        } else {
            print_changes(out, &diff)?;
        }
        if diff.truncated {
            out.note("texts are left out: raise --max-bytes, or choose with --path")?;
        }
        if let Some(offset) = diff.next_offset {
            out.note(format!("there are more changes: repeat it with --offset {offset}"))?;
        }
        if self.exit_code && !diff.changes.is_empty() { Err(Error::Exit(1)) } else { Ok(()) }
    }
}

/// Prints a patch: its bytes to a file or a program, but escaped to a terminal, because names and
/// contents are untrusted.
fn print_patch(out: &Out, diff: &TreeDiff) -> Result<(), Error> {
    let bytes = match (&diff.patch, &diff.patch_base64) {
        (_, Some(base64)) => base64::engine::general_purpose::STANDARD
            .decode(base64)
            .map_err(|error| Error::Answer(format!("the patch is no base64: {error}")))?,
        (patch, None) => patch.clone().unwrap_or_default().into_bytes(),
    };
    if stdout().is_terminal() && !out.is_raw {
        return print_text(out, &String::from_utf8_lossy(&bytes));
    }
    let mut to = stdout().lock();
    to.write_all(&bytes)?;
    Ok(to.flush()?)
}

fn print_changes(out: &Out, diff: &TreeDiff) -> Result<(), Error> {
    for change in &diff.changes {
        let from = change.renamed_from.as_ref().map(|from| format!(" from {}", from.path));
        let unsure =
            if change.uncertain == Some(true) { " (not compared, may be the same)" } else { "" };
        let line =
            format!("{:9}{}{}{unsure}", change.change, change.path, from.unwrap_or_default());
        out.styled(line, if change.text.is_some() { STRONG } else { Style::new() })?;
        if let Some(text) = &change.text {
            print_text(out, text)?;
        }
        if let Some(why) = change.no_text.as_ref().filter(|_| change.text.is_none()) {
            out.styled(format!("  no text: {why}"), DIM)?;
        }
    }
    out.note(format!("{}, since {}", diff.counts.shown(), since(&diff.from)))
}

/// The tree that the changes are relative to, in words.
fn since(from: &ComparedTree) -> String {
    let named = match (&from.name, &from.turn, &from.snapshot_id) {
        (Some(name), ..) => name.clone(),
        (None, Some(turn), _) => format!("turn {}", turn.number),
        (None, None, Some(id)) => id.clone(),
        (None, None, None) => return "no files".to_owned(),
    };
    match &from.saved_at {
        Some(at) => format!("{named} of {at}"),
        None => named,
    }
}

fn print_text(out: &Out, text: &str) -> Result<(), Error> {
    for line in text.split_terminator('\n') {
        let style = match line.as_bytes() {
            [b'+', ..] => GOOD,
            [b'-', ..] => BAD,
            [b'@', b'@', ..] => DIM,
            _ => Style::new(),
        };
        out.code(line, style)?;
    }
    Ok(())
}

/// Compare workspaces: what each one changed, and how a command ends in each
#[derive(Debug, Args)]
pub struct Compare {
    /// The workspaces' ids [default: all]
    workspaces: Vec<String>,
    /// Run this shell command in each workspace, such as the tests
    #[arg(long, short, value_name = "COMMAND")]
    command: Option<String>,
    /// Time limit of the command, such as 5m
    #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
    timeout: Option<u64>,
    /// Compare with this snapshot [default: the nearest one that all workspaces came from]
    #[arg(long, value_name = "SNAPSHOT")]
    base: Option<String>,
    /// Only paths that match, such as '*.py'
    #[arg(long, value_name = "GLOB")]
    glob: Option<String>,
}

impl Compare {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::compare_workspaces::field;
        let call = op::compare_workspaces::call(remote.session()?)?
            .doing("Comparing")
            .field(field::WORKSPACES, (!self.workspaces.is_empty()).then_some(self.workspaces))
            .field(field::COMMAND, self.command)
            .field(field::TIMEOUT_MS, self.timeout.map(|seconds| seconds.saturating_mul(1000)))
            .field(field::BASE, self.base)
            .field(field::GLOB, self.glob);
        remote.show(&call, |out, answer| {
            let Comparison { text, workspaces } = read(answer)?;
            out.block(&text)?;
            workspaces.iter().try_for_each(|workspace| tell_failed(out, workspace))
        })
    }
}

/// Prints the output of a failed command: its exit code alone does not say why it failed.
fn tell_failed(out: &Out, workspace: &ComparedWorkspace) -> Result<(), Error> {
    let (ended, printed) = match &workspace.command {
        Some(CommandOutcome::Ran { exit_code, timed_out, stdout_tail, stderr_tail })
            if *exit_code != 0 || *timed_out =>
        {
            let late = if *timed_out { ", ended by its time limit" } else { "" };
            (format!("exit {exit_code}{late}"), [stdout_tail.as_str(), stderr_tail.as_str()])
        }
        Some(CommandOutcome::Failed { error }) => {
            (format!("{} ({})", error.message, error.code), ["", ""])
        }
        _ => return Ok(()),
    };
    let id = workspace.workspace_id.as_deref().unwrap_or_default();
    out.line("")?;
    out.styled(format!("{id}: {ended}"), STRONG)?;
    printed.iter().filter(|text| !text.is_empty()).try_for_each(|text| out.block(text))
}

/// Bring the changes of another workspace or snapshot into the active workspace
#[derive(Debug, Args)]
pub struct Promote {
    #[arg(help = TREE_HELP)]
    from: String,
    /// Merge the changes with those made here, or replace all files here
    #[arg(long, value_parser = PossibleValuesParser::new(op::values::PromoteMode))]
    mode: Option<String>,
    /// What to do where both sides changed the same lines [default: refuse, and list them]
    #[arg(long, value_parser = PossibleValuesParser::new(op::values::ConflictPolicy))]
    on_conflict: Option<String>,
    /// Destroy the session's other branches afterwards
    #[arg(long)]
    discard_others: bool,
    /// Also bring over files that a .gitignore names, and caches such as __pycache__
    #[arg(long)]
    ignored: bool,
    /// Change nothing, and print what would change
    #[arg(long)]
    dry_run: bool,
}

impl Promote {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::promote::field;
        let call = op::promote::call(remote.session()?)?
            .doing("Promoting")
            .field(field::FROM_, self.from)
            .field(field::MODE, self.mode)
            .field(field::ON_CONFLICT, self.on_conflict)
            .field_flag(field::DISCARD_OTHERS, self.discard_others)
            .field_flag(field::INCLUDE_IGNORED, self.ignored)
            .field_flag(field::DRY_RUN, self.dry_run);
        remote.show(&call, tell_promoted).inspect_err(|error| tell_conflicts(&remote.out, error))
    }
}

fn tell_promoted(out: &Out, answer: &Value) -> Result<(), Error> {
    let promoted: Promoted = read(answer)?;
    tell_woken(out, promoted.woken.as_ref())?;
    let id = promoted.r#ref.id();
    if let Some(changes) = &promoted.changes {
        tell_planned(out, changes)?;
        for conflict in promoted.conflicts.iter().flatten() {
            out.line(format!("conflict ({}): {}", conflict.conflict, conflict.path))?;
        }
        return out.note("nothing was changed");
    }
    if promoted.changed {
        let merged = match promoted.merged_files {
            0 => String::new(),
            files => format!("; the lines of {} were merged", count(files, "file")),
        };
        out.line(format!("workspace {id}: {}{merged}", promoted.counts.shown()))?;
    } else {
        out.line(format!("workspace {id} has these changes already"))?;
    }
    for conflict in &promoted.decided_conflicts {
        out.line(format!("conflict ({}): {}", conflict.conflict, conflict.path))?;
    }
    for place in promoted.left_out.iter().flatten() {
        out.line(format!("ignored, left out: {}", place.path))?;
    }
    for path in &promoted.kept {
        out.line(format!("kept as it was: {path}"))?;
    }
    for process in &promoted.ended_processes {
        out.note(format!("ended process {}: {}", process.pid, process.command))?;
    }
    for discarded in &promoted.discarded {
        out.note(format!("destroyed workspace {}", discarded.id()))?;
    }
    match &promoted.safety_ref {
        Some(safety) => {
            out.note(format!("to undo it: snapshotter rewind {}", safety.r#ref.backup.id))
        }
        None => Ok(()),
    }
}

/// Lists the conflicts of a refused merge. The caller shows the refusal in any case.
fn tell_conflicts(out: &Out, error: &Error) {
    let Error::Api(api) = error else { return };
    let conflicts = api.body.details.as_ref().and_then(|details| details.get("conflicts"));
    let Some(Ok(conflicts)) = conflicts.map(Vec::<MergeConflict>::deserialize) else { return };
    if out.is_json() {
        return;
    }
    for conflict in conflicts {
        let _ = out.note(format!("conflict ({}): {}", conflict.conflict, conflict.path));
    }
}
