//! The file methods. Each runs one script that resolves a path and acts on it.

pub(crate) mod glob;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod stat;
pub(crate) mod tar;

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::limits::FILE_MAX_BYTES;
use crate::ports::sandbox::{Encoding, FileOptions};
use crate::sandbox::parts::active_streams::ActiveStreams;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::file_scripts::{FileScripts, file_script, too_large, yes_or_no};
use crate::sandbox::scripts::{DELETE, EXISTS, MKDIR, WRITE};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::rc::Rc;

parts!(Files {
    context: Context,
    container: Rc<SandboxContainer>,
    active_streams: ActiveStreams,
    file_scripts: FileScripts,
});

impl Files<'_> {
    /// Writes a file atomically: a reader sees the old content or the new. With
    /// `recursive`, makes its directory.
    ///
    /// # Errors
    /// `NOT_FOUND` if its directory does not exist; `TOO_LARGE` past 2 MiB;
    /// `CONFLICT` if its content is not the expected one.
    pub(crate) async fn write(
        &self,
        path: &AbsolutePath,
        content: String,
        options: &FileOptions,
    ) -> Result<()> {
        let bytes = match options.encoding.unwrap_or_default() {
            Encoding::Utf8 => content.into_bytes(),
            Encoding::Base64 => BASE64
                .decode(content)
                .map_err(|error| Error::invalid("content", format!("is not base64: {error}")))?,
        };
        if bytes.len() as u64 > FILE_MAX_BYTES {
            return Err(too_large(path));
        }
        let size = bytes.len().to_string();
        let mut more = vec![size.as_str(), yes_or_no(options.recursive)];
        more.extend(options.if_sha256.as_deref());
        let mut command = file_script(WRITE, path, options.within.as_ref(), &more);
        command.stdin = Some(bytes);
        self.file_scripts.run(&command, path, options).await.map(drop)
    }

    /// Makes a directory. With `recursive`, makes its parents too, and the
    /// directory may exist.
    ///
    /// # Errors
    /// `CONFLICT` if the path exists; `NOT_FOUND` if its parent does not.
    pub(crate) async fn make_dir(&self, path: &AbsolutePath, options: &FileOptions) -> Result<()> {
        let how = if options.clear { "clear" } else { yes_or_no(options.recursive) };
        let command = file_script(MKDIR, path, options.within.as_ref(), &[how]);
        self.file_scripts.run(&command, path, options).await.map(drop)
    }

    /// Deletes a file, or a symbolic link itself. With `recursive`, deletes a
    /// directory and its content too.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a directory without `recursive`.
    pub(crate) async fn delete(&self, path: &AbsolutePath, options: &FileOptions) -> Result<()> {
        let recursive: &[&str] = if options.recursive { &["yes"] } else { &[] };
        let command = file_script(DELETE, path, options.within.as_ref(), recursive);
        self.file_scripts.run(&command, path, options).await.map(drop)
    }

    /// Whether a path exists. Follows symbolic links.
    pub(crate) async fn has(&self, path: &AbsolutePath, options: &FileOptions) -> Result<bool> {
        let command = file_script(EXISTS, path, options.within.as_ref(), &[]);
        let output = self.file_scripts.run(&command, path, options).await?;
        Ok(output.stdout.starts_with(b"yes"))
    }
}
