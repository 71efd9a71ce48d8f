//! Decides which requests of a container to intercept, and how to answer each.

use crate::domain::egress::host::{HostPattern, public_host};
use crate::domain::egress::secret::Secret;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What containers may reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum NetworkMode {
    /// The Internet.
    #[default]
    Open,
    /// Nothing.
    Off,
    /// `hosts`, over HTTP and HTTPS, and nothing else.
    Allowlist,
}

/// A checked policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EgressPolicy {
    /// What containers may reach.
    pub mode: NetworkMode,
    /// The hosts of the mode `allowlist`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostPattern>,
    /// Secret headers that are added to requests, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, Secret>,
}

/// The requests of a container that the platform must pass to us.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interception {
    /// All requests over HTTP, on port 80.
    pub all_http: bool,
    /// Requests over HTTP to these hosts.
    pub http: BTreeSet<String>,
    /// Requests over HTTPS, on port 443, to these hosts. `*` is any host.
    pub https: BTreeSet<String>,
}

impl Interception {
    /// Whether nothing is intercepted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A container's request, as the runtime's `URL` parsed it. It goes to this address: neither the
/// TLS name nor the connection's address matters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EgressRequest {
    /// E.g. `https:`.
    pub protocol: String,
    /// Host without a port.
    pub hostname: String,
    /// The port. Empty for the protocol's default.
    pub port: String,
}

/// The decision about a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", untagged)]
pub enum Verdict {
    /// The request is sent, with these headers.
    #[serde(rename_all = "camelCase")]
    Allowed {
        /// Names and values of headers.
        headers: Vec<(String, String)>,
    },
    /// The request is refused with this reason.
    #[serde(rename_all = "camelCase")]
    Refused {
        /// The reason, for the program that sent the request.
        refused: String,
        /// Set after too many refusals: for this time, equal requests are refused without asking.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<i64>,
    },
}

/// A host that a policy has refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RefusedHost {
    /// As the request named it.
    pub host: String,
    /// How many requests were refused.
    pub count: u64,
}

impl EgressPolicy {
    /// Whether connections that are not intercepted can reach the Internet.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.mode == NetworkMode::Open
    }

    /// The requests to intercept.
    #[must_use]
    pub fn interception(&self) -> Interception {
        match self.mode {
            NetworkMode::Off => Interception::default(),
            NetworkMode::Allowlist => Interception {
                all_http: true,
                https: ["*".to_owned()].into(),
                ..Interception::default()
            },
            NetworkMode::Open => {
                let mut found = Interception::default();
                for host in self.secrets.values().flat_map(|secret| &secret.hosts) {
                    let hosts = if host.plain { &mut found.http } else { &mut found.https };
                    hosts.insert(host.pattern.as_str().to_owned());
                }
                found
            }
        }
    }

    /// Decides about a request.
    #[must_use]
    pub fn decide(&self, request: &EgressRequest) -> Verdict {
        let refused = |why: &str| Verdict::Refused {
            refused: format!("{} is refused: {why}\n", shown(&request.hostname)),
            retry_after_ms: None,
        };
        let is_plain = match request.protocol.as_str() {
            "http:" => true,
            "https:" => false,
            _ => return refused("only HTTP and HTTPS leave this workspace."),
        };
        if !request.port.is_empty() {
            return refused("only ports 80 and 443 leave this workspace.");
        }
        // An intercepted connection may name any host in its requests.
        let Some(host) = public_host(&request.hostname) else {
            return refused("it is not a public host.");
        };
        let is_allowed = match self.mode {
            NetworkMode::Open => true,
            NetworkMode::Off => false,
            NetworkMode::Allowlist => self.hosts.iter().any(|own| own.matches(&host)),
        };
        if !is_allowed {
            return refused(
                "it is not in network.hosts of the session's configuration, which the first open of a session sets.",
            );
        }
        let secrets = self.secrets.values().filter(|secret| secret.is_for(&host, is_plain));
        let header = |secret: &Secret| (secret.header.clone(), secret.value.reveal().to_owned());
        Verdict::Allowed { headers: secrets.map(header).collect() }
    }
}

/// A host for a message: on one line and shortened.
#[must_use]
pub fn shown(host: &str) -> String {
    host.chars().filter(|c| c.is_ascii_graphic()).take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn policy(value: serde_json::Value) -> EgressPolicy {
        serde_json::from_value(value).unwrap()
    }

    fn asked(protocol: &str, hostname: &str, port: &str) -> EgressRequest {
        EgressRequest { protocol: protocol.into(), hostname: hostname.into(), port: port.into() }
    }

    fn is_allowed(policy: &EgressPolicy, request: &EgressRequest) -> bool {
        matches!(policy.decide(request), Verdict::Allowed { .. })
    }

    fn allowlist() -> EgressPolicy {
        policy(json!({
            "mode": "allowlist", "hosts": ["example.com", "*.example.com", "1.1.1.1"],
            "secrets": { "KEY": { "hosts": ["api.example.com"], "header": "x-key", "value": "s3cr3t" } }
        }))
    }

    #[test]
    fn only_listed_hosts_on_the_usual_ports_are_allowed() {
        let policy = allowlist();
        for host in ["example.com", "EXAMPLE.com.", "a.b.example.com", "1.1.1.1"] {
            for protocol in ["http:", "https:"] {
                assert!(is_allowed(&policy, &asked(protocol, host, "")), "{protocol} {host}");
            }
        }
        for (protocol, host, port) in [
            ("https:", "example.org", ""),
            ("https:", "example.com.evil.org", ""),
            ("https:", "example.com", "8443"),
            ("http:", "example.com", "22"),
            ("ftp:", "example.com", ""),
            ("wss:", "example.com", ""),
            ("https", "example.com", ""),
            ("http:", "127.0.0.1", ""),
            ("http:", "169.254.169.254", ""),
            ("http:", "[::ffff:1.1.1.1]", ""),
            ("http:", "16843009", ""),
            ("http:", "", ""),
            ("http:", "*.example.com", ""),
        ] {
            assert!(!is_allowed(&policy, &asked(protocol, host, port)), "{protocol} {host} {port}");
        }
    }

    #[test]
    fn a_refusal_says_which_host_in_one_short_line() {
        let Verdict::Refused { refused, .. } = allowlist().decide(&asked("https:", "evil.org", ""))
        else {
            panic!("it is allowed");
        };
        assert!(
            refused.starts_with("evil.org is refused: it is not in network.hosts"),
            "{refused}"
        );
        let long = format!("evil\r\n{}.org", "x".repeat(10_000));
        let Verdict::Refused { refused, .. } = allowlist().decide(&asked("https:", &long, ""))
        else {
            panic!("it is allowed");
        };
        assert!(refused.len() < 300 && refused.lines().count() == 1, "{refused}");
    }

    #[test]
    fn a_secret_goes_to_its_host_over_tls_alone() {
        let policy = allowlist();
        let headers = |protocol, host| match policy.decide(&asked(protocol, host, "")) {
            Verdict::Allowed { headers } => headers,
            Verdict::Refused { refused, .. } => panic!("{refused}"),
        };
        assert_eq!(headers("https:", "API.example.com"), [("x-key".into(), "s3cr3t".into())]);
        assert!(headers("http:", "api.example.com").is_empty());
        assert!(headers("https:", "b.example.com").is_empty());
        assert!(headers("https:", "x.api.example.com").is_empty());
    }

    #[test]
    fn each_mode_intercepts_what_it_must() {
        let all = allowlist().interception();
        assert!(all.all_http && all.https.contains("*"));
        assert!(policy(json!({ "mode": "off" })).interception().is_empty());
        assert!(policy(json!({})).interception().is_empty());
        let mut open = policy(json!({ "secrets": {
            "A": { "hosts": ["a.example", "*.b.example", "http://c.example"], "header": "x", "value": "v" }
        } }));
        let some = open.interception();
        assert!(!some.all_http);
        assert_eq!(Vec::from_iter(&some.https), ["*.b.example", "a.example"]);
        assert_eq!(Vec::from_iter(&some.http), ["c.example"]);
        // Still passes: a request that was intercepted for a removed secret.
        open.secrets.clear();
        assert!(is_allowed(&open, &asked("https:", "a.example", "")));
        assert!(!is_allowed(&open, &asked("http:", "10.0.0.1", "")));
        assert!(!is_allowed(&policy(json!({ "mode": "off" })), &asked("https:", "a.example", "")));
    }

    #[test]
    fn egress_policy_format_unchanged() {
        assert_eq!(
            serde_json::to_string(&allowlist()).unwrap(),
            r#"{"mode":"allowlist","hosts":["example.com","*.example.com","1.1.1.1"],"secrets":{"KEY":{"hosts":["api.example.com"],"header":"x-key","value":"s3cr3t"}}}"#
        );
        assert_eq!(serde_json::to_string(&EgressPolicy::default()).unwrap(), r#"{"mode":"open"}"#);
    }
}
