//! A workspace that is up, and answers from it.

use crate::domain::{InstanceId, SandboxId, Workspace};
use crate::ports::sandbox::SandboxApi;
use crate::session::parts::SharedGuard;
#[cfg(schemas)]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
#[cfg(schemas)]
use serde_json::{Value, json};
#[cfg(schemas)]
use std::borrow::Cow;
use std::rc::Rc;

/// A workspace and the disk that has its files. Counts as in use until dropped.
pub(crate) struct Active {
    pub sandbox: Rc<dyn SandboxApi>,
    pub workspace: Workspace,
    pub instance: InstanceId,
    _shared: Option<SharedGuard>,
}

impl Active {
    pub(crate) fn new(
        sandbox: Rc<dyn SandboxApi>,
        workspace: Workspace,
        instance: InstanceId,
        shared: SharedGuard,
    ) -> Self {
        Self { sandbox, workspace, instance, _shared: Some(shared) }
    }

    /// Without a lock: it does not count as use, and keeps no container running.
    pub(crate) fn without_lock(
        sandbox: Rc<dyn SandboxApi>,
        workspace: Workspace,
        instance: InstanceId,
    ) -> Self {
        Self { sandbox, workspace, instance, _shared: None }
    }
    pub(crate) fn answers<T>(&self, answer: T) -> Placed<T> {
        Placed { answer, workspace: self.workspace.sandbox_id.clone() }
    }
}

/// An answer, and the workspace that it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed<T> {
    /// The answer.
    #[serde(flatten)]
    pub answer: T,
    /// The workspace that the answer comes from.
    #[serde(rename = "workspaceId")]
    pub workspace: SandboxId,
}

impl<T> Placed<T> {
    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Placed<U> {
        Placed { answer: make(self.answer), workspace: self.workspace }
    }
}

#[cfg(schemas)]
impl<T: JsonSchema> JsonSchema for Placed<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut workspace = generator.subschema_for::<SandboxId>();
        workspace.insert("description".to_owned(), json!("Where."));
        let mut schema = T::json_schema(generator);
        if let Some(Value::Object(fields)) = schema.get_mut("properties") {
            fields.insert("workspaceId".to_owned(), workspace.into());
        }
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.push(json!("workspaceId"));
        }
        schema
    }
}
