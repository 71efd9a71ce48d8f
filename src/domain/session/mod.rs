//! Rules for a session: configuration, events, scopes, tokens, rates.

pub mod config;
pub mod embedding;
pub mod event;
pub mod preview;
pub mod rate;
pub mod scope;
pub mod ticket;
pub mod token;
pub mod usage;
