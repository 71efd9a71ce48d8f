//! JSON from outside, kept honest; and our own values as JSON.

use crate::domain::error::{Error, Result};
use serde::Serialize;
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Number, Value};
use std::fmt;

/// What is wrong with JSON, for the log: serde's own words quote what they read.
#[must_use]
pub fn fault(error: &serde_json::Error) -> String {
    let kind = match error.classify() {
        Category::Io => "could not be read",
        Category::Syntax => "is no JSON",
        Category::Data => "is of another shape",
        Category::Eof => "ends too early",
    };
    match error.line() {
        0 => kind.to_owned(),
        line => format!("{kind}, at line {line}, column {}", error.column()),
    }
}

/// A value of ours that was stored as JSON. `what` names it, for the log.
///
/// # Errors
/// `INTERNAL` if it is none: another version wrote it, or it is damaged.
pub fn parse_stored<T: DeserializeOwned>(what: impl fmt::Display, text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::internal(format!("stored {what}: {}", fault(&error))))
}

/// A value of ours as JSON.
///
/// # Errors
/// `INTERNAL` if it does not serialize, which would be a bug.
pub fn render<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::internal(error.to_string()))
}

/// A JSON value read from JavaScript without `JSON`'s silent losses.
///
/// `serde_json::Value` turns `NaN` and `Infinity` into `null`, which would make
/// `ttl: NaN` mean "no ttl given"; this refuses them. `undefined` is `null`.
#[derive(Debug, Clone, PartialEq)]
pub struct StrictValue(pub Value);

impl<'de> Deserialize<'de> for StrictValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom(format_args!("{value} is not a finite number")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(StrictValue(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, StrictValue(value))) = entries.next_entry::<String, StrictValue>()? {
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, F64Deserializer};

    #[test]
    fn what_is_wrong_is_told_without_what_was_read() {
        let fault_of = |text: &str| fault(&serde_json::from_str::<[u64; 1]>(text).unwrap_err());
        assert_eq!(fault_of("[\"secret\"]"), "is of another shape, at line 1, column 9");
        assert_eq!(fault_of("secret"), "is no JSON, at line 1, column 1");
        assert_eq!(fault_of("[1"), "ends too early, at line 1, column 2");
        let value = serde_json::json!("secret");
        let error = serde_json::from_value::<u64>(value).unwrap_err();
        assert_eq!(fault(&error), "is of another shape");
    }

    #[test]
    fn non_finite_numbers_are_refused_not_nulled() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let deserializer: F64Deserializer<Error> = number.into_deserializer();
            assert!(StrictValue::deserialize(deserializer).is_err());
        }
    }

    #[test]
    fn other_json_is_kept() {
        let text = r#"{"a":[1,-2,3.5,"x",null,true],"b":{}}"#;
        let StrictValue(value) = serde_json::from_str(text).unwrap();
        assert_eq!(value.to_string(), text);
    }
}
