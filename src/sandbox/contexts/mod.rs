//! Code contexts: interpreters in the container that keep their variables between calls. Each is a
//! background process with its own directory, and ends with the container.

pub(crate) mod run;

use crate::domain::error::{Error, ErrorCode, Next, Result};
use crate::domain::exec::code::{Language, ended_with_container};
use crate::domain::ids::{CodeContextId, InstanceId};
use crate::domain::limits::{
    CODE_CONTEXT_IDLE_SECS, CODE_CONTEXT_LOG_BYTES, CODE_CONTEXT_MEMORY_MAX_MIB,
    CODE_CONTEXT_MEMORY_MIB, CODE_CONTEXT_MEMORY_MIN_MIB, CODE_CONTEXTS_MAX,
};
use crate::domain::time::rfc3339;
use crate::ports::container::{Command, Output};
use crate::ports::random::random_bytes;
use crate::ports::sandbox::{
    CodeContext, CodeContextList, CodeContextOptions, CreateCodeContextOptions,
};
use crate::sandbox::exec::Exec;
use crate::sandbox::exec::code::no_interpreter;
use crate::sandbox::exec::environment::environment;
use crate::sandbox::scripts::{
    CONTEXT, CONTEXT_JAVASCRIPT, CONTEXT_PYTHON, DELETE_CONTEXT, LIST_PROCESSES, OWN_DIR,
    START_CONTEXT, complaint, script, status,
};
use serde_json::json;
use std::collections::BTreeMap;

impl Exec<'_> {
    /// Starts an interpreter, and returns once it takes calls.
    pub(crate) async fn start_context(
        &self,
        options: CreateCodeContextOptions,
    ) -> Result<CodeContext> {
        let memory = options.memory_mib.unwrap_or(CODE_CONTEXT_MEMORY_MIB);
        let allowed = CODE_CONTEXT_MEMORY_MIN_MIB..=CODE_CONTEXT_MEMORY_MAX_MIB;
        if !allowed.contains(&memory) {
            return Err(Error::invalid(
                "memoryMib",
                format!("must be {CODE_CONTEXT_MEMORY_MIN_MIB} to {CODE_CONTEXT_MEMORY_MAX_MIB}"),
            ));
        }
        let disk = self.container.require_disk(options.instance_id.as_ref()).await?;
        let id = CodeContextId::new(&disk, random_bytes(self.context.ports.random.as_ref())?);
        let interpreter = options.language.interpreter();
        let source = match options.language {
            Language::Python => CONTEXT_PYTHON,
            Language::JavaScript => CONTEXT_JAVASCRIPT,
        };
        let (all, shown) = (all_dir(), format!("{interpreter} {memory}"));
        let dir = format!("{all}/{id}");
        let numbers = [CODE_CONTEXTS_MAX, memory, CODE_CONTEXT_IDLE_SECS];
        let [most, memory, idle] = numbers.map(|number| number.to_string());
        let log_most = CODE_CONTEXT_LOG_BYTES.to_string();
        let no_limit = "";
        let process =
            [all.as_str(), id.as_str(), &shown, &most, &log_most, no_limit, options.cwd.as_str()];
        let command =
            ["argv", "sh", "-c", CONTEXT, "sh", &dir, &memory, &idle, source, interpreter];
        let env = environment(self.context, BTreeMap::new())?;
        let command = Command { env, ..script(START_CONTEXT, &[&process[..], &command].concat()) };
        let output = self.container.run(&command).await?;
        let said = complaint(&output);
        match output.exit_code {
            0 if !output.killed => read_all(&output).pop().ok_or_else(unreadable),
            status::TOOL_MISSING => Err(no_interpreter(said)),
            status::BUSY => Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("{CODE_CONTEXTS_MAX} code contexts run in this workspace, the maximum"),
            )
            .with_hint(Next::DeleteCodeContext)
            .with_details(json!({ "limit": "codeContexts" }))),
            status::NOT_FOUND => Err(Error::new(ErrorCode::NotFound, format!("cwd: {said}"))
                .with_hint(Next::MakeDirectory)),
            status::INCOMPLETE => {
                Err(Error::new(ErrorCode::Unavailable, "the interpreter does not start")
                    .with_cause(said)
                    .with_hint(Next::TryInterpreter))
            }
            _ => Err(failed(said)),
        }
    }

    pub(crate) async fn contexts(&self, options: &CodeContextOptions) -> Result<CodeContextList> {
        let output = self.run_on_contexts(LIST_PROCESSES, &[], options).await?;
        let mut contexts = read_all(&output);
        contexts.sort_by(|one, other| one.created_at.cmp(&other.created_at));
        Ok(CodeContextList { contexts })
    }

    /// Succeeds if the context is missing.
    pub(crate) async fn end_context(
        &self,
        id: &CodeContextId,
        options: &CodeContextOptions,
    ) -> Result<()> {
        self.run_on_contexts(DELETE_CONTEXT, &[id.as_str()], options).await.map(drop)
    }

    async fn run_on_contexts(
        &self,
        source: &str,
        arguments: &[&str],
        options: &CodeContextOptions,
    ) -> Result<Output> {
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let all = all_dir();
        let mut words = vec![all.as_str()];
        words.extend(arguments);
        let output = self.container.run_bounded(&script(source, &words)).await?;
        match output.exit_code {
            0 | status::NOT_FOUND if !output.killed => Ok(output),
            _ => Err(failed(complaint(&output))),
        }
    }

    /// Refuses a context of an earlier container.
    pub(crate) fn check_context(id: &CodeContextId, disk: &InstanceId) -> Result<()> {
        if id.is_on(disk) { Ok(()) } else { Err(ended_with_container(id)) }
    }
}

fn failed(said: String) -> Error {
    Error::new(ErrorCode::Unavailable, "a code context script failed in the container")
        .with_cause(said)
        .with_hint("call again")
}

/// The script's output must not get into the log.
fn unreadable() -> Error {
    Error::internal("a script for code contexts printed unexpected output")
}

fn all_dir() -> String {
    format!("{OWN_DIR}/contexts")
}

/// Keeps only contexts that run.
fn read_all(output: &Output) -> Vec<CodeContext> {
    String::from_utf8_lossy(&output.stdout).lines().filter_map(read).collect()
}

/// Parses a line of `processes.sh`. None if the context has ended.
fn read(line: &str) -> Option<CodeContext> {
    let mut words = line.split(' ');
    let context = CodeContextId::parse(words.next()?).ok()?;
    words.next().filter(|state| *state == "running")?;
    let created_at = rfc3339(words.next()?.parse().ok()?);
    let mut shown = words.skip(3);
    let language = Language::of_interpreter(shown.next()?)?;
    let memory_mib = shown.next()?.parse().ok()?;
    Some(CodeContext { context, language, memory_mib, created_at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_a_context_is_read() {
        let id = "0123456789abcdefghjkmnpqrs";
        let read = |rest: &str| read(&format!("{id} {rest}"));
        let context = read("running 1795300696500 - - 12 node 256").unwrap();
        assert_eq!((context.context.as_str(), context.language), (id, Language::JavaScript));
        assert_eq!(context.memory_mib, 256);
        assert_eq!(context.created_at, "2026-11-21T22:38:16.500Z");
        for other in
            ["ended 1 2 0 12 node 256", "running 1 - - 12 perl 256", "running 1 - - 12 node", ""]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn a_context_is_of_one_container() {
        let disks = [1, 2].map(|byte| InstanceId::from_random([byte; 16]));
        let id = CodeContextId::new(&disks[0], [7; 16]);
        assert_eq!(CodeContextId::parse(id.as_str()).unwrap(), id);
        assert!(id != CodeContextId::new(&disks[0], [8; 16]));
        assert!(Exec::check_context(&id, &disks[0]).is_ok());
        let error = Exec::check_context(&id, &disks[1]).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
        assert!(error.message.contains("ended with its container"), "{error}");
    }
}
