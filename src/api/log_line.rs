//! The single log line of an operation.

use crate::api::operation::{Operation, Reply};
use crate::domain::{Caller, Error, ErrorCode, OperationId, Result};
use crate::ports::{Clock, Level, Log, LogLine};
use crate::session::Session;
use serde_json::{Map, Value, json};

/// A log line, started with its operation.
pub(crate) struct Line {
    event: String,
    fields: Map<String, Value>,
    started_ms: i64,
}

impl Line {
    pub(crate) fn begin(
        host: &Session,
        caller: &Caller,
        operation: &Operation,
        clock: &dyn Clock,
    ) -> Self {
        let mut fields = operation.log_fields().0;
        fields.insert("session".to_owned(), json!(host.session()));
        fields.insert("caller".to_owned(), json!(caller.kind()));
        match caller {
            Caller::Token { id, .. } => drop(fields.insert("tokenId".to_owned(), json!(id))),
            Caller::Preview { id } => drop(fields.insert("previewId".to_owned(), json!(id))),
            Caller::Operator | Caller::Binding { .. } => {}
        }
        Self { event: operation.name().to_owned(), fields, started_ms: clock.now_ms() }
    }

    /// Notes that an earlier call started the operation.
    pub(crate) fn repeats(mut self, id: &OperationId) -> Self {
        self.fields.insert("repeats".to_owned(), json!(id));
        self
    }

    /// Writes the line, and returns the caller's result.
    pub(crate) fn end(
        self,
        answer: Result<Reply>,
        clock: &dyn Clock,
        log: &dyn Log,
        incident_id: impl FnOnce() -> String,
    ) -> Result<Reply> {
        let Self { event, mut fields, started_ms } = self;
        fields.insert("durationMs".to_owned(), json!(clock.now_ms() - started_ms));
        let (level, answer) = match answer {
            Ok(reply) => {
                fields.insert("outcome".to_owned(), json!("ok"));
                if let Reply::Value(value) = &reply {
                    note_result(&mut fields, value);
                }
                (Level::Info, Ok(reply))
            }
            Err(error) => {
                let (level, error) = note_error(&mut fields, error, incident_id);
                (level, Err(error))
            }
        };
        log.write(LogLine { level, event, fields });
        answer
    }
}

/// Notes the ids and sizes of the operation's results.
fn note_result(fields: &mut Map<String, Value>, value: &Value) {
    for (field, pointer) in [
        ("backupId", "/snapshot/id"),
        ("sizeBytes", "/snapshot/sizeBytes"),
        ("sandboxId", "/ref/ref/id"),
        ("sandboxId", "/workspace/ref/ref/id"),
        ("safetyId", "/safetyRef/ref/backup/id"),
    ] {
        if let Some(found) = value.pointer(pointer) {
            fields.insert(field.to_owned(), found.clone());
        }
    }
    if let Some(results) = value.get("snapshots").and_then(Value::as_array) {
        fields.insert("results".to_owned(), json!(results.len()));
    }
}

fn note_error(
    fields: &mut Map<String, Value>,
    error: Error,
    incident_id: impl FnOnce() -> String,
) -> (Level, Error) {
    fields.insert("outcome".to_owned(), json!(error.code));
    if let Some(cause) = &error.cause {
        fields.insert("cause".to_owned(), json!(cause));
    }
    if error.code != ErrorCode::Internal {
        return (Level::Warn, error);
    }
    let incident_id = incident_id();
    fields.insert("incidentId".to_owned(), json!(incident_id));
    (Level::Error, error.with_details(json!({ "incidentId": incident_id })))
}
