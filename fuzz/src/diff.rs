//! Diffs and merges of any texts, which a line of `====` separates.

use snapshotter::domain::diff::lines::{Lines, Placement, changes};
use snapshotter::domain::diff::patch::{File, FileChange, FileMode, Patch, PatchOptions, Written};
use snapshotter::domain::diff::text::unified;
use snapshotter::domain::merge::text::{self, Labels, OnConflict};

const SEPARATOR: &[u8] = b"====\n";

fn texts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut left = data;
    [(); N].map(|()| {
        let end = left.windows(SEPARATOR.len()).position(|bytes| bytes == SEPARATOR);
        let (text, rest) = left.split_at(end.unwrap_or(left.len()));
        left = rest.strip_prefix(SEPARATOR).unwrap_or_default();
        text
    })
}

/// The changes of a diff make the second text of the first. A cut diff begins as the
/// whole one does, and a patch is no larger than it may be.
pub fn diff(data: &[u8]) {
    let [before, after, path] = texts(data);
    let [befores, afters] = Lines::split([before, after]);
    for placement in [Placement::Down, Placement::Indentation] {
        let (mut made, mut at) = (Vec::new(), 0);
        for change in changes(&befores, &afters, placement) {
            assert!(
                change.before.start >= at && !(change.before.is_empty() && change.after.is_empty())
            );
            made.extend_from_slice(befores.range(at..change.before.start));
            made.extend_from_slice(afters.range(change.after));
            at = change.before.end;
        }
        made.extend_from_slice(befores.range(at..befores.len()));
        assert_eq!(made.concat(), after);
    }
    let whole = unified(before, after, 3, usize::MAX);
    assert!(!whole.truncated && whole.text.is_empty() == (before == after));
    let cut = unified(before, after, 3, 50);
    assert!(cut.text.len() <= 50 && whole.text.starts_with(&cut.text));
    assert_eq!(cut.truncated, whole.text.len() > 50);

    let options = PatchOptions { context: 3, max_bytes: 1_000, binary_max_bytes: 100 };
    let mut patch = Patch::new(options);
    let file = |content| File { path, mode: FileMode::Regular, content: Some(content) };
    let written = patch.add(FileChange::Changed(file(before), file(after)));
    let bytes = patch.into_bytes();
    assert!(bytes.len() <= options.max_bytes);
    let is_empty = written >= Written::Refused || before == after;
    assert_eq!(bytes.is_empty(), is_empty, "{written:?}");
}

/// What one side left as it was is as the other side has it. Sides that are taken in
/// conflicts, and markers, change nothing else.
pub fn merge(data: &[u8]) {
    let [base, ours, theirs] = texts(data);
    let merged = |base, ours, theirs, on_conflict| {
        text::merge(base, ours, theirs, on_conflict, Labels { ours: "ours", theirs: "theirs" })
    };
    let clean = |ours, theirs, expected: &[u8]| {
        let merged = merged(base, ours, theirs, OnConflict::Report);
        assert_eq!((merged.content.as_deref(), merged.conflicts), (Some(expected), 0));
    };
    clean(ours, base, ours);
    clean(base, theirs, theirs);
    clean(ours, ours, ours);
    let reported = merged(base, ours, theirs, OnConflict::Report);
    assert_eq!(reported.content.is_none(), reported.conflicts > 0);
    for way in [OnConflict::Ours, OnConflict::Theirs, OnConflict::Markers] {
        let taken = merged(base, ours, theirs, way);
        assert_eq!((taken.conflicts, &taken.regions), (reported.conflicts, &reported.regions));
        assert!(taken.content.is_some());
        if reported.conflicts == 0 {
            assert_eq!(taken.content, reported.content);
        }
    }
    let [ours, theirs] = Lines::split([ours, theirs]);
    let mut at = [0, 0];
    for region in reported.regions {
        // Git too has conflicts between lines that are equal, so those may be.
        assert!(at[0] <= region.ours.start && region.ours.end <= ours.len());
        assert!(at[1] <= region.theirs.start && region.theirs.end <= theirs.len());
        at = [region.ours.end, region.theirs.end];
    }
}
