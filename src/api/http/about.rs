//! Answers about the Worker itself, without a token. They contain no secrets.

use crate::domain::error::{Error, ErrorCode, Result};
use serde::Serialize;

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

/// The answer to `GET /health`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Health {
    /// Always `ok`: anything else is an error.
    pub status: &'static str,
}

/// Checks whether the Worker can serve sessions. `missing` names the bindings and
/// secrets that it lacks.
///
/// # Errors
/// `NOT_CONFIGURED`, naming them.
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
