//! Reads SquashFS 4.0 archives through range requests, without a container.
//!
//! An archive is untrusted input: every offset, count and size is checked before use, and damage is
//! `INTEGRITY`. The [`Cache`] and the size of each request bound memory. Callers have to bound the
//! work of a walk.
//!
//! From the bottom up: `image` reads bytes and decoded blocks through the cache, `metadata` and
//! `table` read records, `inode` reads nodes. `directory`, `content` and `xattr` read the data of
//! nodes. `layered` shows an archive and its layers as one tree. `same` compares two trees.

mod archive;
mod cache;
mod compression;
mod content;
mod damage;
mod directory;
mod image;
mod inode;
mod layered;
mod metadata;
mod same;
mod superblock;
mod table;
mod xattr;

pub use archive::ArchiveSource;
pub use cache::Cache;
pub use directory::Entry;
pub use inode::{FileId, Node, NodeKind};
pub use layered::LayeredTree;
pub use layered::walk::Walk;
pub use same::first_difference;
pub use xattr::Xattr;
