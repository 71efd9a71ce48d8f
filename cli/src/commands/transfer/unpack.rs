//! Unpacks an untrusted archive: never outside the destination.

use crate::error::Error;
use std::io::{self, Read};
use std::path::Path;
use tar::{Archive, Entry, EntryType};

/// The number of unpacked entries.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// Files, and hard links to them.
    pub files: u64,
    /// Directories.
    pub directories: u64,
    /// Symbolic links.
    pub links: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

/// Unpacks into `directory`, which exists. The `tar` crate refuses to write through links and to
/// link to paths outside. We refuse absolute names and `..`, which it would drop or skip, and
/// everything but files, directories and links.
pub fn unpack(from: &mut dyn Read, directory: &Path) -> Result<Unpacked, Error> {
    let failed =
        |error: io::Error| Error::Local(format!("{}: {}", directory.display(), chain(&error)));
    // The crate compares with the real path.
    let directory = directory.canonicalize().map_err(failed)?;
    let mut archive = Archive::new(from);
    archive.set_overwrite(true);
    let mut unpacked = Unpacked::default();
    // Directories come last, the innermost first: a directory's mode may forbid writes into it.
    let mut directories = Vec::new();
    for entry in archive.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        check(&entry)?;
        match entry.header().entry_type() {
            EntryType::Directory => {
                unpacked.directories += 1;
                directories.push(entry);
                continue;
            }
            EntryType::Symlink => unpacked.links += 1,
            _ => {
                unpacked.files += 1;
                unpacked.bytes += entry.size();
            }
        }
        place(&mut entry, &directory)?;
    }
    directories.sort_by(|one, other| other.path_bytes().cmp(&one.path_bytes()));
    for mut entry in directories {
        place(&mut entry, &directory)?;
    }
    // An archive that breaks off after its last entry is incomplete, too.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(failed)?;
    Ok(unpacked)
}

fn place(entry: &mut Entry<'_, impl Read>, directory: &Path) -> Result<(), Error> {
    let name = entry.path_bytes().into_owned();
    let placed = entry.unpack_in(directory);
    match placed {
        Ok(true) => Ok(()),
        Ok(false) => Err(refused(&name, "it would be outside of the destination")),
        Err(error) => Err(refused(&name, &chain(&error))),
    }
}

fn check(entry: &Entry<'_, impl Read>) -> Result<(), Error> {
    let name = entry.path_bytes();
    if !is_below(&name) {
        return Err(refused(&name, "it would be outside of the destination"));
    }
    match entry.header().entry_type() {
        EntryType::Regular
        | EntryType::Continuous
        | EntryType::GNUSparse
        | EntryType::Directory
        | EntryType::Symlink => Ok(()),
        EntryType::Link if entry.link_name_bytes().is_some_and(|target| is_below(&target)) => {
            Ok(())
        }
        EntryType::Link => Err(refused(&name, "it links outside of the destination")),
        other => Err(refused(&name, &format!("it is a {other:?}"))),
    }
}

fn is_below(name: &[u8]) -> bool {
    !name.starts_with(b"/") && !name.split(|byte| *byte == b'/').any(|part| part == b"..")
}

fn refused(name: &[u8], why: &str) -> Error {
    Error::Local(format!(
        "{:?} of the archive was not unpacked: {why}",
        String::from_utf8_lossy(name)
    ))
}

/// An error's text with those of its causes, which the crate wraps.
fn chain(error: &io::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use tar::{Builder, Header};

    /// An archive with names that the builder would refuse.
    fn archive(entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (name, kind, content) in entries {
            let mut header = Header::new_gnu();
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(if *kind == EntryType::Directory { 0o555 } else { 0o4755 });
            let is_link = matches!(kind, EntryType::Symlink | EntryType::Link);
            if is_link {
                header.as_old_mut().linkname[..content.len()].copy_from_slice(content.as_bytes());
            }
            let body = if is_link { "" } else { content };
            header.set_size(body.len() as u64);
            header.set_cksum();
            builder.append(&header, body.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap()
    }

    const FILE: EntryType = EntryType::Regular;
    const LINK: EntryType = EntryType::Symlink;

    #[test]
    fn hostile_archives_change_nothing_outside() {
        let hostile: &[&[(&str, EntryType, &str)]] = &[
            &[("../evil", FILE, "x")],
            &[("a/../../evil", FILE, "x")],
            &[("/tmp/snapshotter-cli-evil", FILE, "x")],
            &[("out", LINK, ".."), ("out/evil", FILE, "x")],
            &[("out", LINK, "/"), ("out/tmp/snapshotter-cli-evil", FILE, "x")],
            &[
                ("out", LINK, "../kept"),
                ("kept-too", EntryType::Link, "out"),
                ("kept-too/evil", FILE, "x"),
            ],
            &[("hard", EntryType::Link, "../kept")],
            &[("hard", EntryType::Link, "/etc/passwd")],
            &[("out", LINK, ".."), ("hard", EntryType::Link, "out/kept")],
            &[("out", LINK, ".."), ("out/made", EntryType::Directory, "")],
            &[("pipe", EntryType::Fifo, "")],
            &[("device", EntryType::Char, "")],
        ];
        for entries in hostile {
            let dir = tempfile::tempdir().unwrap();
            let inside = dir.path().join("inside");
            fs::create_dir(&inside).unwrap();
            fs::write(dir.path().join("kept"), "kept").unwrap();
            let result = unpack(&mut archive(entries).as_slice(), &inside);
            assert!(result.is_err(), "{entries:?}");
            let mut left: Vec<_> =
                fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            left.sort();
            assert_eq!(left, ["inside", "kept"], "{entries:?}");
            assert_eq!(fs::read_to_string(dir.path().join("kept")).unwrap(), "kept");
            assert!(!Path::new("/tmp/snapshotter-cli-evil").exists());
        }
    }

    #[test]
    fn a_link_that_is_replaced_is_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let inside = dir.path().join("inside");
        fs::create_dir(&inside).unwrap();
        fs::write(dir.path().join("kept"), "kept").unwrap();
        symlink("../kept", inside.join("was-there")).unwrap();
        let entries =
            [("link", LINK, "../kept"), ("link", FILE, "own"), ("was-there", FILE, "own")];
        unpack(&mut archive(&entries).as_slice(), &inside).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("kept")).unwrap(), "kept");
        assert_eq!(fs::read_to_string(inside.join("link")).unwrap(), "own");
        assert_eq!(fs::read_to_string(inside.join("was-there")).unwrap(), "own");
    }

    #[test]
    fn files_links_and_closed_directories_come_out() {
        let dir = tempfile::tempdir().unwrap();
        let entries = [
            ("./", EntryType::Directory, ""),
            ("closed", EntryType::Directory, ""),
            ("closed/file", FILE, "content"),
            ("link", LINK, "/etc/passwd"),
            ("same", EntryType::Link, "closed/file"),
        ];
        let unpacked = unpack(&mut archive(&entries).as_slice(), dir.path()).unwrap();
        assert_eq!(unpacked, Unpacked { files: 2, directories: 2, links: 1, bytes: 7 });
        assert_eq!(fs::read_to_string(dir.path().join("same")).unwrap(), "content");
        let mode =
            |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(
            (mode("closed"), mode("closed/file")),
            (0o555, 0o755),
            "without the set-user-id bit"
        );
    }

    #[test]
    fn an_archive_that_breaks_off_is_an_error() {
        let whole = archive(&[("file", FILE, &"x".repeat(2000))]);
        for length in [100, 600, 1500] {
            let dir = tempfile::tempdir().unwrap();
            assert!(unpack(&mut &whole[..length], dir.path()).is_err(), "{length}");
        }
    }
}
