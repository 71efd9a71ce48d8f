//! Read the history of one snapshot.

use crate::api::operation::{
    CURSOR, Call, Descriptor, LIMIT, LogFields, Method, Operation, OperationKind, PageArgs, Reply,
    Route, Verb, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope, SnapshotSelector};
use crate::session::EventPage;
use serde::{Deserialize, Serialize};

pub(crate) struct ListSnapshotEvents;

/// Which snapshot, and which page.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The snapshot's ref as it came, its id or its name.
    pub r#ref: SnapshotSelector,
    /// Maximum number of results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `nextCursor` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl OperationKind for ListSnapshotEvents {
    type Input = Input;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}/events",
            "listSnapshotEvents",
            "Read the history of a snapshot, newest first",
            |asked| {
                let PageArgs { limit, cursor } = asked.query()?;
                let r#ref = SnapshotSelector::parse(asked.path("snapshot")?)?;
                Ok(Operation::of::<ListSnapshotEvents>(Input { r#ref, limit, cursor }))
            },
        )
        .describe(
            "The events of the session's log that name the snapshot: taken, changed, restored from, claimed, deleted. \
             The log keeps the newest 10,000 events of a session.",
        )
        .query(&[LIMIT, CURSOR])
        .answers::<EventPage>()
        .errors(&[ErrorCode::SnapshotNotOwned, ErrorCode::Unsupported])],
        ..Descriptor::new("listSnapshotEvents", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<Input>().at(&["ref"]).describe(
            "Lists the events that name one of this session's own snapshots, newest first.",
        ));

    fn log(input: &Input, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: Input) -> Result<Reply> {
        let Input { r#ref, limit, cursor } = input;
        answer(&call.session.list_snapshot_events(&r#ref, limit, cursor.as_deref())?)
    }
}
