//! Hosts that the network policy refused to the container.

use crate::domain::egress::RefusedHost;
use crate::domain::error::Result;
use crate::domain::limits::{REFUSED_AT_ONCE, REFUSED_PER_MINUTE, REFUSED_WRITE_MS};
use crate::domain::session::rate::Rate;
use crate::sandbox::parts::context::Context;
use std::cell::Cell;
use std::rc::Rc;

/// Refused requests of a container that are answered without a pause.
const REFUSED_RATE: Rate = Rate { per_minute: REFUSED_PER_MINUTE, burst: REFUSED_AT_ONCE };

/// Counts refused requests, and remembers their hosts for an answer.
pub(crate) struct RefusedHosts {
    context: Rc<Context>,
    /// When the allowance for refused requests is full again. See [`Rate`].
    full_at_us: Cell<i64>,
}

pub(crate) struct Refused {
    pub(crate) hosts: Vec<RefusedHost>,
    pub(crate) hint: Option<String>,
}

impl RefusedHosts {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, full_at_us: Cell::default() }
    }

    /// Remembers a refused host. Returns how many milliseconds the container has to wait, if it
    /// sends too many such requests.
    pub(crate) fn note(&self, host: &str) -> Result<Option<i64>> {
        let now_ms = self.context.now_ms();
        self.context.store.note_refused(host, now_ms)?;
        match REFUSED_RATE.take("refused requests", self.full_at_us.get(), now_ms) {
            Ok(full_at_us) => {
                self.full_at_us.set(full_at_us);
                Ok(None)
            }
            Err(_too_many) => Ok(Some(REFUSED_WRITE_MS)),
        }
    }

    /// The refused hosts that no answer has reported yet. From now on they count as reported.
    pub(crate) fn take(&self) -> Result<Refused> {
        self.context.store.take_refused().map(Refused::of)
    }

    /// As [`Self::take`], but the next answer reports them again.
    pub(crate) fn look(&self) -> Result<Refused> {
        self.context.store.refused().map(Refused::of)
    }
}

impl Refused {
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
