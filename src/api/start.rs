//! Start an operation that outlasts its request.

use crate::api::log_line::Line;
use crate::api::operation::{Invocation, Reply};
use crate::api::run::recorded;
use crate::api::{access, record};
use crate::domain::{Caller, Error, OperationView, Result};
use crate::ports::{Clock, Log};
use crate::session::{Abort, Recorded, Session};
use futures::future::{FutureExt, LocalBoxFuture};
use serde_json::Value;
use std::rc::Rc;

/// A recorded call, and the work that remains.
pub struct Started {
    /// The call's current state.
    pub operation: OperationView,
    /// The work, which runs without the caller. None if an earlier call runs it or ran it.
    pub work: Option<LocalBoxFuture<'static, ()>>,
}

/// Records an operation, if the caller may do it, and returns the work, which runs without the
/// caller. A repetition returns the operation that was already started.
///
/// # Errors
/// `FORBIDDEN` and the other errors of [`access::check`]; those of
/// [`Session::record`]. The operation's own errors are recorded, not returned.
pub async fn start(
    host: Rc<Session>,
    caller: Caller,
    invocation: Invocation,
    clock: Rc<dyn Clock>,
    log: Rc<dyn Log>,
    incident_id: fn() -> String,
) -> Result<Started> {
    let line = Line::begin(&host, &caller, &invocation.operation, clock.as_ref());
    let abort = Abort::default();
    match begin(&host, &caller, &invocation, &abort).await {
        Err(error) => {
            let answer = line.end(Err(error), clock.as_ref(), log.as_ref(), incident_id);
            Err(answer.err().unwrap_or_else(|| Error::internal("a refusal that is none")))
        }
        Ok((operation, Recorded::Known(_))) => {
            let answer = Ok(Reply::Value(Value::Null));
            line.repeats(&operation.id).end(answer, clock.as_ref(), log.as_ref(), incident_id)?;
            Ok(Started { operation, work: None })
        }
        Ok((operation, Recorded::New(working))) => {
            let work = async move {
                let answer = recorded(&host, &caller, invocation.operation, working, &abort).await;
                // The caller reads the answer in the record.
                let answer = answer.map(Reply::Value);
                let _ = line.end(answer, clock.as_ref(), log.as_ref(), incident_id);
            };
            Ok(Started { operation, work: Some(work.boxed_local()) })
        }
    }
}

async fn begin(
    host: &Session,
    caller: &Caller,
    invocation: &Invocation,
    abort: &Abort,
) -> Result<(OperationView, Recorded)> {
    access::check(host, caller, &invocation.operation)?;
    let request = record::request(caller, invocation)?;
    // This comes before recording, and so before any work that no request waits for.
    host.stay_loaded().await?;
    let recorded = host.record(&request, abort).await?;
    let operation = match &recorded {
        Recorded::Known(known) => {
            caller.check_rights(&known.rights()?)?;
            known.view()?
        }
        Recorded::New(working) => host.operation(working.id())?,
    };
    Ok((operation, recorded))
}
