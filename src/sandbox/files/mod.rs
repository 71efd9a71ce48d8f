//! The file methods. Each runs one script that resolves a path and acts on it.

pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod tar;

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::limits::FILE_MAX_BYTES;
use crate::ports::sandbox::{Encoding, FileOptions, Part, ReadFileResult, ReadRange};
use crate::sandbox::parts::active_streams::ActiveStreams;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::file_scripts::{FileScripts, file_script, too_large, yes_or_no};
use crate::sandbox::scripts::{DELETE, EXISTS, MKDIR, READ, READ_PART, WRITE};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::rc::Rc;

/// Maximum bytes of the line that precedes a part.
const HEADING_MAX_BYTES: usize = 64;

parts!(Files {
    context: Context,
    container: Rc<SandboxContainer>,
    active_streams: ActiveStreams,
    file_scripts: FileScripts,
});

impl Files<'_> {
    /// Reads a regular file, or a part of it. A whole file may be up to 2 MiB long.
    pub(crate) async fn read(
        &self,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<ReadFileResult> {
        let part = match options.range {
            Some(range) => self.read_part(path, options, range).await?,
            None => self.read_whole(path, options).await?,
        };
        part.into_result(path.as_str(), options.range, options.encoding)
    }

    async fn read_whole(&self, path: &AbsolutePath, options: &FileOptions) -> Result<Part> {
        let most = FILE_MAX_BYTES.to_string();
        let mut command = file_script(READ, path, options.within.as_ref(), &[&most]);
        command.output_max_bytes = usize::try_from(FILE_MAX_BYTES).unwrap_or(usize::MAX);
        let output = self.file_scripts.run(&command, path, options).await?;
        if output.stdout_truncated {
            return Err(too_large(path));
        }
        Ok(Part { size: output.stdout.len() as u64, bytes: output.stdout, offset: 0 })
    }

    async fn read_part(
        &self,
        path: &AbsolutePath,
        options: &FileOptions,
        range: ReadRange,
    ) -> Result<Part> {
        let (unit, first, count, length) = match range {
            ReadRange::Bytes { offset, length } => ("bytes", offset, length, length),
            ReadRange::Lines { first, count, length } => ("lines", first, count, length),
        };
        if unit == "lines" && first == 0 {
            return Err(Error::invalid("range", "lines are counted from 1"));
        }
        let most = length.min(FILE_MAX_BYTES);
        let arguments = [unit, &first.to_string(), &count.to_string(), &most.to_string()];
        let mut command = file_script(READ_PART, path, options.within.as_ref(), &arguments);
        command.output_max_bytes =
            usize::try_from(most).unwrap_or(usize::MAX).saturating_add(HEADING_MAX_BYTES);
        let output = self.file_scripts.run(&command, path, options).await?;
        parse_part(output.stdout)
            .ok_or_else(|| Error::internal("read_part.sh printed no heading that can be read"))
    }

    /// Writes a file atomically: a reader sees the old content or the new. With `recursive`, makes
    /// its directory.
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
        self.file_scripts.change(&command, None, path, options).await.map(drop)
    }

    /// Makes a directory. With `recursive`, makes its parents too, and the directory may exist.
    pub(crate) async fn make_dir(&self, path: &AbsolutePath, options: &FileOptions) -> Result<()> {
        let how = if options.clear { "clear" } else { yes_or_no(options.recursive) };
        let command = file_script(MKDIR, path, options.within.as_ref(), &[how]);
        self.file_scripts.change(&command, None, path, options).await.map(drop)
    }

    /// Deletes a file, or a symbolic link itself. With `recursive`, deletes a directory and its
    /// content too.
    pub(crate) async fn delete(&self, path: &AbsolutePath, options: &FileOptions) -> Result<()> {
        let recursive: &[&str] = if options.recursive { &["yes"] } else { &[] };
        let command = file_script(DELETE, path, options.within.as_ref(), recursive);
        let deleted = self.file_scripts.run(&command, path, options).await;
        // A removal that was ended at its limit may have removed much.
        deleted.map(drop).map_err(|error| match error.code {
            ErrorCode::Unavailable => error.with_outcome(Outcome::Unknown),
            _ => error,
        })
    }

    /// Follows symbolic links.
    pub(crate) async fn has(&self, path: &AbsolutePath, options: &FileOptions) -> Result<bool> {
        let command = file_script(EXISTS, path, options.within.as_ref(), &[]);
        let output = self.file_scripts.run(&command, path, options).await?;
        Ok(output.stdout.starts_with(b"yes"))
    }
}

/// Parses the line `SIZE OFFSET` and the bytes after it.
fn parse_part(mut printed: Vec<u8>) -> Option<Part> {
    let end = printed.iter().position(|byte| *byte == b'\n')?;
    let bytes = printed.split_off(end + 1);
    let heading = String::from_utf8(printed).ok()?;
    let (size, offset) = heading.trim_end().split_once(' ')?;
    let (size, offset) = (size.parse().ok()?, offset.trim().parse().ok()?);
    Some(Part { bytes, offset, size })
}
