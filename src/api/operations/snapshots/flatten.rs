//! Make a snapshot full.

use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Operation, OperationKind, Reply, Route, Verb, WORKS,
    answer,
};
use crate::domain::{Needs, Result, Scope, SnapshotSelector};
use crate::session::SnapshotView;
use serde::{Deserialize, Serialize};

pub(crate) struct FlattenSnapshot;

/// Arguments of `flatten`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FlattenArgs {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
}

impl OperationKind for FlattenSnapshot {
    type Input = FlattenArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/snapshots/{snapshot}/flatten",
            "flattenSnapshot",
            "Make a layer full: an archive of its whole tree; repeating it succeeds",
            |asked| {
                let r#ref = SnapshotSelector::parse(asked.path("snapshot")?)?;
                Ok(Operation::of::<FlattenSnapshot>(FlattenArgs { r#ref }))
            },
        )
        .describe(
            "A full snapshot needs no other archive, and @cloudflare/sandbox can restore it. A \
             separate container, in which no command ever ran, makes the archive; no workspace \
             wakes. Both trees are compared before anything changes. Layers on the snapshot stay \
             layers.",
        )
        .answers::<SnapshotView>()
        .errors(WORKS)
        .cancellable()],
        ..Descriptor::new("flatten", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<FlattenArgs>().at(&["ref"]).cancellable().describe(
            "Makes a layer full: it gets an archive of its whole tree, needs no other archive any \
             more, and can be restored by `@cloudflare/sandbox`. Answers at once if the snapshot \
             is full. A separate container, in which no command ever ran, makes the archive; no \
             workspace wakes. Both trees are compared before anything changes: `INTEGRITY` if they \
             differ, `TOO_LARGE` past 1 GiB of files. Layers on the snapshot stay layers, with \
             shorter chains. Counts as a snapshot for `limits.snapshots`.\n\n\
             `CONFLICT` while it or a layer on it is being taken, deleted or read.",
        ));

    fn log(input: &FlattenArgs, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: FlattenArgs) -> Result<Reply> {
        answer(&call.session.flatten(&input.r#ref, call.abort).await?)
    }
}
