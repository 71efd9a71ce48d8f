//! Find the paths in which two trees differ. The file is long because each bound of a comparison
//! is kept where it is reached.

use crate::domain::files::glob::{Glob, Work};
use crate::domain::limits::{
    TREE_CONTENT_MAX_BYTES, TREE_DIFFERENCES_MAX, TREE_ENTRIES_MAX, TREE_IGNORE_FILE_MAX_BYTES,
    TREE_IGNORE_FILES_MAX, TREE_IGNORE_MAX_BYTES, TREE_PATHS_MAX_BYTES, TREE_UNCERTAIN_MAX,
};
use crate::domain::tree::changes::{ChangeCounts, set_aside};
use crate::domain::tree::ignore::Ignored;
use crate::domain::tree::{Difference, TreeEntry, TreeKind, between, by_walk, is_at_or_below};
use crate::domain::{Error, ErrorCode, Result};
use crate::session::parts::OpenSnapshot;
use crate::session::trees::contents::hash;
use crate::session::trees::tree::Tree;
use crate::squashfs::{Node, NodeKind, Walk};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Differences after which those in ignored directories are set aside.
const SET_ASIDE_EVERY: usize = 4_096;

#[derive(Debug, Clone, Default)]
pub(crate) struct Comparing {
    /// Only this path and those below it.
    pub path: Option<Vec<u8>>,
    pub glob: Option<Glob>,
    /// Compare all contents, not just those of files whose metadata differ.
    pub all_contents: bool,
    /// Show `.git` and ignored files in detail, too.
    pub include_ignored: bool,
    /// The work of matching paths, in all comparisons of one call.
    pub work: Rc<Work>,
}

impl Comparing {
    pub(crate) fn wants(&self, path: &[u8]) -> bool {
        self.path.as_deref().is_none_or(|dir| is_at_or_below(path, dir))
            && self.glob.as_ref().is_none_or(|glob| glob.matches(path, &self.work))
    }

    fn check_work(&self) -> Result<()> {
        if !self.work.is_done() {
            return Ok(());
        }
        let message = "glob or the .gitignore files have too costly patterns for so many paths";
        Err(Error::new(ErrorCode::TooLarge, message)
            .with_hint("compare a part with path, with a simpler glob, or with includeIgnored"))
    }
}

#[derive(Default)]
pub(crate) struct Differences {
    /// Differences in the order of a walk.
    pub list: Vec<Difference>,
    /// Differences that are only counted, by the outermost ignored directory or file.
    pub set_aside: BTreeMap<Vec<u8>, ChangeCounts>,
    pub(crate) ignore_files: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Files of equal size and time that were not compared, and are not listed.
    pub unread: u64,
    /// Whether files of equal size and time that are not listed are proven to be the same.
    pub is_proven: bool,
    path_bytes: usize,
}

impl Differences {
    /// When there are many differences, sets aside those of ignored files.
    pub(crate) fn push(&mut self, comparing: &Comparing, difference: Difference) -> Result<()> {
        if !comparing.wants(&difference.path) {
            return comparing.check_work();
        }
        self.path_bytes += difference.path.len();
        self.list.push(difference);
        if self.list.len().is_multiple_of(SET_ASIDE_EVERY) || self.path_bytes > TREE_PATHS_MAX_BYTES
        {
            self.set_ignored_aside(comparing)?;
        }
        self.check_size()
    }

    fn check_size(&self) -> Result<()> {
        if self.list.len() > TREE_DIFFERENCES_MAX || self.path_bytes > TREE_PATHS_MAX_BYTES {
            return Err(too_many_differences());
        }
        Ok(())
    }

    fn set_ignored_aside(&mut self, comparing: &Comparing) -> Result<()> {
        if !comparing.include_ignored {
            let ignored = self.ignored(&comparing.work);
            for (place, counts) in set_aside(&mut self.list, &ignored) {
                self.set_aside.entry(place).or_default().add(counts);
            }
            self.path_bytes = self.list.iter().map(|difference| difference.path.len()).sum();
        }
        comparing.check_work()
    }

    pub(crate) fn ignored(&self, work: &Rc<Work>) -> Ignored {
        let mut ignored = Ignored::counted_by(work.clone());
        // In byte order, each directory comes before those in it.
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

/// Two running workspaces are compared by how each differs from `base`, which may be unrelated.
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
            let (ignore_files, unread) = (other.ignore_files, one.unread.max(other.unread));
            let is_proven = one.is_proven && other.is_proven;
            let list = between(one.list, other.list);
            Differences { list, ignore_files, unread, is_proven, ..Differences::default() }
        }
        (Tree::Live(live), base) => {
            live.differences_to(base.archive(), comparing).await?.reversed()
        }
        (base, Tree::Live(live)) => live.differences_to(base.archive(), comparing).await?,
        (old, new) => archives(old.archive(), new.archive(), comparing).await?,
    };
    found.set_ignored_aside(comparing)?;
    found.check_size()?;
    Ok(found)
}

/// Walks both archives at once.
async fn archives(
    old: Option<&Rc<OpenSnapshot>>,
    new: Option<&Rc<OpenSnapshot>>,
    comparing: &Comparing,
) -> Result<Differences> {
    let mut found = Differences::default();
    let shared = old.zip(new).map_or(0, |(old, new)| old.shared_archives(&new.sums));
    let mut doubts = Doubts::new(comparing);
    let mut olds = Side::of(old);
    let mut news = Side::of(new);
    let (mut one, mut other) = (olds.next().await?, news.next().await?);
    for _ in 0..2 * TREE_ENTRIES_MAX {
        let order = match (&one, &other) {
            (None, None) => {
                found.unread = doubts.unread;
                return Ok(found);
            }
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((one, _)), Some((other, _))) => by_walk(one, other),
        };
        let left = if order.is_le() { one.take() } else { None };
        let right = if order.is_ge() { other.take() } else { None };
        if let Some((path, node)) = right.as_ref().or(left.as_ref()) {
            let side = if right.is_some() { &news } else { &olds };
            if let Some(open) = side.open {
                doubts.note_ignore_file(open, &mut found.ignore_files, path, node).await?;
            }
        }
        if left.is_some() {
            one = olds.next().await?;
        }
        if right.is_some() {
            other = news.next().await?;
        }
        let mut entries = [&left, &right].map(|side| side.as_ref().map(|(_, node)| entry(node)));
        if let (Some((path, old_node)), Some((_, new_node))) = (&left, &right)
            && let (Some(old), Some(new)) = (old, new)
        {
            if old_node.is_same(new_node, shared) {
                continue;
            }
            // A file that either archive recorded in its last second may have changed once more. A
            // layer has the files that its container saw change, whatever their size and time.
            let is_sure = shared == 0 && old.is_sure_of(old_node) && new.is_sure_of(new_node);
            if have_equal_times(&entries)
                && (comparing.all_contents || !is_sure)
                && doubts.differ(path, (old, old_node), (new, new_node)).await?
            {
                forget_time(&mut entries[1]);
            }
        }
        let [old, new] = entries;
        if old != new
            && let Some((path, _)) = left.or(right)
        {
            found.push(comparing, Difference { path, old, new })?;
        }
    }
    Err(too_many_entries())
}

/// Whether both are files of equal size and time, and not empty.
fn have_equal_times([old, new]: &[Option<TreeEntry>; 2]) -> bool {
    old.as_ref().zip(new.as_ref()).is_some_and(|(old, new)| {
        old.kind == new.kind && old.file_bytes().is_some_and(|bytes| bytes > 0)
    })
}

fn forget_time(entry: &mut Option<TreeEntry>) {
    if let Some(TreeEntry { kind: TreeKind::File { modified_at_secs, .. }, .. }) = entry {
        *modified_at_secs = None;
    }
}

/// Files whose size and time do not tell whether they changed, and how much may still be read.
pub(crate) struct Doubts {
    comparing: Comparing,
    ignored: Ignored,
    left_bytes: u64,
    left_uncertain: usize,
    /// Files that count as the same, because there were too many.
    pub unread: u64,
}

pub(crate) enum Doubt {
    None,
    Read,
    /// The content is too large to read: the file is listed, and marked as uncertain.
    List,
}

impl Doubts {
    pub(crate) fn new(comparing: &Comparing) -> Self {
        Self {
            comparing: comparing.clone(),
            ignored: Ignored::counted_by(comparing.work.clone()),
            left_bytes: TREE_CONTENT_MAX_BYTES,
            left_uncertain: TREE_UNCERTAIN_MAX,
            unread: 0,
        }
    }

    pub(crate) fn about(&mut self, path: &[u8], size_bytes: u64) -> Doubt {
        let is_ignored =
            || !self.comparing.include_ignored && self.ignored.outermost(path, false).is_some();
        if !self.comparing.wants(path) || is_ignored() {
            return Doubt::None;
        }
        if let Some(left) = self.left_bytes.checked_sub(size_bytes) {
            self.left_bytes = left;
            return Doubt::Read;
        }
        if let Some(left) = self.left_uncertain.checked_sub(1) {
            self.left_uncertain = left;
            return Doubt::List;
        }
        self.unread += 1;
        Doubt::None
    }

    async fn differ(
        &mut self,
        path: &[u8],
        (old, old_node): (&OpenSnapshot, &Node),
        (new, new_node): (&OpenSnapshot, &Node),
    ) -> Result<bool> {
        let NodeKind::File { size_bytes } = old_node.kind else { return Ok(false) };
        match self.about(path, size_bytes) {
            Doubt::None => Ok(false),
            Doubt::List => Ok(true),
            Doubt::Read => {
                let (one, other) = futures::try_join!(
                    hash(old, old_node, size_bytes),
                    hash(new, new_node, size_bytes)
                )?;
                Ok(one != other)
            }
        }
    }

    pub(crate) async fn note_ignore_file(
        &mut self,
        open: &OpenSnapshot,
        files: &mut BTreeMap<Vec<u8>, Vec<u8>>,
        path: &[u8],
        node: &Node,
    ) -> Result<()> {
        let Some(dir) = ignore_file_of(path) else { return Ok(()) };
        let NodeKind::File { size_bytes } = node.kind else { return Ok(()) };
        let held: u64 = files.values().map(|content| content.len() as u64).sum();
        if let Some(bytes) = room_for_ignore_file(files.len(), held, size_bytes) {
            let content = open.tree.read(node, 0, bytes).await?;
            self.ignored.add(dir, &content);
            files.insert(dir.to_vec(), content);
        }
        Ok(())
    }
}

/// How many bytes of a `.gitignore` file count, beside other such files. None: it does not count.
pub(crate) fn room_for_ignore_file(files: usize, held: u64, size_bytes: u64) -> Option<u64> {
    let size_bytes = size_bytes.min(TREE_IGNORE_FILE_MAX_BYTES);
    let fits = files < TREE_IGNORE_FILES_MAX && held + size_bytes <= TREE_IGNORE_MAX_BYTES;
    fits.then_some(size_bytes)
}

pub(crate) fn too_many_differences() -> Error {
    Error::new(
        ErrorCode::TooLarge,
        format!("the trees differ in more than {TREE_DIFFERENCES_MAX} paths, or in paths that are too long"),
    )
    .with_hint("compare a part with path or glob, or with a nearer snapshot; generated files that a .gitignore names don't count")
}

pub(crate) fn too_many_entries() -> Error {
    Error::new(
        ErrorCode::TooLarge,
        format!("a snapshot has more than {TREE_ENTRIES_MAX} files and directories to compare"),
    )
}

struct Side<'a> {
    open: Option<&'a OpenSnapshot>,
    walk: Option<Walk<'a>>,
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
}

pub(crate) fn ignore_file_of(path: &[u8]) -> Option<&[u8]> {
    let dir = path.strip_suffix(b".gitignore")?;
    if dir.is_empty() { Some(dir) } else { dir.strip_suffix(b"/") }
}

pub(crate) fn entry(node: &Node) -> TreeEntry {
    let kind = match &node.kind {
        NodeKind::File { size_bytes } => TreeKind::File {
            size_bytes: *size_bytes,
            modified_at_secs: Some(i64::from(node.modified_at_secs)),
        },
        NodeKind::Directory => TreeKind::Directory,
        NodeKind::Symlink { target } => TreeKind::Symlink { target: target.clone() },
        NodeKind::CharDevice { .. } => TreeKind::Other(b'c'),
        NodeKind::BlockDevice { .. } => TreeKind::Other(b'b'),
        NodeKind::Fifo => TreeKind::Other(b'p'),
        NodeKind::Socket => TreeKind::Other(b's'),
    };
    TreeEntry { kind, mode: node.mode, uid: node.uid, gid: node.gid }
}

impl OpenSnapshot {
    /// Whether its time proves that a file did not change after this archive was begun.
    pub(crate) fn is_sure_of(&self, node: &Node) -> bool {
        // Times in archives are whole seconds, and the clocks of Worker and container differ.
        i64::from(node.modified_at_secs) < self.created_at_ms.div_euclid(1_000) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_to_read_is_listed_and_then_counted() {
        let mut doubts = Doubts::new(&Comparing::default());
        assert!(matches!(doubts.about(b"a", TREE_CONTENT_MAX_BYTES - 1), Doubt::Read));
        for _ in 0..TREE_UNCERTAIN_MAX {
            assert!(matches!(doubts.about(b"b", 2), Doubt::List));
        }
        assert!(matches!(doubts.about(b"c", 2), Doubt::None));
        assert_eq!(doubts.unread, 1);
        assert!(matches!(doubts.about(b"d", 1), Doubt::Read));
        let glob = Some(Glob::parse("glob", "*.rs").unwrap());
        let mut doubts = Doubts::new(&Comparing { glob, ..Comparing::default() });
        assert!(matches!(doubts.about(b"a", u64::MAX), Doubt::None));
        assert_eq!(doubts.unread, 0, "nobody asked");
    }

    #[test]
    fn the_bytes_of_paths_have_a_bound() {
        let comparing = Comparing { include_ignored: true, ..Comparing::default() };
        let mut found = Differences::default();
        let path = vec![b'a'; 4_096];
        let mut push =
            || found.push(&comparing, Difference { path: path.clone(), old: None, new: None });
        let fits = (0..).take_while(|_| push().is_ok()).count();
        assert_eq!(fits, TREE_PATHS_MAX_BYTES / 4_096);
    }
}
