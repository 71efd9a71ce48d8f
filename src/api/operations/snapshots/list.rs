//! List snapshots.

use crate::api::operation::absence::SHOWN_ELSEWHERE;
use crate::api::operation::{
    CURSOR, Call, Descriptor, Entry, LIMIT, LogFields, Method, Module, NoArgs, Operation,
    OperationKind, PageArgs, Param, ParamKind, Reply, Route, Tool, ToolCall, ToolEntry, ToolKind,
    Verb, answer, flag,
};
use crate::domain::limits::{LABEL_KEY_MAX_CHARS, LABEL_VALUE_MAX_CHARS, SNAPSHOT_NAME_MAX_CHARS};
use crate::domain::snapshot::labels::LabelFilter;
use crate::domain::time::parse_rfc3339;
use crate::domain::{
    Error, ErrorCode, Needs, Result, Scope, SnapshotKind, SnapshotQuery, SnapshotSelector,
};
use crate::session::{EventPage, Lineage, ListRequest, SnapshotPage};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] =
    &[Entry::of::<ListSnapshots>(), Entry::of::<ListSnapshotEvents>(), Entry::of::<ShowLineage>()];

pub(crate) static TOOLS: &[&ToolEntry] =
    &[ToolEntry::of_operation::<ListSnapshots>(), ToolEntry::of_operation::<ShowLineage>()];

const TIME_AFTER: Param = Param {
    name: "createdAfter",
    kind: ParamKind::Time,
    description: "Made at this time or later, in RFC 3339.",
};
const TIME_BEFORE: Param = Param {
    name: "createdBefore",
    kind: ParamKind::Time,
    description: "Made before this time, in RFC 3339.",
};

pub(crate) struct ListSnapshots;

/// Arguments of `list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListArgs {
    /// Results at most; at least 1. Never more than the session's `maxListResults`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `nextCursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Also expired snapshots.
    pub include_expired: bool,
    /// Also snapshots that are being taken or deleted, are deleted, or failed.
    pub include_unready: bool,
    /// Also automatic snapshots, those of turns, and safety snapshots.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub include_auto: bool,
    /// Walk the whole bucket, in key order.
    pub allow_cross_session: bool,
    /// Only the snapshot with exactly this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Only snapshots with all of these labels: a key, or `key=value`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(schemas, schemars(with = "Vec<String>"), schemars(length(max = crate::domain::limits::LABEL_FILTERS_MAX)))]
    pub labels: Vec<LabelFilter>,
    /// Only this kind of archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SnapshotKind>,
    /// Made at this time or later, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_after: Option<String>,
    /// Made before this time, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_before: Option<String>,
}

impl TryFrom<ListArgs> for ListRequest {
    type Error = Error;

    fn try_from(args: ListArgs) -> Result<Self> {
        let time = |field: &str, text: Option<String>| {
            text.map(|text| parse_rfc3339(field, &text)).transpose()
        };
        Ok(Self {
            limit: args.limit,
            cursor: args.cursor,
            include_expired: args.include_expired,
            include_unready: args.include_unready,
            include_auto: args.include_auto,
            allow_cross_session: args.allow_cross_session,
            query: SnapshotQuery {
                name: args.name,
                labels: args.labels,
                kind: args.kind,
                created_after_ms: time("createdAfter", args.created_after)?,
                created_before_ms: time("createdBefore", args.created_before)?,
            },
        })
    }
}

impl OperationKind for ListSnapshots {
    type Input = ListArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots",
            "listSnapshots",
            "List snapshots, newest first",
            |asked| Ok(Operation::of::<ListSnapshots>(asked.query()?)),
        )
        .query(&[
            LIMIT,
            CURSOR,
            flag("includeExpired", "Also expired snapshots."),
            flag("includeUnready", "Also snapshots that are being taken or deleted, are deleted, or failed."),
            flag("includeAuto", "Also automatic snapshots, those of turns, and safety snapshots."),
            flag(
                "allowCrossSession",
                "List the whole bucket, in key order, if the policy allows it.",
            ),
            Param {
                name: "name",
                kind: ParamKind::Text { max: 4 * SNAPSHOT_NAME_MAX_CHARS },
                description: "Only the snapshot with exactly this name.",
            },
            Param {
                name: "labels",
                kind: ParamKind::Texts { max: LABEL_KEY_MAX_CHARS + 1 + 4 * LABEL_VALUE_MAX_CHARS },
                description: "A label: a key, or key=value. If it is given more than once, all must match.",
            },
            Param {
                name: "kind",
                kind: ParamKind::Choice(&["full", "layer"]),
                description: "Only this kind of archive: full or layer.",
            },
            TIME_AFTER,
            TIME_BEFORE,
        ])
        .answers::<SnapshotPage>()
        .errors(&[ErrorCode::CrossSessionDisabled, ErrorCode::Unsupported])],
        ..Descriptor::new("list", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<ListArgs>().describe(
        "Lists snapshots, newest first. `UNSUPPORTED` without the snapshot module. Starts no \
             container.",
    ));

    async fn run(call: Call<'_>, input: ListArgs) -> Result<Reply> {
        answer(&call.session.list(&input.try_into()?).await?)
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ListInput {
    /// Maximum number of results; at most the session's maximum, by default
    /// 100.
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    limit: Option<u32>,
    /// nextCursor of the previous page.
    cursor: Option<String>,
    /// Also list expired snapshots; they can't be restored.
    #[serde(default)]
    include_expired: bool,
    /// Also list snapshots of turns, automatic snapshots (workspaces wake from them) and safety
    /// snapshots (files that a rewind or promotion replaced).
    #[serde(default)]
    include_auto: bool,
    /// List the whole bucket, snapshots of other sessions too. Each such call is
    /// recorded.
    #[serde(default)]
    allow_cross_session: bool,
    /// Only the snapshot with this name.
    #[cfg_attr(schemas, schemars(length(max = crate::domain::limits::SNAPSHOT_NAME_MAX_CHARS)))]
    name: Option<String>,
    /// Only snapshots with all of these labels: a key, or key=value.
    #[serde(default)]
    #[cfg_attr(schemas, schemars(with = "Vec<String>"))]
    #[cfg_attr(schemas, schemars(length(max = crate::domain::limits::LABEL_FILTERS_MAX)))]
    labels: Vec<LabelFilter>,
    /// Only snapshots made at this time or later, in RFC 3339.
    created_after: Option<String>,
    /// Only snapshots made before this time, in RFC 3339.
    created_before: Option<String>,
}

impl TryFrom<ListInput> for ListRequest {
    type Error = Error;

    fn try_from(input: ListInput) -> Result<Self> {
        let time = |field: &str, text: Option<String>| {
            text.map(|text| parse_rfc3339(field, &text)).transpose()
        };
        Ok(Self {
            limit: input.limit,
            cursor: input.cursor,
            include_expired: input.include_expired,
            include_unready: false,
            include_auto: input.include_auto,
            allow_cross_session: input.allow_cross_session,
            query: SnapshotQuery {
                name: input.name,
                labels: input.labels,
                kind: None,
                created_after_ms: time("createdAfter", input.created_after)?,
                created_before_ms: time("createdBefore", input.created_before)?,
            },
        })
    }
}

impl ToolKind for ListSnapshots {
    type Input = ListInput;
    type Output = SnapshotPage;

    const TOOL: Tool = Tool {
        name: "workspace_list_snapshots",
        title: "List snapshots",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Read,
        description: "List the snapshots of this session, newest first, each with its ref, name, \
                      time, size, expiry, labels and parent. Use it to choose a snapshot to rewind \
                      to, branch from or delete, or to find one by name, label or time.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ListInput) -> Result<SnapshotPage> {
        call.session.list(&ListRequest::try_from(input)?).await
    }
}

/// Read the history of one snapshot.
pub(crate) struct ListSnapshotEvents;

/// Which snapshot, and which page.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The snapshot's ref, its id or its name.
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
        .without_view(SHOWN_ELSEWHERE)
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

/// Show where workspaces and snapshots came from.
pub(crate) struct ShowLineage;

impl OperationKind for ShowLineage {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/lineage",
            "getLineage",
            "Show the tree of workspaces and snapshots",
            |_| Ok(Operation::of::<ShowLineage>(NoArgs {})),
        )
        .answers::<Lineage>()
        .errors(&[ErrorCode::Unsupported])],
        ..Descriptor::new("lineage", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<NoArgs>().describe(
        "Returns the tree of workspaces and snapshots, with the active workspace marked.",
    ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.lineage().await?)
    }
}

impl ToolKind for ShowLineage {
    type Input = NoArgs;
    type Output = Lineage;

    const TOOL: Tool = Tool {
        name: "workspace_lineage",
        title: "What came from what",
        module: Module::Snapshot,
        scope: Scope::Read,
        description: "Show the tree of this session's workspaces and snapshots, and your place in \
                      it. Each snapshot is below its source workspace, each workspace below its \
                      source snapshot. Read `text`; `nodes` has the same tree with ids. Use it to \
                      find out which attempt a snapshot belongs to.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, _input: NoArgs) -> Result<Lineage> {
        call.session.lineage().await
    }
}
