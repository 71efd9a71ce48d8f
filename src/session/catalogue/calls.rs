//! Recorded calls.

use crate::domain::json::render;
use crate::domain::limits::{COMMANDS_KEPT, FORGOTTEN_AT_ONCE};
use crate::domain::time::rfc3339;
use crate::domain::{
    CodeContextId, CommandLine, CommandRecord, CommandView, Language, OperationId, OperationState,
    ProcessName, RecordedCall, Result, Rights, SandboxId, Subject,
};
use crate::ports::database::{SEQ_MAX, column, insert, json_column, query};
use crate::ports::{Row, SqlValue};
use crate::session::catalogue::Catalogue;
use serde::Deserialize;

const COLUMNS: &str = "seq, id, op, key, fingerprint, state, step, subject, rights, started_at_ms, ended_at_ms, answer";

/// A call about to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOperation {
    /// Id of the call.
    pub id: OperationId,
    /// The operation's or tool's name.
    pub op: String,
    /// The key by which the caller may repeat the call.
    pub key: Option<String>,
    /// Hash of the whole request.
    pub fingerprint: String,
    /// The subject that the call makes or changes, as far as it is known.
    pub subject: Option<Subject>,
    /// What other callers need to act on it.
    pub rights: Rights,
    /// When the call began, in milliseconds since the epoch.
    pub started_at_ms: i64,
}

#[derive(Deserialize)]
struct SpanRow {
    span: i64,
    started_at_ms: i64,
}

impl Catalogue {
    fn select_operations(&self, tail: &str, params: &[SqlValue]) -> Result<Vec<RecordedCall>> {
        let sql = format!("SELECT {COLUMNS} FROM operations {tail}");
        query(self.database.as_ref(), &sql, params)
    }

    /// A recorded call by its id.
    pub fn operation(&self, id: &OperationId) -> Result<Option<RecordedCall>> {
        Ok(self.select_operations("WHERE id = ?", &[id.as_str().into()])?.into_iter().next())
    }

    /// The call that has this key.
    pub fn operation_by_key(&self, key: &str) -> Result<Option<RecordedCall>> {
        Ok(self.select_operations("WHERE key = ?", &[key.into()])?.into_iter().next())
    }

    /// Calls that have not ended, or whose end was not recorded.
    pub fn running_operations(&self) -> Result<Vec<RecordedCall>> {
        self.select_operations(
            "INDEXED BY operations_running WHERE state = 'running' ORDER BY seq",
            &[],
        )
    }

    /// A page of calls, newest first, before `before_seq`.
    pub fn list_operations(
        &self,
        before_seq: Option<i64>,
        limit: u32,
    ) -> Result<Vec<RecordedCall>> {
        self.select_operations(
            "WHERE seq < ? ORDER BY seq DESC LIMIT ?",
            &[before_seq.unwrap_or(SEQ_MAX).into(), i64::from(limit).into()],
        )
    }

    /// Records that a call begins.
    pub fn add_operation(&self, new: &NewOperation) -> Result<()> {
        let row = vec![
            ("id", new.id.as_str().into()),
            ("op", new.op.as_str().into()),
            ("key", new.key.clone().into()),
            ("fingerprint", new.fingerprint.as_str().into()),
            ("state", OperationState::Running.as_str().into()),
            ("subject", new.subject.as_ref().map(ToString::to_string).into()),
            ("rights", render(&new.rights)?.to_string().into()),
            ("started_at_ms", new.started_at_ms.into()),
        ];
        insert(self.database.as_ref(), "operations", row)
    }

    /// Records the step that a running call is about to take.
    pub fn set_operation_step(&self, id: &OperationId, step: &str) -> Result<()> {
        self.database.exec(
            "UPDATE operations SET step = ? WHERE id = ? AND state = 'running'",
            &[step.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// Records what a running call makes or changes.
    pub fn set_operation_subject(&self, id: &OperationId, subject: &Subject) -> Result<()> {
        self.database.exec(
            "UPDATE operations SET subject = ? WHERE id = ? AND state = 'running'",
            &[subject.to_string().into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// Records how a call ended. Without `keep_key`, the key is free for another call.
    pub fn end_operation(
        &self,
        id: &OperationId,
        state: OperationState,
        ended_at_ms: i64,
        answer: &str,
        keep_key: bool,
    ) -> Result<()> {
        self.database.exec(
            "UPDATE operations SET state = ?, ended_at_ms = ?, answer = ?,
                key = CASE WHEN ? THEN key END
             WHERE id = ? AND state = 'running'",
            &[
                state.as_str().into(),
                ended_at_ms.into(),
                answer.into(),
                keep_key.into(),
                id.as_str().into(),
            ],
        )?;
        Ok(())
    }

    /// Notes a large result. Past `room` bytes in all, replaces the oldest with `instead`.
    pub fn note_large_answer(
        &self,
        id: &OperationId,
        bytes: usize,
        room: usize,
        instead: &str,
    ) -> Result<()> {
        let number = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
        self.database.exec(
            "UPDATE operations SET large_bytes = ? WHERE id = ?",
            &[number(bytes).into(), id.as_str().into()],
        )?;
        self.database.exec(
            "UPDATE operations SET state = 'failed', answer = ?, large_bytes = NULL
             WHERE seq IN (SELECT seq FROM (
                SELECT seq, SUM(large_bytes) OVER (ORDER BY seq DESC) AS together
                FROM operations WHERE large_bytes IS NOT NULL) WHERE together > ?)",
            &[instead.into(), number(room).into()],
        )?;
        Ok(())
    }

    /// Forgets calls from before `before_ms`, and the oldest ones without a key beyond `kept`.
    pub fn forget_operations(&self, before_ms: i64, kept: u32) -> Result<()> {
        self.database.exec(
            "DELETE FROM operations WHERE seq IN (
                SELECT seq FROM (SELECT seq, state, started_at_ms FROM operations ORDER BY seq LIMIT ?)
                WHERE state <> 'running' AND started_at_ms < ?)",
            &[FORGOTTEN_AT_ONCE.into(), before_ms.into()],
        )?;
        self.database.exec(
            "DELETE FROM operations WHERE seq IN (
                SELECT seq FROM operations INDEXED BY operations_without_key
                WHERE key IS NULL AND state <> 'running' AND seq <= (
                    SELECT seq FROM operations INDEXED BY operations_without_key
                    WHERE key IS NULL ORDER BY seq DESC LIMIT 1 OFFSET ?)
                ORDER BY seq LIMIT ?)",
            &[i64::from(kept).into(), FORGOTTEN_AT_ONCE.into()],
        )?;
        Ok(())
    }

    /// The number of calls recorded since the oldest kept one, and when that one began.
    pub fn recorded_operations(&self) -> Result<(i64, i64)> {
        let rows = query::<SpanRow>(
            self.database.as_ref(),
            "SELECT (SELECT MAX(seq) FROM operations) - seq + 1 AS span, started_at_ms
             FROM operations ORDER BY seq LIMIT 1",
            &[],
        )?;
        Ok(rows.into_iter().next().map_or((0, 0), |row| (row.span, row.started_at_ms)))
    }

    /// When the oldest recorded call began.
    pub fn oldest_operation_ms(&self) -> Result<Option<i64>> {
        let (span, started_at_ms) = self.recorded_operations()?;
        Ok((span > 0).then_some(started_at_ms))
    }
}

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

/// Also returns when the command began, in milliseconds since the epoch.
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
