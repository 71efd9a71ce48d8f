//! Shared context of all parts of a sandbox.

use crate::domain::error::{Error, Result};
use crate::domain::limits::{MULTIPART_PART_BYTES, SINGLE_PUT_MAX_BYTES};
use crate::domain::text::utf8::hex;
use crate::ports::bucket::Buckets;
use crate::ports::clock::Clock;
use crate::ports::container::Container;
use crate::ports::database::Database;
use crate::ports::log::{Level, Log, LogLine};
use crate::ports::random::{Random, random_bytes};
use crate::ports::starts::Starts;
use crate::sandbox::store::Store;
use serde_json::{Value, json};
use std::rc::Rc;

/// The ports that the sandbox uses.
#[derive(Clone)]
pub struct SandboxPorts {
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Randomness.
    pub random: Rc<dyn Random>,
    /// Log lines.
    pub log: Rc<dyn Log>,
    /// The object's SQLite.
    pub database: Rc<dyn Database>,
    /// R2.
    pub buckets: Rc<dyn Buckets>,
    /// The object's container.
    pub container: Rc<dyn Container>,
    /// The queue of starts. None: starts are not limited.
    pub starts: Option<Rc<dyn Starts>>,
}

/// When to upload an archive in parts, and the size of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferSizes {
    /// Largest archive to send in one put.
    pub single_put_max_bytes: u64,
    /// Size of a part. R2 requires at least 5 MiB.
    pub part_bytes: u64,
}

impl Default for TransferSizes {
    fn default() -> Self {
        Self { single_put_max_bytes: SINGLE_PUT_MAX_BYTES, part_bytes: MULTIPART_PART_BYTES }
    }
}

pub(crate) struct Context {
    pub(crate) label: String,
    pub(crate) sizes: TransferSizes,
    pub(crate) ports: SandboxPorts,
    pub(crate) store: Store,
}

impl Context {
    pub(crate) fn new(label: String, sizes: TransferSizes, ports: SandboxPorts) -> Result<Self> {
        let store = Store::open(ports.database.clone())?;
        Ok(Self { label, sizes, ports, store })
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.ports.clock.now_ms()
    }

    /// A random part for the names of one call's files in the container.
    pub(crate) fn new_tag(&self) -> Result<String> {
        let tag: [u8; 8] = random_bytes(self.ports.random.as_ref())?;
        Ok(hex(&tag))
    }

    /// Writes a log line that names the sandbox.
    pub(crate) fn note(&self, level: Level, event: &str, fields: Value) {
        let mut line = LogLine::new(level, event, fields);
        line.fields.insert("sandbox".to_owned(), json!(self.label));
        self.ports.log.write(line);
    }

    /// Logs an error that does not fail the call.
    pub(crate) fn warn(&self, event: &str, error: &Error) {
        self.note(Level::Warn, event, json!({ "code": error.code, "cause": error.cause }));
    }

    /// Logs a file that could not be removed from the container. Does not fail the call.
    pub(crate) fn note_leftover(&self, error: Option<Error>) {
        if let Some(error) = error {
            self.warn("sandbox.leftover", &error);
        }
    }
}
