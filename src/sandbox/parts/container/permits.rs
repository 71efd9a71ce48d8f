//! Permits to start the container, where the operator limits how many start at once.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::{SandboxId, StartId};
use crate::domain::limits::{
    START_ASK_MIN_MS, START_LEASE_MS, START_RETRY_AFTER_MS, START_WAIT_MS, STARTS_SILENT_MS,
};
use crate::domain::starts::{PermitRequest, StartAnswer};
use crate::ports::log::Level;
use crate::ports::random::{around_ms, random_bytes};
use crate::ports::starts::Starts;
use crate::sandbox::parts::context::Context;
use serde_json::json;
use std::rc::Rc;

pub(crate) struct Permits {
    context: Rc<Context>,
}

/// The state of one start's request.
#[derive(Default)]
pub(crate) struct Permit {
    asked: Option<PermitRequest>,
    granted_at_ms: Option<i64>,
    /// Whether the request has waited as long as a call may. A retry takes over its place.
    is_out_of_time: bool,
    /// Whether the start goes on without a permit, because the queue did not answer.
    does_without: bool,
}

enum Asked {
    Granted,
    AskAgain {
        pause_ms: u64,
    },
    /// The queue has not answered for long.
    Silent(Error),
}

impl Permits {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context }
    }

    /// Waits until this start has a permit that lasts long enough. Costs nothing if starts are not
    /// limited. Returns without a permit once the start is not `wanted` any more. `UNAVAILABLE`
    /// with `retryAfterMs` after `START_WAIT_MS`, or if too many wait.
    pub(crate) async fn hold(&self, permit: &mut Permit, wanted: impl Fn() -> bool) -> Result<()> {
        let Some(starts) = &self.context.ports.starts else { return Ok(()) };
        let began_ms = self.context.now_ms();
        let is_fresh = |granted_ms: i64| began_ms.saturating_sub(granted_ms) < START_LEASE_MS / 2;
        if permit.does_without || permit.granted_at_ms.is_some_and(is_fresh) {
            return Ok(());
        }
        let asked = match permit.asked.take() {
            Some(asked) => asked,
            None => self.request(began_ms)?,
        };
        permit.asked = Some(asked.clone());
        let mut answered_ms = began_ms;
        let mut waited = false;
        while wanted() {
            let pause_ms = match self.ask(starts.as_ref(), &asked, &mut answered_ms).await {
                Ok(Asked::Granted) => {
                    permit.granted_at_ms = Some(self.context.now_ms());
                    self.note_end(waited, &asked, Level::Info, "ok");
                    return Ok(());
                }
                Ok(Asked::AskAgain { pause_ms }) => pause_ms,
                Ok(Asked::Silent(error)) => {
                    // Otherwise nobody could start anything. The platform's own limits still hold.
                    permit.does_without = true;
                    self.context.warn("sandbox.start_unlimited", &error);
                    return Ok(());
                }
                Err(error) => {
                    self.note_end(true, &asked, Level::Warn, error.code.as_str());
                    return Err(error);
                }
            };
            waited = true;
            if self.context.now_ms().saturating_sub(asked.since_ms) >= START_WAIT_MS {
                self.note_end(waited, &asked, Level::Warn, ErrorCode::Unavailable.as_str());
                permit.is_out_of_time = true;
                return Err(self.busy()?);
            }
            self.context
                .ports
                .clock
                .sleep_ms(around_ms(self.context.ports.random.as_ref(), pause_ms)?)
                .await;
        }
        Ok(())
    }

    /// Gives the permit back, or the place in the queue. If this call has waited too long, keeps
    /// the place for the next one. If the queue does not answer, permit and place expire.
    pub(crate) async fn give_back(&self, permit: Permit) {
        let (Some(starts), Some(asked)) = (&self.context.ports.starts, permit.asked) else {
            return;
        };
        if permit.does_without {
            return;
        }
        let given = if permit.is_out_of_time {
            starts.leave(&asked.sandbox, &asked.id).await
        } else {
            starts.end(&asked.sandbox, &asked.id).await
        };
        if let Err(error) = given {
            self.context.warn("sandbox.start_unreturned", &error);
        }
    }

    async fn ask(
        &self,
        starts: &dyn Starts,
        asked: &PermitRequest,
        answered_ms: &mut i64,
    ) -> Result<Asked> {
        match starts.ask(asked).await {
            Ok(StartAnswer::Granted) => Ok(Asked::Granted),
            Ok(StartAnswer::Wait { ask_again_ms }) => {
                *answered_ms = self.context.now_ms();
                Ok(Asked::AskAgain { pause_ms: ask_again_ms })
            }
            Ok(StartAnswer::Refused) => Err(self.busy()?),
            Err(error) if error.code == ErrorCode::NotConfigured => Err(error),
            Err(error) => {
                let silent_ms = self.context.now_ms().saturating_sub(*answered_ms);
                if silent_ms >= STARTS_SILENT_MS {
                    return Ok(Asked::Silent(error));
                }
                Ok(Asked::AskAgain { pause_ms: START_ASK_MIN_MS })
            }
        }
    }

    fn request(&self, since_ms: i64) -> Result<PermitRequest> {
        Ok(PermitRequest {
            id: StartId::from_random(random_bytes(self.context.ports.random.as_ref())?),
            sandbox: SandboxId::parse(&self.context.label)?,
            session: self.context.store.configuration()?.session,
            since_ms,
        })
    }

    /// The error of a start that began nothing because others are first.
    fn busy(&self) -> Result<Error> {
        let retry_after_ms = around_ms(self.context.ports.random.as_ref(), START_RETRY_AFTER_MS)?;
        Ok(Error::new(
            ErrorCode::Unavailable,
            "too many containers are starting; this one was not started",
        )
        .with_hint("wait for retryAfterMs, then call again")
        .with_outcome(Outcome::None)
        .with_details(json!({ "limit": "maxConcurrentStarts", "retryAfterMs": retry_after_ms })))
    }

    /// Logs a wait. The line is also counted.
    fn note_end(&self, waited: bool, asked: &PermitRequest, level: Level, outcome: &str) {
        if waited {
            let waited_ms = self.context.now_ms().saturating_sub(asked.since_ms);
            let fields = json!({ "outcome": outcome, "durationMs": waited_ms });
            self.context.note(level, "sandbox.start_wait", fields);
        }
    }
}
