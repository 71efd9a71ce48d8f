//! Make tools act on another workspace, for callers that keep a registry of refs.

use crate::api::operation::answers::NamedWorkspace;
use crate::api::operation::descriptor::{Call, Descriptor, LogFields, OperationKind, answer};
use crate::api::operation::inputs::SwitchArgs;
use crate::api::operation::method::{Method, Resolves};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};

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
