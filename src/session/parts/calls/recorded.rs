//! Records calls. A call may outlast its request, and its caller then asks for the outcome. A
//! repeated call gets the first answer.

use crate::domain::call::is_final;
use crate::domain::limits::{
    MAX_LIST_RESULTS_DEFAULT, OPERATION_ANSWER_MAX_BYTES, OPERATION_ANSWER_SMALL_BYTES,
    OPERATION_ANSWERS_MAX_BYTES, OPERATION_KEPT_MS, OPERATIONS_KEPT, OPERATIONS_MAX,
};
use crate::domain::{
    Error, ErrorCode, IdempotencyKey, OperationId, OperationState, OperationView, Outcome,
    RecordedCall, Result, Rights, RowPage, Subject,
};
use crate::ports::random::random_bytes;
use crate::session::catalogue::NewOperation;
use crate::session::parts::{Abort, Context};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A call to record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordRequest {
    /// The id that the caller gave the call, if any.
    pub id: Option<OperationId>,
    /// Name of the operation or the tool.
    pub op: String,
    /// The key by which the caller may repeat the call.
    pub key: Option<IdempotencyKey>,
    /// Hash of the whole request.
    pub fingerprint: String,
    /// What other callers need for the call: to see, cancel or repeat it.
    pub rights: Rights,
    /// Whether its subject is named before its first effect: no subject means nothing was begun.
    pub names_subject: bool,
}

/// The result of recording a call.
pub enum Recorded {
    /// The call is new. The holder of this value works on it.
    New(Cancellable),
    /// The call repeats this earlier one.
    Known(RecordedCall),
}

/// A page of recorded calls, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperationPage {
    /// The calls.
    pub operations: Vec<OperationView>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Calls {
    /// Records that a call begins, or finds the one that it repeats.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `CONFLICT` for a used key or id; `RATE_LIMITED`.
    pub async fn record(&self, request: &RecordRequest, abort: &Abort) -> Result<Recorded> {
        self.context.load()?;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + OPERATION_KEPT_MS).await?;
        let id = match &request.id {
            Some(id) => id.clone(),
            None => OperationId::from_random(random_bytes(self.context.ports.random.as_ref())?),
        };
        // No await from here on: of two calls with one key, one finds the other.
        self.forget_operations()?;
        self.recover_calls()?;
        let key = request.key.as_ref().map(|key| key.as_str().to_owned());
        if let Some(loaded) = key
            .as_deref()
            .map(|key| self.context.catalogue.operation_by_key(key))
            .transpose()?
            .flatten()
        {
            if loaded.fingerprint == request.fingerprint {
                return Ok(Recorded::Known(loaded));
            }
            return Err(Error::new(
                ErrorCode::Conflict,
                "idempotencyKey: another request used this key",
            )
            .with_hint("use a new key for each request that is not a repetition")
            .with_details(json!({ "field": "idempotencyKey" })));
        }
        if self.context.catalogue.operation(&id)?.is_some() {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("operationId: another call already used {id}"),
            )
            .with_hint("ids of recorded calls are kept for 24 hours; use a new one"));
        }
        if key.is_some() {
            self.check_key_room()?;
        }
        let cancellable = self.cancellable(&id, abort, request.rights.clone())?;
        self.context.catalogue.add_operation(&NewOperation {
            id: id.clone(),
            op: request.op.clone(),
            key,
            fingerprint: request.fingerprint.clone(),
            rights: request.rights.clone(),
            subject: request.names_subject.then_some(Subject::Nothing),
            started_at_ms: self.context.now_ms(),
        })?;
        abort.record(self.context.catalogue.clone(), id);
        Ok(Recorded::New(cancellable))
    }

    /// Records how a call ended. The call must still be cancellable: otherwise recovery may end it.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn record_end(&self, id: &OperationId, answer: &Result<Value>) -> Result<()> {
        if let Err(error) = answer
            && error.outcome == Outcome::Unknown
            && let Some(row) = self.context.catalogue.operation(id)?
        {
            return match self.result_of(&row)? {
                // Recovery is still working on what the call made, and will record the result.
                None => Ok(()),
                Some(Err(held)) if held.outcome == Outcome::None => {
                    let error = error.clone().with_outcome(Outcome::None);
                    self.end_operation(id, OperationState::Failed, &Err(error))
                }
                Some(Ok(value)) => self.end_operation(id, OperationState::Succeeded, &Ok(value)),
                Some(Err(_not_known_either)) => {
                    self.end_operation(id, OperationState::after(answer), answer)
                }
            };
        }
        self.end_operation(id, OperationState::after(answer), answer)
    }

    /// Shows a recorded call.
    ///
    /// # Errors
    /// `NOT_FOUND` if no such call was recorded in the last 24 hours.
    pub fn operation(&self, id: &OperationId) -> Result<OperationView> {
        self.recorded(id)?.view()
    }

    /// A recorded call's row.
    ///
    /// # Errors
    /// As [`Self::operation`].
    pub fn recorded(&self, id: &OperationId) -> Result<RecordedCall> {
        self.context.load()?;
        self.recover_calls()?;
        self.context.catalogue.operation(id)?.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("no operation {id} is recorded"))
                .with_hint("only calls with an idempotency key, or answered with 202, are recorded, for 24 hours")
        })
    }

    /// Lists recorded calls, newest first, without results. A hidden call has only name and state.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor.
    pub fn list_operations(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
        may_see: impl Fn(&RecordedCall) -> bool,
    ) -> Result<OperationPage> {
        self.context.load()?;
        self.recover_calls()?;
        let page = RowPage::parse(limit, MAX_LIST_RESULTS_DEFAULT, cursor)?;
        let mut rows =
            self.context.catalogue.list_operations(page.before_seq, page.rows_to_read())?;
        let next_cursor = page.cut(&mut rows, |row| row.seq)?;
        let shown = |row: &RecordedCall| if may_see(row) { row.summary() } else { Ok(row.state()) };
        let operations = rows.iter().map(shown).collect::<Result<_>>()?;
        Ok(OperationPage { operations, next_cursor })
    }

    /// Calls that run in this object end by themselves.
    pub(crate) fn operations_due_ms(&self) -> Result<Option<i64>> {
        let left = self.context.catalogue.running_operations()?;
        if left.iter().any(|row| self.running(&row.id).is_none()) {
            return Ok(Some(self.context.now_ms()));
        }
        let oldest_ms = self.context.catalogue.oldest_operation_ms()?;
        Ok(oldest_ms.map(|oldest_ms| oldest_ms + OPERATION_KEPT_MS))
    }

    pub(crate) async fn tend_operations(&self) -> Result<Option<i64>> {
        self.forget_operations()?;
        self.recover_calls()?;
        Ok(None)
    }

    fn forget_operations(&self) -> Result<()> {
        self.context
            .catalogue
            .forget_operations(self.context.now_ms() - OPERATION_KEPT_MS, OPERATIONS_KEPT)
    }

    pub(crate) fn end_operation(
        &self,
        id: &OperationId,
        state: OperationState,
        answer: &Result<Value>,
    ) -> Result<()> {
        let (state, text) = match answer {
            Ok(value) => match value.to_string() {
                text if text.len() > OPERATION_ANSWER_MAX_BYTES => {
                    (OperationState::Failed, error_text(&answer_not_kept())?)
                }
                text => (state, text),
            },
            Err(error) => (state, error_text(error)?),
        };
        self.context.catalogue.end_operation(
            id,
            state,
            self.context.now_ms(),
            &text,
            is_final(answer),
        )?;
        if answer.is_err() || text.len() <= OPERATION_ANSWER_SMALL_BYTES {
            return Ok(());
        }
        let instead = error_text(&answer_not_kept())?;
        let room = OPERATION_ANSWERS_MAX_BYTES;
        self.context.catalogue.note_large_answer(id, text.len(), room, &instead)
    }

    /// Refuses another key at the limit, rather than forget a key before its promised time.
    fn check_key_room(&self) -> Result<()> {
        let (recorded, oldest_ms) = self.context.catalogue.recorded_operations()?;
        if recorded < OPERATIONS_MAX {
            return Ok(());
        }
        let wait_ms = (oldest_ms + OPERATION_KEPT_MS - self.context.now_ms()).max(1);
        Err(Error::new(
            ErrorCode::RateLimited,
            format!("idempotencyKey: {OPERATIONS_MAX} calls were recorded within 24 hours, and their keys are kept"),
        )
        .with_hint("call without a key, or wait for retryAfterMs")
        .with_details(json!({ "retryAfterMs": wait_ms })))
    }
}

/// For a call whose result was too large to keep, or had to make room for later ones.
fn answer_not_kept() -> Error {
    Error::new(
        ErrorCode::TooLarge,
        format!("it succeeded, but its answer is not kept: one answer may have {OPERATION_ANSWER_MAX_BYTES} bytes, and all answers of a session {OPERATION_ANSWERS_MAX_BYTES}"),
    )
    .with_outcome(Outcome::Committed)
    .with_hint("it is done: do not call it again; check the current state")
}

fn error_text(error: &Error) -> Result<String> {
    serde_json::to_string(&error.to_wire().error)
        .map_err(|error| Error::internal(error.to_string()))
}

#[derive(Default)]
pub(crate) struct Cancellations {
    running: RefCell<BTreeMap<OperationId, (Abort, Rights)>>,
}

/// The calls in progress, and the recorded ones.
pub struct Calls {
    pub(crate) context: Rc<Context>,
    cancellations: Rc<Cancellations>,
}

impl Calls {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, cancellations: Rc::default() }
    }
}

/// Keeps a call cancellable until dropped.
pub struct Cancellable {
    cancellations: Rc<Cancellations>,
    id: OperationId,
}

impl Cancellable {
    /// The call's id.
    #[must_use]
    pub const fn id(&self) -> &OperationId {
        &self.id
    }
}

impl Drop for Cancellable {
    fn drop(&mut self) {
        self.cancellations.running.borrow_mut().remove(&self.id);
    }
}

impl Calls {
    /// Makes a call cancellable by its id. `rights` are what other callers need for it.
    ///
    /// # Errors
    /// `CONFLICT` if a running call has that id.
    pub fn cancellable(
        &self,
        id: &OperationId,
        abort: &Abort,
        rights: impl Into<Rights>,
    ) -> Result<Cancellable> {
        let mut running = self.cancellations.running.borrow_mut();
        if running.contains_key(id) {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("operationId: {id} is already running"),
            ));
        }
        abort.follow();
        running.insert(id.clone(), (abort.clone(), rights.into()));
        Ok(Cancellable { cancellations: self.cancellations.clone(), id: id.clone() })
    }

    /// What other callers need for the running call of that id, if there is one.
    #[must_use]
    pub fn running(&self, id: &OperationId) -> Option<Rights> {
        self.cancellations.running.borrow().get(id).map(|(_abort, rights)| rights.clone())
    }

    /// Asks a running call to end, as [`Abort::abort`] does. Returns the call's state.
    ///
    /// # Errors
    /// `NOT_FOUND` if no call has that id.
    pub fn cancel(&self, id: &OperationId) -> Result<OperationState> {
        if let Some((abort, _rights)) = self.cancellations.running.borrow().get(id) {
            abort.abort();
            return Ok(OperationState::Running);
        }
        self.recover_calls()?;
        let known = self.context.catalogue.operation(id)?;
        known
            .map(|ended| ended.state)
            .ok_or_else(|| Error::new(ErrorCode::NotFound, format!("no operation {id} is running")))
    }
}
