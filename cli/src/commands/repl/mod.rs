//! `repl`: a prompt where plain lines run as commands in the workspace, and `/commands` act on its snapshots.

mod completion;
mod line;

use crate::api::{answer, operations as op, read};
use crate::commands::attempts::Diff;
use crate::commands::rewind::Rewind;
use crate::commands::run::{Ended, stream};
use crate::commands::workspaces::{self, Branch, Switch, active};
use crate::commands::{snapshots, turns};
use crate::error::Error;
use crate::output::escape;
use crate::profile::{make_private_dir, state_dir};
use crate::remote::Remote;
use crate::signals::Signals;
use clap::Args;
use completion::Names;
use line::{COMMANDS, Line, Slash};
use reedline::{
    ColumnarMenu, DefaultPrompt, DefaultPromptSegment, Emacs, FileBackedHistory, KeyCode,
    KeyModifiers, MenuBuilder as _, Reedline, ReedlineEvent, ReedlineMenu, Signal,
    default_emacs_keybindings,
};
use serde::Deserialize;
use std::env;
use std::fs::OpenOptions;
use std::io::{BufRead, IsTerminal, stdin, stdout};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

answer! {
    /// How a command ended.
    pub struct ExecResult { stdout: String, stderr: String, exit_code: i64 }
}

const HISTORY_LINES: usize = 10_000;
const MENU: &str = "completions";
const SIGNAL_POLL: Duration = Duration::from_millis(100);

/// A prompt: plain lines run in the workspace, /help lists the rest
///
/// If standard input is no terminal, the lines are run one after the other; the exit code is that of the last line.
#[derive(Debug, Args)]
pub struct Repl {
    /// End a command after this time, such as 10m [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = crate::commands::selectors::seconds)]
    timeout: Option<u64>,
}

impl Repl {
    /// Runs the command.
    pub fn run(self, remote: Remote) -> Result<(), Error> {
        let workspace = active(&remote)?;
        let is_terminal = stdin().is_terminal();
        // Ctrl-C ends a script of lines as a whole.
        let signals = if is_terminal { Signals::catch_interrupt()? } else { Signals::default() };
        let remote = Arc::new(remote);
        let names = Names::new(remote.clone());
        let mut prompt =
            Prompter { remote, names, workspace, directory: None, signals, timeout: self.timeout };
        if is_terminal { prompt.converse() } else { prompt.read_lines() }
    }
}

struct Prompter {
    remote: Arc<Remote>,
    names: Names,
    /// The workspace that the prompt shows. Lines run there, even if another caller has switched.
    workspace: String,
    /// Where commands run, if it is not the workspace's own directory.
    directory: Option<String>,
    signals: Signals,
    timeout: Option<u64>,
}

#[derive(Debug, PartialEq, Eq)]
enum Next {
    Line,
    Quit,
}

impl Prompter {
    fn converse(&mut self) -> Result<(), Error> {
        let mut editor = self.editor()?;
        self.remote.out.note(
            "plain lines run in the workspace; /help lists the other commands; Ctrl-D leaves",
        )?;
        loop {
            let line = match editor.read_line(&self.prompt()) {
                Ok(Signal::Success(line)) => line,
                Ok(Signal::CtrlD) => return Ok(()),
                Ok(_) => continue,
                Err(error) => return Err(Error::local("the terminal", error)),
            };
            // Ctrl-C at the prompt is a key, so a leftover signal belongs to the previous line.
            self.signals.take();
            match self.run_line(&line) {
                Ok(Next::Line) => {}
                Ok(Next::Quit) => return Ok(()),
                Err(Error::Pipe) => return Err(Error::Pipe),
                Err(error) => self.tell(&error)?,
            }
        }
    }

    fn read_lines(&mut self) -> Result<(), Error> {
        let mut last = Ok(());
        for line in stdin().lock().lines() {
            let line = line.map_err(|error| Error::local("standard input", error))?;
            last = match self.run_line(&line) {
                Ok(Next::Line) => Ok(()),
                Ok(Next::Quit) => return last,
                Err(Error::Pipe) => return Err(Error::Pipe),
                Err(error) => {
                    crate::output::error(&error, self.remote.out.format);
                    Err(Error::Exit(error.exit_code()))
                }
            };
        }
        last
    }

    fn tell(&self, error: &Error) -> Result<(), Error> {
        crate::output::error(error, self.remote.out.format);
        if let Error::Exit(code) = error {
            self.remote.out.note(format!("exit code {code}"))?;
        }
        Ok(())
    }

    fn run_line(&mut self, line: &str) -> Result<Next, Error> {
        match line::parse(line)? {
            Line::Empty => {}
            Line::Directory(to) => self.change_directory(&to)?,
            Line::Shell(command) => self.shell(command)?,
            Line::Slash(Slash::Quit, _) => return Ok(Next::Quit),
            Line::Slash(command, argument) => {
                let remote = self.remote.clone();
                let guard = Impatience::watch(self.signals.clone());
                let done = self.slash(&remote, command, argument);
                drop(guard);
                done?;
            }
        }
        Ok(Next::Line)
    }

    fn shell(&self, command: &str) -> Result<(), Error> {
        use op::run_command::field;
        let call = op::run_command::call(self.remote.session()?)?
            .field(field::COMMAND, command)
            .field(field::WORKSPACE, self.workspace.as_str())
            .field(field::CWD, self.directory.as_deref())
            .field(field::TIMEOUT_MS, self.timeout.map(|seconds| seconds.saturating_mul(1000)));
        match stream(&self.remote, call, &self.signals)? {
            Ended::Exit(0) => Ok(()),
            Ended::Exit(code) => Err(Error::Exit(code)),
            Ended::Signal(signal) => Err(Error::Exit(128u8.saturating_add(signal))),
        }
    }

    /// Each command runs in a new shell, so the directory is kept here.
    fn change_directory(&mut self, to: &str) -> Result<(), Error> {
        use op::workspace_run::field;
        if to.is_empty() {
            self.directory = None;
            return Ok(());
        }
        let call = op::workspace_run::call(self.remote.session()?)?
            .field(field::COMMAND, format!("cd {to} && pwd"))
            .field(field::WORKSPACE, self.workspace.as_str())
            .field(field::CWD, self.directory.as_deref());
        let result: ExecResult = read(&self.remote.call(&call)?)?;
        if result.exit_code != 0 {
            self.remote.out.note(result.stderr.trim_end())?;
            return Err(Error::Exit(u8::try_from(result.exit_code).unwrap_or(1)));
        }
        let directory = result.stdout.trim_end_matches('\n').to_owned();
        // A bad directory is refused here rather than at each later command.
        let probe = op::workspace_run::call(self.remote.session()?)?
            .field(field::COMMAND, "true")
            .field(field::WORKSPACE, self.workspace.as_str())
            .field(field::CWD, directory.as_str());
        self.remote.call(&probe)?;
        self.directory = Some(directory);
        Ok(())
    }

    fn slash(
        &mut self,
        remote: &Remote,
        command: Slash,
        argument: Option<&str>,
    ) -> Result<(), Error> {
        let argument = argument.map(str::to_owned);
        match (command, argument) {
            (Slash::Snapshot, name) => {
                self.names.forget();
                snapshots::Take::named(name).run(remote)
            }
            (Slash::Snapshots, _) => snapshots::List::default().run(remote),
            (Slash::Rewind, Some(snapshot)) => {
                self.directory = None;
                Rewind::to(snapshot).run(remote)
            }
            (Slash::Branch, from) => {
                let from = from.map_or_else(|| snapshots::take_unnamed(remote), Ok)?;
                Branch::switching(from).run(remote)?;
                self.arrive(remote)
            }
            (Slash::Switch, Some(workspace)) => {
                Switch::to(workspace).run(remote)?;
                self.arrive(remote)
            }
            (Slash::Switch, None) | (Slash::Workspaces, _) => {
                workspaces::List::default().run(remote)
            }
            (Slash::Diff, from) => Diff::since(from).run(remote),
            (Slash::Timeline, _) => turns::TimelineArgs::default().run(remote),
            (Slash::Rewind, None) => {
                Err(Error::Usage("/rewind needs a snapshot: /snapshots lists them".to_owned()))
            }
            (Slash::Help, _) => help(remote),
            (Slash::Quit, _) => Ok(()),
        }
    }

    /// Adapts to another active workspace.
    fn arrive(&mut self, remote: &Remote) -> Result<(), Error> {
        self.names.forget();
        self.directory = None;
        self.workspace = active(remote)?;
        Ok(())
    }

    fn prompt(&self) -> DefaultPrompt {
        let directory = self.directory.as_ref().map(|directory| format!(" {directory}"));
        let place = format!("{}{}", self.workspace, directory.unwrap_or_default());
        DefaultPrompt::new(
            DefaultPromptSegment::Basic(escape::line(&place)),
            DefaultPromptSegment::Empty,
        )
    }

    fn editor(&self) -> Result<Reedline, Error> {
        let mut keys = default_emacs_keybindings();
        let complete = vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext];
        keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, ReedlineEvent::UntilFound(complete));
        // Lines typed while a command ran end with a line feed: the terminal was not in raw mode.
        keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('j'), ReedlineEvent::Enter);
        let history = FileBackedHistory::with_file(HISTORY_LINES, history_file()?)
            .map_err(|error| Error::local("the history", error))?;
        let is_colourful =
            env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && stdout().is_terminal();
        Ok(Reedline::create()
            .with_history(Box::new(history))
            .with_completer(Box::new(self.names.clone()))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(
                ColumnarMenu::default().with_name(MENU),
            )))
            .with_quick_completions(true)
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .with_ansi_colors(is_colourful))
    }
}

fn help(remote: &Remote) -> Result<(), Error> {
    for (_, name, argument, what) in COMMANDS {
        remote.out.line(format!("{:20}  {what}", format!("{name} {argument}")))?;
    }
    remote.out.line("cd DIRECTORY          run later commands there")?;
    remote.out.line("anything else         runs in the workspace's shell")
}

/// The file of previous lines. It may hold secrets, so only the user can read it.
fn history_file() -> Result<PathBuf, Error> {
    let directory = state_dir()?;
    make_private_dir(&directory)?;
    let file = directory.join("history");
    let made = OpenOptions::new().create(true).append(true).mode(0o600).open(&file);
    made.map_err(|error| Error::local(file.display(), error))?;
    Ok(file)
}

/// Handles Ctrl-C while a call runs that can't end midway: the first warns, the second leaves.
struct Impatience(Arc<AtomicBool>);

impl Impatience {
    fn watch(signals: Signals) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = is_over.clone();
        thread::spawn(move || {
            let mut is_warned = false;
            while !seen.load(Ordering::SeqCst) {
                if signals.take().is_some() {
                    if is_warned {
                        std::process::exit(130);
                    }
                    is_warned = true;
                    anstream::eprintln!(
                        "the server finishes this; Ctrl-C again leaves without waiting"
                    );
                }
                thread::sleep(SIGNAL_POLL);
            }
        });
        Self(is_over)
    }
}

impl Drop for Impatience {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
