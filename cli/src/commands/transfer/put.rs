//! `put`: copies from this machine into a workspace.

use super::pack::Source;
use super::parts::{Packed, Parts, Progress, hex};
use crate::api::{operations as op, read};
use crate::commands::files::ImportedTar;
use crate::commands::workspaces::active;
use crate::error::Error;
use crate::output::Out;
use crate::progress::Waiting;
use crate::remote::Remote;
use clap::Args;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The largest archive that is sent in one request, and the size of a part. The edge allows 100 MB.
const PART_BYTES: u32 = 32 << 20;

/// Send a file or a directory's content to a workspace
///
/// Large archives go in parts. If an upload is interrupted, repeat the command within an hour: it sends only parts that
/// are missing or whose files changed.
#[derive(Debug, Args)]
pub struct Put {
    /// File or directory on this machine
    source: PathBuf,
    /// Where to put the source in the workspace [default: under its own name]. Files replace files of the same name,
    /// and directories are merged
    destination: Option<String>,
    /// Put the source into this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
    /// Name the upload [default: by its source and destination]
    #[arg(long, value_name = "ID")]
    upload: Option<String>,
    /// Give up an interrupted upload: remove its parts
    #[arg(long)]
    abandon: bool,
    #[arg(long, hide = true, default_value_t = PART_BYTES, value_parser = clap::value_parser!(u32).range(1..))]
    part_bytes: u32,
}

struct Target {
    upload: String,
    workspace: String,
    /// The directory that the archive is imported into.
    directory: String,
    /// The file's name in the archive, if the source is a file.
    name: String,
}

impl Put {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let target = self.target(remote)?;
        if self.abandon {
            return abandon(remote, &target);
        }
        let source = Source::of(&self.source, &target.name)?;
        if source.skipped_count > 0 {
            let count = source.skipped_count;
            remote.out.note(format!("{count} sockets, pipes or devices are left out"))?;
        }
        let progress = Progress::load(&target.upload);
        if progress.is_resumed() {
            remote.out.note(format!("going on with upload {}", target.upload))?;
        } else if source.size_bytes > u64::from(self.part_bytes) {
            remote.out.note(format!(
                "upload {}: if it is interrupted, repeat the command to go on",
                target.upload
            ))?;
        }
        let answer = self.send(remote, &source, &target, progress)?;
        shown(&remote.out, &answer)
    }

    fn target(&self, remote: &Remote) -> Result<Target, Error> {
        let source = fs::canonicalize(&self.source)
            .map_err(|error| Error::local(self.source.display(), error))?;
        let destination =
            self.destination.clone().map_or_else(|| default_destination(&self.source), Ok)?;
        let (directory, name) = if source.is_dir() {
            (destination.clone(), String::new())
        } else {
            split(&destination)?
        };
        let workspace = self.workspace.clone().map_or_else(|| active(remote), Ok)?;
        let upload = match &self.upload {
            Some(upload) => checked(upload)?,
            None => default_upload(&[
                remote.client.url().as_str(),
                remote.session()?,
                &workspace,
                &destination,
                &source.to_string_lossy(),
            ]),
        };
        Ok(Target { upload, workspace, directory, name })
    }

    fn send(
        &self,
        remote: &Remote,
        source: &Source,
        target: &Target,
        progress: Progress,
    ) -> Result<Value, Error> {
        let is_resumed = progress.is_resumed();
        let bar = Waiting::bytes("Sending", Some(source.size_bytes), remote.out.is_quiet);
        let mut parts = Parts::new(
            remote,
            (&target.upload, &target.workspace),
            progress,
            &bar,
            self.part_bytes as usize,
        );
        let packed = source.pack(&mut parts);
        let (count, sha256) = match parts.finish(packed)? {
            Packed::Whole(archive) => return import(remote, &archive, target, &bar),
            Packed::Parts { count, sha256 } => (count, sha256),
        };
        drop(bar);
        match finish(remote, target, count, &sha256) {
            // Parts of the earlier attempt are gone (their container ended or an hour passed), or
            // there are too many.
            Err(error)
                if is_resumed
                    && (error.is_code("CONFLICT") || error.is_code("INVALID_ARGUMENT")) =>
            {
                remote.out.note("the earlier parts can't be used: sending everything again")?;
                abort(remote, target)?;
                Progress::forget(&target.upload);
                self.send(remote, source, target, Progress::default())
            }
            result => {
                if result.is_ok() {
                    Progress::forget(&target.upload);
                }
                result
            }
        }
    }
}

fn shown(out: &Out, answer: &Value) -> Result<(), Error> {
    if out.is_json() {
        out.json(answer)
    } else {
        out.line(read::<ImportedTar>(answer)?.shown("put"))
    }
}

fn import(remote: &Remote, archive: &[u8], target: &Target, bar: &Waiting) -> Result<Value, Error> {
    use op::import_archive::query;
    let call = op::import_archive::call(remote.session()?)?
        .query(query::PATH, Some(&target.directory))
        .query(query::WORKSPACE, Some(&target.workspace));
    remote.client.upload(&call, archive, bar)
}

fn finish(remote: &Remote, target: &Target, count: u64, sha256: &str) -> Result<Value, Error> {
    use op::finish_upload::field;
    let call = op::finish_upload::call(remote.session()?, &target.upload)?
        .doing("Importing")
        .field(field::PARTS, count)
        .field(field::PATH, target.directory.as_str())
        .field(field::SHA256, sha256)
        .field(field::WORKSPACE, target.workspace.as_str());
    remote.call(&call)
}

fn abort(remote: &Remote, target: &Target) -> Result<Value, Error> {
    let call = op::abort_upload::call(remote.session()?, &target.upload)?
        .query(op::abort_upload::query::WORKSPACE, Some(&target.workspace));
    remote.call(&call)
}

fn abandon(remote: &Remote, target: &Target) -> Result<(), Error> {
    let answer = abort(remote, target)?;
    Progress::forget(&target.upload);
    if remote.out.is_json() {
        return remote.out.json(&answer);
    }
    remote.out.line(format!("upload {} is given up", target.upload))
}

/// The source's own name; for `.` and the like, the workspace's directory.
fn default_destination(source: &Path) -> Result<String, Error> {
    match source.file_name() {
        None => Ok(".".to_owned()),
        Some(name) => name
            .to_str()
            .map(str::to_owned)
            .ok_or_else(|| Error::Usage("the name is not UTF-8: give a destination".to_owned())),
    }
}

fn split(destination: &str) -> Result<(String, String), Error> {
    let (directory, name) = destination.rsplit_once('/').unwrap_or((".", destination));
    if matches!(name, "" | "." | "..") {
        return Err(Error::Usage(format!("{destination:?} has to end with the file's name")));
    }
    let directory = if directory.is_empty() { "/" } else { directory };
    Ok((directory.to_owned(), name.to_owned()))
}

/// Checks an id by the server's rule. The id also names a local file.
fn checked(upload: &str) -> Result<String, Error> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if upload.is_empty() || upload.len() > 64 || !upload.bytes().all(is_allowed) {
        return Err(Error::Usage("--upload takes 1 to 64 letters, digits, _ and -".to_owned()));
    }
    Ok(upload.to_owned())
}

/// The default id of an upload, which depends only on the files and the destination.
fn default_upload(of: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in of {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digits = hex(&hash.finalize());
    format!("cli-{}", digits.get(..32).unwrap_or(&digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_goes_into_a_directory() {
        let owned = |(directory, name): (&str, &str)| (directory.to_owned(), name.to_owned());
        assert_eq!(split("a/b/c").unwrap(), owned(("a/b", "c")));
        assert_eq!(split("c").unwrap(), owned((".", "c")));
        assert_eq!(split("/c").unwrap(), owned(("/", "c")));
        for bad in ["a/", "..", "a/..", "."] {
            assert!(split(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn uploads_have_ids_of_their_own() {
        let id = default_upload(&["a", "bc"]);
        assert_eq!(id, default_upload(&["a", "bc"]));
        assert_ne!(id, default_upload(&["ab", "c"]));
        assert_eq!(checked(&id).unwrap(), id);
        for bad in ["", "../x", "a b", &"x".repeat(65)] {
            assert!(checked(bad).is_err());
        }
    }
}
