//! Reads tar archives that are compressed with zstd, from their beginning, without a container.
//!
//! Such an archive has no directory, and a position in it can only be reached from its start. So
//! the first look decompresses all of it, and makes an index of its entries; a later read
//! decompresses the archive again, up to the file. An archive is untrusted input. An archive that
//! could restore differently than it is shown is refused.
//!
//! From the bottom up: `unpack` decompresses, `header` and `pax` read descriptions of entries,
//! `entries` reads all entries, `index` sorts them into the order of a walk, `memory` keeps state
//! for later calls, and `tree` shows the archive as a tree of files.

mod damage;
mod entries;
mod header;
mod index;
mod memory;
mod pax;
mod tree;
mod unpack;

pub use memory::TarMemory;
pub use tree::{TarSource, TarTree, TarWalk};
pub use unpack::Work;
