//! Show what the retention policy would delete.

use crate::api::operation::{
    Call, Descriptor, Method, NoArgs, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::RetentionReport;

pub(crate) struct PlanRetention;

impl OperationKind for PlanRetention {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/retention",
            "planRetention",
            "Show what the retention policy would delete now, and how much that frees",
            |_| Ok(Operation::of::<PlanRetention>(NoArgs {})),
        )
        .describe("Changes nothing.")
        .answers::<RetentionReport>()],
        ..Descriptor::new("planRetention", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<NoArgs>().describe(
        "Returns what the retention policy would delete now, and how much space this would free. \
             Changes nothing.",
    ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.plan_retention()?)
    }
}
