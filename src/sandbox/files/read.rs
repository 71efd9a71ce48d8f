//! Reads a file, or a part of one.

use crate::domain::error::{Error, Result};
use crate::domain::files::mime::{is_text, mime_type};
use crate::domain::files::path::AbsolutePath;
use crate::domain::limits::FILE_MAX_BYTES;
use crate::ports::sandbox::{Encoding, FileOptions, ReadFileResult, ReadRange};
use crate::sandbox::SandboxService;
use crate::sandbox::files::{file_script, too_large};
use crate::sandbox::scripts::{READ, READ_PART};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

/// Maximum bytes of the line that precedes a part.
const HEADING_MAX_BYTES: usize = 64;

/// Bytes of a file, and their position.
struct Part {
    bytes: Vec<u8>,
    offset: u64,
    /// Size of the whole file.
    size: u64,
}

impl Part {
    fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    fn is_cut(&self) -> bool {
        self.end() < self.size
    }

    /// Drops an incomplete last character.
    fn drop_half_character(&mut self) {
        if let Err(error) = std::str::from_utf8(&self.bytes)
            && error.error_len().is_none()
            && error.valid_up_to() > 0
        {
            self.bytes.truncate(error.valid_up_to());
        }
    }

    /// Drops an incomplete last line, unless it is the only line.
    fn drop_half_line(&mut self) {
        if let Some(end) = self.bytes.iter().rposition(|byte| *byte == b'\n') {
            self.bytes.truncate(end + 1);
        }
    }
}

impl SandboxService {
    /// Reads a regular file, or a part of it.
    ///
    /// # Errors
    /// `NOT_FOUND`; `TOO_LARGE` for a whole file past 2 MiB; `INVALID_ARGUMENT`
    /// if the path is not a regular file, or if the caller wants text and the
    /// bytes are [not text](is_text).
    pub(crate) async fn read(
        &self,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<ReadFileResult> {
        let mut part = match options.range {
            Some(range) => self.read_part(path, options, range).await?,
            None => self.read_whole(path, options).await?,
        };
        let lines = match options.range {
            Some(ReadRange::Lines { first, count, .. }) => Some((first, count)),
            _ => None,
        };
        let whole_lines = |part: &Part| part.bytes.iter().filter(|byte| **byte == b'\n').count();
        if part.is_cut() && options.encoding != Some(Encoding::Base64) {
            if lines.is_some_and(|(_, count)| (whole_lines(&part) as u64) < count) {
                part.drop_half_line();
            }
            part.drop_half_character();
        }
        let next_line = lines
            .filter(|_| part.is_cut() && part.bytes.ends_with(b"\n"))
            .map(|(first, _)| first + whole_lines(&part) as u64);
        let head = (part.offset == 0).then_some(part.bytes.as_slice());
        let is_text = is_text(&part.bytes);
        let mime = mime_type(path.as_str(), head, is_text).to_owned();
        let (offset, size, end, truncated) = (part.offset, part.size, part.end(), part.is_cut());
        let (content, encoding) = encoded(path, part.bytes, is_text, options.encoding)?;
        Ok(ReadFileResult {
            content,
            encoding,
            size,
            offset,
            truncated,
            next_offset: truncated.then_some(end),
            next_line,
            mime_type: Some(mime),
        })
    }

    async fn read_whole(&self, path: &AbsolutePath, options: &FileOptions) -> Result<Part> {
        let most = FILE_MAX_BYTES.to_string();
        let mut command = file_script(READ, path, options.within.as_ref(), &[&most]);
        command.output_max_bytes = usize::try_from(FILE_MAX_BYTES).unwrap_or(usize::MAX);
        let output = self.run_on_file(&command, path, options).await?;
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
        let output = self.run_on_file(&command, path, options).await?;
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

fn encoded(
    path: &AbsolutePath,
    bytes: Vec<u8>,
    is_text: bool,
    wanted: Option<Encoding>,
) -> Result<(String, Encoding)> {
    let not_text = || Error::invalid("encoding", format!("{path} is not text; read it as base64"));
    match wanted {
        Some(Encoding::Utf8) if !is_text => Err(not_text()),
        None | Some(Encoding::Utf8) if is_text => {
            let text = String::from_utf8(bytes).map_err(|_bytes| not_text())?;
            Ok((text, Encoding::Utf8))
        }
        _ => Ok((BASE64.encode(bytes), Encoding::Base64)),
    }
}
