//! Reads the metadata of a file, a directory or a symbolic link.

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::ports::sandbox::files::shown;
use crate::ports::sandbox::{FileOptions, FileStat, FileType};
use crate::sandbox::files::Files;
use crate::sandbox::files::list::{file_type, modified_at};
use crate::sandbox::parts::file_scripts::file_script;
use crate::sandbox::scripts::STAT;

impl Files<'_> {
    /// Reads the metadata of a path. Does not follow a symbolic link.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` if the path leaves the root.
    pub(crate) async fn look_at(
        &self,
        path: &AbsolutePath,
        options: &FileOptions,
    ) -> Result<FileStat> {
        let command = file_script(STAT, path, options.within.as_ref(), &[]);
        let output = self.file_scripts.run(&command, path, options).await?;
        parse(&output.stdout)
            .ok_or_else(|| Error::internal("stat.sh printed no record that can be read"))
    }
}

/// Parses `TYPE SIZE MTIME MODE UID GID TARGET` and a NUL.
fn parse(record: &[u8]) -> Option<FileStat> {
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
    fn records_are_read() {
        let stat = parse(b"l 5 1795300696.5 777 0 1000 a b\xff\0").unwrap();
        assert_eq!((stat.r#type, stat.size_bytes, stat.gid), (FileType::Symlink, 5, 1000));
        assert_eq!(stat.target.as_deref(), Some("a b\u{fffd}"));
        assert_eq!(stat.target_base64.as_deref(), Some("YSBi/w=="));
        assert_eq!(parse(b"f 5 0.0 644 0 0 \0").unwrap().target, None);
        assert_eq!(parse(b"f 5 0.0 644 0 0 "), None);
    }
}
