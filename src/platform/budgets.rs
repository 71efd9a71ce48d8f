//! How many bytes of callers' content this isolate holds at once: its one
//! instance of WebAssembly is shared by the Worker and all objects in it.
//!
//! Content passes through five places, and each has a budget of its own. A call
//! takes them in the order of this file, so no two calls wait for each other. It
//! holds a budget until its content has left WebAssembly. What lies between two
//! awaits is not counted: no other call runs meanwhile.

use crate::domain::error::Result;
use crate::domain::limits::{
    BUDGET_BYTES, BUDGET_FREE_BYTES, BUDGET_PRINTED_BYTES, BUDGET_PRINTED_WAIT_MS, BUDGET_WAIT_MS,
};
use crate::platform::clock::RuntimeClock;
use crate::support::budget::{Budget, Held};
#[cfg(feature = "worker-exports")]
use js_sys::{JsString, Object};
#[cfg(feature = "worker-exports")]
use wasm_bindgen::{JsCast, JsValue};

thread_local! {
    static BODIES: Budget = Budget::new(BUDGET_BYTES);
    static MESSAGES: Budget = Budget::new(BUDGET_BYTES);
    #[cfg(feature = "worker-exports")]
    static INPUTS: Budget = Budget::new(BUDGET_BYTES);
    static PRINTED: Budget = Budget::new(BUDGET_PRINTED_BYTES);
    static READ: Budget = Budget::new(BUDGET_BYTES);
}

/// Bodies of requests, in the Worker.
pub async fn hold_body(length: u64) -> Result<Option<Held>> {
    hold(BODIES.with(Clone::clone), length).await
}

/// What a session's object is asked to do.
pub async fn hold_message(length: u64) -> Result<Option<Held>> {
    hold(MESSAGES.with(Clone::clone), length).await
}

/// What a sandbox's object is to pass into its container.
#[cfg(feature = "worker-exports")]
pub async fn hold_input(length: u64) -> Result<Option<Held>> {
    hold(INPUTS.with(Clone::clone), length).await
}

/// What commands print. Apart from what is read: a command may run for long.
pub async fn hold_printed(length: u64) -> Result<Held> {
    PRINTED.with(Clone::clone).hold_within(length, &RuntimeClock, BUDGET_PRINTED_WAIT_MS).await
}

/// Files and lists that a sandbox's object reads from its container.
pub async fn hold_read(length: u64, wait_ms: u64) -> Result<Held> {
    READ.with(Clone::clone).hold_within(length, &RuntimeClock, wait_ms).await
}

async fn hold(budget: Budget, length: u64) -> Result<Option<Held>> {
    if length <= BUDGET_FREE_BYTES {
        return Ok(None);
    }
    budget.hold_within(length, &RuntimeClock, BUDGET_WAIT_MS).await.map(Some)
}

/// Length of the texts among a call's arguments, and in those that are objects.
/// Content of callers lies no deeper.
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

/// What a header says of the length of a message.
pub fn declared(length: Option<&str>) -> u64 {
    length.and_then(|length| length.parse().ok()).unwrap_or_default()
}
