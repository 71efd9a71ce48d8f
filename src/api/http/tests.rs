//! Tests of requests, and of the published formats. The file is long because it has a
//! request for each route.

use super::*;
use crate::api::operation::Operation;
use crate::api::tools;
use crate::domain::session::token::{Claims, TokenKeys};
use crate::domain::{Caller, Error, ErrorCode, Result, Scope, Scopes, SessionId, TokenId};
use serde_json::{Value, json};

fn parse(
    method: &str,
    path: &str,
    query: &[(&str, &str)],
    body: &str,
) -> Result<(SessionId, Forwarded)> {
    let segments: Vec<String> = path.split('/').skip(1).map(str::to_owned).collect();
    let query: Vec<(String, String)> =
        query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let Found::Route(matched) = find(method, &segments) else {
        return Err(Error::new(ErrorCode::NotFound, "no route"));
    };
    let header = |name: &str| match name {
        "operation-id" => Some("x".to_owned()),
        "content-length" => Some("5".to_owned()),
        _ => None,
    };
    let asked = Asked { matched: &matched, query: &query, header: &header, body: body.as_bytes() };
    Ok((matched.session()?, asked.forwarded()?))
}

#[test]
fn a_key_is_refused_where_it_would_do_nothing() {
    let ask = |method: &str, path: &str, body: &str| {
        let segments: Vec<String> = path.split('/').skip(1).map(str::to_owned).collect();
        let Found::Route(matched) = find(method, &segments) else { panic!("no route {path}") };
        let header = |name: &str| (name == "idempotency-key").then(|| "k".to_owned());
        let body = body.as_bytes();
        Asked { matched: &matched, query: &[], header: &header, body }.forwarded()
    };
    let key = |forwarded: Forwarded| forwarded.invocation.control.idempotency_key;
    assert!(key(ask("POST", "/v1/sessions/a/snapshots", "{}").unwrap()).is_some());
    assert!(key(ask("PUT", "/v1/sessions/a", "{}").unwrap()).is_none(), "it can be repeated");
    for path in ["commands", "start-fresh", "close", "rebuild", "operations/x/cancel"] {
        let refused = ask("POST", &format!("/v1/sessions/a/{path}"), r#"{"command":["ls"]}"#);
        assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidArgument, "{path}");
    }
}

#[test]
fn a_body_is_refused_where_nothing_looks_at_it() {
    for (method, path) in [
        ("POST", "retention"),
        ("POST", "close"),
        ("POST", "start-fresh"),
        ("DELETE", "workspaces/a-branch-00000000"),
        ("GET", "snapshots"),
    ] {
        let ask = |body| parse(method, &format!("/v1/sessions/a/{path}"), &[], body);
        for body in ["", " { }\n", "null"] {
            assert!(ask(body).is_ok(), "{path} {body}");
        }
        for body in [r#"{"dryRun":true}"#, "[]", "x"] {
            let refused = ask(body).unwrap_err();
            assert_eq!(refused.code, ErrorCode::InvalidArgument, "{path} {body}");
            assert!(refused.message.starts_with("body: "), "{refused}");
        }
    }
}

#[test]
fn an_upload_and_its_parts_have_plain_names() {
    let ask = |upload: &str, part: &str| {
        parse("PUT", &format!("/v1/sessions/a/archive/uploads/{upload}/{part}"), &[], "")
    };
    assert!(ask("a-B_9", "1000").is_ok());
    for part in ["0", "1001", "01", "+1", "-1", "1.0", "1e2", " 1", "", "99999999999", "done", ".."]
    {
        let refused = ask("u", part).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument, "{part}");
        assert!(refused.message.starts_with("part: "), "{refused}");
    }
    for upload in ["", "..", ".", "a b", "a*", "$(id)", "é", "a\n", "a;b", &"a".repeat(65)] {
        let refused = ask(upload, "1").unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument, "{upload}");
        assert!(refused.message.starts_with("upload: "), "{refused}");
    }
}

/// A request for a route that needs no query, with the route's example as its body.
fn plain_request(route: &'static Route) -> (&'static str, String, String) {
    let mut path = String::new();
    for segment in route.path.split('/').skip(1) {
        path += "/";
        path += match segment {
            "{snapshot}" => "v1",
            "{token}" | "{preview}" => "00000000000000000000000000",
            "{context}" => "0123456789abcdefghjkmnpqrs",
            "{part}" => "1",
            parameter if parameter.starts_with('{') => "a",
            segment => segment,
        };
    }
    (route.verb.as_str(), path, route.example.unwrap_or_default().to_owned())
}

#[test]
fn http_routes_format_unchanged() {
    let id = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";
    let workspace = r#"{"ref":{"providerId":"cloudflare-sandbox","ref":{"id":"a"}}}"#;
    let mut shown = String::new();
    let requests = [
        ("PUT", "/v1/sessions/a", "{}"),
        ("DELETE", "/v1/sessions/a?force=true", ""),
        ("POST", "/v1/sessions/a/rewind", &format!(r#"{{"ref":"v1","expectedHead":"{id}"}}"#)),
        ("POST", "/v1/sessions/a/snapshots", r#"{"name":"v1","ttlSeconds":61}"#),
        ("POST", "/v1/sessions/a/turns", r#"{"cursor":{"message":7},"label":"answered"}"#),
        ("GET", "/v1/sessions/a/turns?limit=5", ""),
        ("POST", "/v1/sessions/a/rewind", r#"{"ref":{"turn":3}}"#),
        ("POST", "/v1/sessions/a/undo", r#"{"turns":2}"#),
        ("GET", &format!("/v1/sessions/a/snapshots/{id}"), ""),
        ("GET", "/v1/sessions/a/snapshots/v1/files/content?path=a", ""),
        ("GET", "/v1/sessions/a/snapshots/v1/files/lines?pattern=a&limit=5", ""),
        ("POST", "/v1/sessions/a/diff", r#"{"from":{"snapshot":"v1"},"output":"patch"}"#),
        ("POST", "/v1/sessions/a/compare", r#"{"command":"make test"}"#),
        ("POST", "/v1/sessions/a/script", r#"{"code":"return 1"}"#),
        ("POST", "/v1/sessions/a/promote", r#"{"from":{"workspace":"b"},"onConflict":"ours"}"#),
        ("POST", "/v1/sessions/a/copy", r#"{"ref":"v1","paths":["src"]}"#),
        ("POST", "/v1/sessions/a/workspaces/a/copy", r#"{"paths":["src"],"workspace":"b"}"#),
        (
            "PATCH",
            "/v1/sessions/a/snapshots/v1",
            r#"{"labels":{"a":"1"},"clear":["name","labels.b"],"pinned":true}"#,
        ),
        ("POST", "/v1/sessions/a/snapshots/v1/backup?allowCrossSession=true", ""),
        ("POST", "/v1/sessions/a/imports?name=v2&format=oci-layer&ttlSeconds=61", ""),
        (
            "POST",
            "/v1/sessions/a/imports/backup",
            &format!(r#"{{"id":"{id}","allowCrossSession":true}}"#),
        ),
        ("POST", "/v1/sessions/a/workspaces", r#"{"from":"v1","kind":"restored"}"#),
        ("POST", "/v1/sessions/a/workspaces", r#"{"from":"v1","kind":"branch"}"#),
        ("POST", "/v1/sessions/a/workspaces", r#"{"from":"v1","kind":"branch","switch":true}"#),
        ("POST", "/v1/sessions/a/forks", r#"{"count":2}"#),
        ("POST", "/v1/sessions/a/rebuild", r#"{"limit":2}"#),
        ("POST", "/v1/sessions/a/processes", r#"{"name":"web","command":"npm start","cwd":"app"}"#),
        ("GET", "/v1/sessions/a/processes/web/log?offset=5&waitMs=1000", ""),
        ("POST", "/v1/sessions/a/code-contexts", r#"{"language":"python","memoryMib":256}"#),
        (
            "POST",
            "/v1/sessions/a/code-contexts/0123456789abcdefghjkmnpqrs/run",
            r#"{"code":"x + 1","timeoutMs":1000}"#,
        ),
        ("PUT", "/v1/sessions/a/active-workspace", workspace),
        ("POST", "/v1/sessions/a/tools/workspace_run", r#"{"command":"ls"}"#),
        ("PUT", "/v1/sessions/a/archive", ""),
        ("PUT", "/v1/sessions/a/archive?path=x&workspace=b", ""),
        ("PUT", "/v1/sessions/a/archive/uploads/u/1", ""),
        ("PUT", "/v1/sessions/a/archive/uploads/u/1?workspace=b", ""),
        ("POST", "/v1/sessions/a/archive/uploads/u", r#"{"parts":1}"#),
        ("POST", "/v1/sessions/a/commands", r#"{"command":["ls"],"cwd":"src"}"#),
        ("GET", "/v1/sessions/a/terminal?cols=100&rows=30", ""),
        ("GET", "/v1/sessions/a/watch?path=src&exclude=.git", ""),
        ("POST", "/v1/sessions/a/tokens", r#"{"scopes":["read"],"ttlSeconds":60}"#),
        ("POST", "/v1/sessions/a/previews", r#"{"port":5173,"ttlSeconds":60,"workspace":"a"}"#),
        (
            "POST",
            "/v1/sessions/a/previews",
            r#"{"port":80,"frameAncestors":["https://app.example.com"]}"#,
        ),
        ("POST", "/v1/sessions/a/tickets", r#"{"path":"/terminal"}"#),
    ]
    .map(|(method, path, body)| (method, path.to_owned(), body.to_owned()));
    let is_asked = |route: &Route| {
        requests.iter().any(|(method, path, _)| {
            let path = path.split('?').next().unwrap_or_default();
            let segments: Vec<String> = path.split('/').skip(1).map(str::to_owned).collect();
            *method == route.verb.as_str() && route.captures(&segments).is_some()
        })
    };
    let others = routes().filter(|route| matches!(route.serve, Serve::Session(_)));
    let others = others.filter(|route| !is_asked(route)).map(plain_request);
    for (method, path, body) in requests.clone().into_iter().chain(others) {
        let (route, query) = path.split_once('?').unwrap_or((&path, ""));
        let query: Vec<(&str, &str)> =
            query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let (session, forwarded) = parse(method, route, &query, &body).unwrap();
        assert_eq!(session.as_str(), "a");
        shown += &format!("{method} {path} {}\n", serde_json::to_string(&forwarded).unwrap());
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write("tests/golden/http-routes.txt", &shown).unwrap();
    }
    assert_eq!(shown, include_str!("../../../tests/golden/http-routes.txt"));
}

#[test]
fn malformed_requests_say_what_is_wrong() {
    for (method, path, query, body, code, says) in [
        ("GET", "/v1", &[][..], "", ErrorCode::NotFound, "no route"),
        ("GET", "/v1/sessions/a b", &[], "", ErrorCode::InvalidArgument, "session"),
        ("GET", "/v1/sessions/..", &[], "", ErrorCode::InvalidArgument, "session"),
        ("PUT", "/v1/sessions/a", &[], "[]", ErrorCode::InvalidArgument, "object"),
        (
            "POST",
            "/v1/sessions/a/code-contexts/0123456789abcdefghjkmnpqrs/run",
            &[],
            r#"{"context":"0123456789abcdefghjkmnpqrs","code":"1"}"#,
            ErrorCode::InvalidArgument,
            "which the path names",
        ),
        (
            "POST",
            "/v1/sessions/a/code-contexts/0123456789abcdefghjkmnpqrs/run",
            &[],
            r#"{"code":"1","timeoutMs":"a"}"#,
            ErrorCode::InvalidArgument,
            "timeoutMs",
        ),
        (
            "POST",
            "/v1/sessions/a/code-contexts/none/run",
            &[],
            r#"{"code":"1"}"#,
            ErrorCode::InvalidArgument,
            "context",
        ),
        ("PUT", "/v1/sessions/a", &[], "{", ErrorCode::InvalidArgument, "not JSON"),
        ("PUT", "/v1/sessions/a", &[], r#"{"surprise":1}"#, ErrorCode::InvalidArgument, "surprise"),
        (
            "GET",
            "/v1/sessions/a/archive",
            &[("workspace", "B")],
            "",
            ErrorCode::InvalidArgument,
            "workspace",
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
            "ttlSeconds: invalid type",
        ),
        (
            "POST",
            "/v1/sessions/a/snapshots",
            &[],
            r#"{"control":{}}"#,
            ErrorCode::InvalidArgument,
            "control",
        ),
        ("POST", "/v1/sessions/a/workspaces", &[], "", ErrorCode::InvalidArgument, "from"),
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
            &[("limit", "0")],
            "",
            ErrorCode::InvalidArgument,
            "limit",
        ),
        ("GET", "/v1/sessions/a/snapshots", &[("all", "1")], "", ErrorCode::InvalidArgument, "all"),
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
fn a_browser_is_led_to_the_console_and_others_get_json() {
    for page in ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8", "*/*, TEXT/HTML ;q=0.5"]
    {
        let answer = Answer::about(Some(page));
        assert_eq!(answer.status, 303, "{page}");
        let headers = [("vary", "Accept".to_owned()), ("location", "/console".to_owned())];
        assert_eq!(answer.headers, headers);
    }
    for other in [None, Some("*/*"), Some("application/json"), Some("text/html;q=0")] {
        let answer = Answer::about(other);
        assert_eq!((answer.status, answer.headers.len()), (200, 1), "{other:?}");
        assert_eq!(answer.body["name"], "snapshotter");
    }
}

#[test]
fn a_path_names_a_workspace_as_a_body_does() {
    let named = |workspace: &str| {
        let path = format!("/v1/sessions/a/workspaces/{workspace}/pause");
        serde_json::to_value(parse("POST", &path, &[], "").unwrap().1).unwrap()
    };
    assert_eq!(named("workspace:a-b"), named("a-b"));
}

#[test]
fn every_surface_names_what_is_wrong_alike() {
    let told = |error: Error| (error.message, error.details);
    let post = |path: &str, body: &Value| {
        let path = format!("/v1/sessions/a/{path}");
        told(parse("POST", &path, &[], &body.to_string()).unwrap_err())
    };
    let rpc = |op: &str, args: &Value| told(Operation::parse(op, args.clone()).unwrap_err());
    let tool = |name: &str, input: &Value| told(tools::check_input(name, input).unwrap_err());
    for (sent, field, problem) in [
        (json!({ "name": 5 }), "name", "invalid type: integer `5`, expected a string"),
        (json!({ "labels": { "tests": 5 } }), "labels.tests", "expected a string"),
        (json!({ "labels": { "": "x" } }), "labels", "a key must be"),
        (json!({ "ttlSeconds": 60 }), "ttlSeconds", "must be 61 to"),
        (json!({ "surprise": 1 }), "surprise", "unknown field"),
    ] {
        let (message, details) = post("snapshots", &sent);
        assert!(
            message.starts_with(&format!("{field}: ")) && message.contains(problem),
            "{message}"
        );
        assert_eq!(details, Some(json!({ "field": field })));
        let told = (message, details);
        assert_eq!(rpc("snapshot", &sent), told);
        if field != "surprise" {
            assert_eq!(tool("workspace_snapshot", &sent), told);
        }
    }
    let command = post("commands", &json!({ "command": 5 }));
    assert_eq!(command.0, "command: must be a string, or an array of strings");
    assert_eq!(rpc("execStream", &json!({ "command": 5 })), command);
    assert_eq!(tool("workspace_run", &json!({ "command": 5 })), command);
    for (sent, field) in [(json!({}), "ref"), (json!({ "ref": "UP" }), "ref")] {
        let told = rpc("switch", &sent);
        assert_eq!(told.1, Some(json!({ "field": field })));
        assert_eq!(tool("workspace_switch", &sent), told);
    }
    // RPC wraps the configuration in a field; HTTP does not.
    let config = json!({ "workspaceDir": "relative" });
    let opened = told(parse("PUT", "/v1/sessions/a", &[], &config.to_string()).unwrap_err());
    assert_eq!(opened.0, "workspaceDir: must be absolute");
    assert_eq!(rpc("open", &json!({ "config": config })), opened);
    let edit = json!({ "labels": { "a": 5 } });
    let edited = rpc("updateSnapshot", &json!({ "ref": "v1", "edit": edit }));
    assert_eq!(edited.1, Some(json!({ "field": "labels.a" })));
    assert_eq!(
        tool("workspace_update_snapshot", &json!({ "ref": "v1", "labels": { "a": 5 } })),
        edited
    );
    let revoked = parse("DELETE", "/v1/sessions/a/tokens/x", &[], "").unwrap_err();
    assert_eq!(revoked.details, Some(json!({ "field": "token" })));
    assert_eq!(
        rpc("revokeToken", &json!({ "tokenId": "x" })).1,
        Some(json!({ "field": "tokenId" }))
    );
    assert_eq!(rpc("fly", &json!({})).1, Some(json!({ "field": "op" })));
    assert_eq!(rpc("open", &json!(5)).1, Some(json!({ "field": "arguments" })));
}

#[test]
fn what_may_be_given_more_than_once_is_a_list() {
    let query = [("labels", "env=ci"), ("name", "v1"), ("labels", "tests")];
    let (_, forwarded) = parse("GET", "/v1/sessions/a/snapshots", &query, "").unwrap();
    let shown = serde_json::to_value(&forwarded.invocation.operation).unwrap();
    assert_eq!(shown["args"]["labels"], serde_json::json!(["env=ci", "tests"]));
    let twice = parse("GET", "/v1/sessions/a/snapshots", &[("name", "a"), ("name", "b")], "");
    assert!(twice.unwrap_err().message.contains("twice"));
}

#[test]
fn a_path_without_the_method_says_which_it_has() {
    let segments = ["v1", "sessions", "a"].map(str::to_owned);
    let Found::OtherMethods(verbs) = find("PATCH", &segments) else { panic!("found") };
    let answer = Answer::other_methods(&verbs);
    assert_eq!(answer.status, 405);
    assert_eq!(answer.headers, [("allow", "PUT, GET, DELETE".to_owned())]);
    assert_eq!(answer.body["error"]["code"], "NOT_FOUND");
}

#[test]
fn what_is_created_says_where_it_is() {
    let made = Ok(serde_json::json!({ "snapshot": { "id": "b" } }));
    let session = SessionId::parse("a").unwrap();
    let answer = Answer::by_route(Some("takeSnapshot"), &session, made);
    assert_eq!(answer.status, 201);
    assert_eq!(answer.headers, [("location", "/v1/sessions/a/snapshots/b".to_owned())]);
    let refused = Err(Error::new(ErrorCode::Conflict, "taken"));
    assert_eq!(Answer::by_route(Some("takeSnapshot"), &session, refused).status, 409);
}

#[test]
fn if_match_says_which_workspace_must_be_active() {
    let session = ["v1", "sessions", "a", "snapshots"].map(str::to_owned);
    let Found::Route(matched) = find("POST", &session) else { panic!("no route") };
    let expected = |tag: &'static str| {
        let header = move |name: &str| (name == "if-match").then(|| tag.to_owned());
        let asked = Asked { matched: &matched, query: &[], header: &header, body: b"" };
        let forwarded = asked.forwarded().map_err(|error| error.code)?;
        let args = serde_json::to_value(&forwarded.invocation.operation).unwrap();
        Ok(args["args"]["expectedActive"]["ref"]["id"].as_str().map(str::to_owned))
    };
    assert_eq!(expected("\"a-branch-00000000\""), Ok(Some("a-branch-00000000".to_owned())));
    assert_eq!(expected("*"), Ok(None));
    for bad in ["", "a", "W/\"a\"", "\"a\", \"b\"", "\"UP\""] {
        assert_eq!(expected(bad), Err(ErrorCode::InvalidArgument), "{bad}");
    }
    let shown = Ok(serde_json::json!({ "ref": { "ref": { "id": "a" } } }));
    let session = SessionId::parse("a").unwrap();
    let answer = Answer::by_route(Some("getActiveWorkspace"), &session, shown);
    assert_eq!(answer.headers, [("etag", "\"a\"".to_owned())]);
}

#[test]
fn nothing_is_open_without_the_right_token() {
    let code = |header, token: Option<&str>| {
        let secrets = Secrets { api_token: token.map(str::to_owned), token_keys: None };
        authenticate(header, &secrets, 0).map_err(|error| error.code)
    };
    assert_eq!(code(Some("Bearer "), None), Err(ErrorCode::NotConfigured));
    assert_eq!(code(Some("Bearer "), Some("")), Err(ErrorCode::NotConfigured));
    for wrong in
        [None, Some(""), Some("Bearer "), Some("Bearer t0ken"), Some("Basic token"), Some("token")]
    {
        assert_eq!(code(wrong, Some("token")), Err(ErrorCode::Unauthenticated));
    }
    for right in ["Bearer token", "bearer token", "BEARER token"] {
        assert_eq!(code(Some(right), Some("token")), Ok(Identity::Operator));
    }
}

#[test]
fn a_session_token_is_its_holder_in_its_session_alone() {
    let secrets = Secrets {
        api_token: Some("token".to_owned()),
        token_keys: Some("k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".to_owned()),
    };
    let own = SessionId::parse("own").unwrap();
    let claims = Claims {
        session: own.clone(),
        id: TokenId::from_random([7; 16]),
        scopes: Scopes::from_iter([Scope::Read]),
        expires_at_ms: 10,
    };
    let keys = TokenKeys::parse(secrets.token_keys.as_deref().unwrap()).unwrap();
    let header = format!("Bearer {}", keys.sign(&claims).unwrap());
    let identity = authenticate(Some(&header), &secrets, 9).unwrap();
    let caller = Caller::Token { id: claims.id, scopes: claims.scopes };
    assert_eq!(identity.clone().in_session(&own), Ok(caller));
    let other = identity.in_session(&SessionId::parse("other").unwrap()).unwrap_err();
    assert_eq!(other.code, ErrorCode::Forbidden);
    let expired = authenticate(Some(&header), &secrets, 10).unwrap_err();
    let forged = authenticate(Some("Bearer sst1.k1.e30.AAAA"), &secrets, 9).unwrap_err();
    let wrong = authenticate(Some("Bearer nothing"), &secrets, 9).unwrap_err();
    assert_eq!((&expired, &forged), (&wrong, &wrong), "the same words");
    let without = Secrets { token_keys: None, ..secrets.clone() };
    assert_eq!(authenticate(Some(&header), &without, 9).unwrap_err(), wrong);
    let malformed = Secrets { token_keys: Some("k1:short".to_owned()), ..secrets };
    let error = authenticate(Some(&header), &malformed, 9).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotConfigured);
    assert_eq!(authenticate(Some("Bearer token"), &malformed, 9), Ok(Identity::Operator));
}

#[test]
fn error_statuses_format_unchanged() {
    let shown: Vec<String> =
        ErrorCode::ALL.iter().map(|code| format!("{code} {}\n", status(*code))).collect();
    assert_eq!(shown.concat(), include_str!("../../../tests/golden/error-statuses.txt"));
}
