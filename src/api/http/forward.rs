//! Turns a request to a session into an invocation for the session's object.

use crate::api::operation::{Asked, Control, Invocation, Serve, Verb};
use crate::domain::{Error, IdempotencyKey, OperationId, Result};
use serde::{Deserialize, Serialize};

/// The message that the Worker sends to the session's object.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Forwarded {
    /// Id of the route, which decides how the answer is rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// ETags of what the caller already has, as in `If-None-Match`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// The operation and its arguments.
    #[serde(flatten)]
    pub invocation: Invocation,
}

impl Asked<'_> {
    /// Makes the message for the session's object.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the parameter, header or field.
    pub fn forwarded(&self) -> Result<Forwarded> {
        let route = self.matched.route;
        let Serve::Session(operation) = route.serve else {
            return Err(Error::internal(format!("{} is not served by an operation", route.id)));
        };
        self.check_taken()?;
        let operation_id = (self.header)("operation-id").filter(|_| route.cancellable);
        let key = (self.header)("idempotency-key");
        if key.is_some() && route.verb == Verb::Post && !route.keyed {
            // A caller that sends a key expects repetitions to have no effect.
            return Err(Error::invalid("Idempotency-Key", "is not taken by this call")
                .with_hint("leave it out; docs/http.md says which calls take one"));
        }
        let key = key.filter(|_| route.keyed);
        let control = Control {
            operation_id: operation_id.map(|id| OperationId::parse(&id)).transpose()?,
            idempotency_key: key.map(|key| IdempotencyKey::parse(&key)).transpose()?,
            respond_async: route.deferrable && self.prefers_async(),
            ..Control::default()
        };
        let invocation = Invocation { operation: operation(self)?, control };
        let known = (self.header)("if-none-match").filter(|_| route.file);
        Ok(Forwarded { route: Some(route.id.to_owned()), known, invocation })
    }

    /// Whether the caller asks for `respond-async`. Ignores other preferences.
    fn prefers_async(&self) -> bool {
        let preferences = (self.header)("prefer").unwrap_or_default();
        let mut preferences = preferences.split(',').map(str::trim);
        preferences.any(|preference| preference.eq_ignore_ascii_case("respond-async"))
    }
}
