//! Branchable, durable Linux workspaces for AI agents on Cloudflare.
//!
//! Dependencies point one way:
//! `platform → api → session, sandbox, gateway, operator, directory, starts, pools → ports → domain`.
//!
//! Only `platform` knows Workers types, and it exists only on `wasm32`. The
//! rest is plain Rust that tests run natively. See `docs/architecture.md`.

pub mod api;
pub mod directory;
pub mod domain;
pub mod gateway;
pub mod operator;
#[cfg(target_arch = "wasm32")]
pub mod platform;
pub mod pools;
pub mod ports;
pub mod sandbox;
pub mod session;
pub mod squashfs;
pub mod starts;
pub mod support;
