//! The paths: every route, and every tool as a separate route.

use crate::api::http::answer::ACCEPTED;
use crate::api::http::status;
use crate::api::operation::shape::Shaped;
use crate::api::operation::{Link, Param, ParamKind, Route, Serve};
use crate::api::schema::openapi::components::{Components, header};
use crate::api::tools;
use crate::domain::limits::HTTP_BODY_MAX_BYTES;
use crate::domain::{ErrorCode, IdempotencyKey, OperationId, OperationView};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The part of a route's path that is replaced by a tool's name.
const TOOL: &str = "{tool}";

/// Error codes of every route that needs a token.
pub(crate) const COMMON: [ErrorCode; 9] = [
    ErrorCode::InvalidArgument,
    ErrorCode::Unauthenticated,
    ErrorCode::Forbidden,
    ErrorCode::RateLimited,
    ErrorCode::NotFound,
    ErrorCode::Internal,
    ErrorCode::NotConfigured,
    ErrorCode::Unavailable,
    ErrorCode::Interrupted,
];

pub(crate) fn all(routes: &[&Route], components: &mut Components) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    let mut add = |path: &str, route: &Route, operation: Value| {
        let item = paths.entry(path).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(route.verb.as_str().to_lowercase(), operation);
        }
    };
    for route in routes.iter().filter(|route| !route.path.contains("/test-")) {
        if !route.path.contains(TOOL) {
            add(route.path, route, operation(route, routes, components));
            continue;
        }
        for entry in tools::all() {
            let tool = entry.tool;
            let path = route.path.replace(TOOL, tool.name);
            let mut described = operation(route, routes, components);
            if let Some(fields) = described.as_object_mut() {
                fields.insert("operationId".to_owned(), json!(tool.name));
                fields.insert("summary".to_owned(), json!(tool.title));
                fields.insert("description".to_owned(), json!(tool.description));
                let input = components.sent(entry.input);
                let required = components.is_required(&input);
                fields.insert("requestBody".to_owned(), body(input, required, None));
                let output = components.answered(entry.output);
                let content = json!({ "application/json": { "schema": output } });
                if let Some(success) =
                    fields.get_mut("responses").and_then(|all| all.get_mut("200"))
                {
                    success["content"] = content;
                }
                let named = fields.get_mut("parameters").and_then(Value::as_array_mut);
                if let Some(parameters) = named {
                    parameters.retain(|parameter| parameter["name"] != "tool");
                }
            }
            add(&path, route, described);
        }
    }
    Value::Object(paths)
}

fn operation(route: &Route, routes: &[&Route], components: &mut Components) -> Value {
    let mut described = json!({
        "operationId": route.id,
        "summary": route.summary,
        "tags": [tag(route.path)],
        "parameters": parameters(route, components),
        "responses": responses(route, routes, components),
    });
    let text = description(route);
    if !text.is_empty() {
        described["description"] = json!(text);
    }
    let codes = codes(route);
    if !codes.is_empty() {
        described["x-error-codes"] = json!(codes);
    }
    if route.serve.is_public() {
        described["security"] = json!([]);
    }
    if let Some(shape) = route.body {
        let example = route.example.and_then(|text| serde_json::from_str(text).ok());
        let schema = components.sent(shape);
        let required = components.is_required(&schema);
        described["requestBody"] = body(schema, required, example);
    } else if let Some(media_type) = route.receives {
        described["requestBody"] = json!({ "required": true, "content": { media_type: {} } });
    } else if matches!(route.serve, Serve::Mcp) {
        described["requestBody"] = body(json!({ "type": "object" }), true, None);
    }
    described
}

fn tag(path: &str) -> &'static str {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["", "v1", "sessions", _, "snapshots", ..] => "snapshots",
        [
            "",
            "v1",
            "sessions",
            _,
            "workspaces" | "active-workspace" | "start-fresh" | "commands" | "terminal" | "archive",
            ..,
        ] => "workspaces",
        ["", "v1", "sessions", _, "tools", ..] => "tools",
        ["", "v1", "sessions", _, "operations", ..] => "operations",
        ["", "v1", "sessions", _, "tokens", ..] => "tokens",
        ["", "v1", "sessions", _, ..] => "sessions",
        ["", "v1", ..] => "operator",
        _ => "other",
    }
}

fn description(route: &Route) -> String {
    let mut text = route.description.to_owned();
    if !route.errors.is_empty() {
        let codes: Vec<String> = route.errors.iter().map(|code| format!("`{code}`")).collect();
        let gap = if text.is_empty() { "" } else { "\n\n" };
        text.push_str(&format!("{gap}Errors of its own: {}.", codes.join(", ")));
    }
    text
}

fn parameters(route: &Route, components: &mut Components) -> Value {
    let mut parameters = Vec::new();
    for segment in route.path.split('/') {
        let Some(name) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            continue;
        };
        let schema = components.path_parameter(name).unwrap_or_else(|| json!({ "type": "string" }));
        parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
    }
    parameters.extend(route.query.iter().map(query_parameter));
    if route.cancellable {
        parameters.push(json!({
            "name": "Operation-Id",
            "in": "header",
            "description": "A name for this call, by which it can be cancelled while it runs.",
            "schema": components.sent(OperationId::SHAPE),
        }));
    }
    if route.keyed {
        parameters.push(json!({
            "name": "Idempotency-Key",
            "in": "header",
            "schema": components.sent(IdempotencyKey::SHAPE),
        }));
    }
    if route.deferrable {
        parameters.push(json!({
            "name": "Prefer",
            "in": "header",
            "description": "respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.",
            "example": "respond-async",
            "schema": { "type": "string" },
        }));
    }
    if route.guarded {
        parameters.push(json!({
            "name": "If-Match",
            "in": "header",
            "description": "The ETag of the active workspace: the call fails if another workspace is active.",
            "schema": { "type": "string", "pattern": "^(?:\\*|\"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\")$" },
        }));
    }
    if route.file {
        for (name, description) in [
            ("Range", "One range of bytes, such as bytes=0-1023. Several ranges are ignored."),
            ("If-None-Match", "An ETag of this file: 304 if the file still has it."),
        ] {
            parameters.push(json!({
                "name": name,
                "in": "header",
                "description": description,
                "schema": { "type": "string" },
            }));
        }
    }
    Value::Array(parameters)
}

fn query_parameter(param: &Param) -> Value {
    let schema = match param.kind {
        ParamKind::Flag => json!({ "type": "boolean", "default": false }),
        ParamKind::Count { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        ParamKind::Time => json!({ "type": "string", "format": "date-time" }),
        ParamKind::Choice(choices) => json!({ "type": "string", "enum": choices }),
        ParamKind::Text { max } => json!({ "type": "string", "maxLength": max }),
        ParamKind::Texts { max } => {
            json!({ "type": "array", "items": { "type": "string", "maxLength": max } })
        }
    };
    json!({ "name": param.name, "in": "query", "description": param.description, "schema": schema })
}

fn body(schema: Value, required: bool, example: Option<Value>) -> Value {
    let mut content = json!({ "schema": schema });
    if let Some(example) = example {
        content["example"] = example;
    }
    json!({
        "description": format!("At most {} MiB.", HTTP_BODY_MAX_BYTES >> 20),
        "required": required,
        "content": { "application/json": content },
    })
}

fn responses(route: &Route, routes: &[&Route], components: &mut Components) -> Value {
    let mut responses = Map::new();
    let mut success = json!({ "description": "Done." });
    success["content"] = match (route.serve, route.answer) {
        (Serve::Mcp, _) => json!({ "application/json": {}, "text/event-stream": {} }),
        (_, Some(shape)) => json!({ "application/json": { "schema": components.answered(shape) } }),
        (_, None) => json!({ "application/json": { "schema": { "type": "object" } } }),
    };
    if let Some(media_type) = route.streams {
        success["description"] = json!("The stream has begun.");
        success["content"] = json!({ media_type: {} });
    }
    if route.socket {
        success = json!({ "description": "The WebSocket is open." });
    }
    if route.file {
        success["description"] = json!("The whole file.");
        success["headers"] = json!({ "ETag": header("For If-None-Match.") });
        let mut part = success.clone();
        part["description"] = json!("The range that Range names.");
        part["headers"]["Content-Range"] = header("Where the range lies in the file.");
        responses.insert("206".to_owned(), part);
        for (status, description) in [
            ("304", "The file is the one that If-None-Match names."),
            ("416", "The range begins past the end of the file."),
        ] {
            responses.insert(status.to_owned(), json!({ "description": description }));
        }
    }
    if route.location.is_some() {
        success["headers"] = json!({ "Location": header("Address of what was created.") });
    }
    if route.tagged {
        success["headers"] = json!({ "ETag": header("For If-Match.") });
    }
    if !route.links.is_empty() {
        success["links"] =
            route.links.iter().map(|link| (link.name, self::link(link, routes))).collect();
    }
    responses.insert(route.status.to_string(), success);
    if route.deferrable {
        responses.insert(ACCEPTED.to_string(), accepted(components));
    }
    if matches!(route.serve, Serve::Mcp) {
        responses
            .insert("202".to_owned(), json!({ "description": "The notification was accepted." }));
        for status in ["400", "403", "404", "405", "406", "415"] {
            responses.insert(
                status.to_owned(),
                json!({ "description": "An error, as the MCP revision defines it." }),
            );
        }
    }
    if !route.serve.is_public() {
        let too_long = "The address is too long for the runtime, which says so as text.";
        responses.insert("414".to_owned(), json!({ "description": too_long }));
    }
    if matches!(route.serve, Serve::About) {
        let led = json!({ "description": "The console.", "headers": { "Location": header("Address of the console.") } });
        responses.insert("303".to_owned(), led);
    }
    if matches!(route.serve, Serve::OpenApi) {
        let unchanged = "The document is still the one that If-None-Match names.";
        responses.insert("304".to_owned(), json!({ "description": unchanged }));
    }
    let statuses: BTreeSet<u16> = codes(route).into_iter().map(status).collect();
    for status in statuses {
        let answer = components.error(status);
        responses.entry(status.to_string()).or_insert(answer);
    }
    Value::Object(responses)
}

/// Every error code of a route, in the order of the codes.
fn codes(route: &Route) -> Vec<ErrorCode> {
    let can = |code: &ErrorCode| match code {
        ErrorCode::NotConfigured => !matches!(route.serve, Serve::About),
        _ if route.serve.is_public() => false,
        ErrorCode::Aborted if route.cancellable => true,
        // Another request used the key, or the first call with the key still runs.
        ErrorCode::Conflict if route.keyed => true,
        ErrorCode::PreconditionFailed if route.guarded => true,
        ErrorCode::TooLarge if route.body.is_some() => true,
        code => route.errors.contains(code) || COMMON.contains(code),
    };
    ErrorCode::ALL.into_iter().filter(can).collect()
}

fn accepted(components: &mut Components) -> Value {
    json!({
        "description": "Started. Location has its state.",
        "headers": {
            "Location": header("The operation."),
            "Preference-Applied": header("respond-async"),
        },
        "content": {
            "application/json": { "schema": components.answered(OperationView::SHAPE) },
        },
        "links": { "poll": {
            "operationId": "getOperation",
            "parameters": {
                "session": "$request.path.session",
                "operation": "$response.body#/id",
            },
        } },
    })
}

/// The body to send along a link, with expressions for values of the answer.
pub(crate) const LINK_BODY: &str = "x-request-body";

fn link(link: &Link, routes: &[&Route]) -> Value {
    let known = routes.iter().any(|route| route.id == link.to);
    debug_assert!(known, "{} leads nowhere", link.name);
    let mut parameters: Map<String, Value> =
        link.path.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    parameters.insert("session".to_owned(), json!("$request.path.session"));
    let mut described = json!({ "operationId": link.to, "parameters": parameters });
    if let Some(body) = link.body.and_then(|text| serde_json::from_str::<Value>(text).ok()) {
        // OpenAPI allows any value as a link's `requestBody`, but generators accept only text.
        described[LINK_BODY] = body;
    }
    described
}
