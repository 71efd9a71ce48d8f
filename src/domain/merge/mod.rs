//! Three-way merges: of trees by paths, and of texts by lines with the results of `git merge-file`.

mod chunks;
pub mod text;
pub mod tree;
