//! HTTP: routes to operations, errors to statuses. Pure; `platform` moves the bytes.

use super::operation::Operation;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::SessionId;
use crate::domain::refs::WorkspaceRef;
use serde_json::{Map, Value, json};
use subtle::ConstantTimeEq;

/// A request as far as routing needs it.
#[derive(Debug, Clone, Copy)]
pub struct HttpRequest<'a> {
    /// `GET`, `POST`, …
    pub method: &'a str,
    /// Path segments, percent-decoded.
    pub segments: &'a [String],
    /// Query parameters, percent-decoded.
    pub query: &'a [(String, String)],
    /// The body; empty where there is none.
    pub body: &'a [u8],
}

/// The HTTP status of each code.
#[must_use]
pub const fn status(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::InvalidArgument => 400,
        ErrorCode::Unauthenticated => 401,
        ErrorCode::Forbidden
        | ErrorCode::SnapshotNotOwned
        | ErrorCode::WorkspaceNotOwned
        | ErrorCode::CrossSessionDisabled => 403,
        ErrorCode::NotFound => 404,
        ErrorCode::Conflict | ErrorCode::WorkspaceLost => 409,
        ErrorCode::SnapshotExpired | ErrorCode::SnapshotGone => 410,
        ErrorCode::PreconditionFailed => 412,
        ErrorCode::TooLarge => 413,
        ErrorCode::QuotaExceeded | ErrorCode::RateLimited => 429,
        ErrorCode::Aborted => 499,
        ErrorCode::Internal => 500,
        ErrorCode::Unsupported => 501,
        ErrorCode::BackupFailed | ErrorCode::RestoreFailed | ErrorCode::Integrity => 502,
        ErrorCode::NotConfigured | ErrorCode::Unavailable | ErrorCode::Interrupted => 503,
    }
}

/// Checks the `Authorization` header against the configured token, in constant
/// time. With no token configured nothing is open.
///
/// # Errors
/// `NOT_CONFIGURED`, `UNAUTHENTICATED`.
pub fn authenticate(header: Option<&str>, api_token: Option<&str>) -> Result<()> {
    let Some(api_token) = api_token.filter(|token| !token.is_empty()) else {
        return Err(Error::new(ErrorCode::NotConfigured, "the secret API_TOKEN is not set")
            .with_hint("set it with: wrangler secret put API_TOKEN"));
    };
    let presented = header.and_then(|header| header.strip_prefix("Bearer ")).unwrap_or_default();
    if bool::from(presented.as_bytes().ct_eq(api_token.as_bytes())) {
        return Ok(());
    }
    Err(Error::new(ErrorCode::Unauthenticated, "the bearer token is missing or wrong")
        .with_hint("send the header Authorization: Bearer <API_TOKEN>"))
}

/// Finds the session and the operation that a request means.
///
/// # Errors
/// `NOT_FOUND` for an unknown route; `INVALID_ARGUMENT` for a malformed body.
pub fn route(request: HttpRequest<'_>) -> Result<(SessionId, Operation)> {
    let segments: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    let ["v1", "sessions", session, rest @ ..] = segments.as_slice() else {
        return Err(no_route(&request));
    };
    let session = SessionId::parse(session)?;
    let operation = match (request.method, rest) {
        ("PUT", []) => operation("open", json!({ "config": body(&request)? })),
        ("GET", []) => operation("describe", json!({})),
        ("POST", ["close"]) => operation("close", body(&request)?),
        ("POST", ["start-fresh"]) => operation("startFresh", body(&request)?),
        ("GET", ["snapshots"]) => operation("list", list_query(&request)?),
        ("POST", ["snapshots"]) => operation("snapshot", controlled(body(&request)?)?),
        ("GET", ["snapshots", id]) => operation("get", snapshot_query(&request, id)?),
        ("DELETE", ["snapshots", id]) => operation("delete", snapshot_query(&request, id)?),
        ("POST", ["restore"]) => operation("restore", controlled(body(&request)?)?),
        ("POST", ["branch"]) => operation("branch", controlled(body(&request)?)?),
        ("GET", ["workspaces"]) => operation("listWorkspaces", json!({})),
        ("DELETE", ["workspaces", id]) => {
            let id = (*id).to_owned().try_into()?;
            operation("destroyWorkspace", json!({ "ref": WorkspaceRef::new(id) }))
        }
        ("GET", ["active-workspace"]) => operation("resolve", json!({})),
        ("PUT", ["active-workspace"]) => operation("switch", body(&request)?),
        ("GET", ["events"]) => operation("listEvents", list_query(&request)?),
        ("GET", ["tools"]) => operation("listTools", json!({})),
        ("POST", ["tools", name]) => {
            operation("callTool", json!({ "name": name, "input": body(&request)? }))
        }
        ("POST", ["operations", id, "cancel"]) => operation("cancel", json!({ "operationId": id })),
        #[cfg(feature = "test-hooks")]
        ("POST", ["test-panic"]) => operation("panic", json!({})),
        #[cfg(feature = "test-hooks")]
        ("POST", ["test-contracts"]) => operation("contracts", json!({})),
        _ => return Err(no_route(&request)),
    }?;
    Ok((session, operation))
}

fn operation(name: &str, args: Value) -> Result<Operation> {
    Operation::parse(name, args)
}

fn no_route(request: &HttpRequest<'_>) -> Error {
    Error::new(ErrorCode::NotFound, format!("no route for {} of this path", request.method))
        .with_hint("routes lie under /v1/sessions/{session}; the README lists them")
}

/// The JSON object of a body; an empty body is an empty object.
fn body(request: &HttpRequest<'_>) -> Result<Value> {
    if request.body.is_empty() {
        return Ok(json!({}));
    }
    match serde_json::from_slice(request.body) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err(Error::invalid("body", "must be a JSON object")),
        Err(error) => Err(Error::invalid("body", format!("is not JSON: {error}"))),
    }
}

/// Over HTTP a long call is named by `operationId` in its body.
fn controlled(mut body: Value) -> Result<Value> {
    if let Some(fields) = body.as_object_mut() {
        if fields.contains_key("control") {
            return Err(Error::invalid("control", "is not a field of this body; use operationId"));
        }
        if let Some(id) = fields.remove("operationId") {
            fields.insert("control".to_owned(), json!({ "operationId": id }));
        }
    }
    Ok(body)
}

fn list_query(request: &HttpRequest<'_>) -> Result<Value> {
    let mut args = Map::new();
    for (name, value) in request.query {
        let parsed = match name.as_str() {
            "limit" => json!(
                value
                    .parse::<u32>()
                    .map_err(|error| Error::invalid("limit", format!("is not a count: {error}")))?
            ),
            "cursor" => json!(value),
            "includeExpired" | "includeUnready" | "allowCrossSession" => flag(name, value)?,
            _ => return Err(Error::invalid("query", format!("has no parameter {name:?}"))),
        };
        args.insert(name.clone(), parsed);
    }
    Ok(Value::Object(args))
}

fn snapshot_query(request: &HttpRequest<'_>, id: &str) -> Result<Value> {
    let mut args = Map::from_iter([("ref".to_owned(), json!(id))]);
    for (name, value) in request.query {
        match name.as_str() {
            "allowCrossSession" => args.insert(name.clone(), flag(name, value)?),
            _ => return Err(Error::invalid("query", format!("has no parameter {name:?}"))),
        };
    }
    Ok(Value::Object(args))
}

fn flag(name: &str, value: &str) -> Result<Value> {
    match value {
        "true" => Ok(json!(true)),
        "false" => Ok(json!(false)),
        _ => Err(Error::invalid(name, "must be true or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(
        method: &str,
        path: &str,
        query: &[(&str, &str)],
        body: &str,
    ) -> Result<(SessionId, Operation)> {
        let segments: Vec<String> = path.split('/').skip(1).map(str::to_owned).collect();
        let query: Vec<(String, String)> =
            query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        route(HttpRequest { method, segments: &segments, query: &query, body: body.as_bytes() })
    }

    #[test]
    fn http_routes_format_unchanged() {
        let id = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";
        let target = r#"{"ref":"v1"}"#;
        let workspace = r#"{"ref":{"providerId":"cloudflare-sandbox","ref":{"id":"a"}}}"#;
        let mut shown = String::new();
        for (method, path, body) in [
            ("PUT", "/v1/sessions/a", "{}"),
            ("GET", "/v1/sessions/a", ""),
            ("POST", "/v1/sessions/a/close", ""),
            ("POST", "/v1/sessions/a/start-fresh", ""),
            ("GET", "/v1/sessions/a/snapshots", ""),
            (
                "POST",
                "/v1/sessions/a/snapshots",
                r#"{"name":"v1","ttlSeconds":61,"operationId":"x"}"#,
            ),
            ("GET", &format!("/v1/sessions/a/snapshots/{id}"), ""),
            ("DELETE", "/v1/sessions/a/snapshots/v1", ""),
            ("POST", "/v1/sessions/a/restore", target),
            ("POST", "/v1/sessions/a/branch", target),
            ("GET", "/v1/sessions/a/workspaces", ""),
            ("DELETE", "/v1/sessions/a/workspaces/a-branch-00000000", ""),
            ("GET", "/v1/sessions/a/active-workspace", ""),
            ("PUT", "/v1/sessions/a/active-workspace", workspace),
            ("GET", "/v1/sessions/a/events", ""),
            ("GET", "/v1/sessions/a/tools", ""),
            ("POST", "/v1/sessions/a/tools/workspace_run", r#"{"command":"ls"}"#),
            ("POST", "/v1/sessions/a/operations/x/cancel", ""),
        ] {
            let (session, operation) = parse(method, path, &[], body).unwrap();
            assert_eq!(session.as_str(), "a");
            shown += &format!("{method} {path} {}\n", serde_json::to_string(&operation).unwrap());
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write("tests/golden/http-routes.txt", &shown).unwrap();
        }
        assert_eq!(shown, include_str!("../../tests/golden/http-routes.txt"));
    }

    #[test]
    fn malformed_requests_say_what_is_wrong() {
        for (method, path, query, body, code, says) in [
            ("GET", "/", &[][..], "", ErrorCode::NotFound, "no route"),
            ("PATCH", "/v1/sessions/a", &[], "", ErrorCode::NotFound, "PATCH"),
            ("GET", "/v1/sessions/a b", &[], "", ErrorCode::InvalidArgument, "session"),
            ("GET", "/v1/sessions/..", &[], "", ErrorCode::InvalidArgument, "session"),
            ("PUT", "/v1/sessions/a", &[], "[]", ErrorCode::InvalidArgument, "object"),
            ("PUT", "/v1/sessions/a", &[], "{", ErrorCode::InvalidArgument, "not JSON"),
            (
                "PUT",
                "/v1/sessions/a",
                &[],
                r#"{"surprise":1}"#,
                ErrorCode::InvalidArgument,
                "surprise",
            ),
            (
                "POST",
                "/v1/sessions/a/snapshots",
                &[],
                r#"{"ttlSeconds":60}"#,
                ErrorCode::InvalidArgument,
                "61",
            ),
            (
                "POST",
                "/v1/sessions/a/snapshots",
                &[],
                r#"{"ttlSeconds":1e99}"#,
                ErrorCode::InvalidArgument,
                "u64",
            ),
            (
                "POST",
                "/v1/sessions/a/snapshots",
                &[],
                r#"{"control":{}}"#,
                ErrorCode::InvalidArgument,
                "control",
            ),
            ("POST", "/v1/sessions/a/restore", &[], "", ErrorCode::InvalidArgument, "ref"),
            (
                "GET",
                "/v1/sessions/a/snapshots",
                &[("limit", "-1")],
                "",
                ErrorCode::InvalidArgument,
                "limit",
            ),
            (
                "GET",
                "/v1/sessions/a/snapshots",
                &[("all", "1")],
                "",
                ErrorCode::InvalidArgument,
                "all",
            ),
            (
                "DELETE",
                "/v1/sessions/a/workspaces/UP",
                &[],
                "",
                ErrorCode::InvalidArgument,
                "uppercase",
            ),
        ] {
            let error = parse(method, path, query, body).unwrap_err();
            assert_eq!(error.code, code, "{method} {path}: {error}");
            assert!(error.message.contains(says), "{error} should say {says}");
        }
    }

    #[test]
    fn nothing_is_open_without_the_right_token() {
        let code = |header, token| authenticate(header, token).map_err(|error| error.code);
        assert_eq!(code(Some("Bearer "), None), Err(ErrorCode::NotConfigured));
        assert_eq!(code(Some("Bearer "), Some("")), Err(ErrorCode::NotConfigured));
        for wrong in [
            None,
            Some(""),
            Some("Bearer "),
            Some("Bearer t0ken"),
            Some("bearer token"),
            Some("token"),
        ] {
            assert_eq!(code(wrong, Some("token")), Err(ErrorCode::Unauthenticated));
        }
        assert_eq!(code(Some("Bearer token"), Some("token")), Ok(()));
    }

    #[test]
    fn error_statuses_format_unchanged() {
        let shown: Vec<String> =
            ErrorCode::ALL.iter().map(|code| format!("{code} {}\n", status(*code))).collect();
        assert_eq!(shown.concat(), include_str!("../../tests/golden/error-statuses.txt"));
    }
}
