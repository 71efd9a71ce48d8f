//! Generates `operations.rs` from the published OpenAPI document: for each operation a module with its path, its query
//! parameters and the fields of its body, and for each schema the names of its fields. A command that names what is no
//! longer published does not compile.

#![expect(
    clippy::indexing_slicing,
    reason = "indexing JSON by a name gives null where there is none"
)]

use serde_json::Value;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;

const DOCUMENT: &str = "../docs/openapi.json";
const KEYWORDS: [&str; 4] = ["ref", "type", "from", "where"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DOCUMENT}");
    let text = std::fs::read_to_string(DOCUMENT).map_err(|error| format!("{DOCUMENT}: {error}"))?;
    let document: Value = serde_json::from_str(&text)?;
    let mut out = String::new();
    let mut names = Vec::new();
    for (path, methods) in object(&document["paths"])? {
        for (method, operation) in object(methods)? {
            if let Some(id) = operation["operationId"].as_str() {
                write_operation(&mut out, &document, path, method, operation, id)?;
                names.push(snake(id));
            }
        }
    }
    writeln!(out, "/// Every published operation.\npub const ALL: &[&Operation] = &[")?;
    for name in &names {
        writeln!(out, "    &{name}::OPERATION,")?;
    }
    writeln!(out, "];\n")?;
    let version = &document["info"]["version"];
    writeln!(
        out,
        "/// The version that the document is of.\npub const VERSION: &str = {version};\n"
    )?;
    write_schemas(&mut out, &document)?;
    let to = std::path::Path::new(&std::env::var("OUT_DIR")?).join("operations.rs");
    std::fs::write(to, out)?;
    Ok(())
}

fn write_operation(
    out: &mut String,
    document: &Value,
    path: &str,
    method: &str,
    operation: &Value,
    id: &str,
) -> Result<(), Box<dyn Error>> {
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = |place: &str| -> Vec<&str> {
        let of_place = parameters.iter().filter(|parameter| parameter["in"] == place);
        of_place.filter_map(|parameter| parameter["name"].as_str()).collect()
    };
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let mut fields = BTreeSet::new();
    collect_fields(document, body, &mut fields);

    writeln!(out, "/// {}.", operation["summary"].as_str().unwrap_or(id))?;
    writeln!(out, "pub mod {} {{", snake(id))?;
    writeln!(out, "    use super::{{Call, Error, Operation}};")?;
    writeln!(out, "    pub const OPERATION: Operation = Operation {{")?;
    writeln!(out, "        id: {id:?}, method: {:?}, path: {path:?},", method.to_uppercase())?;
    writeln!(out, "        takes_key: {},", named("header").contains(&"Idempotency-Key"))?;
    writeln!(out, "        takes_json: {},", body.is_object())?;
    writeln!(out, "    }};")?;
    let arguments: Vec<String> =
        named("path").iter().map(|name| format!("{}: &str", snake(name))).collect();
    let pairs: Vec<String> =
        named("path").iter().map(|name| format!("({name:?}, {})", snake(name))).collect();
    writeln!(out, "    pub fn call({}) -> Result<Call, Error> {{", arguments.join(", "))?;
    writeln!(out, "        Call::new(&OPERATION, &[{}])", pairs.join(", "))?;
    writeln!(out, "    }}")?;
    let queries = named("query").into_iter().map(str::to_owned).collect();
    write_names(out, "query", "Query", &queries)?;
    write_names(out, "field", "Field", &fields)?;
    writeln!(out, "}}\n")?;
    Ok(())
}

fn write_names(
    out: &mut String,
    module: &str,
    kind: &str,
    names: &BTreeSet<String>,
) -> std::fmt::Result {
    if names.is_empty() {
        return Ok(());
    }
    writeln!(out, "    pub mod {module} {{\n        use super::super::{kind};")?;
    for name in names {
        let constant = snake(name).to_uppercase();
        writeln!(out, "        pub const {constant}: {kind} = {kind}({name:?});")?;
    }
    writeln!(out, "    }}")
}

/// For each schema, the names of its fields. For an enumeration, its values.
fn write_schemas(out: &mut String, document: &Value) -> Result<(), Box<dyn Error>> {
    let (mut fields_of, mut values_of) = (String::new(), String::new());
    for (name, schema) in object(&document["components"]["schemas"])? {
        let mut fields = BTreeSet::new();
        collect_fields(document, schema, &mut fields);
        if !fields.is_empty() {
            let fields: Vec<String> = fields.iter().map(|field| format!("{field:?}")).collect();
            writeln!(fields_of, "    pub const {name}: &[&str] = &[{}];", fields.join(", "))?;
        }
        let values = values(schema);
        if !values.is_empty() {
            writeln!(values_of, "    pub const {name}: &[&str] = &{values:?};")?;
        }
    }
    writeln!(out, "/// The fields of each schema.\npub mod fields {{\n{fields_of}}}\n")?;
    writeln!(out, "/// The values of each enumeration.\npub mod values {{\n{values_of}}}")?;
    Ok(())
}

fn collect_fields(document: &Value, schema: &Value, into: &mut BTreeSet<String>) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap_or(schema),
        None => schema,
    };
    if let Some(properties) = schema["properties"].as_object() {
        into.extend(properties.keys().cloned());
    }
    for list in ["anyOf", "oneOf", "allOf"] {
        for part in schema[list].as_array().map(Vec::as_slice).unwrap_or_default() {
            collect_fields(document, part, into);
        }
    }
}

fn values(schema: &Value) -> Vec<&str> {
    let strings =
        |list: &'static str| schema[list].as_array().map(Vec::as_slice).unwrap_or_default();
    let listed = strings("enum").iter().filter_map(Value::as_str);
    let constants = strings("oneOf").iter().filter_map(|one| one["const"].as_str());
    listed.chain(constants).collect()
}

fn object(value: &Value) -> Result<&serde_json::Map<String, Value>, Box<dyn Error>> {
    value.as_object().ok_or_else(|| format!("{DOCUMENT} has no such object").into())
}

/// `takeSnapshot` and `If-Match` as Rust names.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        out.push(if letter == '-' { '_' } else { letter.to_ascii_lowercase() });
    }
    if KEYWORDS.contains(&out.as_str()) { out + "_" } else { out }
}
