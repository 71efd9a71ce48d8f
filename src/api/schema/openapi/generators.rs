//! Rewrites parts of the document that OpenAPI allows but client generators can't handle. OpenAPI
//! Generator 7.26 then accepts the document, and its Go client compiles.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Keys by which a schema refers to other schemas.
const COMPOSED: [&str; 4] = ["$ref", "anyOf", "oneOf", "allOf"];

/// Rewrites the whole document.
pub(crate) fn suit_generators(document: &mut Value) {
    suit(document);
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    let mut taken = BTreeSet::new();
    for (name, schema) in schemas.into_iter().flatten() {
        let Some(fields) = schema.as_object_mut() else { continue };
        flatten_only_value(fields);
        let Some(value) = fields.get("const").and_then(Value::as_str) else { continue };
        if !taken.insert(value.to_owned()) {
            // Generators name a constant only after its value.
            fields.insert("x-enum-varnames".to_owned(), json!([shouted(name)]));
        }
    }
}

fn suit(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            describe_default(fields);
            fields.values_mut().for_each(suit);
        }
        Value::Array(items) => items.iter_mut().for_each(suit),
        _ => {}
    }
}

/// Moves the default of a composed type into its description: generators would give it no type.
fn describe_default(fields: &mut Map<String, Value>) {
    let is_plain = fields.get("default").is_none_or(|default| default.is_object());
    if is_plain || !COMPOSED.iter().any(|name| fields.contains_key(*name)) {
        return;
    }
    let Some(default) = fields.remove("default") else { return };
    if default.is_null() {
        return;
    }
    let described = fields.get("description").and_then(Value::as_str).unwrap_or_default();
    if !described.contains("efault") {
        let shown = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        let text = format!("{described} Default {shown}.").trim().to_owned();
        fields.insert("description".to_owned(), text.into());
    }
}

/// Replaces an enumeration of one value by a constant.
fn flatten_only_value(fields: &mut Map<String, Value>) {
    let only = match fields.get("oneOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) => only.get("const").cloned(),
        _ => None,
    };
    if let Some(only) = only {
        fields.remove("oneOf");
        fields.insert("type".to_owned(), "string".into());
        fields.insert("const".to_owned(), only);
    }
}

/// Converts `ProviderKind` to `PROVIDER_KIND`.
fn shouted(name: &str) -> String {
    let mut shouted = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !shouted.is_empty() {
            shouted.push('_');
        }
        shouted.push(letter.to_ascii_uppercase());
    }
    shouted
}
