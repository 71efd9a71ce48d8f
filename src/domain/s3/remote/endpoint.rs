//! Addresses of S3 services.

use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};

/// This machine, for tests: hosts that need no TLS.
const LOOPBACK: [&str; 2] = ["127.0.0.1", "localhost"];
/// For services without regions.
const REGION: &str = "us-east-1";

/// An S3 service's `https://` address, perhaps with a port, as the runtime's `URL` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Endpoint(String);

impl Endpoint {
    /// Parses an address.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` about `field`, with the reason.
    pub fn parse(field: &str, text: &str) -> Result<Self> {
        read(text).map(Self).map_err(|why| Error::invalid(field, why))
    }

    /// The address, without a trailing slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host, and the port if given.
    #[must_use]
    pub fn authority(&self) -> &str {
        self.0.split_once("://").map_or("", |(_, authority)| authority)
    }

    /// The region in the address, e.g. in `s3.eu-west-1.amazonaws.com`.
    #[must_use]
    pub fn region(&self) -> &str {
        let labels: Vec<&str> = self.authority().split('.').collect();
        match labels.as_slice() {
            ["s3", "dualstack", region, _, ..] | ["s3", region, _, ..] if region.contains('-') => {
                region
            }
            _ => REGION,
        }
    }
}

impl TryFrom<String> for Endpoint {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse("endpoint", &text)
    }
}

impl From<Endpoint> for String {
    fn from(endpoint: Endpoint) -> Self {
        endpoint.0
    }
}

fn read(text: &str) -> std::result::Result<String, &'static str> {
    const FORM: &str = "must be https:// and a host, without a path, and without the bucket";
    let text = text.strip_suffix('/').unwrap_or(text).to_ascii_lowercase();
    let (scheme, authority) = text.split_once("://").ok_or(FORM)?;
    let (host, port) =
        authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    if !host.split('.').all(is_label) {
        return Err(FORM);
    }
    let is_port = |port: &str| {
        port.bytes().all(|b| b.is_ascii_digit())
            && !port.starts_with('0')
            && port.parse::<u16>().is_ok()
    };
    if port.is_some_and(|port| !is_port(port)) {
        return Err(FORM);
    }
    let usual = match scheme {
        "https" => "443",
        "http" if LOOPBACK.contains(&host) => "80",
        "http" => return Err("must begin with https://"),
        _ => return Err(FORM),
    };
    Ok(match port.filter(|port| *port != usual) {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_one_form() {
        for (text, form) in [
            ("https://S3.Example.com/", "https://s3.example.com"),
            ("https://s3.example.com:443", "https://s3.example.com"),
            ("https://s3.example.com:9000", "https://s3.example.com:9000"),
            ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
            ("http://localhost:80", "http://localhost"),
        ] {
            assert_eq!(Endpoint::parse("f", text).unwrap().as_str(), form);
        }
        for text in [
            "",
            "s3.example.com",
            "ftp://s3.example.com",
            "http://s3.example.com",
            "http://169.254.169.254",
            "http://127.0.0.1.example.com",
            "https://s3.example.com/bucket",
            "https://s3.example.com?x",
            "https://s3.example.com#x",
            "https://user@s3.example.com",
            "https://s3.example.com:",
            "https://s3.example.com:0",
            "https://s3.example.com:99999",
            "https://s3.example.com:1:2",
            "https://a..b",
            "https://exämple.com",
            "https://",
        ] {
            assert!(Endpoint::parse("f", text).is_err(), "{text}");
        }
    }

    #[test]
    fn some_addresses_name_their_region() {
        let region = |text: &str| Endpoint::parse("f", text).unwrap().region().to_owned();
        assert_eq!(region("https://s3.us-west-2.amazonaws.com"), "us-west-2");
        assert_eq!(region("https://s3.dualstack.eu-west-1.amazonaws.com"), "eu-west-1");
        assert_eq!(region("https://s3.us-west-004.backblazeb2.com"), "us-west-004");
        assert_eq!(region("https://s3.amazonaws.com"), "us-east-1");
        assert_eq!(region("https://minio.example.com:9000"), "us-east-1");
    }
}
