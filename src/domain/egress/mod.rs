//! What containers may reach outside, and with which secrets.

pub mod host;
pub mod policy;
pub mod secret;

pub use crate::domain::egress::host::HostPattern;
pub use crate::domain::egress::policy::{
    EgressPolicy, EgressRequest, Interception, NetworkMode, RefusedHost, Verdict,
};
pub use crate::domain::egress::secret::{Secret, SecretHost, SecretValue};
