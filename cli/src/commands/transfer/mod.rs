//! `put` and `get`: files and directories between this machine and a workspace, as tar archives.

mod get;
mod pack;
mod parts;
mod put;
mod unpack;

pub use get::Get;
pub use put::Put;
