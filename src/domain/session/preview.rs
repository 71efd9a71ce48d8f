//! Previews: links to servers in a workspace's container. Each has a host of its own,
//! `<port>--<preview id>.<PREVIEW_HOST>`, so that its pages reach neither the API nor another
//! preview. Its link carries signed [`PreviewClaims`].

use crate::domain::limits::PREVIEW_PORTS_MAX;
use crate::domain::session::embedding::FrameAncestor;
use crate::domain::session::token::Signed;
use crate::domain::{Error, ErrorCode, PreviewId, Result, SessionId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// The host that exchanges links. It runs no sessions' code, so none of their pages sees one.
const LINK_LABEL: &str = "open";
/// Path on a preview's host that sets the cookie for a code. Links of earlier versions lead here.
pub const CODE_PATH: &str = "/.snapshotter/";

/// The content of a preview's link. Port and workspace are in the session's catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreviewClaims {
    /// The session that shares the preview.
    #[serde(rename = "s")]
    pub session: SessionId,
    /// The preview's id, for revoking it.
    #[serde(rename = "p")]
    pub preview: PreviewId,
    /// Expiry time, in milliseconds since the epoch.
    #[serde(rename = "e")]
    pub expires_at_ms: i64,
    /// Origins of pages that may embed the preview.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    pub frame_ancestors: Vec<FrameAncestor>,
}

impl Signed for PreviewClaims {
    const PREFIX: &str = "spv1.";

    fn expires_at_ms(&self) -> i64 {
        self.expires_at_ms
    }
}

/// Whether a host exchanges links.
#[must_use]
pub fn is_link_host(host: &str, preview_host: &str) -> bool {
    let parts = host.split_once('.');
    parts.is_some_and(|(label, rest)| {
        label.eq_ignore_ascii_case(LINK_LABEL) && rest.eq_ignore_ascii_case(preview_host)
    })
}

/// The first label of a preview's host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewLabel {
    /// The port in the container.
    pub port: u16,
    /// The preview's id.
    pub preview: PreviewId,
}

impl fmt::Display for PreviewLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}--{}", self.port, self.preview)
    }
}

impl PreviewLabel {
    /// Parses the label of a host below `preview_host`, if it is. Both may have a port.
    ///
    /// # Errors
    /// `NOT_FOUND` if the label is not a preview's.
    pub fn of_host(host: &str, preview_host: &str) -> Option<Result<Self>> {
        let below = host.len().checked_sub(preview_host.len())?;
        let (label, rest) = (host.get(..below)?, host.get(below..)?);
        let label = label.strip_suffix('.').filter(|_| rest.eq_ignore_ascii_case(preview_host))?;
        Some(Self::parse(label).ok_or_else(no_preview))
    }

    /// Parses the path of a link.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub fn of_link(path: &str) -> Result<Self> {
        path.strip_prefix('/').and_then(Self::parse).ok_or_else(no_preview)
    }

    fn parse(label: &str) -> Option<Self> {
        // Browsers send host names in lower case, in which they are equal.
        let label = label.to_ascii_lowercase();
        let (port, preview) = label.split_once("--")?;
        let parsed = Self { port: port.parse().ok()?, preview: PreviewId::parse(preview).ok()? };
        // A preview must have exactly one origin.
        (parsed.port != 0 && parsed.to_string() == label).then_some(parsed)
    }

    /// The link to the preview. Its claims are in the fragment, which browsers do not send, because
    /// addresses are logged on the way.
    #[must_use]
    pub fn link(&self, preview_host: &str, signed: &str) -> String {
        let scheme = scheme_of(preview_host);
        format!("{scheme}://{LINK_LABEL}.{preview_host}/{self}#{signed}")
    }

    /// The address that sets the cookie for a signed code.
    #[must_use]
    pub fn code_url(&self, preview_host: &str, code: &str) -> String {
        format!("{}://{self}.{preview_host}{CODE_PATH}?{code}", scheme_of(preview_host))
    }
}

/// Checks `PREVIEW_HOST`. With a scheme or a path, it would match no request.
///
/// # Errors
/// `NOT_CONFIGURED`.
pub fn check_preview_host(host: &str) -> Result<()> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
    if host.chars().all(is_part) && !host.starts_with('.') {
        return Ok(());
    }
    Err(Error::new(ErrorCode::NotConfigured, "the variable PREVIEW_HOST is not a host name")
        .with_hint(
            "set it to a host name alone, such as preview.example.com; see docs/previews.md",
        ))
}

fn scheme_of(preview_host: &str) -> &'static str {
    if is_local(preview_host) { "http" } else { "https" }
}

/// This machine has no certificate.
pub(super) fn is_local(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    name == "localhost" || name.ends_with(".localhost")
}

/// The error for a preview that does not exist, has expired or was revoked.
#[must_use]
pub fn no_preview() -> Error {
    Error::new(ErrorCode::NotFound, "there is no such preview: it was revoked or has expired")
        .with_hint("ask for a new link")
}

/// Refuses a port for which the session does not allow previews.
///
/// # Errors
/// `FORBIDDEN`.
pub fn check_port(port: u16, allowed: &BTreeSet<u16>) -> Result<()> {
    if allowed.contains(&port) {
        return Ok(());
    }
    let message = format!("the session allows no previews of port {port}");
    Err(Error::new(ErrorCode::Forbidden, message).with_hint(
        "use a port that previewPorts lists, or a session whose first open lists this one",
    ))
}

pub(crate) fn check_preview_ports(asked: Option<&BTreeSet<u16>>) -> Result<BTreeSet<u16>> {
    let ports = asked.cloned().unwrap_or_default();
    if ports.contains(&0) {
        return Err(Error::invalid("previewPorts", "must be 1 to 65535 each"));
    }
    if ports.len() > PREVIEW_PORTS_MAX {
        return Err(Error::invalid("previewPorts", format!("are more than {PREVIEW_PORTS_MAX}")));
    }
    Ok(ports)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Scopes;
    use crate::domain::limits::FRAME_ANCESTORS_MAX_BYTES;
    use crate::domain::session::embedding::check_frame_ancestors;
    use crate::domain::session::token::{Claims, TokenKeys};
    use proptest::prelude::*;

    const ID: &str = "0w3ge1r70w3ge1r70w3ge1r70w";

    fn label(host: &str) -> Option<Result<PreviewLabel>> {
        PreviewLabel::of_host(host, "preview.example.com")
    }

    #[test]
    fn a_host_has_one_spelling() {
        let found = label(&format!("5173--{ID}.preview.example.com")).unwrap().unwrap();
        assert_eq!((found.port, found.preview.as_str()), (5173, ID));
        let upper = format!("5173--{ID}.PREVIEW.example.com").to_uppercase();
        assert_eq!(label(&upper).unwrap(), Ok(found));
        for other in [
            format!("05173--{ID}"),
            format!("+5173--{ID}"),
            format!("0--{ID}"),
            format!("65536--{ID}"),
            format!("5173-{ID}"),
            format!("5173--{ID}x"),
            format!("a.5173--{ID}"),
            "5173--".to_owned(),
            "api".to_owned(),
            String::new(),
        ] {
            let found = label(&format!("{other}.preview.example.com"));
            assert!(matches!(found, Some(Err(_))), "{other}");
        }
        for elsewhere in [
            "preview.example.com",
            "xpreview.example.com",
            "example.com",
            "",
            "api.example.com",
            "é",
        ] {
            assert_eq!(label(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn a_link_is_encrypted_except_on_this_machine() {
        let label = PreviewLabel { port: 80, preview: PreviewId::parse(ID).unwrap() };
        for (host, url) in [
            ("p.example.com", "https://open.p.example.com/80--ID#text"),
            ("p.localhost:8787", "http://open.p.localhost:8787/80--ID#text"),
            ("localhost", "http://open.localhost/80--ID#text"),
            ("notlocalhost", "https://open.notlocalhost/80--ID#text"),
        ] {
            assert_eq!(label.link(host, "text"), url.replace("ID", ID));
        }
        let code = "https://80--ID.p.example.com/.snapshotter/?code".replace("ID", ID);
        assert_eq!(label.code_url("p.example.com", "code"), code);
    }

    #[test]
    fn links_have_a_host_of_their_own() {
        let host = "p.localhost:8787";
        assert!(is_link_host("open.p.localhost:8787", host));
        assert!(is_link_host("OPEN.p.LOCALHOST:8787", host));
        for other in [
            "open.p.localhost",
            "xopen.p.localhost:8787",
            "p.localhost:8787",
            "open.x.p.localhost:8787",
        ] {
            assert!(!is_link_host(other, host), "{other}");
        }
        let found = PreviewLabel::of_link(&format!("/80--{ID}")).unwrap();
        assert_eq!((found.port, found.preview.as_str()), (80, ID));
        for path in ["", "/", "80--", "/.snapshotter/", "/sw.js"] {
            assert!(PreviewLabel::of_link(path).is_err(), "{path}");
        }
        assert!(matches!(PreviewLabel::of_host("open.p.localhost:8787", host), Some(Err(_))));
    }

    #[test]
    fn a_link_format_unchanged() {
        let claims = |frame_ancestors| PreviewClaims {
            session: SessionId::parse("sess").unwrap(),
            preview: PreviewId::parse(ID).unwrap(),
            expires_at_ms: 10,
            frame_ancestors,
        };
        let text = serde_json::to_string(&claims(Vec::new())).unwrap();
        assert_eq!(text, format!(r#"{{"s":"sess","p":"{ID}","e":10}}"#));
        let list = vec![FrameAncestor::try_from("https://a.example".to_owned()).unwrap()];
        let text = serde_json::to_string(&claims(list)).unwrap();
        assert_eq!(text, format!(r#"{{"s":"sess","p":"{ID}","e":10,"f":["https://a.example"]}}"#));
    }

    #[test]
    fn the_longest_link_and_code_are_read() {
        let origin = format!("https://{}.example", "a".repeat(FRAME_ANCESTORS_MAX_BYTES - 16));
        let link = PreviewClaims {
            session: SessionId::parse(&"s".repeat(128)).unwrap(),
            preview: PreviewId::parse(ID).unwrap(),
            expires_at_ms: 9_999_999_999_999,
            frame_ancestors: vec![FrameAncestor::try_from(origin).unwrap()],
        };
        assert_eq!(check_frame_ancestors(&link.frame_ancestors), Ok(()));
        let key = "k123456789012345:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        let keys = TokenKeys::parse(key).unwrap();
        let id = crate::domain::ids::TicketId::parse(ID).unwrap();
        let code =
            crate::domain::session::ticket::Code { id, link, expires_at_ms: 9_999_999_999_999 };
        assert_eq!(keys.verify(&keys.sign(&code.link).unwrap(), 0), Some(code.link.clone()));
        assert_eq!(keys.verify(&keys.sign(&code).unwrap(), 0), Some(code));
    }

    #[test]
    fn a_preview_host_is_a_name_alone() {
        for host in ["preview.example.com", "localhost:8787", "example-preview.com"] {
            assert_eq!(check_preview_host(host), Ok(()));
        }
        for host in
            ["https://preview.example.com", "preview.example.com/", "*.example.com", ".example.com"]
        {
            assert_eq!(
                check_preview_host(host).unwrap_err().code,
                ErrorCode::NotConfigured,
                "{host}"
            );
        }
    }

    #[test]
    fn a_link_is_no_session_token_and_a_token_no_link() {
        let keys = TokenKeys::parse("k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").unwrap();
        let session = SessionId::parse("sess").unwrap();
        let claims = PreviewClaims {
            session: session.clone(),
            preview: PreviewId::parse(ID).unwrap(),
            expires_at_ms: 10,
            frame_ancestors: Vec::new(),
        };
        let link = keys.sign(&claims).unwrap();
        assert_eq!(keys.verify(&link, 9), Some(claims));
        assert_eq!(keys.verify::<PreviewClaims>(&link, 10), None);
        assert_eq!(keys.verify::<Claims>(&link, 9), None);
        assert_eq!(keys.verify::<Claims>(&link.replace("spv1.", "sst1."), 9), None);
        let id = crate::domain::ids::TokenId::parse(ID).unwrap();
        let claims = Claims { session, id, scopes: Scopes::default(), expires_at_ms: 10 };
        let token = keys.sign(&claims).unwrap();
        assert_eq!(keys.verify::<PreviewClaims>(&token, 9), None);
        assert_eq!(keys.verify::<PreviewClaims>(&token.replace("sst1.", "spv1."), 9), None);
    }

    proptest! {
        #[test]
        fn any_host_is_read_without_a_panic(host in "\\PC{0,80}") {
            let _ = label(&host);
            let _ = label(&format!("{host}.preview.example.com"));
        }
    }
}
