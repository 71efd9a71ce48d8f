//! Session tokens: what a holder may do, in which session and until when. Checking a signature
//! needs no object.
//!
//! The format is `sst1.<key id>.<claims>.<mac>`, or `spv1.…` for a preview's link: the claims are
//! base64url of JSON, and the MAC is the HMAC-SHA-256 of all text before it. Claims are decoded
//! only after the MAC is verified. Each token has exactly one valid text.

use crate::domain::json::parse_own;
use crate::domain::limits::{TOKEN_KEY_MIN_BYTES, TOKEN_KEYS_MAX, TOKEN_MAX_BYTES};
use crate::domain::{Error, ErrorCode, Result, Scopes, SessionId, TokenId};
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};
use hmac::{Hmac, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::fmt;

/// Prefix of every session token.
pub const TOKEN_PREFIX: &str = "sst1.";

/// As printed by `openssl rand -base64 32`, padded or not.
const KEY_BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A token's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The only session that accepts the token.
    #[serde(rename = "s")]
    pub session: SessionId,
    /// The token's id, for revoking it.
    #[serde(rename = "i")]
    pub id: TokenId,
    /// The scopes that the token grants.
    #[serde(rename = "c")]
    pub scopes: Scopes,
    /// Expiry time, in milliseconds since the epoch.
    #[serde(rename = "e")]
    pub expires_at_ms: i64,
}

/// Signed content. The signature covers the prefix, so that no kind of text passes for another.
pub trait Signed: Serialize + DeserializeOwned {
    /// Prefix of all texts of this kind, with their version. Secret scanners can find it.
    const PREFIX: &str;

    /// Expiry time, in milliseconds since the epoch.
    fn expires_at_ms(&self) -> i64;
}

impl Signed for Claims {
    const PREFIX: &str = TOKEN_PREFIX;

    fn expires_at_ms(&self) -> i64 {
        self.expires_at_ms
    }
}

/// The secret `TOKEN_KEYS`. The first key signs.
pub struct TokenKeys(Vec<(String, Vec<u8>)>);

impl fmt::Debug for TokenKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(id, _)| id)).finish()
    }
}

impl TokenKeys {
    /// Parses `id:base64,id:base64`.
    ///
    /// # Errors
    /// `NOT_CONFIGURED`. It says which entry is wrong, without any part of it.
    pub fn parse(text: &str) -> Result<Self> {
        let mut keys: Vec<(String, Vec<u8>)> = Vec::new();
        for (index, entry) in text.split(',').enumerate() {
            let wrong = |problem: String| malformed(&format!("key {} {problem}", index + 1));
            let (id, secret) = entry
                .trim()
                .split_once(':')
                .ok_or_else(|| wrong("is not of the form id:base64".to_owned()))?;
            let well_formed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if id.is_empty() || id.len() > 16 || !id.chars().all(well_formed) {
                return Err(wrong("has an id that is not 1 to 16 characters of a-z 0-9 -".into()));
            }
            // The decoder's own message would quote a byte of the secret.
            let Ok(secret) = KEY_BASE64.decode(secret) else {
                return Err(wrong("is not base64".to_owned()));
            };
            if secret.len() < TOKEN_KEY_MIN_BYTES {
                return Err(wrong(format!("has fewer than {TOKEN_KEY_MIN_BYTES} bytes")));
            }
            if keys.iter().any(|(known, _)| known == id) {
                return Err(wrong("has the same id as an earlier key".to_owned()));
            }
            keys.push((id.to_owned(), secret));
        }
        if keys.len() > TOKEN_KEYS_MAX {
            return Err(malformed(&format!("there are more than {TOKEN_KEYS_MAX} keys")));
        }
        Ok(Self(keys))
    }

    /// The keys that sign tickets: `TOKEN_KEYS`, or a key derived from `API_TOKEN`, because without
    /// `TOKEN_KEYS` only the operator has a token.
    ///
    /// # Errors
    /// `NOT_CONFIGURED`.
    pub fn of_tickets(token_keys: Option<&str>, api_token: Option<&str>) -> Result<Self> {
        match (token_keys, api_token.filter(|token| !token.is_empty())) {
            (Some(keys), _) => Self::parse(keys),
            (None, Some(token)) => {
                let key = mac_of(token.as_bytes(), "snapshotter tickets")?.finalize().into_bytes();
                Ok(Self(vec![("api".to_owned(), key.to_vec())]))
            }
            (None, None) => Err(no_keys()),
        }
    }

    /// Signs a token with the first key.
    ///
    /// # Errors
    /// `INTERNAL` if no key exists or the claims do not serialize: bugs.
    pub fn sign<T: Signed>(&self, claims: &T) -> Result<String> {
        let (id, secret) = self.0.first().ok_or_else(|| Error::internal("no token key"))?;
        let signed = format!("{}{id}.{}", T::PREFIX, URL_SAFE_NO_PAD.encode(json_of(claims)?));
        let mac = mac_of(secret, &signed)?.finalize().into_bytes();
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac)))
    }

    /// The claims of a valid token. Gives no reason for a refusal, which would only help guessing.
    #[must_use]
    pub fn verify<T: Signed>(&self, token: &str, now_ms: i64) -> Option<T> {
        if token.len() > TOKEN_MAX_BYTES {
            return None;
        }
        let (signed, mac) = token.rsplit_once('.')?;
        let (key_id, claims) = signed.strip_prefix(T::PREFIX)?.split_once('.')?;
        let (_, secret) = self.0.iter().find(|(id, _)| id == key_id)?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        // The comparison takes constant time.
        mac_of(secret, signed).ok()?.verify_slice(&mac).ok()?;
        let json = URL_SAFE_NO_PAD.decode(claims).ok()?;
        let claims: T = parse_own("claims", &json).ok()?;
        let canonical = json_of(&claims).ok()? == json;
        (canonical && now_ms < claims.expires_at_ms()).then_some(claims)
    }
}

fn malformed(problem: &str) -> Error {
    Error::new(ErrorCode::NotConfigured, format!("the secret TOKEN_KEYS is malformed: {problem}"))
        .with_hint("use id:base64 of at least 32 random bytes, several separated by commas; see docs/access.md")
}

/// The error without keys for signing and checking tokens.
#[must_use]
pub fn no_keys() -> Error {
    Error::new(ErrorCode::NotConfigured, "the secret TOKEN_KEYS is not set").with_hint(
        "set it with: wrangler secret put TOKEN_KEYS; docs/access.md describes its value",
    )
}

/// The error for anything but a valid token. Its message is always the same.
#[must_use]
pub fn unauthenticated() -> Error {
    Error::new(ErrorCode::Unauthenticated, "the bearer token is missing, wrong, expired or revoked")
        .with_hint(
            "send the header Authorization: Bearer, and API_TOKEN or a token of this session",
        )
}

fn mac_of(secret: &[u8], signed: &str) -> Result<Hmac<Sha256>> {
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(secret)
        .map_err(|error| Error::internal(format!("HMAC: {error}")))?;
    mac.update(signed.as_bytes());
    Ok(mac)
}

fn json_of(claims: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(claims).map_err(|error| Error::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Scope;
    use proptest::prelude::*;

    const K1: &str = "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    const K2: &str = "k2:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";

    fn keys(text: &str) -> TokenKeys {
        TokenKeys::parse(text).unwrap()
    }

    fn claims() -> Claims {
        Claims {
            session: SessionId::parse("sess").unwrap(),
            id: TokenId::from_random([7; 16]),
            scopes: Scopes::from_iter([Scope::Read, Scope::Snapshot]),
            expires_at_ms: 1_000,
        }
    }

    #[test]
    fn token_format_unchanged() {
        let token = keys(K1).sign(&claims()).unwrap();
        assert_eq!(
            token,
            concat!(
                "sst1.k1.eyJzIjoic2VzcyIsImkiOiIwdzNnZTFyNzB3M2dlMXI3MHczZ2UxcjcwdyIsImMiOlsicmVhZCIsInNuYXBzaG90Il0sImUiOjEwMDB9",
                ".2XbiqiJOUvrgIqDV_1faRKoY_mMGqqA445uYFKmlTLk",
            )
        );
        assert_eq!(keys(K1).verify::<Claims>(&token, 999), Some(claims()));
    }

    #[test]
    fn every_key_verifies_and_the_first_signs() {
        let old = keys(K1).sign(&claims()).unwrap();
        let rotated = keys(&format!("{K2} , {K1}"));
        assert_eq!(rotated.verify::<Claims>(&old, 0), Some(claims()));
        let new = rotated.sign(&claims()).unwrap();
        assert!(new.starts_with("sst1.k2."), "{new}");
        assert_eq!(keys(K1).verify::<Claims>(&new, 0), None, "a key that is not there");
        assert_eq!(keys(K2).verify::<Claims>(&old, 0), None, "a key that was taken out");
        let same_id = K2.replace("k2", "k1");
        assert_eq!(keys(&same_id).verify::<Claims>(&old, 0), None, "another key of that id");
    }

    #[test]
    fn a_token_ends() {
        let token = keys(K1).sign(&claims()).unwrap();
        assert!(keys(K1).verify::<Claims>(&token, 999).is_some());
        assert!(keys(K1).verify::<Claims>(&token, 1_000).is_none());
    }

    #[test]
    fn nothing_else_is_that_token() {
        let keys = keys(&format!("{K1},{K2}"));
        let token = keys.sign(&claims()).unwrap();
        let with = |at: usize, byte: u8| {
            let mut bytes = token.clone().into_bytes();
            bytes[at] = byte;
            String::from_utf8(bytes).unwrap()
        };
        for at in 0..token.len() {
            for byte in [b'A', b'B', b'.', b'=', b'-', b'1'] {
                let other = with(at, byte);
                assert!(other == token || keys.verify::<Claims>(&other, 0).is_none(), "{other}");
            }
        }
        // The last character of 32 bytes in base64 has two unused bits.
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let last = alphabet
            .bytes()
            .filter(|byte| keys.verify::<Claims>(&with(token.len() - 1, *byte), 0).is_some());
        assert_eq!(last.count(), 1);
        for other in [
            format!("{token}="),
            format!(" {token}"),
            format!("{token}."),
            token.replace("sst1.k1", "sst1.k2"),
            token.replace("sst1.", ""),
            token.to_uppercase(),
            String::new(),
            "sst1...".to_owned(),
            format!("{token}{}", "A".repeat(2_000)),
        ] {
            assert_eq!(keys.verify::<Claims>(&other, 0), None, "{other}");
        }
    }

    #[test]
    fn tickets_need_a_secret_of_the_operator() {
        let of = |keys, api_token| TokenKeys::of_tickets(keys, api_token);
        let token = of(None, Some("operator-secret")).unwrap().sign(&claims()).unwrap();
        let verify = |keys: TokenKeys| keys.verify::<Claims>(&token, 0).is_some();
        assert!(verify(of(None, Some("operator-secret")).unwrap()));
        assert!(!verify(of(None, Some("operator-secret2")).unwrap()));
        assert!(!verify(of(Some(K1), Some("operator-secret")).unwrap()), "only keys count");
        for api_token in [None, Some("")] {
            assert_eq!(of(None, api_token).unwrap_err().code, ErrorCode::NotConfigured);
        }
    }

    #[test]
    fn what_the_key_signed_otherwise_is_refused() {
        let signed = |json: &str| {
            let signed = format!("sst1.k1.{}", URL_SAFE_NO_PAD.encode(json));
            let mac = mac_of(&[0; 32], &signed).unwrap().finalize().into_bytes();
            format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac))
        };
        let good = String::from_utf8(json_of(&claims()).unwrap()).unwrap();
        assert!(keys(K1).verify::<Claims>(&signed(&good), 0).is_some());
        for json in [
            good.replace(r#"{"s""#, r#"{ "s""#),
            good.replace(r#"["read","snapshot"]"#, r#"["snapshot","read"]"#),
            good.replace(r#"["read""#, r#"["read","read""#),
            good.replace('}', r#","x":1}"#),
            good.replace("sess", ".."),
        ] {
            assert_ne!(json, good);
            assert_eq!(keys(K1).verify::<Claims>(&signed(&json), 0), None, "{json}");
        }
    }

    #[test]
    fn malformed_keys_are_told_and_not_shown() {
        let secret = "c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3JldA==";
        for (text, says) in [
            (String::new(), "key 1 is not of the form"),
            (secret.to_owned(), "key 1 is not of the form"),
            (format!("{K1},"), "key 2 is not of the form"),
            (format!("{K1},:{secret}"), "key 2 has an id"),
            (format!("{secret}:k2"), "key 1 has an id"),
            (format!("k:{secret}!"), "key 1 is not base64"),
            ("k:c2hvcnQ=".to_owned(), "key 1 has fewer than 32 bytes"),
            (format!("{K1},{K1}"), "key 2 has the same id"),
            (
                (0..17).map(|n| format!("k{n}:{secret}")).collect::<Vec<_>>().join(","),
                "more than 16",
            ),
        ] {
            let error = TokenKeys::parse(&text).unwrap_err();
            assert_eq!(error.code, ErrorCode::NotConfigured);
            assert!(error.message.contains(says), "{error} should say {says}");
            let shown = format!("{error:?}");
            assert!(!shown.contains("c2Vj") && !shown.contains("c2hv"), "{shown}");
        }
        assert_eq!(format!("{:?}", keys(&format!("{K1},{K2}"))), r#"["k1", "k2"]"#);
    }

    proptest! {
        #[test]
        fn any_text_is_refused(text in ".{0,200}") {
            prop_assert_eq!(keys(K1).verify::<Claims>(&text, 0), None);
            prop_assert_eq!(keys(K1).verify::<Claims>(&format!("sst1.k1.{text}"), 0), None);
        }
    }
}
