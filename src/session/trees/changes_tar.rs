//! The changes of a merge as the tar archive that `apply.sh` takes.

use crate::domain::files::tar::{self, TarExtras, TarKind};
use crate::domain::limits::ARCHIVE_CHUNK_BYTES;
use crate::domain::tree::{TreeEntry, TreeKind, record};
use crate::domain::{Error, Result};
use crate::ports::{ByteStream, Bytes};
use crate::session::parts::OpenSnapshot;
use crate::session::trees::merge::Plan;
use crate::squashfs::{Node, NodeKind};
use async_trait::async_trait;
use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

const LIST_MODE: u32 = 0o600;

pub(crate) struct ChangesTar {
    theirs: Rc<OpenSnapshot>,
    items: VecDeque<Item>,
    /// The file that is being written, and its next byte.
    file: Option<(Node, u64)>,
    now_secs: u32,
    /// Why the archive broke off; its reader knows only that it did.
    failure: Rc<RefCell<Option<Error>>>,
}

enum Item {
    Bytes(Vec<u8>),
    Theirs { path: Vec<u8>, entry: TreeEntry },
    Merged { path: Vec<u8>, entry: TreeEntry, content: Vec<u8> },
}

impl ChangesTar {
    pub(crate) fn new(theirs: Rc<OpenSnapshot>, plan: Plan, now_ms: i64) -> Result<Self> {
        let now_secs = u32::try_from(now_ms.div_euclid(1_000)).unwrap_or(u32::MAX);
        let mut items = VecDeque::new();
        for (name, list) in lists(&plan) {
            items.push_back(Item::Bytes(list_entry(name, list, now_secs)?));
        }
        let tree = tar::header(b"tree", TarKind::Directory, 0o700, now_secs)?;
        items.push_back(Item::Bytes(tree));
        // In byte order, a directory comes before its content.
        let Plan { merge, mut texts, .. } = plan;
        for (path, entry) in merge.take {
            items.push_back(Item::Theirs { path, entry });
        }
        for (path, entry) in merge.texts {
            if let Some(content) = texts.remove(&path) {
                items.push_back(Item::Merged { path, entry, content });
            }
        }
        Ok(Self { theirs, items, file: None, now_secs, failure: Rc::default() })
    }

    pub(crate) fn failure(&self) -> Rc<RefCell<Option<Error>>> {
        self.failure.clone()
    }

    async fn produce(&mut self) -> Result<Option<Vec<u8>>> {
        if let Some((node, at)) = self.file.take() {
            return self.content(node, at).await.map(Some);
        }
        let Some(item) = self.items.pop_front() else { return Ok(None) };
        let mut bytes = match item {
            Item::Bytes(bytes) => bytes,
            Item::Merged { path, entry, content } => {
                let size_bytes = content.len() as u64;
                let kind = TarKind::File { size_bytes };
                // Lines can be merged, attributes can't: the other side's are taken.
                let node = self.theirs.tree.find(&path).await?;
                let extras = self.extras(&entry, node.as_ref()).await?;
                let path = in_tree(&path);
                let mut bytes = tar::header_with(&path, kind, entry.mode, self.now_secs, &extras)?;
                bytes.extend(content);
                bytes.extend(tar::padding(size_bytes));
                bytes
            }
            Item::Theirs { path, entry } => self.theirs(&path, &entry).await?,
        };
        if self.items.is_empty() && self.file.is_none() {
            bytes.extend(tar::end());
        }
        Ok(Some(bytes))
    }

    async fn theirs(&mut self, path: &[u8], entry: &TreeEntry) -> Result<Vec<u8>> {
        let node = self.theirs.tree.find(path).await?;
        let time = node.as_ref().map_or(self.now_secs, |node| node.modified_at_secs);
        let place = in_tree(path);
        let extras = self.extras(entry, node.as_ref()).await?;
        let header = |kind| tar::header_with(&place, kind, entry.mode, time, &extras);
        match (&entry.kind, node) {
            (TreeKind::Directory, _) => header(TarKind::Directory),
            (TreeKind::Symlink { target }, _) => header(TarKind::Symlink { target }),
            (TreeKind::File { .. }, Some(node)) => {
                let NodeKind::File { size_bytes } = node.kind else { return Ok(Vec::new()) };
                let header = header(TarKind::File { size_bytes })?;
                if size_bytes > 0 {
                    self.file = Some((node, 0));
                }
                Ok(header)
            }
            // Devices, pipes and sockets are not merged.
            _ => Ok(Vec::new()),
        }
    }

    async fn extras(&self, entry: &TreeEntry, node: Option<&Node>) -> Result<TarExtras> {
        let owner = (entry.uid, entry.gid);
        Ok(match node {
            Some(node) => TarExtras { owner, ..self.theirs.extras(node).await? },
            None => TarExtras { owner, ..TarExtras::default() },
        })
    }

    async fn content(&mut self, file: Node, at: u64) -> Result<Vec<u8>> {
        let NodeKind::File { size_bytes } = file.kind else { return Ok(Vec::new()) };
        let mut bytes = self.theirs.tree.read(&file, at, ARCHIVE_CHUNK_BYTES).await?;
        let at = at + bytes.len() as u64;
        if at < size_bytes {
            self.file = Some((file, at));
            return Ok(bytes);
        }
        bytes.extend(tar::padding(size_bytes));
        if self.items.is_empty() {
            bytes.extend(tar::end());
        }
        Ok(bytes)
    }
}

fn in_tree(path: &[u8]) -> Vec<u8> {
    [b"tree/", path].concat()
}

fn list_entry(name: &str, list: Vec<u8>, now_secs: u32) -> Result<Vec<u8>> {
    let size_bytes = list.len() as u64;
    let mut bytes =
        tar::header(name.as_bytes(), TarKind::File { size_bytes }, LIST_MODE, now_secs)?;
    bytes.extend(list);
    bytes.extend(tar::padding(size_bytes));
    Ok(bytes)
}

fn lists(plan: &Plan) -> [(&'static str, Vec<u8>); 5] {
    let merge = &plan.merge;
    let mut expect: Vec<Vec<u8>> = Vec::new();
    let mut absent: Vec<Vec<u8>> = Vec::new();
    for (path, entry) in &plan.expected {
        match entry {
            None => absent.push(path.clone()),
            Some(TreeEntry { kind: TreeKind::File { modified_at_secs: None, .. }, .. }) => {}
            Some(entry) => expect.push(record::write(path, entry)),
        }
    }
    expect.sort();
    let is_directory = |path: &&Vec<u8>| plan.directories.contains(path);
    let files: Vec<Vec<u8>> =
        merge.remove.iter().filter(|path| !is_directory(path)).cloned().collect();
    // A directory comes before what is in it, so the reverse is the deepest first.
    let dirs: Vec<Vec<u8>> = merge.remove.iter().rev().filter(is_directory).cloned().collect();
    let mode = |entry: &TreeEntry| format!("{:o}", entry.mode).into_bytes();
    let owner = |entry: &TreeEntry| format!("{}:{}", entry.uid, entry.gid).into_bytes();
    let mut access: Vec<Vec<u8>> = Vec::new();
    for (path, entry) in &merge.access {
        access.extend([mode(entry), owner(entry), path.clone()]);
    }
    [("expect", expect), ("absent", absent), ("files", files), ("dirs", dirs), ("access", access)]
        .map(|(name, list)| {
            (name, list.into_iter().flat_map(|line| [line, vec![0]]).flatten().collect())
        })
}

#[async_trait(?Send)]
impl ByteStream for ChangesTar {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            match self.produce().await {
                // An entry that is not written has no bytes.
                Ok(Some(bytes)) if bytes.is_empty() => {}
                Ok(next) => return Ok(next),
                Err(failure) => {
                    *self.failure.borrow_mut() = Some(failure.clone());
                    return Err(failure);
                }
            }
        }
    }

    async fn cancel(&mut self) {}

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
