//! Run a command in each compared workspace.

use crate::domain::egress::RefusedHost;
use crate::domain::limits::COMPARE_OUTPUT_BYTES;
use crate::domain::{ErrorBody, Result, WorkspaceRef};
use crate::ports::sandbox::CommandLine;
use crate::session::exec::run::Exec;
use crate::session::trees::compare::Comparison;
use crate::session::{RunRequest, Session};
use futures::future::join_all;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a command ended in one workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum CommandOutcome {
    /// It ran.
    Ran {
        /// Its exit code.
        exit_code: i32,
        /// It took too long.
        timed_out: bool,
        /// How long it took, in milliseconds.
        duration_ms: u64,
        /// The end of what it printed to stdout.
        stdout_tail: String,
        /// The end of what it printed to stderr.
        stderr_tail: String,
        /// Hosts that the network policy refused since it last listed some.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        refused_hosts: Vec<RefusedHost>,
        /// What to do if hosts were refused, or memory ran out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// It could not run.
    Failed {
        /// Why.
        error: ErrorBody,
    },
}

/// Runs a command in each workspace of a comparison, and adds the outcomes.
pub(crate) async fn run_in_each(
    session: &Session,
    comparison: &mut Comparison,
    command: &CommandLine,
    timeout_ms: Option<u64>,
) -> Result<()> {
    let exec = Exec::from(session);
    let request = RunRequest {
        command: command.clone(),
        cwd: None,
        env: BTreeMap::new(),
        timeout_ms,
        wait_ms: None,
        stdin: None,
        max_output_bytes: Some(COMPARE_OUTPUT_BYTES),
        workspace: None,
    };
    // The policy is the session's, so a refused command is refused in all.
    exec.check(&request)?;
    let runs = comparison.workspaces.iter().map(async |workspace| {
        let workspace = workspace.tree.sandbox_id.clone().map(WorkspaceRef::new);
        let request = RunRequest { workspace, ..request.clone() };
        match exec.run(request).await {
            Ok(placed) => {
                let result = placed.answer;
                CommandOutcome::Ran {
                    exit_code: result.exit_code,
                    timed_out: result.timed_out,
                    duration_ms: result.duration_ms,
                    stdout_tail: tail(result.stdout),
                    stderr_tail: tail(result.stderr),
                    refused_hosts: result.refused_hosts,
                    hint: result.hint,
                }
            }
            Err(error) => CommandOutcome::Failed { error: error.to_wire().error },
        }
    });
    let outcomes = join_all(runs).await;
    for (workspace, outcome) in comparison.workspaces.iter_mut().zip(outcomes) {
        workspace.command = Some(outcome);
    }
    Ok(())
}

/// The end of an output, which also has as many bytes of the beginning.
fn tail(output: String) -> String {
    let keep = usize::try_from(COMPARE_OUTPUT_BYTES / 2).unwrap_or(usize::MAX);
    let start = output.len().saturating_sub(keep);
    let start = (start..output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(start);
    output.get(start..).map(str::to_owned).unwrap_or_default()
}
