//! Turns of the conversation.

use crate::api::operation::{
    CURSOR, Call, Descriptor, Entry, Link, Method, Module, Operation, OperationKind, Param,
    ParamKind, Reply, Route, Tool, ToolCall, ToolEntry, ToolKind, Verb, WORKS, answer, text,
};
use crate::domain::{ErrorCode, Needs, Result, Scope, TurnCursor, WorkspaceRef};
#[cfg(schemas)]
use crate::domain::{limits, schemas};
use crate::session::{SaveTurnRequest, SnapshotView, Timeline, TimelineRequest};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[Entry::of::<SaveTurn>(), Entry::of::<ShowTimeline>()];

pub(crate) static TOOLS: &[&ToolEntry] =
    &[ToolEntry::of_operation::<SaveTurn>(), ToolEntry::of_operation::<ShowTimeline>()];

/// Save the active workspace at the end of a turn.
pub(crate) struct SaveTurn;

/// Arguments of `saveTurn`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SaveTurnArgs {
    /// The place in the conversation, as JSON of your own, at most 4096 bytes: the id of the last
    /// message, for example. Each call that brings the files back returns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<TurnCursor>,
    /// What to call the turn, for readers of the timeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = limits::TURN_LABEL_MAX_CHARS)))]
    pub label: Option<String>,
    /// Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    /// is the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
}

impl From<SaveTurnArgs> for SaveTurnRequest {
    fn from(args: SaveTurnArgs) -> Self {
        Self { cursor: args.cursor, label: args.label, expected_active: args.expected_active }
    }
}

impl OperationKind for SaveTurn {
    type Input = SaveTurnArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/turns",
            "saveTurn",
            "Save the active workspace at the end of a turn",
            |asked| {
                let mut args: SaveTurnArgs = asked.body()?;
                args.expected_active = asked.if_match()?.or(args.expected_active);
                Ok(Operation::of::<SaveTurn>(args))
            },
        )
        .without_view("the agent's program knows where a turn ends")
        .describe(
            "The files are saved if they have changed since the last save; if not, nothing is uploaded. The turn is \
             recorded either way.",
        )
        .takes::<SaveTurnArgs>()
        .example(r#"{"cursor":{"message":"msg_07"},"label":"added the parser"}"#)
        .answers::<SnapshotView>()
        .creates(|made| text(made, "/snapshot/id").map(|id| format!("/snapshots/{id}")))
        .leads(&[Link {
            name: "rewind",
            to: "rewind",
            path: &[],
            body: Some(r#"{"ref":"$response.body#/snapshot/id"}"#),
        }])
        .errors(WORKS)
        .recorded()
        .guarded()],
        ..Descriptor::new("saveTurn", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(Method::takes::<SaveTurnArgs>().cancellable().describe(
        "Records that a turn of the conversation has ended, with the active workspace's files. \
             They are saved if they have changed since the last save, if possible as a layer; if \
             not, nothing is uploaded and `unchanged` is true. `snapshot.turn` has the turn's \
             number. Each snapshot that a turn ended with carries its cursor, also in \
             `meta.json`. The retention policy's `keepTurns` says how many turns stay, and its \
             `minIntervalSeconds` does not apply to them.",
    ));

    async fn run(call: Call<'_>, input: SaveTurnArgs) -> Result<Reply> {
        answer(&call.session.save_turn(input.into(), call.abort).await?)
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SaveTurnInput {
    /// The place in the conversation, as any JSON, at most 4096 bytes.
    cursor: Option<TurnCursor>,
    /// What happened in the turn, in a few words.
    #[cfg_attr(schemas, schemars(length(min = 1, max = limits::TURN_LABEL_MAX_CHARS)))]
    label: Option<String>,
}

impl From<SaveTurnInput> for SaveTurnRequest {
    fn from(input: SaveTurnInput) -> Self {
        Self { cursor: input.cursor, label: input.label, expected_active: None }
    }
}

impl ToolKind for SaveTurn {
    type Input = SaveTurnInput;
    type Output = SnapshotView;

    const TOOL: Tool = Tool {
        name: "workspace_save_turn",
        title: "Save a turn",
        module: Module::Snapshot,
        scope: Scope::Snapshot,
        description: "Save the files at the end of a turn, with the place in the conversation. It \
                      stores only changes. Only the latest turns are kept. workspace_timeline \
                      lists turns; workspace_rewind with {\"turn\": number} goes back to one.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: SaveTurnInput) -> Result<SnapshotView> {
        call.session.save_turn(input.into(), call.abort).await
    }
}

/// List the turns.
pub(crate) struct ShowTimeline;

impl OperationKind for ShowTimeline {
    type Input = TimelineRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/turns",
            "listTurns",
            "List turns, newest first, with what each changed",
            |asked| Ok(Operation::of::<ShowTimeline>(asked.query()?)),
        )
        .query(&[
            Param {
                name: "limit",
                kind: ParamKind::Count { min: 1, max: u32::MAX as u64 },
                description: "Maximum turns per page. Default 20, at most 100.",
            },
            CURSOR,
        ])
        .answers::<Timeline>()
        .errors(&[ErrorCode::Unsupported])],
        ..Descriptor::new("timeline", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<TimelineRequest>().describe(
        "Lists turns, newest first, each with what it changed. A turn is compared with the files \
             before it when it is first listed. Starts no container.",
    ));

    async fn run(call: Call<'_>, input: TimelineRequest) -> Result<Reply> {
        answer(&call.session.timeline(&input).await?)
    }
}

impl ToolKind for ShowTimeline {
    type Input = TimelineRequest;
    type Output = Timeline;

    const TOOL: Tool = Tool {
        name: "workspace_timeline",
        title: "List turns",
        module: Module::Snapshot,
        scope: Scope::Read,
        description: "List the saved turns, newest first: number, label, place in the \
                      conversation, and changes. Next: workspace_rewind with {\"turn\": number} as \
                      ref.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: TimelineRequest) -> Result<Timeline> {
        call.session.timeline(&input).await
    }
}
