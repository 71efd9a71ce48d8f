//! The server's address.

use crate::error::Error;
use std::fmt;
use std::net::IpAddr;
use ureq::http::Uri;

/// The address of a Snapshotter, without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    is_loopback: bool,
}

impl BaseUrl {
    /// Reads an address. Without TLS, the host must be this machine, to keep the token secret.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |why: &str| Error::Usage(format!("{text:?} is not a usable URL: {why}"));
        let uri: Uri = text.parse().map_err(|_| wrong("it can't be read"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(wrong("it has to begin with https://"));
        };
        if authority.as_str().contains('@') {
            return Err(wrong("it has a user name or password in it"));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(wrong("it has a query or fragment"));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let is_loopback = host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        match scheme {
            "https" => {}
            "http" if is_loopback => {}
            "http" => return Err(wrong("without https:// others could read the token")),
            _ => return Err(wrong("it has to begin with https://")),
        }
        Ok(Self { text: text.trim_end_matches('/').to_owned(), is_loopback })
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the host is this machine itself.
    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// Whether the connection is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.text.starts_with("https:")
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::BaseUrl;

    #[test]
    fn a_token_goes_over_plain_http_only_to_this_machine() {
        for good in [
            "https://snapshotter.example.com",
            "https://example.com/below/",
            "http://127.0.0.1:8787",
            "http://localhost:8787",
            "http://[::1]:8787/",
        ] {
            let url = BaseUrl::parse(good).unwrap();
            assert_eq!(url.as_str(), good.trim_end_matches('/'));
        }
        for bad in [
            "http://example.com",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "http://localhost@example.com",
            "http://user:pw@127.0.0.1",
            "https://example.com/?x=1",
            "https://example.com/#x",
            "ftp://127.0.0.1",
            "example.com",
            "",
        ] {
            assert!(BaseUrl::parse(bad).is_err(), "{bad}");
        }
    }
}
