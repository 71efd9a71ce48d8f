//! The rules: data and `now_ms` in, a decision out. No I/O, no clock, no Workers types.

pub mod arguments;
pub mod call;
pub mod diff;
pub mod egress;
pub mod error;
pub mod exec;
pub mod files;
pub mod ids;
pub mod json;
pub mod limits;
pub mod lineage;
pub mod merge;
pub mod metrics;
pub mod page;
#[cfg(schemas)]
pub mod patterns;
pub mod pools;
pub mod s3;
#[cfg(schemas)]
pub mod schemas;
pub mod session;
pub mod snapshot;
pub mod starts;
pub mod text;
pub mod time;
pub mod tree;
pub mod workspace;

pub use crate::domain::call::subject::Subject;
pub use crate::domain::call::{IdempotencyKey, OperationState, OperationView, RecordedCall};
pub use crate::domain::error::{Error, ErrorBody, ErrorCode, ErrorEnvelope, Next, Outcome, Result};
pub use crate::domain::exec::code::ScriptCapability;
pub use crate::domain::exec::code::{CodeCapability, Language};
pub use crate::domain::exec::recorded::{CommandRecord, CommandView};
pub use crate::domain::exec::shell::{CommandLine, ShellCapability};
pub use crate::domain::files::path::AbsolutePath;
pub use crate::domain::files::tar::DroppedByImport;
pub use crate::domain::ids::{
    BackupId, CodeContextId, GitCheckpointName, InstanceId, OperationId, PartNumber, PoolId,
    PreviewId, ProcessName, RestoreKind, SandboxId, SessionId, StartId, TerminalId, TicketId,
    TokenId, UploadId,
};
pub use crate::domain::page::{Cursor, RowPage};
pub use crate::domain::s3::BucketMount;
pub use crate::domain::session::config::{
    SessionConfig, SleepAfter, ToolSelection, WorkspaceConfig,
};
pub use crate::domain::session::event::{Event, EventView, StoredEvent};
pub use crate::domain::session::scope::{Caller, Needs, Rights, Scope, Scopes};
pub use crate::domain::session::usage::SessionUsage;
pub use crate::domain::snapshot::annotations::Annotations;
pub use crate::domain::snapshot::archive::{ArchiveFormat, ForeignFormat};
pub use crate::domain::snapshot::backup::machine::MachinePart;
pub use crate::domain::snapshot::backup::{BackupDir, BackupHandle, SnapshotKind};
pub use crate::domain::snapshot::cause::Cause;
pub use crate::domain::snapshot::lease::{LeaseAnswer, LeaseRequest};
pub use crate::domain::snapshot::meta::BackupMeta;
pub use crate::domain::snapshot::meta::GitState;
pub use crate::domain::snapshot::query::SnapshotQuery;
pub use crate::domain::snapshot::rebuild::{RebuildOwn, Rebuilt};
pub use crate::domain::snapshot::refs::{SnapshotRef, WorkspaceRef};
pub use crate::domain::snapshot::retention::{DeleteReason, RetentionConfig, RetentionPolicy};
pub use crate::domain::snapshot::selector::{
    SnapshotSelector, TreeSelector, TurnPlace, TurnSelector,
};
pub use crate::domain::snapshot::summary::SnapshotSummary;
pub use crate::domain::snapshot::turn::{Turn, TurnAnswer, TurnCursor, TurnRequest};
pub use crate::domain::snapshot::{Snapshot, SnapshotState, SnapshotTrigger};
pub use crate::domain::workspace::heads::Woken;
pub use crate::domain::workspace::heads::{DirHead, Heads};
pub use crate::domain::workspace::{
    Workspace, WorkspaceKind, WorkspaceState, WorkspaceStatus, WorkspaceSummary,
};

pub(crate) const fn is_zero(count: &u64) -> bool {
    *count == 0
}
