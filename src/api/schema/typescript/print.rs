//! Prints JSON Schemas as TypeScript.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: usize = 120;

/// Prints types, and collects the definitions that they refer to.
pub(crate) struct Printer<'a> {
    schemas: &'a Value,
    /// Definitions by name. A definition is empty until it is printed.
    defined: BTreeMap<String, String>,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(schemas: &'a Value) -> Self {
        Self { schemas, defined: BTreeMap::new() }
    }

    /// The schema itself. If this one is a reference, the schema that it refers to.
    pub(crate) fn resolve<'b>(&'b self, schema: &'b Value) -> &'b Value {
        name_of(schema).map_or(schema, |name| &self.schemas[name])
    }

    /// Adds the definition of this schema, and of all schemas that it refers to.
    pub(crate) fn refer(&mut self, name: &str) {
        if self.defined.contains_key(name) {
            return;
        }
        self.defined.insert(name.to_owned(), String::new());
        let schema = self.schemas[name].clone();
        self.define(name, &[], &schema);
    }

    /// Adds a definition with this name.
    pub(crate) fn define(&mut self, name: &str, extends: &[&str], schema: &Value) {
        let mut printed = String::new();
        doc(&mut printed, 0, &description(schema, false));
        let is_interface = schema["properties"].is_object() && choices(schema).is_none();
        if is_interface {
            let extends = if extends.is_empty() {
                String::new()
            } else {
                format!(" extends {}", extends.join(", "))
            };
            let fields = self.fields(schema, 0);
            let _infallible = writeln!(printed, "export interface {name}{extends} {fields}");
        } else {
            let of = self.print_at(schema, 0);
            let _infallible = writeln!(printed, "export type {name} ={of};", of = spaced(&of));
        }
        self.defined.insert(name.to_owned(), printed);
    }

    /// All definitions, by name.
    pub(crate) fn definitions(self) -> String {
        self.defined.into_values().collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn is_required(&self, schema: &Value, field: &str) -> bool {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field))
    }

    /// The type of a field.
    pub(crate) fn field(&mut self, schema: &Value, name: &str) -> String {
        self.field_at(schema, name, 1)
    }

    /// The type of a field. A field that may be left out has no null, unless null means something
    /// else.
    fn field_at(&mut self, schema: &Value, name: &str, depth: usize) -> String {
        let mut field = schema["properties"][name].clone();
        if !self.is_required(schema, name) && field.get("x-null").is_none() {
            without_null(&mut field);
        }
        self.print_at(&field, depth)
    }

    pub(crate) fn print(&mut self, schema: &Value) -> String {
        self.print_at(schema, 0)
    }

    fn print_at(&mut self, schema: &Value, depth: usize) -> String {
        if let Some(name) = name_of(schema) {
            self.refer(name);
            let has_more = schema["properties"].is_object();
            let more = if has_more { self.fields(schema, depth) } else { String::new() };
            return if has_more { format!("{name} & {more}") } else { name.to_owned() };
        }
        if let Some(constant) = schema.get("const") {
            return constant.to_string();
        }
        if let Some(values) = schema["enum"].as_array() {
            return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
        }
        if let Some(of) = choices(schema) {
            let choice = self.choice(of, depth);
            let has_fields = schema["properties"].as_object().is_some_and(|all| !all.is_empty());
            return if has_fields {
                format!("{} & ({choice}\n{})", self.fields(schema, depth), indent(depth))
            } else {
                choice
            };
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::String(one) => vec![one],
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            _ => return "unknown".to_owned(),
        };
        let printed: Vec<String> =
            types.iter().map(|one| self.of_type(one, schema, depth)).collect();
        printed.join(" | ")
    }

    fn of_type(&mut self, name: &str, schema: &Value, depth: usize) -> String {
        match name {
            "integer" | "number" => "number".to_owned(),
            "array" => {
                let items = self.print_at(&schema["items"], depth);
                if items.contains([' ', '\n']) && !items.starts_with('{') {
                    format!("({items})[]")
                } else {
                    format!("{items}[]")
                }
            }
            "object" if schema["properties"].is_object() => self.fields(schema, depth),
            "object" => {
                let values = match &schema["additionalProperties"] {
                    Value::Object(_) => self.print_at(&schema["additionalProperties"], depth),
                    _ => "any".to_owned(),
                };
                format!("Record<string, {values}>")
            }
            other => other.to_owned(),
        }
    }

    fn choice(&mut self, of: &[Value], depth: usize) -> String {
        let is_told =
            of.iter().any(|one| !description(one, false).is_empty() && name_of(one).is_none());
        if !is_told {
            let printed: Vec<String> = of.iter().map(|one| self.print_at(one, depth)).collect();
            return printed.join(" | ");
        }
        let mut printed = String::new();
        for one in of {
            printed.push('\n');
            doc(&mut printed, depth + 1, &description(one, false));
            let of = self.print_at(one, depth + 1);
            let _infallible = write!(printed, "{}| {of}", indent(depth + 1));
        }
        printed
    }

    fn fields(&mut self, schema: &Value, depth: usize) -> String {
        let mut printed = "{\n".to_owned();
        let empty = Map::new();
        for (name, field) in schema["properties"].as_object().unwrap_or(&empty) {
            let is_required = self.is_required(schema, name);
            doc(&mut printed, depth + 1, &description(field, !is_required));
            let mark = if is_required { "" } else { "?" };
            let of = self.field_at(schema, name, depth + 1);
            let _infallible =
                writeln!(printed, "{}{name}{mark}:{};", indent(depth + 1), spaced(&of));
        }
        if schema["additionalProperties"] == true {
            let _infallible = writeln!(printed, "{}[field: string]: unknown;", indent(depth + 1));
        }
        printed + &indent(depth) + "}"
    }
}

fn name_of(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

fn choices(schema: &Value) -> Option<&[Value]> {
    ["oneOf", "anyOf"].into_iter().find_map(|key| schema[key].as_array()).map(Vec::as_slice)
}

fn without_null(field: &mut Value) {
    let is_null = |one: &Value| one == "null" || one["type"] == "null";
    for key in ["type", "anyOf"] {
        if let Some(Value::Array(of)) = field.get_mut(key) {
            of.retain(|one| !is_null(one));
        }
    }
    if let Some([only]) = field["anyOf"].as_array().map(Vec::as_slice) {
        *field = only.clone();
    }
}

/// The description of a schema, with its limits, and with its default if it may be left out.
fn description(schema: &Value, is_optional: bool) -> String {
    let said = schema["description"].as_str().unwrap_or_default();
    let says_default = said.contains("Default");
    // Links of Rust's documentation lead nowhere here.
    let mut said = said.replace("[`", "`").replace("`]", "`");
    let mut say = |text: String| {
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(&text);
    };
    match (schema["minimum"].as_u64(), schema["maximum"].as_u64()) {
        (Some(least), Some(most)) => say(format!("{least} to {most}.")),
        (Some(least), None) if least > 0 => say(format!("At least {least}.")),
        (None, Some(most)) => say(format!("At most {most}.")),
        _ => {}
    }
    if let Some(most) = schema["maxLength"].as_u64() {
        say(format!("At most {most} characters."));
    }
    for key in ["maxItems", "maxProperties"] {
        if let Some(most) = schema[key].as_u64() {
            say(format!("At most {most}."));
        }
    }
    match &schema["default"] {
        value @ (Value::Number(_) | Value::String(_) | Value::Bool(true))
            if is_optional && !says_default =>
        {
            say(format!("Default `{value}`."));
        }
        _ => {}
    }
    said
}

/// Writes a doc comment: paragraphs, each wrapped.
pub(crate) fn doc(printed: &mut String, depth: usize, text: &str) {
    if text.is_empty() {
        return;
    }
    let indent = indent(depth);
    let mut lines = Vec::new();
    for paragraph in text.split("\n\n") {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && indent.len() + " * ".len() + line.len() + word.len() >= WIDTH {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    let _infallible = match lines.as_slice() {
        [line] => writeln!(printed, "{indent}/** {line} */"),
        lines => {
            let body: String =
                lines.iter().map(|line| format!("{indent} *{}\n", spaced(line))).collect();
            writeln!(printed, "{indent}/**\n{body}{indent} */")
        }
    };
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// The text after a space. Empty if there is no text.
fn spaced(text: &str) -> String {
    if text.is_empty() || text.starts_with('\n') { text.to_owned() } else { format!(" {text}") }
}
