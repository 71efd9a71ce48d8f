//! `script`: JavaScript that runs beside the session.

use super::{print_value, read_code};
use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output;
use crate::remote::Remote;
use clap::Args;
use serde::Deserialize;

answer! {
    /// How a script ended.
    pub struct ScriptResult { logs: String, value_text: Option<String>, error: Option<String> }
}

/// Run JavaScript beside the session, without a container, and print the value that it returns as JSON
///
/// The code is the body of an async function: `return (await workspace.list_snapshots()).snapshots.length` calls the
/// tool workspace_list_snapshots. The script's console output goes to standard error. Ctrl-C ends the script. The
/// session needs capabilities.script.
#[derive(Debug, Args)]
pub struct Script {
    /// File with the code; - is standard input
    #[arg(default_value = "-")]
    file: String,
}

impl Script {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::run_script::call(remote.session()?)?
            .doing("Running the script")
            .field(op::run_script::field::CODE, read_code(&self.file)?);
        let answer = remote.call_until_signal(call)?;
        let result: ScriptResult = read(&answer)?;
        if remote.out.is_json() {
            remote.out.json(&answer)?;
        } else {
            output::error_block(&result.logs)?;
            print_value(&remote.out, &answer, result.value_text.as_deref())?;
            output::error_block(result.error.as_deref().unwrap_or_default())?;
        }
        if result.error.is_some() { Err(Error::Exit(1)) } else { Ok(()) }
    }
}
