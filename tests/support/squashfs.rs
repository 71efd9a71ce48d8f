//! Writes SquashFS archives by hand, also those that `mksquashfs` never would.
//!
//! Metadata is stored, not compressed, so that a place in a table is known before it
//! is written: [`Place::of`]. What tests damage afterwards they find by [`Image::bytes`].

use snapshotter::domain::error::Result;
use snapshotter::ports::bucket::ranges::Ranges;
use snapshotter::squashfs::{ArchiveSource, Cache, LayeredTree};
use std::rc::Rc;

/// Opens one archive.
pub async fn open(ranges: Rc<dyn Ranges>, cache: Rc<Cache>, key: &str) -> Result<LayeredTree> {
    let (key, name) = (key.to_owned(), "it".to_owned());
    LayeredTree::open(vec![ArchiveSource { ranges, key, name }], &cache).await
}

/// Bytes of a block of metadata.
pub const METADATA_BYTES: usize = 8192;
/// In the size of a block of data: it is stored. A size of 0 is a hole.
pub const STORED: u32 = 1 << 24;
/// In place of a number: a file has no fragment, an inode no extended attributes.
pub const NONE: u32 = u32::MAX;
const ABSENT: u64 = u64::MAX;

pub const GZIP: u16 = 1;
pub const LZ4: u16 = 5;

/// Where the fields of the superblock are.
pub mod field {
    pub const MAGIC: usize = 0;
    pub const INODES: usize = 4;
    pub const BLOCK_SIZE: usize = 12;
    pub const FRAGMENTS: usize = 16;
    pub const COMPRESSOR: usize = 20;
    pub const BLOCK_LOG: usize = 22;
    pub const FLAGS: usize = 24;
    pub const IDS: usize = 26;
    pub const MAJOR: usize = 28;
    pub const MINOR: usize = 30;
    pub const ROOT: usize = 32;
    pub const BYTES_USED: usize = 40;
    pub const ID_TABLE: usize = 48;
    pub const XATTR_TABLE: usize = 56;
    pub const INODE_TABLE: usize = 64;
    pub const DIRECTORY_TABLE: usize = 72;
    pub const FRAGMENT_TABLE: usize = 80;
    pub const EXPORT_TABLE: usize = 88;
    pub const END: usize = 96;
}

/// Where the fields of an inode are.
pub mod inode_field {
    pub const MODE: usize = 2;
    pub const OWNER: usize = 4;
    pub const GROUP: usize = 6;
    pub const TIME: usize = 8;
    /// Of a directory.
    pub const XATTRS: usize = 36;
}

/// The numbers of inode types.
pub mod kind {
    pub const DIRECTORY: u16 = 1;
    pub const FILE: u16 = 2;
    pub const SYMLINK: u16 = 3;
    pub const BLOCK: u16 = 4;
    pub const CHAR: u16 = 5;
    pub const FIFO: u16 = 6;
    pub const SOCKET: u16 = 7;
    /// Added to a type: the extended inode of it.
    pub const EXTENDED: u16 = 7;
}

/// A place in a table: its block from the table's start, and the byte in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub block: u32,
    pub offset: u16,
}

impl Place {
    /// The place of a byte in a table of stored blocks.
    pub fn of(position: usize) -> Self {
        let block = position / METADATA_BYTES * (METADATA_BYTES + 2);
        Self { block: block as u32, offset: (position % METADATA_BYTES) as u16 }
    }

    /// As the superblock and the tables of inodes write it.
    pub fn packed(self) -> u64 {
        (u64::from(self.block) << 16) | u64::from(self.offset)
    }
}

/// An inode, as an entry of a directory names it.
#[derive(Debug, Clone, Copy)]
pub struct Inode {
    pub place: Place,
    pub number: u32,
    pub kind: u16,
}

/// Entries of a directory after one header.
pub struct Run<'a> {
    /// The block of the inodes.
    pub block: u32,
    pub number: u32,
    pub entries: Vec<RawEntry<'a>>,
}

pub struct RawEntry<'a> {
    pub offset: u16,
    pub delta: i16,
    pub kind: u16,
    pub name: &'a [u8],
}

/// The listing of a directory in the table of directories.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    pub place: Place,
    /// With the 3 that SquashFS adds.
    pub size: u32,
}

/// A step of a directory's index.
pub struct Step<'a> {
    /// Bytes of the listing before it.
    pub index: u32,
    /// The block of the table of directories.
    pub block: u32,
    pub name: &'a [u8],
}

/// A file's fields.
#[derive(Clone)]
pub struct File<'a> {
    pub start: u64,
    pub size: u64,
    pub blocks: &'a [u32],
    pub fragment: u32,
    pub fragment_offset: u32,
    pub links: u32,
    pub xattrs: u32,
}

impl Default for File<'_> {
    fn default() -> Self {
        let fragment = NONE;
        Self {
            start: 0,
            size: 0,
            blocks: &[],
            fragment,
            fragment_offset: 0,
            links: 1,
            xattrs: NONE,
        }
    }
}

/// An archive being written.
pub struct Image {
    pub block_size: u32,
    pub compressor: u16,
    pub ids: Vec<u32>,
    /// Position and size of each fragment block.
    pub fragments: Vec<(u64, u32)>,
    /// Place, count and size of each list of extended attributes.
    pub xattr_lists: Vec<(u64, u32, u32)>,
    pub xattrs: Vec<u8>,
    pub inodes: Vec<u8>,
    pub directories: Vec<u8>,
    /// The table of inodes as it is stored, in place of `inodes`.
    pub stored_inodes: Option<Vec<u8>>,
    next_number: u32,
    /// The file from its start on, with room for the superblock.
    data: Vec<u8>,
}

impl Image {
    pub fn new(block_size: u32) -> Self {
        Self {
            block_size,
            compressor: GZIP,
            ids: vec![0, 1000, 4_000_000_000],
            fragments: Vec::new(),
            xattr_lists: Vec::new(),
            xattrs: Vec::new(),
            inodes: Vec::new(),
            directories: Vec::new(),
            stored_inodes: None,
            next_number: 1,
            data: vec![0; field::END],
        }
    }

    /// Stores bytes as they are; where they begin.
    pub fn data(&mut self, bytes: &[u8]) -> u64 {
        let start = self.data.len() as u64;
        self.data.extend(bytes);
        start
    }

    /// An inode with any fields after the header.
    pub fn inode(&mut self, kind: u16, mode: u16, body: &[u8]) -> Inode {
        let number = self.next_number;
        self.next_number += 1;
        let place = Place::of(self.inodes.len());
        for half in [kind, mode, 0, 1] {
            self.inodes.extend(half.to_le_bytes());
        }
        for word in [1_700_000_000 + number, number] {
            self.inodes.extend(word.to_le_bytes());
        }
        self.inodes.extend(body);
        let kind = if kind > kind::EXTENDED { kind - kind::EXTENDED } else { kind };
        Inode { place, number, kind }
    }

    /// The fields of an inode that was written.
    pub fn fields(&mut self, inode: Inode) -> &mut [u8] {
        let Place { block, offset } = inode.place;
        let position = block as usize / (METADATA_BYTES + 2) * METADATA_BYTES;
        &mut self.inodes[position + usize::from(offset)..]
    }

    /// The inode that is written next.
    pub fn next(&self, kind: u16) -> Inode {
        Inode { place: Place::of(self.inodes.len()), number: self.next_number, kind }
    }

    /// A file with its content in blocks, the last one short.
    pub fn file(&mut self, content: &[u8]) -> Inode {
        let start = self.data(content);
        let blocks: Vec<u32> = content
            .chunks(self.block_size as usize)
            .map(|part| part.len() as u32 | STORED)
            .collect();
        let mut body = words(&[start as u32, NONE, 0, content.len() as u32]);
        body.extend(words(&blocks));
        self.inode(kind::FILE, 0o644, &body)
    }

    pub fn extended_file(&mut self, file: &File<'_>) -> Inode {
        let mut body = [file.start, file.size, 0].map(u64::to_le_bytes).concat();
        body.extend(words(&[file.links, file.fragment, file.fragment_offset, file.xattrs]));
        body.extend(words(file.blocks));
        self.inode(kind::FILE + kind::EXTENDED, 0o644, &body)
    }

    pub fn symlink(&mut self, target: &[u8]) -> Inode {
        let body = [words(&[1, target.len() as u32]), target.to_vec()].concat();
        self.inode(kind::SYMLINK, 0o777, &body)
    }

    /// A fifo or a socket.
    pub fn special(&mut self, kind: u16) -> Inode {
        self.inode(kind, 0o640, &words(&[1]))
    }

    /// The listing of these runs.
    pub fn listing(&mut self, runs: &[Run<'_>]) -> Listing {
        let start = self.directories.len();
        for run in runs {
            let count = run.entries.len() as u32;
            self.directories.extend(words(&[count.wrapping_sub(1), run.block, run.number]));
            for entry in &run.entries {
                self.directories.extend(entry.offset.to_le_bytes());
                self.directories.extend(entry.delta.to_le_bytes());
                self.directories.extend(entry.kind.to_le_bytes());
                self.directories.extend((entry.name.len() as u16).wrapping_sub(1).to_le_bytes());
                self.directories.extend(entry.name);
            }
        }
        let size = (self.directories.len() - start) as u32 + 3;
        Listing { place: Place::of(start), size }
    }

    /// The extended inode of a directory.
    pub fn directory_of(&mut self, listing: Listing, index: &[Step<'_>]) -> Inode {
        let Listing { place, size } = listing;
        let mut body = words(&[2, size, place.block, 1]);
        body.extend((index.len() as u16).to_le_bytes());
        body.extend(place.offset.to_le_bytes());
        body.extend(words(&[NONE]));
        for step in index {
            body.extend(words(&[step.index, step.block, (step.name.len() as u32).wrapping_sub(1)]));
            body.extend(step.name);
        }
        self.inode(kind::DIRECTORY + kind::EXTENDED, 0o755, &body)
    }

    /// A directory of these entries, in this order.
    pub fn directory(&mut self, entries: &[(&[u8], Inode)]) -> Inode {
        let listing = self.listing(&runs(entries));
        self.directory_of(listing, &[])
    }

    /// A list of extended attributes: type, name, value. Its number.
    pub fn xattr_list(&mut self, attributes: &[(u16, &[u8], &[u8])]) -> u32 {
        let start = self.xattrs.len();
        for (kind, name, value) in attributes {
            self.xattrs.extend(kind.to_le_bytes());
            self.xattrs.extend((name.len() as u16).to_le_bytes());
            self.xattrs.extend(*name);
            self.xattrs.extend((value.len() as u32).to_le_bytes());
            self.xattrs.extend(*value);
        }
        let size = (self.xattrs.len() - start) as u32;
        self.xattr_lists.push((Place::of(start).packed(), attributes.len() as u32, size));
        self.xattr_lists.len() as u32 - 1
    }

    /// The archive with this root.
    pub fn bytes(self, root: Inode) -> Vec<u8> {
        let Self { mut data, .. } = self;
        let inode_table = data.len() as u64;
        data.extend(self.stored_inodes.unwrap_or_else(|| stored(&self.inodes)));
        let directory_table = data.len() as u64;
        data.extend(stored(&self.directories));
        let fragments: Vec<u8> = self
            .fragments
            .iter()
            .flat_map(|(start, size)| {
                [start.to_le_bytes(), u64::from(*size).to_le_bytes()].concat()
            })
            .collect();
        let fragment_table =
            if fragments.is_empty() { ABSENT } else { table(&mut data, &fragments) };
        let id_table = table(&mut data, &words(&self.ids));
        let xattr_table = if self.xattr_lists.is_empty() {
            ABSENT
        } else {
            let start = data.len() as u64;
            data.extend(stored(&self.xattrs));
            let lists: Vec<u8> = self
                .xattr_lists
                .iter()
                .flat_map(|(place, count, size)| {
                    [place.to_le_bytes().to_vec(), words(&[*count, *size])].concat()
                })
                .collect();
            let blocks = blocks(&mut data, &lists);
            let table = data.len() as u64;
            data.extend(start.to_le_bytes());
            data.extend(words(&[self.xattr_lists.len() as u32, 0]));
            data.extend(blocks);
            table
        };
        let used = data.len() as u64;
        let halves =
            [self.compressor, self.block_size.ilog2() as u16, 0, self.ids.len() as u16, 4, 0];
        let superblock = [
            words(&[
                0x7371_7368,
                self.next_number - 1,
                1_700_000_000,
                self.block_size,
                self.fragments.len() as u32,
            ]),
            halves.map(u16::to_le_bytes).concat(),
            [root.place.packed(), used, id_table, xattr_table, inode_table, directory_table]
                .map(u64::to_le_bytes)
                .concat(),
            [fragment_table, ABSENT].map(u64::to_le_bytes).concat(),
        ]
        .concat();
        data[..field::END].copy_from_slice(&superblock);
        data
    }
}

/// The runs of these entries: a new one wherever `mksquashfs` begins one.
pub fn runs<'a>(entries: &[(&'a [u8], Inode)]) -> Vec<Run<'a>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (name, inode) in entries {
        let fits = runs.last().is_some_and(|run| {
            let delta = i64::from(inode.number) - i64::from(run.number);
            run.block == inode.place.block
                && run.entries.len() < 256
                && i16::try_from(delta).is_ok()
        });
        if !fits {
            let (block, number) = (inode.place.block, inode.number);
            runs.push(Run { block, number, entries: Vec::new() });
        }
        let run = runs.last_mut().unwrap();
        let delta = (i64::from(inode.number) - i64::from(run.number)) as i16;
        run.entries.push(RawEntry { offset: inode.place.offset, delta, kind: inode.kind, name });
    }
    runs
}

pub fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Bytes as blocks of metadata, not compressed.
pub fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut blocks = Vec::with_capacity(bytes.len() + bytes.len() / METADATA_BYTES * 2 + 2);
    for part in bytes.chunks(METADATA_BYTES) {
        blocks.extend((part.len() as u16 | 0x8000).to_le_bytes());
        blocks.extend(part);
    }
    blocks
}

/// LZ4's block of this many zeros, at least 32.
pub fn lz4_zeros(len: usize) -> Vec<u8> {
    // One zero, a match of it up to the last five bytes, and these.
    let rest = len - 1 - 5 - 19;
    let mut bytes = vec![0x1f, 0, 1, 0];
    bytes.extend(std::iter::repeat_n(255, rest / 255));
    bytes.push((rest % 255) as u8);
    bytes.extend([0x50, 0, 0, 0, 0, 0]);
    bytes
}

/// Writes a table's blocks and then the positions of them; the position of these.
fn table(data: &mut Vec<u8>, bytes: &[u8]) -> u64 {
    let positions = blocks(data, bytes);
    let table = data.len() as u64;
    data.extend(positions);
    table
}

fn blocks(data: &mut Vec<u8>, bytes: &[u8]) -> Vec<u8> {
    let mut positions = Vec::new();
    for part in bytes.chunks(METADATA_BYTES) {
        positions.extend((data.len() as u64).to_le_bytes());
        data.extend(stored(part));
    }
    positions
}

/// A small archive with a bit of everything.
pub fn sample() -> Vec<u8> {
    let mut image = Image::new(4096);
    let whole: Vec<u8> = (0..9000_u32).map(|at| (at % 251) as u8).collect();
    let start = image.data(&whole[..4096]);
    let end = image.data(&whole[8192..]);
    let fragment = image.data(b"in a fragment, and another");
    image.fragments.push((fragment, 26 | STORED));
    let ool = image.xattrs.len();
    image.xattrs.extend(words(&[5]));
    image.xattrs.extend(b"value");
    let ool = Place::of(ool).packed().to_le_bytes();
    let list = image.xattr_list(&[(0, b"plain", b"\0\xff"), (0x100 | 2, b"elsewhere", &ool)]);
    let blocks = [4096 | STORED, 0, 808 | STORED];
    assert_eq!(start + 4096, end);
    let holes = image.extended_file(&File {
        start,
        size: 9000,
        blocks: &blocks,
        links: 2,
        xattrs: list,
        ..File::default()
    });
    let small = image.inode(kind::FILE, 0o600, &words(&[0, 0, 3, 10]));
    let empty = image.file(b"");
    let link = image.symlink(b"../else\xff");
    let fifo = image.special(kind::FIFO);
    let socket = image.special(kind::SOCKET);
    let device = image.inode(kind::CHAR, 0o666, &words(&[1, 0x103]));
    let inner = image.directory(&[(b"again", holes), (b"fifo", fifo), (b"socket", socket)]);
    let root = image.directory(&[
        (b"device", device),
        (b"empty", empty),
        (b"holes", holes),
        (b"inner", inner),
        (b"link", link),
        (b"new\nline \xff", small),
    ]);
    image.bytes(root)
}
