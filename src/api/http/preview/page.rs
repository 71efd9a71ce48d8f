//! The preview host's own pages: one that opens a link, and one for a server that can't be reached.

use crate::api::words::Surface;
use crate::domain::{Error, ErrorCode};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest, Sha256};

/// Exchanges the fragment of a link for a code, and redirects to the preview's host with it.
const OPEN: &str = r#"
const said = document.querySelector("p");
fetch(location.pathname, { method: "POST", body: location.hash.slice(1) }).then(async (answer) => {
  const { url, error } = await answer.json();
  if (answer.ok) return location.replace(url);
  said.textContent = error.message;
}).catch(() => { said.textContent = "The preview does not answer. Load this page again."; });
"#;

/// Redirects a link of an earlier version to the host that exchanges links.
const MOVED: &str = r#"
const [label, ...host] = location.host.split(".");
location.replace(`${location.protocol}//open.${host.join(".")}/${label}${location.hash}`);
"#;

/// A page, with its headers.
pub struct Page {
    /// The document.
    pub html: String,
    /// The page's Content-Security-Policy.
    policy: String,
}

impl Page {
    fn new(head: &str, body: &str, script: Option<&str>) -> Self {
        let source = script.map_or_else(String::new, |script| {
            let hash = BASE64.encode(Sha256::digest(script));
            format!("; script-src 'sha256-{hash}'; connect-src 'self'")
        });
        let script = script.map(|script| format!("<script>{script}</script>")).unwrap_or_default();
        Self {
            html: format!(
                "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
                 <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
                 {head}<title>Preview</title><main>{body}</main>{script}</html>"
            ),
            // Other sites may frame this page: it has nothing to click on.
            policy: format!("default-src 'none'; base-uri 'none'; form-action 'none'{source}"),
        }
    }

    /// The page's headers.
    #[must_use]
    pub fn headers(&self) -> [(&'static str, &str); 5] {
        [
            ("content-type", "text/html; charset=utf-8"),
            ("content-security-policy", &self.policy),
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
        ]
    }
}

/// The page that opens a link.
#[must_use]
pub fn link_page() -> Page {
    Page::new("", "<h1>Opening the preview</h1><p role=\"status\">One moment …</p>", Some(OPEN))
}

/// The page for a link of an earlier version.
#[must_use]
pub fn moved_page() -> Page {
    Page::new("", "<h1>Opening the preview</h1><p role=\"status\">One moment …</p>", Some(MOVED))
}

/// Seconds after which the page checks again whether a server listens.
const AGAIN_SECONDS: u32 = 5;

/// A page with an error.
#[must_use]
pub fn refused_page(error: &Error) -> Page {
    let again = if error.code == ErrorCode::Conflict {
        format!("<meta http-equiv=\"refresh\" content=\"{AGAIN_SECONDS}\">")
    } else {
        String::new()
    };
    let hint = Surface::Http.error(error.clone()).hint;
    let hint = hint.map(|hint| format!("<p>{}</p>", escaped(&hint)));
    let body = format!(
        "<h1>This preview can’t be shown</h1><p>{}</p>{}",
        escaped(&error.message),
        hint.unwrap_or_default()
    );
    Page::new(&again, &body, None)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_what_is_wrong_and_runs_nothing() {
        let error =
            Error::new(ErrorCode::Conflict, "no <script>alert(1)</script>").with_hint("\"&");
        let page = refused_page(&error).html;
        assert!(page.contains("no &lt;script&gt;") && page.contains("&quot;&amp;"), "{page}");
        assert!(page.contains("refresh"));
        assert!(!refused_page(&Error::new(ErrorCode::NotFound, "gone")).html.contains("refresh"));
    }
}
