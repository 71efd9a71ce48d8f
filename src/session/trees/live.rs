//! Read what a comparison needs of a running workspace, in its container.

use crate::domain::limits::{TREE_ENTRIES_MAX, TREE_IGNORE_FILE_MAX_BYTES, TREE_RECORDS_MAX_BYTES};
use crate::domain::tree::changes::sort;
use crate::domain::tree::record::{self, Mark};
use crate::domain::tree::{Difference, TreeEntry, by_walk};
use crate::domain::{Error, ErrorCode, Result};
use crate::ports::sandbox::{TreeOptions, TreeRead};
use crate::ports::{ByteStream, Bytes};
use crate::session::parts::OpenSnapshot;
use crate::session::trees::contents::hash;
use crate::session::trees::differences::{
    Comparing, Differences, Doubt, Doubts, entry, ignore_file_of, room_for_ignore_file,
    too_many_differences, too_many_entries,
};
use crate::session::trees::tree::LiveTree;
use crate::squashfs::{Node, NodeKind, Walk};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use std::any::Any;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Output of a container that does not know what has changed.
const UNPROVEN: &[u8] = b"!\0";
const LIST_AT_ONCE: usize = 1_000;
/// Length of the header that `gzip` writes for a stream without a name.
const GZIP_HEADER_BYTES: usize = 10;

impl LiveTree {
    /// Compares this tree with an archive, in the container. None: with an empty tree.
    pub(crate) async fn differences_to(
        &self,
        base: Option<&Rc<OpenSnapshot>>,
        comparing: &Comparing,
    ) -> Result<Differences> {
        let mut found = Differences::default();
        let head = self.head.borrow().clone().filter(|_| !comparing.all_contents);
        let records = match (base, head) {
            (None, _) => inflate(&self.read(TreeRead::Differences, Vec::new()).await?)?,
            (Some(base), head) => {
                let mut records = None;
                if head.is_some() {
                    records = self.compare_with(base, head, comparing, &mut found).await?;
                    found.is_proven = records.is_some();
                }
                if records.is_none() {
                    records = self.compare_with(base, None, comparing, &mut found).await?;
                }
                records
                    .ok_or_else(|| Error::internal("differences.sh printed unexpected output"))?
            }
        };
        let mut list = parse(&records)?;
        drop(records);
        sort(&mut list);
        self.note_ignore_files(&list, &mut found).await?;
        for difference in list {
            found.push(comparing, difference)?;
        }
        Ok(found)
    }

    /// None: the container doesn't know what has changed since `head` was saved.
    async fn compare_with(
        &self,
        base: &Rc<OpenSnapshot>,
        head: Option<Rc<OpenSnapshot>>,
        comparing: &Comparing,
        found: &mut Differences,
    ) -> Result<Option<Vec<u8>>> {
        let saved = head.as_ref().map(|head| head.sums.join("+"));
        let notes = Notes { doubts: Some(Doubts::new(comparing)), ..Notes::default() };
        let notes = Rc::new(RefCell::new(notes));
        let list = ListOfArchive {
            shared: head.as_ref().map_or(0, |head| base.shared_archives(&head.sums)),
            open: base.clone(),
            head,
            decides_content: comparing.all_contents,
            last: Some(Vec::new()),
            listed: 0,
            notes: notes.clone(),
        };
        let read = self.read_with(TreeRead::Differences, saved, Box::new(list)).await;
        let Notes { doubts, ignore_files, failure } = notes.take();
        // The container knows only that the list broke off.
        let records = inflate(&failure.map_or(read, Err)?)?;
        found.ignore_files = ignore_files;
        found.unread = doubts.map_or(0, |doubts| doubts.unread);
        Ok((records != UNPROVEN).then_some(records))
    }

    async fn note_ignore_files(&self, list: &[Difference], found: &mut Differences) -> Result<()> {
        let changed = || list.iter().filter(|changed| ignore_file_of(&changed.path).is_some());
        for gone in changed() {
            found.ignore_files.remove(ignore_file_of(&gone.path).unwrap_or_default());
        }
        let mut held = found.ignore_files.values().map(|content| content.len() as u64).sum();
        let mut paths: Vec<&[u8]> = Vec::new();
        for Difference { path, new, .. } in changed() {
            let size_bytes = new.as_ref().and_then(TreeEntry::file_bytes);
            let files = found.ignore_files.len() + paths.len();
            let room = size_bytes.and_then(|bytes| room_for_ignore_file(files, held, bytes));
            if let Some(bytes) = room {
                held += bytes;
                paths.push(path);
            }
        }
        for (path, (content, _)) in self.contents(&paths, TREE_IGNORE_FILE_MAX_BYTES).await? {
            let Some(dir) = ignore_file_of(&path) else { continue };
            found.ignore_files.insert(dir.to_vec(), content);
        }
        Ok(())
    }

    /// Leaves out files that do not exist.
    pub(crate) async fn hashes(&self, paths: &[&[u8]]) -> Result<BTreeMap<Vec<u8>, [u8; 32]>> {
        if paths.is_empty() {
            return Ok(BTreeMap::new());
        }
        let printed = self.read(TreeRead::Hashes, joined(paths)).await?;
        let lines = printed.split(|byte| *byte == 0);
        Ok(lines.filter_map(|line| Some((line.get(66..)?.to_vec(), digest(line)?))).collect())
    }

    /// The first `max_bytes` of files, and their sizes. Leaves out files that do not exist. All
    /// contents together must fit into what a container prints at once.
    pub(crate) async fn contents(
        &self,
        paths: &[&[u8]],
        max_bytes: u64,
    ) -> Result<BTreeMap<Vec<u8>, (Vec<u8>, u64)>> {
        if paths.is_empty() {
            return Ok(BTreeMap::new());
        }
        let printed = self.read(TreeRead::Contents { max_bytes }, joined(paths)).await?;
        let mut rest = printed.as_slice();
        let mut contents = BTreeMap::new();
        for path in paths {
            let (size, content) = next_content(&mut rest)
                .ok_or_else(|| Error::internal("contents.sh printed unexpected output"))?;
            if let Some(size) = size {
                contents.insert(path.to_vec(), (content.to_vec(), size));
            }
        }
        Ok(contents)
    }

    async fn read(&self, read: TreeRead, input: Vec<u8>) -> Result<Vec<u8>> {
        self.read_with(read, None, Box::new(Input(Some(input)))).await
    }

    async fn read_with(
        &self,
        read: TreeRead,
        saved: Option<String>,
        input: Bytes,
    ) -> Result<Vec<u8>> {
        let instance_id = Some(self.active.instance.clone());
        let options = TreeOptions { read, saved, instance_id };
        let printed = self.active.sandbox.read_tree(input, self.root.clone(), options).await?;
        let printed = BASE64.decode(printed);
        printed.map_err(|error| {
            Error::internal(format!("the sandbox's answer is not base64: {error}"))
        })
    }
}

fn joined(paths: &[&[u8]]) -> Vec<u8> {
    paths.iter().flat_map(|path| path.iter().copied().chain([0])).collect()
}

fn digest(line: &[u8]) -> Option<[u8; 32]> {
    let text = std::str::from_utf8(line.get(..64)?).ok()?;
    let mut digest = [0; 32];
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(digest)
}

/// Reads the next `SIZE LENGTH`, a newline and a content. Without a size, the path is no file.
fn next_content<'a>(rest: &mut &'a [u8]) -> Option<(Option<u64>, &'a [u8])> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (heading, after) = rest.split_at_checked(end)?;
    let (size, length) = std::str::from_utf8(heading).ok()?.split_once(' ')?;
    let (content, after) = after.get(1..)?.split_at_checked(length.parse().ok()?)?;
    *rest = after;
    let size = if size == "-" { None } else { Some(size.parse().ok()?) };
    Some((size, content))
}

fn inflate(compressed: &[u8]) -> Result<Vec<u8>> {
    let deflated = compressed.get(GZIP_HEADER_BYTES..).unwrap_or_default();
    decompress_to_vec_with_limit(deflated, TREE_RECORDS_MAX_BYTES).map_err(|error| {
        if error.status == miniz_oxide::inflate::TINFLStatus::HasMoreOutput {
            too_many_differences()
        } else {
            Error::internal(format!("what the container compressed can't be read: {error}"))
        }
    })
}

/// Pairs the records that only the other tree has with those that only this tree has.
fn parse(records: &[u8]) -> Result<Vec<Difference>> {
    type Pair = (Option<TreeEntry>, Option<TreeEntry>);
    let mut pairs: BTreeMap<Vec<u8>, Pair> = BTreeMap::new();
    for line in records.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let (sign, line) = line.split_first().unwrap_or((&0, &[]));
        let (path, entry) = record::read(line).ok_or_else(|| {
            let line = String::from_utf8_lossy(line);
            Error::new(ErrorCode::Unsupported, format!("the workspace has an odd entry: {line:?}"))
        })?;
        let pair = pairs.entry(path).or_default();
        *(if *sign == b'-' { &mut pair.0 } else { &mut pair.1 }) = Some(entry);
    }
    let difference = |(path, (old, new))| Difference { path, old, new };
    Ok(pairs.into_iter().map(difference).collect())
}

struct Input(Option<Vec<u8>>);

#[async_trait(?Send)]
impl ByteStream for Input {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(self.0.take().filter(|bytes| !bytes.is_empty()))
    }

    async fn cancel(&mut self) {}

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

#[derive(Default)]
struct Notes {
    doubts: Option<Doubts>,
    ignore_files: BTreeMap<Vec<u8>, Vec<u8>>,
    failure: Option<Error>,
}

struct ListOfArchive {
    open: Rc<OpenSnapshot>,
    /// The workspace's last save, if the container may know what has changed since.
    head: Option<Rc<OpenSnapshot>>,
    shared: usize,
    /// Whether size and time of a file tell nothing.
    decides_content: bool,
    /// None: all paths are listed.
    last: Option<Vec<u8>>,
    listed: usize,
    notes: Rc<RefCell<Notes>>,
}

impl ListOfArchive {
    async fn produce(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(last) = self.last.take() else { return Ok(None) };
        // The notes are not borrowed during the read.
        let mut notes = self.notes.take();
        let produced = match &mut notes.doubts {
            Some(doubts) => self.list_after(last, doubts, &mut notes.ignore_files).await,
            None => Ok(None),
        };
        self.notes.replace(notes);
        produced
    }

    async fn list_after(
        &mut self,
        mut last: Vec<u8>,
        doubts: &mut Doubts,
        ignore_files: &mut BTreeMap<Vec<u8>, Vec<u8>>,
    ) -> Result<Option<Vec<u8>>> {
        let tree = &self.open.tree;
        let mut walk = tree.walk_after(tree.root(), &last).await?;
        let mut saved = match &self.head {
            // The save and the archive are the same tree.
            Some(head) if head.sums == self.open.sums => None,
            Some(head) => Some(Saved::after(head, &last).await?),
            None => None,
        };
        let mut records = Vec::new();
        for _ in 0..LIST_AT_ONCE {
            let Some((path, node)) = walk.next().await? else {
                return Ok((!records.is_empty()).then_some(records));
            };
            doubts.note_ignore_file(&self.open, ignore_files, &path, &node).await?;
            let is_saved = match &mut saved {
                Some(saved) => saved.has(&path, &node, self.shared).await?,
                None => self.head.is_some(),
            };
            let mark = self.mark(&path, &node, is_saved, doubts).await?;
            records.extend(record::write_marked(&path, &entry(&node), mark));
            records.push(0);
            last = path;
        }
        self.listed += LIST_AT_ONCE;
        if self.listed > TREE_ENTRIES_MAX {
            return Err(too_many_entries());
        }
        self.last = Some(last);
        Ok(Some(records))
    }

    async fn mark(
        &self,
        path: &[u8],
        node: &Node,
        is_saved: bool,
        doubts: &mut Doubts,
    ) -> Result<Option<Mark>> {
        let size_bytes = match node.kind {
            NodeKind::File { size_bytes } if size_bytes > 0 => size_bytes,
            _ => return Ok(None),
        };
        if is_saved {
            return Ok(Some(Mark::Saved));
        }
        if self.head.is_none() && !self.decides_content && self.open.is_sure_of(node) {
            return Ok(None);
        }
        Ok(match doubts.about(path, size_bytes) {
            Doubt::None => None,
            Doubt::List => Some(Mark::Content(None)),
            Doubt::Read => {
                let sum = hash(&self.open, node, size_bytes).await?;
                Some(Mark::Content(Some(sum)))
            }
        })
    }
}

struct Saved<'a> {
    walk: Walk<'a>,
    next: Option<(Vec<u8>, Node)>,
}

impl<'a> Saved<'a> {
    async fn after(head: &'a OpenSnapshot, last: &[u8]) -> Result<Self> {
        let mut walk = head.tree.walk_after(head.tree.root(), last).await?;
        let next = walk.next().await?;
        Ok(Self { walk, next })
    }

    /// Whether the save has the same node. Paths must be asked for in order.
    async fn has(&mut self, path: &[u8], node: &Node, shared: usize) -> Result<bool> {
        while let Some((at, found)) = &self.next {
            match by_walk(at, path) {
                Ordering::Less => self.next = self.walk.next().await?,
                order => return Ok(order.is_eq() && found.is_same(node, shared)),
            }
        }
        Ok(false)
    }
}

#[async_trait(?Send)]
impl ByteStream for ListOfArchive {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let next = self.produce().await;
        if let Err(failure) = &next {
            self.notes.borrow_mut().failure = Some(failure.clone());
        }
        next
    }

    async fn cancel(&mut self) {}

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
