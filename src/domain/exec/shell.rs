//! Which commands a session may run. With an allowlist, a command is a program's name and its
//! arguments: in text for a shell, `;`, `&&` or `$()` would bypass the list. Environment variables
//! may not load another program or library. A list is as strong as its weakest program: `sh`,
//! `env`, `find`, `git` or an interpreter allows every program that it can start.

use crate::domain::limits::{
    COMMAND_SHOWN_CHARS, EXEC_COMMAND_MAX_BYTES, EXEC_TIMEOUT_DEFAULT_MS, EXEC_TIMEOUT_MAX_MS,
    SHELL_ALLOWLIST_MAX, SHELL_PROGRAM_MAX_CHARS,
};
use crate::domain::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A command: argv, or a string for the shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "must be a string, or an array of strings")]
pub enum CommandLine {
    /// For `bash -c`, or `sh -c` if the image has no bash.
    Shell(String),
    /// A program and its arguments, without a shell.
    Argv(Vec<String>),
}

impl CommandLine {
    /// The command's text, or the program and its arguments.
    #[must_use]
    pub fn words(&self) -> &[String] {
        match self {
            Self::Shell(text) => std::slice::from_ref(text),
            Self::Argv(argv) => argv,
        }
    }

    /// Checks that the container could run the command.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` about `command`.
    pub fn check(&self) -> Result<()> {
        let words = self.words();
        if words.first().is_none_or(String::is_empty) {
            return Err(Error::invalid("command", "must not be empty"));
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err(Error::invalid("command", "must not contain NUL"));
        }
        if self.size_bytes() > EXEC_COMMAND_MAX_BYTES {
            return Err(Error::invalid(
                "command",
                format!("is longer than {EXEC_COMMAND_MAX_BYTES} bytes; write a file and run that"),
            ));
        }
        Ok(())
    }

    /// The command's size as the kernel counts it, in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.words().iter().map(|word| word.len() + 1).sum()
    }

    /// The command's beginning, on one line.
    #[must_use]
    pub fn shown(&self) -> String {
        let line = self.words().join(" ");
        let plain = line.chars().map(|c| if c.is_control() { ' ' } else { c });
        plain.take(COMMAND_SHOWN_CHARS).collect()
    }
}

/// Settings of the shell module.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ShellCapability {
    /// Programs that commands may run, as lists of a program and its arguments. Variables
    /// that could bring in another program (`PATH`, `LD_*`, …) can't be set then. A program
    /// that runs others (`sh`, `env`, `find`, `git`, an interpreter) allows those too.
    /// Absent: any program, and shell text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = SHELL_ALLOWLIST_MAX), inner(length(min = 1, max = SHELL_PROGRAM_MAX_CHARS), regex(pattern = crate::domain::patterns::PROGRAM_PATTERN))))]
    pub allowlist: Option<Vec<String>>,
    /// Longest time one command may take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = EXEC_TIMEOUT_MAX_MS)))]
    pub max_duration_ms: Option<u64>,
}

/// Variables that make programs load or run something else, or read configuration that does.
const GUARDED: [&str; 22] = [
    "PATH",
    "ENV",
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "SHELL",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "GCONV_PATH",
    "LOCPATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "RIPGREP_CONFIG_PATH",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
];

/// Prefixes of such variables. Interpreters load code by too many to list (`PYTHONPATH`, …).
const GUARDED_PREFIXES: [&str; 9] =
    ["LD_", "GLIBC_", "BASH_FUNC_", "PYTHON", "NODE_", "NPM_CONFIG_", "PERL", "RUBY", "GIT_"];

/// Ignores case, because some programs do.
fn is_guarded(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    GUARDED.contains(&name.as_str())
        || GUARDED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

const ALLOWLIST: &str = "capabilities.shell.allowlist";

impl ShellCapability {
    /// Checks the allowlist before it becomes policy.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the entry.
    pub fn check(&self) -> Result<()> {
        let Some(list) = &self.allowlist else { return Ok(()) };
        if list.len() > SHELL_ALLOWLIST_MAX {
            let problem = format!("has more than {SHELL_ALLOWLIST_MAX} programs");
            return Err(Error::invalid(ALLOWLIST, problem));
        }
        for program in list {
            let odd = |c: char| c == '/' || c.is_whitespace() || c.is_control();
            if program.is_empty()
                || program.chars().count() > SHELL_PROGRAM_MAX_CHARS
                || program.contains(odd)
            {
                let problem = format!("{program:?} is not the plain name of a program");
                return Err(Error::invalid(ALLOWLIST, problem)
                    .with_hint("a name as found on PATH, e.g. git: no / and no arguments"));
            }
        }
        Ok(())
    }

    /// Refuses an empty allowlist for a new session. Older sessions with one continue.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`.
    pub fn check_new(&self) -> Result<()> {
        if self.allowlist.as_ref().is_none_or(|list| !list.is_empty()) {
            return Ok(());
        }
        Err(Error::invalid(ALLOWLIST, "must not be empty: no program could run")
            .with_hint("leave it out to allow all programs, or turn the shell module off"))
    }

    /// Whether the program is on the list, or no list is set.
    #[must_use]
    pub fn allows(&self, program: &str) -> bool {
        self.allowlist.as_ref().is_none_or(|list| list.iter().any(|allowed| allowed == program))
    }

    /// A command's time limit, in milliseconds.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for 0, or more than the session allows.
    pub fn time_limit_ms(&self, asked: Option<u64>) -> Result<u64> {
        let max_ms = self.max_duration_ms.unwrap_or(EXEC_TIMEOUT_MAX_MS);
        match asked {
            None => Ok(EXEC_TIMEOUT_DEFAULT_MS.min(max_ms)),
            Some(ms) if (1..=max_ms).contains(&ms) => Ok(ms),
            Some(_) => Err(Error::invalid("timeoutMs", format!("must be 1 to {max_ms}"))),
        }
    }

    /// Decides about a command.
    ///
    /// # Errors
    /// `FORBIDDEN` if the allowlist does not permit it.
    pub fn permit(&self, command: &CommandLine, env: &BTreeMap<String, String>) -> Result<()> {
        let Some(list) = &self.allowlist else { return Ok(()) };
        let allowed = || format!("allowed programs: {}", list.join(", "));
        let CommandLine::Argv(argv) = command else {
            return Err(forbidden(
                "command: is shell text, and this session runs listed programs only",
            )
            .with_hint(format!(
                "pass a list of the program and its arguments, e.g. [\"ls\", \"-l\"]; {}",
                allowed()
            )));
        };
        let program = argv.first().map_or("", String::as_str);
        if program.contains('/') {
            return Err(
                forbidden("command: the program must be a name without /").with_hint(allowed())
            );
        }
        if !self.allows(program) {
            return Err(forbidden(format!(
                "command: {program:?} is not a program that this session may run"
            ))
            .with_hint(allowed()));
        }
        self.permit_env("env", env)
    }

    /// Decides about environment variables, of one command or of the session.
    ///
    /// # Errors
    /// `FORBIDDEN` for a variable that could load an unlisted program.
    pub fn permit_env(&self, field: &str, env: &BTreeMap<String, String>) -> Result<()> {
        match env.keys().find(|name| self.allowlist.is_some() && is_guarded(name)) {
            Some(name) => Err(forbidden(format!(
                "{field}: {name} cannot be set where commands are limited to an allowlist"
            ))
            .with_hint("it could make a program load another; leave it out")),
            None => Ok(()),
        }
    }
}

fn forbidden(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::Forbidden, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands_are_bounded() {
        assert!(argv(&["ls", ""]).check().is_ok());
        assert!(CommandLine::Shell("x".repeat(EXEC_COMMAND_MAX_BYTES - 1)).check().is_ok());
        for bad in [
            argv(&[]),
            argv(&["", "x"]),
            argv(&["a\0"]),
            CommandLine::Shell(String::new()),
            CommandLine::Shell("x".repeat(EXEC_COMMAND_MAX_BYTES)),
        ] {
            assert_eq!(bad.check().unwrap_err().code, ErrorCode::InvalidArgument);
        }
    }

    #[test]
    fn a_command_is_shown_on_one_line() {
        assert_eq!(argv(&["a\nb", "\u{1b}[1m"]).shown(), "a b  [1m");
        assert_eq!(CommandLine::Shell("é".repeat(300)).shown(), "é".repeat(200));
    }

    fn shell(list: &[&str]) -> ShellCapability {
        let allowlist = Some(list.iter().map(|name| (*name).to_owned()).collect());
        ShellCapability { allowlist, ..ShellCapability::default() }
    }

    fn argv(words: &[&str]) -> CommandLine {
        CommandLine::Argv(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn env(name: &str) -> BTreeMap<String, String> {
        [(name.to_owned(), "x".to_owned())].into()
    }

    #[test]
    fn only_listed_programs_run_and_only_as_argv() {
        let policy = shell(&["ls", "git"]);
        let none = BTreeMap::new();
        assert!(policy.permit(&argv(&["ls", "-l; rm", "$(id)", "\n"]), &none).is_ok());
        for refused in [
            CommandLine::Shell("ls".into()),
            CommandLine::Shell("ls; rm -rf .".into()),
            argv(&["rm"]),
            argv(&["/bin/ls"]),
            argv(&["./ls"]),
            argv(&["LS"]),
            argv(&["ls "]),
            argv(&["A=b", "ls"]),
            argv(&[""]),
            argv(&[]),
        ] {
            let error = policy.permit(&refused, &none).unwrap_err();
            assert_eq!(error.code, ErrorCode::Forbidden, "{refused:?}");
            assert!(error.hint.is_some_and(|hint| hint.contains("ls, git")));
        }
        assert!(shell(&[]).permit(&argv(&["ls"]), &none).is_err(), "an empty list allows nothing");
    }

    #[test]
    fn nothing_in_the_environment_brings_in_another_program() {
        let policy = shell(&["ls"]);
        for name in [
            "PATH",
            "path",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "BASH_ENV",
            "ENV",
            "SHELLOPTS",
            "PYTHONSTARTUP",
            "PYTHONPATH",
            "NODE_OPTIONS",
            "PERL5OPT",
            "RUBYOPT",
            "GIT_SSH_COMMAND",
            "npm_config_script_shell",
            "GCONV_PATH",
            "GLIBC_TUNABLES",
            "HOME",
        ] {
            let error = policy.permit(&argv(&["ls"]), &env(name)).unwrap_err();
            assert!(error.message.contains(name), "{error}");
        }
        assert!(policy.permit(&argv(&["ls"]), &env("CI")).is_ok());
        let open = ShellCapability::default();
        assert!(open.permit(&CommandLine::Shell("x".into()), &env("PATH")).is_ok());
    }

    #[test]
    fn a_list_holds_plain_names() {
        assert!(shell(&["ls", "python3.13", "[", "g++"]).check().is_ok());
        for bad in ["", "/bin/ls", "ls -l", "a\n", "a\0", &"x".repeat(SHELL_PROGRAM_MAX_CHARS + 1)]
        {
            assert_eq!(shell(&[bad]).check().unwrap_err().code, ErrorCode::InvalidArgument);
        }
        assert!(shell(&vec!["x"; SHELL_ALLOWLIST_MAX + 1]).check().is_err());
    }

    proptest! {
        #[test]
        fn what_passes_is_on_the_list_whatever_it_is(
            words in proptest::collection::vec("[a-z/;&$() \n]{0,6}", 0..4),
            text in ".{0,20}",
            name in "[A-Z_]{1,10}",
        ) {
            let policy = shell(&["a", "b", "ls"]);
            prop_assert!(policy.permit(&CommandLine::Shell(text), &BTreeMap::new()).is_err());
            let passes = policy.permit(&CommandLine::Argv(words.clone()), &BTreeMap::new()).is_ok();
            let listed = words.first().is_some_and(|word| ["a", "b", "ls"].contains(&word.as_str()));
            prop_assert_eq!(passes, listed);
            if policy.permit(&argv(&["a"]), &env(&name)).is_ok() {
                prop_assert!(name != "PATH" && !name.starts_with("LD_"));
            }
            let loader = env(&["LD_", &name].concat());
            prop_assert!(policy.permit(&argv(&["a"]), &loader).is_err());
        }
    }
}
