//! Logs hosts that the network policy has refused.

use crate::domain::egress::RefusedHost;
use crate::domain::{Event, Result, SandboxId};
use crate::session::parts::{Context, RateLimits};

/// Adds an event for each host that an answer from a workspace names, up to a rate.
pub(crate) fn log_refused(
    context: &Context,
    rates: &RateLimits,
    sandbox_id: &SandboxId,
    refused: &[RefusedHost],
) -> Result<()> {
    for RefusedHost { host, count } in refused {
        if !rates.admits_refusal() {
            return Ok(());
        }
        let (sandbox_id, host) = (sandbox_id.clone(), host.clone());
        let event = Event::EgressRefused { sandbox_id, host, count: *count };
        context.catalogue.add_event(context.now_ms(), &event)?;
    }
    Ok(())
}
