//! The Worker's variables and secrets.

use crate::api::http::Secrets;
use crate::domain::arguments::read;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::{
    CONTAINER_RESPONSE_TIMEOUT_MS, MAX_CONCURRENT_STARTS_MAX, MAX_POOL_CONTAINERS_MAX,
    SWEEP_EVERY_MS,
};
use crate::domain::session::config::AllowedBuckets;
use crate::domain::snapshot::archive::sdk_prefix;
use crate::domain::snapshot::retention::{RetentionConfig, RetentionPolicy};
use crate::sandbox::TransferSizes;
use crate::session::SessionSettings;
use serde_json::Value;
use worker::Env;

/// A variable, if it is set and not empty.
fn var(env: &Env, name: &str) -> Option<String> {
    env.var(name).ok().map(|value| value.to_string()).filter(|value| !value.is_empty())
}

fn secret(env: &Env, name: &str) -> Option<String> {
    env.secret(name).ok().map(|value| value.to_string()).filter(|value| !value.is_empty())
}

fn list(env: &Env, name: &str) -> Vec<String> {
    var(env, name)
        .map(|names| names.split(',').map(|name| name.trim().to_owned()).collect())
        .unwrap_or_default()
}

/// The secrets that authenticate requests.
pub fn secrets(env: &Env) -> Secrets {
    Secrets { api_token: secret(env, "API_TOKEN"), token_keys: secret(env, "TOKEN_KEYS") }
}

/// Required settings and bindings that this deployment lacks.
pub fn missing(env: &Env) -> Vec<&'static str> {
    let mut missing = Vec::new();
    for name in ["AGENT_HOST", "SANDBOX"] {
        if env.durable_object(name).is_err() {
            missing.push(name);
        }
    }
    if env.bucket("BACKUP_BUCKET").is_err() {
        missing.push("BACKUP_BUCKET");
    }
    if secret(env, "API_TOKEN").is_none() {
        missing.push("API_TOKEN");
    }
    missing
}

/// Origins of web pages that may call, in addition to our own.
pub fn allowed_origins(env: &Env) -> Vec<String> {
    list(env, "ALLOWED_ORIGINS")
}

/// R2 bindings that sessions may use in addition to the default.
pub fn backup_bindings(env: &Env) -> Vec<String> {
    list(env, "BACKUP_BINDINGS")
}

/// Buckets that sessions may mount.
pub fn buckets(env: &Env) -> AllowedBuckets {
    AllowedBuckets {
        bindings: list(env, "BUCKET_BINDINGS"),
        endpoints: list(env, "BUCKET_ENDPOINTS"),
        backup_bindings: backup_bindings(env),
        sdk_backups_prefix: sdk_backups_prefix(env),
    }
}

/// The host below which each preview has its own host.
pub fn preview_host(env: &Env) -> Option<String> {
    var(env, "PREVIEW_HOST")
}

fn sdk_backups_prefix(env: &Env) -> String {
    sdk_prefix(var(env, "SDK_BACKUPS_PREFIX").as_deref())
}

/// How many containers may start at once, over all sessions. None if any number may.
pub fn max_concurrent_starts(env: &Env) -> Result<Option<u32>> {
    let Some(text) = var(env, "MAX_CONCURRENT_STARTS") else { return Ok(None) };
    match text.parse() {
        Ok(limit @ 1..=MAX_CONCURRENT_STARTS_MAX) => Ok(Some(limit)),
        Ok(_) | Err(_) => Err(Error::new(
            ErrorCode::NotConfigured,
            format!("the variable MAX_CONCURRENT_STARTS: must be 1 to {MAX_CONCURRENT_STARTS_MAX}"),
        )
        .with_hint("correct it in wrangler.toml, or leave it empty for no limit")),
    }
}

/// Maximum number of containers in all warm pools. 0 turns pools off.
pub fn max_pool_containers(env: &Env) -> Result<u32> {
    let Some(text) = var(env, "MAX_POOL_CONTAINERS") else { return Ok(0) };
    text.parse().ok().filter(|limit| *limit <= MAX_POOL_CONTAINERS_MAX).ok_or_else(|| {
        Error::new(
            ErrorCode::NotConfigured,
            format!("the variable MAX_POOL_CONTAINERS: must be 0 to {MAX_POOL_CONTAINERS_MAX}"),
        )
        .with_hint("correct it in wrangler.toml, or leave it empty for no warm pools")
    })
}

/// Settings of a session.
pub fn host(env: &Env) -> Result<SessionSettings> {
    Ok(SessionSettings {
        backup_bindings: backup_bindings(env),
        buckets: buckets(env),
        api_token: secret(env, "API_TOKEN"),
        token_keys: secret(env, "TOKEN_KEYS"),
        preview_host: preview_host(env),
        retention: retention(env)?,
        sdk_backups_prefix: sdk_backups_prefix(env),
        sweep_every_ms: sweep_every_ms(env),
        spread_ms: spread_ms(env),
    })
}

/// Longest random delay of overdue upkeep. A test build does not wait unless a variable says so.
#[cfg(feature = "test-hooks")]
fn spread_ms(env: &Env) -> u64 {
    var(env, "TEST_SPREAD_MS").and_then(|value| value.parse().ok()).unwrap_or(0)
}

#[cfg(not(feature = "test-hooks"))]
const fn spread_ms(_env: &Env) -> u64 {
    crate::domain::limits::SPREAD_MS
}

/// How often a sweep looks up each snapshot in R2. In a test build a variable, because no test
/// waits a day.
#[cfg(feature = "test-hooks")]
fn sweep_every_ms(env: &Env) -> i64 {
    let given = var(env, "TEST_SWEEP_EVERY_MS").and_then(|value| value.parse().ok());
    given.unwrap_or(SWEEP_EVERY_MS)
}

#[cfg(not(feature = "test-hooks"))]
fn sweep_every_ms(_env: &Env) -> i64 {
    SWEEP_EVERY_MS
}

/// Response timeout of a container. In a test build a variable, because no test waits that long.
#[cfg(feature = "test-hooks")]
pub fn response_timeout_ms(env: &Env) -> u64 {
    let given = var(env, "TEST_RESPONSE_TIMEOUT_MS").and_then(|value| value.parse().ok());
    given.unwrap_or(CONTAINER_RESPONSE_TIMEOUT_MS)
}

/// Response timeout of a container.
#[cfg(not(feature = "test-hooks"))]
pub const fn response_timeout_ms(_env: &Env) -> u64 {
    CONTAINER_RESPONSE_TIMEOUT_MS
}

/// The defaults for a session's retention policy. The variable `RETENTION` has them, in the JSON of
/// `retention` in a session's configuration.
fn retention(env: &Env) -> Result<RetentionPolicy> {
    let Some(text) = var(env, "RETENTION") else { return Ok(RetentionPolicy::default()) };
    serde_json::from_str::<Value>(&text)
        .map_err(|error| Error::invalid("RETENTION", error))
        .and_then(|value| read::<RetentionConfig>("RETENTION", value))
        .and_then(|config| config.check("RETENTION", &RetentionPolicy::default()))
        .map_err(|error| {
            Error::new(ErrorCode::NotConfigured, format!("the variable {}", error.message))
                .with_hint("correct it in wrangler.toml, or leave it empty")
        })
}

/// The size from which archives are uploaded in parts. In a test build a variable, so that a small
/// archive tests the code path of a huge one.
#[cfg(feature = "test-hooks")]
pub fn transfer_sizes(env: &Env) -> TransferSizes {
    let bytes = |name: &str| var(env, name).and_then(|value| value.parse().ok());
    let default = TransferSizes::default();
    TransferSizes {
        single_put_max_bytes: bytes("TEST_SINGLE_PUT_MAX_BYTES")
            .unwrap_or(default.single_put_max_bytes),
        part_bytes: bytes("TEST_PART_BYTES").unwrap_or(default.part_bytes),
    }
}

/// The size from which archives are uploaded in parts.
#[cfg(not(feature = "test-hooks"))]
pub fn transfer_sizes(_env: &Env) -> TransferSizes {
    TransferSizes::default()
}
