//! Environment variables of a session or of one command.

use crate::domain::limits::{ENV_VARS_MAX, ENV_VARS_MAX_BYTES};
use crate::domain::{Error, Result};
use std::collections::BTreeMap;

/// Pattern of the names that [`check_env_vars`] accepts.
#[cfg(schemas)]
pub(crate) const NAME_PATTERN: &str = "^[A-Za-z_][A-Za-z0-9_]*$";

/// Checks environment variables of a session or of one command. The error
/// message never contains a value.
///
/// # Errors
/// `INVALID_ARGUMENT` about `field`, naming the variable.
pub fn check_env_vars(field: &str, vars: &BTreeMap<String, String>) -> Result<()> {
    if vars.len() > ENV_VARS_MAX {
        return Err(Error::invalid(field, format!("has more than {ENV_VARS_MAX} variables")));
    }
    if vars.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > ENV_VARS_MAX_BYTES
    {
        return Err(Error::invalid(field, format!("is larger than {ENV_VARS_MAX_BYTES} bytes")));
    }
    for (name, value) in vars {
        let mut chars = name.chars();
        let well_formed = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !well_formed {
            return Err(Error::invalid(
                field,
                format!("{name:?} is not a variable name ([A-Za-z_][A-Za-z0-9_]*)"),
            ));
        }
        if value.contains('\0') {
            return Err(Error::invalid(field, format!("the value of {name} contains NUL")));
        }
    }
    Ok(())
}
