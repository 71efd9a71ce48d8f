//! Memory budgets for callers' content in this isolate, whose Worker and objects share one
//! WebAssembly instance. A call takes budgets in the order of this file, so no two calls wait for
//! each other, and holds one until its content has left WebAssembly. Content that lives only
//! between two awaits is not counted, because no other call runs meanwhile. Containers' requests to
//! buckets have their own budget.

use crate::domain::error::Result;
use crate::domain::ids::SessionId;
use crate::domain::limits::{
    BUDGET_BUCKETS_BYTES, BUDGET_BYTES, BUDGET_FREE_BYTES, BUDGET_PRINTED_BYTES,
    BUDGET_PRINTED_WAIT_MS, BUDGET_SHARE_BYTES, BUDGET_WAIT_MS,
};
use crate::platform::clock::RuntimeClock;
use crate::session::ArchiveMemory;
use crate::support::budget::{Budget, Held};
#[cfg(feature = "worker-exports")]
use js_sys::{JsString, Object};
#[cfg(feature = "worker-exports")]
use wasm_bindgen::{JsCast, JsValue};

thread_local! {
    static BODIES: Budget = Budget::with_shares(BUDGET_BYTES, BUDGET_SHARE_BYTES);
    static MESSAGES: Budget = Budget::new(BUDGET_BYTES);
    #[cfg(feature = "worker-exports")]
    static INPUTS: Budget = Budget::new(BUDGET_BYTES);
    static PRINTED: Budget = Budget::new(BUDGET_PRINTED_BYTES);
    static READ: Budget = Budget::new(BUDGET_BYTES);
    static ARCHIVES: ArchiveMemory = ArchiveMemory::default();
    static BUCKETS: Budget = Budget::new(BUDGET_BUCKETS_BYTES);
}

/// The isolate's memory for reading archives.
pub fn archive_memory() -> ArchiveMemory {
    ARCHIVES.with(Clone::clone)
}

/// The isolate's memory for documents and lists of buckets. Containers' requests must not take the
/// room of calls.
pub fn bucket_memory() -> Budget {
    BUCKETS.with(Clone::clone)
}

/// Holds room for a request's body in the Worker. Slow bodies delay only their own session's
/// bodies.
pub async fn hold_body(session: Option<&SessionId>, length: u64) -> Result<Option<Held>> {
    if length <= BUDGET_FREE_BYTES {
        return Ok(None);
    }
    let (budget, session) = (BODIES.with(Clone::clone), session.map(SessionId::as_str));
    budget.hold_of(session, length, &RuntimeClock, BUDGET_WAIT_MS).await.map(Some)
}

/// Holds room for a message to a session's object.
pub async fn hold_message(length: u64) -> Result<Option<Held>> {
    hold(MESSAGES.with(Clone::clone), length).await
}

/// Holds room for content that a sandbox's object passes into its container.
#[cfg(feature = "worker-exports")]
pub async fn hold_input(length: u64) -> Result<Option<Held>> {
    hold(INPUTS.with(Clone::clone), length).await
}

/// Holds room for a command's output. Separate from reads, because a command may run for long.
pub async fn hold_printed(length: u64) -> Result<Held> {
    PRINTED.with(Clone::clone).hold_within(length, &RuntimeClock, BUDGET_PRINTED_WAIT_MS).await
}

/// Holds room for a file or list that a sandbox's object reads from its container.
pub async fn hold_read(length: u64, wait_ms: u64) -> Result<Held> {
    READ.with(Clone::clone).hold_within(length, &RuntimeClock, wait_ms).await
}

async fn hold(budget: Budget, length: u64) -> Result<Option<Held>> {
    if length <= BUDGET_FREE_BYTES {
        return Ok(None);
    }
    budget.hold_within(length, &RuntimeClock, BUDGET_WAIT_MS).await.map(Some)
}

/// Total length of the strings among a call's arguments, including those in objects. Callers'
/// content is never nested deeper.
#[cfg(feature = "worker-exports")]
pub fn text_length(args: &JsValue) -> u64 {
    let length = |value: &JsValue| value.dyn_ref::<JsString>().map_or(0, |text| text.length());
    let values = |value: &JsValue| value.dyn_ref::<Object>().map(Object::values);
    let outer = values(args).into_iter().flatten();
    let lengths = outer.map(|value| {
        let inner = values(&value).into_iter().flatten().map(|inner| u64::from(length(&inner)));
        u64::from(length(&value)).saturating_add(inner.sum())
    });
    lengths.sum()
}

/// The length of a message according to its header; 0 without the header.
pub fn declared(length: Option<&str>) -> u64 {
    length.and_then(|length| length.parse().ok()).unwrap_or_default()
}
