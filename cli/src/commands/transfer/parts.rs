//! Sends an archive in parts, and remembers which parts have arrived.

use crate::api::operations as op;
use crate::error::Error;
use crate::profile::{make_private_dir, state_dir};
use crate::progress::Waiting;
use crate::remote::Remote;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// The hashes of an upload's parts that have arrived. A repeated upload skips equal parts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    arrived: BTreeMap<u64, String>,
}

impl Progress {
    /// Loads what an earlier attempt noted. If the file can't be read, everything is sent again.
    pub fn load(upload: &str) -> Self {
        let text = file(upload).and_then(|file| fs::read(file).map_err(Error::from));
        text.ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// Whether an earlier attempt sent parts.
    pub fn is_resumed(&self) -> bool {
        !self.arrived.is_empty()
    }

    fn save(&self, upload: &str) -> Result<(), Error> {
        let file = file(upload)?;
        let directory = file.parent().map(PathBuf::from).unwrap_or_default();
        make_private_dir(&directory)?;
        let failed = |error: &dyn std::fmt::Display| Error::local(file.display(), error);
        let mut new =
            tempfile::NamedTempFile::new_in(&directory).map_err(|error| failed(&error))?;
        serde_json::to_writer(&mut new, self).map_err(|error| failed(&error))?;
        new.persist(&file).map_err(|error| failed(&error))?;
        Ok(())
    }

    /// Forgets an upload that has ended.
    pub fn forget(upload: &str) {
        // A leftover file only costs a few bytes.
        let _ = file(upload).and_then(|file| fs::remove_file(file).map_err(Error::from));
    }
}

/// The path of an upload's file. An id has only letters, digits, `_` and `-`, by the server's rule.
fn file(upload: &str) -> Result<PathBuf, Error> {
    Ok(state_dir()?.join("uploads").join(format!("{upload}.json")))
}

/// Takes in an archive, and sends each part when it is complete. An archive of one part stays in memory.
pub struct Parts<'a> {
    remote: &'a Remote,
    /// The upload's id, and the workspace that keeps the parts on its disk.
    upload: &'a str,
    workspace: &'a str,
    progress: Progress,
    bar: &'a Waiting,
    part_bytes: usize,
    buffer: Vec<u8>,
    sent_count: u64,
    whole: Sha256,
    failure: Option<Error>,
}

/// A packed archive.
pub enum Packed {
    /// The archive is small, and was not sent yet.
    Whole(Vec<u8>),
    /// The archive's parts have arrived.
    Parts {
        /// The number of parts.
        count: u64,
        /// The hash of the whole archive.
        sha256: String,
    },
}

impl<'a> Parts<'a> {
    /// Sends the parts of `upload`, except those that `progress` has.
    pub fn new(
        remote: &'a Remote,
        (upload, workspace): (&'a str, &'a str),
        progress: Progress,
        bar: &'a Waiting,
        part_bytes: usize,
    ) -> Self {
        Self {
            remote,
            upload,
            workspace,
            progress,
            bar,
            part_bytes,
            buffer: Vec::new(),
            sent_count: 0,
            whole: Sha256::new(),
            failure: None,
        }
    }

    /// Ends the archive, or returns the failure that ended the packing.
    pub fn finish(mut self, packed: io::Result<()>) -> Result<Packed, Error> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        packed.map_err(|error| Error::Local(error.to_string()))?;
        if self.sent_count == 0 && !self.progress.is_resumed() {
            return Ok(Packed::Whole(self.buffer));
        }
        if !self.buffer.is_empty() {
            self.send()?;
        }
        let sha256 = hex(&self.whole.finalize());
        Ok(Packed::Parts { count: self.sent_count, sha256 })
    }

    fn send(&mut self) -> Result<(), Error> {
        let number = self.sent_count + 1;
        let bytes = std::mem::take(&mut self.buffer);
        let hash = hex(&Sha256::digest(&bytes));
        if self.progress.arrived.get(&number) == Some(&hash) {
            self.bar.add(bytes.len() as u64);
        } else {
            let call =
                op::store_part::call(self.remote.session()?, self.upload, &number.to_string())?
                    .query(op::store_part::query::WORKSPACE, Some(self.workspace));
            self.remote.client.upload(&call, &bytes, self.bar)?;
            self.progress.arrived.insert(number, hash);
            self.progress.save(self.upload)?;
        }
        self.sent_count = number;
        Ok(())
    }
}

impl Write for Parts<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.part_bytes - self.buffer.len();
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.whole.update(taken);
        self.buffer.extend_from_slice(taken);
        if self.buffer.len() == self.part_bytes {
            self.send().map_err(|error| {
                self.failure = Some(error);
                io::Error::other("a part could not be sent")
            })?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
