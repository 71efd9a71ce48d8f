//! Show the differences between two snapshots or workspaces.

use crate::api::operation::{
    Call, Descriptor, Method, Module, Operation, OperationKind, Reply, Route, Tool, ToolCall,
    ToolKind, Verb, WORKS, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::{DiffRequest, TreeDiff};

pub(crate) struct Diff;

impl OperationKind for Diff {
    type Input = DiffRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/diff",
            "diff",
            "Show what differs between two snapshots or workspaces",
            |asked| Ok(Operation::of::<Diff>(asked.body()?)),
        )
        .describe(
            "By default, shows what the active workspace has changed since its last turn or snapshot. Starts no \
             container. A running workspace is compared as it is now, another one by its last save; the answer says \
             what was compared with what.",
        )
        .takes::<DiffRequest>()
        .example(r#"{"from":{"snapshot":"works"},"output":"patch"}"#)
        .answers::<TreeDiff>()
        .errors(WORKS)],
        ..Descriptor::new("diff", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<DiffRequest>().describe(
        "Shows what differs between two snapshots or workspaces, by default what the active \
         workspace has changed since its last turn or snapshot: counts, the list of changes, and \
         unified diffs or a patch for `git apply`. Automatic saves do not count as its last \
         snapshot. A running workspace is compared as it is now, another one by its last save; the \
         answer says what was compared with what. Starts no container.\n\n\
         Contents are read only where size, time or permissions differ, unless `content` is set. \
         Extended attributes and hard links are not compared.",
    ));

    async fn run(call: Call<'_>, input: DiffRequest) -> Result<Reply> {
        answer(&call.session.diff(input).await?)
    }
}

impl ToolKind for Diff {
    type Input = DiffRequest;
    type Output = TreeDiff;

    const TEXTS: &'static [&'static str] = &["patch"];

    const TOOL: Tool = Tool {
        name: "workspace_diff",
        title: "Show changes",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Read,
        description: "Show what changed from one snapshot or workspace to another: by default, what you changed in \
                      the active workspace since its last turn or snapshot (named in from). Use it before a \
                      snapshot, a rewind or a promotion. A running workspace is compared as it is, another one by its last save.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: DiffRequest) -> Result<TreeDiff> {
        call.session.diff(input).await
    }
}
