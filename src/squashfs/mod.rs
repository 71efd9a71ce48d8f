//! Reads SquashFS 4.0 archives by ranges, without a container.
//!
//! An archive is hostile input: others may have written it. Every offset, count
//! and size is checked before use. A damaged archive is `INTEGRITY`, and its
//! message names what is wrong. Memory is bounded by the [`Cache`] and by what a
//! call asks for; how much work a walk does is up to its caller.
//!
//! From the bottom up: `image` reads bytes and decoded blocks through the cache,
//! `metadata` is a position in the stream of metadata, `table` reads records,
//! `inode` reads nodes; `directory`, `content` and `xattr` read what nodes lead to.
//! `layered` shows an archive, or a full one with layers on it, as one tree; `same` compares two.

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
