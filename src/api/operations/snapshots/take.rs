//! Take a snapshot of the active workspace.

use crate::api::operation::{
    Call, Descriptor, Entry, Link, Method, Module, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolEntry, ToolKind, Verb, WORKS, answer, text,
};
use crate::domain::Error;
use crate::domain::Next;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::backup::Ttl;
use crate::domain::snapshot::labels::Labels;
use crate::domain::{Annotations, Needs, Result, Scope, WorkspaceRef};
use crate::session::{SnapshotRequest, SnapshotView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) static OPERATIONS: &[&Entry] = &[Entry::of::<TakeSnapshot>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[ToolEntry::of_operation::<TakeSnapshot>()];

/// Declares the arguments of an operation that makes a snapshot: its description, and the
/// operation's own fields. This is not a flattened struct, because serde would then accept unknown
/// fields.
macro_rules! describing {
    ($(#[$meta:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(schemas, derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
        pub struct $name {
            /// Name within the session.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::SNAPSHOT_NAME_MAX_CHARS), regex(pattern = crate::domain::patterns::NAME_PATTERN)))]
            pub name: Option<String>,
            /// Description.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(schemas, schemars(length(max = crate::domain::limits::SNAPSHOT_DESCRIPTION_MAX_CHARS), regex(pattern = crate::domain::patterns::TEXT_PATTERN)))]
            pub description: Option<String>,
            /// Time to live in seconds.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub ttl_seconds: Option<crate::domain::snapshot::backup::Ttl>,
            /// Take the name from a snapshot that has it.
            pub replace: bool,
            /// Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256.
            #[serde(skip_serializing_if = "crate::domain::snapshot::labels::Labels::is_empty")]
            pub labels: crate::domain::snapshot::labels::Labels,
            $($own)*
        }

        impl $name {
            /// Takes the snapshot's description out of the arguments.
            fn take_described(&mut self) -> crate::session::SnapshotRequest {
                crate::session::SnapshotRequest {
                    annotations: crate::domain::snapshot::annotations::Annotations {
                        name: self.name.take(),
                        description: self.description.take(),
                        labels: std::mem::take(&mut self.labels),
                    },
                    ttl: self.ttl_seconds.take(),
                    replace: self.replace,
                    ..crate::session::SnapshotRequest::default()
                }
            }
        }
    };
}

/// Rewords the hint of a taken name for tools, which do not take `replace`.
pub(super) fn without_replace(error: Error) -> Error {
    let holder = error.details.as_ref().and_then(|details| details.get("holder"));
    let Some(holder) = holder.and_then(Value::as_str) else { return error };
    let snapshot = holder.to_owned();
    error.with_hint(Next::FreeName { snapshot })
}

pub(crate) struct TakeSnapshot;

describing! {
    /// Arguments of `snapshot`.
    pub struct SnapshotArgs {
        /// Store only what has changed since the workspace's last snapshot: a snapshot of kind
        /// `layer`. Default: the session's `incremental`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub incremental: Option<bool>,
        /// Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`;
        /// `details.active` is the active one.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
        pub expected_active: Option<WorkspaceRef>,
    }
}

impl From<SnapshotArgs> for SnapshotRequest {
    fn from(mut args: SnapshotArgs) -> Self {
        let described = args.take_described();
        let SnapshotArgs { incremental, expected_active, .. } = args;
        Self { incremental, expected_active, ..described }
    }
}

impl OperationKind for TakeSnapshot {
    type Input = SnapshotArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/snapshots",
            "takeSnapshot",
            "Save the active workspace; answers once R2 holds it",
            |asked| {
                let mut args: SnapshotArgs = asked.body()?;
                args.expected_active = asked.if_match()?.or(args.expected_active);
                Ok(Operation::of::<TakeSnapshot>(args))
            },
        )
        .takes::<SnapshotArgs>()
        .answers::<SnapshotView>()
        .example(r#"{"name":"works","description":"all tests pass","ttlSeconds":86400}"#)
        .creates(|made| text(made, "/snapshot/id").map(|id| format!("/snapshots/{id}")))
        .leads(&[
            Link {
                name: "look",
                to: "getSnapshot",
                path: &[("snapshot", "$response.body#/snapshot/id")],
                body: None,
            },
            Link {
                name: "branch",
                to: "createWorkspace",
                path: &[],
                body: Some(r#"{"from":"$response.body#/snapshot/id","kind":"branch"}"#),
            },
            Link {
                name: "delete",
                to: "deleteSnapshot",
                path: &[("snapshot", "$response.body#/snapshot/id")],
                body: None,
            },
        ])
        .errors(WORKS)
        .recorded()
        .guarded()],
        ..Descriptor::new("snapshot", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(Method::takes::<SnapshotArgs>().cancellable().describe(
        "Saves the active workspace. Resolves once R2 holds the snapshot. The retention \
             policy can refuse it with `RATE_LIMITED` (`details.retryAfterMs`) or \
             `QUOTA_EXCEEDED`.",
    ));

    async fn run(call: Call<'_>, input: SnapshotArgs) -> Result<Reply> {
        answer(&call.session.snapshot(input.into(), call.abort).await?)
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SnapshotInput {
    /// Short name to restore by, unique within this session. Must not look like a
    /// UUID.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::SNAPSHOT_NAME_MAX_CHARS)))]
    name: Option<String>,
    /// Description of this state, shown in lists.
    #[cfg_attr(schemas, schemars(length(max = crate::domain::limits::SNAPSHOT_DESCRIPTION_MAX_CHARS)))]
    description: Option<String>,
    /// Seconds until the snapshot expires. Default: 30 days after the last use; 315360000 keeps
    /// it until it is deleted.
    ttl_seconds: Option<Ttl>,
    /// Short keys (`A-Z a-z 0-9 . _ / -`) and values to find it by, each as key=value,
    /// e.g. tests=pass.
    #[serde(default)]
    labels: Labels,
}

impl From<SnapshotInput> for SnapshotRequest {
    fn from(input: SnapshotInput) -> Self {
        Self {
            annotations: Annotations {
                name: input.name,
                description: input.description,
                labels: input.labels,
            },
            ttl: input.ttl_seconds,
            ..Self::default()
        }
    }
}

impl ToolKind for TakeSnapshot {
    type Input = SnapshotInput;
    type Output = SnapshotView;

    const PAIRS: &'static [&'static str] = &["labels"];

    const TOOL: Tool = Tool {
        name: "workspace_snapshot",
        title: "Take a snapshot",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Snapshot,
        description: "Save every file of the active workspace, so that you can come back to \
                      exactly this state. Use it before a risky change and after work worth \
                      keeping. The workspace does not change; running processes are not saved. \
                      Next: continue working. To come back, use workspace_rewind; to try something \
                      else from it, workspace_branch; pass the returned ref, id or name.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: SnapshotInput) -> Result<SnapshotView> {
        call.session.snapshot(input.into(), call.abort).await.map_err(without_replace)
    }
}
