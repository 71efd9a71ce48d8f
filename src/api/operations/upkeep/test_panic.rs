//! Panic, to show that no call hangs after it. Only in test builds.

use crate::api::operation::{
    Call, Descriptor, NoArgs, Operation, OperationKind, Reply, Route, Verb,
};
use crate::domain::{Needs, Result};

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
