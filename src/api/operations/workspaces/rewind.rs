//! Put the active workspace back to a snapshot, in place.

use crate::api::operation::{
    Call, Descriptor, Entry, LogFields, Method, Module, Operation, OperationKind, Reply, Route,
    Tool, ToolCall, ToolEntry, ToolKind, Verb, WORKS, answer,
};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{BackupId, Error, Needs, Result, Scope, SnapshotSelector, WorkspaceRef};
use crate::session::{RewindRequest, Rewound, UndoRequest};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[Entry::of::<Rewind>(), Entry::of::<Undo>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[ToolEntry::of_operation::<Rewind>()];

pub(crate) struct Rewind;

/// Arguments of `rewind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RewindArgs {
    /// The snapshot or turn to go back to.
    pub r#ref: SnapshotSelector,
    /// Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`;
    /// `details.head` is the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_head: Option<BackupId>,
    /// Also reach snapshots of other sessions.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    /// is the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
    /// Change nothing; return what would change.
    #[serde(default)]
    pub dry_run: bool,
}

impl From<RewindArgs> for RewindRequest {
    fn from(args: RewindArgs) -> Self {
        Self {
            r#ref: args.r#ref,
            expected_head: args.expected_head,
            allow_cross_session: args.allow_cross_session,
            expected_active: args.expected_active,
            dry_run: args.dry_run,
        }
    }
}

impl OperationKind for Rewind {
    type Input = RewindArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/rewind",
            "rewind",
            "Put the active workspace back to a snapshot, in place",
            |asked| {
                let mut args: RewindArgs = asked.body()?;
                args.expected_active = asked.if_match()?.or(args.expected_active);
                Ok(Operation::of::<Rewind>(args))
            },
        )
        .describe(
            "Takes a safety snapshot first. Processes that use the directory are ended. If it fails, the workspace is as it was. With `dryRun`, nothing is changed: `changes` says what would change in the files, `endedProcesses` which processes would end.",
        )
        .takes::<RewindArgs>()
        .example(r#"{"ref":"works"}"#)
        .answers::<Rewound>()
        .errors(WORKS)
        .recorded()
        .guarded()],
        ..Descriptor::new("rewind", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<RewindArgs>().at(&["ref"]).cancellable().describe(
            "Puts the active workspace back to a snapshot of this session, or to one that another \
             session published. It takes a snapshot of the present files first, then replaces \
             them in place. If it fails, the workspace is as it was. With `dryRun`, nothing is changed, \
             and the answer says what would be.\n\n\
             Calls that come meanwhile wait. Calls that already use the workspace have 10 s to \
             end; otherwise, and for a shared workspace, the answer is `CONFLICT`. Processes that \
             use the directory are ended with TERM, and 5 s later with KILL. `UNSUPPORTED` if the \
             directory can't be renamed because it is a mount or part of the image.",
        ));

    fn log(input: &RewindArgs, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: RewindArgs) -> Result<Reply> {
        answer(&call.session.rewind(&input.into(), call.abort).await?)
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RewindInput {
    /// The snapshot: its ref, its id, its name in this session, or a turn. Or set turns.
    r#ref: Option<SnapshotSelector>,
    /// Number of turns to go back, instead of ref. Changes since the last turn count as a turn: if
    /// there are any, 1 undoes only them.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::UNDO_MAX_TURNS)))]
    turns: Option<u32>,
    /// The headSnapshotId from workspace_describe. If the head has changed since then, the call
    /// fails with PRECONDITION_FAILED and changes nothing.
    expected_head: Option<BackupId>,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    allow_cross_session: bool,
    /// Change nothing; return what would change.
    #[serde(default)]
    dry_run: bool,
}

impl ToolKind for Rewind {
    type Input = RewindInput;
    type Output = Rewound;

    const TOOL: Tool = Tool {
        name: "workspace_rewind",
        title: "Rewind this workspace",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Snapshot,
        destructive: true,
        description: "Put the active workspace back to a snapshot, in place: its directory then \
                      has exactly the snapshot's files. Use it to undo a bad change; turns 1 \
                      undoes the last turn. The current files are saved first, as safetyRef. \
                      Processes that use the directory are ended and listed; endedBackground names \
                      those of workspace_start. To keep processes or current files, use \
                      workspace_restore. If it fails, nothing has changed. dryRun only shows what \
                      would change. Next: check the files; workspace_rewind with safetyRef undoes \
                      it.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: RewindInput) -> Result<Rewound> {
        let RewindInput { r#ref, turns, expected_head, allow_cross_session, dry_run } = input;
        match (r#ref, turns) {
            (Some(r#ref), None) => {
                let request = RewindRequest {
                    r#ref,
                    expected_head,
                    allow_cross_session,
                    expected_active: None,
                    dry_run,
                };
                call.session.rewind(&request, call.abort).await
            }
            (None, Some(turns)) => {
                let request = UndoRequest { turns, expected_head, expected_active: None, dry_run };
                call.session.undo(&request, call.abort).await
            }
            _ => Err(Error::invalid(
                "ref",
                "set ref to a snapshot or turn, or set turns to the number of turns to go back",
            )),
        }
    }
}

/// Put the active workspace back by turns.
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
    /// Change nothing; return what would change.
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
