//! Requests to servers in a workspace's container: which server a request is for, and which parts
//! of it are passed on. Pure; `platform::preview` sends them.
//!
//! Such a server runs the session's code, which may be hostile. It never gets a token or cookie of
//! ours, and its pages never run in the API's origin: a preview has its own host, and pages that
//! are fetched by path are sandboxed.

pub(crate) mod cookie;
pub(crate) mod page;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod target;

pub use crate::api::http::preview::cookie::{link_cookie, own_cookies};
pub use crate::api::http::preview::page::{Page, link_page, moved_page, refused_page};
pub use crate::api::http::preview::request::{Sent, is_foreign, request_headers};
pub use crate::api::http::preview::response::response_headers;
pub use crate::api::http::preview::target::{PathTarget, path_target};

use crate::domain::session::embedding::FrameAncestor;

/// Prefix of the headers between our own objects. Neither callers nor servers may set such headers.
pub const OWN_HEADERS: &str = "x-snapshotter-";

/// How a request reaches a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// At a host of its own: `https://5173--….preview.example.com`.
    Host {
        /// The origin of that host, as the browser names it.
        origin: String,
        /// Origins of pages that may embed the preview.
        frame_ancestors: Vec<FrameAncestor>,
    },
    /// At a path of the API: `/v1/sessions/{session}/ports/{port}`.
    Path {
        /// The API's origin.
        origin: String,
        /// The path, without a final slash.
        prefix: String,
    },
}
