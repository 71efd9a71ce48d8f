//! `get`: copies from a workspace, or a file of a snapshot, to this machine.

use super::unpack::{Unpacked, unpack};
use crate::api::{answer, operations as op, read};
use crate::commands::files::{contents, in_workspace, write_file};
use crate::commands::selectors::SNAPSHOT_HELP;
use crate::error::Error;
use crate::progress::Waiting;
use crate::remote::Remote;
use clap::Args;
use serde::Deserialize;
use serde_json::json;
use std::fs::{self, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, TempDir};

answer! {
    /// A file of a workspace.
    pub struct SeenStatView { r#type: String }
}

/// Bring a file or directory of a workspace, or a file of a snapshot, to this machine
#[derive(Debug, Args)]
pub struct Get {
    /// File or directory in the workspace
    path: String,
    /// Where to put the file or directory here [default: under its own name]
    destination: Option<PathBuf>,
    #[arg(long, short = 'S', value_name = "SNAPSHOT", help = format!("Take a file from a snapshot. {SNAPSHOT_HELP}"))]
    snapshot: Option<String>,
    /// Take from this workspace [default: the active one]
    #[arg(long, short, value_name = "ID", conflicts_with = "snapshot")]
    workspace: Option<String>,
    /// Replace files that exist here; directories are merged
    #[arg(long, short)]
    force: bool,
}

impl Get {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let destination =
            self.destination.clone().map_or_else(|| default_destination(&self.path), Ok)?;
        if !self.force && !is_free(&destination)? {
            return Err(Error::Usage(format!(
                "{} exists: name another destination, or give --force",
                destination.display()
            )));
        }
        let kind = self.kind(remote)?;
        let got = match kind.as_str() {
            "file" => self.file(remote, &destination)?,
            "directory" if self.snapshot.is_some() => {
                return Err(Error::Usage(
                    "only files can be taken from a snapshot: for a directory, restore it, and get it with --workspace".to_owned(),
                ));
            }
            "directory" => self.directory(remote, &destination)?,
            kind => return Err(Error::Usage(format!("{:?} is a {kind}", self.path))),
        };
        if remote.out.is_json() {
            return remote.out.json(&json!({
                "destination": destination.to_string_lossy(),
                "files": got.files, "directories": got.directories, "links": got.links, "sizeBytes": got.bytes,
            }));
        }
        let Unpacked { files, directories, links, bytes } = got;
        let what = contents(files, directories, links, bytes);
        remote.out.line(format!("got {what} into {}", destination.display()))
    }

    fn kind(&self, remote: &Remote) -> Result<String, Error> {
        let session = remote.session()?;
        let call = match &self.snapshot {
            Some(snapshot) => op::stat_snapshot_file::call(session, snapshot)?
                .query(op::stat_snapshot_file::query::PATH, Some(&self.path)),
            None => op::workspace_stat::call(session)?
                .field(op::workspace_stat::field::PATH, self.path.as_str())
                .field(op::workspace_stat::field::AT, self.workspace.as_deref().map(in_workspace)),
        };
        Ok(read::<SeenStatView>(&remote.call(&call.doing("Looking"))?)?.r#type)
    }

    fn file(&self, remote: &Remote, destination: &Path) -> Result<Unpacked, Error> {
        let failed = |error: &dyn std::fmt::Display| Error::local(destination.display(), error);
        // The mode is what the user's mask leaves, as for other new files.
        let mut file: NamedTempFile = Builder::new()
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(parent(destination))
            .map_err(|error| failed(&error))?;
        let _waiting = Waiting::spinner("Receiving", remote.out.is_quiet);
        write_file(
            remote,
            &self.path,
            self.snapshot.as_deref(),
            self.workspace.as_deref(),
            &mut file,
        )?;
        let bytes = file.as_file().metadata().map_err(|error| failed(&error))?.len();
        let placed = if self.force {
            file.persist(destination)
        } else {
            file.persist_noclobber(destination)
        };
        placed.map_err(|error| failed(&error))?;
        Ok(Unpacked { files: 1, bytes, ..Unpacked::default() })
    }

    /// Unpacks beside the destination, so that the directory appears complete or not at all.
    /// `--force` merges into the destination instead.
    fn directory(&self, remote: &Remote, destination: &Path) -> Result<Unpacked, Error> {
        use op::export_archive::query;
        let failed = |error: &dyn std::fmt::Display| Error::local(destination.display(), error);
        let call = op::export_archive::call(remote.session()?)?
            .query(query::PATH, Some(&self.path))
            .query(query::WORKSPACE, self.workspace.as_ref());
        let bar = Waiting::bytes("Receiving", None, remote.out.is_quiet);
        let mut archive = Counted { from: remote.client.stream(&call)?, bar, is_broken: false };
        if self.force {
            fs::create_dir_all(destination).map_err(|error| failed(&error))?;
            return received(&mut archive, destination);
        }
        let beside: TempDir = Builder::new()
            .prefix(".snapshotter-get-")
            .tempdir_in(parent(destination))
            .map_err(|error| failed(&error))?;
        let inside = beside.path().join("files");
        fs::create_dir(&inside).map_err(|error| failed(&error))?;
        let unpacked = received(&mut archive, &inside)?;
        // This replaces only an empty directory.
        fs::rename(&inside, destination).map_err(|error| failed(&error))?;
        Ok(unpacked)
    }
}

fn default_destination(path: &str) -> Result<PathBuf, Error> {
    match Path::new(path).file_name() {
        Some(name) => Ok(PathBuf::from(name)),
        None => Err(Error::Usage(format!("{path:?} has no name: say where to put it"))),
    }
}

/// Whether the destination does not exist, or is an empty directory.
fn is_free(destination: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(destination) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Error::local(destination.display(), error)),
        Ok(metadata) if metadata.is_dir() => {
            let mut entries = fs::read_dir(destination)
                .map_err(|error| Error::local(destination.display(), error))?;
            Ok(entries.next().is_none())
        }
        Ok(_) => Ok(false),
    }
}

fn parent(destination: &Path) -> PathBuf {
    match destination.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Tells a broken connection from an archive that can't be unpacked.
fn received(archive: &mut Counted<impl Read>, directory: &Path) -> Result<Unpacked, Error> {
    unpack(archive, directory).map_err(|error| match error {
        Error::Local(what) if archive.is_broken => {
            Error::Network(format!("the archive broke off: {what}"))
        }
        error => error,
    })
}

struct Counted<R> {
    from: R,
    bar: Waiting,
    is_broken: bool,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer);
        self.is_broken = read.is_err();
        self.bar.add(*read.as_ref().unwrap_or(&0) as u64);
        read
    }
}
