//! Credentials of S3 services. Containers never have them.

use crate::domain::egress::SecretValue;
use serde::{Deserialize, Serialize};
use std::fmt;

const TEXT_MAX_BYTES: usize = 256;
const TOKEN_MAX_BYTES: usize = 8_192;
const REGION_MAX_BYTES: usize = 64;

/// Credentials of an S3 service. They are not printed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BucketCredentials {
    /// Id of the access key.
    pub access_key_id: SecretValue,
    /// Secret of the access key.
    pub secret_access_key: SecretValue,
    /// The token of temporary credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_token: Option<SecretValue>,
    /// The region that requests are signed for. Default: the one that the endpoint's host names
    /// (`s3.eu-west-1.…`), else `us-east-1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
}

impl fmt::Debug for BucketCredentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.access_key_id.fmt(formatter)
    }
}

impl BucketCredentials {
    /// The same credentials without their values.
    #[must_use]
    pub fn redacted(&self) -> Self {
        Self {
            access_key_id: SecretValue::redacted(),
            secret_access_key: SecretValue::redacted(),
            session_token: self.session_token.as_ref().map(|_| SecretValue::redacted()),
            region: self.region.clone(),
        }
    }

    /// Whether any value is the placeholder of a redacted one.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        let mut values = [&self.access_key_id, &self.secret_access_key].into_iter();
        values.any(SecretValue::is_redacted)
            || self.session_token.as_ref().is_some_and(SecretValue::is_redacted)
    }

    /// The field and problem of invalid credentials, without values.
    #[must_use]
    pub fn problem(&self) -> Option<(&'static str, String)> {
        let is_not_text =
            |max_bytes: usize| format!("must be 1 to {max_bytes} visible ASCII characters");
        let is_text = |value: &SecretValue, max_bytes| {
            let text = value.reveal();
            (1..=max_bytes).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
        };
        let is_region = |region: &String| {
            (1..=REGION_MAX_BYTES).contains(&region.len())
                && region.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        };
        if self.is_redacted() {
            return Some(("credentials", "are redacted: give their values".to_owned()));
        }
        // The id becomes part of a header, between a space and a slash.
        if !is_text(&self.access_key_id, TEXT_MAX_BYTES)
            || self.access_key_id.reveal().contains(['/', ','])
        {
            let problem = is_not_text(TEXT_MAX_BYTES) + " without / and ,";
            return Some(("credentials.accessKeyId", problem));
        }
        if !is_text(&self.secret_access_key, TEXT_MAX_BYTES) {
            return Some(("credentials.secretAccessKey", is_not_text(TEXT_MAX_BYTES)));
        }
        if self.session_token.as_ref().is_some_and(|token| !is_text(token, TOKEN_MAX_BYTES)) {
            return Some(("credentials.sessionToken", is_not_text(TOKEN_MAX_BYTES)));
        }
        if self.region.as_ref().is_some_and(|region| !is_region(region)) {
            let problem = format!("must be 1 to {REGION_MAX_BYTES} characters of A-Z a-z 0-9 _ -");
            return Some(("credentials.region", problem));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn credentials(field: &str, value: Value) -> BucketCredentials {
        let mut whole = json!({ "accessKeyId": "AKIA", "secretAccessKey": "s3cr3t/+=" });
        whole[field] = value;
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn what_is_wrong_is_said_without_values() {
        assert_eq!(credentials("region", json!("auto")).problem(), None);
        assert_eq!(credentials("sessionToken", json!("t0k3n")).problem(), None);
        for (field, value) in [
            ("accessKeyId", json!("")),
            ("accessKeyId", json!("zz/us-east-1")),
            ("accessKeyId", json!("zz zz")),
            ("secretAccessKey", json!("zz\r\nx: y")),
            ("secretAccessKey", json!("z".repeat(300))),
            ("sessionToken", json!("zzä")),
            ("region", json!("zz/s3")),
        ] {
            let (at, problem) = credentials(field, value).problem().unwrap();
            assert_eq!(at, format!("credentials.{field}"));
            assert!(problem.starts_with("must be 1 to ") && !problem.contains("zz"), "{problem}");
        }
    }

    #[test]
    fn no_value_is_printed() {
        let whole = credentials("sessionToken", json!("t0k3n"));
        let shown = serde_json::to_string(&whole.redacted()).unwrap();
        for text in [format!("{whole:?}"), shown] {
            assert!(!["AKIA", "s3cr3t", "t0k3n"].iter().any(|it| text.contains(it)), "{text}");
        }
        assert!(whole.redacted().is_redacted() && !whole.is_redacted());
        assert!(whole.redacted().problem().unwrap().1.contains("redacted"));
    }
}
