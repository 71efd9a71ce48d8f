//! The environment of commands.

use crate::domain::error::Result;
use crate::domain::s3::environment::VARIABLES;
use crate::sandbox::parts::context::Context;
use crate::sandbox::scripts::CA_BUNDLE;
use std::collections::BTreeMap;

/// Variables that most programs need. From the image's environment, the platform passes on only
/// `PATH`. Without `IS_SANDBOX`, coding agents such as Claude Code refuse to work unattended as
/// root. Configuration and call override these.
const BASE_ENV: [(&str, &str); 3] = [("HOME", "/root"), ("LANG", "C.UTF-8"), ("IS_SANDBOX", "1")];
/// Variables that name the trusted certificates, for OpenSSL (with Python), curl, git, Python's
/// requests, pip, Node.js (with npm), the AWS tools, Cargo, Deno. Set if the platform decrypts
/// requests.
const CA_VARIABLES: [&str; 9] = [
    "SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "DENO_CERT",
];

pub(crate) fn environment(
    context: &Context,
    own: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>> {
    let base = BASE_ENV.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    let configuration = context.store.configuration()?;
    let trusts = !configuration.egress_policy().interception().https.is_empty();
    let trusted = if trusts { CA_VARIABLES.as_slice() } else { &[] };
    let trusted = trusted.iter().map(|name| ((*name).into(), CA_BUNDLE.into()));
    let has_buckets = !configuration.buckets().is_empty();
    let buckets = if has_buckets { VARIABLES.as_slice() } else { &[] };
    let buckets = buckets.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    let configured = configuration.env_vars.unwrap_or_default();
    Ok(base.chain(trusted).chain(buckets).chain(configured).chain(own).collect())
}
