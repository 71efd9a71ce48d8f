//! Unified diffs are those of `git diff`.

use crate::git::{Git, seeds, shown};
use crate::texts::Texts;
use snapshotter::domain::diff::text::{Hunks, is_binary, unified};

/// The hunks that git prints, without the functions that it names in their headers.
fn of_git(git: &Git, before: &[u8], after: &[u8], context: usize) -> Vec<u8> {
    git.write("before", before);
    git.write("after", after);
    let context = format!("-U{context}");
    let args = ["diff", "--no-index", "--text", &context, "before", "after"];
    let printed = git.output(&args, b"").stdout;
    let lines = printed.split_inclusive(|byte| *byte == b'\n');
    let hunks = lines.skip_while(|line| !line.starts_with(b"@@ "));
    hunks.flat_map(|line| without_function(line).to_vec()).collect()
}

fn without_function(line: &[u8]) -> &[u8] {
    let end = line.windows(3).skip(1).position(|bytes| bytes == b" @@");
    match end {
        Some(end) if line.starts_with(b"@@ ") => &[&line[..end + 4], b"\n"].concat().leak()[..],
        _ => line,
    }
}

#[test]
fn random_diffs_are_those_of_git() {
    let git = Git::new("diff");
    for seed in seeds(1_000) {
        let mut texts = Texts::new(seed);
        let [_, before, after] = texts.three();
        let context = texts.dice.pick(&[0, 1, 3, 3, 7, 100]);
        let hunks = unified(&before, &after, context, usize::MAX);
        assert!(!hunks.truncated);
        let expected = of_git(&git, &before, &after, context);
        assert!(
            hunks.text == expected,
            "DIFF_SEED={seed} DIFF_CASES=1, context {context}:\n{}\n-- git:\n{}",
            shown(&hunks.text),
            shown(&expected)
        );
    }
}

#[test]
fn a_long_diff_is_cut_between_lines() {
    let (before, after) = (b"a\nb\nc\n", b"a\nB\nC\n");
    let whole = unified(before, after, 3, usize::MAX).text;
    assert_eq!(whole, b"@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+C\n");
    for max_bytes in 0..whole.len() {
        let Hunks { text, truncated } = unified(before, after, 3, max_bytes);
        assert!(truncated && text.len() <= max_bytes && whole.starts_with(&text));
        assert!(text.is_empty() || text.ends_with(b"\n"), "{}", shown(&text));
    }
    assert!(!unified(before, after, 3, whole.len()).truncated);
    assert_eq!(unified(before, before, 3, 0), Hunks { text: Vec::new(), truncated: false });
}

#[test]
fn content_with_nul_near_its_start_is_binary() {
    assert!(!is_binary(b"") && !is_binary(b"\xff\xfe text"));
    assert!(is_binary(b"text\0"));
    let content = [b"x".repeat(7_999), vec![0]].concat();
    assert!(is_binary(&content));
    assert!(!is_binary(&[b"x".as_slice(), &content].concat()));
}
