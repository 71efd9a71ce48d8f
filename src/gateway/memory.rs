//! Room in the isolate for documents of requests, and for their answers.

use crate::domain::limits::{
    BUCKET_ENTRY_BYTES, BUCKET_LIST_MAX, BUDGET_FREE_BYTES, BUDGET_WAIT_MS,
};
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::operation::Operation;
use crate::domain::s3::request::RequestHead;
use crate::gateway::body::document_of;
use crate::gateway::service::Gateway;
use crate::support::budget::Held;

impl Gateway {
    /// Waits for the room that an operation needs. None if it needs little.
    pub(super) async fn hold(
        &self,
        operation: &Operation,
        head: &RequestHead,
    ) -> Result<Option<Held>> {
        let bytes = needed_bytes(operation, head);
        if bytes <= BUDGET_FREE_BYTES {
            return Ok(None);
        }
        let held = self.memory.hold_within(bytes, self.clock.as_ref(), BUDGET_WAIT_MS).await;
        let held = held.map_err(|error| {
            S3Error::new(Code::SlowDown, "too many requests at once").with_cause(error.to_string())
        });
        held.map(Some)
    }
}

/// A document counts by its actual length, whatever other headers say.
fn needed_bytes(operation: &Operation, head: &RequestHead) -> u64 {
    let document = || document_of(head).map_or(0, |document| document.length_bytes);
    match operation {
        Operation::List(_, list) => u64::from(list.max_keys) * BUCKET_ENTRY_BYTES,
        Operation::DeleteObjects(_) => document() + u64::from(BUCKET_LIST_MAX) * BUCKET_ENTRY_BYTES,
        Operation::CompleteUpload(..) => document(),
        // Bodies of objects pass in pieces.
        _ => 0,
    }
}
