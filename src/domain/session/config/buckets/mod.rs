//! Buckets that containers can reach.

use crate::domain::limits::{BUCKET_MOUNTS_MAX, BUCKET_PREFIX_MAX_BYTES};
use crate::domain::s3::remote::{BucketCredentials, Endpoint, Remote};
use crate::domain::session::config::settings::SavedDirs;
use crate::domain::session::config::{DEFAULT_BACKUP_BINDING, Persist};
use crate::domain::{AbsolutePath, BucketMount, Error, Result, WorkspaceConfig};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Nothing is mounted below these.
const SYSTEM: [&str; 12] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr",
    "/var/lib",
];
/// No snapshot of a machine includes these.
const UNSAVED: [&str; 3] = ["/run", "/tmp", "/var/tmp"];
const BACKUPS: &str = "backups/";

/// A bucket that containers reach.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BucketMountConfig {
    /// Name of the R2 binding, which the variable `BUCKET_BINDINGS` must list; with `endpoint`, the
    /// bucket's name there.
    #[cfg_attr(schemas, schemars(length(min = 1, max = 64)))]
    pub bucket: String,
    /// Directory where the bucket appears, if the container can mount it: an absolute path outside
    /// the directories that snapshots hold.
    pub mount_path: String,
    /// Reach only objects below this path of the bucket, such as `/2024`. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = BUCKET_PREFIX_MAX_BYTES), regex(pattern = "^/")))]
    pub prefix: Option<String>,
    /// Whether it is read-only. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Address of another S3 service, which the variable `BUCKET_ENDPOINTS` must list:
    /// `https://s3.eu-west-1.amazonaws.com`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Credentials for `endpoint`. Without them, requests to it are anonymous. Redacted wherever
    /// they are shown. A later open may change them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<BucketCredentials>,
}

impl fmt::Debug for BucketMountConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at {}", self.bucket, self.mount_path)
    }
}

impl BucketMountConfig {
    pub(crate) fn redact(&mut self) {
        self.credentials = self.credentials.as_ref().map(BucketCredentials::redacted);
    }
}

/// A checked mount, with its directory in containers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountedBucket {
    /// The mounted bucket.
    pub mount: BucketMount,
    /// The directory.
    pub path: AbsolutePath,
}

/// The buckets that sessions may mount.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedBuckets {
    /// The variable `BUCKET_BINDINGS`.
    pub bindings: Vec<String>,
    /// The variable `BUCKET_ENDPOINTS`.
    pub endpoints: Vec<String>,
    /// The variable `BACKUP_BINDINGS`: more buckets with snapshots than the default one.
    pub backup_bindings: Vec<String>,
    /// Prefix of backups of Sandbox SDK 1.0 in those buckets. Empty, or ends with `/`.
    pub sdk_backups_prefix: String,
}

impl AllowedBuckets {
    fn has_backups(&self, binding: &str) -> bool {
        binding == DEFAULT_BACKUP_BINDING || self.backup_bindings.iter().any(|own| own == binding)
    }

    /// Prefixes that no mount may reach. SDK backups at the root need none: their keys have no `/`,
    /// but every mount's prefix ends with one.
    fn kept(&self) -> impl Iterator<Item = &str> {
        let sdk = self.sdk_backups_prefix.as_str();
        std::iter::once(BACKUPS).chain((!sdk.is_empty() && sdk != BACKUPS).then_some(sdk))
    }

    /// The field and reason for refusing a mount: the operator does not list the bucket, or the
    /// mount would show snapshots or SDK backups.
    #[must_use]
    pub fn problem(&self, mount: &BucketMount) -> Option<(&'static str, String)> {
        let BucketMount { bucket, prefix, remote, .. } = mount;
        if let Some(Remote { endpoint, .. }) = remote {
            let is_it =
                |listed: &String| Endpoint::parse("", listed).is_ok_and(|it| it == *endpoint);
            if self.endpoints.iter().any(is_it) {
                return None;
            }
            let problem = "is not one that the variable BUCKET_ENDPOINTS lists".to_owned();
            return Some(("endpoint", problem));
        }
        if !self.bindings.contains(bucket) {
            let problem = format!(
                "{bucket} is not one of the bindings that the variable BUCKET_BINDINGS lists"
            );
            return Some(("bucket", problem));
        }
        let overlaps = |kept: &str| kept.starts_with(prefix.as_str()) || prefix.starts_with(kept);
        if self.has_backups(bucket) && self.kept().any(overlaps) {
            let kept: Vec<String> =
                self.kept().map(|kept| format!("/{}", kept.trim_end_matches('/'))).collect();
            let kept = kept.join(" and ");
            let problem = format!("{bucket} holds snapshots: set a prefix apart from {kept}");
            return Some(("prefix", problem));
        }
        None
    }
}

impl WorkspaceConfig {
    /// Checks the mounts against what the operator allows. Only the first open does this.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`.
    pub fn check_allowed_buckets(&self, allowed: &AllowedBuckets) -> Result<()> {
        self.bucket_mounts.iter().flatten().enumerate().try_for_each(|(index, asked)| match allowed
            .problem(&asked.mount(index)?)
        {
            Some((field, problem)) => Err(invalid(index, field, problem)),
            None => Ok(()),
        })
    }

    /// Checks the mounts, without regard to what the operator allows.
    pub(crate) fn checked_buckets(&self, saved: &SavedDirs) -> Result<Vec<MountedBucket>> {
        let asked = self.bucket_mounts.as_deref().unwrap_or_default();
        if asked.len() > BUCKET_MOUNTS_MAX {
            let problem = format!("are more than {BUCKET_MOUNTS_MAX}");
            return Err(Error::invalid("bucketMounts", problem));
        }
        if self.share_across_sessions && !asked.is_empty() {
            let problem = "are not for a sandbox that sessions share";
            return Err(Error::invalid("bucketMounts", problem));
        }
        let mut mounted: Vec<MountedBucket> = Vec::new();
        for (index, asked) in asked.iter().enumerate() {
            if asked.credentials.is_some() && asked.endpoint.is_none() {
                let problem = "need an endpoint; an R2 binding needs none";
                return Err(invalid(index, "credentials", problem));
            }
            let mount = asked.mount(index)?;
            let path = self.mount_path(index, &asked.mount_path, saved)?;
            for other in &mounted {
                if path.overlaps(other.path.as_str()) {
                    let problem = format!("{path} overlaps {} of another mount", other.path);
                    return Err(invalid(index, "mountPath", problem));
                }
                let (a, b) = (&mount, &other.mount);
                if a.bucket == b.bucket && a.remote != b.remote {
                    let problem =
                        format!("mounts of {} must agree on endpoint and credentials", a.bucket);
                    let [a, b] = [a, b].map(|mount| mount.remote.as_ref().map(|it| &it.endpoint));
                    let field = if a == b { "credentials" } else { "endpoint" };
                    return Err(invalid(index, field, problem));
                }
                let same = a.prefix.starts_with(&b.prefix) || b.prefix.starts_with(&a.prefix);
                if a.bucket == b.bucket && same && a.read_only != b.read_only {
                    let problem = format!(
                        "mounts of overlapping parts of {} must agree on readOnly",
                        a.bucket
                    );
                    return Err(invalid(index, "readOnly", problem));
                }
            }
            mounted.push(MountedBucket { mount, path });
        }
        Ok(mounted)
    }

    fn mount_path(&self, index: usize, text: &str, saved: &SavedDirs) -> Result<AbsolutePath> {
        let invalid = |problem: String| Err(invalid(index, "mountPath", problem));
        let path = AbsolutePath::parse(&path_of(index, "mountPath"), text)?;
        let is_under = |dirs: &[&str]| dirs.iter().any(|dir| path.is_at_or_under(dir));
        if path.as_str().contains('\n') {
            return invalid("must not contain a line end".to_owned());
        }
        if let Some(dir) = saved.iter().find(|dir| path.overlaps(dir.as_str())) {
            let problem = format!(
                "{path} is in a snapshot, or contains one: keep it apart from {}",
                dir.as_str()
            );
            return invalid(problem);
        }
        if path.as_str() == "/" || path.as_str() == "/var" || is_under(&SYSTEM) {
            return invalid(format!("{path} is a directory of the system"));
        }
        if self.persist == Some(Persist::Machine) && !is_under(&UNSAVED) {
            let problem = format!(
                "{path} is in a snapshot of the machine: use a directory below /run, /tmp or /var/tmp"
            );
            return invalid(problem);
        }
        Ok(path)
    }
}

impl BucketMountConfig {
    fn mount(&self, index: usize) -> Result<BucketMount> {
        let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        if !(1..=64).contains(&self.bucket.len()) || !self.bucket.bytes().all(is_name) {
            let problem = "must be 1 to 64 characters of A-Z a-z 0-9 _ - .";
            return Err(invalid(index, "bucket", problem));
        }
        let prefix = self.prefix.as_deref().map_or(Ok(String::new()), |text| {
            prefix(text).map_err(|problem| invalid(index, "prefix", problem))
        })?;
        let endpoint = self.endpoint.as_deref();
        let remote = endpoint.map(|endpoint| self.remote(index, endpoint)).transpose()?;
        Ok(BucketMount { bucket: self.bucket.clone(), prefix, read_only: self.read_only, remote })
    }

    fn remote(&self, index: usize, endpoint: &str) -> Result<Remote> {
        let endpoint = Endpoint::parse(&path_of(index, "endpoint"), endpoint)?;
        // The name becomes a segment of a URL.
        if !self.bucket.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.')
            || self.bucket.starts_with('.')
            || self.bucket.ends_with('.')
        {
            let problem = "with endpoint, must have only characters of A-Z a-z 0-9 - ., and no . at either end";
            return Err(invalid(index, "bucket", problem));
        }
        let problem = self.credentials.as_ref().and_then(BucketCredentials::problem);
        if let Some((field, problem)) = problem {
            return Err(invalid(index, field, problem));
        }
        Ok(Remote { endpoint, credentials: self.credentials.clone() })
    }
}

/// From a path such as `/2024` to the prefix `2024/`.
fn prefix(text: &str) -> std::result::Result<String, String> {
    let path = text.strip_prefix('/').ok_or("must begin with /")?;
    let path = path.strip_suffix('/').unwrap_or(path);
    if path.is_empty() {
        return Ok(String::new());
    }
    let wrong = |segment: &str| matches!(segment, "" | "." | "..");
    if text.len() > BUCKET_PREFIX_MAX_BYTES
        || path.split('/').any(wrong)
        || path.chars().any(char::is_control)
    {
        return Err(format!(
            "must be a path without empty, . and .. segments, of at most {BUCKET_PREFIX_MAX_BYTES} bytes"
        ));
    }
    Ok(format!("{path}/"))
}

pub(super) fn path_of(index: usize, field: &str) -> String {
    format!("bucketMounts[{index}].{field}")
}

fn invalid(index: usize, field: &str, problem: impl fmt::Display) -> Error {
    Error::invalid(&path_of(index, field), problem)
}

#[cfg(test)]
mod tests;
