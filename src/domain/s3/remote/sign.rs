//! Signs requests to S3: AWS Signature Version 4, in the header `Authorization`.

use crate::domain::s3::remote::BucketCredentials;
use crate::domain::text::utf8::hex;
use chrono::DateTime;
use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// For a body that is not signed, because TLS protects it.
pub const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const PATH: &AsciiSet = &PLAIN.remove(b'/');

/// Encodes text for signatures and addresses.
#[must_use]
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// Encodes a path, except for its slashes.
#[must_use]
pub fn encoded_path(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// The SHA-256 of a body, in hexadecimal.
#[must_use]
pub fn hash(body: &[u8]) -> String {
    hex(&Sha256::digest(body))
}

/// The time as in the header `x-amz-date`.
#[must_use]
pub fn amz_date(at_ms: i64) -> String {
    DateTime::from_timestamp_millis(at_ms).unwrap_or_default().format("%Y%m%dT%H%M%SZ").to_string()
}

/// The signed parts of a request.
pub struct ToSign<'a> {
    /// The method, e.g. `GET`.
    pub method: &'a str,
    /// The path, encoded by [`encoded_path`].
    pub path: &'a str,
    /// Query parameters, [`encoded`], in order.
    pub query: &'a str,
    /// All headers by lowercase name, with `host`, `x-amz-date` and `x-amz-content-sha256`.
    pub headers: &'a BTreeMap<String, String>,
}

impl ToSign<'_> {
    /// The header `Authorization`.
    #[must_use]
    pub fn authorization(&self, credentials: &BucketCredentials, region: &str) -> String {
        let header = |name: &str| self.headers.get(name).map_or("", String::as_str);
        let at = header("x-amz-date");
        let day = at.split('T').next().unwrap_or_default();
        let scope = format!("{day}/{region}/s3/aws4_request");
        let names = self.headers.keys().map(String::as_str).collect::<Vec<_>>().join(";");
        let text =
            format!("AWS4-HMAC-SHA256\n{at}\n{scope}\n{}", hash(self.canonical(&names).as_bytes()));
        let secret = format!("AWS4{}", credentials.secret_access_key.reveal());
        let key = [day, region, "s3", "aws4_request"]
            .into_iter()
            .fold(secret.into_bytes(), |key, part| hmac(&key, part.as_bytes()));
        let signature = hex(&hmac(&key, text.as_bytes()));
        let id = credentials.access_key_id.reveal();
        format!(
            "AWS4-HMAC-SHA256 Credential={id}/{scope},SignedHeaders={names},Signature={signature}"
        )
    }

    fn canonical(&self, names: &str) -> String {
        let headers: String = self
            .headers
            .iter()
            .map(|(name, value)| {
                let words: Vec<&str> = value.split(' ').filter(|word| !word.is_empty()).collect();
                format!("{name}:{}\n", words.join(" "))
            })
            .collect();
        let hash = self.headers.get("x-amz-content-sha256").map_or("", String::as_str);
        format!("{}\n{}\n{}\n{headers}\n{names}\n{hash}", self.method, self.path, self.query)
    }
}

fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    // The key may have any length, so this can't fail.
    <Hmac<Sha256> as Mac>::new_from_slice(key)
        .map(|mac| mac.chain_update(text).finalize().into_bytes().to_vec())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// From "Signature Calculations for the Authorization Header" in the documentation of S3.
    #[test]
    fn requests_are_signed_as_in_the_examples_of_aws() {
        let credentials: BucketCredentials = serde_json::from_value(json!({
            "accessKeyId": "AKIAIOSFODNN7EXAMPLE",
            "secretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        }))
        .unwrap();
        let empty = hash(b"");
        let text = hash(b"Welcome to Amazon S3.");
        let put = [
            ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ];
        for (method, path, query, hash, more, signature) in [
            (
                "GET",
                "/test.txt",
                "",
                &empty,
                &[("range", "bytes=0-9")][..],
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
            ),
            (
                "PUT",
                "/test%24file.text",
                "",
                &text,
                &put,
                "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
            ),
            (
                "GET",
                "/",
                "lifecycle=",
                &empty,
                &[],
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
            ),
            (
                "GET",
                "/",
                "max-keys=2&prefix=J",
                &empty,
                &[],
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
            ),
        ] {
            let own = [
                ("host", "examplebucket.s3.amazonaws.com"),
                ("x-amz-date", "20130524T000000Z"),
                ("x-amz-content-sha256", hash.as_str()),
            ];
            let headers = own.iter().chain(more);
            let headers =
                headers.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let signed = ToSign { method, path, query, headers: &headers };
            let authorization = signed.authorization(&credentials, "us-east-1");
            assert!(authorization.ends_with(signature), "{method} {query}: {authorization}");
            assert!(authorization.starts_with(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="
            ));
        }
        assert_eq!(encoded_path("/test$file.text"), "/test%24file.text");
        assert_eq!(encoded("a b/c~é"), "a%20b%2Fc~%C3%A9");
        assert_eq!(amz_date(1_369_353_600_000), "20130524T000000Z");
    }
}
