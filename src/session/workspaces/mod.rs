//! Make, wake, switch, rewind, pause and destroy workspaces.

pub(crate) mod describe;
pub(crate) mod destroy;
pub(crate) mod make;
pub(crate) mod pause;
pub(crate) mod promote;
pub(crate) mod promote_plan;
pub(crate) mod rewind;
pub(crate) mod start_fresh;
pub(crate) mod switch;
