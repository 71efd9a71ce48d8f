//! What an `AgentHost` does: one agent session, its workspaces and snapshots. [`Session`] only
//! composes. Each part owns its state and holds the parts below it; a verb borrows the parts that
//! it uses. Calls only go down.
//!
//! Every multi-step operation persists a row with its intent, and schedules the alarm, before its
//! first effect. `recovery` finishes or cleans up what a crash left.

/// Declares the parts of a session that a verb uses, and borrows them from the session.
macro_rules! parts {
    ($name:ident { $($field:ident: $part:ty),+ $(,)? }) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name<'a> {
            $(pub(in crate::session) $field: &'a $part),+
        }

        impl<'a> From<&'a crate::session::Session> for $name<'a> {
            fn from(session: &'a crate::session::Session) -> Self {
                Self { $($field: &session.$field),+ }
            }
        }
    };
}

pub mod catalogue;
pub(crate) mod checkpoints;
pub(crate) mod code_contexts;
#[cfg(feature = "test-hooks")]
pub(crate) mod contracts;
pub(crate) mod exec;
mod facade;
pub(crate) mod files;
pub(crate) mod parts;
pub(crate) mod processes;
pub(crate) mod recovery;
pub(crate) mod sessions;
pub(crate) mod snapshots;
pub(crate) mod trees;
pub(crate) mod turns;
pub(crate) mod workspaces;

pub use crate::domain::snapshot::annotations::{Annotations, SnapshotEdit};
pub use crate::domain::snapshot::selector::TreeSelector;
pub use crate::domain::workspace::heads::Woken;
pub use crate::ports::sandbox::MountState;
pub use crate::session::catalogue::{ChangedPath, TurnChanges};
pub use crate::session::checkpoints::DeletedGitCheckpoint;
pub use crate::session::checkpoints::GitCheckpointTarget;
pub use crate::session::checkpoints::ListGitCheckpointsRequest;
pub use crate::session::checkpoints::TakeGitCheckpointRequest;
pub use crate::session::code_contexts::CreateCodeContextRequest;
pub use crate::session::code_contexts::ListCodeContextsRequest;
pub use crate::session::code_contexts::{DeleteCodeContextRequest, DeletedCodeContext};
pub use crate::session::code_contexts::{RanInContext, RunInCodeContextRequest};
pub use crate::session::exec::run::RunRequest;
pub use crate::session::exec::run_code::CommandPage;
pub use crate::session::exec::run_code::RunCodeRequest;
pub use crate::session::exec::script::{ScriptRequest, ScriptResult, ScriptTools};
pub use crate::session::exec::terminal::TerminalRequest;
pub use crate::session::files::snapshot::SnapshotPath;
pub use crate::session::files::snapshot_copy::{CopiedFiles, CopyFromSnapshot};
pub use crate::session::files::snapshot_grep::{NotSearched, SearchSnapshot, SearchedSnapshot};
pub use crate::session::files::snapshot_list::ListSnapshotFiles;
pub use crate::session::files::snapshot_read::ReadSnapshotFile;
pub use crate::session::files::snapshot_read::{Download, DownloadFile};
pub use crate::session::files::snapshot_same::StoredTrees;
pub use crate::session::files::{
    AbortedUpload, ArchiveRequest, CopyPaths, EditFileRequest, EditedFile, FindFilesRequest,
    FindLinesRequest, FinishUpload, FoundFileList, FoundLineList, ListFilesRequest, ListedEntry,
    ListedFiles, MadeDir, MakeDirRequest, ReadFileRequest, RemoveRequest, Removed, Seen,
    StatRequest, StatView, StoredPart, WatchRequest, WriteFileRequest, WrittenFile,
};
pub use crate::session::parts::abort::{Abort, Progress};
pub use crate::session::parts::active::Placed;
pub use crate::session::parts::archive_memory::ArchiveMemory;
pub use crate::session::parts::calls::recorded::Cancellable;
pub use crate::session::parts::calls::recorded::{OperationPage, RecordRequest, Recorded};
pub use crate::session::parts::containers::buckets::BucketView;
pub use crate::session::parts::containers::services::ServiceView;
pub use crate::session::parts::context::{SessionPorts, SessionSettings};
pub use crate::session::parts::loaded_session::read_only;
pub use crate::session::parts::results::{
    LiveFork, LiveForks, MadeWorkspace, Paused, Resumed, Rewound, Undone,
};
pub use crate::session::parts::shown::{IgnoredChanges, NoText, PlannedChanges, ShownChange};
pub use crate::session::parts::snapshots::get::SnapshotView;
pub use crate::session::parts::snapshots::store::adopt::SnapshotRequest;
pub use crate::session::parts::tickets::{CreatedTicket, TicketRequest, UsedTicket};
pub use crate::session::processes::ListProcessesRequest;
pub use crate::session::processes::ReadLogRequest;
pub use crate::session::processes::StartRequest;
pub use crate::session::processes::StopRequest;
pub use crate::session::recovery::agenda::Alarms;
pub use crate::session::recovery::retention::{DecisionView, RetentionPolicyView, RetentionReport};
pub use crate::session::sessions::close::DeletedSession;
pub use crate::session::sessions::describe::EventPage;
pub use crate::session::sessions::describe::{SessionStatus, SessionView};
pub use crate::session::sessions::lineage::Lineage;
pub use crate::session::sessions::previews::{
    CodeStep, OpenPortRequest, OpenedPort, PreviewList, PreviewView, ShareRequest, SharedPreview,
};
pub use crate::session::sessions::tokens::{
    CreatedToken, Revoked, TokenList, TokenRequest, TokenView,
};
pub use crate::session::snapshots::archives::import::{ImportRequest, ImportSource, StoredArchive};
pub use crate::session::snapshots::delete::{DeleteOptions, Deleted};
pub use crate::session::snapshots::list::{ListRequest, ListedSnapshot, SnapshotPage};
pub use crate::session::trees::compare::command::CommandOutcome;
pub use crate::session::trees::compare::{
    CompareRequest, ComparedWorkspace, Comparison, ContestedFile, PathChange,
};
pub use crate::session::trees::diff::{DiffOutput, DiffRequest, TreeDiff};
pub use crate::session::trees::merge::{ConflictPolicy, ConflictingLines, MergeConflict};
pub use crate::session::trees::promoted::Promoted;
pub use crate::session::trees::tree::ComparedTree;
pub use crate::session::turns::SaveTurnRequest;
pub use crate::session::turns::{Timeline, TimelineRequest, TurnView};
pub use crate::session::workspaces::describe::{ModulesView, WorkspaceLimits, WorkspaceView};
pub use crate::session::workspaces::destroy::DestroyedWorkspace;
pub use crate::session::workspaces::make::LiveForkRequest;
pub use crate::session::workspaces::promote::{PromoteMode, PromoteRequest};
pub use crate::session::workspaces::rewind::RewindRequest;
pub use crate::session::workspaces::switch::UndoRequest;
pub use crate::session::workspaces::switch::WorkspaceList;

use crate::domain::{Result, SessionId};
use crate::ports::database::SEQ_MAX;
use crate::session::parts::earliest_alarm::Agenda;
use crate::session::parts::earliest_alarm::EarliestAlarm;
use crate::session::parts::register::Registration;
use crate::session::parts::scripts::Scripts;
use crate::session::parts::tickets::Tickets;
use crate::session::parts::{
    Archives, AutosaveState, Autosaver, Calls, CleanSandboxes, Containers, Context, Deleter,
    Flattener, InFlight, Leases, Maker, Quotas, RateLimits, Recorder, Replacer, Saver,
    SnapshotStore, Sources, Watchers, WorkspaceLocks, Workspaces,
};
use std::cell::Cell;
use std::rc::Rc;

/// One agent session with its workspaces and snapshots.
pub struct Session {
    context: Rc<Context>,
    locks: Rc<WorkspaceLocks>,
    in_flight: Rc<InFlight>,
    autosave: Rc<AutosaveState>,
    registration: Registration,
    calls: Calls,
    rate_limits: RateLimits,
    tickets: Tickets,
    recorder: Recorder,
    watchers: Watchers,
    scripts: Scripts,
    containers: Rc<Containers>,
    store: Rc<SnapshotStore>,
    leases: Rc<Leases>,
    quotas: Rc<Quotas>,
    clean: Rc<CleanSandboxes>,
    sources: Rc<Sources>,
    archives: Archives,
    saver: Rc<Saver>,
    deleter: Deleter,
    flattener: Flattener,
    autosaver: Autosaver,
    replacer: Rc<Replacer>,
    workspaces: Workspaces,
    maker: Maker,
    alarm: Rc<EarliestAlarm>,
    agenda: Agenda,
    /// Whether this object has looked for work that an earlier one left.
    started: Cell<bool>,
    /// `seq` of the last snapshot whose edits the alarm has written.
    edited_to: Cell<i64>,
}

impl Session {
    /// Builds the parts of a session, bottom up. Starts nothing.
    ///
    /// # Errors
    /// `INTERNAL` where the catalogue cannot be opened.
    pub fn new(id: SessionId, settings: SessionSettings, mut ports: SessionPorts) -> Result<Self> {
        let alarm = Rc::new(EarliestAlarm::over(ports.alarm));
        ports.alarm = alarm.clone();
        let context = Rc::new(Context::new(id, settings, ports)?);
        let locks = Rc::new(WorkspaceLocks::new(context.ports.clock.clone()));
        let in_flight = Rc::new(InFlight::new(context.clone()));
        let autosave = Rc::new(AutosaveState::new(context.clone(), locks.clone()));
        let registration = Registration::new(context.clone());
        let calls = Calls::new(context.clone());
        let rate_limits = RateLimits::new(context.clone());
        let tickets = Tickets::new(context.clone());
        let recorder = Recorder::new(context.clone());
        let containers = Rc::new(Containers::new(
            context.clone(),
            locks.clone(),
            in_flight.clone(),
            autosave.clone(),
        ));
        let store = Rc::new(SnapshotStore::new(context.clone(), in_flight.clone()));
        let leases = Rc::new(Leases::new(context.clone()));
        let quotas = Rc::new(Quotas::new(context.clone(), in_flight.clone()));
        let clean =
            Rc::new(CleanSandboxes::new(context.clone(), in_flight.clone(), quotas.clone()));
        let sources = Rc::new(Sources::new(context.clone(), leases.clone()));
        let archives = Archives::new(context.clone(), sources.clone());
        let saver = Rc::new(Saver::new(
            context.clone(),
            in_flight.clone(),
            containers.clone(),
            store.clone(),
        ));
        let deleter = Deleter::new(
            context.clone(),
            locks.clone(),
            in_flight.clone(),
            leases.clone(),
            store.clone(),
        );
        let flattener =
            Flattener::new(context.clone(), in_flight.clone(), store.clone(), clean.clone());
        let autosaver = Autosaver::new(
            context.clone(),
            locks.clone(),
            in_flight.clone(),
            autosave.clone(),
            containers.clone(),
            saver.clone(),
        );
        let replacer = Rc::new(Replacer::new(
            context.clone(),
            locks.clone(),
            in_flight.clone(),
            autosave.clone(),
            containers.clone(),
            store.clone(),
            quotas.clone(),
            sources.clone(),
        ));
        let workspaces = Workspaces::new(
            context.clone(),
            locks.clone(),
            in_flight.clone(),
            autosave.clone(),
            containers.clone(),
            store.clone(),
            quotas.clone(),
            sources.clone(),
            saver.clone(),
            replacer.clone(),
        );
        let maker = Maker::new(
            context.clone(),
            in_flight.clone(),
            containers.clone(),
            store.clone(),
            quotas.clone(),
        );
        Ok(Self {
            context,
            locks,
            in_flight,
            autosave,
            registration,
            calls,
            rate_limits,
            tickets,
            recorder,
            containers,
            store,
            leases,
            quotas,
            clean,
            sources,
            archives,
            saver,
            deleter,
            flattener,
            autosaver,
            replacer,
            workspaces,
            maker,
            watchers: Watchers::default(),
            scripts: Scripts::default(),
            alarm,
            agenda: Agenda::default(),
            started: Cell::new(false),
            edited_to: Cell::new(-SEQ_MAX),
        })
    }

    /// The session's id.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        &self.context.session
    }
}
