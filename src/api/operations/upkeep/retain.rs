//! Delete now what the retention policy would delete.

use crate::api::operation::{
    Call, Descriptor, Method, NoArgs, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::RetentionReport;

pub(crate) struct Retain;

impl OperationKind for Retain {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/retention",
            "retain",
            "Apply the retention policy now",
            |_| Ok(Operation::of::<Retain>(NoArgs {})),
        )
        .answers::<RetentionReport>()],
        ..Descriptor::new("retain", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(Method::takes::<NoArgs>().describe(
        "Applies the retention policy now: at most 100 deletions at once. The alarm does it \
             within 30 s of a snapshot, and when snapshots expire.",
    ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.retain().await?)
    }
}
