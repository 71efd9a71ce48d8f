//! Make tools act on another workspace, for callers that keep a registry of refs.

use crate::api::operation::inputs::SwitchArgs;
use crate::api::operation::{
    Call, Descriptor, LogFields, Method, NamedWorkspace, OperationKind, Reply, Resolves, answer,
};
use crate::domain::{Needs, Result, Scope};

pub(crate) struct SwapRef;

impl OperationKind for SwapRef {
    type Input = SwitchArgs;

    const DESCRIPTOR: Descriptor = Descriptor::new("swapRef", Needs::Scope(Scope::Write));

    const METHOD: Option<Method> = Some(
        Method::takes::<SwitchArgs>()
            .at(&["ref"])
            .resolves(Resolves::Nothing)
            .describe("Makes another workspace of this session the active one."),
    );

    fn log(input: &SwitchArgs, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SwitchArgs) -> Result<Reply> {
        let active = call.session.switch_from(input.expected_active.as_ref(), &input.r#ref).await?;
        answer(&NamedWorkspace { r#ref: active })
    }
}
