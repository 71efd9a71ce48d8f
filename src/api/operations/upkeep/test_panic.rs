//! Panic, to show that no call hangs after it. Only in test builds.

use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind};
use crate::api::operation::inputs::NoArgs;
use crate::api::operation::route::{Route, Verb};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::Needs;

pub(crate) struct Panic;

impl OperationKind for Panic {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/test-panic",
            "testPanic",
            "",
            |_| Ok(Operation::of::<Panic>(NoArgs {})),
        )],
        ..Descriptor::new("panic", Needs::Trust)
    };

    #[expect(clippy::panic, reason = "what this operation is for")]
    async fn run(_call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        panic!("on purpose")
    }
}
