//! Put the session's snapshots back into its catalogue, from the bucket.

use crate::api::operation::{
    Call, Descriptor, Method, Operation, OperationKind, PageArgs, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Rebuilt, Result};

pub(crate) struct Rebuild;

impl OperationKind for Rebuild {
    type Input = PageArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/rebuild",
            "rebuildCatalogue",
            "Rebuild the session's catalogue from the bucket",
            |asked| Ok(Operation::of::<Rebuild>(asked.body()?)),
        )
        .describe("For a session whose object lost its storage. One page of the bucket per call; repeating it does nothing more.")
        .takes::<PageArgs>()
        .answers::<Rebuilt>()],
        ..Descriptor::new("rebuild", Needs::Trust)
    };

    const METHOD: Option<Method> = Some(Method::takes::<PageArgs>().describe(
        "Puts this session's snapshots back into its catalogue from the records in the \
             bucket, after its object lost its storage. Open the session first, with the \
             configuration it had. Each call reads one page of at most 100 backups; reading one \
             again changes nothing.",
    ));

    async fn run(call: Call<'_>, input: PageArgs) -> Result<Reply> {
        answer(&call.session.rebuild(input.cursor.as_deref(), input.limit).await?)
    }
}
