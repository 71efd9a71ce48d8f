//! The list of commands.

use crate::arguments::command;
use crate::commands::{
    attempts, code, doctor, events, files, history, operator, previews, processes, profiles, repl,
    rewind, run, session, shell, snapshots, tokens, tools, transfer, turns, watch, workspaces,
};
use crate::error::{EXIT_CODES, Error};
use crate::global::Global;
use crate::remote::Remote;
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use std::io::stdout;
use std::path::PathBuf;

/// Snapshotter from a terminal: Linux workspaces for AI agents, with snapshots to go back to.
///
/// Begin with `snapshotter login URL`, `snapshotter open my-session --default` and `snapshotter run 'echo hello'`.
#[derive(Debug, Parser)]
#[command(name = "snapshotter", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub struct Cli {
    /// What every command accepts.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Whether a command line that can't be read asks for JSON.
pub fn wants_json(arguments: impl Iterator<Item = String>) -> bool {
    let mut last = String::new();
    for argument in arguments {
        let is_value = argument == "json" && matches!(last.as_str(), "-o" | "--output");
        if is_value || matches!(argument.as_str(), "-ojson" | "-o=json" | "--output=json") {
            return true;
        }
        last = argument;
    }
    false
}

/// Every command.
#[derive(Debug, Subcommand)]
pub enum Command {
    // This machine.
    Login(profiles::Login),
    Logout(profiles::Logout),
    Profiles(profiles::List),
    Doctor(doctor::Doctor),
    // The session.
    Open(session::Open),
    Describe(session::Describe),
    Close(session::Close),
    DeleteSession(session::DeleteSession),
    Usage(session::Usage),
    Retention(session::Retention),
    Events(events::Events),
    // Commands.
    Run(run::Run),
    Shell(shell::Shell),
    Repl(repl::Repl),
    Start(processes::Start),
    Processes(processes::List),
    Logs(processes::Logs),
    Stop(processes::Stop),
    History(history::History),
    Script(code::Script),
    Contexts(code::Contexts),
    // Snapshots.
    Snapshot(snapshots::Take),
    #[command(visible_alias = "snapshots")]
    List(snapshots::List),
    Show(snapshots::Show),
    Update(snapshots::Update),
    Delete(snapshots::Delete),
    Flatten(snapshots::Flatten),
    Import(snapshots::Import),
    Export(snapshots::Export),
    Lineage(turns::LineageArgs),
    // Going back, and attempts.
    Rewind(rewind::Rewind),
    Undo(rewind::Undo),
    Restore(workspaces::Restore),
    Branch(workspaces::Branch),
    Fork(workspaces::Fork),
    Turn(turns::Turn),
    Timeline(turns::TimelineArgs),
    Diff(attempts::Diff),
    Compare(attempts::Compare),
    Promote(attempts::Promote),
    // Workspaces.
    Workspaces(workspaces::List),
    Switch(workspaces::Switch),
    Pause(workspaces::Pause),
    Resume(workspaces::Resume),
    Destroy(workspaces::Destroy),
    StartFresh(workspaces::StartFresh),
    // Files.
    Ls(files::Ls),
    Cat(files::Cat),
    Grep(files::Grep),
    Watch(watch::Watch),
    Cp(files::Cp),
    Put(transfer::Put),
    Get(transfer::Get),
    // Everything else.
    Tools(tools::Tools),
    Preview(previews::Preview),
    Tokens(tokens::Tokens),
    Operator(operator::Operator),
    /// Print the completions of a shell, which the shell has to source
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of this program, or write those of all commands into a directory
    Man {
        /// Directory for the pages
        directory: Option<PathBuf>,
    },
}

impl Command {
    /// Runs the command.
    pub fn run(self, global: &Global) -> Result<(), Error> {
        match self {
            Command::Login(login) => return login.run(global),
            Command::Logout(logout) => return logout.run(global),
            Command::Profiles(profiles) => return profiles.run(global),
            Command::Doctor(doctor) => return doctor.run(global),
            Command::Completions { shell } => return completions(shell),
            Command::Man { directory } => return man(directory),
            _ => {}
        }
        let remote = Remote::of(global)?;
        if let Command::Repl(repl) = self {
            return repl.run(remote);
        }
        let remote = &remote;
        match self {
            Command::Login(_)
            | Command::Logout(_)
            | Command::Profiles(_)
            | Command::Doctor(_)
            | Command::Repl(_)
            | Command::Completions { .. }
            | Command::Man { .. } => Ok(()),
            Command::Open(open) => open.run(remote, global),
            Command::Describe(describe) => describe.run(remote),
            Command::Close(close) => close.run(remote),
            Command::DeleteSession(delete) => delete.run(remote),
            Command::Usage(usage) => usage.run(remote),
            Command::Retention(retention) => retention.run(remote),
            Command::Events(events) => events.run(remote),
            Command::Run(run) => run.run(remote),
            Command::Shell(shell) => shell.run(remote),
            Command::Start(start) => start.run(remote),
            Command::Processes(list) => list.run(remote),
            Command::Logs(logs) => logs.run(remote),
            Command::Stop(stop) => stop.run(remote),
            Command::History(history) => history.run(remote),
            Command::Script(script) => script.run(remote),
            Command::Contexts(contexts) => contexts.run(remote),
            Command::Snapshot(take) => take.run(remote),
            Command::List(list) => list.run(remote),
            Command::Show(show) => show.run(remote),
            Command::Update(update) => update.run(remote),
            Command::Delete(delete) => delete.run(remote),
            Command::Flatten(flatten) => flatten.run(remote),
            Command::Import(import) => import.run(remote),
            Command::Export(export) => export.run(remote),
            Command::Lineage(lineage) => lineage.run(remote),
            Command::Rewind(rewind) => rewind.run(remote),
            Command::Undo(undo) => undo.run(remote),
            Command::Restore(restore) => restore.run(remote),
            Command::Branch(branch) => branch.run(remote),
            Command::Fork(fork) => fork.run(remote),
            Command::Turn(turn) => turn.run(remote),
            Command::Timeline(timeline) => timeline.run(remote),
            Command::Diff(diff) => diff.run(remote),
            Command::Compare(compare) => compare.run(remote),
            Command::Promote(promote) => promote.run(remote),
            Command::Workspaces(list) => list.run(remote),
            Command::Switch(switch) => switch.run(remote),
            Command::Pause(pause) => pause.run(remote),
            Command::Resume(resume) => resume.run(remote),
            Command::Destroy(destroy) => destroy.run(remote),
            Command::StartFresh(start) => start.run(remote),
            Command::Ls(ls) => ls.run(remote),
            Command::Cat(cat) => cat.run(remote),
            Command::Grep(grep) => grep.run(remote),
            Command::Watch(watch) => watch.run(remote),
            Command::Cp(cp) => cp.run(remote),
            Command::Put(put) => put.run(remote),
            Command::Get(get) => get.run(remote),
            Command::Tools(tools) => tools.run(remote),
            Command::Preview(preview) => preview.run(remote),
            Command::Tokens(tokens) => tokens.run(remote),
            Command::Operator(operator) => operator.run(remote),
        }
    }
}

fn completions(shell: Shell) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "snapshotter", &mut script);
    Ok(std::io::Write::write_all(&mut stdout(), &script)?)
}

fn man(directory: Option<PathBuf>) -> Result<(), Error> {
    match directory {
        Some(directory) => std::fs::create_dir_all(&directory)
            .and_then(|()| clap_mangen::generate_to(command(), &directory))
            .map_err(|error| Error::local(directory.display(), error)),
        None => Ok(clap_mangen::Man::new(command()).render(&mut stdout())?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn json_is_asked_for_in_several_ways() {
        let wants = |line: &str| wants_json(line.split(' ').map(str::to_owned));
        assert!(wants("-o json nonsense") && wants("list --output json") && wants("list -ojson"));
        assert!(!wants("list -o table json") && !wants("list"));
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
