//! Reads tar archives compressed with zstd from their beginning, without a container.
//!
//! Such an archive has no directory, and a place in it is reached only from its start. So
//! the first look decompresses all of it, and makes an index of its entries; a read
//! decompresses it again up to the file. It is hostile input: others may have written it.
//! One that could restore differently than shown is refused.
//!
//! From the bottom up: `unpack` decompresses, `header` and `pax` read what describes an
//! entry, `entries` reads all of them, `index` puts them into the order of a walk, `memory`
//! keeps what is of use to later calls, and `tree` is the archive as a tree of files.

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
