//! What the use cases need from the world. `platform` implements these over
//! Workers APIs; tests implement them over fakes that fail before or after
//! their effect. Each has a contract suite that both pass.

pub mod alarm;
pub mod bucket;
pub mod clock;
pub mod container;
pub mod contract;
pub mod database;
pub mod directory;
pub mod hosts;
pub mod log;
pub mod random;
pub mod sandbox;
pub mod sessions;
pub mod stream;
