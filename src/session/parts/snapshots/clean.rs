//! Clean sandboxes: containers in which no caller's command ever runs. Callers' commands run as
//! root, and may replace every tool of their container. So archives of other snapshots are
//! extracted, imported and packed in a clean sandbox, which lives for one call.

use crate::domain::egress::{EgressPolicy, NetworkMode};
use crate::domain::limits::{CLEAN_SLEEP_AFTER_MS, RECOVER_AFTER_MS};
use crate::domain::{InstanceId, Result, SandboxId};
use crate::ports::random::random_bytes;
use crate::ports::sandbox::{ConfigureOptions, FlattenBackupOptions, SandboxApi};
use crate::session::parts::{Context, InFlight, InUseGuard, LoadedSession, Quotas};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Starts and ends clean sandboxes.
pub struct CleanSandboxes {
    context: Rc<Context>,
    in_flight: Rc<InFlight>,
    quotas: Rc<Quotas>,
}

/// If the call ends without [`CleanSandboxes::end`], the alarm destroys the sandbox.
pub(crate) struct Clean<'a> {
    pub id: SandboxId,
    pub sandbox: Rc<dyn SandboxApi>,
    pub instance: InstanceId,
    _working: InUseGuard<'a, String>,
}

impl Clean<'_> {
    pub(crate) fn options(&self) -> FlattenBackupOptions {
        FlattenBackupOptions { instance_id: Some(self.instance.clone()) }
    }
}

impl CleanSandboxes {
    pub(crate) fn new(context: Rc<Context>, in_flight: Rc<InFlight>, quotas: Rc<Quotas>) -> Self {
        Self { context, in_flight, quotas }
    }

    /// Starts a container of the session's size that reaches nothing. Order: alarm, row, container.
    /// However the call ends, the alarm finds the row.
    pub(crate) async fn begin(&self, open: &LoadedSession) -> Result<Clean<'_>> {
        let alarm = &self.context.ports.alarm;
        alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        let idle = self.quotas.find_idle(open).await?;
        let id = SandboxId::clean(random_bytes(self.context.ports.random.as_ref())?);
        let sandbox = self.context.ports.sandboxes.get(&id)?;
        // No await from this check to the row, which counts at once.
        self.quotas.check_clean_quota(open, &idle)?;
        self.context.catalogue.add_clean(&id)?;
        let working = self.in_flight.work_on(id.as_str());
        let started = async {
            sandbox.configure(self.configuration(open)).await?;
            sandbox.ensure_running().await
        };
        match started.await {
            Ok(instance) => Ok(Clean { id, sandbox, instance, _working: working }),
            Err(error) => {
                self.destroy(&id).await;
                Err(error)
            }
        }
    }

    fn configuration(&self, open: &LoadedSession) -> ConfigureOptions {
        ConfigureOptions {
            sleep_after_ms: Some(CLEAN_SLEEP_AFTER_MS),
            env_vars: Some(BTreeMap::new()),
            enable_internet: None,
            egress: Some(EgressPolicy { mode: NetworkMode::Off, ..EgressPolicy::default() }),
            bucket_mounts: Some(Vec::new()),
            instance_type: open.config.instance_type.clone(),
            persist_machine: None,
            session: Some(self.context.session.clone()),
            only_of: None,
        }
    }

    pub(crate) async fn end(&self, clean: Clean<'_>) {
        self.destroy(&clean.id).await;
    }

    /// If this fails, the row stays, and the alarm retries. The row also stays while its backup is
    /// pending: it says which sandbox to ask.
    async fn destroy(&self, id: &SandboxId) {
        let destroyed = match self.context.ports.sandboxes.get(id) {
            Ok(sandbox) => sandbox.destroy().await,
            Err(error) => Err(error),
        };
        let is_settled = self.context.catalogue.makes_pending(id).map(|pending| !pending);
        if destroyed.is_ok() && is_settled == Ok(true) {
            let _left_to_the_alarm = self.context.catalogue.drop_clean(id);
        }
    }

    /// None while its output streams or its backup is pending.
    pub(crate) async fn recover(&self, id: &SandboxId) -> Result<Option<&'static str>> {
        let _working = self.in_flight.work_on(id.as_str());
        let sandbox = self.context.ports.sandboxes.get(id)?;
        if self.context.catalogue.makes_pending(id)? || sandbox.runs_commands().await? {
            return Ok(None);
        }
        sandbox.destroy().await?;
        self.context.catalogue.drop_clean(id)?;
        Ok(Some("destroyed"))
    }
}
