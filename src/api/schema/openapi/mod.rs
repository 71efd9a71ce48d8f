//! The OpenAPI document, generated from the table of routes and from the types of their bodies and
//! answers. Only native builds generate it; the Worker serves the committed result.
#![expect(clippy::indexing_slicing, reason = "writes fields of objects that are made here")]

pub(crate) mod components;
pub(crate) mod generators;
pub(crate) mod paths;

use crate::api::http::table::routes;
use crate::api::schema::openapi::components::Components;
use crate::api::schema::openapi::generators::suit_generators;
use serde_json::{Value, json};

/// The document.
#[must_use]
pub fn document() -> Value {
    let mut components = Components::new();
    let paths = paths::all(&routes().collect::<Vec<_>>(), &mut components);
    let mut document = json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Snapshotter",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Branchable, durable Linux workspaces for AI agents.",
            "description": DESCRIPTION,
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }],
        "tags": [
            { "name": "sessions", "description": "A session: its configuration and its life." },
            { "name": "snapshots", "description": "Archives of a workspace's files in R2." },
            { "name": "workspaces", "description": "Directories in containers; one of them is active." },
            { "name": "tools", "description": "What a model calls. They act on the active workspace." },
            { "name": "operations", "description": "Calls that are running." },
            { "name": "tokens", "description": "Who else may use a session, and for what. Only the operator reaches these." },
            { "name": "operator", "description": "Across sessions. Only the operator reaches these." },
            { "name": "other" },
        ],
        "paths": paths,
    });
    components.finish(&mut document);
    suit_generators(&mut document);
    document
}

const DESCRIPTION: &str = "A `PUT` to a path under `/v1/sessions` opens a session. Times are RFC \
    3339 in UTC, sizes are in bytes, and names of durations contain their unit. Errors have one \
    shape; `code` is stable, `hint` says what to do next. Each route's description names the error \
    codes of its own; `x-error-codes` has all that it can answer. Bodies are JSON objects, of at \
    most 3 MiB.";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn walk<'a>(value: &'a Value, see: &mut impl FnMut(&'a serde_json::Map<String, Value>)) {
        match value {
            Value::Object(fields) => {
                see(fields);
                fields.values().for_each(|value| walk(value, see));
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, see)),
            _ => {}
        }
    }

    #[test]
    fn the_committed_document_is_what_the_routes_and_types_say() {
        let made = serde_json::to_string_pretty(&document()).unwrap() + "\n";
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write("docs/openapi.json", &made).unwrap();
        }
        let committed = include_str!("../../../../docs/openapi.json");
        assert!(made == committed, "the API changed; see git diff after UPDATE_GOLDEN=1");
    }

    #[test]
    fn every_reference_resolves_and_every_name_is_one() {
        let document = document();
        let mut names = BTreeSet::new();
        walk(&document, &mut |fields| {
            if let Some(at) = fields.get("$ref").and_then(Value::as_str) {
                let pointer = at.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{at} is none");
            }
        });
        for path in document["paths"].as_object().unwrap().values() {
            for operation in path.as_object().unwrap().values() {
                let name = operation["operationId"].as_str().unwrap();
                assert!(names.insert(name), "{name} twice");
            }
        }
        walk(&document["paths"], &mut |fields| {
            // A link names its target by `operationId`. An operation uses the same key for its own
            // name.
            if let Some(name) = fields.get("operationId").and_then(Value::as_str) {
                assert!(names.contains(name), "{name} is none");
            }
        });
    }

    #[test]
    fn generators_take_the_document() {
        let document = document();
        let mut bodies = 0;
        walk(&document, &mut |fields| {
            // `*/` would end a comment in Go, Java and TypeScript.
            for name in ["description", "summary", "title"] {
                let text = fields.get(name).and_then(Value::as_str).unwrap_or_default();
                assert!(!text.contains("*/"), "{text}");
            }
            if let Some(links) = fields.get("links").and_then(Value::as_object) {
                for link in links.values() {
                    // OpenAPI Generator refuses a document with an object there.
                    assert!(link.get("requestBody").is_none_or(Value::is_string), "{link}");
                    bodies += usize::from(link.get(paths::LINK_BODY).is_some());
                }
            }
        });
        assert!(bodies > 0, "links say what to send");
        let mut constants = BTreeSet::new();
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            let constant = schema.get("const").and_then(Value::as_str);
            let named = schema.get("x-enum-varnames").is_some();
            assert!(constant.is_none_or(|value| named || constants.insert(value)), "{name}");
        }
        walk(&document, &mut |fields| {
            let composed = ["$ref", "anyOf", "oneOf", "allOf"];
            let has_default = fields.get("default").is_some_and(|default| !default.is_object());
            let is_composed = composed.iter().any(|name| fields.contains_key(*name));
            assert!(!has_default || !is_composed, "a default without a type: {fields:?}");
        });
    }

    #[test]
    fn every_parameter_of_a_path_is_described() {
        let document = document();
        for (path, item) in document["paths"].as_object().unwrap() {
            for operation in item.as_object().unwrap().values() {
                for parameter in operation["parameters"].as_array().unwrap() {
                    let described = parameter["schema"].get("$ref").is_some()
                        || parameter["schema"].as_object().unwrap().len() > 1;
                    assert!(parameter["in"] != "path" || described, "{path}: {parameter}");
                }
            }
        }
    }

    #[test]
    fn a_route_names_what_others_do_not_answer() {
        for route in routes() {
            let common = route.errors.iter().find(|code| paths::COMMON.contains(code));
            assert_eq!(common, None, "{}: any route can answer it", route.id);
        }
    }

    #[test]
    fn examples_are_bodies_that_are_taken() {
        use crate::api::operation::asked::Matched;
        use crate::api::operation::{Asked, Serve};
        for route in routes() {
            let Some(example) = route.example else { continue };
            let captured =
                ["session", "tool", "upload"].map(|name| (name, "a".to_owned())).to_vec();
            let matched = Matched { route, captured };
            let header = |_: &str| None;
            let body = example.as_bytes();
            let asked = Asked { matched: &matched, query: &[], header: &header, body };
            let taken = match route.serve {
                Serve::Session(operation) => operation(&asked).map(drop),
                _ => asked.operator_call().map(drop),
            };
            assert!(taken.is_ok(), "{}: {example}", route.id);
        }
    }
}
