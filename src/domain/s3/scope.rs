//! The buckets and prefixes that a session's containers may reach.

use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::remote::Remote;
use crate::domain::s3::request::check_segments;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A checked mount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BucketMount {
    /// The bucket's name for clients: the R2 binding's, or the one at another service.
    pub bucket: String,
    /// Prefix of all reachable keys. Empty, or ends with `/`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Whether writes are refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// The location of the bucket, if it is not an R2 binding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<Remote>,
}

/// All mounts of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope(Vec<BucketMount>);

impl Scope {
    /// The scope of these mounts.
    #[must_use]
    pub const fn new(mounts: Vec<BucketMount>) -> Self {
        Self(mounts)
    }

    /// Names of the buckets, in order.
    #[must_use]
    pub fn buckets(&self) -> BTreeSet<&str> {
        self.0.iter().map(|mount| mount.bucket.as_str()).collect()
    }

    /// Where a bucket is, if not an R2 binding. All its mounts agree.
    #[must_use]
    pub fn remote(&self, bucket: &str) -> Option<&Remote> {
        self.0.iter().find(|mount| mount.bucket == bucket)?.remote.as_ref()
    }

    /// Checks that a bucket is in the scope.
    ///
    /// # Errors
    /// `NoSuchBucket`, whether or not the Worker has the bucket.
    pub fn check_bucket(&self, bucket: &str) -> Result<()> {
        self.of_bucket(bucket).map(drop)
    }

    /// Checks that a key may be read, or keys with this prefix listed.
    ///
    /// # Errors
    /// `NoSuchBucket`, `AccessDenied`; `InvalidArgument` for segments `.` and `..` at a service.
    pub fn check_read(&self, bucket: &str, key: &str) -> Result<()> {
        self.mount_of(bucket, key).map(drop)
    }

    /// Checks that a key may be written.
    ///
    /// # Errors
    /// As [`Self::check_read`].
    pub fn check_write(&self, bucket: &str, key: &str) -> Result<()> {
        if self.mount_of(bucket, key)?.read_only {
            let message = format!("the session mounts {bucket} read-only");
            return Err(S3Error::new(Code::AccessDenied, message));
        }
        Ok(())
    }

    fn of_bucket(&self, bucket: &str) -> Result<Vec<&BucketMount>> {
        let mounts: Vec<_> = self.0.iter().filter(|mount| mount.bucket == bucket).collect();
        if mounts.is_empty() {
            return Err(S3Error::new(Code::NoSuchBucket, "the session mounts no such bucket"));
        }
        Ok(mounts)
    }

    /// If prefixes of mounts overlap, the mounts are alike: `open` checks that.
    fn mount_of(&self, bucket: &str, key: &str) -> Result<&BucketMount> {
        let mounts = self.of_bucket(bucket)?;
        let found = mounts.iter().find(|mount| key.starts_with(&mount.prefix));
        let found = found.copied().ok_or_else(|| {
            let prefixes: Vec<&str> = mounts.iter().map(|mount| mount.prefix.as_str()).collect();
            let prefixes = prefixes.join(", ");
            let message = format!("the session mounts only what is below {prefixes} of {bucket}");
            S3Error::new(Code::AccessDenied, message)
        })?;
        if found.remote.is_some() {
            check_segments(key)?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(bucket: &str, prefix: &str, read_only: bool) -> BucketMount {
        BucketMount { bucket: bucket.into(), prefix: prefix.into(), read_only, remote: None }
    }

    #[test]
    fn a_scope_ends_at_its_prefixes() {
        let scope = Scope::new(vec![
            mount("A", "", false),
            mount("B", "x/y/", false),
            mount("B", "logs/", true),
        ]);
        assert_eq!(Vec::from_iter(scope.buckets()), ["A", "B"]);
        let code = |checked: Result<()>| checked.err().map(|error| error.code);
        let read = |bucket, key| code(scope.check_read(bucket, key));
        let write = |bucket, key| code(scope.check_write(bucket, key));
        assert_eq!(read("A", ""), None);
        assert_eq!(write("A", "any/key"), None);
        assert_eq!(read("B", "x/y/z"), None);
        assert_eq!(write("B", "x/y/z"), None);
        assert_eq!(read("B", "logs/1"), None);
        assert_eq!(write("B", "logs/1"), Some(Code::AccessDenied));
        for key in ["", "x", "x/", "x/y", "x/yy", "X/y/z", "logs", "other", "/x/y/z", "../x/y/"] {
            assert_eq!(read("B", key), Some(Code::AccessDenied), "{key}");
            assert_eq!(write("B", key), Some(Code::AccessDenied), "{key}");
        }
        assert_eq!(read("C", "k"), Some(Code::NoSuchBucket));
        assert_eq!(code(scope.check_bucket("a")), Some(Code::NoSuchBucket));
        assert_eq!(code(Scope::default().check_bucket("A")), Some(Code::NoSuchBucket));
    }

    #[test]
    fn bucket_mount_format_unchanged() {
        let text = |mount| serde_json::to_string(&mount).unwrap();
        assert_eq!(text(mount("A", "", false)), r#"{"bucket":"A"}"#);
        let full = r#"{"bucket":"A","prefix":"x/","readOnly":true}"#;
        assert_eq!(text(mount("A", "x/", true)), full);
        assert_eq!(serde_json::from_str::<BucketMount>(full).unwrap(), mount("A", "x/", true));
        let remote = r#"{"bucket":"A","remote":{"endpoint":"https://s3.example.com","credentials":{"accessKeyId":"a","secretAccessKey":"b","sessionToken":"c","region":"d"}}}"#;
        assert_eq!(text(serde_json::from_str(remote).unwrap()), remote);
    }
}
