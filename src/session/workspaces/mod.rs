//! Make, wake, switch, rewind, pause and destroy workspaces.

pub(crate) mod buckets;
pub(crate) mod describe;
pub(crate) mod destroy;
pub(crate) mod destroy_container;
pub(crate) mod live_fork;
pub(crate) mod make;
pub(crate) mod maker;
pub(crate) mod pause;
pub(crate) mod ready;
pub(crate) mod replace;
pub(crate) mod results;
pub(crate) mod resume;
pub(crate) mod rewind;
pub(crate) mod start_fresh;
pub(crate) mod switch;
