//! Converts values and errors across the JavaScript boundary.

use crate::api::errors::RemoteError;
use crate::domain::error::{Error, Result};
use crate::domain::json::render;
use js_sys::{Array, JsString, Object, Reflect};
use serde::Serialize;
use serde_json::{Map, Number, Value};
use wasm_bindgen::{JsCast, JsValue};

/// A value in the form that `JSON.parse` would return from the HTTP response.
pub fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    Ok(write_js(&render(value)?, &JsValue::NULL))
}

/// An argument of a call. A missing argument becomes `undefined`, not null.
pub fn argument_to_js(value: &Value) -> JsValue {
    write_js(value, &JsValue::UNDEFINED)
}

fn write_js(value: &Value, missing: &JsValue) -> JsValue {
    match value {
        Value::Null => missing.clone(),
        Value::Bool(value) => JsValue::from_bool(*value),
        // A number becomes a double, as in `JSON.parse`.
        Value::Number(number) => number.as_f64().map_or_else(|| missing.clone(), JsValue::from_f64),
        Value::String(text) => JsValue::from_str(text),
        Value::Array(items) => {
            items.iter().map(|item| write_js(item, missing)).collect::<Array>().into()
        }
        Value::Object(fields) => {
            let object = Object::new();
            for (name, value) in fields {
                // Setting a property of a fresh object can't fail.
                let _ = Reflect::set(&object, &name.into(), &write_js(value, missing));
            }
            object.into()
        }
    }
}

/// Deeper than any of our arguments, and than any JSON that `serde_json` reads.
const DEPTH_MAX: usize = 128;

/// A caller's value as JSON. `undefined` becomes null. Refuses `NaN` and other values that JSON
/// lacks, because `JSON.stringify` would turn them into null.
pub fn json_from_js(value: JsValue) -> Result<Value> {
    read_js(&value, 0)
}

fn read_js(value: &JsValue, depth: usize) -> Result<Value> {
    let refused = |problem: &str| Error::invalid("arguments", format!("are not JSON: {problem}"));
    if value.is_null_or_undefined() {
        return Ok(Value::Null);
    }
    if let Some(value) = value.as_bool() {
        return Ok(value.into());
    }
    if let Some(number) = value.as_f64() {
        return read_number(number).ok_or_else(|| refused("a number is not finite"));
    }
    if let Some(text) = value.dyn_ref::<JsString>() {
        return Ok(read_text(text).into());
    }
    if depth == DEPTH_MAX {
        return Err(refused("they are nested too deeply"));
    }
    if let Some(items) = value.dyn_ref::<Array>() {
        return items.iter().map(|item| read_js(&item, depth + 1)).collect();
    }
    let Some(object) = value.dyn_ref::<Object>().filter(|value| !value.is_function()) else {
        return Err(refused("a value is not an object, list, text, number or boolean"));
    };
    let mut fields = Map::new();
    for entry in Object::entries(object) {
        let entry: Array = entry.unchecked_into();
        if let Some(name) = entry.get(0).as_string() {
            fields.insert(name, read_js(&entry.get(1), depth + 1)?);
        }
    }
    Ok(Value::Object(fields))
}

/// How many characters (UTF-16 units) of a text are read at once.
const PIECE: u32 = 65_536;

/// Reads a text in pieces: at once, `wasm-bindgen` would take three times its memory.
fn read_text(text: &JsString) -> String {
    let length = text.length();
    let mut read = String::new();
    let mut start = 0;
    while start < length {
        let mut end = length.min(start + PIECE);
        let last = text.char_code_at(end - 1);
        if end < length && (f64::from(0xd800)..f64::from(0xdc00)).contains(&last) {
            // The unit was the first half of a character.
            end += 1;
        }
        let piece = String::from(text.slice(start, end));
        if read.capacity() - read.len() < piece.len() {
            // Assumes that the rest of the text is like this piece.
            let pieces = (length - start).div_ceil(end - start) as usize;
            read.reserve_exact(pieces * piece.len());
        }
        read.push_str(&piece);
        start = end;
    }
    read
}

/// Whole numbers become integers, because arguments expect that.
fn read_number(number: f64) -> Option<Value> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    if number.fract() == 0.0 && number.abs() <= js_sys::Number::MAX_SAFE_INTEGER {
        return Some(Value::from(number as i64));
    }
    Number::from_f64(number).map(Value::Number)
}

/// An error for RPC callers: an `Error` whose message begins with the code. Its own properties have
/// the other fields, if the callers' runtime keeps them.
pub fn error_to_js(error: &Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    js.set_name("SnapshotterError");
    let body = error.to_wire().error;
    if let Ok(Value::Object(mut fields)) = serde_json::to_value(&body) {
        fields.remove("message");
        for (name, value) in fields {
            if let Ok(value) = to_js(&value) {
                // Setting a property of a fresh Error can't fail.
                let _ = Reflect::set(&js, &name.into(), &value);
            }
        }
    }
    js.into()
}

/// Converts anything that a remote call threw.
pub fn error_from_js(thrown: &JsValue) -> Error {
    let property = |name: &str| Reflect::get(thrown, &name.into()).unwrap_or_default();
    let message = property("message")
        .as_string()
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| format!("{thrown:?}"));
    let mut properties = serde_json::Map::new();
    for name in ["code", "retryable", "outcome", "hint", "next", "details"] {
        let value = property(name);
        if !value.is_undefined()
            && let Ok(value) = json_from_js(value)
        {
            properties.insert(name.to_owned(), value);
        }
    }
    RemoteError { message, properties: Value::Object(properties) }.into()
}

/// Converts a failure of the `worker` crate in the same way as an error of a remote call.
pub fn from_worker(error: &worker::Error) -> Error {
    error_from_js(&error.to_js_value())
}
