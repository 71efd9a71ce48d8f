//! Find what changed between two trees: metadata first, then contents where those
//! decide.

use crate::domain::error::Result;
use crate::domain::tree::Difference;
use crate::domain::tree::changes::{Change, ChangeCounts, changes, to_hash};
use crate::session::trees::differences::{Comparing, differences};
use crate::session::trees::tree::Tree;
use std::collections::BTreeMap;

/// What changed from one tree to another.
pub(crate) struct Changed {
    /// In the order of a walk.
    pub list: Vec<Change>,
    /// What is only counted, by the outermost ignored directory or file.
    pub set_aside: BTreeMap<Vec<u8>, ChangeCounts>,
}

/// Which changes are wanted.
pub(crate) type Wanted<'a> = &'a dyn Fn(&Difference) -> bool;

/// Compares two trees. `base` is as in [`differences`].
///
/// # Errors
/// `TOO_LARGE`; the errors of reading them.
pub(crate) async fn changed(
    old: &Tree,
    new: &Tree,
    base: &Tree,
    comparing: Comparing,
    renames: bool,
    wanted: Wanted<'_>,
) -> Result<Changed> {
    let found = differences(old, new, base, comparing).await?;
    let (mut list, set_aside) = (found.list, found.set_aside);
    list.retain(wanted);
    let (olds, news) = to_hash(&list, renames);
    let olds: Vec<(&[u8], u64)> = sized(&olds, |difference| difference.old.as_ref());
    let news: Vec<(&[u8], u64)> = sized(&news, |difference| difference.new.as_ref());
    let (old_hashes, new_hashes) = futures::try_join!(old.hashes(&olds), new.hashes(&news))?;
    drop((olds, news));
    Ok(Changed { list: changes(list, &old_hashes, &new_hashes), set_aside })
}

fn sized<'a>(
    of: &[&'a Difference],
    side: impl Fn(&'a Difference) -> Option<&'a crate::domain::tree::TreeEntry>,
) -> Vec<(&'a [u8], u64)> {
    let sized = |difference: &&'a Difference| {
        let size = side(difference).and_then(|entry| entry.file_bytes())?;
        Some((difference.path.as_slice(), size))
    };
    of.iter().filter_map(sized).collect()
}
