//! Packs a file or directory as a tar archive. Equal files make equal bytes, so that an upload can
//! be resumed.

use crate::error::Error;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tar::{Builder, EntryType, Header};
use walkdir::{DirEntry, WalkDir};

/// The files to pack.
pub struct Source {
    entries: Vec<Entry>,
    /// The approximate size of the archive.
    pub size_bytes: u64,
    /// Sockets, pipes and devices, which are left out.
    pub skipped_count: u64,
}

struct Entry {
    path: PathBuf,
    /// The name in the archive.
    name: PathBuf,
    metadata: Metadata,
}

const BLOCK_BYTES: u64 = 512;

impl Source {
    /// A directory's content, or a file, which is called `name` in the archive.
    pub fn of(path: &Path, name: &str) -> Result<Self, Error> {
        let failed = |error: &dyn std::fmt::Display| Error::local(path.display(), error);
        let metadata = fs::metadata(path).map_err(|error| failed(&error))?;
        let mut source =
            Self { entries: Vec::new(), size_bytes: 2 * BLOCK_BYTES, skipped_count: 0 };
        if metadata.is_dir() {
            // Sorted, so that the archive is the same each time.
            for entry in WalkDir::new(path).min_depth(1).sort_by_file_name() {
                source.add(entry.map_err(|error| failed(&error))?, path)?;
            }
        } else if metadata.is_file() {
            source.push(Entry { path: path.to_owned(), name: name.into(), metadata });
        } else {
            return Err(failed(&"it is no file and no directory"));
        }
        Ok(source)
    }

    fn add(&mut self, entry: DirEntry, root: &Path) -> Result<(), Error> {
        let path = entry.path().to_owned();
        let metadata = entry.metadata().map_err(|error| Error::local(path.display(), error))?;
        let kind = metadata.file_type();
        if !kind.is_dir() && !kind.is_file() && !kind.is_symlink() {
            self.skipped_count += 1;
            return Ok(());
        }
        let name = path
            .strip_prefix(root)
            .map_err(|error| Error::local(path.display(), error))?
            .to_owned();
        self.push(Entry { path, name, metadata });
        Ok(())
    }

    fn push(&mut self, entry: Entry) {
        let content = if entry.metadata.is_file() { entry.metadata.len() } else { 0 };
        self.size_bytes += BLOCK_BYTES + content.next_multiple_of(BLOCK_BYTES);
        self.entries.push(entry);
    }

    /// Writes the archive. Returns an error of `to` unchanged.
    pub fn pack(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut builder = Builder::new(to);
        for entry in &self.entries {
            append(&mut builder, entry).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", entry.path.display()))
            })?;
        }
        builder.finish()
    }
}

fn append(builder: &mut Builder<&mut dyn Write>, entry: &Entry) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_metadata(&entry.metadata);
    // User ids of this machine mean nothing in the workspace, where root owns everything.
    header.set_uid(0);
    header.set_gid(0);
    if entry.metadata.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        return builder.append_link(&mut header, &entry.name, fs::read_link(&entry.path)?);
    }
    if entry.metadata.is_dir() {
        header.set_entry_type(EntryType::Directory);
        header.set_size(0);
        return builder.append_data(&mut header, &entry.name, io::empty());
    }
    let size = entry.metadata.len();
    header.set_size(size);
    let content = Exactly { from: File::open(&entry.path)?, left: size };
    builder.append_data(&mut header, &entry.name, content)
}

/// Reads as many bytes as the header says. Cuts a file that grew, and fails for a file that shrank.
struct Exactly<R> {
    from: R,
    left: u64,
}

impl<R: Read> Read for Exactly<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.by_ref().take(self.left).read(buffer)?;
        if count == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::Error::other("it became smaller while it was read"));
        }
        self.left -= count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_same_files_make_the_same_archive() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("b/empty")).unwrap();
        fs::write(dir.path().join("b/file"), "content").unwrap();
        fs::write(dir.path().join("a"), "").unwrap();
        symlink("/etc/passwd", dir.path().join("link")).unwrap();
        let packed = || {
            let mut bytes = Vec::new();
            Source::of(dir.path(), "").unwrap().pack(&mut bytes).unwrap();
            bytes
        };
        assert_eq!(packed(), packed());
        let bytes = packed();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let names: Vec<String> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                format!("{} {:?}", entry.path().unwrap().display(), entry.header().entry_type())
            })
            .collect();
        assert_eq!(
            names,
            ["a Regular", "b Directory", "b/empty Directory", "b/file Regular", "link Symlink"]
        );
        assert_eq!(Source::of(dir.path(), "").unwrap().size_bytes, bytes.len() as u64);
    }

    #[test]
    fn a_file_has_the_name_that_it_gets() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("here");
        fs::write(&file, "content").unwrap();
        let mut bytes = Vec::new();
        Source::of(&file, "there").unwrap().pack(&mut bytes).unwrap();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let entry = archive.entries().unwrap().next().unwrap().unwrap();
        assert_eq!(entry.path().unwrap().to_str(), Some("there"));
    }

    #[test]
    fn a_file_that_shrinks_is_an_error() {
        let mut reader = Exactly { from: &b"abc"[..], left: 4 };
        assert!(io::copy(&mut reader, &mut io::sink()).is_err());
        let mut reader = Exactly { from: &b"abcdef"[..], left: 4 };
        assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), 4);
    }
}
