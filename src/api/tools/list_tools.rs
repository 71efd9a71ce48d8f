//! List the tools.

use crate::api::operation::{
    Call, Descriptor, Method, Operation, OperationKind, Param, ParamKind, Reply, Resolves, Route,
    Verb, answer,
};
use crate::api::tools::catalogue::{ListedTool, list};
use crate::domain::limits::TOOL_NAMES_MAX_BYTES;
use crate::domain::{Needs, Result, ToolSelection};
use serde::{Deserialize, Serialize};

pub(crate) struct ListTools;

/// Arguments of `listTools`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ListToolsArgs {
    /// Which tools: core, all, or names. Default: those that the session's configuration selects,
    /// else core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolSelection>,
}

/// The tools of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ToolList {
    /// In the order of the catalogue.
    pub tools: Vec<ListedTool>,
}

/// The query parameter `tools`.
pub(crate) const TOOLS: Param = Param {
    name: "tools",
    kind: ParamKind::Text { max: TOOL_NAMES_MAX_BYTES },
    description: "core, all, or comma-separated names. Default: the tools that the configuration selects, else core.",
};

impl OperationKind for ListTools {
    type Input = ListToolsArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/tools",
            "listTools",
            "List the session's tools, for a model",
            |asked| Ok(Operation::of::<ListTools>(asked.query()?)),
        )
        .query(&[TOOLS])
        .answers::<ToolList>()],
        ..Descriptor::new("listTools", Needs::Nothing)
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<ListToolsArgs>().resolves(Resolves::Field("tools")).describe(
            "Lists the tools of the session that the caller may use, in the form that a model \
             takes. By default those of daily work; `tools: \"all\"` lists the others too, which can \
             be called all the same.",
        ));

    async fn run(call: Call<'_>, input: ListToolsArgs) -> Result<Reply> {
        let config = call.session.config()?;
        let selection = input.tools.as_ref().unwrap_or(&config.tools);
        answer(&ToolList { tools: list(&config.modules, selection, call.caller)? })
    }
}
