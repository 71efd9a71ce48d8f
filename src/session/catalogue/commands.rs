//! The commands that ended last.

use crate::domain::json::render;
use crate::domain::limits::COMMANDS_KEPT;
use crate::domain::time::rfc3339;
use crate::domain::{
    CodeContextId, CommandLine, CommandRecord, CommandView, Language, ProcessName, Result,
    SandboxId,
};
use crate::ports::Row;
use crate::ports::database::{SEQ_MAX, column, insert, json_column};
use crate::session::catalogue::Catalogue;

/// A command that has ended, or that its session no longer waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedCommand {
    /// The sandbox in which it ran.
    pub sandbox_id: SandboxId,
    /// When it began, in milliseconds since the epoch.
    pub began_at_ms: i64,
    /// The command or code, as it is to be shown.
    pub command: CommandLine,
    /// The language, if it was code.
    pub language: Option<Language>,
    /// The code context, if it was code in one.
    pub code_context: Option<CodeContextId>,
    /// How it ended, if that is known.
    pub exit_code: Option<i32>,
    /// How long it took, if that is known.
    pub duration_ms: Option<u64>,
    /// The background process: the command itself, or the one whose log has its output.
    pub process: Option<ProcessName>,
    /// The end of what it printed, as it is to be shown.
    pub stdout: String,
    /// The end of its stderr, as `stdout`.
    pub stderr: String,
}

const SHOWN: &str = "seq, sandbox_id, began_at_ms, duration_ms, exit_code, process, language, code_context, command";

/// Reads a row. Also returns when the command began, in milliseconds since the epoch.
fn read(row: &mut Row) -> Result<(i64, CommandView)> {
    let began_at_ms = column(row, "began_at_ms")?;
    let view = CommandView {
        seq: Some(column(row, "seq")?),
        sandbox_id: column(row, "sandbox_id")?,
        at: rfc3339(began_at_ms),
        command: json_column(row, "command")?,
        language: column(row, "language")?,
        code_context: column(row, "code_context")?,
        exit_code: column(row, "exit_code")?,
        duration_ms: column(row, "duration_ms")?,
        process: column(row, "process")?,
    };
    Ok((began_at_ms, view))
}

impl Catalogue {
    /// Records a command, in place of the oldest one beyond the number kept.
    pub fn add_command(&self, ended: EndedCommand) -> Result<()> {
        let exit_code = ended.exit_code.map(i64::from);
        let language = ended.language.map(|language| render(&language)).transpose()?;
        let row = vec![
            ("sandbox_id", ended.sandbox_id.as_str().into()),
            ("began_at_ms", ended.began_at_ms.into()),
            ("duration_ms", ended.duration_ms.into()),
            ("exit_code", exit_code.into()),
            ("process", ended.process.as_ref().map(ProcessName::as_str).into()),
            ("language", language.as_ref().and_then(|name| name.as_str()).into()),
            ("code_context", ended.code_context.as_ref().map(CodeContextId::as_str).into()),
            ("command", render(&ended.command)?.to_string().into()),
            ("stdout", ended.stdout.into()),
            ("stderr", ended.stderr.into()),
        ];
        insert(self.database.as_ref(), "commands", row)?;
        let sql = "DELETE FROM commands WHERE seq <= (SELECT MAX(seq) FROM commands) - ?";
        self.database.exec(sql, &[i64::from(COMMANDS_KEPT).into()]).map(drop)
    }

    /// Lists commands before `before_seq`, newest first, each with the end of what it printed.
    pub fn list_commands(&self, before_seq: Option<i64>, limit: u32) -> Result<Vec<CommandRecord>> {
        let sql = format!(
            "SELECT {SHOWN}, stdout, stderr FROM commands WHERE seq < ? ORDER BY seq DESC LIMIT ?"
        );
        let params = [before_seq.unwrap_or(SEQ_MAX).into(), i64::from(limit).into()];
        let rows = self.database.exec(&sql, &params)?.into_iter();
        rows.map(|mut row| {
            let (_, command) = read(&mut row)?;
            Ok(CommandRecord {
                command,
                stdout: column(&mut row, "stdout")?,
                stderr: column(&mut row, "stderr")?,
            })
        })
        .collect()
    }

    /// All commands, in the order in which they ended, each with when it began.
    pub fn commands(&self) -> Result<Vec<(i64, CommandView)>> {
        let sql = format!("SELECT {SHOWN} FROM commands ORDER BY seq");
        let rows = self.database.exec(&sql, &[])?.into_iter();
        rows.map(|mut row| read(&mut row)).collect()
    }
}
