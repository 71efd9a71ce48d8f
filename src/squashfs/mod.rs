//! Reads SquashFS 4.0 archives by ranges, without a container.
//!
//! An archive is hostile input: others may have written it. Every offset, count
//! and size is checked before use. A damaged archive is `INTEGRITY`, and its
//! message names what is wrong. Memory is bounded by the [`Cache`] and by what a
//! call asks for; how much work a walk does is up to its caller.
//!
//! From the bottom up: `image` reads bytes and decoded blocks through the cache,
//! `metadata` is a position in the stream of metadata, `table` reads records,
//! `inode` reads nodes; `directory`, `content`, `xattr` and `walk` read
//! what nodes lead to.

mod archive;
mod cache;
mod compression;
mod content;
mod damage;
mod directory;
mod image;
mod inode;
mod metadata;
mod superblock;
mod table;
mod walk;
mod xattr;

pub use archive::Archive;
pub use cache::Cache;
pub use directory::Entry;
pub use inode::{Node, NodeKind};
pub use walk::Walk;
pub use xattr::Xattr;
