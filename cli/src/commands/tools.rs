//! `tools`: lists and calls the tools that the session offers to a model.

use crate::api::{Call, answer, operations as op, read};
use crate::error::Error;
use crate::remote::Remote;
use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::Value;

answer! {
    /// The tools that the token may use.
    pub struct ToolList { tools: Vec<ListedTool> }

    /// A tool.
    pub struct ListedTool { name: String, title: String }
}

/// List the tools that a model gets, or call one as a model does
#[derive(Debug, Args)]
pub struct Tools {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the tools that the token may use
    List,
    /// Call a tool and print its answer as JSON
    Call {
        /// The tool's name, such as workspace_stat
        tool: String,
        /// The tool's input as a JSON object
        #[arg(default_value = "{}")]
        input: String,
    },
}

impl Tools {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = remote.session()?;
        match self.what {
            What::List => {
                let call = op::list_tools::call(session)?
                    .doing("Listing tools")
                    .query(op::list_tools::query::TOOLS, Some("all"));
                remote.show(&call, |out, answer| {
                    let rows = read::<ToolList>(answer)?
                        .tools
                        .into_iter()
                        .map(|tool| [tool.name, tool.title]);
                    out.table(["TOOL", "WHAT IT DOES"], rows.collect())
                })
            }
            What::Call { tool, input } => {
                let mut call = tool_call(session, &tool)?.doing("Calling the tool");
                call.body = serde_json::from_str(&input).map_err(|error| {
                    Error::Usage(format!("the input is no JSON object: {error}"))
                })?;
                let answer: Value = remote.call(&call)?;
                remote.out.json(&answer)
            }
        }
    }
}

/// A call of any published tool.
fn tool_call(session: &str, tool: &str) -> Result<Call, Error> {
    let operation = op::ALL.iter().copied().find(|operation| {
        operation.id == tool && operation.path.ends_with(&format!("/tools/{tool}"))
    });
    let operation = operation.ok_or_else(|| {
        Error::Usage(format!("there is no tool {tool:?}: `snapshotter tools list` lists them"))
    })?;
    Call::new(operation, &[("session", session)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_operations_of_their_own() {
        assert_eq!(
            tool_call("s", "workspace_stat").unwrap().target,
            "/v1/sessions/s/tools/workspace_stat"
        );
        for other in ["openSession", "workspace_nothing", ""] {
            assert!(tool_call("s", other).is_err());
        }
    }
}
