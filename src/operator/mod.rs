//! What only the operator does: look across sessions, and prune and rebuild across them.
//!
//! It runs in the Worker, by the directory of sessions. What it wants to know of
//! a session, or to have done in one, it asks that session's object.

pub(crate) mod events;
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
pub use crate::operator::workspaces::{SessionWorkspace, WorkspacePage, WorkspacesRequest};

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::SessionId;
use crate::domain::limits::SESSIONS_ASKED_AT_ONCE;
use crate::ports::bucket::Buckets;
use crate::ports::clock::Clock;
use crate::ports::directory::Directory;
use crate::ports::hosts::{Hosts, SessionHost};
use crate::ports::log::Log;
use futures::stream::{self, StreamExt};
use std::rc::Rc;

/// What the operator's operations need from the world.
pub struct OperatorPorts {
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Log lines.
    pub log: Rc<dyn Log>,
    /// Which sessions there are.
    pub directory: Rc<dyn Directory>,
    /// Their objects.
    pub hosts: Rc<dyn Hosts>,
    /// R2.
    pub buckets: Rc<dyn Buckets>,
}

/// The operator, over every session of the Worker.
pub struct Operator {
    ports: OperatorPorts,
    /// The R2 bindings that sessions may use beside the default.
    backup_bindings: Vec<String>,
}

impl Operator {
    /// Over these ports. `backup_bindings`: as the hosts have them.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` where the Worker has no directory.
    pub fn new(backup_bindings: Vec<String>, ports: OperatorPorts) -> Result<Self> {
        if ports.directory.is_bound() {
            return Ok(Self { ports, backup_bindings });
        }
        Err(no_directory())
    }

    /// Asks some sessions, a few at once, and answers in their order.
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

/// What answers where the Worker has no directory of sessions.
#[must_use]
pub fn no_directory() -> Error {
    Error::new(ErrorCode::NotConfigured, "the Durable Object binding DIRECTORY is missing")
        .with_hint("add it under [[durable_objects.bindings]], and its class to the migrations, in wrangler.toml")
}
