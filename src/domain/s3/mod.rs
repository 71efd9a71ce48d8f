//! The S3 protocol: requests and answers. `src/gateway` acts on them. Addresses are `/bucket/key`.
//! Signatures are not checked: the connection identifies the caller.

pub mod attributes;
pub mod body;
pub mod checksum;
pub mod chunked;
pub mod conditions;
pub mod documents;
pub mod environment;
pub mod error;
pub mod listing;
pub mod operation;
pub mod range;
pub mod remote;
pub mod request;
pub mod scope;
pub mod xml;

pub use crate::domain::s3::error::{Code, Result, S3Error};
pub use crate::domain::s3::operation::Operation;
pub use crate::domain::s3::request::RequestHead;
pub use crate::domain::s3::scope::{BucketMount, Scope};
