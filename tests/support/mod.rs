//! A world for use cases: real SQLite, and fakes that fail or crash before or
//! after each of their effects.

#![allow(dead_code, reason = "each test crate uses a part of it")]

pub mod bucket;
pub mod container;
pub mod database;
pub mod directory;
pub mod faults;
pub mod isolates;
pub mod layered;
pub mod objects;
pub mod pools;
pub mod ports;
pub mod ranges;
pub mod service;
pub mod squashfs;
pub mod starts;
pub mod stream;
pub mod terminal;
pub mod tree;
pub mod virtual_time;
