//! JSON Schemas, OpenAPI, and the types for callers over RPC.

#[cfg(schemas)]
pub mod openapi;
pub(crate) mod shape;
#[cfg(schemas)]
pub mod typescript;
