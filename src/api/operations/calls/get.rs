//! Show a recorded call.

use crate::api::operation::{
    Call, CallTarget, Descriptor, Method, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Caller, Needs, OperationId, OperationView, Result};
use crate::session::Session;

pub(crate) struct GetOperation;

impl OperationKind for GetOperation {
    type Input = CallTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/operations/{operation}",
            "getOperation",
            "Show the state and result of a recorded call",
            |asked| {
                let operation_id = asked.path_id("operation")?;
                Ok(Operation::of::<GetOperation>(CallTarget { operation_id }))
            },
        )
        .answers::<OperationView>()],
        ..Descriptor::new("getOperation", Needs::Nothing)
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<CallTarget>()
            .at(&["operationId"])
            .describe("Returns the state of a recorded call, and its result."),
    );

    /// The record has the call's answer, so the caller must be allowed to make the call.
    fn check(session: &Session, caller: &Caller, input: &CallTarget) -> Result<()> {
        may_see(session, caller, &input.operation_id)
    }

    async fn run(call: Call<'_>, input: CallTarget) -> Result<Reply> {
        answer(&call.session.operation(&input.operation_id)?)
    }
}

/// Refuses a caller with fewer rights than the recorded call needs. The operation itself reports an
/// unknown call.
pub(super) fn may_see(session: &Session, caller: &Caller, id: &OperationId) -> Result<()> {
    match session.recorded(id) {
        Ok(recorded) => caller.check_rights(&recorded.rights()?),
        Err(_unknown) => Ok(()),
    }
}
