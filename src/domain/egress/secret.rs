//! Credentials that are added to requests on their way out. Containers never have them.

use crate::domain::egress::host::HostPattern;
use crate::domain::limits::{
    SECRET_HOSTS_MAX, SECRET_NAME_MAX_CHARS, SECRET_VALUE_MAX_BYTES, SECRETS_MAX,
};
use crate::domain::text::redact::REDACTED;
use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

const PLAIN: &str = "http://";
const NOT_OURS: [&str; 10] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "keep-alive",
    "expect",
    "via",
];
const NOT_OUR_PREFIXES: [&str; 3] = ["proxy-", "cf-", "sec-"];

/// A header that requests to some hosts get on their way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Secret {
    /// The only hosts that get it: `api.example.com`, or `*.example.com` for all hosts below it.
    /// Over HTTPS only, unless the host begins with `http://`.
    #[cfg_attr(schemas, schemars(length(min = 1, max = SECRET_HOSTS_MAX)))]
    pub hosts: Vec<SecretHost>,
    /// The header's name. It replaces one that the container sends.
    #[cfg_attr(schemas, schemars(length(min = 1, max = SECRET_NAME_MAX_CHARS)))]
    pub header: String,
    /// The header's whole value, such as `Bearer …`. Redacted wherever it is shown.
    pub value: SecretValue,
}

/// A secret's value. It is not printed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct SecretValue(
    #[cfg_attr(schemas, schemars(length(min = 1, max = SECRET_VALUE_MAX_BYTES)))] String,
);

impl SecretValue {
    /// The value itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The placeholder for a value.
    #[must_use]
    pub fn redacted() -> Self {
        Self(REDACTED.to_owned())
    }

    /// Whether this is the placeholder of a redacted value.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        self.0 == REDACTED
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(REDACTED)
    }
}

/// Hosts that get a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretHost {
    /// Whether requests without TLS get the secret, instead of those with TLS.
    pub plain: bool,
    /// The hosts.
    pub pattern: HostPattern,
}

impl TryFrom<String> for SecretHost {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let (plain, host) = match text.strip_prefix(PLAIN) {
            Some(host) => (true, host),
            None => (false, text.strip_prefix("https://").unwrap_or(&text)),
        };
        Ok(Self { plain, pattern: HostPattern::parse("host", host)? })
    }
}

impl From<SecretHost> for String {
    fn from(host: SecretHost) -> Self {
        let scheme = if host.plain { PLAIN } else { "" };
        format!("{scheme}{}", host.pattern.as_str())
    }
}

impl Secret {
    /// Whether a request to this host gets the secret.
    #[must_use]
    pub fn is_for(&self, host: &str, is_plain: bool) -> bool {
        self.hosts.iter().any(|own| own.plain == is_plain && own.pattern.matches(host))
    }
}

/// Checks a session's secrets. Messages never contain a value.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the field.
pub fn check_secrets(secrets: &BTreeMap<String, Secret>) -> Result<()> {
    if secrets.len() > SECRETS_MAX {
        return Err(Error::invalid("secrets", format!("are more than {SECRETS_MAX}")));
    }
    for (name, secret) in secrets {
        let is_name = (1..=SECRET_NAME_MAX_CHARS).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !name.as_bytes().first().is_some_and(u8::is_ascii_digit);
        if !is_name {
            return Err(Error::invalid(
                "secrets",
                format!("{name:?} is not a name ([A-Za-z_][A-Za-z0-9_]*)"),
            ));
        }
        let invalid = |field: &str, problem: &str| {
            Err(Error::invalid(&format!("secrets.{name}.{field}"), problem))
        };
        if !(1..=SECRET_HOSTS_MAX).contains(&secret.hosts.len()) {
            return invalid("hosts", &format!("must be 1 to {SECRET_HOSTS_MAX}"));
        }
        let header = secret.header.to_ascii_lowercase();
        let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if !(1..=SECRET_NAME_MAX_CHARS).contains(&header.len()) || !header.bytes().all(is_token) {
            return invalid("header", "must be the name of a header");
        }
        if NOT_OURS.contains(&header.as_str())
            || NOT_OUR_PREFIXES.iter().any(|prefix| header.starts_with(prefix))
        {
            return invalid("header", "is a header of the connection or the platform");
        }
        let value = secret.value.reveal();
        if !(1..=SECRET_VALUE_MAX_BYTES).contains(&value.len()) {
            return invalid("value", &format!("must be 1 to {SECRET_VALUE_MAX_BYTES} bytes"));
        }
        if !value.bytes().all(|b| b.is_ascii_graphic() || b == b' ') || value.trim() != value {
            return invalid("value", "must be printable ASCII without spaces around it");
        }
    }
    check_one_each(secrets)
}

/// Checks that no request would get two values for one header.
fn check_one_each(secrets: &BTreeMap<String, Secret>) -> Result<()> {
    for (position, (name, secret)) in secrets.iter().enumerate() {
        for (other_name, other) in secrets.iter().skip(position + 1) {
            let clash = secret.header.eq_ignore_ascii_case(&other.header)
                && secret.hosts.iter().any(|own| {
                    other
                        .hosts
                        .iter()
                        .any(|host| own.plain == host.plain && own.pattern.overlaps(&host.pattern))
                });
            if clash {
                let problem =
                    format!("{name} and {other_name} set the same header of the same host");
                return Err(Error::invalid("secrets", problem));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn checked(secrets: Value) -> Result<BTreeMap<String, Secret>> {
        let secrets =
            serde_json::from_value(secrets).map_err(|error| Error::invalid("secrets", error))?;
        check_secrets(&secrets)?;
        Ok(secrets)
    }

    fn one(hosts: Value, header: &str, value: &str) -> Value {
        json!({ "KEY": { "hosts": hosts, "header": header, "value": value } })
    }

    #[test]
    fn a_secret_is_for_its_hosts_over_tls() {
        let hosts = json!(["api.example.com", "https://*.x.org", "http://plain.example.com"]);
        let secrets = checked(one(hosts, "Authorization", "Bearer s3cr3t")).unwrap();
        let secret = &secrets["KEY"];
        for (host, is_plain, gets) in [
            ("api.example.com", false, true),
            ("api.example.com", true, false),
            ("a.x.org", false, true),
            ("x.org", false, false),
            ("plain.example.com", true, true),
            ("plain.example.com", false, false),
            ("api.example.com.evil.org", false, false),
        ] {
            assert_eq!(secret.is_for(host, is_plain), gets, "{host} {is_plain}");
        }
        assert_eq!(
            serde_json::to_value(&secret.hosts).unwrap(),
            json!(["api.example.com", "*.x.org", "http://plain.example.com"])
        );
    }

    #[test]
    fn no_value_is_printed() {
        let secrets = checked(one(json!(["a.example"]), "x-key", "s3cr3t")).unwrap();
        assert!(!format!("{secrets:?}").contains("s3cr3t"));
        for broken in [
            one(json!([]), "x-key", "s3cr3t"),
            one(json!(["a.example"]), "x key", "s3cr3t"),
            one(json!(["a.example"]), "x-key", "s3cr3t\r\nx-other: 1"),
            one(json!(["a.example"]), "x-key", " s3cr3t"),
            one(json!(["a.example"]), "x-key", &"s3cr3t".repeat(2_000)),
            one(json!(["a.example/s"]), "x-key", "s3cr3t"),
        ] {
            let error = checked(broken).unwrap_err();
            assert!(
                error.message.contains("secrets") && !error.to_string().contains("s3cr3t"),
                "{error}"
            );
        }
    }

    #[test]
    fn headers_of_the_connection_and_clashes_are_refused() {
        for header in ["Host", "Content-Length", "Proxy-Authorization", "CF-Worker", "upgrade", ""]
        {
            assert!(checked(one(json!(["a.example"]), header, "v")).is_err(), "{header}");
        }
        let secret = |host: &str| json!({ "hosts": [host], "header": "x-key", "value": "v" });
        let both = |a: &str, b: &str| checked(json!({ "A": secret(a), "B": secret(b) }));
        assert!(both("*.example.com", "a.example.com").is_err());
        assert!(both("*.example.com", "example.com").is_ok());
        assert!(both("http://a.example.com", "a.example.com").is_ok());
        assert!(checked(json!({ "a-b": secret("a.example") })).is_err());
    }
}
