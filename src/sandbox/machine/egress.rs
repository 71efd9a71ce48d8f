//! Intercepts the container's requests, and decides about them.

use crate::domain::egress::policy::shown;
use crate::domain::egress::{EgressRequest, RefusedHost, Verdict};
use crate::domain::error::Result;
use crate::domain::limits::{REFUSED_AT_ONCE, REFUSED_PER_MINUTE, REFUSED_WRITE_MS};
use crate::domain::s3::BucketMount;
use crate::domain::session::rate::Rate;
use crate::ports::sandbox::ConfigureOptions;
use crate::sandbox::SandboxService;
use crate::sandbox::machine::ensure_running::Machine;
use crate::sandbox::store::Store;
use serde::{Deserialize, Serialize};

/// Refused requests of a container that are answered without a pause.
const REFUSED_RATE: Rate = Rate { per_minute: REFUSED_PER_MINUTE, burst: REFUSED_AT_ONCE };

impl Machine {
    /// Makes the platform send this object the requests that the policy is about.
    ///
    /// If that fails, the start fails. Without the Internet, only intercepted requests leave the
    /// container.
    pub(super) async fn intercept(&self, configuration: &ConfigureOptions) -> Result<()> {
        let interception = configuration.interception();
        if interception.is_empty() { Ok(()) } else { self.container.intercept(&interception).await }
    }

    /// Applies a changed policy to a running container.
    pub(crate) async fn apply_egress(&self, configuration: &ConfigureOptions) -> Result<()> {
        if !self.is_running() {
            return Ok(());
        }
        // The next call makes the container trust connections that are intercepted from now on.
        *self.known.borrow_mut() = None;
        self.intercept(configuration).await
    }
}

impl SandboxService {
    /// The buckets that the container reaches, for the gateway.
    ///
    /// # Errors
    /// `INTERNAL` if the store fails.
    pub fn reached_buckets(&self) -> Result<ReachedBuckets> {
        let mounts = self.store.configuration()?.bucket_mounts.unwrap_or_default();
        Ok(ReachedBuckets { sandbox_id: self.label.clone(), mounts })
    }

    /// Decides about a request of the container, and remembers a refused host.
    ///
    /// # Errors
    /// `INTERNAL` if the store fails.
    pub fn decide(&self, request: &EgressRequest) -> Result<Verdict> {
        let mut verdict = self.store.configuration()?.egress_policy().decide(request);
        if let Verdict::Refused { retry_after_ms, .. } = &mut verdict {
            let now_ms = self.ports.clock.now_ms();
            self.store.note_refused(&shown(&request.hostname), now_ms)?;
            match REFUSED_RATE.take("refused requests", self.refused_full_at_us.get(), now_ms) {
                Ok(full_at_us) => self.refused_full_at_us.set(full_at_us),
                Err(_too_many) => *retry_after_ms = Some(REFUSED_WRITE_MS),
            }
        }
        Ok(verdict)
    }
}

/// The buckets that a container reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReachedBuckets {
    /// The sandbox whose container sends the requests.
    pub sandbox_id: String,
    /// The mounts of the sandbox.
    pub mounts: Vec<BucketMount>,
}

/// What an answer says about refused hosts.
pub(crate) struct Refused {
    pub(crate) hosts: Vec<RefusedHost>,
    pub(crate) hint: Option<String>,
}

impl Refused {
    /// The refused hosts that no answer has reported yet. From now on they count as reported.
    ///
    /// # Errors
    /// `INTERNAL` if the store fails.
    pub(crate) fn take(store: &Store) -> Result<Self> {
        store.take_refused().map(Self::of)
    }

    /// As [`Self::take`], but the next answer reports them again.
    ///
    /// # Errors
    /// `INTERNAL` if the store fails.
    pub(crate) fn look(store: &Store) -> Result<Self> {
        store.refused().map(Self::of)
    }

    fn of(hosts: Vec<RefusedHost>) -> Self {
        let names: Vec<&str> = hosts.iter().map(|refused| refused.host.as_str()).collect();
        let hint = (!names.is_empty()).then(|| {
            format!(
                "the session's network policy refused {}; do without, or ask for a session whose network.hosts has it",
                names.join(", ")
            )
        });
        Self { hosts, hint }
    }
}
