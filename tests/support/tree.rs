//! A tree of files in memory, as a sandbox shows it to a comparison.

use super::squashfs::{Image, Inode};
use miniz_oxide::deflate::compress_to_vec;
use sha2::{Digest, Sha256};
use snapshotter::domain::tree::record;
use snapshotter::domain::tree::{TreeEntry, TreeKind};
use snapshotter::ports::sandbox::TreeRead;
use std::collections::BTreeMap;

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
        let lines = input.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        match read {
            TreeRead::Differences => {
                let old: Vec<&[u8]> = lines.collect();
                let new: Vec<Vec<u8>> =
                    self.0.iter().map(|(path, (entry, _))| record::write(path, entry)).collect();
                let mut told = Vec::new();
                for line in old.iter().filter(|line| !new.iter().any(|other| other == *line)) {
                    told.extend([b"-", *line, b"\0"].concat());
                }
                for line in new.iter().filter(|line| !old.contains(&line.as_slice())) {
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

    /// An archive of it.
    pub fn archive(&self) -> Vec<u8> {
        let mut image = Image::new(128 * 1024);
        let root = self.archive_dir(&mut image, b"");
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
            let (inode, at) = match &entry.kind {
                TreeKind::Directory => {
                    let inode = self.archive_dir(image, path);
                    (inode, None)
                }
                TreeKind::Symlink { target } => (image.symlink(target), None),
                _ => {
                    let at = image.inodes.len();
                    (image.file(content), Some(at))
                }
            };
            if let (Some(at), TreeKind::File { modified_at_secs, .. }) = (at, &entry.kind) {
                let secs = modified_at_secs.unwrap_or_default() as u32;
                image.inodes[at + 2..at + 4].copy_from_slice(&(entry.mode as u16).to_le_bytes());
                image.inodes[at + 8..at + 12].copy_from_slice(&secs.to_le_bytes());
            }
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
