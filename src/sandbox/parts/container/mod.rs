//! The sandbox's container, and which disk it has.

pub(crate) mod permits;
pub(crate) mod run;
mod start;
pub(crate) mod stop;

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::InstanceId;
use crate::domain::limits::SLEEP_AFTER_DEFAULT_MS;
use crate::domain::workspace::check_instance;
use crate::ports::container::Container;
use crate::ports::sandbox::ConfigureOptions;
use crate::sandbox::parts::container::permits::Permits;
use crate::sandbox::parts::context::Context;
use futures::FutureExt;
use futures::future::{LocalBoxFuture, Shared};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

type Start = Shared<LocalBoxFuture<'static, Result<InstanceId>>>;

pub(crate) struct SandboxContainer {
    context: Rc<Context>,
    container: Rc<dyn Container>,
    permits: Permits,
    /// The disk, while the container that reported it runs.
    known: RefCell<Option<InstanceId>>,
    /// The start under way. Callers await clones of this one future.
    starting: RefCell<Option<Start>>,
    /// Whether this object has set a running container's inactivity timeout.
    claimed: Cell<bool>,
    /// Number of destroyed containers. A start fails if it changes meanwhile.
    destroyed: Cell<u64>,
    /// How often the whole sandbox was destroyed. A restore that began before must not write its
    /// files.
    destroys: Cell<u64>,
}

impl SandboxContainer {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self {
            container: context.ports.container.clone(),
            permits: Permits::new(context.clone()),
            context,
            known: RefCell::default(),
            starting: RefCell::default(),
            claimed: Cell::default(),
            destroyed: Cell::default(),
            destroys: Cell::default(),
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.container.is_running()
    }

    /// The container, for transfers. Their errors go through [`Self::explain`].
    pub(crate) fn raw(&self) -> &dyn Container {
        self.container.as_ref()
    }

    /// Returns the container's disk. Starts the container if necessary.
    pub(crate) async fn ensure_running(self: &Rc<Self>) -> Result<InstanceId> {
        if let Some(known) = self.known_disk() {
            return Ok(known);
        }
        // No await since the check: the first caller's start is here for all.
        let start = self.starting.borrow().clone();
        let start = match start {
            Some(start) => start,
            None => {
                let this = Rc::clone(self);
                let start = async move {
                    let result = this.start(true).await;
                    *this.starting.borrow_mut() = None;
                    result
                };
                let start = start.boxed_local().shared();
                *self.starting.borrow_mut() = Some(start.clone());
                start
            }
        };
        start.await
    }

    /// As [`Self::ensure_running`], for a caller with files on disk `expected`. `WORKSPACE_LOST` if
    /// the container has another disk or does not run: a stopped container has no disk, so it is
    /// not started.
    pub(crate) async fn require_disk(
        self: &Rc<Self>,
        expected: Option<&InstanceId>,
    ) -> Result<InstanceId> {
        let Some(expected) = expected else { return self.ensure_running().await };
        let found = self.find_disk().await?;
        check_instance(expected, &found)?;
        Ok(found)
    }

    /// Returns the container's disk, if it runs or is starting.
    pub(crate) async fn disk(&self) -> Result<Option<InstanceId>> {
        match self.find_disk().await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.code == ErrorCode::WorkspaceLost => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the running container's disk. Waits for a start under way, but never starts a
    /// container: one that is being destroyed may stop meanwhile, and must not start again.
    async fn find_disk(&self) -> Result<InstanceId> {
        let starting = self.starting.borrow().clone();
        match (self.known_disk(), starting) {
            (Some(known), _) => Ok(known),
            (None, Some(starting)) => starting.await,
            (None, None) => self.start(false).await,
        }
    }

    fn known_disk(&self) -> Option<InstanceId> {
        if !self.container.is_running() {
            *self.known.borrow_mut() = None;
        }
        self.known.borrow().clone()
    }

    /// Makes the container outlive this object's eviction, and intercepts its requests. Needed
    /// after each start, and once more by each new object that finds it running.
    async fn claim(&self) -> Result<()> {
        let configuration = self.context.store.configuration()?;
        let configured = configuration.sleep_after_ms;
        self.container.set_inactivity_timeout(configured.unwrap_or(SLEEP_AFTER_DEFAULT_MS)).await?;
        self.intercept(&configuration).await?;
        self.claimed.set(true);
        Ok(())
    }

    /// Has the next call claim the running container.
    pub(crate) fn claim_again(&self) {
        self.claimed.set(false);
    }

    /// Claims a running container at a new object's first call. Otherwise the container would stop
    /// when the object is evicted.
    pub(crate) async fn keep_running(&self) -> Result<()> {
        if self.claimed.get() || !self.is_running() { Ok(()) } else { self.claim().await }
    }

    /// Makes the platform send this object the requests that the policy is about. If that fails,
    /// the start fails. Without the Internet, only intercepted requests leave the container.
    async fn intercept(&self, configuration: &ConfigureOptions) -> Result<()> {
        let interception = configuration.interception();
        if interception.is_empty() { Ok(()) } else { self.container.intercept(&interception).await }
    }

    pub(crate) async fn apply_egress(&self, configuration: &ConfigureOptions) -> Result<()> {
        if !self.is_running() {
            return Ok(());
        }
        // The next call makes the container trust connections that are intercepted from now on.
        *self.known.borrow_mut() = None;
        self.intercept(configuration).await
    }

    pub(crate) async fn apply_sleep_after(&self, ms: u64) -> Result<()> {
        if self.is_running() { self.container.set_inactivity_timeout(ms).await } else { Ok(()) }
    }

    /// Destroys the container, and makes a start under way fail.
    pub(crate) async fn destroy(&self) -> Result<()> {
        self.destroyed.set(self.destroyed.get() + 1);
        *self.known.borrow_mut() = None;
        // Forgotten first: another start may begin before this ends.
        self.context.store.forget_started()?;
        self.container.destroy().await
    }

    pub(crate) async fn destroy_sandbox(&self) -> Result<()> {
        // No await from here to the end of the running start: a call that began earlier starts
        // nothing, and a configuration that comes later stays.
        self.destroys.set(self.destroys.get() + 1);
        self.context.store.forget_configuration()?;
        self.destroy().await
    }

    /// How often the sandbox was destroyed, for [`Self::check_undestroyed`].
    pub(crate) fn destroys(&self) -> u64 {
        self.destroys.get()
    }

    /// Fails if the sandbox was destroyed since `destroys` was counted, when the call began.
    pub(crate) fn check_undestroyed(&self, destroys: u64) -> Result<()> {
        if self.destroys.get() == destroys { Ok(()) } else { Err(was_destroyed()) }
    }

    /// Replaces a container that is not fresh, unless the sandbox was destroyed since `destroys`
    /// was counted. Returns the new disk.
    pub(crate) async fn replace(self: &Rc<Self>, destroys: u64) -> Result<InstanceId> {
        self.check_undestroyed(destroys)?;
        self.destroy().await?;
        self.check_undestroyed(destroys)?;
        self.ensure_running().await
    }
}

fn was_destroyed() -> Error {
    Error::new(ErrorCode::Unavailable, "the sandbox was destroyed meanwhile")
        .with_hint("try again in a moment")
}
