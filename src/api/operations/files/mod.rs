//! Files.

pub(crate) mod archive;
pub(crate) mod read;
pub(crate) mod write;
