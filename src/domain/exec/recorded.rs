//! Commands that a session has recorded.

use crate::domain::{CodeContextId, CommandLine, Language, ProcessName, SandboxId};
use serde::{Deserialize, Serialize};

impl CommandLine {
    /// The same command with each word changed.
    #[must_use]
    pub fn map(&self, change: impl Fn(&String) -> String) -> Self {
        match self {
            Self::Shell(text) => Self::Shell(change(text)),
            Self::Argv(argv) => Self::Argv(argv.iter().map(change).collect()),
        }
    }

    /// At most `max_bytes` of the command. If cut, it ends with an ellipsis.
    #[must_use]
    pub fn cut(self, max_bytes: usize) -> Self {
        let mut room = max_bytes;
        let mut cut = |mut word: String| {
            let end = word.floor_char_boundary(room);
            let is_whole = end == word.len();
            word.truncate(end);
            room -= end;
            if !is_whole {
                word.push('…');
            }
            (word, is_whole)
        };
        match self {
            Self::Shell(text) => Self::Shell(cut(text).0),
            Self::Argv(argv) => {
                let mut words = Vec::new();
                for word in argv {
                    let (word, is_whole) = cut(word);
                    words.push(word);
                    if !is_whole {
                        break;
                    }
                }
                Self::Argv(words)
            }
        }
    }
}

/// A command, or code, that ran in a workspace, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandView {
    /// Order within the session: by the time when commands ended. Absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// The workspace in which it ran.
    #[serde(rename = "workspaceId")]
    pub sandbox_id: SandboxId,
    /// When it began, in RFC 3339.
    pub at: String,
    /// The command, or the code: at most its first 2 KiB, in the timeline its first 200 bytes.
    /// Values of environment variables in it are replaced.
    pub command: CommandLine,
    /// The language, if it was code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The code context, if it was code in one.
    #[serde(default, rename = "context", skip_serializing_if = "Option::is_none")]
    pub code_context: Option<CodeContextId>,
    /// Exit code; 124: the time limit ended it. Absent: it runs, it went on in the background,
    /// its caller gave up, or its container ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Milliseconds that it took, or after which it went on in the background.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The background process: the command itself, or the one whose log has its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessName>,
}

/// A command with the end of what it printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct CommandRecord {
    /// What it was, in the same object.
    #[serde(flatten)]
    pub command: CommandView,
    /// The last 4 KiB, at most, of the stdout that its caller got.
    pub stdout: String,
    /// The last 4 KiB, at most, of the stderr that its caller got.
    pub stderr: String,
}

/// Commands of a part of the timeline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandsRun {
    /// The last 10 commands that began during the turn, in the order they ended.
    pub commands: Vec<CommandView>,
    /// Number of commands before these. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier_commands: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_is_cut_and_says_so() {
        let shell = |text: &str| CommandLine::Shell(text.to_owned());
        assert_eq!(shell("echo éé").cut(6), shell("echo …"));
        assert_eq!(shell("echo").cut(4), shell("echo"));
        let argv =
            |words: &[&str]| CommandLine::Argv(words.iter().map(ToString::to_string).collect());
        assert_eq!(argv(&["echo", "12345678", "more"]).cut(8), argv(&["echo", "1234…"]));
        assert_eq!(argv(&["echo", "1234", "more"]).cut(8), argv(&["echo", "1234", "…"]));
    }
}
