//! Files wherever they are: in a workspace, or in a snapshot, which is read in the bucket.

use crate::domain::{BackupId, Result, SandboxId, SnapshotSelector, TreeSelector, WorkspaceRef};
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::{Context, Placed};
use crate::session::trees::tree::NamedTree;
#[cfg(schemas)]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
#[cfg(schemas)]
use serde_json::{Value, json};
#[cfg(schemas)]
use std::borrow::Cow;

/// What a call looks at.
pub(crate) enum Sight {
    /// A workspace. None: the active one.
    Workspace(Option<WorkspaceRef>),
    Snapshot(SnapshotSelector),
}

impl Context {
    /// Finds out what `at` names.
    ///
    /// # Errors
    /// `UNSUPPORTED` for a snapshot in a session without the snapshot module.
    pub(crate) fn sight(&self, at: Option<&TreeSelector>) -> Result<Sight> {
        let Some(named) = at else { return Ok(Sight::Workspace(None)) };
        let loaded = self.load()?;
        match self.side(&loaded, named)? {
            NamedTree::Workspace(id) => Ok(Sight::Workspace(Some(WorkspaceRef::new(id)))),
            NamedTree::Snapshot(_) if loaded.config.modules.snapshot.is_none() => {
                Err(module_missing("snapshot"))
            }
            NamedTree::Snapshot(selector) => Ok(Sight::Snapshot(selector)),
        }
    }
}

/// An answer, and where the files are: in a workspace or in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen<T> {
    /// The answer.
    #[serde(flatten)]
    pub answer: T,
    /// The workspace, if the files are in one.
    #[serde(default, rename = "workspaceId", skip_serializing_if = "Option::is_none")]
    pub workspace: Option<SandboxId>,
    /// The snapshot, if the files are in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<BackupId>,
}

impl<T> Seen<T> {
    /// An answer about files in a snapshot.
    pub(crate) const fn archived(snapshot_id: BackupId, answer: T) -> Self {
        Self { answer, workspace: None, snapshot_id: Some(snapshot_id) }
    }

    /// Makes another answer about the same files.
    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Seen<U> {
        let Self { answer, workspace, snapshot_id } = self;
        Seen { answer: make(answer), workspace, snapshot_id }
    }
}

impl<T> From<Placed<T>> for Seen<T> {
    fn from(Placed { answer, workspace }: Placed<T>) -> Self {
        Self { answer, workspace: Some(workspace), snapshot_id: None }
    }
}

/// Shows the answer with the two additional fields, under its own name.
#[cfg(schemas)]
impl<T: JsonSchema> JsonSchema for Seen<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Seen{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut workspace = generator.subschema_for::<SandboxId>();
        workspace.insert("description".to_owned(), json!("The workspace that has the files."));
        let mut snapshot = generator.subschema_for::<BackupId>();
        snapshot.insert("description".to_owned(), json!("The snapshot that has the files."));
        let mut schema = T::json_schema(generator);
        if let Some(Value::Object(fields)) = schema.get_mut("properties") {
            fields.insert("workspaceId".to_owned(), workspace.into());
            fields.insert("snapshotId".to_owned(), snapshot.into());
        }
        schema
    }
}
