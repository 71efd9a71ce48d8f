//! Lists a directory, and reads the metadata of a path.

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::limits::LIST_FILES_MAX_ENTRIES;
use crate::domain::time::rfc3339;
use crate::ports::sandbox::files::shown;
use crate::ports::sandbox::{FileInfo, FileOptions, FileStat, FileType, ListFilesResult};
use crate::sandbox::files::Files;
use crate::sandbox::parts::file_scripts::{file_script, yes_or_no};
use crate::sandbox::scripts::{LIST, STAT};

/// Maximum bytes of a listing to keep. The result has each path twice, perhaps in base64, and must
/// stay below 32 MiB, the limit of an RPC message.
const LISTING_MAX_BYTES: usize = 6 * 1024 * 1024;

impl Files<'_> {
    /// Lists a directory, or with `recursive` its whole tree. Does not follow symbolic links.
    pub(crate) async fn list(
        &self,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<ListFilesResult> {
        let limit =
            options.limit.unwrap_or(LIST_FILES_MAX_ENTRIES).clamp(1, LIST_FILES_MAX_ENTRIES);
        let (most, offset) = ((limit + 1).to_string(), options.offset.to_string());
        let (recursive, hidden) = (yes_or_no(options.recursive), yes_or_no(options.include_hidden));
        let arguments = [recursive, hidden, &most, &offset];
        let mut command = file_script(LIST, path, options.within.as_ref(), &arguments);
        command.output_max_bytes = LISTING_MAX_BYTES;
        let output = self.file_scripts.run(&command, path, options).await?;
        Ok(parse(path, &output.stdout, limit, output.stdout_truncated))
    }

    /// Reads the metadata of a path. Does not follow a symbolic link.
    pub(crate) async fn look_at(
        &self,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<FileStat> {
        let command = file_script(STAT, path, options.within.as_ref(), &[]);
        let output = self.file_scripts.run(&command, path, options).await?;
        parse_stat(&output.stdout)
            .ok_or_else(|| Error::internal("stat.sh printed no record that can be read"))
    }
}

/// Parses records of `TYPE SIZE MTIME MODE NAME`, each ended by a NUL. A record that the limit cut
/// off has no NUL.
fn parse(dir: &AbsolutePath, listing: &[u8], limit: usize, cut: bool) -> ListFilesResult {
    let mut files: Vec<FileInfo> = listing
        .split_inclusive(|byte| *byte == 0)
        .filter_map(|record| parse_entry(dir, record.strip_suffix(&[0])?))
        .collect();
    let truncated = cut || files.len() > limit;
    files.truncate(limit);
    ListFilesResult { files, truncated }
}

fn parse_entry(dir: &AbsolutePath, record: &[u8]) -> Option<FileInfo> {
    let mut fields = record.splitn(5, |byte| *byte == b' ');
    let mut field = || fields.next();
    let kind = file_type(field()?);
    let size = std::str::from_utf8(field()?).ok()?.parse().ok()?;
    let modified_at = modified_at(std::str::from_utf8(field()?).ok()?)?;
    let mode = std::str::from_utf8(field()?).ok()?.to_owned();
    let (relative_path, relative_path_base64) = shown(field()?);
    let separator = if dir.as_str() == "/" { "" } else { "/" };
    Some(FileInfo {
        name: relative_path.rsplit('/').next().unwrap_or_default().to_owned(),
        absolute_path: format!("{dir}{separator}{relative_path}"),
        relative_path_base64,
        relative_path,
        r#type: kind,
        size_bytes: size,
        modified_at,
        mode,
    })
}

/// The type that a letter of `find` means.
fn file_type(letter: &[u8]) -> FileType {
    match letter {
        b"f" => FileType::File,
        b"d" => FileType::Directory,
        b"l" => FileType::Symlink,
        _ => FileType::Other,
    }
}

/// Converts decimal seconds since the epoch to RFC 3339.
fn modified_at(seconds: &str) -> Option<String> {
    let seconds: f64 = seconds.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a time in milliseconds; an `as` cast saturates"
    )]
    let ms = (seconds * 1_000.0).floor() as i64;
    Some(rfc3339(ms))
}

/// Parses `TYPE SIZE MTIME MODE UID GID TARGET` and a NUL.
fn parse_stat(record: &[u8]) -> Option<FileStat> {
    let mut fields = record.strip_suffix(&[0])?.splitn(7, |byte| *byte == b' ');
    let kind = file_type(fields.next()?);
    let mut text = || std::str::from_utf8(fields.next()?).ok();
    let size = text()?.parse().ok()?;
    let modified_at = modified_at(text()?)?;
    let mode = text()?.to_owned();
    let (uid, gid) = (text()?.parse().ok()?, text()?.parse().ok()?);
    let (target, target_base64) = shown(fields.next()?);
    let target = (kind == FileType::Symlink).then_some(target);
    Some(FileStat {
        r#type: kind,
        size_bytes: size,
        modified_at,
        mode,
        uid,
        gid,
        target,
        target_base64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_read_and_a_cut_record_is_not() {
        let dir = AbsolutePath::parse("path", "/workspace").unwrap();
        let listing = b"d 4096 0.0000000000 755 a b\0f 0 1.5 600 d/bad\xff\0f 3 1795300696.5578690720 644 z\nx\0f 9 1.0 64";
        let result = parse(&dir, listing, 9, true);
        assert!(result.truncated);
        let [first, second, third] = result.files.as_slice() else { panic!("{result:?}") };
        assert_eq!((first.name.as_str(), first.r#type), ("a b", FileType::Directory));
        assert_eq!(second.absolute_path, "/workspace/d/bad\u{fffd}");
        assert_eq!(second.name, "bad\u{fffd}");
        assert_eq!(second.relative_path_base64.as_deref(), Some("ZC9iYWT/"));
        assert_eq!((third.name.as_str(), third.size_bytes), ("z\nx", 3));
        assert_eq!(third.modified_at, "2026-11-21T22:38:16.557Z");
        assert_eq!(third.relative_path_base64, None);
    }

    #[test]
    fn one_entry_too_many_says_so() {
        let dir = AbsolutePath::parse("path", "/").unwrap();
        let record = b"f 1 1.0 644 x\0";
        assert!(!parse(&dir, &record.repeat(3), 3, false).truncated);
        let result = parse(&dir, &record.repeat(4), 3, false);
        assert!(result.truncated && result.files.len() == 3);
        assert_eq!(result.files.first().map(|file| file.absolute_path.as_str()), Some("/x"));
    }

    #[test]
    fn metadata_is_read() {
        let stat = parse_stat(b"l 5 1795300696.5 777 0 1000 a b\xff\0").unwrap();
        assert_eq!((stat.r#type, stat.size_bytes, stat.gid), (FileType::Symlink, 5, 1000));
        assert_eq!(stat.target.as_deref(), Some("a b\u{fffd}"));
        assert_eq!(stat.target_base64.as_deref(), Some("YSBi/w=="));
        assert_eq!(parse_stat(b"f 5 0.0 644 0 0 \0").unwrap().target, None);
        assert_eq!(parse_stat(b"f 5 0.0 644 0 0 "), None);
    }
}
