//! Retention, rebuilding and tests.

use crate::api::operation::absence::{REPAIR, UPKEEP};
use crate::api::operation::{
    Call, Descriptor, Entry, Method, NoArgs, Operation, OperationKind, PageArgs, Reply, Route,
    Verb, answer,
};
use crate::domain::snapshot::prune::PruneOwn;
use crate::domain::{Needs, RebuildOwn, Rebuilt, Result, Scope};
use crate::session::RetentionReport;
#[cfg(feature = "test-hooks")]
use serde_json::json;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<Rebuild>(),
    Entry::of::<RebuildSome>(),
    Entry::of::<Prune>(),
    Entry::of::<PlanRetention>(),
    Entry::of::<Retain>(),
    #[cfg(feature = "test-hooks")]
    Entry::of::<Panic>(),
    #[cfg(feature = "test-hooks")]
    Entry::of::<Contracts>(),
];

/// Delete some of the session's snapshots by an operator's rule.
pub(crate) struct Prune;

impl OperationKind for Prune {
    type Input = PruneOwn;

    const DESCRIPTOR: Descriptor =
        Descriptor { stops: true, ..Descriptor::new("prune", Needs::Trust) };

    async fn run(call: Call<'_>, input: PruneOwn) -> Result<Reply> {
        answer(&call.session.prune_by_rule(&input).await?)
    }
}

/// Show what the retention policy would delete.
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

/// Delete now what the retention policy would delete.
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
        .without_view(UPKEEP)
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

/// Put the session's snapshots back into its catalogue, from the bucket.
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
        .without_command(REPAIR)
        .without_view(REPAIR)
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

/// Put some of the session's snapshots back into its catalogue, for the operator's rebuild of all sessions.
pub(crate) struct RebuildSome;

impl OperationKind for RebuildSome {
    type Input = RebuildOwn;

    const DESCRIPTOR: Descriptor = Descriptor::new("rebuildOwn", Needs::Trust);

    async fn run(call: Call<'_>, input: RebuildOwn) -> Result<Reply> {
        answer(&call.session.rebuild_own(input).await?)
    }
}

/// Check that the adapters satisfy the contracts of their ports. Only in test builds.
#[cfg(feature = "test-hooks")]
#[cfg(feature = "test-hooks")]
pub(crate) struct Contracts;

#[cfg(feature = "test-hooks")]
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

/// Panic, to show that no call hangs after it. Only in test builds.
#[cfg(feature = "test-hooks")]
#[cfg(feature = "test-hooks")]
pub(crate) struct Panic;

#[cfg(feature = "test-hooks")]
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
