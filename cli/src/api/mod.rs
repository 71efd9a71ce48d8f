//! The server: its operations, as published, and how we call them.

mod answer;
mod call;
mod client;
mod socket;
mod sse;
mod url;

pub(crate) use answer::{answer, published};
pub use answer::{has_field, read};
pub use call::{Call, Field, Operation, Query};
pub use client::{Client, Token, new_key};
pub use socket::Socket;
pub use sse::{Event, Events};
pub use url::BaseUrl;

/// Generated from `docs/openapi.json` by `build.rs`.
#[expect(dead_code, reason = "no command needs every operation, parameter and field")]
#[expect(non_upper_case_globals, reason = "schemas keep their published names")]
pub mod operations {
    use super::{Call, Field, Operation, Query};
    use crate::error::Error;

    include!(concat!(env!("OUT_DIR"), "/operations.rs"));
}

#[test]
fn the_version_is_the_servers() {
    assert_eq!(env!("CARGO_PKG_VERSION"), operations::VERSION);
}
