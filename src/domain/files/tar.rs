//! Writes headers of tar archives in GNU format.

use crate::domain::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};

const BLOCK_BYTES: usize = 512;
const NAME_BYTES: usize = 100;
const SIZE_MAX_BYTES: u64 = 0o77_777_777_777;
const ID_MAX: u32 = 0o7_777_777;

/// The kind of an archive's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TarKind<'a> {
    /// A file. Its bytes and [`padding`] follow the header.
    File {
        /// Size in bytes.
        size_bytes: u64,
    },
    /// A directory.
    Directory,
    /// A symlink.
    Symlink {
        /// The symlink's target.
        target: &'a [u8],
    },
    /// Another name for an earlier file.
    HardLink {
        /// Path of that file.
        target: &'a [u8],
    },
}

/// Further attributes of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TarExtras {
    /// Ids of the owning user and group.
    pub owner: (u32, u32),
    /// Names and values of the extended attributes.
    pub attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

/// The header of an entry that root owns, without extended attributes.
///
/// # Errors
/// As [`header_with`].
pub fn header(path: &[u8], kind: TarKind<'_>, mode: u32, modified_at_secs: u32) -> Result<Vec<u8>> {
    header_with(path, kind, mode, modified_at_secs, &TarExtras::default())
}

/// The header of an entry.
///
/// # Errors
/// `TOO_LARGE` for a file above 8 GiB.
pub fn header_with(
    path: &[u8],
    kind: TarKind<'_>,
    mode: u32,
    modified_at_secs: u32,
    extras: &TarExtras,
) -> Result<Vec<u8>> {
    let (flag, size_bytes, target): (u8, u64, &[u8]) = match kind {
        TarKind::File { size_bytes } => (b'0', size_bytes, b""),
        TarKind::HardLink { target } => (b'1', 0, target),
        TarKind::Symlink { target } => (b'2', 0, target),
        TarKind::Directory => (b'5', 0, b""),
    };
    if size_bytes > SIZE_MAX_BYTES {
        let text = format!("{} is too large to be copied", String::from_utf8_lossy(path));
        return Err(Error::new(ErrorCode::TooLarge, text));
    }
    let mut bytes = Vec::new();
    if !extras.attributes.is_empty() {
        let records: Vec<u8> =
            extras.attributes.iter().flat_map(|(name, value)| attribute(name, value)).collect();
        let len_bytes = records.len() as u64;
        bytes.extend(block(b"././@PaxHeader", b'x', len_bytes, b"", 0, 0, (0, 0)));
        bytes.extend(records);
        bytes.extend(padding(len_bytes));
    }
    if target.len() > NAME_BYTES {
        bytes.extend(long_name(b'K', target));
    }
    if path.len() > NAME_BYTES {
        bytes.extend(long_name(b'L', path));
    }
    bytes.extend(block(path, flag, size_bytes, target, mode, modified_at_secs, extras.owner));
    Ok(bytes)
}

/// A record in GNU tar's format. It begins with its own length.
fn attribute(name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut rest = b" SCHILY.xattr.".to_vec();
    for byte in name {
        match byte {
            b'%' => rest.extend(b"%25"),
            b'=' => rest.extend(b"%3D"),
            byte => rest.push(*byte),
        }
    }
    rest.push(b'=');
    rest.extend(value);
    rest.push(b'\n');
    let mut len_bytes = rest.len();
    while len_bytes != rest.len() + len_bytes.to_string().len() {
        len_bytes = rest.len() + len_bytes.to_string().len();
    }
    [len_bytes.to_string().as_bytes(), &rest].concat()
}

/// Zeros that fill a file's last block.
#[must_use]
pub fn padding(size_bytes: u64) -> Vec<u8> {
    let used = usize::try_from(size_bytes % BLOCK_BYTES as u64).unwrap_or_default();
    vec![0; (BLOCK_BYTES - used) % BLOCK_BYTES]
}

/// The end of an archive.
#[must_use]
pub fn end() -> Vec<u8> {
    vec![0; 2 * BLOCK_BYTES]
}

fn long_name(flag: u8, name: &[u8]) -> Vec<u8> {
    let size_bytes = name.len() as u64 + 1;
    let mut bytes = block(b"././@LongLink", flag, size_bytes, b"", 0, 0, (0, 0));
    bytes.extend_from_slice(name);
    bytes.push(0);
    bytes.extend(padding(size_bytes));
    bytes
}

/// Larger ids are written in base 256, as GNU tar does.
fn id(id: u32) -> Vec<u8> {
    if id > ID_MAX {
        return [&[0x80, 0, 0, 0], &id.to_be_bytes()[..]].concat();
    }
    format!("{id:07o}").into_bytes()
}

fn block(
    path: &[u8],
    flag: u8,
    size_bytes: u64,
    target: &[u8],
    mode: u32,
    time: u32,
    owner: (u32, u32),
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BLOCK_BYTES);
    let text = |bytes: &mut Vec<u8>, text: &[u8], width: usize| {
        let end = bytes.len() + width;
        bytes.extend(text.iter().take(width));
        bytes.resize(end, 0);
    };
    text(&mut bytes, path, NAME_BYTES);
    text(&mut bytes, format!("{mode:07o}").as_bytes(), 8);
    text(&mut bytes, &id(owner.0), 8);
    text(&mut bytes, &id(owner.1), 8);
    text(&mut bytes, format!("{size_bytes:011o}").as_bytes(), 12);
    text(&mut bytes, format!("{time:011o}").as_bytes(), 12);
    let checksum_at = bytes.len();
    text(&mut bytes, b"        ", 8);
    bytes.push(flag);
    text(&mut bytes, target, NAME_BYTES);
    text(&mut bytes, b"ustar  ", 8);
    bytes.resize(BLOCK_BYTES, 0);
    let sum: u32 = bytes.iter().map(|byte| u32::from(*byte)).sum();
    let checksum = format!("{sum:06o}\0 ");
    if let Some(field) = bytes.get_mut(checksum_at..checksum_at + checksum.len()) {
        field.copy_from_slice(checksum.as_bytes());
    }
    bytes
}

/// How many entries of an archive lost something in an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DroppedByImport {
    /// Entries that another user or group than root owned. Root owns them now; a snapshot keeps
    /// them.
    pub owners: u64,
    /// Entries with setuid, setgid or sticky bits. A snapshot keeps sticky bits.
    pub special_bits: u64,
    /// Entries with extended attributes other than `user.*`, such as capabilities.
    pub attributes: u64,
}
