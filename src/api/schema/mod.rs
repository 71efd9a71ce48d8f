//! JSON Schemas, OpenAPI, and the types for callers over RPC.

#[cfg(schemas)]
pub mod openapi;
#[cfg(schemas)]
pub mod typescript;
