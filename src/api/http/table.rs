//! Routes that are not operations of a session.

use crate::api::http::about::{About, Health};
use crate::api::http::operator;
use crate::api::operation::{Asked, Operation, Route, Serve, Verb};
use crate::api::registry;
use crate::domain::{Error, ErrorCode, Result};

/// The operator's routes, MCP, and the public routes.
static OTHER_ROUTES: &[Route] = &[
    operator::LIST_SESSIONS,
    operator::LIST_WORKSPACES,
    operator::LIST_POOLS,
    operator::DESTROY_POOL,
    operator::USAGE,
    operator::PRUNE,
    operator::REBUILD,
    operator::LIST_EVENTS,
    operator::METRICS,
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/mcp",
        "mcp",
        "The Model Context Protocol over Streamable HTTP",
        |_| Err(Error::internal("MCP is not an operation")),
    )
    .without_command("a protocol for models, not for people")
    .describe("Revisions 2025-11-25 and 2026-07-28. Bodies and answers are their JSON-RPC messages.")
    .errors(&[ErrorCode::TooLarge])
    .served(Serve::Mcp),
    Route::session(Verb::Get, "/", "about", "The service's name and version, and where it is described", public)
        .describe("A browser, which asks for text/html, is redirected to the console.")
        .answers::<About>()
        .served(Serve::About),
    Route::session(Verb::Get, "/health", "health", "Whether the Worker is configured", public)
        .describe("Checks that the bindings exist and `API_TOKEN` is set, without asking R2 or an object.")
        .answers::<Health>()
        .served(Serve::Health),
    Route::session(Verb::Get, "/openapi.json", "getOpenApi", "This document", public)
        .without_command("this program is built from the document")
        .served(Serve::OpenApi),
];

fn public(_: &Asked<'_>) -> Result<Operation> {
    Err(Error::internal("not an operation of a session"))
}

/// Every route, of operations and of others.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    registry::all().flat_map(|entry| entry.descriptor.routes).chain(OTHER_ROUTES)
}
