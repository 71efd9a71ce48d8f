//! Files wherever they are: in a workspace, or in a snapshot, which is read in the bucket.

use crate::domain::{BackupId, Result, SandboxId, SnapshotSelector, TreeSelector, WorkspaceRef};
use crate::ports::sandbox::FileStat;
use crate::session::Session;
use crate::session::files::Files;
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::snapshot::SnapshotPath;
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

pub(crate) enum Sight {
    /// None: the active one.
    Workspace(Option<WorkspaceRef>),
    Snapshot(SnapshotSelector),
}

impl Context {
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
    pub(crate) const fn archived(snapshot_id: BackupId, answer: T) -> Self {
        Self { answer, workspace: None, snapshot_id: Some(snapshot_id) }
    }

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

/// What to look at.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatRequest {
    /// Path under the workspace, e.g. src/main.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    /// Default: the active workspace.
    pub at: Option<TreeSelector>,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct StatView {
    /// Absolute path.
    pub path: String,
    /// Its facts.
    #[serde(flatten)]
    pub stat: FileStat,
}

impl Session {
    /// Reads what a path of a workspace or of a snapshot is. Does not follow a symbolic link.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; the errors of a restore.
    pub async fn stat(&self, request: StatRequest) -> Result<Seen<StatView>> {
        let files = Files::from(self);
        let StatRequest { path, at, allow_cross_session } = request;
        match files.context.sight(at.as_ref())? {
            Sight::Workspace(named) => files.stat(named.as_ref(), &path).await.map(Seen::from),
            Sight::Snapshot(r#ref) => {
                let request = SnapshotPath { r#ref, allow_cross_session, path };
                SnapshotFiles::from(self).stat(request).await
            }
        }
    }
}

impl Files<'_> {
    async fn stat(&self, workspace: Option<&WorkspaceRef>, path: &str) -> Result<Placed<StatView>> {
        let place = self.readable_place(workspace, path).await?;
        let stat = place.sandbox().stat(place.path.clone(), place.options()).await?;
        Ok(place.answers(StatView { path: place.path.to_string(), stat }))
    }
}
