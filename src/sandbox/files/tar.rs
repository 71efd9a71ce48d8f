//! Exports and imports a directory as a tar archive stream. The bytes do not enter WebAssembly
//! memory. In the container, `scripts/tar/import.awk` checks an archive before it is extracted.

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::files::tar::DroppedByImport;
use crate::domain::ids::UploadId;
use crate::domain::limits::{
    IMPORTS_AT_ONCE, TAR_MAX_BYTES, TAR_MAX_ENTRIES, TAR_TIMEOUT_MS, UPLOADS_MAX,
};
use crate::ports::container::Command;
use crate::ports::sandbox::{FileOptions, ImportedTar, UploadPart, UploadedArchive};
use crate::ports::stream::Bytes;
use crate::sandbox::files::Files;
use crate::sandbox::parts::file_scripts::{file_script, outcome_of};
use crate::sandbox::scripts::{
    CHECK_DIRECTORY, CHECK_PATHS, DROP_UPLOAD, EXPORT, IMPORT, IMPORT_CHECK, OWN_DIR, STORE_PART,
};

impl Files<'_> {
    /// Exports the tree below a directory, or the chosen paths of it, as a tar archive. A stream
    /// that ends is complete; a failed one breaks off.
    pub(crate) async fn export(&self, path: &AbsolutePath, options: &FileOptions) -> Result<Bytes> {
        let within = options.within.as_ref();
        let names = names_below(path, &options.paths)?;
        // A separate command, because a stream can't report this error.
        self.check_export(path, &names, options).await?;
        let log = format!("{OWN_DIR}/export-{}", self.context.new_tag()?);
        let group = format!("{log}.group");
        let more = [&[log.as_str(), &group], names.as_slice()].concat();
        let command = file_script(EXPORT, path, within, &more);
        self.container.read_from(command, &group, TAR_TIMEOUT_MS, self.active_streams).await
    }

    async fn check_export(
        &self,
        path: &AbsolutePath,
        names: &[&str],
        options: &FileOptions,
    ) -> Result<()> {
        let within = options.within.as_ref();
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let source = if names.is_empty() { CHECK_DIRECTORY } else { CHECK_PATHS };
        let output = self.container.run(&file_script(source, path, within, names)).await?;
        // A failed check has printed a dot for each path up to the refused one.
        let refused = output.stdout.len().checked_sub(1).and_then(|at| options.paths.get(at));
        outcome_of(output, refused.unwrap_or(path), within).map(drop)
    }

    /// Extracts a tar archive into a directory, all of it or nothing.
    pub(crate) async fn import(
        &self,
        archive: Bytes,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<ImportedTar> {
        let command = self.import_command(None, path, options)?;
        let output = self.file_scripts.change(&command, Some(archive), path, options).await?;
        parse(&output.stdout).ok_or_else(|| Error::internal("import.sh printed something else"))
    }

    /// Stores a part of an archive, all of it or nothing. Storing a part again replaces it.
    pub(crate) async fn keep_part(
        &self,
        content: Bytes,
        part: &UploadPart,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<()> {
        let dir = format!("{OWN_DIR}/import-{}", self.context.new_tag()?);
        let upload = upload_dir(&part.upload);
        let [at_once, size, bytes, uploads] =
            [IMPORTS_AT_ONCE, part.size_bytes, TAR_MAX_BYTES, UPLOADS_MAX]
                .map(|number| number.to_string());
        let number = part.part.to_string();
        let more = [&dir, &at_once, &upload, &number, &size, &bytes, &uploads].map(String::as_str);
        let mut command = file_script(STORE_PART, path, options.within.as_ref(), &more);
        command.kill_after_ms = Some(TAR_TIMEOUT_MS);
        self.file_scripts.change(&command, Some(content), path, options).await.map(drop)
    }

    /// As [`import`](Self::import), for an archive whose parts are stored. If it fails, the parts
    /// stay.
    pub(crate) async fn import_parts(
        &self,
        archive: &UploadedArchive,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<ImportedTar> {
        let command = self.import_command(Some(archive), path, options)?;
        let output = self.file_scripts.change(&command, None, path, options).await?;
        parse(&output.stdout).ok_or_else(|| Error::internal("import.sh printed something else"))
    }

    /// Removes the parts of an upload. Repeating it changes nothing. Fails while the upload is
    /// being imported.
    pub(crate) async fn remove_parts(
        &self,
        upload: &UploadId,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<()> {
        let within = options.within.as_ref();
        let command = file_script(DROP_UPLOAD, path, within, &[&upload_dir(upload)]);
        self.file_scripts.run(&command, path, options).await.map(drop)
    }

    fn import_command(
        &self,
        archive: Option<&UploadedArchive>,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<Command> {
        let dir = format!("{OWN_DIR}/import-{}", self.context.new_tag()?);
        let [bytes, entries, at_once] =
            [TAR_MAX_BYTES, TAR_MAX_ENTRIES, IMPORTS_AT_ONCE].map(|limit| limit.to_string());
        let mut more = vec![dir, bytes, entries, at_once, IMPORT_CHECK.to_owned()];
        if let Some(UploadedArchive { upload, parts, sha256 }) = archive {
            let sha256 = sha256.clone().unwrap_or_default();
            more.extend([upload_dir(upload), parts.to_string(), sha256]);
        }
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        let mut command = file_script(IMPORT, path, options.within.as_ref(), &more);
        command.kill_after_ms = Some(TAR_TIMEOUT_MS);
        Ok(command)
    }
}

/// The names of the paths, relative to a directory above them.
fn names_below<'a>(dir: &AbsolutePath, paths: &'a [AbsolutePath]) -> Result<Vec<&'a str>> {
    let below = |path: &'a AbsolutePath| {
        let rest = path.as_str().strip_prefix(dir.as_str())?;
        rest.strip_prefix('/').or(dir.as_str().ends_with('/').then_some(rest))
    };
    let named = |path| {
        below(path).ok_or_else(|| Error::invalid("paths", format!("{path} is not below {dir}")))
    };
    paths.iter().map(named).collect()
}

fn upload_dir(upload: &UploadId) -> String {
    format!("{OWN_DIR}/upload-{upload}")
}

fn parse(printed: &[u8]) -> Option<ImportedTar> {
    let text = std::str::from_utf8(printed).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    let dropped = DroppedByImport { owners: next()?, special_bits: next()?, attributes: next()? };
    let dropped = Some(dropped).filter(|dropped| *dropped != DroppedByImport::default());
    Some(ImportedTar {
        entries: next()?,
        files: next()?,
        directories: next()?,
        links: next()?,
        size_bytes: next()?,
        dropped,
    })
}
