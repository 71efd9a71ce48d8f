//! The tools an agent's model calls: one catalogue, built with the crate, and
//! one function that serves a call.

pub(crate) mod catalogue;
pub(crate) mod inputs;

#[cfg(schemas)]
pub use crate::api::tools::catalogue::all;
use crate::api::tools::catalogue::no_such_tool;
pub use crate::api::tools::catalogue::{TOOL_SCOPES, Tool, is_no_such_tool, list, needs};

use crate::api::tools::inputs::{
    DeleteInput, ListInput, LiveForkInput, NoInput, PauseInput, RewindInput, SnapshotInput,
    SnapshotTargetInput, SwitchInput, UpdateInput,
};
use crate::domain::arguments::read;
use crate::domain::error::{Error, Result};
use crate::domain::ids::RestoreKind;
use crate::domain::json::render;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::session::{
    Abort, DeleteOptions, EditFileRequest, FindFilesRequest, FindLinesRequest, ListFilesRequest,
    ListRequest, LiveForkRequest, MadeWorkspace, MakeDirRequest, ReadFileRequest, RemoveRequest,
    RunCodeRequest, RunRequest, Session, StatRequest, WriteFileRequest,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Does something with the type of each tool's input or output.
macro_rules! by_tool {
    ($tool:expr, $T:ident => $do:expr, { $($($name:literal)|+ => $type:ty),+ $(,)? }) => {
        match $tool {
            $($($name)|+ => Some({
                type $T = $type;
                $do
            }),)+
            _ => None,
        }
    };
}

/// Does something with the type of a tool's input. None: there is no such tool.
macro_rules! with_input {
    ($tool:expr, $T:ident => $do:expr) => {
        by_tool!($tool, $T => $do, {
            "workspace_snapshot" => SnapshotInput,
            "workspace_restore" | "workspace_branch" | "workspace_get_snapshot" => SnapshotTargetInput,
            "workspace_fork" => LiveForkInput,
            "workspace_rewind" => RewindInput,
            "workspace_list_snapshots" => ListInput,
            "workspace_delete_snapshot" => DeleteInput,
            "workspace_update_snapshot" => UpdateInput,
            "workspace_describe" | "workspace_lineage" | "workspace_list_workspaces" => NoInput,
            "workspace_switch" | "workspace_destroy" => SwitchInput,
            "workspace_pause" | "workspace_resume" => PauseInput,
            "workspace_run" => RunRequest,
            "workspace_run_code" => RunCodeRequest,
            "workspace_read_file" => ReadFileRequest,
            "workspace_write_file" => WriteFileRequest,
            "workspace_edit_file" => EditFileRequest,
            "workspace_ls" => ListFilesRequest,
            "workspace_glob" => FindFilesRequest,
            "workspace_grep" => FindLinesRequest,
            "workspace_stat" => StatRequest,
            "workspace_mkdir" => MakeDirRequest,
            "workspace_rm" => RemoveRequest,
        })
    };
}

// After the macros that it uses.
#[cfg(all(test, schemas))]
mod schemas;

/// Serves one tool call.
///
/// # Errors
/// `NOT_FOUND` for a tool the session does not have; `FORBIDDEN` for one that
/// changes something in a read-only session; `INVALID_ARGUMENT` for input that
/// breaks the schema; whatever the operation answers.
pub async fn call(host: &Session, name: &str, input: Value, abort: &Abort) -> Result<Value> {
    let tool = catalogue::find(&host.config()?.modules, name)?;
    // The input of a call that is not to start work is not looked at.
    abort.check()?;
    let answer = serve(host, &tool.name, input, abort).await?;
    report_wake(host, answer)
}

/// Adds what the caller does not know yet of a workspace that woke.
fn report_wake(host: &Session, mut answer: Value) -> Result<Value> {
    if let Some(fields) = answer.as_object_mut()
        && let Some(woken) = host.take_unreported_wake()?
    {
        fields.insert("woken".to_owned(), render(&woken)?);
    }
    Ok(answer)
}

async fn serve(host: &Session, tool: &str, input: Value, abort: &Abort) -> Result<Value> {
    match tool {
        "workspace_snapshot" => {
            let input: SnapshotInput = parse(input)?;
            render(&host.snapshot(input.into(), abort).await.map_err(without_replace)?)
        }
        "workspace_restore" => {
            render(&make_and_switch(host, RestoreKind::Restored, parse(input)?, abort).await?)
        }
        "workspace_branch" => {
            render(&make_and_switch(host, RestoreKind::Branch, parse(input)?, abort).await?)
        }
        "workspace_fork" => {
            let LiveForkInput { count } = parse(input)?;
            render(&host.live_fork(&LiveForkRequest { count, expected_active: None }, abort).await?)
        }
        "workspace_rewind" => {
            let input: RewindInput = parse(input)?;
            render(&host.rewind(&input.into(), abort).await?)
        }
        "workspace_list_snapshots" => {
            let input: ListInput = parse(input)?;
            render(&host.list(&ListRequest::try_from(input)?).await?)
        }
        "workspace_delete_snapshot" => {
            let input: DeleteInput = parse(input)?;
            let options = DeleteOptions {
                allow_cross_session: input.allow_cross_session,
                force: input.force,
            };
            render(&host.delete(&input.r#ref, options).await?)
        }
        "workspace_update_snapshot" => {
            let input: UpdateInput = parse(input)?;
            let (named, edit) = input.into();
            render(&host.update_snapshot(&named, &edit).await.map_err(without_replace)?)
        }
        "workspace_get_snapshot" => {
            let input: SnapshotTargetInput = parse(input)?;
            render(&host.get(&input.r#ref, input.allow_cross_session).await?)
        }
        "workspace_describe" => {
            let NoInput {} = parse(input)?;
            render(&host.describe_workspace().await?)
        }
        "workspace_lineage" => {
            let NoInput {} = parse(input)?;
            render(&host.lineage().await?)
        }
        "workspace_list_workspaces" => {
            let NoInput {} = parse(input)?;
            render(&host.list_workspaces().await?)
        }
        "workspace_switch" => {
            let input: SwitchInput = parse(input)?;
            let active: WorkspaceRef = host.switch(&input.r#ref).await?;
            render(&json!({ "ref": active }))
        }
        "workspace_destroy" => {
            let input: SwitchInput = parse(input)?;
            render(&host.destroy_workspace(&input.r#ref).await?)
        }
        "workspace_pause" => {
            let PauseInput { r#ref } = parse(input)?;
            render(&host.pause(r#ref.as_ref(), abort).await?)
        }
        "workspace_resume" => {
            let PauseInput { r#ref } = parse(input)?;
            render(&host.resume(r#ref.as_ref(), abort).await?)
        }
        "workspace_run" => {
            let request = parse(input)?;
            abort.step("running the command")?;
            render(&host.run_followed(request, abort).await?)
        }
        "workspace_run_code" => {
            let request = parse(input)?;
            abort.step("running the code")?;
            render(&host.run_code(request).await?)
        }
        "workspace_read_file" => host.read_file(parse(input)?).await?.into_value(),
        "workspace_write_file" => render(&host.write_file(parse(input)?).await?),
        "workspace_edit_file" => render(&host.edit_file(parse(input)?).await?),
        "workspace_ls" => render(&host.list_files(parse(input)?).await?),
        "workspace_glob" => render(&host.find_files(parse(input)?).await?),
        "workspace_grep" => render(&host.find_lines(parse(input)?).await?),
        "workspace_stat" => render(&host.stat(parse(input)?).await?),
        "workspace_mkdir" => render(&host.make_dir(parse(input)?).await?),
        "workspace_rm" => render(&host.remove(parse(input)?).await?),
        listed => Err(Error::internal(format!("tool {listed} is listed and not served"))),
    }
}

/// Refuses input that does not parse, for a call whose caller does not wait to
/// hear it from the call itself.
///
/// # Errors
/// `NOT_FOUND` for a tool that there is not; `INVALID_ARGUMENT`.
pub fn check_input(tool: &str, input: &Value) -> Result<()> {
    let input = input.clone();
    with_input!(tool, Input => parse::<Input>(input).map(drop)).unwrap_or_else(|| {
        let names: Vec<&str> = TOOL_SCOPES.iter().map(|(name, _)| *name).collect();
        Err(no_such_tool(tool, &names))
    })
}

/// The same refusal of a taken name for a tool: none takes `replace`.
fn without_replace(error: Error) -> Error {
    let holder = error.details.as_ref().and_then(|details| details.get("holder"));
    let Some(holder) = holder.and_then(Value::as_str) else { return error };
    let hint = format!(
        "choose another name, or free this one first: workspace_update_snapshot with ref {holder:?} and name null, or workspace_delete_snapshot"
    );
    error.with_hint(hint)
}

/// The tools go on in the workspace they make; that is persisted before they answer.
async fn make_and_switch(
    host: &Session,
    kind: RestoreKind,
    input: SnapshotTargetInput,
    abort: &Abort,
) -> Result<MadeWorkspace> {
    let made = host.make_workspace(kind, &input.r#ref, input.allow_cross_session, abort).await?;
    match host.switch(&made.r#ref).await {
        Ok(_active) => Ok(made),
        Err(error) => Err(host.unswitched(&made, error)),
    }
}

fn parse<T: DeserializeOwned>(input: Value) -> Result<T> {
    let input = if input.is_null() { json!({}) } else { input };
    read("input", input)
        .map_err(|error| error.with_hint("correct it after the tool's input schema"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::error::ErrorCode;

    /// Names, descriptions and input schemas cost a model context in each conversation.
    #[cfg(schemas)]
    #[test]
    fn all_tools_together_fit_their_budget() {
        let told: usize = all()
            .iter()
            .map(|tool| json!([tool.name, tool.description, tool.input_schema]).to_string().len())
            .sum();
        assert!(told / 4 < 10_000, "about {} tokens", told / 4);
    }

    #[test]
    fn every_tool_has_its_input_checked() {
        for (name, _) in TOOL_SCOPES {
            let error = check_input(name, &json!({ "surprise": 1 })).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{name}");
        }
        assert!(check_input("workspace_ls", &json!({ "limit": 5 })).is_ok());
        // Not for a model to set.
        let error =
            check_input("workspace_update_snapshot", &json!({ "ref": "a", "replace": true }));
        assert_eq!(error.unwrap_err().details, Some(json!({ "field": "replace" })));
        assert!(is_no_such_tool(&check_input("workspace_fly", &json!({})).unwrap_err()));
    }
}
