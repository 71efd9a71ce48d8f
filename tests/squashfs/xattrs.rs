//! Extended attributes, and lists of them that lie.

use crate::memory::peak_bytes;
use crate::support::squashfs::{File, Image, Place, words};
use crate::{Reader, assert_damaged};
use futures::executor::block_on;
use snapshotter::domain::error::Result;
use snapshotter::squashfs::Xattr;

/// The attributes of a file with the list of this number.
fn xattrs(mut image: Image, list: u32) -> Result<Vec<Xattr>> {
    let file = image.extended_file(&File { xattrs: list, ..File::default() });
    let root = image.directory(&[(b"f", file)]);
    let reader = Reader::open(image.bytes(root))?;
    let file = reader.find("f")?.unwrap();
    let (xattrs, peak) = peak_bytes(|| block_on(reader.archive.xattrs(&file)));
    assert!(peak <= 16 << 20, "{peak}");
    xattrs
}

#[test]
fn each_kind_and_value_comes_back() {
    let mut image = Image::new(4096);
    image.xattrs.extend(words(&[70_000 - 10_000]));
    image.xattrs.extend([7; 60_000]);
    image.xattr_list(&[(0, b"other", b"list")]);
    let elsewhere = Place::of(0).packed().to_le_bytes();
    let list = image.xattr_list(&[
        (0, b"empty", b""),
        (1, b"overlay.opaque", b"y"),
        (2, b"capability", b"\0\x01\xff"),
        (0x100, b"elsewhere", &elsewhere),
        (0, b"\xff\n", b"odd name"),
    ]);
    let named: Vec<(Vec<u8>, Vec<u8>)> =
        xattrs(image, list).unwrap().into_iter().map(|xattr| (xattr.name, xattr.value)).collect();
    let expected: [(&[u8], &[u8]); 5] = [
        (b"user.empty", b""),
        (b"trusted.overlay.opaque", b"y"),
        (b"security.capability", b"\0\x01\xff"),
        (b"user.elsewhere", &[7; 60_000]),
        (b"user.\xff\n", b"odd name"),
    ];
    assert!(named.iter().map(|(name, value)| (&name[..], &value[..])).eq(expected));
}

#[test]
fn a_file_without_a_list_has_none() {
    let mut image = Image::new(4096);
    image.xattr_list(&[(0, b"other", b"list")]);
    assert!(xattrs(image, u32::MAX).unwrap().is_empty());
    assert!(xattrs(Image::new(4096), u32::MAX).unwrap().is_empty());
    // Linux too shows none if the archive has no table of them.
    assert!(xattrs(Image::new(4096), 0).unwrap().is_empty());
}

#[test]
fn lists_that_lie_are_damage() {
    type Lie = fn(&mut Image) -> u32;
    let lies: [(&str, Lie); 11] = [
        ("no such list", |image| image.xattr_list(&[]) + 1),
        ("no such list at all", |image| image.xattr_list(&[]) + 0xffff_fff0),
        ("more attributes than are there", |image| {
            let list = image.xattr_list(&[(0, b"a", b"b")]);
            image.xattr_lists[0].1 = u32::MAX;
            list
        }),
        ("a place beyond the table", |image| {
            let list = image.xattr_list(&[(0, b"a", b"b")]);
            image.xattr_lists[0].0 = u64::MAX;
            list
        }),
        ("a place beyond its block", |image| {
            let list = image.xattr_list(&[(0, b"a", b"b")]);
            image.xattr_lists[0].0 = 8192;
            list
        }),
        ("a kind that is not", |image| image.xattr_list(&[(3, b"a", b"b")])),
        ("no kind of value", |image| image.xattr_list(&[(0x200, b"a", b"b")])),
        ("a value of 4 GiB", |image| {
            image.xattrs.extend([0, 0, 1, 0, b'a', 0xff, 0xff, 0xff, 0xff]);
            image.xattr_lists.push((0, 1, 9));
            0
        }),
        ("a value beyond the table", |image| {
            image.xattr_list(&[(0x100, b"a", &(1_u64 << 40).to_le_bytes())])
        }),
        ("a value elsewhere that is itself the list", |image| {
            image.xattr_list(&[(0x100, b"a", &[0; 8])])
        }),
        ("a place of a value with too few bytes", |image| {
            image.xattr_list(&[(0x100, b"a", &[0; 4])])
        }),
    ];
    for (what, lie) in lies {
        let mut image = Image::new(4096);
        let list = lie(&mut image);
        assert_damaged(what, xattrs(image, list));
    }
}

/// Linux allows 64 KiB of names: more than any file has, and the reader need not hold it.
#[test]
fn a_million_attributes_of_one_value_are_bounded() {
    let mut image = Image::new(4096);
    image.xattrs.extend(words(&[65_536]));
    image.xattrs.extend([7; 65_536]);
    let elsewhere = Place::of(0).packed().to_le_bytes();
    let many = vec![(0x100, b"a".as_slice(), elsewhere.as_slice()); 100_000];
    let list = image.xattr_list(&many);
    assert_damaged("100,000 values of 64 KiB", xattrs(image, list));
}
