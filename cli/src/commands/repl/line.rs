//! Parses a line at the prompt.

use crate::error::Error;

/// A `/command`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slash {
    /// Takes a snapshot.
    Snapshot,
    /// Lists snapshots.
    Snapshots,
    /// Puts the workspace back to a snapshot.
    Rewind,
    /// Shows what changed.
    Diff,
    /// Continues in a new workspace.
    Branch,
    /// Acts on another workspace.
    Switch,
    /// Lists workspaces.
    Workspaces,
    /// Lists turns.
    Timeline,
    /// Lists these commands.
    Help,
    /// Leaves.
    Quit,
}

/// Each command with its name, its argument and its description.
pub const COMMANDS: [(Slash, &str, &str, &str); 10] = [
    (Slash::Snapshot, "/snapshot", "[NAME]", "save the files as a snapshot"),
    (Slash::Snapshots, "/snapshots", "", "list snapshots"),
    (Slash::Rewind, "/rewind", "SNAPSHOT", "put the files back to a snapshot, or to turn:N"),
    (Slash::Diff, "/diff", "[SNAPSHOT]", "show what changed since the last snapshot, or this one"),
    (
        Slash::Branch,
        "/branch",
        "[SNAPSHOT]",
        "go on in a new workspace, with the present files or those of a snapshot",
    ),
    (Slash::Switch, "/switch", "WORKSPACE", "act on another workspace"),
    (Slash::Workspaces, "/workspaces", "", "list workspaces"),
    (Slash::Timeline, "/timeline", "", "list the turns of the conversation"),
    (Slash::Help, "/help", "", "show this"),
    (Slash::Quit, "/quit", "", "leave; Ctrl-D does, too"),
];

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Nothing to do.
    Empty,
    /// `cd`, with its argument as the shell reads it.
    Directory(String),
    /// A command for the shell.
    Shell(&'a str),
    /// A `/command`, with its argument.
    Slash(Slash, Option<&'a str>),
}

/// Reads a line. `/usr/bin/env` is a program; `/rewnid` is a mistake.
pub fn parse(line: &str) -> Result<Line<'_>, Error> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(Line::Empty);
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if word == "cd" && !rest.contains(['&', '|', ';', '\n']) {
        return Ok(Line::Directory(rest.to_owned()));
    }
    if !word.starts_with('/') || word.get(1..).is_some_and(|name| name.contains('/')) {
        return Ok(Line::Shell(line));
    }
    match COMMANDS.iter().find(|(_, name, ..)| *name == word) {
        Some((command, ..)) => Ok(Line::Slash(*command, (!rest.is_empty()).then_some(rest))),
        None => Err(Error::Usage(format!("there is no {word}: /help lists the commands"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_of_the_shell_or_ours() {
        assert_eq!(parse("  ").unwrap(), Line::Empty);
        assert_eq!(parse(" ls -l | wc ").unwrap(), Line::Shell("ls -l | wc"));
        assert_eq!(parse("/usr/bin/env FOO=1 x").unwrap(), Line::Shell("/usr/bin/env FOO=1 x"));
        assert_eq!(parse("/snapshot").unwrap(), Line::Slash(Slash::Snapshot, None));
        assert_eq!(
            parse("/snapshot my first one ").unwrap(),
            Line::Slash(Slash::Snapshot, Some("my first one"))
        );
        assert_eq!(parse("cd 'a b'").unwrap(), Line::Directory("'a b'".to_owned()));
        assert_eq!(parse("cd").unwrap(), Line::Directory(String::new()));
        assert_eq!(parse("cd a && ls").unwrap(), Line::Shell("cd a && ls"));
        assert!(parse("/rewnid works").is_err() && parse("/").is_err());
    }
}
