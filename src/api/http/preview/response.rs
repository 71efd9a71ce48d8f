//! The parts of a server's answer that reach the browser.

use crate::api::http::preview::cookie::may_be_set;
use crate::api::http::preview::request::is_hop_by_hop;
use crate::api::http::preview::{OWN_HEADERS, Way};
use crate::domain::session::embedding::FrameAncestor;

/// Keeps a page that was fetched by path out of the API's origin: the page has its own origin,
/// which the API refuses, and no storage.
const SANDBOX: &str = "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads";

/// Headers for caches on the way.
const OF_CACHES: [&str; 4] =
    ["cdn-cache-control", "cloudflare-cdn-cache-control", "surrogate-control", "cache-tag"];

/// Headers that would act on the API's origin.
const OF_ORIGIN: [&str; 7] = [
    "set-cookie",
    "service-worker-allowed",
    "strict-transport-security",
    "www-authenticate",
    "nel",
    "report-to",
    "reporting-endpoints",
];

/// The headers of a server's answer for its caller.
#[must_use]
pub fn response_headers(
    answered: &[(String, String)],
    way: &Way,
    port: u16,
) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    let value_of = |wanted: &str| answered.iter().find(|(name, _)| name == wanted);
    let connection = value_of("connection").map(|(_, value)| value.as_str());
    for (name, value) in answered {
        let kept = match (name.as_str(), way) {
            ("alt-svc", _) => None,
            // Browsers would delete the cookies of all hosts below the domain, also those of other
            // previews and the operator.
            ("clear-site-data", _) => None,
            (name, _) if is_hop_by_hop(name, connection, false) => None,
            // These are for caches on the way, which would answer strangers.
            (cache, _) if OF_CACHES.contains(&cache) => None,
            ("cache-control", _) => None,
            // `frame-ancestors` decides instead.
            ("x-frame-options", Way::Host { frame_ancestors, .. })
                if !frame_ancestors.is_empty() =>
            {
                None
            }
            (own, _) if own.starts_with(OWN_HEADERS) => None,
            ("location", _) => Some(location(value, way, port)),
            ("set-cookie", Way::Host { .. }) => may_be_set(value).then(|| value.clone()),
            (name, Way::Path { .. })
                if OF_ORIGIN.contains(&name) || name.starts_with("access-control-") =>
            {
                None
            }
            _ => Some(value.clone()),
        };
        headers.extend(kept.map(|value| (name.clone(), value)));
    }
    let cache_control = value_of("cache-control").map(|(_, value)| value.as_str());
    headers.push(("cache-control".to_owned(), private(cache_control)));
    if let Way::Host { frame_ancestors, .. } = way
        && !frame_ancestors.is_empty()
    {
        let origins: Vec<&str> = frame_ancestors.iter().map(FrameAncestor::as_str).collect();
        let policy = format!("frame-ancestors 'self' {}", origins.join(" "));
        headers.push(("content-security-policy".to_owned(), policy));
    }
    if let Way::Path { .. } = way {
        for (name, value) in [
            ("content-security-policy", SANDBOX),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            headers.push((name.to_owned(), value.to_owned()));
        }
    }
    headers
}

/// A server's `Cache-Control` without directives that let shared caches answer other callers, who
/// may have no link.
fn private(value: Option<&str>) -> String {
    let shared = |one: &str| {
        let name = one.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        name.is_empty()
            || ["public", "private", "s-maxage", "proxy-revalidate"].contains(&name.as_str())
    };
    let kept = value.unwrap_or_default().split(',').map(str::trim).filter(|one| !shared(one));
    std::iter::once("private").chain(kept).collect::<Vec<_>>().join(", ")
}

/// The target of a redirect, as the caller can reach it. Some servers name the address that they
/// listen on.
fn location(value: &str, way: &Way, port: u16) -> String {
    let local = ["localhost", "127.0.0.1", "0.0.0.0"].map(|host| format!("http://{host}:{port}"));
    let on_server = local.iter().find_map(|origin| value.strip_prefix(origin.as_str()));
    let on_server = on_server.filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match way {
        Way::Host { origin, .. } => {
            on_server.map_or_else(|| value.to_owned(), |rest| format!("{origin}{rest}"))
        }
        Way::Path { prefix, .. } => {
            let rooted = on_server.or_else(|| value.starts_with('/').then_some(value));
            rooted
                .filter(|rest| !rest.starts_with("//"))
                .map_or_else(|| value.to_owned(), |rest| format!("{prefix}{rest}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(headers: &[(&str, &str)], way: &Way) -> Vec<String> {
        let headers: Vec<(String, String)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let headers = response_headers(&headers, way, 5173);
        headers.iter().map(|(name, value)| format!("{name}: {value}")).collect()
    }

    fn host() -> Way {
        let origin = "https://5173--id.p.example.com".to_owned();
        Way::Host { origin, frame_ancestors: Vec::new() }
    }

    fn path() -> Way {
        Way::Path {
            origin: "https://api.example.com".to_owned(),
            prefix: "/v1/sessions/s/ports/5173".to_owned(),
        }
    }

    #[test]
    fn a_server_acts_on_its_own_host_only() {
        let headers = [
            ("set-cookie", "sid=1"),
            ("set-cookie", "wide=1; Domain=example.com"),
            ("x-snapshotter-port", "served"),
            ("clear-site-data", "\"cookies\""),
            ("access-control-allow-origin", "*"),
            ("content-security-policy", "default-src 'self'"),
            ("x-frame-options", "DENY"),
            ("connection", "close, x-hop"),
            ("x-hop", "1"),
            ("proxy-authenticate", "Basic"),
            ("cdn-cache-control", "max-age=600"),
            ("cache-control", "public, max-age=60, S-MaxAge=600"),
            ("etag", "1"),
        ];
        assert_eq!(
            kept(&headers, &host()),
            [
                "set-cookie: sid=1",
                "access-control-allow-origin: *",
                "content-security-policy: default-src 'self'",
                "x-frame-options: DENY",
                "etag: 1",
                "cache-control: private, max-age=60",
            ]
        );
        assert_eq!(
            kept(&headers, &path()),
            [
                "content-security-policy: default-src 'self'",
                "x-frame-options: DENY",
                "etag: 1",
                "cache-control: private, max-age=60",
                &format!("content-security-policy: {SANDBOX}"),
                "x-content-type-options: nosniff",
                "cross-origin-resource-policy: same-origin",
            ]
        );
        assert!(
            !SANDBOX.contains("allow-same-origin") && !SANDBOX.contains("allow-top-navigation")
        );
    }

    #[test]
    fn caches_on_the_way_keep_no_answer() {
        for (value, kept) in [
            (None, "private"),
            (Some(""), "private"),
            (Some("no-store"), "private, no-store"),
            (Some("private"), "private"),
            (Some("PUBLIC,max-age=1, immutable"), "private, max-age=1, immutable"),
            (Some("s-maxage = 9, proxy-revalidate"), "private"),
        ] {
            assert_eq!(private(value), kept, "{value:?}");
        }
    }

    #[test]
    fn only_listed_pages_embed_a_preview() {
        let origin = FrameAncestor::try_from("https://app.example.com".to_owned()).unwrap();
        let Way::Host { origin: own, .. } = host() else { unreachable!() };
        let way = Way::Host { origin: own, frame_ancestors: vec![origin] };
        let kept = kept(&[("x-frame-options", "SAMEORIGIN")], &way);
        let policy = "content-security-policy: frame-ancestors 'self' https://app.example.com";
        assert_eq!(kept, ["cache-control: private", policy]);
    }

    #[test]
    fn redirects_stay_on_the_server() {
        for (value, by_host, by_path) in [
            ("/login", "/login", "/v1/sessions/s/ports/5173/login"),
            ("next", "next", "next"),
            ("//evil.example", "//evil.example", "//evil.example"),
            (
                "http://localhost:5173/a?b",
                "https://5173--id.p.example.com/a?b",
                "/v1/sessions/s/ports/5173/a?b",
            ),
            (
                "http://127.0.0.1:5173",
                "https://5173--id.p.example.com",
                "/v1/sessions/s/ports/5173",
            ),
            (
                "http://0.0.0.0:5173/a",
                "https://5173--id.p.example.com/a",
                "/v1/sessions/s/ports/5173/a",
            ),
            ("http://localhost:51733/", "http://localhost:51733/", "http://localhost:51733/"),
            (
                "http://localhost:5173.evil/",
                "http://localhost:5173.evil/",
                "http://localhost:5173.evil/",
            ),
            (
                "https://elsewhere.example/",
                "https://elsewhere.example/",
                "https://elsewhere.example/",
            ),
        ] {
            assert_eq!(location(value, &host(), 5173), by_host, "{value}");
            assert_eq!(location(value, &path(), 5173), by_path, "{value}");
        }
    }
}
