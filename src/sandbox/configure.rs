//! Persists the configuration, and destroys the container with it.

use crate::domain::egress::secret::check_secrets;
use crate::domain::error::{Error, Result};
use crate::domain::limits::SLEEP_AFTER_MAX_MS;
use crate::domain::session::config::check_env_vars;
use crate::ports::sandbox::ConfigureOptions;
use crate::sandbox::parts::backups::Backups;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use std::rc::Rc;

const SLEEP_AFTER_MIN_MS: u64 = 1_000;

parts!(Configure { context: Context, container: Rc<SandboxContainer>, backups: Backups });

impl Configure<'_> {
    /// Destroys the container and forgets the configuration. Backups in R2 stay, but unfinished
    /// ones are cleaned up.
    pub(crate) async fn destroy(&self) -> Result<()> {
        self.container.destroy_sandbox().await?;
        self.backups.recover().await;
        Ok(())
    }

    /// Merges the given options into the stored ones. Starts nothing.
    pub(crate) async fn set(&self, options: ConfigureOptions) -> Result<()> {
        check(&options)?;
        // No await between reading and writing: two calls can't lose each other's fields.
        let before = self.context.store.configuration()?;
        if options.only_of.is_some() && options.only_of != before.session {
            return Ok(());
        }
        let reached = before.buckets().to_vec();
        let merged = ConfigureOptions {
            sleep_after_ms: options.sleep_after_ms.or(before.sleep_after_ms),
            env_vars: options.env_vars.or(before.env_vars),
            enable_internet: options.enable_internet.or(before.enable_internet),
            egress: options.egress.or_else(|| before.egress.clone()),
            bucket_mounts: options.bucket_mounts.or(before.bucket_mounts),
            instance_type: options.instance_type.or(before.instance_type),
            persist_machine: options.persist_machine.or(before.persist_machine),
            session: options.session.or(before.session),
            only_of: None,
        };
        self.context.store.set_configuration(&merged)?;
        let applied = async {
            if merged.egress != before.egress || merged.buckets() != reached {
                self.container.apply_egress(&merged).await?;
            }
            match options.sleep_after_ms {
                Some(ms) if before.sleep_after_ms != Some(ms) => {
                    self.container.apply_sleep_after(ms).await
                }
                _ => Ok(()),
            }
        };
        let applied = applied.await;
        if applied.is_err() {
            // The configuration is stored, so an equal one would not apply it. The next call
            // applies it.
            self.container.claim_again();
        }
        applied
    }
}

fn check(options: &ConfigureOptions) -> Result<()> {
    if let Some(ms) = options.sleep_after_ms
        && !(SLEEP_AFTER_MIN_MS..=SLEEP_AFTER_MAX_MS).contains(&ms)
    {
        return Err(Error::invalid(
            "sleepAfterMs",
            format!("must be {SLEEP_AFTER_MIN_MS} to {SLEEP_AFTER_MAX_MS}"),
        ));
    }
    if let Some(vars) = &options.env_vars {
        check_env_vars("envVars", vars)?;
    }
    if let Some(egress) = &options.egress {
        check_secrets(&egress.secrets)?;
    }
    let is_type_name = |name: &String| {
        (1..=32).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if options.instance_type.as_ref().is_some_and(|name| !is_type_name(name)) {
        return Err(Error::invalid("instanceType", "must be a name such as standard-1"));
    }
    Ok(())
}
