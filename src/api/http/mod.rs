//! HTTP: one table of routes, and the conversion of requests into calls. Pure; `platform` moves the
//! bytes.

pub(crate) mod about;
pub(crate) mod answer;
pub(crate) mod authenticate;
pub(crate) mod console;
pub(crate) mod forward;
pub(crate) mod operator;
pub(crate) mod origin;
pub mod preview;
pub(crate) mod revocable;
pub(crate) mod table;

#[cfg(test)]
mod tests;

pub use crate::api::http::about::{About, Health, health};
pub use crate::api::http::answer::{Answer, status};
pub use crate::api::http::authenticate::{
    Identity, SUBPROTOCOL, Secrets, authenticate, of_another_session, socket_ticket,
};
pub use crate::api::http::console::{console_file, console_headers};
pub use crate::api::http::forward::Forwarded;
pub use crate::api::http::origin::{check_origin, origin_headers, preflight_headers};
pub use crate::api::http::revocable::while_authenticated;
pub use crate::api::http::table::routes;
pub use crate::api::operation::asked::{Asked, Matched};
pub use crate::api::operation::param::{Param, ParamKind};
pub use crate::api::operation::route::{Link, Route, Serve, Verb};
pub use crate::api::operation::shape::{Shape, Shaped};

/// The table's result for a method and a path.
#[derive(Debug)]
pub enum Found {
    /// A route.
    Route(Matched),
    /// The methods of this path's routes. They do not include the request's method.
    OtherMethods(Vec<Verb>),
    /// No route has this path.
    Nothing,
}

/// The route with this id.
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
