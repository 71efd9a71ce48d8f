//! Start the container, once for all who ask, and know which disk it has.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::InstanceId;
use crate::domain::limits::{
    CONTAINER_READY_TIMEOUT_MS, EXEC_TIMEOUT_MAX_MS, SLEEP_AFTER_DEFAULT_MS,
};
use crate::domain::workspace::{check_instance, lost};
use crate::ports::clock::Clock;
use crate::ports::container::{Command, Container, Output, StartOptions};
use crate::ports::random::{Random, random_bytes};
use crate::sandbox::scripts::{INSTANCE, OWN_DIR, complaint, script, status};
use crate::sandbox::store::{Started, Store};
use futures::FutureExt;
use futures::future::{LocalBoxFuture, Shared};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// First and longest pause between two looks at a container that starts.
const RETRY_MS: u64 = 50;
const RETRY_MAX_MS: u64 = 1_000;
/// How long a start is retried that ends at once. The platform refuses one for
/// about 0.3 s after a `destroy`, and for good where there is no such image.
const REFUSED_MS: i64 = 10_000;
/// How long one is retried that the platform has no room for, and the longest
/// pause between two tries, of which half to one and a half is waited: those
/// who found no room together are not to come back together.
const NO_ROOM_MS: i64 = 120_000;
const NO_ROOM_PAUSE_MAX_MS: u64 = 5_000;
/// What the platform says then.
const NO_ROOM: [&str; 4] = [
    "no container instance that can be provided",
    "maximum number of running container instances exceeded",
    "requesting too many containers per second",
    "container service is unreachable",
];
/// A container that dies takes its commands with it up to a second before the
/// platform says that it no longer runs (seen with workerd and Docker).
const STOP_NOTICE_MS: u64 = 1_000;
const STOP_LOOK_MS: u64 = 100;
/// Status of a command that was killed: perhaps by its container's end.
pub(crate) const KILLED_EXIT_CODE: i32 = 137;

type Start = Shared<LocalBoxFuture<'static, Result<InstanceId>>>;

/// The sandbox's container, and what this object knows of it.
pub(crate) struct Machine {
    container: Rc<dyn Container>,
    clock: Rc<dyn Clock>,
    random: Rc<dyn Random>,
    store: Rc<Store>,
    /// The disk, as long as the container runs on that was asked for it.
    known: RefCell<Option<InstanceId>>,
    /// The start that is under way. Callers await clones of the one future.
    starting: RefCell<Option<Start>>,
    /// Whether this object has told a running container how long to stay.
    claimed: Cell<bool>,
    /// Counts `destroy`s: a start that began before one ends with it.
    destroyed: Cell<u64>,
}

impl Machine {
    pub(crate) fn new(
        container: Rc<dyn Container>,
        clock: Rc<dyn Clock>,
        random: Rc<dyn Random>,
        store: Rc<Store>,
    ) -> Self {
        Self {
            container,
            clock,
            random,
            store,
            known: RefCell::default(),
            starting: RefCell::default(),
            claimed: Cell::default(),
            destroyed: Cell::default(),
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.container.is_running()
    }

    /// The container, for transfers. Their errors go through [`Self::explain`].
    pub(crate) fn container(&self) -> &dyn Container {
        self.container.as_ref()
    }

    /// Which disk there is, after starting the container if need be.
    ///
    /// # Errors
    /// `UNAVAILABLE` where it did not run commands within the limit.
    pub(crate) async fn ensure_running(self: &Rc<Self>) -> Result<InstanceId> {
        if let Some(known) = self.known_disk() {
            return Ok(known);
        }
        // No await since the check: the first caller puts the start here, the others find it.
        let start = self.starting.borrow().clone();
        let start = match start {
            Some(start) => start,
            None => {
                let machine = Rc::clone(self);
                let start = async move {
                    let result = machine.start(true).await;
                    *machine.starting.borrow_mut() = None;
                    result
                };
                let start = start.boxed_local().shared();
                *self.starting.borrow_mut() = Some(start.clone());
                start
            }
        };
        start.await
    }

    /// As [`Self::ensure_running`], for a caller whose files are on `expected`.
    ///
    /// # Errors
    /// `WORKSPACE_LOST` too. A container that does not run has no disk, so none
    /// is started to find that out.
    pub(crate) async fn require_disk(
        self: &Rc<Self>,
        expected: Option<&InstanceId>,
    ) -> Result<InstanceId> {
        let Some(expected) = expected else { return self.ensure_running().await };
        let found = self.find_disk().await?;
        check_instance(expected, &found)?;
        Ok(found)
    }

    /// Which disk the running container has, if one runs or is starting.
    pub(crate) async fn disk(&self) -> Result<Option<InstanceId>> {
        match self.find_disk().await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.code == ErrorCode::WorkspaceLost => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The disk there is. Another's start is waited for. Without one, what stops
    /// while it is asked, because it is being destroyed, is not started again.
    ///
    /// # Errors
    /// `WORKSPACE_LOST` where no container runs.
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

    /// Waits until the container runs commands. Where it does not run it is
    /// started, or else `WORKSPACE_LOST`.
    async fn start(&self, may_start: bool) -> Result<InstanceId> {
        let asked_ms = self.clock.now_ms();
        let mut began_ms = asked_ms;
        let destroyed = self.destroyed.get();
        let mut pause_ms = RETRY_MS;
        let mut is_ours = false;
        loop {
            let result = self.try_start(self.left_ms(began_ms), may_start, &mut is_ours).await;
            if self.destroyed.get() != destroyed {
                if !may_start {
                    return Err(lost());
                }
                return Err(Error::new(
                    ErrorCode::Unavailable,
                    "the sandbox was destroyed while it started",
                ));
            }
            let error = match result {
                Ok(instance) => {
                    *self.known.borrow_mut() = Some(instance.clone());
                    return Ok(instance);
                }
                Err(error) if error.code != ErrorCode::Unavailable => return Err(error),
                Err(error) => error,
            };
            let waited_ms = self.clock.now_ms().saturating_sub(asked_ms);
            let mut longest_ms = RETRY_MAX_MS;
            if !is_ours && self.container.is_running() && self.container.is_unresponsive() {
                // It ran before: it is not slow to start, it is gone or stuck.
                return Err(self.give_up(error, is_ours).await);
            }
            if !self.container.is_running() && waited_ms > REFUSED_MS {
                if waited_ms > NO_ROOM_MS || !self.lacks_room(&error).await {
                    return Err(self.give_up(error, is_ours).await);
                }
                // The time to become ready is that of a container there is.
                began_ms = self.clock.now_ms();
                longest_ms = NO_ROOM_PAUSE_MAX_MS;
            } else if self.left_ms(began_ms) <= pause_ms {
                return Err(self.give_up(error, is_ours).await);
            }
            self.clock.sleep_ms(self.around(pause_ms)?).await;
            pause_ms = (pause_ms * 2).min(longest_ms);
        }
    }

    /// Of the time that a container has to become ready.
    fn left_ms(&self, began_ms: i64) -> u64 {
        let spent_ms = self.clock.now_ms().saturating_sub(began_ms);
        CONTAINER_READY_TIMEOUT_MS.saturating_sub(spent_ms.unsigned_abs())
    }

    /// Whether a start failed because the platform has no container to give.
    async fn lacks_room(&self, error: &Error) -> bool {
        let why = self.container.why_ended().await;
        [error.cause.as_deref(), why.as_deref()].into_iter().flatten().any(|said| {
            let said = said.to_lowercase();
            NO_ROOM.into_iter().any(|phrase| said.contains(phrase))
        })
    }

    /// A pause that is not everyone's: half to one and a half of it.
    fn around(&self, pause_ms: u64) -> Result<u64> {
        let [drawn] = random_bytes(self.random.as_ref())?;
        Ok(pause_ms / 2 + pause_ms * u64::from(drawn) / 255)
    }

    async fn try_start(
        &self,
        left_ms: u64,
        may_start: bool,
        is_ours: &mut bool,
    ) -> Result<InstanceId> {
        let configuration = self.store.configuration()?;
        if !self.container.is_running() {
            if !may_start {
                return Err(lost());
            }
            // Before it starts: what it has then is a disk of its own, whatever becomes of this object.
            self.store.forget_started()?;
            self.store.set_started(&Started { instance_id: None, start: None }, 0)?;
            self.container.start(&StartOptions {
                enable_internet: configuration.enable_internet.unwrap_or(true),
                instance_type: configuration.instance_type,
            })?;
            *is_ours = true;
        }
        self.claim().await?;
        let fresh = InstanceId::from_random(random_bytes(self.random.as_ref())?);
        let recorded = self.store.started()?;
        // Only what was started here can be new: any other container may hold somebody's files.
        let named = if recorded.is_some() { fresh.as_str() } else { "" };
        let instance = recorded.as_ref().and_then(|started| started.instance_id.as_ref());
        let start = recorded.as_ref().and_then(|started| started.start.as_deref());
        let (instance, start) = (instance.map_or("", InstanceId::as_str), start.unwrap_or(""));
        let mut command = script(INSTANCE, &[OWN_DIR, named, instance, start]);
        command.kill_after_ms = Some(left_ms);
        let destroyed = self.destroyed.get();
        let output = self.container.run(&command).await?;
        if output.exit_code == status::UNKNOWN_DISK {
            return Err(unknown_disk());
        }
        if output.exit_code != 0 {
            let cause = complaint(&output);
            return Err(unavailable().with_cause(format!("the first command failed: {cause}")));
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        let (instance, start) = printed.trim().split_once('\n').unwrap_or((printed.trim(), ""));
        let instance = InstanceId::parse(instance)
            .map_err(|error| unavailable().with_cause(format!("the disk's identity: {error}")))?;
        let found = Started { instance_id: Some(instance.clone()), start: Some(start.to_owned()) };
        // No await since it answered. What was destroyed meanwhile is not there any more.
        if recorded.as_ref() != Some(&found) && self.destroyed.get() == destroyed {
            let commands_ms = i64::try_from(EXEC_TIMEOUT_MAX_MS).unwrap_or(i64::MAX);
            self.store.set_started(&found, self.clock.now_ms().saturating_add(commands_ms))?;
        }
        Ok(instance)
    }

    /// Makes the container outlive this object's eviction. Needed after each
    /// start, and once more by each new object that finds it running.
    async fn claim(&self) -> Result<()> {
        let configured = self.store.configuration()?.sleep_after_ms;
        self.container.set_inactivity_timeout(configured.unwrap_or(SLEEP_AFTER_DEFAULT_MS)).await?;
        self.claimed.set(true);
        Ok(())
    }

    /// For the first call of a new object, whatever it asks for: without this,
    /// a container that it finds running would stop when it is evicted.
    pub(crate) async fn keep_running(&self) -> Result<()> {
        if self.claimed.get() || !self.is_running() { Ok(()) } else { self.claim().await }
    }

    /// A container that this start brought up and that never ran a command
    /// holds nothing: the next start gets another one.
    async fn give_up(&self, error: Error, is_ours: bool) -> Error {
        let mut cause = error.cause.unwrap_or(error.message);
        if let Some(why) = self.container.why_ended().await {
            cause = format!("{why}; then: {cause}");
        }
        if is_ours && let Err(second) = self.container.destroy().await {
            cause = format!("{cause}; then destroying it: {second}");
        }
        unavailable().with_cause(cause)
    }

    /// Runs a command in the running container.
    ///
    /// # Errors
    /// `WORKSPACE_LOST` where the container ended meanwhile, else `UNAVAILABLE`.
    pub(crate) async fn run(&self, command: &Command) -> Result<Output> {
        match self.container.run(command).await {
            Ok(output) if output.exit_code == KILLED_EXIT_CODE && !output.killed => {
                self.check_runs_on().await.map(|()| output)
            }
            Ok(output) => Ok(output),
            Err(error) => Err(self.explain(error).await),
        }
    }

    /// For a command that was killed: perhaps by its container's end.
    ///
    /// # Errors
    /// `WORKSPACE_LOST` where it was.
    pub(crate) async fn check_runs_on(&self) -> Result<()> {
        if self.runs_on().await { Ok(()) } else { Err(self.ended("it was killed")) }
    }

    /// What an error of a command or a transfer means for the caller: if the
    /// container has ended, that is the reason, and its files are gone.
    pub(crate) async fn explain(&self, error: Error) -> Error {
        let by_container = matches!(
            error.code,
            ErrorCode::Unavailable | ErrorCode::BackupFailed | ErrorCode::RestoreFailed
        );
        if !by_container {
            return error;
        }
        // Whichever disk is there next is looked at again.
        *self.known.borrow_mut() = None;
        if self.runs_on().await {
            return error;
        }
        self.ended(&error.cause.unwrap_or(error.message))
    }

    /// Whether the container still runs once the platform has had time to notice.
    async fn runs_on(&self) -> bool {
        for _ in 0..STOP_NOTICE_MS / STOP_LOOK_MS {
            if !self.is_running() {
                return false;
            }
            self.clock.sleep_ms(STOP_LOOK_MS).await;
        }
        self.is_running()
    }

    fn ended(&self, cause: &str) -> Error {
        *self.known.borrow_mut() = None;
        lost().with_outcome(Outcome::Unknown).with_cause(format!("the container ended: {cause}"))
    }

    /// Applies a changed idle time to a container that runs already.
    pub(crate) async fn apply_sleep_after(&self, ms: u64) -> Result<()> {
        if self.is_running() { self.container.set_inactivity_timeout(ms).await } else { Ok(()) }
    }

    /// Ends the container, and a start that is under way.
    pub(crate) async fn destroy(&self) -> Result<()> {
        self.destroyed.set(self.destroyed.get() + 1);
        *self.known.borrow_mut() = None;
        // Before it is destroyed: another start may come before this ends.
        self.store.forget_started()?;
        self.container.destroy().await
    }
}

/// The refusal of a container that has no name on its disk and was not started
/// by this sandbox, as far as it remembers.
fn unknown_disk() -> Error {
    Error::new(
        ErrorCode::Conflict,
        "the container runs, and nothing tells whether its disk has the workspace's files",
    )
    .with_hint(
        "it is left as it is; an operator can end it (DELETE …/workspaces/{id}/container), and the workspace then wakes with the files it was last saved with",
    )
}

fn unavailable() -> Error {
    Error::new(ErrorCode::Unavailable, "the sandbox's container did not start")
        .with_hint("try again in a moment")
}
