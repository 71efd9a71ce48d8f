//! Pages that may embed a preview.

use crate::domain::limits::{FRAME_ANCESTORS_MAX, FRAME_ANCESTORS_MAX_BYTES};
use crate::domain::session::preview::is_local;
use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};

/// The origin of a page that may embed a preview, as browsers write it: `https://app.example.com`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FrameAncestor(String);

impl FrameAncestor {
    /// The origin.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FrameAncestor {
    type Error = Error;

    /// Refuses text with another meaning in a `Content-Security-Policy`, such as `*` and paths.
    fn try_from(text: String) -> Result<Self> {
        let authority = text.strip_prefix("https://").or_else(|| {
            // Only pages on this machine have no certificate.
            text.strip_prefix("http://").filter(|host| is_local(host))
        });
        let authority = authority.unwrap_or_default();
        let (name, port) = authority.split_once(':').unwrap_or((authority, "443"));
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c);
        let is_name = !name.is_empty() && name.chars().all(is_part) && !name.starts_with('.');
        if is_name && !port.starts_with('+') && port.parse::<u16>().is_ok_and(|port| port != 0) {
            return Ok(Self(text));
        }
        Err(Error::invalid(
            "frameAncestors",
            "must be origins, as https://app.example.com or http://localhost:3000",
        ))
    }
}

impl From<FrameAncestor> for String {
    fn from(origin: FrameAncestor) -> Self {
        origin.0
    }
}

/// Limits a preview's list of origins, because its link contains them.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub fn check_frame_ancestors(origins: &[FrameAncestor]) -> Result<()> {
    let bytes: usize = origins.iter().map(|origin| origin.as_str().len()).sum();
    if origins.len() <= FRAME_ANCESTORS_MAX && bytes <= FRAME_ANCESTORS_MAX_BYTES {
        return Ok(());
    }
    Err(Error::invalid(
        "frameAncestors",
        format!(
            "must be at most {FRAME_ANCESTORS_MAX} origins of {FRAME_ANCESTORS_MAX_BYTES} bytes together"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_origin_may_embed_a_preview() {
        let read = |text: &str| FrameAncestor::try_from(text.to_owned());
        for origin in [
            "https://app.example.com",
            "https://app.example.com:8443",
            "http://localhost:3000",
            "http://a.localhost",
        ] {
            assert_eq!(read(origin).unwrap().as_str(), origin);
        }
        for other in [
            "",
            "*",
            "https:",
            "https://",
            "https://*",
            "https://*.example.com",
            "http://app.example.com",
            "app.example.com",
            "https://a.example/",
            "https://a.example b.example",
            "https://a.example;script-src *",
            "https://a,b",
            "'self'",
            "https://a:b",
            "https://a:0",
            "https://a:+1",
            "https://a:1:2",
            "https://.a",
            "https://A.example",
            "http://localhost.evil.example",
        ] {
            assert!(read(other).is_err(), "{other}");
        }
        let many = |count: usize, origin: &str| vec![read(origin).unwrap(); count];
        assert!(check_frame_ancestors(&many(FRAME_ANCESTORS_MAX, "https://a.example")).is_ok());
        assert!(
            check_frame_ancestors(&many(FRAME_ANCESTORS_MAX + 1, "https://a.example")).is_err()
        );
        let long = format!("https://{}.example", "a".repeat(FRAME_ANCESTORS_MAX_BYTES));
        assert!(check_frame_ancestors(&many(1, &long)).is_err());
    }
}
