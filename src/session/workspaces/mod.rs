//! Make, wake, switch, rewind, pause and destroy workspaces.

pub(crate) mod describe;
pub(crate) mod destroy;
pub(crate) mod destroy_container;
pub(crate) mod live_fork;
pub(crate) mod make;
pub(crate) mod pause;
pub(crate) mod promote;
pub(crate) mod promote_plan;
pub(crate) mod resume;
pub(crate) mod rewind;
pub(crate) mod rewind_plan;
pub(crate) mod start_fresh;
pub(crate) mod switch;
pub(crate) mod undo;
