//! Workspaces: made, used, rewound, paused and destroyed.

mod destroy;
mod directories;
mod heads;
mod live_fork;
mod machine;
mod make;
pub mod pause;
mod pause_at_once;
mod pause_broken;
pub mod rewind;
mod rewind_broken;
mod side_by_side;
mod switch;
mod wake;
