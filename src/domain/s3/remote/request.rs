//! Requests to other S3 services, with path-style addresses.

use crate::domain::s3::error::Result;
use crate::domain::s3::remote::Remote;
use crate::domain::s3::remote::sign::{ToSign, amz_date, encoded, encoded_path};
use crate::domain::s3::request::check_segments;
use std::collections::BTreeMap;

/// A request for a bucket, or for an object in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteRequest {
    /// The method, e.g. `GET`.
    pub method: &'static str,
    /// Name of the bucket.
    pub bucket: String,
    /// The object's key. Empty for the bucket itself.
    pub key: String,
    /// Query parameters.
    pub query: BTreeMap<&'static str, String>,
    /// Headers by lowercase name.
    pub headers: BTreeMap<String, String>,
}

/// A request as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedRequest {
    /// The complete URL.
    pub url: String,
    /// Headers, except those that the runtime adds.
    pub headers: Vec<(String, String)>,
    /// Whether the answer is an object, whose bytes must stay as stored.
    pub is_object: bool,
}

impl RemoteRequest {
    /// Signs the request if there are credentials. `hash` is the body's, or
    /// [`UNSIGNED`](crate::domain::s3::remote::sign::UNSIGNED).
    ///
    /// # Errors
    /// `InvalidArgument` for a key that can't be in a URL.
    pub fn signed(self, remote: &Remote, hash: &str, at_ms: i64) -> Result<SignedRequest> {
        let Self { method, bucket, key, query, mut headers } = self;
        let is_object = method == "GET" && !key.is_empty() && query.is_empty();
        check_segments(&key)?;
        let path = if key.is_empty() { format!("/{bucket}") } else { format!("/{bucket}/{key}") };
        let path = encoded_path(&path);
        let pairs =
            query.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        let query = pairs.collect::<Vec<_>>().join("&");
        let mark = if query.is_empty() { "" } else { "?" };
        let url = format!("{}{path}{mark}{query}", remote.endpoint.as_str());
        if let Some(credentials) = &remote.credentials {
            headers.insert("x-amz-date".to_owned(), amz_date(at_ms));
            headers.insert("x-amz-content-sha256".to_owned(), hash.to_owned());
            if let Some(token) = &credentials.session_token {
                headers.insert("x-amz-security-token".to_owned(), token.reveal().to_owned());
            }
            headers.insert("host".to_owned(), remote.endpoint.authority().to_owned());
            let region = credentials.region.as_deref().unwrap_or(remote.endpoint.region());
            let signed = ToSign { method, path: &path, query: &query, headers: &headers };
            let authorization = signed.authorization(credentials, region);
            headers.insert("authorization".to_owned(), authorization);
            headers.remove("host");
        }
        Ok(SignedRequest { url, headers: headers.into_iter().collect(), is_object })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::s3::error::Code;
    use crate::domain::s3::remote::Endpoint;
    use crate::domain::s3::remote::sign::UNSIGNED;
    use serde_json::json;

    fn remote(credentials: serde_json::Value) -> Remote {
        let endpoint =
            Endpoint::parse("endpoint", "https://s3.eu-west-1.example.com:9000").unwrap();
        Remote { endpoint, credentials: serde_json::from_value(credentials).unwrap() }
    }

    fn request(key: &str) -> RemoteRequest {
        RemoteRequest {
            method: "GET",
            bucket: "b".into(),
            key: key.into(),
            query: [("prefix", "a b".to_owned()), ("list-type", "2".to_owned())].into(),
            headers: BTreeMap::new(),
        }
    }

    #[test]
    fn a_request_has_its_address_and_signature() {
        let credentials =
            json!({ "accessKeyId": "id", "secretAccessKey": "s3cr3t", "sessionToken": "t" });
        let signed = request("a//ü ?#%+/").signed(&remote(credentials), UNSIGNED, 0).unwrap();
        assert_eq!(
            signed.url,
            "https://s3.eu-west-1.example.com:9000/b/a//%C3%BC%20%3F%23%25%2B/?list-type=2&prefix=a%20b"
        );
        let headers: BTreeMap<_, _> = signed.headers.into_iter().collect();
        assert!(headers["authorization"].contains("/19700101/eu-west-1/s3/aws4_request,SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"));
        assert_eq!(headers["x-amz-security-token"], "t");
        assert!(!headers.contains_key("host") && !format!("{headers:?}").contains("s3cr3t"));
        let region = json!({ "accessKeyId": "id", "secretAccessKey": "s", "region": "auto" });
        let signed = request("k").signed(&remote(region), UNSIGNED, 0).unwrap();
        assert!(format!("{:?}", signed.headers).contains("/auto/s3/"));
        let anonymous = request("k").signed(&remote(json!(null)), UNSIGNED, 0).unwrap();
        assert_eq!(anonymous.headers, []);
    }

    #[test]
    fn no_key_names_another_object() {
        for key in ["2024/../secret", "..", "a/./b", "./a", "a/.."] {
            let refused = request(key).signed(&remote(json!(null)), UNSIGNED, 0).unwrap_err();
            assert_eq!(refused.code, Code::InvalidArgument, "{key}");
        }
        assert!(request("a/...b/..c").signed(&remote(json!(null)), UNSIGNED, 0).is_ok());
    }
}
