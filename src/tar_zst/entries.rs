//! Reads all entries of an archive.

use crate::domain::error::Result;
use crate::domain::limits::{PATH_MAX_BYTES, TAR_EXTENDED_MAX_BYTES, TAR_LOOK_MAX_BYTES};
use crate::ports::bucket::ranges::Ranges;
use crate::tar_zst::damage::{damaged, refused, unsupported};
use crate::tar_zst::header::{BLOCK_BYTES, Header};
use crate::tar_zst::index::{Described, Index, Kind, Unordered};
use crate::tar_zst::pax::Extended;
use crate::tar_zst::unpack::{Unpacker, Work};
use std::mem::take;

/// Longest name in a directory, as in Linux.
const NAME_MAX_BYTES: usize = 255;
/// Permissions and the sticky bit. A restore drops setuid and setgid.
const MODE_BITS: u64 = 0o1777;

/// Reads an archive to its end.
pub(super) async fn read(
    unpacker: &mut Unpacker,
    ranges: &dyn Ranges,
    work: &Work,
) -> Result<Index> {
    let mut entries = Unordered::default();
    let (mut global, mut said) = (Extended::default(), Extended::default());
    loop {
        let block = unpacker.take(ranges, work, BLOCK_BYTES).await?;
        let Some(header) = Header::parse(&block)? else { break };
        match header.kind {
            b'g' => global.read(&extended(unpacker, ranges, work, &header).await?)?,
            b'x' => said.read(&extended(unpacker, ranges, work, &header).await?)?,
            b'L' => said.path = Some(long_name(extended(unpacker, ranges, work, &header).await?)),
            b'K' => said.target = Some(long_name(extended(unpacker, ranges, work, &header).await?)),
            _ => {
                let described = describe(&header, take(&mut said).or(&global), unpacker.at())?;
                if described.kind == Kind::File {
                    let padded = padded(described.size_bytes, unpacker.at())?;
                    unpacker.skip(ranges, work, padded).await?;
                }
                entries.push(described)?;
            }
        }
    }
    if said != Extended::default() {
        return Err(damaged("an extended header describes nothing"));
    }
    // We read to the end to check the checksum. Other readers might take the bytes there for
    // entries.
    loop {
        let rest = unpacker.peek(ranges, work).await?;
        if rest.iter().any(|byte| *byte != 0) {
            return Err(damaged("data follows its end"));
        }
        let len_bytes = rest.len();
        if len_bytes == 0 {
            return entries.order();
        }
        unpacker.pass(len_bytes);
        padded(0, unpacker.at())?;
    }
}

/// The content of an entry that describes the next entry.
async fn extended(
    unpacker: &mut Unpacker,
    ranges: &dyn Ranges,
    work: &Work,
    header: &Header<'_>,
) -> Result<Vec<u8>> {
    if header.size_bytes > TAR_EXTENDED_MAX_BYTES {
        return Err(unsupported(format!(
            "an extended header has {} bytes, and at most {TAR_EXTENDED_MAX_BYTES} are read",
            header.size_bytes
        )));
    }
    let padded = padded(header.size_bytes, unpacker.at())?;
    let mut content = unpacker.take(ranges, work, padded).await?;
    content.truncate(usize::try_from(header.size_bytes).unwrap_or_default());
    Ok(content)
}

fn long_name(mut content: Vec<u8>) -> Vec<u8> {
    if let Some(end) = content.iter().position(|byte| *byte == 0) {
        content.truncate(end);
    }
    content
}

/// The end of content, rounded up to the end of its last block.
fn padded(size_bytes: u64, at: u64) -> Result<u64> {
    let padded = size_bytes.checked_next_multiple_of(BLOCK_BYTES);
    let fits = |padded: &u64| at.checked_add(*padded).is_some_and(|end| end <= TAR_LOOK_MAX_BYTES);
    padded.filter(fits).ok_or_else(|| {
        unsupported(format!("it has more than {TAR_LOOK_MAX_BYTES} bytes when it is decompressed"))
    })
}

fn describe(header: &Header<'_>, said: Extended, content_at: u64) -> Result<Described> {
    let named = said.path.unwrap_or_else(|| header.path());
    let path = clean(&named, &named, "its name")?;
    let kind = match header.kind {
        // Unix V7 stored directories this way.
        b'0' | b'7' | 0 if named.ends_with(b"/") => Kind::Directory,
        b'0' | b'7' | 0 => Kind::File,
        b'1' => Kind::HardLink,
        b'2' => Kind::Symlink,
        b'3' => Kind::CharDevice,
        b'4' => Kind::BlockDevice,
        b'5' => Kind::Directory,
        b'6' => Kind::Fifo,
        other => {
            let kind = char::from(other).escape_default();
            return Err(unsupported(format!("it has an entry of type {kind}")));
        }
    };
    let size_bytes = said.size_bytes.unwrap_or(header.size_bytes);
    if size_bytes > 0 && kind != Kind::File {
        return Err(refused(&named, "it is not a file, but has content"));
    }
    if path.is_empty() && kind != Kind::Directory {
        return Err(refused(&named, "it would replace the directory itself"));
    }
    let target = match kind {
        Kind::HardLink => {
            let target = said.target.unwrap_or_else(|| header.target());
            clean(&target, &named, "what it is a link to")?
        }
        Kind::Symlink => {
            let target = said.target.unwrap_or_else(|| header.target());
            if target.is_empty() || target.len() > PATH_MAX_BYTES {
                return Err(refused(&named, "its target is empty or too long"));
            }
            target
        }
        _ => Vec::new(),
    };
    let device = match kind {
        Kind::CharDevice | Kind::BlockDevice => device_number(header.device()?),
        _ => 0,
    };
    let owner =
        |id: u64| u32::try_from(id).map_err(|_| damaged("the number of an owner is too large"));
    let modified_at_secs = said.modified_at_secs.map_or_else(|| header.modified_at_secs(), Ok)?;
    Ok(Described {
        path,
        target,
        kind,
        mode: u16::try_from(header.mode()? & MODE_BITS).unwrap_or_default(),
        uid: owner(said.uid.map_or_else(|| header.uid(), Ok)?)?,
        gid: owner(said.gid.map_or_else(|| header.gid(), Ok)?)?,
        modified_at_secs: u32::try_from(modified_at_secs).unwrap_or(u32::MAX),
        size_bytes: if kind == Kind::File { size_bytes } else { device },
        content_at,
    })
}

/// A device number, encoded as in Linux.
const fn device_number((major, minor): (u64, u64)) -> u64 {
    (minor & 0xff) | ((major & 0xfff) << 8) | ((minor & 0xf_ff00) << 12)
}

/// A path without redundant parts. It stays below the directory into which the archive is
/// extracted.
fn clean(path: &[u8], named: &[u8], what: &str) -> Result<Vec<u8>> {
    if path.starts_with(b"/") {
        return Err(refused(named, format!("{what} is absolute")));
    }
    if path.is_empty() {
        return Err(refused(named, format!("{what} is empty")));
    }
    let mut cleaned = Vec::new();
    for name in path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b".")) {
        if name == b".." {
            return Err(refused(named, format!("{what} has a .. in it")));
        }
        if name.len() > NAME_MAX_BYTES {
            return Err(refused(named, format!("{what} is longer than a name may be on Linux")));
        }
        if !cleaned.is_empty() {
            cleaned.push(b'/');
        }
        cleaned.extend_from_slice(name);
    }
    if cleaned.len() > PATH_MAX_BYTES {
        return Err(refused(named, format!("{what} is longer than {PATH_MAX_BYTES} bytes")));
    }
    Ok(cleaned)
}
