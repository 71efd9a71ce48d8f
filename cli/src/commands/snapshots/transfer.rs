//! `import` and `export`: snapshots from and to archives.

use super::{SnapshotView, tell_woken};
use crate::api::{Call, operations as op, read};
use crate::commands::selectors::{self, SNAPSHOT_HELP};
use crate::error::Error;
use crate::output::format::size;
use crate::progress::Waiting;
use crate::remote::Remote;
use clap::Args;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::Builder;

/// Make a snapshot of an archive: tar, tar.gz, tar.zst, or a layer of an OCI image
///
/// An archive in the bucket, such as a backup of Cloudflare's Sandbox SDK 1.0, needs a session whose policy allows
/// crossing. Over a zone, the edge takes at most 100 MB in one request.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("source").required(true).args(["archive", "backup", "key"]))]
pub struct Import {
    /// Archive on this machine
    archive: Option<PathBuf>,
    /// Id of a backup of the Sandbox SDK in the bucket
    #[arg(long, value_name = "ID")]
    backup: Option<String>,
    /// Key of an archive in the bucket
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// A name for the snapshot, unique in the session
    #[arg(long, short, value_name = "NAME")]
    name: Option<String>,
    /// A description of the snapshot
    #[arg(long, short, value_name = "TEXT")]
    description: Option<String>,
    /// How long to keep the snapshot, such as 12h or 7d
    #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
    ttl: Option<u64>,
    /// Take the name from the snapshot that has it
    #[arg(long)]
    replace: bool,
    /// The archive is a layer of an OCI image: leave its whiteouts out
    #[arg(long)]
    layer: bool,
    /// SHA-256 that the archive must have
    #[arg(long, value_name = "HEX")]
    sha256: Option<String>,
}

impl Import {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let answer = match &self.archive {
            Some(archive) => self.send(remote, archive)?,
            None => remote.call(&self.of_bucket(remote)?)?,
        };
        if remote.out.is_json() {
            return remote.out.json(&answer);
        }
        let view: SnapshotView = read(&answer)?;
        tell_woken(&remote.out, view.woken.as_ref())?;
        let bytes = size(view.snapshot.size_bytes.unwrap_or(0));
        remote.out.line(format!("snapshot {}, {bytes}", view.snapshot.id))
    }

    fn format(&self) -> Option<&'static str> {
        self.layer.then_some("oci-layer")
    }

    fn send(&self, remote: &Remote, archive: &Path) -> Result<Value, Error> {
        use op::import_snapshot::query;
        let failed = |error: io::Error| Error::local(archive.display(), error);
        let file = File::open(archive).map_err(failed)?;
        let length_bytes = file.metadata().map_err(failed)?.len();
        let call = op::import_snapshot::call(remote.session()?)?
            .query(query::NAME, self.name.as_ref())
            .query(query::DESCRIPTION, self.description.as_ref())
            .query(query::TTL_SECONDS, self.ttl)
            .flag(query::REPLACE, self.replace)
            .query(query::FORMAT, self.format())
            .query(query::SHA256, self.sha256.as_ref());
        let bar = Waiting::bytes("Sending", Some(length_bytes), remote.out.is_quiet);
        remote.client.send_once(&call, &mut Counted { from: file, bar }, length_bytes)
    }

    fn of_bucket(&self, remote: &Remote) -> Result<Call, Error> {
        use op::import_backup::field;
        Ok(op::import_backup::call(remote.session()?)?
            .doing("Importing")
            .field(field::ID, self.backup.as_deref())
            .field(field::KEY, self.key.as_deref())
            .field(field::ALLOW_CROSS_SESSION, true)
            .field(field::FORMAT, self.format())
            .field(field::SHA256, self.sha256.as_deref())
            .field(field::NAME, self.name.as_deref())
            .field(field::DESCRIPTION, self.description.as_deref())
            .field(field::TTL_SECONDS, self.ttl)
            .field_flag(field::REPLACE, self.replace))
    }
}

/// Write a snapshot's files to a tar.zst, the format of backups of the Sandbox SDK 1.0
#[derive(Debug, Args)]
pub struct Export {
    #[arg(help = SNAPSHOT_HELP)]
    snapshot: String,
    /// File to write [default: the snapshot's name or id with .tar.zst]
    file: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, short)]
    force: bool,
    /// Store it in the bucket instead, as a backup of the Sandbox SDK, and print the record by which the SDK restores it
    #[arg(long, conflicts_with_all = ["file", "force"])]
    to_bucket: bool,
}

impl Export {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        if self.to_bucket {
            let call = op::export_backup::call(remote.session()?, &self.snapshot)?
                .doing("Storing")
                .flag(op::export_backup::query::ALLOW_CROSS_SESSION, true);
            return remote.show(&call, |out, record| out.line(record.to_string()));
        }
        let file = self.file.clone().unwrap_or_else(|| default_file(&self.snapshot));
        let failed = |error: &dyn std::fmt::Display| Error::local(file.display(), error);
        if !self.force && file.exists() {
            return Err(Error::Usage(format!(
                "{} exists: name another file, or give --force",
                file.display()
            )));
        }
        let call = op::export_snapshot::call(remote.session()?, &self.snapshot)?;
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        // The mode is what the user's mask leaves, as for other new files. The file appears
        // complete or not at all.
        let mut made = Builder::new()
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(parent.unwrap_or(Path::new(".")))
            .map_err(|error| failed(&error))?;
        let bar = Waiting::bytes("Receiving", None, remote.out.is_quiet);
        let mut archive = Counted { from: remote.client.stream(&call)?, bar };
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        let mut bytes = 0_u64;
        loop {
            let count = archive
                .read(&mut buffer)
                .map_err(|error| Error::Network(format!("the archive broke off: {error}")))?;
            let Some(read) = buffer.get(..count).filter(|read| !read.is_empty()) else { break };
            hash.update(read);
            made.write_all(read).map_err(|error| failed(&error))?;
            bytes += count as u64;
        }
        drop(archive);
        let placed = if self.force { made.persist(&file) } else { made.persist_noclobber(&file) };
        placed.map_err(|error| failed(&error))?;
        let sha256: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        if remote.out.is_json() {
            return remote.out.json(&json!({
                "file": file.to_string_lossy(), "size": bytes, "sha256": sha256, "format": "tar+zstd/1",
            }));
        }
        remote.out.line(format!(
            "exported into {}, {}, SHA-256 {sha256}",
            file.display(),
            size(bytes)
        ))
    }
}

fn default_file(snapshot: &str) -> PathBuf {
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let name: String =
        snapshot.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    PathBuf::from(format!("{name}.tar.zst"))
}

struct Counted<R> {
    from: R,
    bar: Waiting,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.bar.add(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_snapshot_and_lies_here() {
        assert_eq!(default_file("works"), PathBuf::from("works.tar.zst"));
        assert_eq!(default_file("../a b"), PathBuf::from(".._a_b.tar.zst"));
    }
}
