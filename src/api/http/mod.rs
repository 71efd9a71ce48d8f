//! HTTP: one table of routes, and how it turns requests into calls. Pure;
//! `platform` moves the bytes.

pub(crate) mod about;
pub(crate) mod answer;
pub(crate) mod authenticate;
pub(crate) mod console;
pub(crate) mod forward;
pub(crate) mod operator;
pub(crate) mod origin;
pub(crate) mod param;
pub mod preview;
pub(crate) mod request;
pub(crate) mod revocable;
pub(crate) mod route;
pub(crate) mod table;

#[cfg(test)]
mod tests;

pub use crate::api::http::about::{About, Health, about, health};
pub use crate::api::http::answer::{Answer, status};
pub use crate::api::http::authenticate::{
    Identity, SUBPROTOCOL, Secrets, authenticate, of_another_session, socket_ticket,
};
pub use crate::api::http::console::{console_file, console_headers};
pub use crate::api::http::forward::Forwarded;
pub use crate::api::http::origin::{check_origin, origin_headers, preflight_headers};
pub use crate::api::http::param::{Param, ParamKind};
pub use crate::api::http::request::Asked;
pub use crate::api::http::revocable::while_authenticated;
pub use crate::api::http::route::{Link, Route, Serve, Verb};
pub use crate::api::operations::routes;
pub use crate::api::schema::shape::{Shape, Shaped};

use crate::domain::error::Error;
use crate::domain::error::Result;
use crate::domain::ids::SessionId;

/// What the table has for a method and a path.
#[derive(Debug)]
pub enum Found {
    /// A route.
    Route(Matched),
    /// The methods of this path's routes. The request's is not one of them.
    OtherMethods(Vec<Verb>),
    /// No route has this path.
    Nothing,
}

/// A route, and the values of the parameters in its path.
#[derive(Debug)]
pub struct Matched {
    /// The row of the table.
    pub route: &'static Route,
    pub(crate) captured: Vec<(&'static str, String)>,
}

impl Matched {
    /// The session that the path names.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where it is no session id.
    pub fn session(&self) -> Result<SessionId> {
        SessionId::parse(self.path("session")?)
    }

    /// The value of a parameter of the path.
    fn path(&self, name: &str) -> Result<&str> {
        let found = self.captured.iter().find(|(captured, _)| *captured == name);
        found
            .map(|(_, value)| value.as_str())
            .ok_or_else(|| Error::internal(format!("{} has no {{{name}}}", self.route.path)))
    }
}

/// The route of this id.
#[must_use]
pub fn by_id(id: Option<&str>) -> Option<&'static Route> {
    routes().find(|row| Some(row.id) == id)
}

/// The media type of a route's answer stream.
#[must_use]
pub fn media_type(route: Option<&Route>) -> &'static str {
    route.and_then(|row| row.streams).unwrap_or("application/octet-stream")
}

/// Finds the route of a method and a path, given as percent-decoded segments.
#[must_use]
pub fn find(method: &str, segments: &[String]) -> Found {
    let mut others = Vec::new();
    for route in routes() {
        let Some(captured) = route.captures(segments) else { continue };
        if route.verb.as_str() == method {
            return Found::Route(Matched { route, captured });
        }
        others.push(route.verb);
    }
    if others.is_empty() { Found::Nothing } else { Found::OtherMethods(others) }
}
