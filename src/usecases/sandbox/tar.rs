//! A directory as a tar archive, streamed out of the container and into it.
//!
//! The bytes pass beside WebAssembly. What an archive may do is decided in the
//! container, by `scripts/import.awk`, before anything is extracted.

use super::SandboxService;
use super::exec::BACKSTOP_MS;
use super::files::{file_script, outcome_of};
use super::scripts::{CHECK_DIRECTORY, EXPORT, IMPORT, IMPORT_CHECK, OWN_DIR, STOP, script};
use crate::domain::error::{Error, Result};
use crate::domain::limits::{IMPORTS_AT_ONCE, TAR_MAX_BYTES, TAR_MAX_ENTRIES, TAR_TIMEOUT_MS};
use crate::domain::path::AbsolutePath;
use crate::ports::random::random_bytes;
use crate::ports::sandbox::{FileOptions, ImportedTar};
use crate::ports::stream::Bytes;

impl SandboxService {
    /// The tree below a directory as a tar archive. A stream that ends is whole;
    /// one that can't be finished breaks off.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for what is no directory, or outside;
    /// `UNSUPPORTED` where the image has no tar.
    pub(super) async fn export(&self, path: &AbsolutePath, options: &FileOptions) -> Result<Bytes> {
        let within = options.within.as_ref();
        // By itself, because a stream can't say what is wrong.
        self.run_on_file(&file_script(CHECK_DIRECTORY, path, within, &[]), path, options).await?;
        let log = format!("{OWN_DIR}/export-{}", self.tag()?);
        let group = format!("{log}.group");
        let mut command = file_script(EXPORT, path, within, &[&log, &group]);
        // It leads a process group, which is ended as a whole.
        let seconds = (TAR_TIMEOUT_MS / 1_000).to_string();
        let limit = ["timeout", "--kill-after=5", &seconds].map(str::to_owned);
        command.argv.splice(0..0, limit);
        let limit_ms = i64::try_from(TAR_TIMEOUT_MS + BACKSTOP_MS).unwrap_or(i64::MAX);
        let told = self.telling.enter(self.ports.clock.now_ms().saturating_add(limit_ms));
        let stop = script(STOP, &[&group]);
        match self.machine.container().read_from(&command, stop, Box::new(told)).await {
            Ok(bytes) => Ok(bytes),
            Err(error) => Err(self.machine.explain(error).await),
        }
    }

    /// Puts the files of a tar archive into a directory, all or none.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an archive that is refused, naming the entry, or
    /// broken; `TOO_LARGE`; `CONFLICT` where something in the directory is in its
    /// way; `UNAVAILABLE` where the disk is full. Nothing has changed then.
    pub(super) async fn import(
        &self,
        archive: Bytes,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<ImportedTar> {
        self.machine.require_disk(options.instance_id.as_ref()).await?;
        let dir = format!("{OWN_DIR}/import-{}", self.tag()?);
        let [bytes, entries, at_once] =
            [TAR_MAX_BYTES, TAR_MAX_ENTRIES, IMPORTS_AT_ONCE].map(|limit| limit.to_string());
        let within = options.within.as_ref();
        let mut command =
            file_script(IMPORT, path, within, &[&dir, &bytes, &entries, &at_once, IMPORT_CHECK]);
        command.kill_after_ms = Some(TAR_TIMEOUT_MS);
        let output = match self.machine.container().write_to(&command, archive).await {
            Ok(output) => output,
            Err(error) => return Err(self.machine.explain(error).await),
        };
        let output = outcome_of(output, path, within)?;
        parse(&output.stdout).ok_or_else(|| Error::internal("import.sh printed something else"))
    }

    /// What makes the names of one call's files unique.
    pub(super) fn tag(&self) -> Result<String> {
        let tag: [u8; 8] = random_bytes(self.ports.random.as_ref())?;
        Ok(tag.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn parse(printed: &[u8]) -> Option<ImportedTar> {
    let text = std::str::from_utf8(printed).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    Some(ImportedTar {
        entries: next()?,
        files: next()?,
        directories: next()?,
        links: next()?,
        bytes: next()?,
    })
}
