//! A `Sandbox`: a container, and backups of its directories. Each part owns its state and holds the
//! parts below it; a verb borrows the parts that it uses. `api` calls the verbs. One backup or
//! restore runs at a time; other calls run concurrently. The object can lose its memory at any
//! time, so `store` holds everything that must survive.

/// Declares the parts that a verb uses, and borrows them from the sandbox.
macro_rules! parts {
    ($name:ident { $($field:ident: $part:ty),+ $(,)? }) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name<'a> {
            $(pub(in crate::sandbox) $field: &'a $part),+
        }

        impl<'a> From<&'a crate::sandbox::SandboxService> for $name<'a> {
            fn from(sandbox: &'a crate::sandbox::SandboxService) -> Self {
                Self { $($field: &sandbox.$field),+ }
            }
        }
    };
}

pub(crate) mod api;
pub(crate) mod backup;
pub(crate) mod checkpoints;
pub(crate) mod configure;
pub(crate) mod contexts;
pub(crate) mod egress;
pub(crate) mod exec;
pub(crate) mod files;
pub(crate) mod mounts;
pub(crate) mod parts;
pub(crate) mod processes;
pub(crate) mod response_timeout;
pub(crate) mod scripts;
pub(crate) mod store;
pub(crate) mod trees;
pub(crate) mod watch;

pub use crate::sandbox::egress::ReachedBuckets;
pub use crate::sandbox::parts::answering::PortOptions;
pub use crate::sandbox::parts::context::{SandboxPorts, TransferSizes};
pub use crate::sandbox::response_timeout::ResponseTimeout;
pub use crate::sandbox::watch::records::{Unreadable, WatchRecord, WatchRecords};

use crate::domain::error::Result;
use crate::sandbox::parts::active_streams::ActiveStreams;
use crate::sandbox::parts::answering::Answering;
use crate::sandbox::parts::backups::Backups;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::file_scripts::FileScripts;
use crate::sandbox::parts::given_up::GivenUp;
use crate::sandbox::parts::refused_hosts::RefusedHosts;
use crate::sandbox::parts::terminals::Terminals;
use crate::sandbox::parts::watches::Watches;
use std::rc::Rc;

/// A sandbox: a container, and backups of its directories.
pub struct SandboxService {
    context: Rc<Context>,
    container: Rc<SandboxContainer>,
    active_streams: ActiveStreams,
    answering: Answering,
    backups: Backups,
    file_scripts: FileScripts,
    given_up: Rc<GivenUp>,
    refused: Rc<RefusedHosts>,
    terminals: Terminals,
    watches: Watches,
}

impl SandboxService {
    /// Builds the parts of an object's sandbox, bottom up. Starts nothing.
    ///
    /// # Errors
    /// `INTERNAL` if the store can't be opened.
    pub fn new(label: String, sizes: TransferSizes, ports: SandboxPorts) -> Result<Self> {
        let context = Rc::new(Context::new(label, sizes, ports)?);
        let container = Rc::new(SandboxContainer::new(context.clone()));
        Ok(Self {
            active_streams: ActiveStreams::default(),
            answering: Answering::default(),
            backups: Backups::new(context.clone()),
            file_scripts: FileScripts::new(container.clone()),
            given_up: Rc::new(GivenUp::new(context.clone(), container.clone())),
            refused: Rc::new(RefusedHosts::new(context.clone())),
            terminals: Terminals::default(),
            watches: Watches::default(),
            context,
            container,
        })
    }

    /// Runs before each call of the object. See `SandboxContainer::keep_running`.
    pub async fn keep_running(&self) {
        if let Err(error) = self.container.keep_running().await {
            // The call itself fails if the container has a problem.
            self.context.warn("sandbox.wake", &error);
        }
    }

    /// Runs the contract suites of [`Container`](crate::ports::container::Container) on this
    /// object's container, which must not run, and of [`Starts`](crate::ports::starts::Starts) if
    /// starts are limited.
    ///
    /// # Errors
    /// `INTERNAL` with the broken rule.
    #[cfg(feature = "test-hooks")]
    pub async fn check_container(&self) -> Result<()> {
        let binding = crate::domain::session::config::DEFAULT_BACKUP_BINDING;
        let ports = &self.context.ports;
        let bucket = ports.buckets.open(binding)?;
        let (container, clock) = (ports.container.as_ref(), ports.clock.as_ref());
        let prefix = "contract-of-container/";
        if let Some(starts) = &ports.starts {
            crate::ports::contract::starts(starts.as_ref(), clock.now_ms()).await?;
        }
        crate::ports::contract::container(container, clock, bucket.as_ref(), binding, prefix).await
    }
}
