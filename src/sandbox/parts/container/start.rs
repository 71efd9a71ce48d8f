//! Starts the container, and finds out which disk it has.

use crate::domain::error::{Error, ErrorCode, Next, Result};
use crate::domain::ids::InstanceId;
use crate::domain::limits::{CONTAINER_READY_TIMEOUT_MS, EXEC_TIMEOUT_MAX_MS};
use crate::domain::workspace::lost;
use crate::ports::container::StartOptions;
use crate::ports::random::{around_ms, random_bytes};
use crate::sandbox::parts::container::permits::Permit;
use crate::sandbox::parts::container::{SandboxContainer, was_destroyed};
use crate::sandbox::scripts::{complaint, identify, status};
use crate::sandbox::store::Started;

/// The first and the longest pause between two attempts to reach a starting container.
const RETRY_MS: u64 = 50;
const RETRY_MAX_MS: u64 = 1_000;
/// How long to retry a start that ends at once. The platform refuses starts for about 0.3 s after a
/// `destroy`, and permanently if the image does not exist.
const REFUSED_MS: i64 = 10_000;
/// How long to retry a start for which the platform has no room, and the longest pause between
/// attempts. A pause is half to one and a half of this, so that refused callers do not return
/// together.
const NO_ROOM_MS: i64 = 120_000;
const NO_ROOM_PAUSE_MAX_MS: u64 = 5_000;
/// Parts of the platform's messages that mean it has no room.
const NO_ROOM: [&str; 4] = [
    "no container instance that can be provided",
    "maximum number of running container instances exceeded",
    "requesting too many containers per second",
    "container service is unreachable",
];

impl SandboxContainer {
    /// Waits until the container runs commands. If it does not run, starts it if `may_start` is
    /// set, and otherwise fails with `WORKSPACE_LOST`.
    pub(super) async fn start(&self, may_start: bool) -> Result<InstanceId> {
        let mut permit = Permit::default();
        let result = self.start_with(&mut permit, may_start).await;
        self.permits.give_back(permit).await;
        result
    }

    async fn start_with(&self, permit: &mut Permit, may_start: bool) -> Result<InstanceId> {
        let destroyed = self.destroyed.get();
        let is_wanted = || self.destroyed.get() == destroyed;
        if may_start && !self.container.is_running() {
            self.check_configured()?;
            self.permits.hold(permit, is_wanted).await?;
        }
        // The time limit of the start begins here, however long the permit took.
        let asked_ms = self.context.now_ms();
        let mut began_ms = asked_ms;
        let mut pause_ms = RETRY_MS;
        let mut is_ours = false;
        loop {
            // If the platform has no room for long, keep the permit: others would find no room
            // either.
            if may_start && !self.container.is_running() {
                self.check_configured()?;
                self.permits.hold(permit, is_wanted).await?;
            }
            let result = if is_wanted() {
                self.try_start(self.left_ms(began_ms), may_start, &mut is_ours).await
            } else {
                Err(lost())
            };
            if !is_wanted() {
                if !may_start {
                    return Err(lost());
                }
                return Err(was_destroyed());
            }
            let error = match result {
                Ok(instance) => {
                    *self.known.borrow_mut() = Some(instance.clone());
                    return Ok(instance);
                }
                Err(error) if error.code != ErrorCode::Unavailable => return Err(error),
                Err(error) => error,
            };
            let waited_ms = self.context.now_ms().saturating_sub(asked_ms);
            let mut longest_ms = RETRY_MAX_MS;
            if !is_ours && self.container.is_running() && self.container.is_unresponsive() {
                // The container ran before, so it is gone or stuck, not starting slowly.
                return Err(self.give_up(error, is_ours).await);
            }
            if !self.container.is_running() && waited_ms > REFUSED_MS {
                if waited_ms > NO_ROOM_MS || !self.lacks_room(&error).await {
                    return Err(self.give_up(error, is_ours).await);
                }
                // The time to become ready begins once there is a container.
                began_ms = self.context.now_ms();
                longest_ms = NO_ROOM_PAUSE_MAX_MS;
            } else if self.left_ms(began_ms) <= pause_ms {
                return Err(self.give_up(error, is_ours).await);
            }
            self.context
                .ports
                .clock
                .sleep_ms(around_ms(self.context.ports.random.as_ref(), pause_ms)?)
                .await;
            pause_ms = (pause_ms * 2).min(longest_ms);
        }
    }

    /// Refuses to start or save a container without a configuration: nobody knows what it may
    /// reach, and whether its machine is saved. Only a destroy removes a configuration. It ends a
    /// start, but may fail and leave the container.
    pub(crate) fn check_configured(&self) -> Result<()> {
        if self.context.store.is_configured()? {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Unavailable,
            "the sandbox has no configuration, so it can't start or save anything",
        )
        .with_hint(
            "try again: its container was destroyed meanwhile, and the next call configures it",
        ))
    }

    fn left_ms(&self, began_ms: i64) -> u64 {
        let spent_ms = self.context.now_ms().saturating_sub(began_ms);
        CONTAINER_READY_TIMEOUT_MS.saturating_sub(spent_ms.unsigned_abs())
    }

    async fn lacks_room(&self, error: &Error) -> bool {
        let why = self.container.why_ended().await;
        [error.cause.as_deref(), why.as_deref()].into_iter().flatten().any(|said| {
            let said = said.to_lowercase();
            NO_ROOM.into_iter().any(|phrase| said.contains(phrase))
        })
    }

    async fn try_start(
        &self,
        left_ms: u64,
        may_start: bool,
        is_ours: &mut bool,
    ) -> Result<InstanceId> {
        let configuration = self.context.store.configuration()?;
        let egress = configuration.egress_policy();
        if !self.container.is_running() {
            if !may_start {
                return Err(lost());
            }
            // Before the start: nothing leaves the container unseen.
            let destroyed = self.destroyed.get();
            self.intercept(&configuration).await?;
            if self.destroyed.get() != destroyed {
                return Err(unavailable());
            }
            // Recorded first: if this object ends, the next one knows of the disk.
            self.context.store.forget_started()?;
            self.context.store.set_started(&Started { instance_id: None, start: None }, 0)?;
            let enable_internet = egress.is_open();
            let instance_type = configuration.instance_type.clone();
            self.container.start(&StartOptions { enable_internet, instance_type })?;
            *is_ours = true;
        }
        self.claim().await?;
        let fresh = InstanceId::from_random(random_bytes(self.context.ports.random.as_ref())?);
        let recorded = self.context.store.started()?;
        // Only a container that was started here can be new. Any other may hold somebody's files.
        let named = if recorded.is_some() { fresh.as_str() } else { "" };
        let instance = recorded.as_ref().and_then(|started| started.instance_id.as_ref());
        let start = recorded.as_ref().and_then(|started| started.start.as_deref());
        let (instance, start) = (instance.map_or("", InstanceId::as_str), start.unwrap_or(""));
        let trusts = !egress.interception().https.is_empty();
        let mut command =
            identify(named, instance, start, configuration.persist_machine.as_deref(), trusts);
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
        // No await since its response: a destroyed container is not recorded.
        if recorded.as_ref() != Some(&found) && self.destroyed.get() == destroyed {
            let commands_ms = i64::try_from(EXEC_TIMEOUT_MAX_MS).unwrap_or(i64::MAX);
            self.context
                .store
                .set_started(&found, self.context.now_ms().saturating_add(commands_ms))?;
        }
        Ok(instance)
    }

    /// Returns the error of a failed start. Destroys the container if this start began it: it never
    /// ran a command and holds no files, and the next start gets another one.
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
}

/// The error for a container without a disk id that was not started here.
fn unknown_disk() -> Error {
    Error::new(
        ErrorCode::Conflict,
        "the container runs, but it is unknown whether its disk has the workspace's files",
    )
    .with_hint(Next::EndContainer)
}

fn unavailable() -> Error {
    Error::new(ErrorCode::Unavailable, "the sandbox's container did not start")
        .with_hint("try again in a moment")
}
