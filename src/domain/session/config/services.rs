//! Commands that run in each of a session's containers.

use crate::domain::limits::{SERVICES_MAX, SERVICES_MAX_BYTES};
use crate::domain::session::config::modules::Modules;
use crate::domain::{AbsolutePath, CommandLine, Error, ProcessName, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// A command that runs in the background of each workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServiceConfig {
    /// The name of its process.
    pub name: ProcessName,
    /// Shell command, or program and arguments. Shown to callers: secrets belong in
    /// `envVars`.
    pub command: CommandLine,
    /// Directory under the workspace to run in. Default: its root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// A checked service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Name of the service's process.
    pub name: ProcessName,
    /// The command to run.
    pub command: CommandLine,
    /// The working directory.
    pub cwd: AbsolutePath,
}

/// Checks services by the rules for commands, so that no service can do what commands may not.
pub(crate) fn check_services(
    asked: &[ServiceConfig],
    root: &AbsolutePath,
    modules: &Modules,
) -> Result<Vec<Service>> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let Some(shell) = &modules.shell else {
        return Err(Error::invalid("services", "need the shell module")
            .with_hint("declare capabilities.shell, or leave services out"));
    };
    if modules.read_only {
        return Err(Error::invalid("services", "are not for a read-only session"));
    }
    if asked.len() > SERVICES_MAX {
        return Err(Error::invalid("services", format!("are more than {SERVICES_MAX}")));
    }
    if asked.iter().map(|service| service.command.size_bytes()).sum::<usize>() > SERVICES_MAX_BYTES
    {
        let problem = format!("have commands of more than {SERVICES_MAX_BYTES} bytes");
        return Err(Error::invalid("services", problem)
            .with_hint("put long commands into files, and have the services run those"));
    }
    let mut names = BTreeSet::new();
    let checked = asked.iter().map(|service| {
        let ServiceConfig { name, command, cwd } = service;
        if !names.insert(name) {
            return Err(Error::invalid("services", format!("include two with the name {name}")));
        }
        let check = || {
            command.check()?;
            shell.permit(command, &BTreeMap::new())?;
            cwd.as_ref().map_or_else(|| Ok(root.clone()), |cwd| root.resolve("cwd", cwd))
        };
        let cwd = check().map_err(|error| of_service(name, error))?;
        Ok(Service { name: name.clone(), command: command.clone(), cwd })
    });
    checked.collect()
}

fn of_service(name: &ProcessName, mut error: Error) -> Error {
    error.message = format!("services: {name}: {}", error.message);
    error.with_details(json!({ "field": "services" }))
}
