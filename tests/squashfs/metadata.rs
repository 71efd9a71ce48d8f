//! Blocks of metadata that no writer writes.

use crate::memory::peak_bytes;
use crate::support::squashfs::{Image, Inode, LZ4, Place, kind, lz4_zeros, stored};
use crate::{Reader, assert_damaged};
use snapshotter::domain::error::Result;

/// Opens an archive with these bytes in place of the table of inodes, and lists its root.
fn listed(root: Place, make: impl FnOnce(Vec<u8>) -> Vec<u8>) -> (Result<Vec<Vec<u8>>>, usize) {
    let mut image = Image::new(4096);
    image.compressor = LZ4;
    let fifo = image.special(kind::FIFO);
    let last = image.directory(&[(b"fifo", fifo)]);
    image.stored_inodes = Some(make(std::mem::take(&mut image.inodes)));
    let bytes = image.bytes(Inode { place: root, ..last });
    peak_bytes(|| Reader::open(bytes).and_then(|reader| reader.names()))
}

#[test]
fn the_root_may_be_in_a_later_block() {
    let (names, _) = listed(Place { block: 8194, offset: 20 }, |inodes| {
        [stored(&[0; 8192]), stored(&inodes)].concat()
    });
    // The fifo of the root's entry is in the first block, where there is none.
    assert_damaged("the fifo", names);
    let (names, _) = listed(Place { block: 0, offset: 20 }, |inodes| stored(&inodes));
    assert_eq!(names.unwrap(), [b"fifo"]);
}

#[test]
fn blocks_of_no_possible_size_are_damage() {
    type Make = fn(Vec<u8>) -> Vec<u8>;
    let cases: [(&str, Make); 8] = [
        ("stored, of no bytes", |inodes| [vec![0, 0x80], inodes].concat()),
        ("compressed, of no bytes", |inodes| [vec![0, 0], inodes].concat()),
        ("stored, of 8,193 bytes", |inodes| {
            let mut block = inodes;
            block.resize(8193, 0);
            [0xa001_u16.to_le_bytes().to_vec(), block].concat()
        }),
        ("stored, of 32,767 bytes", |inodes| {
            let mut block = inodes;
            block.resize(32_767, 0);
            [vec![0xff, 0xff], block].concat()
        }),
        ("a bomb of 8 MiB", |_| {
            let bomb = lz4_zeros(32_000 * 255);
            [(bomb.len() as u16).to_le_bytes().to_vec(), bomb].concat()
        }),
        ("one byte more than a block", |_| {
            let bomb = lz4_zeros(8193);
            [(bomb.len() as u16).to_le_bytes().to_vec(), bomb].concat()
        }),
        ("no LZ4", |_| [vec![100, 0], vec![0xff; 100]].concat()),
        ("a block that ends in the next table", |inodes| {
            [((inodes.len() as u16 + 500) | 0x8000).to_le_bytes().to_vec(), inodes].concat()
        }),
    ];
    for (what, make) in cases {
        let (names, peak) = listed(Place { block: 0, offset: 20 }, make);
        assert_damaged(what, names);
        assert!(peak <= 16 << 20, "{what}: {peak}");
    }
}

#[test]
fn an_inode_may_lie_in_two_blocks_and_not_beyond_the_last() {
    for before in 8192 - 76..8192 {
        let mut image = Image::new(4096);
        image.inodes.resize(before, 0);
        let link = image.symlink(b"this is a target of some length");
        let root = image.directory(&[(b"link", link)]);
        let reader = Reader::open(image.bytes(root)).unwrap();
        assert_eq!(reader.names().unwrap(), [b"link"], "{before}");
    }
    for missing in 1..40 {
        let (names, _) = listed(Place { block: 0, offset: 20 }, |inodes| {
            stored(&inodes[..inodes.len() - missing])
        });
        assert_damaged(&format!("{missing} bytes missing"), names);
    }
}
