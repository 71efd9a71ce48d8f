//! The operator's work across sessions: listing, measuring, pruning and rebuilding. It runs in the
//! Worker, finds the sessions in the directory, and reads or changes a session only through its
//! object.

pub(crate) mod events;
pub(crate) mod metrics;
pub(crate) mod ownerless;
pub(crate) mod pools;
pub(crate) mod prune;
pub(crate) mod rebuild;
pub(crate) mod sessions;
pub(crate) mod usage;
pub(crate) mod walk;
pub(crate) mod workspaces;

pub use crate::operator::events::OperatorEventPage;
pub use crate::operator::prune::PruneRequest;
pub use crate::operator::sessions::{SessionList, SessionProblem};
pub use crate::operator::usage::UsagePage;
pub use crate::operator::workspaces::{
    SessionWorkspace, StartCounts, WaitingToStart, WorkspacePage, WorkspacesRequest,
};

use crate::domain::limits::SESSIONS_ASKED_AT_ONCE;
use crate::domain::{Error, ErrorCode, Result, SessionId};
use crate::ports::directory::Directory;
use crate::ports::hosts::{Hosts, SessionHost};
use crate::ports::pools::Pools;
use crate::ports::starts::Starts;
use crate::ports::{Buckets, Clock, Log};
use futures::stream::{self, StreamExt};
use std::rc::Rc;

/// The ports that the operator's operations use.
pub struct OperatorPorts {
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Log lines.
    pub log: Rc<dyn Log>,
    /// The directory of sessions.
    pub directory: Rc<dyn Directory>,
    /// The sessions' objects.
    pub hosts: Rc<dyn Hosts>,
    /// R2.
    pub buckets: Rc<dyn Buckets>,
    /// The queue of starts. None: starts are not limited.
    pub starts: Option<Rc<dyn Starts>>,
    /// The warm pools, if there are any.
    pub pools: Option<Rc<dyn Pools>>,
}

/// The operator of all of the Worker's sessions.
pub struct Operator {
    ports: OperatorPorts,
    /// R2 bindings that sessions may use in addition to the default.
    backup_bindings: Vec<String>,
}

impl Operator {
    /// Creates an operator. `backup_bindings` must be the same as those of the sessions' objects.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` if the Worker has no directory.
    pub fn new(backup_bindings: Vec<String>, ports: OperatorPorts) -> Result<Self> {
        if ports.directory.is_bound() {
            return Ok(Self { ports, backup_bindings });
        }
        Err(no_directory())
    }

    /// Calls `ask` for each session, a few at once, and returns the results in the same order.
    async fn ask<Q, T>(
        &self,
        questions: Vec<(SessionId, Q)>,
        ask: impl AsyncFn(Rc<dyn SessionHost>, Q) -> Result<T>,
    ) -> Vec<(SessionId, Result<T>)> {
        stream::iter(questions)
            .map(|(session, question)| async {
                let answer = match self.ports.hosts.get(&session) {
                    Ok(host) => ask(host, question).await,
                    Err(error) => Err(error),
                };
                (session, answer)
            })
            .buffered(SESSIONS_ASKED_AT_ONCE)
            .collect()
            .await
    }
}

/// The error of a Worker without a directory of sessions.
#[must_use]
pub fn no_directory() -> Error {
    Error::new(ErrorCode::NotConfigured, "the Durable Object binding DIRECTORY is missing")
        .with_hint("add it under [[durable_objects.bindings]], and its class to the migrations, in wrangler.toml")
}
