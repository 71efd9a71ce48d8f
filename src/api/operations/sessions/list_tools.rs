//! List the tools.

use crate::api::http::{Route, Verb};
use crate::api::operation::answers::ToolList;
use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind, answer};
use crate::api::operation::method::{Method, Resolves};
use crate::api::operations::inputs::NoArgs;
use crate::api::reply::Reply;
use crate::api::tools;
use crate::domain::error::Result;
use crate::domain::session::scope::Needs;

pub(crate) struct ListTools;

impl OperationKind for ListTools {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/tools",
            "listTools",
            "List the session's tools, for a model",
            |_| Ok(Operation::of::<ListTools>(NoArgs {})),
        )
        .answers::<ToolList>()],
        ..Descriptor::new("listTools", Needs::Nothing)
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<NoArgs>().resolves(Resolves::Field("tools")).describe(
            "Lists the tools of the session that the caller may use, in the form that a model \
             takes.",
        ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&ToolList { tools: tools::list(&call.session.config()?.modules, call.caller)? })
    }
}
