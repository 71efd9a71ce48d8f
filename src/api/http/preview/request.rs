//! What of a request reaches a server in a container.

use crate::api::http::authenticate::{BEARER_SUBPROTOCOL, SUBPROTOCOL};
use crate::api::http::preview::cookie::without_own;
use crate::api::http::preview::{OWN_HEADERS, Way};
use crate::domain::session::preview::PreviewClaims;
use crate::domain::session::token::{Signed, TOKEN_PREFIX};

/// A request as a browser or a program sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The method.
    pub method: String,
    /// All headers. Names are in lower case.
    pub headers: Vec<(String, String)>,
}

impl Sent {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Whether another page than the preview's own made a request: then its cookie does not count. Other
/// previews are hosts of the same site, so the cookie's `SameSite` does not tell.
///
/// Following a link from elsewhere is allowed.
#[must_use]
pub fn is_foreign(sent: &Sent, own_origin: &str) -> bool {
    if let Some(origin) = sent.header("origin") {
        return origin != own_origin;
    }
    let is_visit = sent.method == "GET" && sent.header("sec-fetch-dest") == Some("document");
    let is_own = matches!(sent.header("sec-fetch-site"), None | Some("same-origin" | "none"));
    !is_own && !is_visit
}

/// The headers for the server. It sees a request to `localhost`, as in development: many servers
/// refuse other hosts and origins.
#[must_use]
pub fn request_headers(
    sent: &Sent,
    way: &Way,
    port: u16,
    api_token: Option<&str>,
) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    for (name, value) in &sent.headers {
        let kept = match (name.as_str(), way) {
            // Compression between us and the server would only cost time.
            ("host" | "accept-encoding", _) => None,
            // Of proxies: ours would be our credentials, and others' may be made up.
            ("x-real-ip" | "true-client-ip" | "forwarded" | "proxy-authorization", _) => None,
            (proxied, _)
                if ["cf-", "x-forwarded-", OWN_HEADERS]
                    .iter()
                    .any(|prefix| proxied.starts_with(prefix)) =>
            {
                None
            }
            ("authorization" | "cookie" | "origin" | "referer", Way::Path { .. }) => None,
            ("sec-websocket-protocol", Way::Path { .. }) => subprotocols(value),
            ("authorization", Way::Host { .. }) => {
                (!is_ours(value, api_token)).then(|| value.clone())
            }
            ("cookie", Way::Host { .. }) => without_own(value),
            ("origin" | "referer", Way::Host { origin }) => value
                .strip_prefix(origin.as_str())
                .map(|rest| format!("http://localhost:{port}{rest}")),
            _ => Some(value.clone()),
        };
        headers.extend(kept.map(|value| (name.clone(), value)));
    }
    let (origin, prefix) = match way {
        Way::Host { origin } => (origin, None),
        Way::Path { origin, prefix } => (origin, Some(prefix)),
    };
    if let Some((scheme, host)) = origin.split_once("://") {
        headers.push(("x-forwarded-proto".to_owned(), scheme.to_owned()));
        headers.push(("x-forwarded-host".to_owned(), host.to_owned()));
    }
    headers.extend(prefix.map(|prefix| ("x-forwarded-prefix".to_owned(), prefix.clone())));
    headers.push(("accept-encoding".to_owned(), "identity".to_owned()));
    headers
}

/// The subprotocols without ours. None: nothing is left.
fn subprotocols(offered: &str) -> Option<String> {
    let ours = |one: &&str| *one == SUBPROTOCOL || one.starts_with(BEARER_SUBPROTOCOL);
    let others: Vec<&str> = offered.split(',').map(str::trim).filter(|one| !ours(one)).collect();
    (!others.is_empty()).then(|| others.join(", "))
}

/// Whether an `Authorization` has a token of ours, valid or not.
fn is_ours(authorization: &str, api_token: Option<&str>) -> bool {
    let prefixes = [TOKEN_PREFIX, PreviewClaims::PREFIX];
    prefixes.iter().any(|prefix| authorization.contains(prefix))
        || api_token.is_some_and(|token| authorization.contains(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: &str = "https://5173--id.preview.example.com";

    fn sent(method: &str, headers: &[(&str, &str)]) -> Sent {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Sent { method: method.to_owned(), headers: headers.collect() }
    }

    fn host() -> Way {
        Way::Host { origin: ORIGIN.to_owned() }
    }

    fn path() -> Way {
        Way::Path {
            origin: "https://api.example.com".to_owned(),
            prefix: "/v1/sessions/s/ports/80".to_owned(),
        }
    }

    fn kept(headers: &[(&str, &str)], way: &Way) -> Vec<String> {
        let headers = request_headers(&sent("GET", headers), way, 5173, Some("operator-secret"));
        headers.iter().map(|(name, value)| format!("{name}: {value}")).collect()
    }

    #[test]
    fn no_credential_of_ours_reaches_a_server() {
        let cookie = "__Host-snapshotter-preview=spv1.a.b.c; sid=1";
        let headers = [
            ("host", "x"),
            ("cookie", cookie),
            ("authorization", "Bearer operator-secret"),
            ("sec-websocket-protocol", "snapshotter, bearer.abc, vite-hmr"),
            ("x-snapshotter-port", "{}"),
            ("cf-access-jwt-assertion", "j"),
            ("x-forwarded-host", "evil"),
            ("accept-encoding", "gzip"),
            ("origin", ORIGIN),
            ("referer", "https://5173--id.preview.example.com/a?b"),
            ("x-app", "1"),
        ];
        assert_eq!(
            kept(&headers, &host()),
            [
                "cookie: sid=1",
                "sec-websocket-protocol: snapshotter, bearer.abc, vite-hmr",
                "origin: http://localhost:5173",
                "referer: http://localhost:5173/a?b",
                "x-app: 1",
                "x-forwarded-proto: https",
                "x-forwarded-host: 5173--id.preview.example.com",
                "accept-encoding: identity",
            ]
        );
        assert_eq!(
            kept(&headers, &path()),
            [
                "sec-websocket-protocol: vite-hmr",
                "x-app: 1",
                "x-forwarded-proto: https",
                "x-forwarded-host: api.example.com",
                "x-forwarded-prefix: /v1/sessions/s/ports/80",
                "accept-encoding: identity",
            ]
        );
        for ours in ["Bearer sst1.k.c.m", "bearer  spv1.k.c.m", "Basic operator-secret"] {
            assert!(!kept(&[("authorization", ours)], &host()).join("").contains("authorization"));
        }
        let theirs = kept(&[("authorization", "Bearer theirs")], &host());
        assert_eq!(theirs.first().map(String::as_str), Some("authorization: Bearer theirs"));
    }

    #[test]
    fn only_its_own_pages_use_a_previews_cookie() {
        let own = [
            sent("GET", &[]),
            sent("POST", &[("origin", ORIGIN)]),
            sent("GET", &[("sec-fetch-site", "same-origin")]),
            sent("GET", &[("sec-fetch-site", "none"), ("sec-fetch-dest", "document")]),
            sent("GET", &[("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "document")]),
        ];
        for sent in own {
            assert!(!is_foreign(&sent, ORIGIN), "{sent:?}");
        }
        let foreign = [
            sent("POST", &[("origin", "https://5173--other.preview.example.com")]),
            sent("GET", &[("origin", "null"), ("upgrade", "websocket")]),
            sent("GET", &[("sec-fetch-site", "same-site"), ("sec-fetch-dest", "script")]),
            sent("GET", &[("sec-fetch-site", "same-site"), ("sec-fetch-dest", "iframe")]),
            sent("POST", &[("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "document")]),
        ];
        for sent in foreign {
            assert!(is_foreign(&sent, ORIGIN), "{sent:?}");
        }
    }
}
