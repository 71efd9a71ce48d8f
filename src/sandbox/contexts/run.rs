//! Runs code in a context.

use crate::domain::error::{Error, ErrorCode, Next, Outcome, Result};
use crate::domain::ids::CodeContextId;
use crate::domain::limits::CODE_CONTEXT_IDLE_SECS;
use crate::ports::sandbox::{
    CommandLine, ExecOptions, LeftInContext, LeftRunning, RunInCodeContextOptions,
};
use crate::ports::stream::Bytes;
use crate::sandbox::contexts::all_dir;
use crate::sandbox::exec::Exec;
use crate::sandbox::exec::code::{check_size, collect};
use crate::sandbox::exec::left;
use crate::sandbox::exec::stream::CodeCall;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::scripts::{RUN_IN_CONTEXT, remove_tree};
use async_trait::async_trait;

struct ContextCall {
    context: CodeContextId,
    /// Directory of its code and its results.
    dir: String,
}

impl Exec<'_> {
    /// Runs code in a context and returns its events. A failure before it runs is an error of this
    /// call; a later failure is the last event.
    pub(crate) async fn stream_in_context(
        &self,
        context: CodeContextId,
        code: String,
        options: RunInCodeContextOptions,
    ) -> Result<Bytes> {
        check_size(&code)?;
        let disk = self.container.require_disk(options.instance_id.as_ref()).await?;
        Self::check_context(&context, &disk)?;
        let call = ContextCall { context, dir: self.code_dir()? };
        let (all, size, room) = (all_dir(), code.len().to_string(), left::room());
        let id = call.context.as_str();
        let argv = ["sh", "-c", RUN_IN_CONTEXT, "sh", &all, id, &call.dir, &size, &room];
        let exec = ExecOptions {
            timeout: options.timeout,
            stdin: Some(code),
            max_output_bytes: options.max_output_bytes,
            keep_as: options.keep_as,
            instance_id: options.instance_id,
            ..ExecOptions::default()
        };
        let line = CommandLine::Argv(argv.map(str::to_owned).to_vec());
        let mut prepared = self.prepare(&line, exec).await?;
        prepared.shown = format!("code in context {}", call.context);
        self.stream_code(prepared, Box::new(call)).await
    }
}

#[async_trait(?Send)]
impl CodeCall for ContextCall {
    async fn left(
        &self,
        container: &SandboxContainer,
    ) -> Result<(LeftInContext, Option<LeftRunning>)> {
        let collected = collect(container, &self.dir)
            .await
            .map_err(|error| error.with_outcome(Outcome::Unknown))?;
        let context_ended = self.ended(&collected.note)?;
        Ok((LeftInContext { left: collected.left, context_ended }, collected.running))
    }

    async fn forget(&self, container: &SandboxContainer) {
        let _ = container.run(&remove_tree(&self.dir)).await;
    }
}

impl ContextCall {
    /// Reads the note of `run_in_context.sh`.
    fn ended(&self, note: &str) -> Result<Option<String>> {
        let id = &self.context;
        let mut words = note.split(' ');
        let (what, exit, why) = (words.next(), words.next(), words.next());
        let reason = reason(exit.unwrap_or_default(), why.unwrap_or_default());
        match what {
            Some("ended") => Ok(Some(reason)),
            Some("over") => Err(Error::new(
                ErrorCode::NotFound,
                format!("code context {id} has ended: {reason}"),
            )
            .with_hint(Next::CreateCodeContext)),
            Some("absent") => Err(Error::new(
                ErrorCode::NotFound,
                format!("there is no code context {id} in this workspace"),
            )
            .with_hint(Next::CreateCodeContext)),
            Some("incomplete") => Err(Error::new(
                ErrorCode::Unavailable,
                "the code did not arrive whole, and did not run",
            )
            .with_hint("call again")),
            Some("busy") => {
                Err(Error::new(ErrorCode::Conflict, format!("code context {id} runs another call"))
                    .with_hint(
                        "call again when that has ended, or use another context for this code",
                    ))
            }
            _ => Ok(None),
        }
    }
}

/// Why a context ended, from the exit status of its interpreter and the script's note.
fn reason(exit: &str, why: &str) -> String {
    match (exit, why) {
        (_, "idle") => format!("it had no call for {} minutes", CODE_CONTEXT_IDLE_SECS / 60),
        (_, "stuck") => "its code did not react to the interrupt, so it was killed".to_owned(),
        (_, "gone") => "it was deleted".to_owned(),
        ("143", _) => "it was terminated, as a rewind does to what uses the files".to_owned(),
        ("134" | "137" | "139", _) => {
            "it crashed or was killed; the likely cause is that memory ran out".to_owned()
        }
        _ => format!("its interpreter exited with {exit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_whether_the_code_ran_and_why_the_context_ended() {
        let context = CodeContextId::parse("0123456789abcdefghjkmnpqrs").unwrap();
        let call = ContextCall { context, dir: String::new() };
        assert_eq!(call.ended("").unwrap(), None);
        let ended = |note: &str| call.ended(note).unwrap().unwrap();
        assert_eq!(ended("ended 7 -"), "its interpreter exited with 7");
        assert!(ended("ended 137 -").contains("memory"));
        assert!(ended("ended 137 stuck").contains("did not react"));
        for (note, code, text) in [
            ("over 0 idle", ErrorCode::NotFound, "30 minutes"),
            ("over 143 -", ErrorCode::NotFound, "rewind"),
            ("absent", ErrorCode::NotFound, "there is no"),
            ("busy", ErrorCode::Conflict, "another call"),
        ] {
            let error = call.ended(note).unwrap_err();
            assert_eq!((error.code, error.outcome), (code, Outcome::None), "{note}");
            assert!(error.message.contains(text) && error.hint.is_some(), "{error}");
        }
    }
}
