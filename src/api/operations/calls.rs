//! Running and recorded calls.

use crate::api::operation::absence::RECORDED;
use crate::api::operation::inputs::Cancelled;
use crate::api::operation::{
    CURSOR, Call, CallTarget, Descriptor, Entry, LIMIT, Method, Operation, OperationKind, PageArgs,
    Reply, Route, Verb, answer,
};
use crate::domain::{
    Caller, Needs, OperationId, OperationState, OperationView, RecordedCall, Result, Scope,
};
use crate::session::{OperationPage, Session};

pub(crate) static OPERATIONS: &[&Entry] =
    &[Entry::of::<Cancel>(), Entry::of::<GetOperation>(), Entry::of::<ListOperations>()];

/// Show a recorded call.
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
        .without_command(RECORDED)
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

/// List recorded calls.
pub(crate) struct ListOperations;

impl OperationKind for ListOperations {
    type Input = PageArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/operations",
            "listOperations",
            "List recorded calls, newest first, without their results",
            |asked| Ok(Operation::of::<ListOperations>(asked.query()?)),
        )
        .without_command(RECORDED)
        .without_view("for programs that lost an answer")
        .describe(
            "Calls of the last 24 hours with an Idempotency-Key, and the newest 1,000 of those with Prefer: respond-async alone. If the caller lacks the scopes of a call, only the call's name and state are shown.",
        )
        .query(&[LIMIT, CURSOR])
        .answers::<OperationPage>()],
        ..Descriptor::new("listOperations", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<PageArgs>()
            .describe("Lists recorded calls, newest first, without their results."),
    );

    async fn run(call: Call<'_>, input: PageArgs) -> Result<Reply> {
        let may_see = |recorded: &RecordedCall| {
            recorded.rights().is_ok_and(|rights| call.caller.check_rights(&rights).is_ok())
        };
        answer(&call.session.list_operations(input.limit, input.cursor.as_deref(), may_see)?)
    }
}

/// Cancel a running call.
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
        .without_command("needs an id that the caller chose; Ctrl-C ends a command, a script or the run of code, and other calls go on to their end")
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
