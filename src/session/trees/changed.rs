//! Find what changed between two trees: compare metadata first, then contents where metadata do not
//! decide.

use crate::domain::Result;
use crate::domain::tree::changes::{Change, ChangeCounts, changes, to_hash};
use crate::domain::tree::{Difference, TreeEntry};
use crate::session::trees::differences::{Comparing, Differences, differences};
use crate::session::trees::tree::Tree;
use std::collections::BTreeMap;

/// What changed from one tree to another.
pub(crate) struct Changed {
    /// Changes in the order of a walk.
    pub list: Vec<Change>,
    /// Changes that are only counted, by the outermost ignored directory or file.
    pub set_aside: BTreeMap<Vec<u8>, ChangeCounts>,
    /// As in [`Differences`].
    pub unread: u64,
}

/// Compares two trees. `base` is as in [`differences`].
///
/// # Errors
/// `TOO_LARGE`; the errors of reading the trees.
pub(crate) async fn changed(
    old: &Tree,
    new: &Tree,
    base: &Tree,
    comparing: &Comparing,
) -> Result<Changed> {
    let Differences { list, set_aside, unread, .. } =
        differences(old, new, base, comparing).await?;
    Ok(Changed { list: classify(list, old, new, true).await?, set_aside, unread })
}

/// Compares contents where metadata do not decide what changed.
pub(crate) async fn classify(
    list: Vec<Difference>,
    old: &Tree,
    new: &Tree,
    renames: bool,
) -> Result<Vec<Change>> {
    let (olds, news) = to_hash(&list, renames);
    let olds = sized(&olds, |difference| difference.old.as_ref());
    let news = sized(&news, |difference| difference.new.as_ref());
    let (old_hashes, new_hashes) = futures::try_join!(old.hashes(&olds), new.hashes(&news))?;
    drop((olds, news));
    Ok(changes(list, &old_hashes, &new_hashes))
}

fn sized<'a>(
    of: &[&'a Difference],
    side: impl Fn(&'a Difference) -> Option<&'a TreeEntry>,
) -> Vec<(&'a [u8], u64)> {
    let sized = |difference: &&'a Difference| {
        let size = side(difference).and_then(TreeEntry::file_bytes)?;
        Some((difference.path.as_slice(), size))
    };
    of.iter().filter_map(sized).collect()
}
