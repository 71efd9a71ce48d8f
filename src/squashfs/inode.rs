//! Inodes: files, directories, symlinks and the rest.

use crate::domain::error::Result;
use crate::domain::limits::PATH_MAX_BYTES;
use crate::squashfs::archive::{Archive, LastId};
use crate::squashfs::damage::damaged;
use crate::squashfs::metadata::{Cursor, Fields, Position};
use crate::squashfs::table::Table;
use std::fmt;

/// The index of a missing fragment, or of missing extended attributes.
const NONE: u32 = u32::MAX;
/// The size of a directory includes this much for `.` and `..`, which are not stored.
const UNSTORED_DIRECTORY_BYTES: u32 = 3;

/// A file, a directory or another entry of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The node's number in its archive.
    pub inode: u32,
    /// The node's type, with the attributes of that type.
    pub kind: NodeKind,
    /// Permission bits, with setuid, setgid and sticky.
    pub mode: u32,
    /// Owner's id.
    pub uid: u32,
    /// Group's id.
    pub gid: u32,
    /// Modification time in seconds since the epoch, unsigned as in the format.
    pub modified_at_secs: u32,
    /// Number of names. For a directory in several archives, the number in the topmost one.
    pub links: u32,
    /// The archive that contains the node.
    pub(super) layer: usize,
    pub(super) place: Place,
    pub(super) xattrs: Option<u32>,
}

/// Identifies a file in a tree. Hard links to one file share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    layer: usize,
    inode: u32,
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.layer, self.inode)
    }
}

/// The type of a [`Node`], with the attributes of that type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// A regular file.
    File {
        /// Size in bytes.
        size_bytes: u64,
    },
    /// A directory.
    Directory,
    /// A symlink.
    Symlink {
        /// The target, as stored.
        target: Vec<u8>,
    },
    /// A block device.
    BlockDevice {
        /// The device number.
        device: u32,
    },
    /// A character device.
    CharDevice {
        /// The device number.
        device: u32,
    },
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    File(FilePlace),
    /// The directory's part in each archive, the topmost first.
    Directory(Vec<DirectoryPlace>),
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilePlace {
    pub size_bytes: u64,
    /// The beginning of the first block.
    pub start: u64,
    /// The position of the list of stored block sizes.
    pub sizes: Position,
    /// The fragment with the file's end, and the offset in it.
    pub fragment: Option<(u32, u32)>,
}

/// The position of an archive's part of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DirectoryPlace {
    pub layer: usize,
    pub inode: Position,
    pub listing: Position,
    pub len_bytes: u32,
    /// An index of some names, by which a reader can begin in the middle of a long listing.
    pub index: Position,
    pub index_entries: u16,
}

/// Inodes with extended attributes have a type that is seven higher.
pub(super) mod kind {
    pub const DIRECTORY: u16 = 1;
    pub const FILE: u16 = 2;
    pub const SYMLINK: u16 = 3;
    pub const BLOCK_DEVICE: u16 = 4;
    pub const CHAR_DEVICE: u16 = 5;
    pub const FIFO: u16 = 6;
    pub const SOCKET: u16 = 7;
    pub const EXTENDED: u16 = 7;
}

impl Node {
    /// Whether both are the same node, if both trees share their first `shared` archives.
    #[must_use]
    pub fn is_same(&self, other: &Self, shared: usize) -> bool {
        self.layer < shared && self == other
    }

    /// The id of the node in its tree.
    #[must_use]
    pub const fn file_id(&self) -> FileId {
        FileId { layer: self.layer, inode: self.inode }
    }

    /// Whether the node marks a path that a layer removes. A full archive removes no paths.
    pub(super) fn is_whiteout(&self) -> bool {
        self.layer > 0 && self.kind == NodeKind::CharDevice { device: 0 }
    }

    /// The node's type, as directories record it.
    pub(super) fn kind_id(&self) -> u16 {
        match self.kind {
            NodeKind::Directory => kind::DIRECTORY,
            NodeKind::File { .. } => kind::FILE,
            NodeKind::Symlink { .. } => kind::SYMLINK,
            NodeKind::BlockDevice { .. } => kind::BLOCK_DEVICE,
            NodeKind::CharDevice { .. } => kind::CHAR_DEVICE,
            NodeKind::Fifo => kind::FIFO,
            NodeKind::Socket => kind::SOCKET,
        }
    }
}

/// The fields of an inode that depend on its type.
struct Body {
    kind: NodeKind,
    links: u32,
    place: Place,
    xattrs: u32,
}

impl Archive {
    pub(super) async fn node(&self, at: Position) -> Result<Node> {
        let mut cursor = Cursor::new(at);
        let header: [u8; 16] = cursor.take(&self.image).await?;
        let mut fields = Fields::new(&header);
        let (stored_kind, mode) = (fields.u16()?, u32::from(fields.u16()?));
        let (uid, gid) = (fields.u16()?, fields.u16()?);
        let (modified_at_secs, inode) = (fields.u32()?, fields.u32()?);

        let extended = stored_kind > kind::EXTENDED;
        let kind_id = if extended { stored_kind - kind::EXTENDED } else { stored_kind };
        let body = match kind_id {
            kind::DIRECTORY => self.directory_body(at, &mut cursor, extended).await?,
            kind::FILE => self.file_body(&mut cursor, extended).await?,
            kind::SYMLINK => self.symlink_body(&mut cursor, extended).await?,
            kind::BLOCK_DEVICE | kind::CHAR_DEVICE => {
                self.device_body(&mut cursor, kind_id, extended).await?
            }
            kind::FIFO | kind::SOCKET => self.plain_body(&mut cursor, kind_id, extended).await?,
            _ => return Err(damaged(format!("inode {inode} is of an unknown type"))),
        };
        Ok(Node {
            inode,
            kind: body.kind,
            mode: mode & 0o7777,
            uid: self.owner(uid, &self.last_owner).await?,
            gid: self.owner(gid, &self.last_group).await?,
            modified_at_secs,
            links: body.links,
            layer: self.layer,
            place: body.place,
            xattrs: (body.xattrs != NONE).then_some(body.xattrs),
        })
    }

    async fn owner(&self, index: u16, last: &LastId) -> Result<u32> {
        if let Some((_, id)) = last.get().filter(|(at, _)| *at == index) {
            return Ok(id);
        }
        let Self { superblock, image, .. } = self;
        let table =
            Table { name: "owner", pointers: superblock.id_table, count: superblock.ids.into() };
        let id = u32::from_le_bytes(table.record(image, index.into()).await?);
        last.set(Some((index, id)));
        Ok(id)
    }

    async fn directory_body(
        &self,
        inode: Position,
        cursor: &mut Cursor,
        extended: bool,
    ) -> Result<Body> {
        let table = self.superblock.directory_table;
        let (links, size, block, offset, index_entries, xattrs);
        if extended {
            let bytes: [u8; 24] = cursor.take(&self.image).await?;
            let mut fields = Fields::new(&bytes);
            (links, size, block) = (fields.u32()?, fields.u32()?, fields.u32()?);
            let _parent = fields.u32()?;
            (index_entries, offset, xattrs) = (fields.u16()?, fields.u16()?, fields.u32()?);
        } else {
            let bytes: [u8; 16] = cursor.take(&self.image).await?;
            let mut fields = Fields::new(&bytes);
            (block, links) = (fields.u32()?, fields.u32()?);
            (size, offset) = (u32::from(fields.u16()?), fields.u16()?);
            (index_entries, xattrs) = (0, NONE);
        }
        let place = DirectoryPlace {
            layer: self.layer,
            inode,
            listing: Position::new(table, block.into(), offset.into())?,
            len_bytes: size.saturating_sub(UNSTORED_DIRECTORY_BYTES),
            index: cursor.position(),
            index_entries,
        };
        let place = Place::Directory(vec![place]);
        Ok(Body { kind: NodeKind::Directory, links, place, xattrs })
    }

    async fn file_body(&self, cursor: &mut Cursor, extended: bool) -> Result<Body> {
        let (start, size_bytes, links, fragment, offset, xattrs);
        if extended {
            let bytes: [u8; 40] = cursor.take(&self.image).await?;
            let mut fields = Fields::new(&bytes);
            (start, size_bytes) = (fields.u64()?, fields.u64()?);
            let _sparse_bytes = fields.u64()?;
            (links, fragment, offset) = (fields.u32()?, fields.u32()?, fields.u32()?);
            xattrs = fields.u32()?;
        } else {
            let bytes: [u8; 16] = cursor.take(&self.image).await?;
            let mut fields = Fields::new(&bytes);
            (start, fragment, offset) = (u64::from(fields.u32()?), fields.u32()?, fields.u32()?);
            (size_bytes, links, xattrs) = (u64::from(fields.u32()?), 1, NONE);
        }
        let place = FilePlace {
            size_bytes,
            start,
            sizes: cursor.position(),
            fragment: (fragment != NONE).then_some((fragment, offset)),
        };
        Ok(Body { kind: NodeKind::File { size_bytes }, links, place: Place::File(place), xattrs })
    }

    async fn symlink_body(&self, cursor: &mut Cursor, extended: bool) -> Result<Body> {
        let bytes: [u8; 8] = cursor.take(&self.image).await?;
        let mut fields = Fields::new(&bytes);
        let (links, len_bytes) = (fields.u32()?, fields.u32()? as usize);
        if len_bytes > PATH_MAX_BYTES {
            return Err(damaged(format!("a symlink's target claims {len_bytes} bytes")));
        }
        let target = cursor.take_vec(&self.image, len_bytes).await?;
        let xattrs = self.xattrs_index(cursor, extended).await?;
        Ok(Body { kind: NodeKind::Symlink { target }, links, place: Place::None, xattrs })
    }

    async fn device_body(&self, cursor: &mut Cursor, kind: u16, extended: bool) -> Result<Body> {
        let bytes: [u8; 8] = cursor.take(&self.image).await?;
        let mut fields = Fields::new(&bytes);
        let (links, device) = (fields.u32()?, fields.u32()?);
        let xattrs = self.xattrs_index(cursor, extended).await?;
        let kind = match kind {
            kind::BLOCK_DEVICE => NodeKind::BlockDevice { device },
            _ => NodeKind::CharDevice { device },
        };
        Ok(Body { kind, links, place: Place::None, xattrs })
    }

    async fn plain_body(&self, cursor: &mut Cursor, kind: u16, extended: bool) -> Result<Body> {
        let links = u32::from_le_bytes(cursor.take(&self.image).await?);
        let xattrs = self.xattrs_index(cursor, extended).await?;
        let kind = if kind == kind::FIFO { NodeKind::Fifo } else { NodeKind::Socket };
        Ok(Body { kind, links, place: Place::None, xattrs })
    }

    async fn xattrs_index(&self, cursor: &mut Cursor, extended: bool) -> Result<u32> {
        if !extended {
            return Ok(NONE);
        }
        Ok(u32::from_le_bytes(cursor.take(&self.image).await?))
    }
}
