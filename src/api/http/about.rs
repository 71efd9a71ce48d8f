//! Answers about the Worker itself, without a token. They contain no secrets.

use crate::domain::{Error, ErrorCode, Result};
use serde::Serialize;

/// The page for people.
const CONSOLE: &str = "/console";

/// The answer to `GET /`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct About {
    /// The product's name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// Where to continue.
    pub links: Links,
}

/// Paths that need no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Links {
    /// The description of every route.
    pub openapi: &'static str,
    /// Whether the Worker is configured.
    pub health: &'static str,
}

/// Describes the product.
#[must_use]
pub const fn about() -> About {
    About {
        name: "snapshotter",
        version: env!("CARGO_PKG_VERSION"),
        summary: "Branchable, durable Linux workspaces for AI agents.",
        links: Links { openapi: "/openapi.json", health: "/health" },
    }
}

/// The page that `GET /` redirects a browser to. A browser accepts `text/html`.
#[must_use]
pub fn page_for(accept: Option<&str>) -> Option<&'static str> {
    accept.is_some_and(asks_for_page).then_some(CONSOLE)
}

fn asks_for_page(accept: &str) -> bool {
    accept.split(',').any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_page = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("text/html"));
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        is_page && weight.is_none_or(|weight| weight.parse().is_ok_and(|weight: f32| weight > 0.0))
    })
}

/// The answer to `GET /health`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Health {
    /// Always `ok`: anything else is an error.
    pub status: &'static str,
}

/// Checks whether the Worker can serve sessions. `missing` names the absent bindings and secrets.
///
/// # Errors
/// `NOT_CONFIGURED` naming the absent ones.
pub fn health(missing: &[&str]) -> Result<Health> {
    if missing.is_empty() {
        return Ok(Health { status: "ok" });
    }
    Err(Error::new(ErrorCode::NotConfigured, format!("missing: {}", missing.join(", ")))
        .with_hint("add bindings to wrangler.toml; set secrets with wrangler secret put"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_names_what_is_missing() {
        assert_eq!(health(&[]).unwrap().status, "ok");
        let error = health(&["SANDBOX", "API_TOKEN"]).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotConfigured);
        assert_eq!(error.message, "missing: SANDBOX, API_TOKEN");
    }
}
