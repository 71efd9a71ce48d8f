//! Finds files by name, and lines in files.

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::json::parse_own;
use crate::domain::limits::{
    GREP_CONTEXT_MAX_LINES, GREP_LINE_MAX_CHARS, GREP_MAX_LINES, LIST_FILES_MAX_ENTRIES,
    PATTERN_MAX_BYTES,
};
use crate::ports::sandbox::{
    FoundFiles, FoundLine, FoundLines, FoundPath, GrepOptions, SearchOptions,
};
use crate::sandbox::files::Files;
use crate::sandbox::parts::file_scripts::{file_script, yes_or_no};
use crate::sandbox::scripts::{GLOB, GREP};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;

/// Maximum bytes of paths to keep, as for a listing.
const PATHS_MAX_BYTES: usize = 6 * 1024 * 1024;
/// Maximum bytes of one record: a path of 4,096 bytes, each escaped, and the beginning of a line.
const RECORD_MAX_BYTES: usize = 32 * 1024;
const RECORDS_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Ripgrep's name for a file that it reads as standard input.
const STANDARD_INPUT: &str = "<stdin>";

impl Files<'_> {
    /// Finds regular files below a directory. Does not follow symbolic links.
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

    /// Finds lines in a file, or in the files below a directory. Does not follow symbolic links
    /// below it.
    pub(crate) async fn find_lines(
        &self,
        path: &AbsolutePath,
        options: &GrepOptions,
    ) -> Result<FoundLines> {
        check_pattern(options)?;
        let search = &options.search;
        let limit = limit(search, GREP_MAX_LINES)?;
        let arguments = [
            checked_glob(search)?,
            yes_or_no(search.include_ignored),
            &(limit + 1).to_string(),
            &search.offset.to_string(),
            &options.pattern,
            yes_or_no(options.fixed),
            yes_or_no(options.ignore_case),
            &options.context.to_string(),
            &RECORD_MAX_BYTES.to_string(),
        ];
        let mut command = file_script(GREP, path, search.within.as_ref(), &arguments);
        command.output_max_bytes = RECORDS_MAX_BYTES;
        let (within, instance) = (search.within.as_ref(), search.instance_id.as_ref());
        let output = self.file_scripts.run_on(&command, path, within, instance).await?;
        let mut lines = output
            .stdout
            .split_inclusive(|byte| *byte == b'\n')
            // A record that the limit on all records cut off has no line end.
            .filter_map(|record| record.strip_suffix(b"\n"))
            .map(|record| {
                parse(record).ok_or_else(|| Error::internal("ripgrep printed an unknown record"))
            })
            .collect::<Result<Vec<FoundLine>>>()?;
        let truncated = output.stdout_truncated || lines.len() > limit;
        lines.truncate(limit);
        Ok(FoundLines { lines, truncated })
    }
}

fn found_path(bytes: &[u8]) -> FoundPath {
    FoundPath::of(bytes.strip_prefix(b"./").unwrap_or(bytes))
}

fn limit(options: &SearchOptions, most: usize) -> Result<usize> {
    match options.limit {
        Some(0) => Err(Error::invalid("limit", "must be at least 1")),
        Some(asked) => Ok(asked.min(most)),
        None => Ok(most),
    }
}

/// Returns the checked glob, empty if there is none. It becomes a line of an ignore file, so a glob
/// that would be another kind of line is refused.
fn checked_glob(options: &SearchOptions) -> Result<&str> {
    let glob = options.glob.as_deref().unwrap_or_default();
    if glob.len() > PATTERN_MAX_BYTES {
        return Err(Error::invalid("glob", format!("is longer than {PATTERN_MAX_BYTES} bytes")));
    }
    if glob.contains(['\0', '\n', '\r']) || glob.starts_with('!') {
        return Err(Error::invalid("glob", "must not begin with ! or contain line ends or NUL"));
    }
    Ok(glob)
}

fn check_pattern(options: &GrepOptions) -> Result<()> {
    let pattern = &options.pattern;
    if pattern.is_empty() || pattern.contains(['\0', '\n']) {
        return Err(Error::invalid("pattern", "must not be empty or contain line ends or NUL"));
    }
    if pattern.len() > PATTERN_MAX_BYTES {
        return Err(Error::invalid("pattern", format!("is longer than {PATTERN_MAX_BYTES} bytes")));
    }
    if options.context > GREP_CONTEXT_MAX_LINES {
        let problem = format!("must be at most {GREP_CONTEXT_MAX_LINES}");
        return Err(Error::invalid("context", problem));
    }
    Ok(())
}

/// Ripgrep's record of one line.
#[derive(Deserialize)]
struct Record {
    r#type: String,
    data: RecordData,
}

#[derive(Deserialize)]
struct RecordData {
    path: Bytes,
    #[serde(default)]
    lines: Bytes,
    line_number: Option<u64>,
}

/// Text, or base64 of bytes that are not UTF-8.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Bytes {
    Text(String),
    Bytes(String),
}

impl Default for Bytes {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Bytes {
    /// Decodes as much as possible, because the end may be cut off.
    fn decoded(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Bytes(coded) => {
                let whole = coded.get(..coded.len() / 4 * 4).unwrap_or_default();
                BASE64.decode(whole).unwrap_or_default()
            }
        }
    }
}

/// Parses a record whose end may be missing.
fn parse(record: &[u8]) -> Option<FoundLine> {
    let record = String::from_utf8_lossy(record);
    // Drops the positions of the matches: they are many, come last and are not needed. A quote
    // inside a value is escaped, so this text appears only as a field.
    let (record, cut) = match record.split_once(r#","submatches":["#) {
        Some((kept, _)) => (parse_own("a record", format!("{kept}}}}}").as_bytes()).ok()?, false),
        None => (repaired(record.trim_end_matches('\u{fffd}'))?, true),
    };
    let Record { r#type, data } = record;
    let path = data.path.decoded();
    let mut file = found_path(&path);
    if path == STANDARD_INPUT.as_bytes() {
        file.path.clear();
    }
    let line = data.lines.decoded();
    let line = String::from_utf8_lossy(&line);
    let line = line.trim_end_matches(['\n', '\r']);
    let text: String = line.chars().take(GREP_LINE_MAX_CHARS).collect();
    let cut = cut || text.len() < line.len();
    Some(FoundLine { file, line: data.line_number, text, cut, matches: r#type == "match" })
}

/// Parses a record that was cut within its line's text. Drops an incomplete escape at its end, at
/// most `\ud83d\ude0`.
fn repaired(record: &str) -> Option<Record> {
    let ends = record.char_indices().rev().map(|(at, _)| at);
    std::iter::once(record.len())
        .chain(ends)
        .take(12)
        .filter_map(|end| record.get(..end))
        .find_map(|kept| parse_own("a record", format!("{kept}\"}}}}}}").as_bytes()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(record: &str) -> FoundLine {
        parse(record.as_bytes()).unwrap()
    }

    #[test]
    fn records_are_read_whole_or_cut_anywhere_in_the_line() {
        let record = r#"{"type":"match","data":{"path":{"text":"./a\nb"},"lines":{"text":"say \"x\" \ud83d\ude00 end\n"},"line_number":7,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":5,"end":6}]}}"#;
        let whole = found(record);
        assert_eq!((whole.file.path.as_str(), whole.line), ("a\nb", Some(7)));
        assert_eq!(whole.text, "say \"x\" \u{1f600} end");
        assert!(whole.matches && !whole.cut);
        let from = record.find("say").unwrap();
        let to = record.find(" end").unwrap();
        for end in from..to {
            let cut = found(&record[..end]);
            assert!(cut.cut && cut.line.is_none() && whole.text.starts_with(&cut.text), "{cut:?}");
        }
    }

    #[test]
    fn names_and_lines_that_are_not_text_are_told() {
        let line = found(
            r#"{"type":"context","data":{"path":{"bytes":"Li9i/w=="},"lines":{"bytes":"Zv9vCg=="},"line_number":1,"absolute_offset":0,"submatches":[]}}"#,
        );
        assert_eq!(line.file.path, "b\u{fffd}");
        assert_eq!(line.file.path_base64.as_deref(), Some("Yv8="));
        assert_eq!((line.text.as_str(), line.matches), ("f\u{fffd}o", false));
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let text = "é".repeat(GREP_LINE_MAX_CHARS + 1);
        let line = found(&format!(
            r#"{{"type":"match","data":{{"path":{{"text":"<stdin>"}},"lines":{{"text":"{text}"}},"line_number":1,"submatches":[]}}}}"#
        ));
        assert_eq!(line.text.chars().count(), GREP_LINE_MAX_CHARS);
        assert!(line.cut && line.file.path.is_empty());
    }
}
