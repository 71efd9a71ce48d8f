//! One call of an operation, before it is sent.

use crate::error::Error;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use std::fmt::Display;

/// A published operation.
#[derive(Debug)]
pub struct Operation {
    /// Its `operationId`.
    pub id: &'static str,
    /// The HTTP method.
    pub method: &'static str,
    /// The path, with names in braces.
    pub path: &'static str,
    /// Whether the operation accepts an `Idempotency-Key`: a repetition returns the first answer.
    pub takes_key: bool,
    /// Whether the request's body is JSON.
    pub takes_json: bool,
}

/// The name of a query parameter.
#[derive(Debug, Clone, Copy)]
pub struct Query(pub &'static str);

/// The name of a field of the body.
#[derive(Debug, Clone, Copy)]
pub struct Field(pub &'static str);

/// A call: an operation and its values.
#[derive(Debug, Clone)]
pub struct Call {
    /// The operation.
    pub operation: &'static Operation,
    /// The path and its query, percent-encoded.
    pub target: String,
    /// The body's fields.
    pub body: Map<String, Value>,
    /// The text of a spinner while the call runs.
    pub doing: &'static str,
    /// The name by which the call can be cancelled.
    pub name: Option<String>,
}

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Call {
    /// A call of `operation` with the values of its path.
    pub fn new(operation: &'static Operation, values: &[(&str, &str)]) -> Result<Self, Error> {
        let mut target = operation.path.to_owned();
        for (name, value) in values {
            // Servers resolve these even if they are percent-encoded: the call would go to another
            // path.
            if matches!(*value, "" | "." | "..") {
                return Err(Error::Usage(format!("{value:?} is not a valid {name}")));
            }
            let encoded = utf8_percent_encode(value, UNRESERVED).to_string();
            target = target.replace(&format!("{{{name}}}"), &encoded);
        }
        Ok(Self { operation, target, body: Map::new(), doing: "", name: None })
    }

    /// Sets the text of a spinner while the call runs.
    pub fn doing(mut self, what: &'static str) -> Self {
        self.doing = what;
        self
    }

    /// Names the call, so that its name can cancel it.
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Sets a query parameter, if there is a value.
    pub fn query(mut self, name: Query, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            let value = value.to_string();
            self.target.push(if self.target.contains('?') { '&' } else { '?' });
            self.target.push_str(name.0);
            self.target.push('=');
            self.target.extend(utf8_percent_encode(&value, UNRESERVED));
        }
        self
    }

    /// Sets a query parameter to true, or leaves it out.
    pub fn flag(self, name: Query, is_set: bool) -> Self {
        self.query(name, is_set.then_some(true))
    }

    /// Sets a field of the body, if there is a value.
    pub fn field(self, name: Field, value: impl Into<Value>) -> Self {
        match value.into() {
            Value::Null => self,
            value => self.field_or_null(name, value),
        }
    }

    /// Sets a field of the body to a value or null.
    pub fn field_or_null(mut self, name: Field, value: impl Into<Value>) -> Self {
        self.body.insert(name.0.to_owned(), value.into());
        self
    }

    /// Sets a field of the body to true, or leaves it out.
    pub fn field_flag(self, name: Field, is_set: bool) -> Self {
        self.field(name, is_set.then_some(true))
    }
}

#[cfg(test)]
mod tests {
    use crate::api::operations as op;

    #[test]
    fn values_cannot_leave_their_place_in_the_path() {
        let call = op::get_snapshot::call("s/../t", "a b?c#d/..%2f\u{e9}").unwrap();
        assert_eq!(call.target, "/v1/sessions/s%2F..%2Ft/snapshots/a%20b%3Fc%23d%2F..%252f%C3%A9");
        for dots in ["", ".", ".."] {
            assert!(op::delete_snapshot::call("s", dots).is_err());
            assert!(op::get_snapshot::call(dots, "one").is_err());
        }
        // A value that looks like a placeholder of the path is only a value.
        let call = op::get_snapshot::call("{snapshot}", "one").unwrap();
        assert_eq!(call.target, "/v1/sessions/%7Bsnapshot%7D/snapshots/one");
    }

    #[test]
    fn queries_are_encoded() {
        let call = op::list_snapshots::call("s").unwrap();
        let call = call.query(op::list_snapshots::query::NAME, Some("a&b=c d"));
        let call = call.flag(op::list_snapshots::query::INCLUDE_AUTO, true);
        let call = call.flag(op::list_snapshots::query::INCLUDE_EXPIRED, false);
        assert_eq!(call.target, "/v1/sessions/s/snapshots?name=a%26b%3Dc%20d&includeAuto=true");
    }
}
