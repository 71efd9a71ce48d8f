//! Reads arguments: accepts options after the command text of `run` and `start`, and groups the help.

use crate::args::{Cli, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// The commands by purpose, in the order of the help.
const GROUPS: [(&str, &[&str]); 9] = [
    (
        "Begin",
        &["login", "logout", "profiles", "doctor", "open", "describe", "close", "delete-session"],
    ),
    ("Run commands", &["run", "shell", "repl", "start", "processes", "logs", "stop", "history"]),
    ("Files", &["ls", "cat", "grep", "watch", "cp", "put", "get"]),
    (
        "Save",
        &["snapshot", "list", "show", "update", "delete", "flatten", "import", "export", "turn"],
    ),
    ("Go back", &["rewind", "undo", "restore", "timeline", "lineage"]),
    ("Try and compare", &["fork", "branch", "diff", "compare", "promote"]),
    ("Workspaces", &["workspaces", "switch", "pause", "resume", "destroy", "start-fresh"]),
    ("Servers, code and tools", &["preview", "script", "contexts", "tools"]),
    (
        "Manage",
        &["events", "usage", "retention", "tokens", "operator", "completions", "man", "help"],
    ),
];

/// The command line as clap reads it, with its help in groups.
pub fn command() -> clap::Command {
    let command = Cli::command();
    let header = *command.get_styles().get_header();
    let name = *command.get_styles().get_literal();
    let abouts: Vec<(String, String)> = command
        .get_subcommands()
        .map(|command| {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let aliases = command.get_visible_aliases().map(|alias| format!(" [also: {alias}]"));
            (command.get_name().to_owned(), about + &aliases.collect::<String>())
        })
        .chain([("help".to_owned(), "Print this, or the help of a command".to_owned())])
        .collect();
    let width = abouts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut groups = String::new();
    for (title, names) in GROUPS {
        groups.push_str(&format!("{header}{title}:{header:#}\n"));
        for (known, about) in
            names.iter().filter_map(|listed| abouts.iter().find(|(n, _)| n == listed))
        {
            groups.push_str(&format!("  {name}{known:width$}{name:#}  {about}\n"));
        }
        groups.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{header}Options of all commands:{header:#}\n{{options}}{{after-help}}"
    ))
}

/// Reads the arguments of this process.
pub fn read(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let cli = parse(arguments.clone())?;
    let words = match &cli.command {
        Command::Run(run) => &run.command,
        Command::Start(start) => &start.command,
        _ => return Ok(cli),
    };
    let Some(reordered) = early(&arguments, words) else { return Ok(cli) };
    let line = words.first().cloned().unwrap_or_default();
    let again = parse(reordered).map_err(|error| misread(&line, &first_line(&error)))?;
    let words = match &again.command {
        Command::Run(run) => &run.command,
        Command::Start(start) => &start.command,
        _ => return Ok(again),
    };
    match words.as_slice() {
        [_] => Ok(again),
        [others @ .., _] => Err(misread(&line, &others.join(" "))),
        [] => Ok(again),
    }
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&command().try_get_matches_from(arguments)?)
}

/// Moves the options that follow a command for the shell in front of it. None if there are none.
///
/// A first word with a space is a command for the shell, so the words after it can't be its
/// arguments. After `--`, it is a program.
fn early(arguments: &[OsString], words: &[String]) -> Option<Vec<OsString>> {
    let (command, late) = words.split_first()?;
    if late.is_empty() || !command.contains(char::is_whitespace) {
        return None;
    }
    let before = arguments.len().checked_sub(words.len())?;
    let (front, back) = arguments.split_at_checked(before)?;
    if front.last().is_some_and(|last| last == "--")
        || !back.iter().zip(words).all(|(a, b)| a == b.as_str())
    {
        return None;
    }
    let late = late.iter().map(OsString::from);
    let command = [OsString::from("--"), OsString::from(command)];
    Some(front.iter().cloned().chain(late).chain(command).collect())
}

fn misread(command: &str, why: &str) -> clap::Error {
    let text = format!(
        "{command:?} is one command for the shell, so only options may follow it: {why}\n\n\
         Put the whole command into one argument, or `--` before a program that has a space in its name.\n"
    );
    clap::Error::raw(ErrorKind::UnknownArgument, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn read_line(line: &[&str]) -> Result<Cli, clap::Error> {
        read(["snapshotter"].iter().chain(line).map(OsString::from).collect())
    }

    #[test]
    fn each_command_is_in_one_group() {
        let known: BTreeSet<String> =
            Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
        let listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .filter(|name| *name != "help")
            .collect();
        assert_eq!(listed.len(), known.len());
        assert_eq!(listed.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), known);
        let help = command().render_long_help().to_string();
        assert!(help.contains("\nGo back:\n  rewind "), "{help}");
        assert!(help.contains("--session") && help.contains("Exit codes:"), "{help}");
    }

    #[test]
    fn options_may_follow_a_command_for_the_shell() {
        let run = |line: &[&str]| match read_line(line).unwrap().command {
            Command::Run(run) => (run.command, format!("{:?}", run.timeout)),
            other => panic!("{other:?}"),
        };
        let late = run(&["run", "sleep 9", "--timeout", "1s"]);
        assert_eq!(late, (vec!["sleep 9".to_owned()], "Some(1)".to_owned()));
        assert_eq!(run(&["run", "--timeout", "1s", "sleep 9"]), late);
        let program = run(&["run", "sleep", "9", "--timeout", "1s"]);
        assert_eq!(
            program,
            (["sleep", "9", "--timeout", "1s"].map(str::to_owned).to_vec(), "None".to_owned())
        );
        let spaced = run(&["run", "--", "my program", "--timeout", "1s"]);
        assert_eq!(spaced.0.len(), 3);
        let all = read_line(&["run", "sleep 9", "-q", "-s", "other"]).unwrap();
        assert_eq!(all.global.session.as_deref(), Some("other"));
        let Command::Start(start) =
            read_line(&["start", "web", "npm run dev", "-C", "app"]).unwrap().command
        else {
            panic!("another command");
        };
        assert_eq!(start.command, ["npm run dev"]);
    }

    #[test]
    fn what_may_not_follow_says_what_to_do() {
        for (line, why) in [
            (["run", "sleep 9", "--timeuot", "1s"], "--timeuot"),
            (["run", "sleep 9", "5", "6"], "5 6"),
            (["run", "sleep 9", "--timeout", "soon"], "duration"),
        ] {
            let said = read_line(&line).unwrap_err().to_string();
            assert!(said.contains("\"sleep 9\" is one command for the shell"), "{said}");
            assert!(said.contains(why) && said.contains("one argument"), "{said}");
        }
    }
}
