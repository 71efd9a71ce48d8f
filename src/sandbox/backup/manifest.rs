//! Manifests: the container's records of what the last archive of a directory held.

use crate::domain::snapshot::backup::BackupDir;
use crate::domain::snapshot::chain::Chain;
use crate::domain::text::utf8::hex;
use crate::sandbox::scripts::OWN_DIR;
use sha2::{Digest, Sha256};

/// The file name is a hash, because the directory's path may be too long for one.
pub(crate) fn manifest_path(dir: &BackupDir) -> String {
    let hash = Sha256::digest(dir.as_str());
    let (first, _) = hash.split_at(8);
    format!("{OWN_DIR}/manifest-{}", hex(first))
}

/// How a manifest names a tree: by all its archives. The last one alone is not enough, because the
/// same change of two trees gives equal layers.
pub(crate) fn chain_name(archives: &Chain) -> String {
    let sums: Vec<&str> = archives.parts().iter().map(|part| part.sha256.as_str()).collect();
    sums.join("+")
}
