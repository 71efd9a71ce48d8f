//! The trees that a comparison reads: an archive, or a workspace as it is now.

use crate::domain::time::rfc3339;
use crate::domain::workspace::lost;
use crate::domain::{
    AbsolutePath, BackupId, ErrorCode, Result, SandboxId, SnapshotSelector, TreeSelector, Turn,
    Workspace,
};
use crate::session::parts::{
    Active, ArchiveRoom, Context, LoadedSession, OpenSnapshot, SharedGuard,
};
use crate::session::trees::Trees;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) enum NamedTree {
    Snapshot(SnapshotSelector),
    Workspace(SandboxId),
}

impl NamedTree {
    pub(crate) const fn sandbox_id(&self) -> Option<&SandboxId> {
        match self {
            Self::Workspace(id) => Some(id),
            Self::Snapshot(_) => None,
        }
    }
}

impl Context {
    /// A name that no snapshot has may be the id of a workspace.
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

impl Context {
    /// The last turn or requested snapshot that a workspace with this head descends from, else the
    /// snapshot that it was made from or last rewound to.
    fn last_saved(
        &self,
        workspace: &Workspace,
        head: Option<&BackupId>,
    ) -> Result<Option<BackupId>> {
        let origin = workspace.from_backup_id.as_ref();
        let requested = match head {
            Some(head) => self.catalogue.last_requested(head, origin)?,
            None => None,
        };
        Ok(requested.or_else(|| origin.cloned()))
    }

    pub(crate) fn described(&self, tree: &Tree) -> Result<ComparedTree> {
        let mut view = tree.view();
        if let Some(id) = &view.snapshot_id
            && let Some(snapshot) = self.catalogue.snapshot(id)?
        {
            (view.name, view.turn) = (snapshot.annotations.name, snapshot.cause.turn);
        }
        Ok(view)
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ComparedTree {
    /// The workspace.
    #[serde(default, rename = "workspaceId", skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<SandboxId>,
    /// The snapshot whose files were compared. Absent if these are the files of the running
    /// workspace, or no files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<BackupId>,
    /// When that snapshot was taken, RFC 3339. A workspace that does not run is
    /// compared by its last save.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_at: Option<String>,
    /// The name of that snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The last turn that ended with its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
}

pub(crate) enum Tree {
    Empty {
        sandbox_id: Option<SandboxId>,
    },
    /// The files of a snapshot, perhaps as the last save of a workspace.
    Archive {
        snapshot: Rc<OpenSnapshot>,
        sandbox_id: Option<SandboxId>,
    },
    Live(Box<LiveTree>),
}

/// A running workspace. Counts as in use until dropped.
pub(crate) struct LiveTree {
    pub active: Active,
    /// The directory that snapshots hold.
    pub root: AbsolutePath,
    /// The last save. [`Trees::relate`] sets it if the changes since then help the comparison.
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
                ComparedTree { sandbox_id: sandbox_id.clone(), ..ComparedTree::default() }
            }
            Self::Archive { snapshot, sandbox_id } => ComparedTree {
                sandbox_id: sandbox_id.clone(),
                snapshot_id: Some(snapshot.id.clone()),
                saved_at: Some(rfc3339(snapshot.created_at_ms)),
                ..ComparedTree::default()
            },
            Self::Live(live) => ComparedTree {
                sandbox_id: Some(live.active.workspace.sandbox_id.clone()),
                ..ComparedTree::default()
            },
        }
    }

    pub(crate) const fn archive(&self) -> Option<&Rc<OpenSnapshot>> {
        match self {
            Self::Archive { snapshot, .. } => Some(snapshot),
            Self::Empty { .. } | Self::Live(_) => None,
        }
    }
}

impl Trees<'_> {
    /// `WORKSPACE_LOST` for a workspace that was never saved and whose container ended.
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
        self.context.own_workspace(id)?;
        let shared = self.locks.shared(id).await?;
        let workspace = self.context.usable(id)?;
        // An unfinished rewind is finished by the workspace's next call; until then its last save
        // has the files from before the rewind.
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

    /// The caller has the workspace exclusively.
    pub(crate) async fn live(
        &self,
        loaded: &LoadedSession,
        id: &SandboxId,
    ) -> Result<Option<LiveTree>> {
        let Some(active) = self.containers.has_files(id).await? else { return Ok(None) };
        let root = AbsolutePath::parse("dir", loaded.config.saved_dirs.main.as_str())?;
        Ok(Some(LiveTree::new(active, root, None)))
    }

    /// Finds the last save of a running workspace before a comparison with `base`: the container
    /// knows what has changed since, whatever the sizes and times of files.
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

    /// By default, the last turn or requested snapshot that `tree` descends from, else no files.
    pub(crate) async fn open_last_saved(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        named: &NamedTree,
        tree: &Tree,
    ) -> Result<Tree> {
        let catalogue = &self.context.catalogue;
        let last = match named {
            NamedTree::Workspace(id) => {
                let heads = catalogue.heads_of(id)?;
                let head = heads.archive_of(&loaded.config.saved_dirs.main);
                self.context.last_saved(&self.context.usable(id)?, head)?
            }
            NamedTree::Snapshot(_) => match tree.archive() {
                Some(open) => {
                    let own = catalogue.snapshot(&open.id)?;
                    match own.and_then(|snapshot| snapshot.parent_id) {
                        Some(parent) => {
                            Some(catalogue.last_requested(&parent, None)?.unwrap_or(parent))
                        }
                        None => None,
                    }
                }
                None => None,
            },
        };
        self.open_earlier(room, loaded, last).await
    }

    /// The snapshot that a workspace was made from or last rewound to, else no files.
    pub(crate) async fn open_origin(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        id: &SandboxId,
    ) -> Result<Tree> {
        let origin = self.context.usable(id)?.from_backup_id;
        self.open_earlier(room, loaded, origin).await
    }

    async fn open_earlier(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        earlier: Option<BackupId>,
    ) -> Result<Tree> {
        let Some(id) = earlier else { return Ok(Tree::Empty { sandbox_id: None }) };
        match self.open_by_id(room, loaded, &id).await {
            Ok(snapshot) => Ok(Tree::Archive { snapshot, sandbox_id: None }),
            Err(error) if error.code == ErrorCode::SnapshotGone => Err(error.with_hint(
                "the snapshot that it came from is gone: set from to another snapshot to compare with",
            )),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn open_by_id(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        id: &BackupId,
    ) -> Result<Rc<OpenSnapshot>> {
        Ok(Rc::new(self.archives.open_by_id(room, loaded, id).await?))
    }
}
