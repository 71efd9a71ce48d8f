//! Archives that mean harm, or contradict themselves.

use crate::archive::{Member, bytes_of, dir, file, link, member, pax, tar};
use crate::memory::peak_bytes;
use crate::support::ranges::MemoryRanges;
use crate::{code, open_with, refusal};
use snapshotter::domain::error::ErrorCode::{self, Integrity, Unsupported};
use snapshotter::domain::limits::TAR_WORK_MAX_BYTES;
use snapshotter::tar_zst::TarMemory;

#[test]
fn what_could_be_extracted_elsewhere_or_in_two_ways_is_refused() {
    let long = "n".repeat(256);
    let deep = vec!["d"; 2_100].join("/");
    let cases: Vec<(&str, Vec<Member>, ErrorCode, &str)> = vec![
        ("absolute", vec![file("/etc/passwd", b"x")], Integrity, "absolute"),
        ("above", vec![file("a/../../x", b"x")], Integrity, ".."),
        ("root", vec![file(".", b"x")], Integrity, "replace the directory itself"),
        ("empty name", vec![file("", b"x")], Integrity, "is empty"),
        (
            "behind a link",
            vec![link(b'2', "a", "/etc"), file("a/passwd", b"x")],
            Integrity,
            "behind a",
        ),
        ("behind a file", vec![file("a", b"x"), file("a/b", b"x")], Integrity, "behind a"),
        (
            "behind a file, before",
            vec![file("a/b/c", b"x"), file("a", b"x")],
            Integrity,
            "behind a",
        ),
        ("twice", vec![file("a", b"1"), file("a", b"2")], Unsupported, "more than once"),
        ("file and directory", vec![dir("a"), file("./a", b"2")], Unsupported, "more than once"),
        (
            "link to a later file",
            vec![link(b'1', "a", "b"), file("b", b"x")],
            Integrity,
            "no file before",
        ),
        ("link to itself", vec![link(b'1', "a", "a")], Integrity, "no file before"),
        (
            "links to each other",
            vec![link(b'1', "a", "b"), link(b'1', "b", "a")],
            Integrity,
            "no file before",
        ),
        ("link to a directory", vec![dir("d"), link(b'1', "a", "d")], Integrity, "no file before"),
        ("link to the root", vec![link(b'1', "a", ".")], Integrity, "no file before"),
        ("link elsewhere", vec![link(b'1', "a", "../b")], Integrity, ".."),
        ("link to an absolute path", vec![link(b'1', "a", "/etc/passwd")], Integrity, "absolute"),
        ("symlink to nothing", vec![link(b'2', "a", "")], Integrity, "target"),
        (
            "directory with content",
            vec![Member { content: vec![0; 512], ..dir("d") }],
            Integrity,
            "content",
        ),
        (
            "link with content",
            vec![file("f", b""), Member { content: vec![1; 9], ..link(b'1', "l", "f") }],
            Integrity,
            "content",
        ),
        (
            "long name",
            vec![pax(b'x', &[("path", long.as_bytes())]), file("x", b"")],
            Integrity,
            "longer",
        ),
        (
            "long path",
            vec![pax(b'x', &[("path", deep.as_bytes())]), file("x", b"")],
            Integrity,
            "longer",
        ),
        (
            "a NUL in a name",
            vec![pax(b'x', &[("path", b"a\0b")]), file("x", b"")],
            Integrity,
            "NUL",
        ),
        (
            "huge extended header",
            vec![Member { size: Some(1 << 40), ..member(b'x', "x") }],
            Unsupported,
            "extended header",
        ),
        (
            "an extended header of nothing",
            vec![pax(b'x', &[("path", b"a")])],
            Integrity,
            "describes nothing",
        ),
        (
            "broken records",
            vec![Member { content: b"99 path=a\n".to_vec(), ..member(b'x', "x") }],
            Integrity,
            "record",
        ),
        (
            "huge file",
            vec![Member { size: Some(1 << 40), ..file("f", b"") }],
            Unsupported,
            "decompressed",
        ),
        (
            "largest file",
            vec![Member { size: Some(u64::MAX), ..file("f", b"") }],
            Unsupported,
            "decompressed",
        ),
        (
            "a file that ends early",
            vec![Member { size: Some(1 << 20), ..file("f", b"x") }],
            Integrity,
            "before its end",
        ),
        (
            "huge owner",
            vec![pax(b'x', &[("uid", b"4294967296")]), file("f", b"")],
            Integrity,
            "owner",
        ),
        ("multi-volume", vec![member(b'M', "f")], Unsupported, "type M"),
        ("unknown type", vec![member(b'\n', "f")], Unsupported, "type \\n"),
    ];
    for (what, members, expected, words) in cases {
        let error = refusal(&tar(&members));
        assert_eq!(code(&error), expected, "{what}: {error}");
        assert!(error.message.contains(words), "{what}: {error}");
    }
}

#[test]
fn what_is_not_whole_is_refused() {
    let whole = tar(&[file("a", &[7; 1_000]), file("b", b"x")]);
    crate::open_tar(&whole).unwrap();
    for len in (0..whole.len() - 1_024).step_by(511) {
        assert_eq!(code(&refusal(&whole[..len])), Integrity, "{len}");
    }
    // One block of zeros ends an archive too, as for GNU tar.
    crate::open_tar(&whole[..whole.len() - 512]).unwrap();
    let mut changed = whole.clone();
    changed[0] = b'z';
    assert!(refusal(&changed).message.contains("checksum of a header"));
}

#[test]
fn what_follows_the_end_is_refused_unless_it_is_padding() {
    let mut padded = tar(&[file("a", b"x")]);
    padded.resize(10_240, 0);
    assert_eq!(crate::open_tar(&padded).unwrap().paths(), ["a"]);
    padded.extend(bytes_of(&file("hidden", b"y")));
    let error = refusal(&padded);
    assert!(error.message.contains("follows its end"), "{error}");
}

#[test]
fn too_many_entries_are_refused_before_memory_is_full() {
    let many: Vec<Member> = (0..300_000).map(|at| file(&format!("file-{at}"), b"")).collect();
    let ranges = MemoryRanges::new(crate::look::stored(&tar(&many)));
    let open = || open_with(ranges, &TarMemory::default(), TAR_WORK_MAX_BYTES);
    let (error, peak) = peak_bytes(|| open().err().unwrap());
    assert_eq!(code(&error), Unsupported);
    assert!(error.message.contains("entries"), "{error}");
    assert!(peak < 48 << 20, "{peak} bytes were held");
    // Names can imply as much.
    let deep = vec!["d"; 2_000].join("/");
    let implying: Vec<Member> = (0..400)
        .flat_map(|at| [pax(b'x', &[("path", format!("{at}/{deep}").as_bytes())]), file("x", b"")])
        .collect();
    assert_eq!(code(&refusal(&tar(&implying))), Unsupported);
}
