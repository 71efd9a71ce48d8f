//! Branchable, durable Linux workspaces for AI agents on Cloudflare.
//!
//! Dependencies point one way: `platform → surface → tools → usecases → ports → domain`.
//! Only `platform` knows Workers types, and it exists only on `wasm32`; all
//! else is plain Rust that tests run natively. See `docs/architecture.md`.

pub mod domain;
#[cfg(target_arch = "wasm32")]
pub mod platform;
pub mod ports;
pub mod surface;
pub mod tools;
pub mod usecases;
