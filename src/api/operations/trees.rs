//! Compare snapshots and workspaces, and keep the best.

use crate::api::operation::{
    Call, Descriptor, Entry, Method, Module, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolEntry, ToolKind, Verb, WORKS, answer,
};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Needs, Result, Scope, SnapshotSelector, WorkspaceRef};
use crate::session::{
    CompareRequest, Comparison, ConflictPolicy, DiffRequest, PromoteMode, PromoteRequest, Promoted,
    TreeDiff, TreeSelector,
};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] =
    &[Entry::of::<Diff>(), Entry::of::<Compare>(), Entry::of::<Promote>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<Diff>(),
    ToolEntry::of_operation::<Compare>(),
    ToolEntry::of_operation::<Promote>(),
];

/// Show the differences between two snapshots or workspaces.
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
            "By default, shows what the active workspace has changed since its last turn or \
             snapshot. Starts no container. Running workspaces are compared as they are now, \
             others as last saved; the answer names both sides.",
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
         snapshot. Running workspaces are compared as they are now, others as last saved; the \
         answer names both sides. Starts no container.\n\n\
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
        description: "Show the changes from one snapshot or workspace to another; by default, your \
                      changes in the active workspace since its last turn or snapshot (named in \
                      from). Use it before a snapshot, a rewind or a promotion. Running workspaces \
                      are compared as they are now, others as last saved.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: DiffRequest) -> Result<TreeDiff> {
        call.session.diff(input).await
    }
}

/// Compare workspaces of a session with their common base.
pub(crate) struct Compare;

impl OperationKind for Compare {
    type Input = CompareRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/compare",
            "compareWorkspaces",
            "Compare workspaces with the snapshot that they came from",
            |asked| Ok(Operation::of::<Compare>(asked.body()?)),
        )
        .describe(
            "Shows the changes of each workspace, the files that several changed, and how a \
             command ended in each. Starts containers only to run the command.",
        )
        .takes::<CompareRequest>()
        .example(r#"{"command":"make test"}"#)
        .answers::<Comparison>()
        .errors(WORKS)],
        ..Descriptor::new("compare", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(Method::takes::<CompareRequest>().cancellable().describe(
        "Compares workspaces of the session, by default all, with the nearest snapshot that all \
             came from. Returns the changes of each, and the files that several changed, as JSON \
             and as a table. A command can run in each afterwards, all at once; workspaces that \
             sleep wake for it. A workspace that can't be compared, or can't run the command, has \
             its own error.",
    ));

    async fn run(call: Call<'_>, input: CompareRequest) -> Result<Reply> {
        answer(&call.session.compare(input, call.abort).await?)
    }
}

impl ToolKind for Compare {
    type Input = CompareRequest;
    type Output = Comparison;

    const TEXTS: &'static [&'static str] = &["text"];

    const TOOL: Tool = Tool {
        name: "workspace_compare",
        title: "Compare workspaces",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Compare attempts: the changes of each workspace since their common snapshot, \
                      files that several changed, and the results of command (e.g. the tests) in \
                      each. text has everything as a table. Next: workspace_diff for details, \
                      workspace_promote to keep the best.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: CompareRequest) -> Result<Comparison> {
        call.session.compare(input, call.abort).await
    }
}

/// Bring the changes of another workspace or snapshot into the active workspace.
pub(crate) struct Promote;

/// Arguments of `promote`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PromoteArgs {
    /// The workspace or snapshot with the changes.
    pub from: TreeSelector,
    /// Merge them with changes made here, or replace all files here.
    #[serde(default)]
    pub mode: PromoteMode,
    /// What to do about paths that both sides changed differently. Default: refuse, and list them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_conflict: Option<ConflictPolicy>,
    /// The snapshot that both came from. Default: the nearest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<SnapshotSelector>,
    /// Also bring over files that a .gitignore of the other side ignores, and caches such as
    /// __pycache__. With mode replace, everything is brought over anyway.
    #[serde(default)]
    pub include_ignored: bool,
    /// Destroy the session's other branches afterwards.
    #[serde(default)]
    pub discard_others: bool,
    /// Also reach other sessions' snapshots; each such call is recorded.
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

impl From<PromoteArgs> for PromoteRequest {
    fn from(args: PromoteArgs) -> Self {
        Self {
            from: args.from,
            mode: args.mode,
            on_conflict: args.on_conflict,
            base: args.base,
            include_ignored: args.include_ignored,
            discard_others: args.discard_others,
            allow_cross_session: args.allow_cross_session,
            expected_active: args.expected_active,
            dry_run: args.dry_run,
        }
    }
}

impl OperationKind for Promote {
    type Input = PromoteArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/promote",
            "promote",
            "Bring the changes of another workspace or snapshot into the active workspace",
            |asked| {
                let mut args: PromoteArgs = asked.body()?;
                args.expected_active = asked.if_match()?.or(args.expected_active);
                Ok(Operation::of::<Promote>(args))
            },
        )
        .describe(
            "Takes a safety snapshot first. Conflicts change nothing: `CONFLICT` lists them in its details. With `dryRun`, nothing is changed or saved: `changes` says what would change in the files, `conflicts` what would be refused.",
        )
        .takes::<PromoteArgs>()
        .example(r#"{"from":{"workspace":"my-session-branch-0a1b2c3d"}}"#)
        .answers::<Promoted>()
        .errors(WORKS)
        .recorded()
        .guarded()],
        ..Descriptor::new("promote", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<PromoteArgs>().at(&["from"]).cancellable().describe(
            "Brings the changes of another workspace, or of a snapshot, into the active workspace. \
             `merge` compares both with the snapshot that they came from: what only one changed is \
             kept, text files that both changed are merged by lines as git does. Everything is \
             decided before anything is written; a conflict changes nothing, unless `onConflict` \
             decides it. `replace` gives the workspace exactly the other's files, as a rewind does.\
             \n\n\
             A safety snapshot is taken first. If the call breaks off while it writes, the \
             workspace is put back to it. A `.git` that both changed, and ignored files in \
             conflict, stay as they are in the active workspace. Hard links and extended \
             attributes of merged files are not kept.\n\n\
             With `dryRun`, nothing is changed or saved, and the answer says what would be: \
             `changes`, and `conflicts`.",
        ));

    async fn run(call: Call<'_>, input: PromoteArgs) -> Result<Reply> {
        answer(&call.session.promote(&input.into(), call.abort).await?)
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PromoteInput {
    /// The workspace or snapshot with the changes.
    from: TreeSelector,
    /// Merge them with changes made here, or replace all files here.
    #[serde(default)]
    mode: PromoteMode,
    /// What to do about paths that both sides changed differently. Default: refuse, and list them.
    on_conflict: Option<ConflictPolicy>,
    /// Also bring over files that a .gitignore of the other side ignores, and caches such as
    /// __pycache__.
    #[serde(default)]
    include_ignored: bool,
    /// Destroy all other branches afterwards.
    #[serde(default)]
    discard_others: bool,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    allow_cross_session: bool,
    /// Change nothing; return what would change.
    #[serde(default)]
    dry_run: bool,
}

impl From<PromoteInput> for PromoteRequest {
    fn from(input: PromoteInput) -> Self {
        Self {
            from: input.from,
            mode: input.mode,
            on_conflict: input.on_conflict,
            base: None,
            include_ignored: input.include_ignored,
            discard_others: input.discard_others,
            allow_cross_session: input.allow_cross_session,
            expected_active: None,
            dry_run: input.dry_run,
        }
    }
}

impl ToolKind for Promote {
    type Input = PromoteInput;
    type Output = Promoted;

    const TOOL: Tool = Tool {
        name: "workspace_promote",
        title: "Keep an attempt",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Snapshot,
        destructive: true,
        description: "Bring the changes of another workspace or snapshot into the active \
                      workspace: merged with your changes (three-way), or, with mode replace, as \
                      exact files. Use it to keep the best of several attempts. The current files \
                      are saved first, as safetyRef. Conflicts are listed and nothing changes, \
                      unless onConflict decides them. dryRun shows what would change. Next: run \
                      the tests; workspace_rewind with safetyRef undoes it.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: PromoteInput) -> Result<Promoted> {
        call.session.promote(&input.into(), call.abort).await
    }
}
