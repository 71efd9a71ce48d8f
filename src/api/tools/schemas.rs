//! The catalogue is written by hand, for models; here it is compared with the
//! types that are read and written.

use crate::api::operations;
use crate::api::schema::shape::Shape;
use crate::api::tools::{TOOL_SCOPES, all};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Where the catalogue says less than the type does, or is stricter.
const ON_PURPOSE: [&str; 4] = [
    // Scripts may leave it out; a model is to pass a ref on whole.
    ".ref.ref.originSandboxId: required is (true, false)",
    // Only a snapshot that is taken says so.
    "workspace_get_snapshot().unchanged: not in the catalogue",
    "workspace_update_snapshot().unchanged: not in the catalogue",
    // Only told to who asks for it, which no tool does.
    ".container: not in the catalogue",
];

/// The fields of an object, whether each must be there, and what it is.
#[derive(Default)]
struct Fields<'a> {
    all: BTreeMap<&'a str, &'a Value>,
    required: BTreeSet<&'a str>,
}

/// What a reference leads to, and what is behind `null` or nothing.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(at) = schema.get("$ref").and_then(Value::as_str) {
        return resolved(root, root.pointer(at.trim_start_matches('#')).unwrap_or(&Value::Null));
    }
    let choices = schema.get("anyOf").and_then(Value::as_array);
    match choices.map(Vec::as_slice) {
        Some([some, null]) if null["type"] == "null" => resolved(root, some),
        _ => schema,
    }
}

/// Of a choice between objects: all fields that one can have; required is what each has.
fn fields<'a>(root: &'a Value, schema: &'a Value) -> Fields<'a> {
    let schema = resolved(root, schema);
    let mut found = Fields::default();
    for (name, value) in schema["properties"].as_object().into_iter().flatten() {
        found.all.insert(name, value);
    }
    found
        .required
        .extend(schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str));
    let choices = ["oneOf", "anyOf"].into_iter().find_map(|key| schema[key].as_array());
    let choices: Vec<Fields> =
        choices.into_iter().flatten().map(|choice| fields(root, choice)).collect();
    if let Some((first, others)) = choices.split_first() {
        let each = |name: &&&str| others.iter().all(|other| other.required.contains(**name));
        found.required.extend(first.required.iter().filter(each));
    }
    found.all.extend(choices.into_iter().flat_map(|choice| choice.all));
    for part in schema["allOf"].as_array().into_iter().flatten() {
        let part = fields(root, part);
        found.required.extend(part.required);
        found.all.extend(part.all);
    }
    found
}

/// What differs, each said with where it is.
fn differences(
    at: &str,
    (written, wroot): (&Value, &Value),
    (typed, troot): (&Value, &Value),
) -> Vec<String> {
    let (written, typed) = (resolved(wroot, written), resolved(troot, typed));
    let (items, typed_items) = (&written["items"], &typed["items"]);
    if !items.is_null() && !typed_items.is_null() {
        return differences(&format!("{at}[]"), (items, wroot), (typed_items, troot));
    }
    let (of_text, of_type) = (fields(wroot, written), fields(troot, typed));
    if of_text.all.is_empty() || of_type.all.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let names: BTreeSet<&str> = of_text.all.keys().chain(of_type.all.keys()).copied().collect();
    for name in names {
        let place = format!("{at}.{name}");
        match (of_text.all.get(name), of_type.all.get(name)) {
            (Some(text), Some(r#type)) => {
                let required = (of_text.required.contains(name), of_type.required.contains(name));
                if required.0 != required.1 {
                    found.push(format!("{place}: required is {required:?}"));
                }
                found.extend(differences(&place, (text, wroot), (r#type, troot)));
            }
            (Some(_), None) => found.push(format!("{place}: no field of the type")),
            _ => found.push(format!("{place}: not in the catalogue")),
        }
    }
    found
}

/// The schema of a type, with the definitions that it refers to.
fn schema_of(shape: Shape, mut generator: SchemaGenerator) -> Value {
    let mut schema: Value = shape(&mut generator).into();
    let definitions = json!(generator.take_definitions(true));
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("$defs".to_owned(), definitions);
    }
    schema
}

#[test]
fn the_catalogue_says_what_the_types_read_and_write() {
    let mut found = Vec::new();
    assert_eq!(all().len(), TOOL_SCOPES.len());
    for tool in all() {
        let name = tool.name.as_str();
        let entry = operations::tool(name).unwrap();
        let settings = SchemaSettings::draft2020_12();
        let reads = settings.clone().for_deserialize().into_generator();
        let input = schema_of(entry.input, reads);
        assert_eq!(resolved(&input, &input)["additionalProperties"], false, "{name}");
        let mut written = tool.input_schema.clone();
        if written["properties"].as_object().unwrap().is_empty() {
            assert_eq!(fields(&input, &input).all.len(), 0, "{name}");
            written = input.clone();
        }
        found.extend(differences(name, (&written, &written), (&input, &input)));
        let writes = settings.for_serialize().into_generator();
        let output = schema_of(entry.output, writes);
        let mut written = tool.output_schema.clone();
        // Any tool reports that a workspace woke.
        if resolved(&output, &output)["properties"]["woken"].is_null() {
            written["properties"].as_object_mut().unwrap().remove("woken");
        }
        let at = format!("{name}()");
        found.extend(differences(&at, (&written, &written), (&output, &output)));
    }
    found.retain(|difference| !ON_PURPOSE.iter().any(|known| difference.ends_with(known)));
    assert!(found.is_empty(), "{found:#?}");
}
