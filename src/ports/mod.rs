//! The traits by which use cases reach the world: over Workers APIs in `platform`, and as fakes in
//! tests, which can fail before or after their effect. [`contract`] has suites for both.

pub mod alarm;
pub mod bucket;
pub mod clock;
pub mod container;
pub mod contract;
pub mod crossing;
pub mod database;
pub mod directory;
pub mod hosts;
pub mod isolates;
pub mod log;
pub mod pools;
pub mod random;
pub mod sandbox;
pub mod sessions;
pub mod starts;
pub mod stream;
pub mod trees;

pub use crate::ports::alarm::Alarm;
pub use crate::ports::bucket::ranges::Ranges;
pub use crate::ports::bucket::{Bucket, Buckets, ObjectInfo};
pub use crate::ports::clock::Clock;
pub use crate::ports::database::{Database, Row, SqlValue};
pub use crate::ports::log::{Level, Log, LogLine};
pub use crate::ports::random::Random;
pub use crate::ports::stream::{ByteStream, Bytes};
