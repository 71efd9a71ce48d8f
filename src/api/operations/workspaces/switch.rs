//! Make tools act on another workspace.

use crate::api::operation::inputs::SwitchArgs;
use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Module, NamedWorkspace, Operation, OperationKind, Reply,
    Resolves, Route, Tool, ToolCall, ToolKind, Verb, WorkspaceTarget, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope};

pub(crate) struct Switch;

impl OperationKind for Switch {
    type Input = SwitchArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Put,
            "/v1/sessions/{session}/active-workspace",
            "setActiveWorkspace",
            "Make tools act on another workspace",
            |asked| {
                let mut args: SwitchArgs = asked.body()?;
                args.expected_active = asked.if_match()?.or(args.expected_active);
                Ok(Operation::of::<Switch>(args))
            },
        )
        .takes::<SwitchArgs>()
        .example(r#"{"ref":{"providerId":"cloudflare-sandbox","ref":{"id":"my-session-branch-0123abcd"}}}"#)
        .answers::<NamedWorkspace>()
        .errors(&[ErrorCode::WorkspaceNotOwned, ErrorCode::Conflict])
        .guarded()
        .tagged()],
        ..Descriptor::new("switch", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<SwitchArgs>()
            .at(&["ref"])
            .resolves(Resolves::Field("ref"))
            .describe("Makes another workspace of this session the active one, and returns it."),
    );

    fn log(input: &SwitchArgs, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SwitchArgs) -> Result<Reply> {
        let active = call.session.switch_from(input.expected_active.as_ref(), &input.r#ref).await?;
        answer(&NamedWorkspace { r#ref: active })
    }
}

impl ToolKind for Switch {
    type Input = WorkspaceTarget;
    type Output = NamedWorkspace;

    const TOOL: Tool = Tool {
        name: "workspace_switch",
        title: "Switch workspace",
        module: Module::Snapshot,
        scope: Scope::Write,
        idempotent: true,
        description: "Continue in another workspace of this session: every later workspace tool acts on it. No \
                      files are changed in any workspace. Use it to go back to the workspace you were in \
                      before a restore, or to the better of two branches.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: WorkspaceTarget) -> Result<NamedWorkspace> {
        Ok(NamedWorkspace { r#ref: call.session.switch(&input.r#ref).await? })
    }
}
