//! Put the active workspace back by turns.

use crate::api::operation::{
    Call, Descriptor, Method, Operation, OperationKind, Reply, Route, Verb, WORKS, answer,
};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{BackupId, Needs, Result, Scope, WorkspaceRef};
use crate::session::{Rewound, UndoRequest};
use serde::{Deserialize, Serialize};

pub(crate) struct Undo;

/// Arguments of `undo`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct UndoArgs {
    /// How many turns to go back, default 1. Changes since the last turn count as one turn.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::UNDO_MAX_TURNS)))]
    pub turns: u32,
    /// Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`;
    /// `details.head` is the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_head: Option<BackupId>,
    /// Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    /// is the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
    /// Change nothing, and answer what would change.
    pub dry_run: bool,
}

impl Default for UndoArgs {
    fn default() -> Self {
        Self { turns: 1, expected_head: None, expected_active: None, dry_run: false }
    }
}

impl From<UndoArgs> for UndoRequest {
    fn from(args: UndoArgs) -> Self {
        Self {
            turns: args.turns,
            expected_head: args.expected_head,
            expected_active: args.expected_active,
            dry_run: args.dry_run,
        }
    }
}

impl OperationKind for Undo {
    type Input = UndoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/undo",
            "undo",
            "Put the active workspace back by turns, in place",
            |asked| {
                let mut args: UndoArgs = asked.body()?;
                args.expected_active = asked.if_match()?.or(args.expected_active);
                Ok(Operation::of::<Undo>(args))
            },
        )
        .describe(
            "Does all that a rewind does. If files have changed since the last turn, the first \
             undo goes back to that turn's end; else to the turn before it. Turns that changed no \
             file do not count, nor do changes of ignored files. To undo it, rewind to \
             `safetyRef`.",
        )
        .takes::<UndoArgs>()
        .example(r#"{"turns":1}"#)
        .answers::<Rewound>()
        .errors(WORKS)
        .recorded()
        .guarded()],
        ..Descriptor::new("undo", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<UndoArgs>().at(&["turns"]).cancellable().describe(
            "Puts the active workspace back by turns, one by default. It does all that a rewind \
             does. If files have changed since the last turn, the first undo goes back to that \
             turn's end; else to the turn before it. Turns that changed no file do not count, nor \
             do changes of ignored files. `NOT_FOUND` if fewer turns can be undone. To undo it, \
             rewind to `safetyRef`.",
        ));

    async fn run(call: Call<'_>, input: UndoArgs) -> Result<Reply> {
        answer(&call.session.undo(&input.into(), call.abort).await?)
    }
}
