//! Finds files by name.

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::limits::{LIST_FILES_MAX_ENTRIES, PATTERN_MAX_BYTES};
use crate::ports::sandbox::{FoundFiles, FoundPath, SearchOptions};
use crate::sandbox::files::Files;
use crate::sandbox::parts::file_scripts::{file_script, yes_or_no};
use crate::sandbox::scripts::GLOB;

/// Maximum bytes of paths to keep, as for a listing.
const PATHS_MAX_BYTES: usize = 6 * 1024 * 1024;

impl Files<'_> {
    /// Finds regular files below a directory. Does not follow symbolic links.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; `UNSUPPORTED` if the image has no
    /// ripgrep.
    pub(crate) async fn find_files(
        &self,
        path: &AbsolutePath,
        options: &SearchOptions,
    ) -> Result<FoundFiles> {
        let limit = limit(options, LIST_FILES_MAX_ENTRIES)?;
        let glob = checked_glob(options)?;
        let (most, offset) = ((limit + 1).to_string(), options.offset.to_string());
        let arguments = [glob, yes_or_no(options.include_ignored), &most, &offset];
        let mut command = file_script(GLOB, path, options.within.as_ref(), &arguments);
        command.output_max_bytes = PATHS_MAX_BYTES;
        let (within, instance) = (options.within.as_ref(), options.instance_id.as_ref());
        let output = self.file_scripts.run_on(&command, path, within, instance).await?;
        let mut files: Vec<FoundPath> = output
            .stdout
            .split_inclusive(|byte| *byte == 0)
            // A record that the limit cut off has no NUL.
            .filter_map(|record| record.strip_suffix(&[0]))
            .map(found_path)
            .collect();
        let truncated = output.stdout_truncated || files.len() > limit;
        files.truncate(limit);
        Ok(FoundFiles { files, truncated })
    }
}

/// A path as ripgrep prints it.
pub(crate) fn found_path(bytes: &[u8]) -> FoundPath {
    FoundPath::of(bytes.strip_prefix(b"./").unwrap_or(bytes))
}

/// How many results to return.
pub(crate) fn limit(options: &SearchOptions, most: usize) -> Result<usize> {
    match options.limit {
        Some(0) => Err(Error::invalid("limit", "must be at least 1")),
        Some(asked) => Ok(asked.min(most)),
        None => Ok(most),
    }
}

/// Returns the checked glob, empty if there is none. It becomes a line of an
/// ignore file, so a glob that would be another kind of line is refused.
pub(crate) fn checked_glob(options: &SearchOptions) -> Result<&str> {
    let glob = options.glob.as_deref().unwrap_or_default();
    if glob.len() > PATTERN_MAX_BYTES {
        return Err(Error::invalid("glob", format!("is longer than {PATTERN_MAX_BYTES} bytes")));
    }
    if glob.contains(['\0', '\n', '\r']) || glob.starts_with('!') {
        return Err(Error::invalid("glob", "must not begin with ! or contain line ends or NUL"));
    }
    Ok(glob)
}
