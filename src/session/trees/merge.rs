//! Decide a merge of trees, and merge the texts, before anything is written. The file is long
//! because a merge is decided whole.

use crate::domain::diff::text::is_binary;
use crate::domain::limits::{
    DIFF_FILE_MAX_BYTES, MERGE_CONFLICTS_SHOWN, MERGE_MAX_BYTES, TREE_TEXTS_MAX_BYTES,
};
use crate::domain::merge::text::{Labels, OnConflict, Region, merge as merge_texts};
use crate::domain::merge::tree::{Changes, Conflict, TreeMerge, merge as merge_trees};
use crate::domain::tree::changes::{Change, ChangeCounts, ChangeKind};
use crate::domain::tree::ignore::Ignored;
use crate::domain::tree::{Difference, TreeEntry};
use crate::domain::{Error, ErrorCode, Next, Result};
use crate::ports::sandbox::FoundPath;
use crate::session::trees::contents::Content;
use crate::session::trees::contents::classify;
use crate::session::trees::differences::{Comparing, Differences, differences};
use crate::session::trees::tree::Tree;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Contents that are loaded at once, in bytes of each tree.
const BATCH_BYTES: u64 = 1024 * 1024;
const REGIONS_SHOWN: usize = 3;
const REGION_TEXT_BYTES: usize = 512;

/// What to do about paths that both sides changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ConflictPolicy {
    /// Keep ours: the state in the active workspace.
    Ours,
    /// Take theirs.
    Theirs,
    /// In text files, write both between git's markers. Otherwise keep ours.
    Markers,
}

/// A path that both sides changed in ways that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MergeConflict {
    /// From the root.
    #[serde(flatten)]
    pub path: FoundPath,
    /// Why it can't be merged.
    pub conflict: Conflict,
    /// What the active workspace did to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ours: Option<ChangeKind>,
    /// What the other side did to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theirs: Option<ChangeKind>,
    /// The first lines in conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<ConflictingLines>,
}

/// Lines that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConflictingLines {
    /// Number of our first line, from 1.
    pub line: u64,
    /// Our lines, at most 512 bytes of them.
    pub ours: String,
    /// Their lines.
    pub theirs: String,
}

pub(crate) struct Plan {
    pub merge: TreeMerge,
    pub texts: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Conflicts that the policy has decided.
    pub decided: Vec<MergeConflict>,
    /// What our tree must have at each path that is changed, as far as that is known.
    pub expected: BTreeMap<Vec<u8>, Option<TreeEntry>>,
    /// Paths that are directories in our tree.
    pub directories: Vec<Vec<u8>>,
    /// Number of files of their tree whose content could not be compared.
    pub not_compared: u64,
    /// Their changes left out as ignored, by the outermost ignored directory or file.
    pub left_out: BTreeMap<Vec<u8>, ChangeCounts>,
}

pub(crate) struct Sides<'a> {
    pub base: &'a Tree,
    pub ours: &'a Tree,
    pub theirs: &'a Tree,
    pub labels: Labels<'a>,
    /// Bring over what is ignored in their tree, too.
    pub include_ignored: bool,
}

impl Sides<'_> {
    /// Fails with all conflicts that no policy decides.
    pub(crate) async fn plan(&self, policy: Option<ConflictPolicy>) -> Result<Plan> {
        let (plan, conflicts) = self.look(policy).await?;
        if conflicts.is_empty() { Ok(plan) } else { Err(refused(&conflicts)) }
    }

    /// As [`Self::plan`], but returns the conflicts that no policy decides.
    pub(crate) async fn look(
        &self,
        policy: Option<ConflictPolicy>,
    ) -> Result<(Plan, Vec<MergeConflict>)> {
        let (mut theirs, seen) = self.changes_of(self.theirs, true).await?;
        let left_out = match self.include_ignored {
            true => BTreeMap::new(),
            false => leave_out(&mut theirs, &seen.ignored(&Rc::default())),
        };
        let (mut ours, found) = self.changes_of(self.ours, false).await?;
        if !found.is_proven {
            self.add_hidden_changes(&mut ours, &theirs).await?;
        }
        let same = self.same_contents(&ours, &theirs).await?;
        let merge = merge_trees(&ours, &theirs, &found.ignored(&Rc::default()), |path| {
            same.get(path).copied().unwrap_or(false)
        });
        let mut plan = Plan {
            merge,
            texts: BTreeMap::new(),
            decided: Vec::new(),
            expected: BTreeMap::new(),
            directories: Vec::new(),
            not_compared: seen.unread,
            left_out,
        };
        let mut conflicts: BTreeMap<Vec<u8>, MergeConflict> = BTreeMap::new();
        for (path, conflict) in std::mem::take(&mut plan.merge.conflicts) {
            let conflict = shown(&path, conflict, &ours, &theirs);
            conflicts.insert(path, conflict);
        }
        self.merge_texts(&mut plan, &mut conflicts, policy, &ours, &theirs).await?;
        let mut left = Vec::new();
        for (path, conflict) in conflicts {
            if plan.decide(&path, &conflict, policy, &ours, &theirs) {
                plan.decided.push(conflict);
            } else {
                left.push(conflict);
            }
        }
        let lives: BTreeMap<Vec<u8>, Option<TreeEntry>> =
            found.list.into_iter().map(|Difference { path, new, .. }| (path, new)).collect();
        plan.expect(&lives, &ours, &theirs);
        Ok((plan, left))
    }

    async fn changes_of(&self, tree: &Tree, all_contents: bool) -> Result<(Changes, Differences)> {
        let comparing = &Comparing { include_ignored: true, all_contents, ..Comparing::default() };
        let found = differences(self.base, tree, self.base, comparing).await?;
        let changes = classify(found.list.clone(), self.base, tree, false).await?;
        let changes = changes.into_iter().map(|change| (change.path.clone(), change));
        Ok((changes.collect(), found))
    }

    /// Adds our changes that only contents can tell, at paths that they changed. A file too large
    /// to compare counts as changed.
    async fn add_hidden_changes(&self, ours: &mut Changes, theirs: &Changes) -> Result<()> {
        let unchanged = theirs.values().filter(|change| !ours.contains_key(&change.path));
        let files: Vec<(&[u8], &TreeEntry, u64)> = unchanged
            .filter_map(|change| {
                let entry = change.old.as_ref()?;
                Some((change.path.as_slice(), entry, entry.file_bytes().filter(|size| *size > 0)?))
            })
            .collect();
        let sized: Vec<(&[u8], u64)> = files.iter().map(|(path, _, size)| (*path, *size)).collect();
        let (base, now) = futures::try_join!(self.base.hashes(&sized), self.ours.hashes(&sized))?;
        for (path, entry, _) in files {
            if base.get(path).is_none_or(|hash| now.get(path) != Some(hash)) {
                let change = Change {
                    kind: ChangeKind::Modified,
                    path: path.to_vec(),
                    from: None,
                    old: Some(entry.clone()),
                    new: Some(entry.clone()),
                    is_uncertain: true,
                };
                ours.insert(path.to_vec(), change);
            }
        }
        Ok(())
    }

    /// Whether files that both changed are the same now. Too large ones count as different.
    async fn same_contents(
        &self,
        ours: &Changes,
        theirs: &Changes,
    ) -> Result<BTreeMap<Vec<u8>, bool>> {
        let size = |change: &Change| change.new.as_ref().and_then(TreeEntry::file_bytes);
        let both: Vec<(&[u8], u64)> = ours
            .iter()
            .filter_map(|(path, our)| {
                let bytes = size(our)?;
                (size(theirs.get(path)?)? == bytes).then_some((path.as_slice(), bytes))
            })
            .collect();
        let (one, other) = futures::try_join!(self.ours.hashes(&both), self.theirs.hashes(&both))?;
        let is_same = |path: &[u8]| one.get(path).is_some_and(|hash| other.get(path) == Some(hash));
        Ok(both.iter().map(|(path, _)| (path.to_vec(), is_same(path))).collect())
    }

    async fn merge_texts(
        &self,
        plan: &mut Plan,
        conflicts: &mut BTreeMap<Vec<u8>, MergeConflict>,
        policy: Option<ConflictPolicy>,
        ours: &Changes,
        theirs: &Changes,
    ) -> Result<()> {
        let size = |changes: &Changes, path: &[u8]| {
            let entry = changes.get(path).and_then(|change| change.new.as_ref());
            entry.and_then(TreeEntry::file_bytes).unwrap_or_default()
        };
        let all: Vec<Vec<u8>> = plan.merge.texts.keys().cloned().collect();
        let mut rest = all.as_slice();
        let read = |path: &[u8]| size(ours, path).max(size(theirs, path)).min(DIFF_FILE_MAX_BYTES);
        let read: u64 = all.iter().map(|path| 2 * read(path)).sum();
        if read > TREE_TEXTS_MAX_BYTES {
            let message = format!("more than {TREE_TEXTS_MAX_BYTES} bytes of text to merge");
            return Err(Error::new(ErrorCode::TooLarge, message).with_hint(Next::CopyFiles));
        }
        let mut total_bytes = 0;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |path: &&Vec<u8>| {
                let larger = size(ours, path).max(size(theirs, path));
                bytes += larger.min(DIFF_FILE_MAX_BYTES);
                bytes <= BATCH_BYTES
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (batch, after) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            rest = after;
            let paths: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
            let (mut base, mut our, mut their) = futures::try_join!(
                self.base.contents(&paths, DIFF_FILE_MAX_BYTES),
                self.ours.contents(&paths, DIFF_FILE_MAX_BYTES),
                self.theirs.contents(&paths, DIFF_FILE_MAX_BYTES),
            )?;
            for path in batch {
                let sides = [&mut base, &mut our, &mut their].map(|side| text(side.remove(path)));
                let [Some(base), Some(our), Some(their)] = sides else {
                    plan.merge.texts.remove(path);
                    conflicts.insert(path.clone(), shown(path, Conflict::Binary, ours, theirs));
                    continue;
                };
                let on_conflict = match policy {
                    None => OnConflict::Report,
                    Some(ConflictPolicy::Ours) => OnConflict::Ours,
                    Some(ConflictPolicy::Theirs) => OnConflict::Theirs,
                    Some(ConflictPolicy::Markers) => OnConflict::Markers,
                };
                let merged = merge_texts(&base, &our, &their, on_conflict, self.labels);
                if merged.conflicts > 0 {
                    let mut conflict = shown(path, Conflict::Content, ours, theirs);
                    let regions = merged.regions.iter().take(REGIONS_SHOWN);
                    conflict.lines = regions.map(|region| lines(region, &our, &their)).collect();
                    conflicts.insert(path.clone(), conflict);
                }
                let Some(content) = merged.content else {
                    plan.merge.texts.remove(path);
                    continue;
                };
                let live = ours.get(path).and_then(|change| change.new.as_ref());
                let merged = plan.merge.texts.get(path);
                if content == our
                    && merged.zip(live).is_some_and(|(one, ours)| one.has_same_access(ours))
                {
                    plan.merge.texts.remove(path);
                    continue;
                }
                total_bytes += content.len();
                if total_bytes > MERGE_MAX_BYTES {
                    let message = format!("more than {MERGE_MAX_BYTES} bytes of text to merge");
                    return Err(Error::new(ErrorCode::TooLarge, message).with_hint(Next::CopyFiles));
                }
                plan.texts.insert(path.clone(), content);
            }
        }
        Ok(())
    }
}

/// Takes ignored changes out, except for those of git repositories.
fn leave_out(theirs: &mut Changes, ignored: &Ignored) -> BTreeMap<Vec<u8>, ChangeCounts> {
    let mut left_out: BTreeMap<Vec<u8>, ChangeCounts> = BTreeMap::new();
    theirs.retain(|path, change| {
        let entry = change.new.as_ref().or(change.old.as_ref());
        let is_directory = entry.is_some_and(TreeEntry::is_directory);
        let Some(place) = ignored.outermost(path, is_directory) else { return true };
        if place == b".git" || place.ends_with(b"/.git") {
            return true;
        }
        let counts = left_out.entry(place.to_vec()).or_default();
        // Counting a directory itself, in addition to its content, would count it twice.
        if !is_directory {
            counts.count(change.kind);
        }
        false
    });
    left_out.retain(|_, counts| counts.total() > 0);
    left_out
}

impl Plan {
    pub(crate) fn is_empty(&self) -> bool {
        self.merge.is_empty()
    }

    /// Returns whether the policy decides the conflict.
    fn decide(
        &mut self,
        path: &[u8],
        conflict: &MergeConflict,
        policy: Option<ConflictPolicy>,
        ours: &Changes,
        theirs: &Changes,
    ) -> bool {
        let entries = [ours.get(path), theirs.get(path)].into_iter().flatten();
        let has_directory = entries
            .flat_map(|change| [&change.old, &change.new])
            .any(|entry| entry.as_ref().is_some_and(TreeEntry::is_directory));
        match (policy, conflict.conflict) {
            (None, _) => false,
            // The texts were merged by the policy.
            (Some(_), Conflict::Content) => true,
            (Some(ConflictPolicy::Ours | ConflictPolicy::Markers), _) => true,
            // A choice for one path can't decide about a directory's content.
            (Some(ConflictPolicy::Theirs), Conflict::Type) if has_directory => false,
            (Some(ConflictPolicy::Theirs), conflict) => {
                match theirs.get(path).map(|change| &change.new) {
                    Some(Some(entry)) if conflict == Conflict::Mode => {
                        self.merge.access.insert(path.to_vec(), entry.clone());
                    }
                    Some(Some(entry)) => {
                        self.merge.remove.insert(path.to_vec());
                        self.merge.take.insert(path.to_vec(), entry.clone());
                    }
                    _ => drop(self.merge.remove.insert(path.to_vec())),
                }
                true
            }
        }
    }

    fn expect(
        &mut self,
        lives: &BTreeMap<Vec<u8>, Option<TreeEntry>>,
        ours: &Changes,
        theirs: &Changes,
    ) {
        let TreeMerge { take, remove, access, texts, .. } = &self.merge;
        let paths = take.keys().chain(remove).chain(access.keys()).chain(texts.keys());
        for path in paths {
            let known = lives.get(path).cloned().or_else(|| {
                // We did not change the path, so it is as in the base.
                theirs.get(path).map(|change| change.old.clone())
            });
            let is_directory = known.iter().flatten().any(TreeEntry::is_directory);
            if is_directory {
                self.directories.push(path.clone());
            }
            if let Some(known) = known {
                self.expected.insert(path.clone(), known);
            }
        }
        // A directory that we removed comes back if they put something into it. It must be absent.
        for path in take.keys().filter(|path| !theirs.contains_key(*path)) {
            if ours.get(path).is_some_and(|change| change.new.is_none()) {
                self.expected.insert(path.clone(), None);
            }
        }
    }
}

/// Empty for a file that does not exist. None: it is not text, or too large.
fn text(content: Option<Content>) -> Option<Vec<u8>> {
    match content {
        None => Some(Vec::new()),
        Some((bytes, size_bytes)) => {
            (size_bytes <= DIFF_FILE_MAX_BYTES && !is_binary(&bytes)).then_some(bytes)
        }
    }
}

fn shown(path: &[u8], conflict: Conflict, ours: &Changes, theirs: &Changes) -> MergeConflict {
    let kind = |changes: &Changes| changes.get(path).map(|change| change.kind);
    MergeConflict {
        path: FoundPath::of(path),
        conflict,
        ours: kind(ours),
        theirs: kind(theirs),
        lines: Vec::new(),
    }
}

fn lines(region: &Region, ours: &[u8], theirs: &[u8]) -> ConflictingLines {
    ConflictingLines {
        line: region.ours.start as u64 + 1,
        ours: text_of(ours, &region.ours),
        theirs: text_of(theirs, &region.theirs),
    }
}

fn text_of(content: &[u8], lines: &Range<usize>) -> String {
    let lines = content.split_inclusive(|byte| *byte == b'\n').skip(lines.start).take(lines.len());
    let mut bytes: Vec<u8> = lines.flatten().copied().take(REGION_TEXT_BYTES + 1).collect();
    let is_cut = bytes.len() > REGION_TEXT_BYTES;
    bytes.truncate(REGION_TEXT_BYTES);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if is_cut { format!("{text}…") } else { text }
}

fn refused(conflicts: &[MergeConflict]) -> Error {
    let count = conflicts.len();
    let paths: Vec<&str> =
        conflicts.iter().take(5).map(|conflict| conflict.path.path.as_str()).collect();
    let more = if count > paths.len() { ", …" } else { "" };
    let shown = conflicts.get(..count.min(MERGE_CONFLICTS_SHOWN)).unwrap_or_default();
    Error::new(
        ErrorCode::Conflict,
        format!("both sides changed {count} paths differently: {}{more}", paths.join(", ")),
    )
    .with_hint(
        "nothing was changed; set onConflict to ours, theirs or markers, make both sides agree, or use mode replace",
    )
    .with_details(json!({ "conflicts": shown, "count": count }))
}
