//! Which calls are recorded, and under what.

use crate::api::operation::{Invocation, Operation};
use crate::api::{access, tools};
use crate::domain::call::RecordedCall;
use crate::domain::call::subject::CallKind;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::json::{fault, render};
use crate::session::{RecordRequest, Session, TokenView};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// Whether a call is recorded: one that its caller may repeat, or not wait for.
pub(crate) fn is_wanted(invocation: &Invocation) -> bool {
    invocation.control.idempotency_key.is_some() || invocation.control.respond_async
}

/// What is recorded of a call. Of its arguments only a hash.
pub(crate) fn request(invocation: &Invocation) -> Result<RecordRequest> {
    let Invocation { operation, control } = invocation;
    let named = matches!(operation, Operation::CallTool(_) | Operation::FinishUpload(_));
    if operation.kind().is_none() && !named {
        return Err(Error::new(
            ErrorCode::InvalidArgument,
            "idempotencyKey: is for snapshot, restore, branch, fork, rewind, pause, resume, createToken, finishUpload and callTool; all else can be repeated as it is",
        ));
    }
    if let Operation::CallTool(args) = operation {
        // Nothing is recorded of what is no call of a tool; its name is the caller's text.
        tools::check_input(&args.name, &args.input)?;
    }
    let text = serde_json::to_string(operation)
        .map_err(|error| Error::internal(format!("fingerprint: {error}")))?;
    Ok(RecordRequest {
        id: control.operation_id.clone(),
        op: match operation {
            Operation::CallTool(args) => args.name.clone(),
            other => other.event().to_owned(),
        },
        key: control.idempotency_key.clone(),
        fingerprint: URL_SAFE_NO_PAD.encode(Sha256::digest(text)),
        needs: access::needs(operation),
    })
}

/// What is kept of an answer: of a token all but its text, which is a secret.
pub(crate) fn kept<'a>(op: &str, answer: &'a Result<Value>) -> Cow<'a, Result<Value>> {
    let mut kept = Cow::Borrowed(answer);
    if CallKind::of(op) == Some(CallKind::CreateToken)
        && let Ok(Value::Object(fields)) = kept.to_mut()
    {
        fields.remove("token");
    }
    kept
}

/// What the repetition of a recorded call is answered.
pub(crate) fn repeated(host: &Session, known: &RecordedCall) -> Result<Value> {
    let answer = known.answer()?.unwrap_or_else(|| Err(known.still_running()))?;
    if CallKind::of(&known.op) != Some(CallKind::CreateToken) {
        return Ok(answer);
    }
    let kept: TokenView = serde_json::from_value(answer)
        .map_err(|error| Error::internal(format!("the kept token {}", fault(&error))))?;
    let again = host.created_token(&kept.id)?;
    render(&again)
}
