//! Manifests: the container's records of what the last archive of a directory held.

use crate::domain::snapshot::backup::BackupDir;
use crate::domain::snapshot::chain::Chain;
use crate::domain::text::utf8::hex;
use crate::sandbox::scripts::OWN_DIR;
use sha2::{Digest, Sha256};

/// The path of a directory's manifest. Its name is a hash, because the directory's own path may be
/// too long for a file name.
pub(crate) fn manifest_path(dir: &BackupDir) -> String {
    let hash = Sha256::digest(dir.as_str());
    let (first, _) = hash.split_at(8);
    format!("{OWN_DIR}/manifest-{}", hex(first))
}

/// How a manifest names the archives that hold a tree. One archive alone does not say
/// which tree a layer gives: the same change of two trees gives equal layers.
pub(crate) fn chain_name(archives: &Chain) -> String {
    let sums: Vec<&str> = archives.parts().iter().map(|part| part.sha256.as_str()).collect();
    sums.join("+")
}
