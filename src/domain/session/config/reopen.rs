//! What a later open of a session may change.

use crate::domain::egress::Secret;
use crate::domain::json::render;
use crate::domain::s3::remote::BucketCredentials;
use crate::domain::session::config::buckets::{BucketMountConfig, path_of};
use crate::domain::text::redact::REDACTED;
use crate::domain::{Error, ErrorCode, Result, WorkspaceConfig};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a later open may change, besides `credentials` of buckets and a pool's `size`. These fields
/// only widen what the session's owner sees. Fields that protect others stay.
pub(crate) const REOPENABLE: &[&str] = &[
    "envVars",
    "secrets",
    "services",
    "previewPorts",
    "sleepAfter",
    "keepAwake",
    "autosave",
    "tools",
    "destroyOnClose",
    "forceImage",
];

impl WorkspaceConfig {
    /// The configuration after this open. Changeable fields keep their value from `before` if
    /// omitted. Variables, secrets and credentials also do if this open sends their redacted value.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a redacted value that had none before.
    pub fn over(mut self, before: Option<&Self>) -> Result<Self> {
        let known = before.and_then(|before| before.env_vars.clone()).unwrap_or_default();
        let mut env_vars = self.env_vars.unwrap_or_else(|| known.clone());
        for (name, value) in env_vars.iter_mut().filter(|(_, value)| *value == REDACTED) {
            let known = known.get(name).ok_or_else(|| {
                Error::invalid("envVars", format!("the value of {name} is redacted"))
                    .with_hint("give its value")
            })?;
            value.clone_from(known);
        }
        let destroys = before.and_then(|before| before.destroy_on_close);
        self.env_vars = Some(env_vars);
        self.destroy_on_close = Some(self.destroy_on_close.or(destroys).unwrap_or(false));
        self.sleep_after = self.sleep_after.or(before.and_then(|before| before.sleep_after));
        self.keep_awake = self.keep_awake.or(before.and_then(|before| before.keep_awake));
        self.autosave = self.autosave.or_else(|| before?.autosave.clone());
        self.tools = self.tools.or_else(|| before?.tools.clone());
        self.force_image = self.force_image.or(before.and_then(|before| before.force_image));
        self.services = self.services.or_else(|| before?.services.clone());
        self.preview_ports = self.preview_ports.or_else(|| before?.preview_ports.clone());
        let known = before.and_then(|before| before.secrets.as_ref());
        self.secrets = match self.secrets {
            Some(secrets) => Some(secrets_over(secrets, known)?),
            None => known.cloned(),
        };
        if let Some(mounts) = &mut self.bucket_mounts {
            let known = before.and_then(|before| before.bucket_mounts.as_deref());
            let mut mounts = mounts.iter_mut().enumerate();
            mounts.try_for_each(|(index, mount)| keep_credentials(index, mount, known))?;
        }
        Ok(self)
    }

    /// Refuses a later open that changes the policy.
    ///
    /// # Errors
    /// `CONFLICT` naming the fields.
    pub fn check_policy(&self, before: &Self) -> Result<()> {
        let (asked, set) = (self.policy()?, before.policy()?);
        let differs = |field: &&String| asked.get(*field) != set.get(*field);
        let mut fields: Vec<&String> = asked.keys().chain(set.keys()).filter(differs).collect();
        fields.sort();
        fields.dedup();
        if fields.is_empty() {
            return Ok(());
        }
        let message = format!(
            "config: differs from the policy that the first open set, in: {}",
            fields.iter().map(|field| field.as_str()).collect::<Vec<_>>().join(", ")
        );
        Err(Error::new(ErrorCode::Conflict, message)
            .with_details(json!({ "fields": fields }))
            .with_hint(format!(
                "open with the same config (describe shows it); only {}, credentials of buckets and a pool's size may change",
                REOPENABLE.join(", ")
            )))
    }

    /// The fields that only the first open sets.
    fn policy(&self) -> Result<Map<String, Value>> {
        let Value::Object(mut fields) = render(self)? else {
            return Err(Error::internal("a configuration is not an object"));
        };
        fields.retain(|name, _| !REOPENABLE.contains(&name.as_str()));
        let mounts = fields.get_mut("bucketMounts").and_then(Value::as_array_mut);
        for mount in mounts.into_iter().flatten().filter_map(Value::as_object_mut) {
            mount.remove("credentials");
        }
        // How many containers a pool keeps for others is not this session's policy.
        if let Some(pool) = fields.get_mut("pool").and_then(Value::as_object_mut) {
            pool.remove("size");
        }
        Ok(fields)
    }
}

/// Keeps credentials that are absent or redacted, but only for the same bucket and endpoint.
fn keep_credentials(
    index: usize,
    mount: &mut BucketMountConfig,
    known: Option<&[BucketMountConfig]>,
) -> Result<()> {
    let is_redacted = mount.credentials.as_ref().is_some_and(BucketCredentials::is_redacted);
    if mount.credentials.is_some() && !is_redacted {
        return Ok(());
    }
    let mut known = known.unwrap_or_default().iter();
    let known = known
        .find(|known| known.bucket == mount.bucket && known.endpoint == mount.endpoint)
        .and_then(|known| known.credentials.clone());
    if known.is_none() && is_redacted {
        return Err(Error::invalid(&path_of(index, "credentials"), "are redacted")
            .with_hint("give their values, or leave bucket and endpoint as they were"));
    }
    mount.credentials = known;
    Ok(())
}

/// Restores redacted values. A value stays with its hosts and header, so that a caller who does not
/// know the value can't send it elsewhere.
fn secrets_over(
    mut secrets: BTreeMap<String, Secret>,
    known: Option<&BTreeMap<String, Secret>>,
) -> Result<BTreeMap<String, Secret>> {
    for (name, secret) in secrets.iter_mut().filter(|(_, secret)| secret.value.is_redacted()) {
        let known = known.and_then(|known| known.get(name)).filter(|known| {
            known.hosts == secret.hosts && known.header.eq_ignore_ascii_case(&secret.header)
        });
        let known = known.ok_or_else(|| {
            Error::invalid("secrets", format!("the value of {name} is redacted"))
                .with_hint("give its value, or leave its hosts and header as they were")
        })?;
        secret.value = known.value.clone();
    }
    Ok(secrets)
}
