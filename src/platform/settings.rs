//! The Worker's variables and secrets.

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
