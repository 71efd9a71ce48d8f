//! The work for texts that someone made to be slow is bounded.

use crate::git::shown;
use crate::texts::Dice;
use snapshotter::domain::diff::text::unified;
use snapshotter::domain::merge::text::{Labels, Merged, OnConflict, REGIONS_MAX, Region, merge};
use std::time::{Duration, Instant};

const BYTES: usize = 2 << 20;
/// Far more than any takes here, since tests are barely optimized and other work may
/// be going on.
const SLOWEST: Duration = Duration::from_secs(10);

fn merged([base, ours, theirs]: [&[u8]; 3], on_conflict: OnConflict) -> Merged {
    merge(base, ours, theirs, on_conflict, Labels { ours: "ours", theirs: "theirs" })
}

fn text(mut line: impl FnMut(usize) -> String) -> Vec<u8> {
    let mut text = Vec::new();
    for at in 0.. {
        text.extend(line(at).bytes());
        if text.len() >= BYTES {
            break;
        }
    }
    text
}

/// Pairs of texts of 2 MiB, by name.
fn slow() -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let random = |seed, lines: usize| {
        let mut dice = Dice(seed);
        text(move |_| format!("{}\n", dice.below(lines)))
    };
    let numbered = |name: &str, every: usize| {
        text(|at| {
            let name = if at % every == 0 { name } else { "" };
            format!("{name}{at}\n")
        })
    };
    vec![
        ("other lines", numbered("a", 1), numbered("b", 1)),
        ("long other lines", text(|at| format!("a{at:60}\n")), text(|at| format!("b{at:60}\n"))),
        ("every other line", numbered("a", 2), numbered("b", 2)),
        (
            "long every other line",
            text(|at| format!("{at:60}\n")),
            text(|at| format!("{:60}\n", at / 2 * 2)),
        ),
        ("two lines", random(1, 2), random(2, 2)),
        ("few lines", random(1, 10), random(2, 10)),
        ("some lines", random(1, 1_000), random(2, 1_000)),
        ("many lines", random(1, 100_000), random(2, 100_000)),
        ("one line", text(|_| "\n".to_owned()), text(|_| "\n".to_owned()).split_off(BYTES / 2)),
        ("blocks", text(|at| format!("{}\n", at % 50)), text(|at| format!("{}\n", at % 51))),
        ("backwards", text(|at| format!("{at:8}\n")), text(|at| format!("{:8}\n", 300_000 - at))),
        ("no lines", vec![b'a'; BYTES], vec![b'b'; BYTES]),
    ]
}

#[test]
#[expect(clippy::disallowed_methods, reason = "measures")]
fn slow_texts_take_a_bounded_time() {
    for (name, before, after) in slow() {
        let start = Instant::now();
        let hunks = unified(&before, &after, 3, usize::MAX);
        let diffed = start.elapsed();
        assert!(!hunks.truncated && !hunks.text.is_empty(), "{name}");
        let cut = unified(&before, &after, 100, 100_000);
        assert!(cut.text.len() <= 100_000, "{name}");
        let start = Instant::now();
        let middle = before.len() / 2;
        let base = [&before[..middle], &after[middle.min(after.len())..]].concat();
        let merged = merged([&base, &before, &after], OnConflict::Markers);
        let taken = start.elapsed();
        assert!(merged.regions.len() <= REGIONS_MAX, "{name}");
        println!("{name}: diff {diffed:?}, merge {taken:?}, {} conflicts", merged.conflicts);
        assert!(diffed.max(taken) < SLOWEST, "{name}: {diffed:?}, {taken:?}");
    }
}

#[test]
fn texts_with_too_many_lines_differ_as_a_whole_between_equal_ends() {
    let lines = |name: &str| -> Vec<u8> {
        (0..300_000).flat_map(|at| format!("{name}{}\n", at % 1_000).into_bytes()).collect()
    };
    let inner = [lines("a"), lines("b")];
    let [before, after] = [0, 1].map(|at| [b"start\n", &inner[at][..], b"end\n"].concat());
    let hunks = unified(&before, &after, 0, 100).text;
    assert!(hunks.starts_with(b"@@ -2,300000 +2,300000 @@\n-a0\n"), "{}", shown(&hunks));
    // A merge of such texts is never wrong, only a conflict that could have been none.
    let theirs = [&before, b"more\n".as_slice()].concat();
    let merged_ = merged([&before, &after, &theirs], OnConflict::Report);
    assert_eq!(merged_.conflicts, 0);
    let theirs = [b"start\n", &inner[0][..10], b"new\n", &inner[0][10..], b"end\n"].concat();
    let merged_ = merged([&before, &after, &theirs], OnConflict::Report);
    assert_eq!((merged_.conflicts, merged_.content), (1, None));
}

#[test]
fn conflicts_are_counted_and_the_first_are_listed() {
    let lines = |name: &str| -> Vec<u8> {
        (0..1_000)
            .flat_map(|at| match at % 8 {
                0 => format!("{name}{at}\n").into_bytes(),
                _ => format!("{at}\n").into_bytes(),
            })
            .collect()
    };
    let (base, ours, theirs) = (lines("base"), lines("ours"), lines("theirs"));
    let ours = [b"first\n", ours.as_slice()].concat();
    let base = [b"base\n", base.as_slice()].concat();
    let theirs = [b"1\n2\n3\n4\n5\n", theirs.as_slice()].concat();
    let merged = merged([&base, &ours, &theirs], OnConflict::Report);
    assert_eq!((merged.conflicts, merged.regions.len()), (125, REGIONS_MAX));
    assert_eq!(merged.regions[0], Region { base: 0..2, ours: 0..2, theirs: 0..6 });
    assert_eq!(merged.regions[2], Region { base: 17..18, ours: 17..18, theirs: 21..22 });
}
