//! Hosts in policies.

use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};
use std::net::Ipv4Addr;

const NAME_MAX_BYTES: usize = 253;
const LABEL_MAX_BYTES: usize = 63;
const RESERVED: [&str; 9] =
    ["localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "arpa"];

/// A public host in lowercase, such as `api.example.com`, or all below one: `*.example.com`.
/// Private names are refused, so that a policy can't open the platform's own network by accident.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostPattern(String);

impl HostPattern {
    /// Parses and normalizes a pattern.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` about `field`, with the reason.
    pub fn parse(field: &str, text: &str) -> Result<Self> {
        read(text).map(Self).map_err(|why| Error::invalid(field, format!("{text:?} {why}")))
    }

    /// The pattern's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the pattern matches a host in its canonical form.
    #[must_use]
    pub fn matches(&self, host: &str) -> bool {
        self.suffix().map_or(self.0 == host, |suffix| {
            host.strip_suffix(suffix).is_some_and(|below| !below.is_empty())
        })
    }

    /// Whether this pattern matches every host that `other` matches.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        match (self.suffix(), other.suffix()) {
            (Some(own), Some(other)) => other.ends_with(own),
            (None, Some(_)) => false,
            (_, None) => self.matches(&other.0),
        }
    }

    /// Whether some host matches both patterns.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.covers(other) || other.covers(self)
    }

    /// The common end of all matching names, with its leading dot.
    fn suffix(&self) -> Option<&str> {
        self.0.strip_prefix('*')
    }
}

impl TryFrom<String> for HostPattern {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse("host", &text)
    }
}

impl From<HostPattern> for String {
    fn from(pattern: HostPattern) -> Self {
        pattern.0
    }
}

/// The canonical form of a request's host, if policies may name it.
#[must_use]
pub fn public_host(text: &str) -> Option<String> {
    read(text).ok().filter(|host| !host.starts_with('*'))
}

fn read(text: &str) -> std::result::Result<String, &'static str> {
    if !text.is_ascii() {
        return Err("has characters other than ASCII: write the name in Punycode, as xn--…");
    }
    let name = text.to_ascii_lowercase();
    let name = name.strip_suffix('.').unwrap_or(&name);
    let below = name.strip_prefix("*.");
    let host = below.unwrap_or(name);
    if host.contains(['/', ':', '@', '[', '?', '#']) {
        return Err(
            "must be a host alone, without scheme, port, path or user; only ports 80 and 443 are reached",
        );
    }
    if host.contains('*') {
        return Err("may have an asterisk only as its first label, as in *.example.com");
    }
    let labels: Vec<&str> = host.split('.').collect();
    let well_formed = |label: &&str| {
        (1..=LABEL_MAX_BYTES).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    if name.len() > NAME_MAX_BYTES || !labels.iter().all(well_formed) {
        return Err("is not a host name");
    }
    let last = labels.last().copied().unwrap_or_default();
    // The URL standard parses such a name as an address.
    let is_number = last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x");
    if is_number {
        return match host.parse::<Ipv4Addr>() {
            Ok(address) if below.is_none() && is_public(address) => Ok(name.to_owned()),
            Ok(_) => Err("is not a public address"),
            Err(_) => Err("is not an IPv4 address in its usual form"),
        };
    }
    if labels.len() < 2 || RESERVED.contains(&last) {
        return Err("is not a public name");
    }
    Ok(name.to_owned())
}

fn is_public(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19))
        // The placeholder address of intercepted names.
        || (a == 11 && b == 0 && c == 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ErrorCode;
    use proptest::prelude::*;

    fn pattern(text: &str) -> HostPattern {
        HostPattern::parse("hosts", text).unwrap()
    }

    #[test]
    fn patterns_have_one_form() {
        for (text, form) in [
            ("API.Example.com.", "api.example.com"),
            ("*.Example.com", "*.example.com"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("_dmarc.example.com", "_dmarc.example.com"),
            ("1.1.1.1", "1.1.1.1"),
        ] {
            assert_eq!(pattern(text).as_str(), form);
        }
    }

    #[test]
    fn private_hosts_tricks_and_what_is_no_host_are_refused() {
        for text in [
            "",
            ".",
            "*",
            "*.",
            "*.com",
            "com",
            "a..b",
            "-a.example.com",
            "a*.example.com",
            "*.*.com",
            "https://example.com",
            "example.com:443",
            "example.com/x",
            "user@example.com",
            "ex ample.com",
            "bücher.example",
            "еxample.com",
            "a%2eexample.com",
            "exa\0mple.com",
            "exa\nmple.com",
            "localhost",
            "a.localhost",
            "x.local",
            "r2.internal",
            "metadata.google.internal",
            "1.in-addr.arpa",
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "198.18.0.1",
            "192.0.0.1",
            "11.0.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.0.0.1",
            "0177.0.0.1",
            "1.1.1.01",
            "1.1.257",
            "1.1",
            "example.0x1",
            "[::1]",
            "::1",
            "[::ffff:1.1.1.1]",
            "::ffff:7f00:1",
            "*.1.1.1.1",
        ] {
            let error = HostPattern::parse("hosts", text).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{text}");
            assert!(error.message.starts_with("hosts: "), "{error}");
            assert_eq!(public_host(text), None, "{text}");
        }
        assert!(HostPattern::parse("hosts", &"a.".repeat(200)).is_err());
        assert_eq!(public_host("*.example.com"), None);
    }

    #[test]
    fn a_pattern_matches_whole_names() {
        let (exact, below) = (pattern("example.com"), pattern("*.example.com"));
        for (host, is_exact, is_below) in [
            ("example.com", true, false),
            ("a.example.com", false, true),
            ("a.b.example.com", false, true),
            ("notexample.com", false, false),
            ("example.com.evil.org", false, false),
            (".example.com", false, false),
        ] {
            assert_eq!((exact.matches(host), below.matches(host)), (is_exact, is_below), "{host}");
        }
        assert!(
            below.covers(&pattern("a.example.com")) && below.covers(&pattern("*.a.example.com"))
        );
        assert!(below.covers(&below) && exact.covers(&exact));
        assert!(!below.covers(&exact) && !exact.covers(&below));
        assert!(pattern("*.a.example.com").overlaps(&below) && !exact.overlaps(&below));
    }

    proptest! {
        #[test]
        fn what_is_read_is_canonical(text in "[*a-zA-Z0-9._-]{0,24}") {
            if let Ok(read) = HostPattern::parse("hosts", &text) {
                prop_assert_eq!(&pattern(read.as_str()), &read);
                prop_assert!(read.covers(&read));
            }
        }
    }
}
