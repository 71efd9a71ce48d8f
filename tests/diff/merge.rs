//! Merges agree with `git merge-file`, and whether they are clean with `git merge-tree`.

use crate::git::{Git, seeds, shown};
use crate::texts::Texts;
use snapshotter::domain::merge::text::{Labels, Merged, OnConflict, merge};
use std::fmt::Write as _;

const LABELS: Labels<'_> = Labels { ours: "ours", theirs: "theirs" };

fn merged([base, ours, theirs]: &[Vec<u8>; 3], on_conflict: OnConflict) -> Merged {
    merge(base, ours, theirs, on_conflict, LABELS)
}

/// What `git merge-file` makes of it, and how many conflicts it counts.
fn merge_file(git: &Git, option: &[&str]) -> (Vec<u8>, usize) {
    let mut args = vec!["merge-file", "-p", "-q", "-L", "ours", "-L", "base", "-L", "theirs"];
    args.extend(option);
    args.extend(["ours", "base", "theirs"]);
    let output = git.output(&args, b"");
    let code = output.status.code().unwrap();
    assert!((0..128).contains(&code), "{}", shown(&output.stderr));
    (output.stdout, usize::try_from(code).unwrap())
}

#[test]
fn random_merges_are_those_of_git_merge_file() {
    let git = Git::new("merge-file");
    let mut conflicts = 0;
    let mut differences = Vec::new();
    let seeds = seeds(1_000);
    for seed in seeds.clone() {
        let texts = Texts::new(seed).three();
        git.write_texts(&texts);
        let reported = merged(&texts, OnConflict::Report);
        conflicts += usize::from(reported.conflicts > 0);
        let ways: [(OnConflict, &[&str]); 3] = [
            (OnConflict::Markers, &[]),
            (OnConflict::Ours, &["--ours"]),
            (OnConflict::Theirs, &["--theirs"]),
        ];
        for (way, option) in ways {
            let (content, count) = merge_file(&git, option);
            let ours = merged(&texts, way);
            assert_eq!((ours.conflicts, &ours.regions), (reported.conflicts, &reported.regions));
            let expected = if way == OnConflict::Markers { ours.conflicts.min(127) } else { 0 };
            let text = ours.content.unwrap();
            if count != expected || text != content {
                differences.push(format!(
                    "DIFF_SEED={seed} DIFF_CASES=1, {way:?}: {expected} conflicts, git has {count}\n{}\n-- git:\n{}",
                    shown(&text),
                    shown(&content)
                ));
                break;
            }
            if count == 0 && way == OnConflict::Markers {
                assert_eq!(reported.content.as_ref(), Some(&content));
                break;
            }
            assert_eq!(reported.content, None);
        }
    }
    let some = differences.iter().take(3).map(String::as_str).collect::<String>();
    assert!(differences.is_empty(), "{} differ\n{some}", differences.len());
    let cases = seeds.count();
    assert!(cases < 100 || (cases / 5..cases * 4 / 5).contains(&conflicts), "{conflicts} conflict");
}

/// Commits of all texts, as `git fast-import` reads them.
fn commits(cases: &[[Vec<u8>; 3]]) -> Vec<u8> {
    let mut import = Vec::new();
    for (number, text) in (1..).zip(cases.iter().flatten()) {
        let head = format!(
            "commit refs/heads/c{number}\nmark :{number}\ncommitter A <a> 0 +0000\ndata 0\n"
        );
        import.extend(head.bytes());
        // With an empty base, both sides add the file.
        if number % 3 != 1 || !text.is_empty() {
            import.extend(format!("M 100644 inline file\ndata {}\n", text.len()).bytes());
            import.extend(text);
            import.push(b'\n');
        }
        import.push(b'\n');
    }
    import
}

#[test]
fn random_merges_are_as_clean_as_those_of_git_merge_tree() {
    let git = Git::new("merge-tree");
    let cases: Vec<[Vec<u8>; 3]> = seeds(1_000).map(|seed| Texts::new(seed).three()).collect();
    git.run(&["init", "-q"], b"");
    git.run(&["fast-import", "--quiet", "--export-marks=marks"], &commits(&cases));
    let marks = std::fs::read_to_string(git.path().join("marks")).unwrap();
    let mut ids: Vec<(usize, &str)> = marks
        .lines()
        .filter_map(|line| line.strip_prefix(':')?.split_once(' '))
        .map(|(mark, id)| (mark.parse().unwrap(), id))
        .collect();
    ids.sort_unstable();
    let asked = ids.chunks(3).fold(String::new(), |mut asked, of| {
        writeln!(asked, "{} -- {} {}", of[0].1, of[1].1, of[2].1).unwrap();
        asked
    });
    let args = ["merge-tree", "--stdin", "--no-messages"];
    let answers = git.run(&args, asked.as_bytes());
    // For each: whether it is clean, the tree, the files in conflict.
    let mut fields = answers.split(|byte| *byte == 0);
    let mut differ = 0;
    for (seed, texts) in seeds(1_000).zip(&cases) {
        let clean = match fields.next().unwrap() {
            b"1" => true,
            b"0" => false,
            other => panic!("{}", shown(other)),
        };
        assert_eq!(fields.next().unwrap().len(), 40);
        while fields.next().is_some_and(|field| !field.is_empty()) {}
        if clean == (merged(texts, OnConflict::Report).conflicts == 0) {
            continue;
        }
        // `git merge-tree` pairs lines by another algorithm than `git merge-file`, so
        // git itself gives two answers to some merges.
        differ += 1;
        git.write_texts(texts);
        let same = merge_file(&git, &["--diff-algorithm=histogram"]).1 == 0;
        let other = merge_file(&git, &[]).1 == 0;
        assert_eq!((same, other), (clean, !clean), "DIFF_SEED={seed} DIFF_CASES=1");
    }
    println!("git disagrees with itself on {differ} of {}", cases.len());
    assert!(differ <= cases.len().div_ceil(50), "{differ} differ");
}
