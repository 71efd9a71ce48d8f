//! JSON Schemas and OpenAPI.

#[cfg(schemas)]
pub mod openapi;
pub(crate) mod shape;
