//! Read what a comparison needs of a running workspace, in its container.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::{TREE_ENTRIES_MAX, TREE_IGNORE_FILES_MAX, TREE_RECORDS_MAX_BYTES};
use crate::domain::tree::changes::sort;
use crate::domain::tree::record;
use crate::domain::tree::{Difference, TreeEntry};
use crate::ports::sandbox::{TreeOptions, TreeRead};
use crate::ports::stream::{ByteStream, Bytes};
use crate::session::snapshots::files::archives::OpenSnapshot;
use crate::session::trees::differences::{
    Comparing, Differences, IGNORE_FILE_MAX_BYTES, entry, ignore_file_of, note_ignore_file,
    too_many_differences, too_many_entries,
};
use crate::session::trees::tree::LiveTree;
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Entries of an archive that are listed at once.
const LIST_AT_ONCE: usize = 1_000;
/// Length of the header that `gzip` writes for a stream without a name.
const GZIP_HEADER_BYTES: usize = 10;

impl LiveTree {
    /// Compares this tree with an archive, in the container. None: with no files.
    pub(crate) async fn differences_to(
        &self,
        base: Option<&Rc<OpenSnapshot>>,
        comparing: &Comparing,
    ) -> Result<Differences> {
        let mut found = Differences::default();
        let records = match base {
            None => self.read(TreeRead::Differences, Vec::new()).await?,
            Some(base) => {
                let notes = Rc::<RefCell<Notes>>::default();
                let list = ListOfArchive {
                    open: base.clone(),
                    sure_until_ms: (!comparing.all_contents).then_some(base.created_at_ms),
                    last: Some(Vec::new()),
                    listed: 0,
                    notes: notes.clone(),
                };
                let read = self.read_with(TreeRead::Differences, Box::new(list)).await;
                let notes = notes.take();
                found.ignore_files = notes.ignore_files;
                // The container knows only that the list broke off.
                notes.failure.map_or(read, Err)?
            }
        };
        let mut list = parse(&inflate(&records)?)?;
        drop(records);
        sort(&mut list);
        self.note_ignore_files(&list, &mut found).await?;
        for difference in list {
            found.push(comparing, difference)?;
        }
        Ok(found)
    }

    /// Reads the `.gitignore` files that differ from the archive's.
    async fn note_ignore_files(&self, list: &[Difference], found: &mut Differences) -> Result<()> {
        let mut changed: Vec<&Difference> =
            list.iter().filter(|difference| ignore_file_of(&difference.path).is_some()).collect();
        changed.truncate(TREE_IGNORE_FILES_MAX);
        let paths = changed.iter().filter(|difference| difference.new.is_some());
        let paths: Vec<&[u8]> = paths.map(|difference| difference.path.as_slice()).collect();
        let mut contents = self.contents(&paths, IGNORE_FILE_MAX_BYTES).await?;
        for Difference { path, .. } in changed {
            let Some(dir) = ignore_file_of(path) else { continue };
            match contents.remove(path) {
                Some((content, _)) => found.ignore_files.insert(dir.to_vec(), content),
                None => found.ignore_files.remove(dir),
            };
        }
        Ok(())
    }

    /// SHA-256 of files' contents. A file that is not there is left out.
    pub(crate) async fn hashes(&self, paths: &[&[u8]]) -> Result<BTreeMap<Vec<u8>, [u8; 32]>> {
        if paths.is_empty() {
            return Ok(BTreeMap::new());
        }
        let printed = self.read(TreeRead::Hashes, joined(paths)).await?;
        let lines = printed.split(|byte| *byte == 0);
        Ok(lines.filter_map(|line| Some((line.get(66..)?.to_vec(), digest(line)?))).collect())
    }

    /// The first `max_bytes` of files, and their sizes. One that is not there is left
    /// out. All together must fit into what a container prints at once.
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
                .ok_or_else(|| Error::internal("contents.sh printed something else"))?;
            if let Some(size) = size {
                contents.insert(path.to_vec(), (content.to_vec(), size));
            }
        }
        Ok(contents)
    }

    async fn read(&self, read: TreeRead, input: Vec<u8>) -> Result<Vec<u8>> {
        self.read_with(read, Box::new(Input(Some(input)))).await
    }

    async fn read_with(&self, read: TreeRead, input: Bytes) -> Result<Vec<u8>> {
        let options = TreeOptions { read, instance_id: Some(self.active.instance.clone()) };
        let printed = self.active.sandbox.read_tree(input, self.root.clone(), options).await?;
        let printed = BASE64.decode(printed);
        printed.map_err(|error| Error::internal(format!("the sandbox answered no base64: {error}")))
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

/// Reads the next `SIZE LENGTH`, a newline and a content. The size is none for what is
/// no file.
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

/// Pairs what only the other tree has with what only this one has.
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

/// Bytes as a stream.
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

/// What the listing of an archive found out besides.
#[derive(Default)]
struct Notes {
    ignore_files: BTreeMap<Vec<u8>, Vec<u8>>,
    failure: Option<Error>,
}

/// The entries of an archive, as records.
struct ListOfArchive {
    open: Rc<OpenSnapshot>,
    sure_until_ms: Option<i64>,
    /// The last path listed. None: all are.
    last: Option<Vec<u8>>,
    listed: usize,
    notes: Rc<RefCell<Notes>>,
}

impl ListOfArchive {
    async fn produce(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(mut last) = self.last.take() else { return Ok(None) };
        let tree = &self.open.tree;
        let mut walk = tree.walk_after(tree.root(), &last).await?;
        let mut records = Vec::new();
        for _ in 0..LIST_AT_ONCE {
            let Some((path, node)) = walk.next().await? else {
                return Ok((!records.is_empty()).then_some(records));
            };
            let mut ignore_files = std::mem::take(&mut self.notes.borrow_mut().ignore_files);
            let noted = note_ignore_file(&self.open, &mut ignore_files, &path, &node).await;
            self.notes.borrow_mut().ignore_files = ignore_files;
            noted?;
            records.extend(record::write(&path, &entry(&node, self.sure_until_ms)));
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
