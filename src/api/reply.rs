//! What an operation answers with.

pub use crate::ports::crossing::Crossing as Reply;
