//! Requests of web pages. They are refused, unless the page has our own origin or the operator
//! lists its origin.

use crate::domain::{Error, ErrorCode, Result};

/// Methods that routes have.
const METHODS: &str = "GET, POST, PUT, PATCH, DELETE";
/// Headers that a page may send, in addition to those that every page may send.
const REQUEST_HEADERS: &str = "authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, operation-id, prefer, range, snapshotter-tools";
/// Headers of answers that a page may read, in addition to those that every page may read.
const ANSWER_HEADERS: &str = "content-range, etag, location, mcp-session-id, preference-applied, retry-after, www-authenticate";

/// Whether a page may call, by its header `Origin`. Only browsers send this header; a request
/// without it needs no permission. Returns the page's origin if the answer needs CORS headers.
///
/// Pages of `own`, the origin of the request's URL, may call. The console is the only page there.
/// Being such a page gives no rights: browsers add no token to a request by themselves, as they
/// would add a cookie. Another site may name a host like ours, or point its own host name to us,
/// but it can only send requests without a token.
///
/// # Errors
/// `FORBIDDEN` for an origin that does not equal `own` or one in `allowed`, byte for byte.
pub fn check_origin<'a>(origin: &'a str, own: &str, allowed: &[String]) -> Result<Option<&'a str>> {
    if origin == own {
        return Ok(None);
    }
    if allowed.iter().any(|listed| listed == origin) {
        return Ok(Some(origin));
    }
    Err(Error::new(ErrorCode::Forbidden, "requests of web pages of other origins are refused")
        .with_hint("ask the operator to list the page's origin in the variable ALLOWED_ORIGINS"))
}

/// Headers that let the page read the answer.
#[must_use]
pub fn origin_headers(origin: &str) -> [(&'static str, String); 3] {
    [
        ("access-control-allow-origin", origin.to_owned()),
        ("access-control-expose-headers", ANSWER_HEADERS.to_owned()),
        ("vary", "origin".to_owned()),
    ]
}

/// Headers of the answer to a preflight request from an allowed origin.
#[must_use]
pub fn preflight_headers() -> [(&'static str, String); 3] {
    [
        ("access-control-allow-methods", METHODS.to_owned()),
        ("access-control-allow-headers", REQUEST_HEADERS.to_owned()),
        ("access-control-max-age", "600".to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::http::table::routes;
    use crate::api::schema::openapi;
    use serde_json::Value;

    /// Collects every value of this name, anywhere in a document.
    fn all<'a>(document: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
        match document {
            Value::Object(fields) => {
                found.extend(fields.get(name));
                fields.values().for_each(|value| all(value, name, found));
            }
            Value::Array(items) => items.iter().for_each(|item| all(item, name, found)),
            _ => {}
        }
    }

    #[cfg(schemas)]
    #[test]
    fn pages_may_send_and_read_all_that_is_published() {
        let document = openapi::document();
        let (mut parameters, mut headers) = (Vec::new(), Vec::new());
        all(&document, "parameters", &mut parameters);
        all(&document, "headers", &mut headers);
        let sent = parameters.into_iter().filter_map(Value::as_array).flatten();
        let sent = sent.filter(|parameter| parameter["in"] == "header");
        let sent: Vec<&str> = sent.filter_map(|header| header["name"].as_str()).collect();
        let read = headers.into_iter().filter_map(Value::as_object).flat_map(|set| set.keys());
        let read: Vec<&str> = read.map(String::as_str).collect();
        assert!(sent.contains(&"Prefer") && read.contains(&"ETag"), "{sent:?} {read:?}");
        let lists = |list: &str, name: &str| list.split(", ").any(|listed| listed == name);
        for (list, names) in [(REQUEST_HEADERS, sent), (ANSWER_HEADERS, read)] {
            for name in names {
                assert!(lists(list, &name.to_ascii_lowercase()), "{name}");
            }
        }
        for route in routes() {
            assert!(lists(METHODS, route.verb.as_str()), "{}", route.id);
        }
    }

    #[test]
    fn only_our_own_and_listed_origins_may_call() {
        let allowed = ["https://app.example.com".to_owned(), "http://localhost:3000".to_owned()];
        let own = "https://snapshotter.example.com";
        assert_eq!(check_origin(own, own, &[]), Ok(None));
        assert_eq!(check_origin(&allowed[1], own, &allowed), Ok(Some(allowed[1].as_str())));
        for origin in [
            "",
            "null",
            "*",
            "https://app.example.com.evil.com",
            "https://app.example.com:8443",
            "http://app.example.com",
            "https://APP.example.com",
            "https://app.example.com/",
            "https://app.example.com, https://evil.com",
            "http://snapshotter.example.com",
            "https://snapshotter.example.com:8443",
            "https://snapshotter.example.com.evil.com",
            "https://Snapshotter.example.com",
            "https://snapshotter.example.com/",
        ] {
            let error = check_origin(origin, own, &allowed).unwrap_err();
            assert_eq!(error.code, ErrorCode::Forbidden, "{origin}");
            assert!(check_origin(origin, own, &[]).is_err());
        }
    }
}
