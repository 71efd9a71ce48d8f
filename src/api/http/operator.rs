//! The operator's rows of the table. They act across sessions.

use crate::api::operation::absence::{FOR_MONITORING, REPAIR};
use crate::api::operation::{CURSOR, OperatorCall, PageArgs, Param, ParamKind, Route, Verb, flag};
use crate::domain::ErrorCode;
use crate::domain::limits::{MAX_LIST_RESULTS_CEILING, POOL_IDLE_MS, SESSIONS_ASKED};
use crate::domain::pools::{DestroyedPool, PoolList};
use crate::domain::snapshot::prune::PrunePage;
use crate::domain::snapshot::rebuild::RebuildPage;
use crate::operator::{OperatorEventPage, PruneRequest, SessionList, UsagePage, WorkspacePage};

const LIMIT: Param = Param {
    name: "limit",
    kind: ParamKind::Count { min: 1, max: u32::MAX as u64 },
    description: "Maximum results per page. Default and maximum: 1,000 sessions, or 100 events.",
};
const SESSIONS: Param = Param {
    name: "limit",
    kind: ParamKind::Count { min: 1, max: u32::MAX as u64 },
    description: "Maximum sessions per page. Default and maximum: 50.",
};
const _: () = assert!(
    MAX_LIST_RESULTS_CEILING == 1_000 && SESSIONS_ASKED == 50 && POOL_IDLE_MS == 6 * 3_600_000
);

pub(crate) const LIST_SESSIONS: Route = Route::operator(
    Verb::Get,
    "/v1/sessions",
    "listSessions",
    "List every session that was ever opened, in the order of their ids",
    |asked| Ok(OperatorCall::ListSessions(asked.query()?)),
)
.query(&[LIMIT, CURSOR])
.answers::<SessionList>();

pub(crate) const LIST_WORKSPACES: Route = Route::operator(
    Verb::Get,
    "/v1/workspaces",
    "listAllWorkspaces",
    "List the workspaces of every session, and whether their containers run",
    |asked| Ok(OperatorCall::ListWorkspaces(asked.query()?)),
)
.describe("Asks each session of the page and its sandboxes; starts no container. A page may be empty without being the last.")
.query(&[SESSIONS, CURSOR, flag("running", "Only workspaces whose container runs, waits to start or does not answer.")])
.answers::<WorkspacePage>();

pub(crate) const LIST_POOLS: Route = Route::operator(
    Verb::Get,
    "/v1/pools",
    "listPools",
    "List the warm pools, and how many containers are ready in each",
    |_| Ok(OperatorCall::ListPools),
)
.describe("A session that is opened with `pool` makes its pool. A pool that no session has asked for in six hours is emptied.")
.answers::<PoolList>();

pub(crate) const DESTROY_POOL: Route = Route::operator(
    Verb::Delete,
    "/v1/pools/{pool}",
    "destroyPool",
    "Destroy a warm pool and its containers",
    |asked| Ok(OperatorCall::DestroyPool(asked.path_id("pool")?)),
)
.describe(
    "Containers that sessions have taken stay. The next session that is opened with the same \
    `pool` makes it anew. If a container can't be destroyed, the answer is UNAVAILABLE, and the \
    pool tries again by itself.",
)
.answers::<DestroyedPool>();

pub(crate) const USAGE: Route = Route::operator(
    Verb::Get,
    "/v1/usage",
    "listUsage",
    "Show the count and size of each session's snapshots",
    |asked| Ok(OperatorCall::Usage(asked.query()?)),
)
.describe("Reads the sessions' catalogues, not R2. A prune finds backups that no catalogue has.")
.query(&[SESSIONS, CURSOR])
.answers::<UsagePage>();

pub(crate) const PRUNE: Route = Route::operator(
    Verb::Post,
    "/v1/prune",
    "prune",
    "Delete backups by a rule, across sessions, one page per call",
    |asked| Ok(OperatorCall::Prune(asked.body()?)),
)
.describe(
    "Call it with nextCursor until there is none. Each session keeps its own snapshots that are pinned, being read or \
    taken, or needed for a wake. Backups in no catalogue are deleted only if `ownerless` names their kind.",
)
.takes::<PruneRequest>()
.example(r#"{"rule":{"olderThanSeconds":2592000,"keepLast":1},"dryRun":true}"#)
.answers::<PrunePage>()
.errors(&[ErrorCode::Conflict]);

pub(crate) const REBUILD: Route = Route::operator(
    Verb::Post,
    "/v1/rebuild",
    "rebuildAll",
    "Rebuild the catalogues of sessions from the buckets, one page per call",
    |asked| Ok(OperatorCall::Rebuild(asked.body()?)),
)
.without_command(REPAIR)
.without_view(REPAIR)
.describe(
    "For sessions whose objects lost their storage. Call it with nextCursor until there is none; repeating it does \
    nothing more. Each session takes back the snapshots whose records name it. The answer names sessions that were \
    never opened.",
)
.takes::<PageArgs>()
.example(r#"{"limit":100}"#)
.answers::<RebuildPage>();

pub(crate) const LIST_EVENTS: Route = Route::operator(
    Verb::Get,
    "/v1/events",
    "listOperatorEvents",
    "Read the operator's events, which belong to no session",
    |asked| Ok(OperatorCall::ListEvents(asked.query()?)),
)
.without_view(FOR_MONITORING)
.query(&[LIMIT, CURSOR])
.answers::<OperatorEventPage>();

/// The text format of Prometheus.
pub(crate) const METRICS_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(crate) const METRICS: Route = Route::operator(
    Verb::Get,
    "/v1/metrics",
    "getMetrics",
    "Show metrics: calls by outcome, times, bytes",
    |_| Ok(OperatorCall::Metrics),
)
.without_view(FOR_MONITORING)
.describe("The answer is in the text format of Prometheus. Counts appear in it within seconds; those of an isolate's last seconds are lost.")
.streams(METRICS_TEXT);
