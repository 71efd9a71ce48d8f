//! The parts of a request that reach a server in a container.

use crate::api::http::authenticate::is_own_subprotocol;
use crate::api::http::preview::cookie::without_own;
use crate::api::http::preview::{OWN_HEADERS, Way};
use crate::domain::session::preview::PreviewClaims;
use crate::domain::session::token::{Signed, TOKEN_PREFIX};
use crate::domain::{Error, ErrorCode, Result};

/// A request as a browser or a program sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The method.
    pub method: String,
    /// All headers, with names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Sent {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Refuses the script of a service worker, which would see later requests to our origin.
    ///
    /// # Errors
    /// `FORBIDDEN`.
    pub fn check_no_service_worker(&self) -> Result<()> {
        match self.header("service-worker") {
            None => Ok(()),
            Some(_) => Err(Error::new(ErrorCode::Forbidden, "this origin has no service workers")
                .with_hint("a preview by host may have one")),
        }
    }
}

/// Whether a page other than the preview's own made a request: its cookie then does not count. The
/// cookie's `SameSite` can't tell, because all previews are hosts of the same site.
///
/// Following a link from elsewhere is allowed, and so is showing the page in a frame if
/// `is_embeddable`. The answer's `frame-ancestors` decides which pages may show it in a frame.
#[must_use]
pub fn is_foreign(sent: &Sent, own_origin: &str, is_embeddable: bool) -> bool {
    let site = sent.header("sec-fetch-site");
    match sent.header("origin") {
        // A page that sends no referrer has this origin. No page can set `sec-fetch-site`.
        Some("null") if site == Some("same-origin") => return false,
        Some(origin) => return origin != own_origin,
        None => {}
    }
    let is_shown = match sent.header("sec-fetch-dest") {
        Some("document") => true,
        Some("iframe") => is_embeddable,
        _ => false,
    };
    let is_own = matches!(site, None | Some("same-origin" | "none"));
    let is_visit = is_shown && sent.method == "GET";
    !is_own && !is_visit
}

/// Headers between two neighbours on the way (RFC 9110, section 7.6.1), or between us and the
/// sender.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
];

/// Whether a header ends here. `connection` is the value of the message's `Connection` header,
/// which may name further headers. A WebSocket needs both `Connection` and `Upgrade`.
pub(super) fn is_hop_by_hop(name: &str, connection: Option<&str>, opens_socket: bool) -> bool {
    if opens_socket && matches!(name, "connection" | "upgrade") {
        return false;
    }
    let mut named = connection.unwrap_or_default().split(',').map(str::trim);
    HOP_BY_HOP.contains(&name)
        || name == "upgrade"
        || named.any(|one| one.eq_ignore_ascii_case(name))
}

/// The header with the origin that the browser shows.
const PREVIEW_ORIGIN: &str = "x-preview-origin";

/// The headers for the server. The server sees a request to `localhost`, as in development, because
/// many servers refuse other hosts and origins. No other header may contradict this: Next.js,
/// Django and Rails compare `Origin` with `X-Forwarded-Host` or `Host`.
#[must_use]
pub fn request_headers(
    sent: &Sent,
    way: &Way,
    port: u16,
    api_token: Option<&str>,
) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    let connection = sent.header("connection");
    let opens_socket =
        sent.header("upgrade").is_some_and(|to| to.eq_ignore_ascii_case("websocket"));
    for (name, value) in &sent.headers {
        let kept = match (name.as_str(), way) {
            (name, _) if is_hop_by_hop(name, connection, opens_socket) => None,
            // Compression between us and the server would only cost time.
            ("host" | "accept-encoding" | PREVIEW_ORIGIN, _) => None,
            // These are headers of proxies: ours would be our credentials, and others may be made
            // up.
            ("x-real-ip" | "true-client-ip" | "forwarded", _) => None,
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
            ("origin" | "referer", Way::Host { origin, .. }) => value
                .strip_prefix(origin.as_str())
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))
                .map(|rest| format!("http://localhost:{port}{rest}")),
            _ => Some(value.clone()),
        };
        headers.extend(kept.map(|value| (name.clone(), value)));
    }
    let (origin, prefix) = match way {
        Way::Host { origin, .. } => (origin, None),
        Way::Path { origin, prefix } => (origin, Some(prefix)),
    };
    headers.push((PREVIEW_ORIGIN.to_owned(), origin.clone()));
    headers.extend(prefix.map(|prefix| ("x-forwarded-prefix".to_owned(), prefix.clone())));
    headers.push(("accept-encoding".to_owned(), "identity".to_owned()));
    headers
}

/// The subprotocols without ours. None if nothing is left.
fn subprotocols(offered: &str) -> Option<String> {
    let others = offered.split(',').map(str::trim).filter(|one| !is_own_subprotocol(one));
    let others: Vec<&str> = others.collect();
    (!others.is_empty()).then(|| others.join(", "))
}

/// Whether an `Authorization` header has one of our tokens, valid or not.
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
        Way::Host { origin: ORIGIN.to_owned(), frame_ancestors: Vec::new() }
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
            ("sec-websocket-protocol", "snapshotter, bearer.abc, ticket.abc, vite-hmr"),
            ("x-snapshotter-port", "{}"),
            ("x-preview-origin", "https://evil.example"),
            ("x-forwarded-proto", "ftp"),
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
                "sec-websocket-protocol: snapshotter, bearer.abc, ticket.abc, vite-hmr",
                "origin: http://localhost:5173",
                "referer: http://localhost:5173/a?b",
                "x-app: 1",
                "x-preview-origin: https://5173--id.preview.example.com",
                "accept-encoding: identity",
            ]
        );
        assert_eq!(
            kept(&headers, &path()),
            [
                "sec-websocket-protocol: vite-hmr",
                "x-app: 1",
                "x-preview-origin: https://api.example.com",
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
    fn the_referrer_of_another_host_is_kept_back() {
        for (referer, kept_one) in [
            ("https://5173--id.preview.example.com", true),
            ("https://5173--id.preview.example.com/a", true),
            ("https://5173--id.preview.example.com.evil.example/a", false),
            ("https://5173--id.preview.example.com:8443/a", false),
            ("https://5173--id.preview.example.com@evil.example/", false),
        ] {
            let kept = kept(&[("referer", referer)], &host()).join("\n");
            assert_eq!(
                kept.contains("referer: http://localhost:5173"),
                kept_one,
                "{referer}: {kept}"
            );
            assert!(!kept.contains("evil"), "{kept}");
        }
    }

    #[test]
    fn headers_of_a_connection_end_here() {
        let hops = [
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("expect", "100-continue"),
            ("upgrade", "h2c"),
            ("proxy-authorization", "Basic eA=="),
            ("keep-alive", "timeout=5"),
            ("x-app", "1"),
        ];
        let names = |headers: &[(&str, &str)]| {
            let kept = kept(headers, &host());
            kept.into_iter()
                .filter(|it| !it.starts_with("accept-") && !it.starts_with("x-prev"))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&hops), ["x-app: 1"]);
        let socket = [("connection", "Upgrade, x-hop"), ("upgrade", "WebSocket"), ("x-hop", "1")];
        assert_eq!(names(&socket), ["connection: Upgrade, x-hop", "upgrade: WebSocket"]);
    }

    #[test]
    fn only_its_own_pages_use_a_previews_cookie() {
        let own = [
            sent("GET", &[]),
            sent("POST", &[("origin", ORIGIN)]),
            sent("GET", &[("sec-fetch-site", "same-origin")]),
            sent("GET", &[("sec-fetch-site", "none"), ("sec-fetch-dest", "document")]),
            sent("GET", &[("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "document")]),
            sent("POST", &[("origin", "null"), ("sec-fetch-site", "same-origin")]),
        ];
        for sent in own {
            assert!(!is_foreign(&sent, ORIGIN, false), "{sent:?}");
            assert!(!is_foreign(&sent, ORIGIN, true), "{sent:?}");
        }
        let embeds = sent("GET", &[("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "iframe")]);
        assert!(is_foreign(&embeds, ORIGIN, false) && !is_foreign(&embeds, ORIGIN, true));
        let foreign = [
            sent("POST", &[("origin", "https://5173--other.preview.example.com")]),
            sent("GET", &[("origin", "null"), ("upgrade", "websocket")]),
            sent("GET", &[("sec-fetch-site", "same-site"), ("sec-fetch-dest", "script")]),
            sent("POST", &[("origin", "null"), ("sec-fetch-site", "cross-site")]),
            sent("POST", &[("origin", "null"), ("sec-fetch-site", "same-site")]),
            sent("POST", &[("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "document")]),
            sent("POST", &[("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "iframe")]),
            sent("GET", &[("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "image")]),
        ];
        for sent in foreign {
            assert!(is_foreign(&sent, ORIGIN, false), "{sent:?}");
            assert!(is_foreign(&sent, ORIGIN, true), "{sent:?}");
        }
    }
}
