//! What a rewind or a promotion would change.

use crate::domain::limits::DIFF_DEFAULT_CHANGES;
use crate::domain::tree::changes::{ChangeCounts, ChangeKind};
use crate::ports::sandbox::FoundPath;
use crate::session::catalogue::ChangedPath;
use crate::session::parts::PlannedChanges;
use crate::session::trees::diff::TreeDiff;
use crate::session::trees::merge::Plan;

impl From<TreeDiff> for PlannedChanges {
    fn from(diff: TreeDiff) -> Self {
        let paths = diff.changes.into_iter();
        let paths = paths.map(|shown| ChangedPath { path: shown.path, change: shown.change });
        Self { counts: diff.counts, paths: paths.collect(), ignored: diff.ignored }
    }
}

impl PlannedChanges {
    pub(crate) fn of(plan: &Plan) -> Self {
        let merge = &plan.merge;
        let taken = merge.take.keys().map(|path| {
            let is_there = plan.expected.get(path).is_none_or(Option::is_some);
            (path, if is_there { ChangeKind::Modified } else { ChangeKind::Added })
        });
        let removed = merge.remove.iter().filter(|path| !merge.take.contains_key(*path));
        let removed = removed.map(|path| (path, ChangeKind::Removed));
        let merged = merge.texts.keys().map(|path| (path, ChangeKind::Modified));
        let access = merge.access.keys().map(|path| (path, ChangeKind::Mode));
        let mut all: Vec<(&Vec<u8>, ChangeKind)> =
            taken.chain(removed).chain(merged).chain(access).collect();
        all.sort_by_key(|(path, _)| *path);
        let mut counts = ChangeCounts::default();
        for (_, kind) in &all {
            counts.count(*kind);
        }
        let paths = all.into_iter().take(DIFF_DEFAULT_CHANGES);
        let paths =
            paths.map(|(path, change)| ChangedPath { path: FoundPath::of(path), change }).collect();
        Self { counts, paths, ignored: Vec::new() }
    }
}
