//! Conversion of values and errors between Rust and JavaScript.

use crate::api::errors::RemoteError;
use crate::domain::error::{Error, Result};
use crate::domain::json::{StrictValue, fault};
use js_sys::Reflect;
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};
use serde_json::Value;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

/// A value as `JSON.parse` would return it from the HTTP response.
pub fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    write_js(value, &Serializer::json_compatible())
}

/// Arguments of a call. A missing argument is `undefined`, not null.
pub fn args_to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    write_js(value, &Serializer::json_compatible().serialize_missing_as_null(false))
}

fn write_js<T: Serialize>(value: &T, serializer: &Serializer) -> Result<JsValue> {
    value.serialize(serializer).map_err(|error| Error::internal(format!("to JavaScript: {error}")))
}

/// A caller's value as JSON. Refuses `NaN` and other values that JSON lacks.
pub fn json_from_js(value: JsValue) -> Result<Value> {
    let deserializer = serde_wasm_bindgen::Deserializer::from(value);
    StrictValue::deserialize(deserializer)
        .map(|StrictValue(value)| value)
        .map_err(|error| Error::invalid("arguments", format!("are not JSON: {error}")))
}

/// Reads a remote object's answer.
pub fn answer_from_js<T: DeserializeOwned>(value: JsValue) -> Result<T> {
    let value = json_from_js(value)?;
    serde_json::from_value(value)
        .map_err(|error| Error::internal(format!("an answer {}", fault(&error))))
}

/// An error as RPC callers see it: an `Error` whose message begins with the
/// code. Its own properties carry the rest, where the caller's runtime keeps
/// them.
pub fn error_to_js(error: &Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    js.set_name("SnapshotterError");
    let body = error.to_wire().error;
    if let Ok(Value::Object(mut fields)) = serde_json::to_value(&body) {
        fields.remove("message");
        for (name, value) in fields {
            if let Ok(value) = to_js(&value) {
                // Setting a property of a fresh Error cannot fail.
                let _ = Reflect::set(&js, &name.into(), &value);
            }
        }
    }
    js.into()
}

/// The error that a remote call threw.
pub fn error_from_js(thrown: &JsValue) -> Error {
    let property = |name: &str| Reflect::get(thrown, &name.into()).unwrap_or_default();
    let message = property("message")
        .as_string()
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| format!("{thrown:?}"));
    let mut properties = serde_json::Map::new();
    for name in ["code", "retryable", "outcome", "hint", "details"] {
        let value = property(name);
        if !value.is_undefined()
            && let Ok(value) = json_from_js(value)
        {
            properties.insert(name.to_owned(), value);
        }
    }
    RemoteError { message, properties: Value::Object(properties) }.into()
}

/// The error behind a failure of the `worker` crate, read as a remote call's.
pub fn from_worker(error: &worker::Error) -> Error {
    error_from_js(&error.to_js_value())
}
