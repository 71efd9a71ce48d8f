//! End a code context.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Method, Module, Operation, OperationKind, Reply, Route,
    Tool, ToolCall, ToolKind, Verb, WORKSPACE, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::{DeleteCodeContextRequest, DeletedCodeContext, Placed};

pub(crate) struct DeleteContext;

impl OperationKind for DeleteContext {
    type Input = DeleteCodeContextRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/code-contexts/{context}",
            "deleteCodeContext",
            "End a code context; repeating it succeeds",
            |asked| {
                let (context, workspace) = (asked.path_id("context")?, asked.workspace()?);
                Ok(Operation::of::<DeleteContext>(DeleteCodeContextRequest { context, workspace }))
            },
        )
        .query(&[WORKSPACE])
        .describe("Its variables are lost. Processes that its code started end too, by TERM, and by KILL after 5 s.")
        .answers::<Placed<DeletedCodeContext>>()
        .errors(ENTERS)],
        ..Descriptor::new("deleteCodeContext", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<DeleteCodeContextRequest>().at(&["context"]).describe(
            "Ends a code context and what its code has started, by TERM, and by KILL after 5 s. \
             Ending a context that is gone succeeds. Starts no container.",
        ));

    fn log(input: &DeleteCodeContextRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: DeleteCodeContextRequest) -> Result<Reply> {
        answer(&call.session.delete_code_context(input).await?)
    }
}

impl ToolKind for DeleteContext {
    type Input = DeleteCodeContextRequest;
    type Output = Placed<DeletedCodeContext>;

    const TOOL: Tool = Tool {
        name: "workspace_delete_code_context",
        title: "End a code context",
        module: Module::CodeContexts,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "End a code context; its variables are lost.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: DeleteCodeContextRequest,
    ) -> Result<Placed<DeletedCodeContext>> {
        call.session.delete_code_context(input).await
    }
}
