//! Reads a file, or a part of one.

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::limits::FILE_MAX_BYTES;
use crate::ports::sandbox::{FileOptions, Part, ReadFileResult, ReadRange};
use crate::sandbox::files::Files;
use crate::sandbox::parts::file_scripts::{file_script, too_large};
use crate::sandbox::scripts::{READ, READ_PART};

/// Maximum bytes of the line that precedes a part.
const HEADING_MAX_BYTES: usize = 64;

impl Files<'_> {
    /// Reads a regular file, or a part of it.
    ///
    /// # Errors
    /// `NOT_FOUND`; `TOO_LARGE` for a whole file past 2 MiB; `INVALID_ARGUMENT`
    /// if the path is not a regular file, or if the caller wants text and the
    /// bytes are not text.
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
