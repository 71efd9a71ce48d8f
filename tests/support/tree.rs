//! A tree of files in memory, as a sandbox shows it to a comparison.

use super::squashfs::inode_field::{MODE, TIME};
use super::squashfs::{Image, Inode, kind, words};
use miniz_oxide::deflate::compress_to_vec;
use sha2::{Digest, Sha256};
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::tree::record;
use snapshotter::domain::tree::{TreeEntry, TreeKind};
use snapshotter::ports::sandbox::TreeRead;
use std::collections::{BTreeMap, BTreeSet};

/// What the paths of a tree are, and the contents of files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryTree(pub BTreeMap<Vec<u8>, (TreeEntry, Vec<u8>)>);

impl MemoryTree {
    pub fn put(&mut self, path: &str, content: &str, secs: i64) {
        let kind =
            TreeKind::File { size_bytes: content.len() as u64, modified_at_secs: Some(secs) };
        let entry = TreeEntry { kind, mode: 0o644, uid: 0, gid: 1000 };
        self.0.insert(path.as_bytes().to_vec(), (entry, content.as_bytes().to_vec()));
    }

    pub fn make_dir(&mut self, path: &str) {
        let entry = TreeEntry { kind: TreeKind::Directory, mode: 0o755, uid: 0, gid: 1000 };
        self.0.insert(path.as_bytes().to_vec(), (entry, Vec::new()));
    }

    pub fn link(&mut self, path: &str, target: &str) {
        let kind = TreeKind::Symlink { target: target.as_bytes().to_vec() };
        let entry = TreeEntry { kind, mode: 0o777, uid: 0, gid: 1000 };
        self.0.insert(path.as_bytes().to_vec(), (entry, Vec::new()));
    }

    /// What `readTree` answers.
    pub fn read(&self, read: TreeRead, input: &[u8]) -> Vec<u8> {
        self.read_since(read, input, None)
    }

    /// The same, where the container is asked what has changed since the last save, and may
    /// know it.
    pub fn read_since(
        &self,
        read: TreeRead,
        input: &[u8],
        touched: Option<Option<BTreeSet<Vec<u8>>>>,
    ) -> Vec<u8> {
        let lines = input.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        match read {
            TreeRead::Differences => {
                if touched == Some(None) {
                    return [&[0; 10], compress_to_vec(b"!\0", 1).as_slice()].concat();
                }
                let touched = touched.flatten().unwrap_or_default();
                let old: BTreeSet<Vec<u8>> =
                    lines.map(|line| self.without_mark(line, &touched)).collect();
                let new: BTreeSet<Vec<u8>> =
                    self.0.iter().map(|(path, (entry, _))| record::write(path, entry)).collect();
                let mut told = Vec::new();
                for line in old.difference(&new) {
                    told.extend([b"-", line.as_slice(), b"\0"].concat());
                }
                for line in new.difference(&old) {
                    told.extend([b"+", line.as_slice(), b"\0"].concat());
                }
                [&[0; 10], compress_to_vec(&told, 1).as_slice()].concat()
            }
            TreeRead::Hashes => lines
                .filter_map(|path| Some((path, self.file(path)?)))
                .flat_map(|(path, content)| {
                    let hash = Sha256::digest(content);
                    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
                    [hash.as_bytes(), b"  ", path, b"\0"].concat()
                })
                .collect(),
            TreeRead::Contents { max_bytes } => lines
                .flat_map(|path| match self.file(path) {
                    None => b"- 0\n".to_vec(),
                    Some(content) => {
                        let shown = &content[..content.len().min(max_bytes as usize)];
                        [format!("{} {}\n", content.len(), shown.len()).as_bytes(), shown].concat()
                    }
                })
                .collect(),
        }
    }

    /// A given record of a marked file: without the mark if it is proven to be the same,
    /// else without its time.
    fn without_mark(&self, line: &[u8], touched: &BTreeSet<Vec<u8>>) -> Vec<u8> {
        let mut fields: Vec<&[u8]> = line.splitn(7, |byte| *byte == b' ').collect();
        let (time, path) = (fields[5], fields[6]);
        let (mark, time) = match time {
            [mark @ (b'=' | b'?'), time @ ..] => (*mark, time),
            _ => return line.to_vec(),
        };
        let (time, sum) = match time.iter().position(|byte| *byte == b':') {
            Some(end) => (&time[..end], Some(&time[end + 1..])),
            None => (time, None),
        };
        let content = self.file(path).map(|content| {
            Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        });
        let is_proven = match mark {
            b'=' => !touched.contains(path),
            _ => sum.is_some() && sum == content.as_deref().map(str::as_bytes),
        };
        fields[5] = if is_proven { time } else { b"?" };
        fields.join(&b' ')
    }

    /// A layer of it: what `base` lacks or has otherwise, and a whiteout for all else there.
    pub fn layer_on(&self, base: &Self) -> Vec<u8> {
        let parent = |path: &[u8]| {
            path.iter().rposition(|byte| *byte == b'/').map(|end| path[..end].to_vec())
        };
        let is_directory = |path: Vec<u8>| {
            self.0.get(&path).is_some_and(|(entry, _)| entry.kind == TreeKind::Directory)
        };
        let mut layer = self.clone();
        layer.0.retain(|path, entry| base.0.get(path) != Some(entry));
        for path in base.0.keys().filter(|path| !self.0.contains_key(*path)) {
            // What is in a directory that is gone is gone with it.
            if parent(path).is_none_or(is_directory) {
                let entry = TreeEntry { kind: TreeKind::Other(b'c'), mode: 0, uid: 0, gid: 0 };
                layer.0.insert(path.clone(), (entry, Vec::new()));
            }
        }
        for path in layer.0.keys().cloned().collect::<Vec<_>>() {
            for dir in std::iter::successors(parent(&path), |dir| parent(dir)) {
                let entry = self.0[&dir].clone();
                layer.0.insert(dir, entry);
            }
        }
        layer.archive()
    }

    /// An archive of it. What is no file, directory or link is a device 0:0.
    pub fn archive(&self) -> Vec<u8> {
        let mut image = Image::new(128 * 1024);
        let root = self.archive_dir(&mut image, b"");
        image.fields(root)[TIME..TIME + 4].fill(0);
        image.bytes(root)
    }

    fn archive_dir(&self, image: &mut Image, dir: &[u8]) -> Inode {
        let mut children = Vec::new();
        for (path, (entry, content)) in &self.0 {
            let below = if dir.is_empty() {
                Some(path.as_slice())
            } else {
                path.strip_prefix(dir).and_then(|rest| rest.strip_prefix(b"/"))
            };
            let Some(name) = below.filter(|below| !below.is_empty() && !below.contains(&b'/'))
            else {
                continue;
            };
            let (inode, secs) = match &entry.kind {
                TreeKind::Directory => (self.archive_dir(image, path), None),
                TreeKind::Symlink { target } => (image.symlink(target), None),
                TreeKind::File { modified_at_secs, .. } => (image.file(content), *modified_at_secs),
                TreeKind::Other(_) => (image.inode(kind::CHAR, 0, &words(&[1, 0])), None),
            };
            let secs = secs.unwrap_or_default() as u32;
            let fields = image.fields(inode);
            fields[MODE..MODE + 2].copy_from_slice(&(entry.mode as u16).to_le_bytes());
            fields[TIME..TIME + 4].copy_from_slice(&secs.to_le_bytes());
            children.push((name, inode));
        }
        children.sort_by_key(|(name, _)| *name);
        image.directory(&children)
    }

    fn file(&self, path: &[u8]) -> Option<&[u8]> {
        let (entry, content) = self.0.get(path)?;
        entry.file_bytes().map(|_| content.as_slice())
    }
}

impl MemoryTree {
    /// Makes the changes of an archive, as `apply.sh` does.
    pub fn apply(&mut self, archive: &[u8]) -> Result<()> {
        let mut lists: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
        let mut placed: Vec<(Vec<u8>, TreeEntry, Vec<u8>)> = Vec::new();
        for (name, entry, content) in members(archive) {
            match name.strip_prefix(b"tree/") {
                Some(path) => placed.push((path.to_vec(), entry, content)),
                None => {
                    let lines = content.split(|byte| *byte == 0).map(<[u8]>::to_vec);
                    let lines = lines.filter(|line| !line.is_empty()).collect();
                    lists.insert(name, lines);
                }
            }
        }
        let has = |record: &Vec<u8>| {
            let (path, entry) = record::read(record).unwrap();
            self.0.get(&path).is_some_and(|(found, _)| *found == entry)
        };
        let unexpected = lists[&b"expect"[..]].iter().find(|record| !has(record));
        let there = lists[&b"absent"[..]].iter().find(|path| self.0.contains_key(*path));
        if let Some(odd) = unexpected.or(there) {
            let message = format!("not as expected: {}", String::from_utf8_lossy(odd));
            return Err(Error::new(ErrorCode::Conflict, message));
        }
        for path in &lists[&b"files"[..]] {
            self.0.remove(path);
        }
        for path in &lists[&b"dirs"[..]] {
            let below = [path.as_slice(), b"/"].concat();
            if !self.0.keys().any(|other| other.starts_with(&below)) {
                self.0.remove(path);
            }
        }
        for (path, entry, content) in placed {
            self.0.insert(path, (entry, content));
        }
        let owner = |text: &[u8]| {
            let (uid, gid) = std::str::from_utf8(text).unwrap().split_once(':').unwrap();
            (uid.parse().unwrap(), gid.parse().unwrap())
        };
        for triple in lists[&b"access"[..]].chunks(3) {
            let entry = &mut self.0.get_mut(&triple[2]).unwrap().0;
            (entry.uid, entry.gid) = owner(&triple[1]);
            entry.mode = u32::from_str_radix(std::str::from_utf8(&triple[0]).unwrap(), 8).unwrap();
        }
        Ok(())
    }
}

/// Files, directories and links of a tar archive.
fn members(archive: &[u8]) -> Vec<(Vec<u8>, TreeEntry, Vec<u8>)> {
    let (mut at, mut members) = (0, Vec::new());
    let (mut long_name, mut long_target) = (None, None);
    while archive[at] != 0 {
        let header = &archive[at..at + 512];
        let text = |from: usize, len: usize| -> Vec<u8> {
            header[from..from + len].iter().copied().take_while(|byte| *byte != 0).collect()
        };
        let number = |from: usize, len: usize| {
            u64::from_str_radix(String::from_utf8(text(from, len)).unwrap().trim(), 8).unwrap()
        };
        let size = number(124, 12) as usize;
        let content = archive[at + 512..at + 512 + size].to_vec();
        at += 512 + size.div_ceil(512) * 512;
        let name = |bytes: &[u8]| bytes[..bytes.len() - 1].to_vec();
        match header[156] {
            b'L' => long_name = Some(name(&content)),
            b'K' => long_target = Some(name(&content)),
            // A tree in memory has no extended attributes.
            b'x' => {}
            flag => {
                let kind = match flag {
                    b'5' => TreeKind::Directory,
                    b'2' => TreeKind::Symlink {
                        target: long_target.take().unwrap_or_else(|| text(157, 100)),
                    },
                    _ => TreeKind::File {
                        size_bytes: size as u64,
                        modified_at_secs: Some(number(136, 12) as i64),
                    },
                };
                let [mode, uid, gid] = [100, 108, 116].map(|from| number(from, 8) as u32);
                let entry = TreeEntry { kind, mode, uid, gid };
                let path = long_name.take().unwrap_or_else(|| text(0, 100));
                members.push((path, entry, content));
            }
        }
    }
    members
}
