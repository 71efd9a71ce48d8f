//! Calls: running, recorded, and broken off.

mod recorded;
mod recover;
mod running;
