//! What a caller lets the session's containers reach.

use crate::domain::egress::secret::check_secrets;
use crate::domain::egress::{EgressPolicy, HostPattern, NetworkMode, Secret};
use crate::domain::limits::NETWORK_HOSTS_MAX;
use crate::domain::{Error, Result, WorkspaceConfig};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What containers may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkConfig {
    /// `open`: the Internet. `off`: nothing. `allowlist`: `hosts` alone, over HTTP and HTTPS.
    pub mode: NetworkMode,
    /// For mode `allowlist`: public hosts such as `example.com`, or `*.example.com` for all hosts
    /// below it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(schemas, schemars(length(max = NETWORK_HOSTS_MAX)))]
    pub hosts: Vec<HostPattern>,
    /// Lets a session whose mode is not `open` have `previewPorts`: a preview's page runs in its
    /// visitor's browser, which reaches the Internet. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previews: Option<bool>,
}

impl WorkspaceConfig {
    pub(crate) fn egress_policy(&self) -> Result<EgressPolicy> {
        let network = match (&self.network, self.enable_internet) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid(
                    "enableInternet",
                    "can't be combined with network; leave one out",
                ));
            }
            (Some(network), None) => network.clone(),
            (None, Some(false)) => {
                NetworkConfig { mode: NetworkMode::Off, ..NetworkConfig::default() }
            }
            (None, _) => NetworkConfig::default(),
        };
        let NetworkConfig { mode, hosts, previews: _ } = network;
        if mode != NetworkMode::Allowlist && !hosts.is_empty() {
            return Err(Error::invalid("network.hosts", "are only for mode allowlist"));
        }
        if hosts.len() > NETWORK_HOSTS_MAX {
            return Err(Error::invalid(
                "network.hosts",
                format!("are more than {NETWORK_HOSTS_MAX}"),
            ));
        }
        let secrets = self.secrets.clone().unwrap_or_default();
        check_secrets(&secrets)?;
        check_reachable(mode, &hosts, &secrets)?;
        Ok(EgressPolicy { mode, hosts, secrets })
    }
}

impl WorkspaceConfig {
    /// Refuses previews of a closed network unless the first open asks for both.
    pub(crate) fn check_previews(&self, egress: &EgressPolicy) -> Result<()> {
        let asks = self.network.as_ref().is_some_and(|network| network.previews == Some(true));
        let has_ports = self.preview_ports.as_ref().is_some_and(|ports| !ports.is_empty());
        if !has_ports || egress.is_open() || asks {
            return Ok(());
        }
        Err(Error::invalid(
            "previewPorts",
            "would let data out of the closed network: a preview's page runs in its visitor's browser, which \
             reaches the Internet",
        )
        .with_hint("leave previewPorts out, or accept that with network.previews: true"))
    }
}

/// A secret does not make its hosts reachable, so the network policy must allow them.
fn check_reachable(
    mode: NetworkMode,
    hosts: &[HostPattern],
    secrets: &BTreeMap<String, Secret>,
) -> Result<()> {
    let is_reachable = |host: &HostPattern| match mode {
        NetworkMode::Open => true,
        NetworkMode::Off => false,
        NetworkMode::Allowlist => hosts.iter().any(|allowed| allowed.covers(host)),
    };
    for (name, secret) in secrets {
        if let Some(host) = secret.hosts.iter().find(|host| !is_reachable(&host.pattern)) {
            let problem =
                format!("{} is not reached: network.hosts has to allow it", host.pattern.as_str());
            return Err(Error::invalid(&format!("secrets.{name}.hosts"), problem));
        }
    }
    Ok(())
}
