//! Decides which calls are recorded, and what their records keep.

use crate::api::operation::{Control, Invocation, Operation, OperationKind};
use crate::api::operations::tokens::CreateToken;
use crate::api::tools::call_tool::{CallTool, counts_as};
use crate::api::{access, registry, tools};
use crate::domain::call::RETRY_AFTER_MS;
use crate::domain::json::{read_own, render};
use crate::domain::{Caller, Error, ErrorCode, RecordedCall, Result};
use crate::session::{RecordRequest, Session, TokenView};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// Whether to record a call, because its caller may repeat it or does not wait for it.
pub(crate) fn is_wanted(invocation: &Invocation) -> bool {
    let Invocation { operation, control } = invocation;
    control.respond_async || (control.idempotency_key.is_some() && !only_reads(operation))
}

/// Whether a repetition of a call does no harm, because its tool only reads. Clients send a key
/// with each call of a tool.
fn only_reads(operation: &Operation) -> bool {
    let tool = operation.input::<CallTool>().and_then(|call| tools::by_name(&call.name));
    tool.is_some_and(|entry| entry.tool.hints().read_only_hint)
}

/// The error of a repetition that is not recorded, while the first call still runs under the same
/// id. With a key, the caller waits for the first call, as for a recorded one.
pub(crate) fn id_in_use(control: &Control, mut error: Error) -> Error {
    if control.idempotency_key.is_none() {
        return error;
    }
    error.retryable = true;
    error.with_details(json!({ "retryAfterMs": RETRY_AFTER_MS }))
}

/// The record of a caller's call. It keeps only a hash of the arguments.
pub(crate) fn request(caller: &Caller, invocation: &Invocation) -> Result<RecordRequest> {
    let Invocation { operation, control } = invocation;
    if !operation.descriptor().recorded {
        return Err(Error::new(
            ErrorCode::InvalidArgument,
            format!(
                "idempotencyKey: is only for {}; other calls can simply be repeated",
                recorded_operations()
            ),
        ));
    }
    let tool = operation.input::<CallTool>();
    if let Some(args) = tool {
        // Check before recording: an unknown tool's name is the caller's text.
        tools::check_input(&args.name, &args.input)?;
    }
    let text = serde_json::to_string(operation)
        .map_err(|error| Error::internal(format!("fingerprint: {error}")))?;
    Ok(RecordRequest {
        id: control.operation_id.clone(),
        op: tool.map_or_else(|| operation.name().to_owned(), |args| args.name.clone()),
        key: control.idempotency_key.clone(),
        fingerprint: URL_SAFE_NO_PAD.encode(Sha256::digest(text)),
        rights: access::rights(operation, caller),
        names_subject: counts_as(operation).names_subject,
    })
}

fn recorded_operations() -> String {
    let recorded = registry::all().filter(|entry| entry.descriptor.recorded);
    let names: Vec<&str> = recorded.map(|entry| entry.descriptor.name).collect();
    names.join(", ")
}

/// The answer without its secret field, for the record.
pub(crate) fn kept<'a>(secret: Option<&str>, answer: &'a Result<Value>) -> Cow<'a, Result<Value>> {
    let mut kept = Cow::Borrowed(answer);
    if let Some(secret) = secret
        && let Ok(Value::Object(fields)) = kept.to_mut()
    {
        fields.remove(secret);
    }
    kept
}

/// The answer to a repetition of a recorded call.
pub(crate) fn repeated(host: &Session, caller: &Caller, known: &RecordedCall) -> Result<Value> {
    caller.check_rights(&known.rights()?)?;
    let answer = known.answer()?.unwrap_or_else(|| Err(known.still_running()))?;
    if known.op != CreateToken::DESCRIPTOR.name {
        return Ok(answer);
    }
    let kept: TokenView = read_own("the kept token", answer)?;
    let again = host.created_token(&kept.id)?;
    render(&again)
}
