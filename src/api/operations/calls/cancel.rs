//! Cancel a running call.

use crate::api::operation::answers::Cancelled;
use crate::api::operation::{
    Call, CallTarget, Descriptor, Method, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::api::operations::calls::get::may_see;
use crate::domain::{Caller, Needs, OperationState, Result};
use crate::session::Session;

pub(crate) struct Cancel;

impl OperationKind for Cancel {
    type Input = CallTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/operations/{operation}/cancel",
            "cancelOperation",
            "Cancel a call by its operation id",
            |asked| {
                let operation_id = asked.path_id("operation")?;
                Ok(Operation::of::<Cancel>(CallTarget { operation_id }))
            },
        )
        .describe(
            "The call ends before its next step, or completes if it has none left; its own answer says which. A recorded call that has ended stays as it is.",
        )
        .answers::<Cancelled>()],
        ..Descriptor::new("cancel", Needs::Nothing)
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<CallTarget>().at(&["operationId"]).describe(
            "Asks a running call to end before its next step, and ends a command that it runs.",
        ));

    /// Ids can be guessed, so a caller may cancel only calls that it may make.
    fn check(session: &Session, caller: &Caller, input: &CallTarget) -> Result<()> {
        match session.running(&input.operation_id) {
            Some(rights) => caller.check_rights(&rights),
            None => may_see(session, caller, &input.operation_id),
        }
    }

    async fn run(call: Call<'_>, input: CallTarget) -> Result<Reply> {
        let state = call.session.cancel(&input.operation_id)?;
        answer(&Cancelled { cancel_requested: state == OperationState::Running, state })
    }
}
