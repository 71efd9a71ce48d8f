//! Components that paths refer to: schemas of the types, and a response for each
//! error status.

use crate::api::http::status;
use crate::api::operation::shape::{Shape, Shaped};
use crate::domain::limits::SNAPSHOT_NAME_MAX_CHARS;
use crate::domain::{
    CodeContextId, ErrorCode, ErrorEnvelope, OperationId, PartNumber, PoolId, PreviewId,
    ProcessName, SandboxId, SessionId, TokenId, UploadId,
};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const SCHEMAS: &str = "/components/schemas";
/// The temporary place of answer schemas, until it is known which ones need another name.
const ANSWERS: &str = "/components/answers";

/// Schemas of bodies and of answers. A type's two schemas can differ: a field with
/// a default is optional in a body and always present in an answer.
pub(crate) struct Components {
    sent: SchemaGenerator,
    answered: SchemaGenerator,
    statuses: BTreeSet<u16>,
}

impl Components {
    pub(crate) fn new() -> Self {
        let settings = |path: &'static str| {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = path.into();
                settings.meta_schema = None;
            })
        };
        let mut made = Self {
            sent: settings(SCHEMAS).for_deserialize().into_generator(),
            answered: settings(ANSWERS).for_serialize().into_generator(),
            statuses: BTreeSet::new(),
        };
        made.answered(ErrorEnvelope::SHAPE);
        made
    }

    /// The schema of a body.
    pub(crate) fn sent(&mut self, shape: Shape) -> Value {
        shape(&mut self.sent).into()
    }

    /// The schema of an answer. [`Self::finish`] renames it if the type's schema as
    /// a body differs.
    pub(crate) fn answered(&mut self, shape: Shape) -> Value {
        shape(&mut self.answered).into()
    }

    /// The schema of a parameter of a path.
    pub(crate) fn path_parameter(&mut self, name: &str) -> Option<Value> {
        let shape = match name {
            "session" => SessionId::SHAPE,
            "workspace" => SandboxId::SHAPE,
            "operation" => OperationId::SHAPE,
            "token" => TokenId::SHAPE,
            "pool" => PoolId::SHAPE,
            "preview" => PreviewId::SHAPE,
            "upload" => UploadId::SHAPE,
            "part" => PartNumber::SHAPE,
            "process" => ProcessName::SHAPE,
            "context" => CodeContextId::SHAPE,
            "snapshot" => {
                return Some(json!({
                    "description": "Its id, or the name it was given in this session.",
                    "type": "string",
                    "minLength": 1,
                    "maxLength": SNAPSHOT_NAME_MAX_CHARS,
                }));
            }
            _ => return None,
        };
        Some(self.sent(shape))
    }

    /// A reference to the response of errors with this status.
    pub(crate) fn error(&mut self, status: u16) -> Value {
        self.statuses.insert(status);
        json!({ "$ref": format!("#/components/responses/Error{status}") })
    }

    /// Whether a body with this schema is required, because it has a required field.
    pub(crate) fn is_required(&self, schema: &Value) -> bool {
        let named = schema.get("$ref").and_then(Value::as_str).and_then(|at| at.rsplit('/').next());
        let schema = named.and_then(|name| self.sent.definitions().get(name)).unwrap_or(schema);
        schema.get("required").and_then(Value::as_array).is_some_and(|fields| !fields.is_empty())
    }

    /// Adds the components to the document. If a type's two schemas differ, the
    /// answer's gets the suffix `Answer`.
    pub(crate) fn finish(mut self, document: &mut Value) {
        let mut schemas = self.sent.take_definitions(true);
        let mut renamed = BTreeSet::new();
        for (name, mut schema) in self.answered.take_definitions(true) {
            // The comparison assumes that this schema keeps its name.
            rename_answers(&mut schema, &BTreeSet::new());
            match schemas.get(&name) {
                Some(same) if *same == schema => {}
                Some(_) => {
                    schemas.insert(format!("{name}Answer"), schema);
                    renamed.insert(name);
                }
                None => drop(schemas.insert(name, schema)),
            }
        }
        rename_answers(document, &renamed);
        let responses: Map<String, Value> = self
            .statuses
            .iter()
            .map(|status| (format!("Error{status}"), error_response(*status)))
            .collect();
        document["components"] = json!({
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The operator's token, which is the secret API_TOKEN; or a token of the session, whose scopes say what it allows.",
                },
            },
            "responses": responses,
            "schemas": schemas,
        });
    }
}

/// Points references to answers at the published schemas.
fn rename_answers(schema: &mut Value, renamed: &BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(at)) = fields.get_mut("$ref")
                && let Some(name) = at.strip_prefix(&format!("#{ANSWERS}/"))
            {
                let suffix = if renamed.contains(name) { "Answer" } else { "" };
                *at = format!("#{SCHEMAS}/{name}{suffix}");
            }
            fields.values_mut().for_each(|value| rename_answers(value, renamed));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename_answers(item, renamed)),
        _ => {}
    }
}

/// The codes with this status.
pub(crate) fn codes_of(wanted: u16) -> Vec<ErrorCode> {
    ErrorCode::ALL.into_iter().filter(|code| status(*code) == wanted).collect()
}

fn error_response(status: u16) -> Value {
    let (codes, headers) = match status {
        crate::api::http::answer::METHOD_NOT_ALLOWED => (
            vec![ErrorCode::NotFound],
            json!({ "Allow": header("The methods that the path has.") }),
        ),
        401 => (codes_of(status), json!({ "WWW-Authenticate": header("Bearer") })),
        _ => (codes_of(status), json!({})),
    };
    let named: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
    json!({
        "description": named.join(", "),
        "headers": headers,
        "content": { "application/json": { "schema": {
            "allOf": [
                { "$ref": "#/components/schemas/ErrorEnvelope" },
                { "properties": { "error": { "properties": { "code": { "enum": codes } } } } },
            ],
        } } },
    })
}

pub(crate) fn header(description: &str) -> Value {
    json!({ "description": description, "required": true, "schema": { "type": "string" } })
}
