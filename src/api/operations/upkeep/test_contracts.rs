//! Check that the adapters satisfy the contracts of their ports. Only in test builds.

use crate::api::operation::{
    Call, Descriptor, NoArgs, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Result};
use serde_json::json;

pub(crate) struct Contracts;

impl OperationKind for Contracts {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/test-contracts",
            "testContracts",
            "",
            |_| Ok(Operation::of::<Contracts>(NoArgs {})),
        )],
        ..Descriptor::new("contracts", Needs::Trust)
    };

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        call.session.check_contracts().await?;
        answer(&json!({ "kept": true }))
    }
}
