//! Generates the files for callers over RPC: `entry/snapshotter.d.ts`, and `entry/methods.json`, by
//! which `entry/methods.ts` makes calls. Both come from the operations' methods, and from the types
//! that the methods accept and return. Only native builds generate them.
#![expect(clippy::indexing_slicing, reason = "reads schemas, whose absent fields are null")]

pub(crate) mod print;

use crate::api::operation::shape::Shaped;
use crate::api::operation::{Entry, Method, Resolves};
use crate::api::registry;
use crate::api::schema::openapi::components::Components;
use crate::api::schema::typescript::print::{Printer, doc};
use crate::domain::Scope;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The hand-written part of the types, with placeholders for the others.
const TEMPLATE: &str = include_str!("template.d.ts");
const METHODS: &str = "  // METHODS\n";
const TYPES: &str = "// TYPES\n";

fn methods() -> impl Iterator<Item = (&'static Entry, Method)> {
    registry::all().filter_map(|entry| Some((entry, entry.method?)))
}

/// The names of a method's arguments.
fn fields(method: &Method) -> impl Iterator<Item = String> + use<> {
    let mut generator = SchemaGenerator::default();
    let input: Value = (method.input)(&mut generator).into();
    let definitions = Value::Object(generator.take_definitions(true));
    let printer = Printer::new(&definitions);
    let properties = printer.resolve(&input)["properties"].as_object().cloned();
    properties.unwrap_or_default().into_iter().map(|(name, _)| name)
}

/// A description of each method, by which `entry/methods.ts` makes its calls. Flags that are false
/// are left out.
#[must_use]
pub fn calls() -> Value {
    let call = |(entry, method): (&Entry, Method)| {
        let mut call = Map::new();
        let mut set = |name: &str, value: Value| drop(call.insert(name.to_owned(), value));
        if !method.positions.is_empty() {
            set("positions", json!(method.positions));
        }
        if method.receives {
            set("receives", json!(true));
        }
        let has_fields = fields(&method).any(|name| !method.positions.contains(&name.as_str()));
        if method.cancellable || entry.descriptor.recorded || has_fields {
            set("options", json!(true));
        }
        match method.resolves {
            Resolves::Answer => {}
            Resolves::Field(name) => set("field", json!(name)),
            Resolves::Nothing => set("nothing", json!(true)),
            Resolves::Stream => set("stream", json!(true)),
        }
        (entry.descriptor.name.to_owned(), Value::Object(call))
    };
    Value::Object(methods().map(call).collect())
}

/// The published types.
#[must_use]
pub fn types() -> String {
    let mut components = Components::new();
    let scope = components.answered(Scope::SHAPE);
    let described: Vec<Value> = methods()
        .map(|(entry, method)| {
            let answer = method.answer.or_else(|| entry.descriptor.routes.first()?.answer);
            let answer = answer.map(|answer| components.answered(answer));
            json!({ "input": components.sent(method.input), "answer": answer })
        })
        .collect();
    let mut document = json!({ "methods": described, "scope": scope });
    components.finish(&mut document);

    let mut printer = Printer::new(&document["components"]["schemas"]);
    let mut printed = String::new();
    for ((entry, method), described) in
        methods().zip(document["methods"].as_array().into_iter().flatten())
    {
        print_method(&mut printer, &mut printed, entry, &method, described);
    }
    for schema in ["ErrorBody", "Scope"] {
        printer.refer(schema);
    }
    TEMPLATE.replace(METHODS, &printed).replace(TYPES, &printer.definitions())
}

fn print_method(
    printer: &mut Printer<'_>,
    printed: &mut String,
    entry: &Entry,
    method: &Method,
    described: &Value,
) {
    let name = entry.descriptor.name;
    let input = printer.resolve(&described["input"]).clone();
    let mut parameters: Vec<String> = Vec::new();
    if method.receives {
        parameters.push("stream: ReadableStream<Uint8Array>".to_owned());
    }
    for position in method.positions {
        let mark = if printer.is_required(&input, position) { "" } else { "?" };
        let of = printer.field(&input, position);
        parameters.push(format!("{position}{mark}: {of}"));
    }
    parameters.extend(options(printer, entry, method, &input));
    let answer = &described["answer"];
    let resolved = match method.resolves {
        Resolves::Answer => printer.print(answer),
        Resolves::Field(field) => {
            let answer = printer.resolve(answer).clone();
            printer.field(&answer, field)
        }
        Resolves::Nothing => "void".to_owned(),
        Resolves::Stream => {
            if !answer.is_null() {
                printer.print(answer);
            }
            "ReadableStream<Uint8Array>".to_owned()
        }
    };
    let parameters = parameters.join(", ");
    doc(printed, 1, method.description);
    let _infallible = writeln!(printed, "  {name}({parameters}): Promise<{resolved}>;");
}

/// The parameter `options`: the arguments without a position, and the controls of the call.
fn options(
    printer: &mut Printer<'_>,
    entry: &Entry,
    method: &Method,
    input: &Value,
) -> Option<String> {
    let mut left = input.clone();
    if let Some(fields) = left["properties"].as_object_mut() {
        fields.retain(|name, _| !method.positions.contains(&name.as_str()));
    }
    let mut controls = Vec::new();
    if method.cancellable {
        controls.push("Cancellable");
    }
    if entry.descriptor.recorded {
        controls.push("Repeatable");
    }
    left["description"] = json!(format!("Options of `{}`.", entry.descriptor.name));
    let has_fields = left["properties"].as_object().is_some_and(|fields| !fields.is_empty());
    if !has_fields {
        return (!controls.is_empty()).then(|| format!("options?: {}", controls.join(" & ")));
    }
    let mut name: String = entry.descriptor.name.to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name.push_str("Options");
    printer.define(&name, &controls, &left);
    Some(format!("options?: {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, made: &str, committed: &str) {
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(path, made).unwrap();
        }
        assert!(made == committed, "{path} changed; see git diff after UPDATE_GOLDEN=1");
    }

    #[test]
    fn the_committed_types_are_what_the_methods_say() {
        let committed = include_str!("../../../../entry/snapshotter.d.ts");
        check("entry/snapshotter.d.ts", &types(), committed);
    }

    #[test]
    fn the_committed_calls_are_what_the_methods_say() {
        let made = serde_json::to_string_pretty(&calls()).unwrap() + "\n";
        check("entry/methods.json", &made, include_str!("../../../../entry/methods.json"));
    }

    #[test]
    fn a_position_is_an_argument() {
        for (entry, method) in methods() {
            let fields: Vec<String> = fields(&method).collect();
            for position in method.positions {
                let known = fields.iter().any(|name| name == position);
                assert!(known, "{} has no argument {position}", entry.descriptor.name);
            }
        }
    }
}
