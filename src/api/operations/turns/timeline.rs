//! List the turns.

use crate::api::operation::{
    CURSOR, Call, Descriptor, Method, Module, Operation, OperationKind, Param, ParamKind, Reply,
    Route, Tool, ToolCall, ToolKind, Verb, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope};
use crate::session::{Timeline, TimelineRequest};

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
        description: "List the saved turns, newest first: number, label, place in the conversation, and what each \
                      changed. Next: workspace_rewind with {\"turn\": number} as ref.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: TimelineRequest) -> Result<Timeline> {
        call.session.timeline(&input).await
    }
}
