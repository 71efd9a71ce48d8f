//! What of a server's answer reaches the browser.

use crate::api::http::preview::cookie::may_be_set;
use crate::api::http::preview::{OWN_HEADERS, Way};

/// Keeps a page that was fetched by path from the API's origin: it has an origin of its own, which the
/// API refuses, and no storage.
const SANDBOX: &str = "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads";

/// Headers that would act on the API's origin.
const OF_ORIGIN: [&str; 8] = [
    "set-cookie",
    "clear-site-data",
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
    for (name, value) in answered {
        let kept = match (name.as_str(), way) {
            ("alt-svc", _) => None,
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

/// Where a redirect leads, for the caller.
fn location(value: &str, way: &Way, port: u16) -> String {
    let local = [format!("http://localhost:{port}"), format!("http://127.0.0.1:{port}")];
    let on_server = local.iter().find_map(|origin| value.strip_prefix(origin.as_str()));
    let on_server = on_server.filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match way {
        Way::Host { origin } => {
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
        Way::Host { origin: "https://5173--id.p.example.com".to_owned() }
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
            ("clear-site-data", "*"),
            ("access-control-allow-origin", "*"),
            ("content-security-policy", "default-src 'self'"),
            ("etag", "1"),
        ];
        assert_eq!(
            kept(&headers, &host()),
            [
                "set-cookie: sid=1",
                "clear-site-data: *",
                "access-control-allow-origin: *",
                "content-security-policy: default-src 'self'",
                "etag: 1",
            ]
        );
        assert_eq!(
            kept(&headers, &path()),
            [
                "content-security-policy: default-src 'self'",
                "etag: 1",
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
