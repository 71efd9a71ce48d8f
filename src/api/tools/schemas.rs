//! Generates `schemas.json`: the schemas of each tool, for models.
//!
//! Every conversation of a model pays for these schemas. So patterns, formats and lengths are left
//! out, because a refusal explains them. Outputs have only their fields, without the contents of
//! these.
//!
//! The schemas suit each vendor's converter: every field has one type, and none is a choice, a
//! reference or a map with free names.

use crate::api::operation::shape::Shape;
use crate::api::tools;
use crate::domain::limits;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Keywords that models can't use.
const LEFT_OUT: [&str; 7] =
    ["title", "format", "pattern", "propertyNames", "not", "minLength", "maxLength"];

fn schema_of(shape: Shape, settings: SchemaSettings) -> Value {
    let mut settings = settings;
    // Not all clients resolve references.
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema: Value = shape(&mut settings.into_generator()).into();
    shorten(&mut schema, true);
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        for (name, field) in fields {
            let was_null = without_null(field);
            if was_null && required.iter().any(|required| required == name) {
                field["type"] = json!([field["type"], "null"]);
            }
        }
    }
    schema
}

/// Removes all descriptions except those of the outermost fields.
fn shorten(schema: &mut Value, whole: bool) {
    let Some(fields) = schema.as_object_mut() else { return };
    fields.retain(|key, _| !LEFT_OUT.contains(&key.as_str()));
    fields.retain(|key, value| key != "default" || !is_nothing(value));
    fields.retain(|key, value| key != "additionalProperties" || *value != true);
    fields.remove("description");
    if is_ref(fields) {
        fields.clear();
        fields.insert("type".to_owned(), json!("string"));
    }
    if let Some(texts) = choice_of_texts(fields) {
        fields.retain(|key, _| key == "default");
        fields.insert("type".to_owned(), json!("string"));
        fields.insert("enum".to_owned(), json!(texts));
    }
    for (key, value) in fields {
        match (key.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                for (_, field) in fields {
                    let text = field["description"].as_str().map(|text| text.replace('\n', " "));
                    shorten(field, false);
                    if let Some(fields) = field.as_object_mut() {
                        fields.remove("x-null");
                    }
                    if let Some(text) = text.filter(|_| whole) {
                        field["description"] = json!(text);
                    }
                }
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(choices)) => {
                choices.iter_mut().for_each(|choice| shorten(choice, whole));
            }
            ("items" | "additionalProperties", value) => shorten(value, false),
            _ => {}
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || [json!(false), json!(0), json!("."), json!({}), json!([])].contains(value)
}

/// Removes null from a field's types, because the field may be left out instead, unless it is
/// required. Returns whether null was removed.
fn without_null(field: &mut Value) -> bool {
    let Some(fields) = field.as_object_mut() else { return false };
    let mut was_null = false;
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        was_null = types.iter().any(|name| name == "null");
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        was_null = choices.iter().any(|choice| choice["type"] == "null");
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            fields.remove("anyOf");
            fields.extend(only);
        }
    }
    was_null
}

/// Whether a value is an id, a name, or a ref from another tool's answer. A model need not know the
/// contents of a ref.
fn is_ref(fields: &Map<String, Value>) -> bool {
    let choices = fields.get("anyOf").and_then(Value::as_array);
    let has_ref = |choice: &Value| choice["properties"].get("providerId").is_some();
    choices.is_some_and(|choices| choices.iter().any(has_ref))
}

/// The schema of an input, and its fields that have pairs instead of maps.
fn input(schema: &Value) -> (Value, Vec<String>) {
    let mut pairs = Vec::new();
    let mut properties = schema.get("properties").cloned().unwrap_or_else(|| json!({}));
    for (name, field) in properties.as_object_mut().into_iter().flatten() {
        if plain(field) {
            pairs.push(name.clone());
        }
    }
    let mut input = Map::new();
    input.insert("type".to_owned(), json!("object"));
    input.insert("properties".to_owned(), properties);
    if let Some(required) = schema.get("required") {
        input.insert("required".to_owned(), required.clone());
    }
    (input.into(), pairs)
}

/// Gives a field one type. Returns whether the field was a map, and now is a list of pairs. Calls
/// accept both, and everything else that the field's own type accepts.
fn plain(field: &mut Value) -> bool {
    let Some(fields) = field.as_object_mut() else { return false };
    // A command is text for the shell, or a program and its arguments.
    if let Some(choices) = fields.remove("anyOf") {
        let first = choices.pointer("/0/type");
        assert_eq!(first, Some(&json!("string")), "one of several types: {choices}");
        fields.insert("type".to_owned(), json!("string"));
    }
    // A field without a type may have any JSON value.
    fields.entry("type").or_insert_with(|| json!("string"));
    if fields.remove("additionalProperties").is_none() {
        return false;
    }
    fields.remove("maxProperties");
    fields.insert("type".to_owned(), json!("array"));
    fields.insert("items".to_owned(), json!({ "type": "string" }));
    if let Some(text) = fields.get("description").and_then(Value::as_str)
        && !text.contains('=')
    {
        let text = format!("{text} Each as NAME=value.");
        fields.insert("description".to_owned(), json!(text));
    }
    true
}

/// The texts of an enum whose variants have descriptions.
fn choice_of_texts(fields: &Map<String, Value>) -> Option<Vec<Value>> {
    let choices = fields.get("oneOf")?.as_array()?;
    choices
        .iter()
        .map(|choice| choice.get("const").filter(|text| text.is_string()).cloned())
        .collect()
}

/// The fields of an output. For a choice, these are the fields of all variants.
fn output(schema: &Value) -> Value {
    let mut properties = Map::new();
    let choices = ["oneOf", "anyOf"].into_iter().find_map(|key| schema[key].as_array());
    let whole = std::slice::from_ref(schema);
    for choice in choices.map_or(whole, Vec::as_slice).iter().chain(choices.map(|_| schema)) {
        for (name, field) in choice["properties"].as_object().into_iter().flatten() {
            properties.insert(name.clone(), outline(field));
        }
    }
    json!({ "type": "object", "properties": properties })
}

/// The type of a field and, for a list, the type of its items.
fn outline(field: &Value) -> Value {
    let mut outline = Map::new();
    for key in ["type", "enum", "const"] {
        // Clients check answers against the schema, so a field that may be null has no type.
        if let Some(value) = field.get(key).filter(|value| key != "type" || value.is_string()) {
            outline.insert(key.to_owned(), value.clone());
        }
    }
    // Keeps the first sentence, unless it says no more than the name. The published types have the
    // rest.
    if let Some(text) = field["description"].as_str() {
        let first = text.split_inclusive(". ").next().unwrap_or(text).trim_end();
        if first.split(' ').count() > 2 {
            outline.insert("description".to_owned(), json!(first));
        }
    }
    if let Some(kind) = field["items"].get("type") {
        outline.insert("items".to_owned(), json!({ "type": kind }));
    }
    outline.into()
}

#[test]
fn tool_schemas_format_unchanged() {
    let mut all = Map::new();
    for entry in tools::all() {
        let settings = SchemaSettings::draft2020_12;
        let whole = schema_of(entry.input, settings().for_deserialize());
        assert_eq!(whole["additionalProperties"], false, "{}", entry.tool.name);
        let (input, pairs) = input(&whole);
        assert_eq!(pairs, entry.pairs, "{} has other maps", entry.tool.name);
        let output = output(&schema_of(entry.output, settings().for_serialize()));
        let schemas = json!({ "inputSchema": input, "outputSchema": output });
        all.insert(entry.tool.name.to_owned(), schemas);
    }
    let text = serde_json::to_string_pretty(&all).unwrap() + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write("src/api/tools/schemas.json", &text).unwrap();
    }
    assert!(text == include_str!("schemas.json"), "changed; see git diff after UPDATE_GOLDEN=1");
}

/// The texts can't take their numbers from the code.
#[test]
fn texts_say_the_limits_of_the_code() {
    for (tool, phrase) in [
        ("workspace_snapshot", format!("Default: {} days after", limits::TTL_USED_SECS / 86_400)),
        ("workspace_run", format!("Default {}.", limits::EXEC_TIMEOUT_DEFAULT_MS)),
        ("workspace_run", format!("else the first {}.", limits::EXEC_OUTPUT_MAX_BYTES)),
        ("workspace_run_code", format!("Default {}.", limits::EXEC_TIMEOUT_DEFAULT_MS)),
        ("workspace_run_code", format!("at most {} MiB.", limits::CODE_MAX_BYTES >> 20)),
        (
            "workspace_run_code",
            format!(
                "up to {} images of at most {} MiB",
                limits::CODE_FILES_MAX,
                limits::CODE_FILE_MAX_BYTES >> 20
            ),
        ),
        ("workspace_read_file", format!("at most {} MiB", limits::FILE_MAX_BYTES >> 20)),
        ("workspace_read_file", format!("Default {} for", limits::READ_PART_DEFAULT_BYTES)),
        (
            "workspace_run",
            format!(
                "A tool returns {} by default, over MCP {} at most",
                limits::TOOL_OUTPUT_DEFAULT_BYTES,
                limits::MCP_OUTPUT_MAX_BYTES
            ),
        ),
        (
            "workspace_read_file",
            format!(
                "over MCP {}, at most {}.",
                limits::MCP_READ_DEFAULT_BYTES,
                limits::MCP_READ_MAX_BYTES
            ),
        ),
        ("workspace_grep", format!("cut at {} characters", limits::GREP_LINE_MAX_CHARS)),
        ("workspace_write_file", format!("at most {} MiB", limits::FILE_MAX_BYTES >> 20)),
        ("workspace_list_snapshots", format!("by default {}", limits::MAX_LIST_RESULTS_DEFAULT)),
    ] {
        let entry = tools::by_name(tool).unwrap();
        let schema = schema_of(entry.input, SchemaSettings::draft2020_12().for_deserialize());
        let text = format!("{} {schema}", entry.tool.description);
        assert!(text.contains(&phrase), "{tool} should say {phrase:?}, which the code enforces");
    }
}
