//! A turn of a conversation: the files at its end, and its place in the conversation.

use crate::domain::json::render;
use crate::domain::limits::{TURN_CURSOR_MAX_BYTES, TURN_LABEL_MAX_CHARS};
use crate::domain::{BackupId, Error, Result, TurnSelector};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A place in the conversation: the caller's own JSON, which only the caller reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct TurnCursor(Value);

impl TurnCursor {
    /// The text that the catalogue stores and compares. The order of fields does not matter.
    ///
    /// # Errors
    /// `INTERNAL` if the cursor does not serialize: a bug.
    pub fn to_text(&self) -> Result<String> {
        Ok(render(&self.0)?.to_string())
    }

    /// Checks a caller's cursor.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is null or too large.
    pub fn check(&self) -> Result<()> {
        if self.0.is_null() {
            return Err(Error::invalid("cursor", "must not be null; leave it out instead"));
        }
        let size_bytes = self.to_text()?.len();
        if size_bytes > TURN_CURSOR_MAX_BYTES {
            let problem = format!(
                "is {size_bytes} bytes of JSON; {TURN_CURSOR_MAX_BYTES} are allowed: \
                 keep the conversation elsewhere, and its place here"
            );
            return Err(Error::invalid("cursor", problem));
        }
        Ok(())
    }
}

/// A turn, as its snapshot shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Turn {
    /// Its number in the session. Numbers grow, and may have gaps.
    pub number: u64,
    /// Its place in the conversation, as given to `saveTurn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<TurnCursor>,
    /// What the caller calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A question about turns of the session from whose snapshot the asking session was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TurnRequest {
    /// The turn.
    pub turn: TurnSelector,
    /// R2 binding with which the asking session reads snapshots.
    pub binding: String,
    /// When that snapshot was taken, in milliseconds since the epoch. It has no later turns.
    pub until_ms: i64,
    /// Whether the asking session may cross. If not, only published snapshots count.
    pub crosses: bool,
}

/// The other session's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TurnAnswer {
    /// The snapshot with which the turn ended, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<BackupId>,
}

/// Checks a turn's label.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `label`.
pub fn check_label(label: &str) -> Result<()> {
    let chars = label.chars().count();
    if !(1..=TURN_LABEL_MAX_CHARS).contains(&chars) || label.chars().any(char::is_control) {
        let problem =
            format!("must be 1 to {TURN_LABEL_MAX_CHARS} characters without control characters");
        return Err(Error::invalid("label", problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cursor_is_any_json_up_to_its_limit_except_null() {
        for good in [json!(0), json!(""), json!([]), json!({ "message": 7 }), json!(false)] {
            TurnCursor(good).check().unwrap();
        }
        assert!(TurnCursor(Value::Null).check().is_err());
        let text_of = |len: usize| TurnCursor(json!("x".repeat(len - 2)));
        text_of(TURN_CURSOR_MAX_BYTES).check().unwrap();
        let error = text_of(TURN_CURSOR_MAX_BYTES + 1).check().unwrap_err();
        assert!(error.message.contains("4097 bytes"), "{error}");
    }

    #[test]
    fn two_cursors_are_equal_whatever_the_order_of_their_fields() {
        let read = |text: &str| serde_json::from_str::<TurnCursor>(text).unwrap();
        let (one, other) =
            (read(r#"{"a":1,"b":{"d":2,"c":3}}"#), read(r#"{"b":{"c":3,"d":2},"a":1}"#));
        assert_eq!(one.to_text().unwrap(), other.to_text().unwrap());
    }

    #[test]
    fn a_label_is_short_text() {
        check_label("answered").unwrap();
        for bad in [String::new(), "x".repeat(129), "a\nb".to_owned()] {
            assert!(check_label(&bad).is_err());
        }
    }
}
