//! Copy files of one workspace into another.

use crate::domain::limits::ARCHIVE_COPY_PATHS_MAX;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{AbsolutePath, Error, Next, Result, WorkspaceRef};
use crate::ports::sandbox::{FileOptions, ImportedTar};
use crate::session::Session;
use crate::session::files::{Files, Place, resolve, root_path};
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// What to copy from a workspace, and where to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CopyPaths {
    /// Files and directories under the workspace's root, 1 to 100.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::ARCHIVE_COPY_PATHS_MAX)))]
    pub paths: Vec<String>,
    /// Directory to put them into, under their paths from the root. Default: the other workspace's
    /// root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub to: String,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Copies files and directories of a workspace into another one, all or none.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; `CONFLICT` for a directory in a file's place; `FORBIDDEN`.
    pub async fn copy_from_workspace(
        &self,
        from: &WorkspaceRef,
        request: CopyPaths,
    ) -> Result<Placed<ImportedTar>> {
        let files = Files::from(self);
        let open = files.context.require_open()?.writable()?;
        let root = open.config.workspace_dir.clone();
        if !(1..=ARCHIVE_COPY_PATHS_MAX).contains(&request.paths.len()) {
            let problem = format!("must be 1 to {ARCHIVE_COPY_PATHS_MAX} paths");
            return Err(Error::invalid("paths", problem));
        }
        let named = request.paths.iter().map(|path| resolve(&open, "paths", path));
        let paths = outermost(named.collect::<Result<_>>()?, &root);
        let path = resolve(&open, "to", &request.to)?;
        let to = request
            .workspace
            .unwrap_or_else(|| WorkspaceRef::new(open.row.active_sandbox_id.clone()));
        if from.sandbox_id() == to.sandbox_id() {
            return Err(Error::invalid("from", "is the workspace to copy into")
                .with_hint(Next::CopyByCommand));
        }
        let (source, target) = files.workspaces.both(&open, from, &to).await?;
        let source = Place { root: root.clone(), path: root.clone(), active: source };
        let target = Place { root, path, active: target };
        let options = FileOptions { paths, ..source.options() };
        let archive = source.sandbox().export_tar(source.path.clone(), options).await?;
        let imported =
            target.sandbox().import_tar(archive, target.path.clone(), target.options()).await?;
        Ok(target.answers(imported))
    }
}

/// Without paths below others. Empty: all of the root.
fn outermost(mut paths: Vec<AbsolutePath>, root: &AbsolutePath) -> Vec<AbsolutePath> {
    if paths.contains(root) {
        return Vec::new();
    }
    let all = paths.clone();
    paths.retain(|path| {
        !all.iter().any(|other| other != path && path.is_at_or_under(other.as_str()))
    });
    paths.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_another_path_is_copied_once() {
        let path = |text: &str| AbsolutePath::parse("path", text).unwrap();
        let root = path("/workspace");
        let outermost = |paths: &[&str]| {
            outermost(paths.iter().map(|text| path(text)).collect(), &root)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            outermost(&["/workspace/b/c", "/workspace/b", "/workspace/bc", "/workspace/b"]),
            ["/workspace/b", "/workspace/bc"]
        );
        assert!(outermost(&["/workspace/b", "/workspace"]).is_empty());
    }
}
