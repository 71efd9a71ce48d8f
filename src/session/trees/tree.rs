//! The trees that a comparison reads: an archive, or a workspace as it is now.

use crate::domain::error::{ErrorCode, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{BackupId, SandboxId};
use crate::domain::snapshot::backup::rfc3339;
use crate::domain::snapshot::selector::{SnapshotSelector, TreeSelector};
use crate::domain::workspace::{Workspace, lost, not_owned_workspace};
use crate::session::active::Active;
use crate::session::context::Context;
use crate::session::loaded_session::LoadedSession;
use crate::session::locks::SharedGuard;
use crate::session::snapshots::files::archives::{ArchiveRoom, OpenSnapshot};
use crate::session::trees::Trees;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;

/// What a [`TreeSelector`] names in this session.
pub(crate) enum NamedTree {
    Snapshot(SnapshotSelector),
    Workspace(SandboxId),
}

impl NamedTree {
    /// The workspace's sandbox.
    pub(crate) const fn sandbox_id(&self) -> Option<&SandboxId> {
        match self {
            Self::Workspace(id) => Some(id),
            Self::Snapshot(_) => None,
        }
    }
}

impl Context {
    /// Finds out whether a snapshot or a workspace is named. A name that no snapshot has may be
    /// the id of a workspace.
    pub(crate) fn side(&self, loaded: &LoadedSession, named: &TreeSelector) -> Result<NamedTree> {
        Ok(match named {
            TreeSelector::Now => NamedTree::Workspace(loaded.row.active_sandbox_id.clone()),
            TreeSelector::Workspace(named) => NamedTree::Workspace(named.sandbox_id().clone()),
            TreeSelector::Snapshot(selector) => {
                if let SnapshotSelector::Name(name) = selector
                    && let Ok(id) = SandboxId::parse(name)
                    && self.catalogue.snapshot_last_named(name)?.is_none()
                    && self.catalogue.workspace(&id)?.is_some()
                {
                    return Ok(NamedTree::Workspace(id));
                }
                NamedTree::Snapshot(selector.clone())
            }
        })
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ComparedTree {
    /// The workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<SandboxId>,
    /// The snapshot whose files were compared. Absent: those of the running
    /// workspace, or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<BackupId>,
    /// When that snapshot was taken, RFC 3339. A workspace that does not run is
    /// compared by its last save.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_at: Option<String>,
}

/// A tree that can be read.
pub(crate) enum Tree {
    /// No files: a workspace began so.
    Empty { sandbox_id: Option<SandboxId> },
    /// The files of a snapshot, perhaps as the last save of a workspace.
    Archive { snapshot: Rc<OpenSnapshot>, sandbox_id: Option<SandboxId> },
    /// A running workspace.
    Live(Box<LiveTree>),
}

/// A running workspace. Counts as in use until dropped.
pub(crate) struct LiveTree {
    pub active: Active,
    /// The directory that snapshots hold.
    pub root: AbsolutePath,
    /// The workspace's last save, if [`Trees::relate`] found that it tells what has changed
    /// in what this is compared with.
    pub head: RefCell<Option<Rc<OpenSnapshot>>>,
    _shared: Option<SharedGuard>,
}

impl LiveTree {
    const fn new(active: Active, root: AbsolutePath, shared: Option<SharedGuard>) -> Self {
        Self { active, root, head: RefCell::new(None), _shared: shared }
    }
}

impl Tree {
    pub(crate) fn view(&self) -> ComparedTree {
        match self {
            Self::Empty { sandbox_id } => {
                ComparedTree { sandbox_id: sandbox_id.clone(), snapshot_id: None, saved_at: None }
            }
            Self::Archive { snapshot, sandbox_id } => ComparedTree {
                sandbox_id: sandbox_id.clone(),
                snapshot_id: Some(snapshot.id.clone()),
                saved_at: Some(rfc3339(snapshot.created_at_ms)),
            },
            Self::Live(live) => ComparedTree {
                sandbox_id: Some(live.active.workspace.sandbox_id.clone()),
                snapshot_id: None,
                saved_at: None,
            },
        }
    }

    /// Its archive, if it is one.
    pub(crate) const fn archive(&self) -> Option<&Rc<OpenSnapshot>> {
        match self {
            Self::Archive { snapshot, .. } => Some(snapshot),
            Self::Empty { .. } | Self::Live(_) => None,
        }
    }
}

impl Trees<'_> {
    /// Opens what a caller names. Starts no container.
    ///
    /// # Errors
    /// As a restore of the snapshot; `WORKSPACE_NOT_OWNED`; `CONFLICT` for a
    /// workspace that is not ready; `WORKSPACE_LOST` for one that was never saved
    /// and whose container ended.
    pub(crate) async fn open(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        operation: &'static str,
        named: &NamedTree,
        allow_cross_session: bool,
    ) -> Result<Tree> {
        match named {
            NamedTree::Snapshot(selector) => {
                let archives = self.archives;
                let snapshot =
                    archives.open(room, loaded, operation, selector, allow_cross_session).await?;
                Ok(Tree::Archive { snapshot: Rc::new(snapshot), sandbox_id: None })
            }
            NamedTree::Workspace(id) => self.open_workspace(room, loaded, id).await,
        }
    }

    /// A workspace as it is now if it runs, else as it was saved last.
    pub(crate) async fn open_workspace(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        id: &SandboxId,
    ) -> Result<Tree> {
        if self.context.catalogue.workspace(id)?.is_none() {
            return Err(not_owned_workspace());
        }
        let shared = self.locks.shared(id).await?;
        let workspace = self.context.usable(id)?;
        // An unfinished rewind is finished by the workspace's next call; until then its last
        // save is what it was rewound from.
        if self.context.catalogue.running_rewind(id)?.is_none()
            && workspace.paused_at_ms.is_none()
            && let Some(active) = self.containers.has_files(id).await?
        {
            let root = AbsolutePath::parse("dir", loaded.config.saved_dirs.main.as_str())?;
            return Ok(Tree::Live(Box::new(LiveTree::new(active, root, Some(shared)))));
        }
        self.open_saved(room, loaded, &workspace).await
    }

    async fn open_saved(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        workspace: &Workspace,
    ) -> Result<Tree> {
        let id = &workspace.sandbox_id;
        let heads = self.context.catalogue.heads_of(id)?;
        let Some(head) = heads.archive_of(&loaded.config.saved_dirs.main) else {
            if workspace.instance_id.is_some() {
                return Err(lost());
            }
            return Ok(Tree::Empty { sandbox_id: Some(id.clone()) });
        };
        let snapshot = self.open_by_id(room, loaded, head).await?;
        Ok(Tree::Archive { snapshot, sandbox_id: Some(id.clone()) })
    }

    /// A workspace that runs, for a caller that has it exclusively.
    pub(crate) async fn live(
        &self,
        loaded: &LoadedSession,
        id: &SandboxId,
    ) -> Result<Option<LiveTree>> {
        let Some(active) = self.containers.has_files(id).await? else { return Ok(None) };
        let root = AbsolutePath::parse("dir", loaded.config.saved_dirs.main.as_str())?;
        Ok(Some(LiveTree::new(active, root, None)))
    }

    /// Finds the last save of a running workspace that is to be compared with `base`. Its
    /// container knows what has changed since, whatever the sizes and times of files.
    pub(crate) async fn relate(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        tree: &Tree,
        base: &Tree,
    ) -> Result<()> {
        let (Tree::Live(live), Some(base)) = (tree, base.archive()) else { return Ok(()) };
        let heads = self.context.catalogue.heads_of(&live.active.workspace.sandbox_id)?;
        let head = match heads.archive_of(&loaded.config.saved_dirs.main) {
            Some(id) if *id == base.id && !base.sums.is_empty() => Some(base.clone()),
            Some(id) => self.archives.open_related(room, loaded, id, base).await.map(Rc::new),
            None => None,
        };
        live.head.replace(head);
        Ok(())
    }

    /// What `tree` came from: the snapshot that a workspace was made from or rewound
    /// to last, or a snapshot's parent. Empty if there is none, or none left.
    pub(crate) async fn open_origin(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        named: &NamedTree,
        tree: &Tree,
    ) -> Result<Tree> {
        let origin = match named {
            NamedTree::Workspace(id) => self.context.usable(id)?.from_backup_id,
            NamedTree::Snapshot(_) => match tree.archive() {
                Some(open) => {
                    let own = self.context.catalogue.snapshot(&open.id)?;
                    own.and_then(|snapshot| snapshot.parent_id)
                }
                None => None,
            },
        };
        let Some(id) = origin else { return Ok(Tree::Empty { sandbox_id: None }) };
        match self.open_by_id(room, loaded, &id).await {
            Ok(snapshot) => Ok(Tree::Archive { snapshot, sandbox_id: None }),
            Err(error) if error.code == ErrorCode::SnapshotGone => Err(error.with_hint(
                "the snapshot that it came from is gone: name another one to compare with, in from",
            )),
            Err(error) => Err(error),
        }
    }

    /// What files of this session descend from, as `Archives` opens it.
    pub(crate) async fn open_by_id(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        id: &BackupId,
    ) -> Result<Rc<OpenSnapshot>> {
        Ok(Rc::new(self.archives.open_by_id(room, loaded, id).await?))
    }
}
