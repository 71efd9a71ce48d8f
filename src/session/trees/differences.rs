//! Find the paths that two trees disagree on.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::files::glob::Glob;
use crate::domain::limits::{TREE_DIFFERENCES_MAX, TREE_ENTRIES_MAX, TREE_IGNORE_FILES_MAX};
use crate::domain::tree::changes::{ChangeCounts, set_aside};
use crate::domain::tree::ignore::Ignored;
use crate::domain::tree::{Difference, TreeEntry, TreeKind, between, by_walk, is_at_or_below};
use crate::session::snapshots::files::archives::OpenSnapshot;
use crate::session::snapshots::files::tree::FileWalk;
use crate::session::trees::tree::Tree;
use crate::squashfs::{Node, NodeKind};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Largest `.gitignore` file that is read, in bytes.
pub(crate) const IGNORE_FILE_MAX_BYTES: u64 = 64 * 1024;
/// Differences after which those in ignored directories are set aside.
const SET_ASIDE_EVERY: usize = 4_096;

/// What to compare, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Comparing {
    /// Only this path and those below it.
    pub path: Option<Vec<u8>>,
    /// Only paths that match.
    pub glob: Option<Glob>,
    /// Compare all contents, not just those of files whose metadata differ.
    pub all_contents: bool,
    /// Show `.git` and ignored files in detail, too.
    pub include_ignored: bool,
}

impl Comparing {
    fn wants(&self, path: &[u8]) -> bool {
        self.path.as_deref().is_none_or(|dir| is_at_or_below(path, dir))
            && self.glob.as_ref().is_none_or(|glob| glob.matches(path))
    }
}

/// The paths that two trees disagree on.
#[derive(Default)]
pub(crate) struct Differences {
    /// In the order of a walk.
    pub list: Vec<Difference>,
    /// What is only counted, by the outermost ignored directory or file.
    pub set_aside: BTreeMap<Vec<u8>, ChangeCounts>,
    /// The contents of `.gitignore` files, by their directories.
    pub(crate) ignore_files: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Differences {
    /// Adds a difference that is wanted. Sets aside what is ignored when there are many.
    pub(crate) fn push(&mut self, comparing: &Comparing, difference: Difference) -> Result<()> {
        if !comparing.wants(&difference.path) {
            return Ok(());
        }
        self.list.push(difference);
        if self.list.len().is_multiple_of(SET_ASIDE_EVERY) {
            self.set_ignored_aside(comparing);
        }
        if self.list.len() > TREE_DIFFERENCES_MAX { Err(too_many_differences()) } else { Ok(()) }
    }

    pub(crate) fn set_ignored_aside(&mut self, comparing: &Comparing) {
        if comparing.include_ignored {
            return;
        }
        let ignored = self.ignored();
        for (place, counts) in set_aside(&mut self.list, &ignored) {
            self.set_aside.entry(place).or_default().add(counts);
        }
    }

    /// What the `.gitignore` files name.
    pub(crate) fn ignored(&self) -> Ignored {
        let mut ignored = Ignored::default();
        // The order of bytes has each directory before those in it.
        for (dir, content) in &self.ignore_files {
            ignored.add(dir, content);
        }
        ignored
    }

    fn reversed(mut self) -> Self {
        self.list = self.list.into_iter().map(Difference::reversed).collect();
        for counts in self.set_aside.values_mut() {
            std::mem::swap(&mut counts.added, &mut counts.removed);
        }
        self
    }
}

/// Compares two trees. Two running workspaces are compared by what each changed in
/// `base`, which need not have anything to do with them.
///
/// # Errors
/// `TOO_LARGE`; the errors of reading them.
pub(crate) async fn differences(
    old: &Tree,
    new: &Tree,
    base: &Tree,
    comparing: &Comparing,
) -> Result<Differences> {
    let mut found = match (old, new) {
        (Tree::Live(old), Tree::Live(new)) => {
            let all = &Comparing { include_ignored: true, ..comparing.clone() };
            let base = base.archive();
            let (one, other) =
                futures::try_join!(old.differences_to(base, all), new.differences_to(base, all))?;
            let ignore_files = other.ignore_files;
            let list = between(one.list, other.list);
            Differences { list, ignore_files, ..Differences::default() }
        }
        (Tree::Live(live), base) => {
            live.differences_to(base.archive(), comparing).await?.reversed()
        }
        (base, Tree::Live(live)) => live.differences_to(base.archive(), comparing).await?,
        (old, new) => archives(old.archive(), new.archive(), comparing).await?,
    };
    found.set_ignored_aside(comparing);
    if found.list.len() > TREE_DIFFERENCES_MAX { Err(too_many_differences()) } else { Ok(found) }
}

/// Compares two archives: walks both at once.
async fn archives(
    old: Option<&Rc<OpenSnapshot>>,
    new: Option<&Rc<OpenSnapshot>>,
    comparing: &Comparing,
) -> Result<Differences> {
    let mut found = Differences::default();
    // What either archive recorded in its last second may have changed in it once more.
    let times = [old, new].into_iter().flatten().map(|open| open.created_at_ms);
    let sure_until_ms = if comparing.all_contents { None } else { times.min() };
    let mut olds = Side::of(old);
    let mut news = Side::of(new);
    let (mut one, mut other) = (olds.next().await?, news.next().await?);
    for _ in 0..2 * TREE_ENTRIES_MAX {
        let order = match (&one, &other) {
            (None, None) => return Ok(found),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((one, _)), Some((other, _))) => by_walk(one, other),
        };
        let left = if order.is_le() { one.take() } else { None };
        let right = if order.is_ge() { other.take() } else { None };
        if let Some((path, node)) = right.as_ref().or(left.as_ref()) {
            let side = if right.is_some() { &news } else { &olds };
            side.note_ignore_file(&mut found.ignore_files, path, node).await?;
        }
        if left.is_some() {
            one = olds.next().await?;
        }
        if right.is_some() {
            other = news.next().await?;
        }
        let entry = |side: &Option<(Vec<u8>, Node)>| {
            side.as_ref().map(|(_, node)| entry(node, sure_until_ms))
        };
        let (old, new) = (entry(&left), entry(&right));
        let is_doubtful = new
            .as_ref()
            .is_some_and(|new| matches!(new.kind, TreeKind::File { modified_at_secs: None, .. }));
        if (old != new || is_doubtful)
            && let Some((path, _)) = left.or(right)
        {
            found.push(comparing, Difference { path, old, new })?;
        }
    }
    Err(too_many_entries())
}

pub(crate) fn too_many_differences() -> Error {
    Error::new(
        ErrorCode::TooLarge,
        format!("the trees disagree on more than {TREE_DIFFERENCES_MAX} paths"),
    )
    .with_hint("compare a part with path or glob, or with a nearer snapshot; generated files that a .gitignore names don't count")
}

pub(crate) fn too_many_entries() -> Error {
    Error::new(
        ErrorCode::TooLarge,
        format!("a snapshot has more than {TREE_ENTRIES_MAX} files and directories to compare"),
    )
}

/// One side of a comparison of archives.
struct Side<'a> {
    open: Option<&'a OpenSnapshot>,
    walk: Option<FileWalk<'a>>,
}

impl<'a> Side<'a> {
    fn of(open: Option<&'a Rc<OpenSnapshot>>) -> Self {
        let open = open.map(Rc::as_ref);
        let walk = open.map(|open| open.tree.walk(open.tree.root()));
        Self { open, walk }
    }

    async fn next(&mut self) -> Result<Option<(Vec<u8>, Node)>> {
        match &mut self.walk {
            Some(walk) => walk.next().await,
            None => Ok(None),
        }
    }

    async fn note_ignore_file(
        &self,
        files: &mut BTreeMap<Vec<u8>, Vec<u8>>,
        path: &[u8],
        node: &Node,
    ) -> Result<()> {
        match self.open {
            Some(open) => note_ignore_file(open, files, path, node).await,
            None => Ok(()),
        }
    }
}

/// Reads a `.gitignore` file that a walk has come to.
pub(crate) async fn note_ignore_file(
    open: &OpenSnapshot,
    files: &mut BTreeMap<Vec<u8>, Vec<u8>>,
    path: &[u8],
    node: &Node,
) -> Result<()> {
    let Some(dir) = ignore_file_of(path) else { return Ok(()) };
    let NodeKind::File { size_bytes } = node.kind else { return Ok(()) };
    if files.len() < TREE_IGNORE_FILES_MAX {
        let size_bytes = size_bytes.min(IGNORE_FILE_MAX_BYTES);
        files.insert(dir.to_vec(), open.tree.read(node, 0, size_bytes).await?);
    }
    Ok(())
}

/// The directory of a `.gitignore` file, if the path is one.
pub(crate) fn ignore_file_of(path: &[u8]) -> Option<&[u8]> {
    let dir = path.strip_suffix(b".gitignore")?;
    if dir.is_empty() { Some(dir) } else { dir.strip_suffix(b"/") }
}

/// What a node is. A file that changed after `sure_until_ms` has no time: its content
/// decides. None: that of every file does.
pub(crate) fn entry(node: &Node, sure_until_ms: Option<i64>) -> TreeEntry {
    let kind = match &node.kind {
        NodeKind::File { size_bytes } => {
            let secs = i64::from(node.modified_at_secs);
            // Times in archives are whole seconds, and the clocks of Worker and container differ.
            let is_sure = sure_until_ms.is_some_and(|until| secs < until.div_euclid(1_000) - 1);
            TreeKind::File { size_bytes: *size_bytes, modified_at_secs: is_sure.then_some(secs) }
        }
        NodeKind::Directory => TreeKind::Directory,
        NodeKind::Symlink { target } => TreeKind::Symlink { target: target.clone() },
        NodeKind::CharDevice { .. } => TreeKind::Other(b'c'),
        NodeKind::BlockDevice { .. } => TreeKind::Other(b'b'),
        NodeKind::Fifo => TreeKind::Other(b'p'),
        NodeKind::Socket => TreeKind::Other(b's'),
    };
    TreeEntry { kind, mode: node.mode, uid: node.uid, gid: node.gid }
}
