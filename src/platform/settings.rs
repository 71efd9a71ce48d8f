//! The Worker's variables and secrets.

use crate::usecases::sandbox::TransferSizes;
use worker::Env;

/// A variable, if it is set and not empty.
fn var(env: &Env, name: &str) -> Option<String> {
    env.var(name).ok().map(|value| value.to_string()).filter(|value| !value.is_empty())
}

/// The operator's token.
pub fn api_token(env: &Env) -> Option<String> {
    env.secret("API_TOKEN").ok().map(|token| token.to_string())
}

/// R2 bindings that a session may name beside the default.
pub fn backup_bindings(env: &Env) -> Vec<String> {
    var(env, "BACKUP_BINDINGS")
        .map(|names| names.split(',').map(|name| name.trim().to_owned()).collect())
        .unwrap_or_default()
}

/// When archives go up in parts. A test build takes smaller sizes from
/// variables, so that a small archive can show what a huge one does.
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

/// When archives go up in parts.
#[cfg(not(feature = "test-hooks"))]
pub fn transfer_sizes(_env: &Env) -> TransferSizes {
    TransferSizes::default()
}
