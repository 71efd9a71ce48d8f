//! Services: the configuration's commands, as background processes in each container. Their state
//! is on its disk; this object remembers them only to save asking the container.

use crate::domain::limits::SERVICE_LOG_SHOWN_BYTES;
use crate::domain::session::config::Service;
use crate::domain::{Error, ErrorBody, ErrorCode, InstanceId, ProcessName, Result, SandboxId};
use crate::ports::sandbox::{ProcessOptions, ProcessState, ProcessView, StartProcessOptions};
use crate::session::catalogue::Restart;
use crate::session::parts::{Active, Context, LoadedSession};
use futures::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A service, as the active workspace has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ServiceView {
    /// Its name.
    pub name: ProcessName,
    /// Its process. Null if no container runs, or if it has not been started in this one.
    pub process: Option<ProcessView>,
    /// The last KiB that it printed, or null.
    pub log: Option<String>,
    /// Why it could not be started or looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
}

pub(crate) struct Services {
    context: Rc<Context>,
    known: RefCell<BTreeMap<SandboxId, Known>>,
}

enum Known {
    /// The next start also starts services that have ended.
    Renewed,
    Started(Started),
}

struct Started {
    instance: InstanceId,
    services: Vec<Service>,
    failed: BTreeMap<ProcessName, ErrorBody>,
}

#[derive(Default)]
struct Starts {
    failed: BTreeMap<ProcessName, ErrorBody>,
    conflict: bool,
}

impl Starts {
    fn retryable(&self) -> bool {
        self.failed.values().any(|error| error.retryable)
    }
}

impl Services {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, known: RefCell::default() }
    }

    pub(crate) fn forget(&self, id: &SandboxId) {
        self.known.borrow_mut().remove(id);
    }

    /// Makes the next [`Self::start`] also start services that have ended.
    pub(crate) fn renew(&self, id: &SandboxId) {
        self.known.borrow_mut().insert(id.clone(), Known::Renewed);
    }

    pub(crate) async fn restart(&self, open: &LoadedSession, active: &Active) {
        let id = &active.workspace.sandbox_id;
        self.renew(id);
        if self.start_missing(open, active).await.conflict {
            // The running service may have been about to end. The next call tries once more.
            self.renew(id);
        }
    }

    /// Starts services that this container has not had yet. A failure is logged, and fails no call.
    pub(crate) async fn start(&self, open: &LoadedSession, active: &Active) {
        self.start_missing(open, active).await;
    }

    async fn start_missing(&self, open: &LoadedSession, active: &Active) -> Starts {
        let mut starts = Starts::default();
        if self.is_started(active, &open.config.services) {
            return starts;
        }
        // The caller may have loaded the configuration before another open changed it.
        let Ok(LoadedSession { config, .. }) = self.context.load() else { return starts };
        if self.is_started(active, &config.services) {
            return starts;
        }
        let id = &active.workspace.sandbox_id;
        let Ok(mut missing) = self.wanted(id, &config.services) else { return starts };
        let started = Started {
            instance: active.instance.clone(),
            services: config.services,
            failed: BTreeMap::new(),
        };
        // No await since the check: only one of several calls starts them.
        let before = self.known.borrow_mut().insert(id.clone(), Known::Started(started));
        let renewed = matches!(before, Some(Known::Renewed));
        if missing.is_empty() {
            return starts;
        }
        if !renewed {
            match active.sandbox.list_processes(on(&active.instance)).await {
                Ok(had) => {
                    missing.retain(|one| !had.processes.iter().any(|had| is_of(had, &one.service)));
                }
                Err(error) => {
                    self.log_failure(id, None, &error);
                    self.forget(id);
                    return starts;
                }
            }
        }
        let timeout = config.modules.shell.and_then(|shell| shell.max_duration_ms);
        let started = missing.into_iter().map(async |one| {
            let name = one.service.name.clone();
            (name, start_one(active, one, timeout).await)
        });
        for (name, started) in join_all(started).await {
            match started {
                Ok(()) => {}
                Err(error) if error.code == ErrorCode::Conflict => starts.conflict = true,
                Err(error) => {
                    self.log_failure(id, Some(&name), &error);
                    starts.failed.insert(name, error.to_wire().error);
                }
            }
        }
        self.note(active, &starts, renewed);
        starts
    }

    /// With the processes started with `restart`: one with a service's name takes its place.
    fn wanted(&self, id: &SandboxId, services: &[Service]) -> Result<Vec<Restart>> {
        let mut wanted = self.context.catalogue.restarts_of(id)?;
        for service in services {
            if !wanted.iter().any(|one| one.service.name == service.name) {
                wanted.push(Restart { service: service.clone(), env: BTreeMap::new() });
            }
        }
        Ok(wanted)
    }

    fn note(&self, active: &Active, starts: &Starts, renewed: bool) {
        let id = &active.workspace.sandbox_id;
        let mut known = self.known.borrow_mut();
        // Another call may have found another container or configuration meanwhile.
        let Some(Known::Started(started)) = known.get_mut(id) else { return };
        if started.instance != active.instance {
            return;
        }
        started.failed.clone_from(&starts.failed);
        if starts.retryable() {
            if renewed {
                known.insert(id.clone(), Known::Renewed);
            } else {
                known.remove(id);
            }
        }
    }

    fn is_started(&self, active: &Active, services: &[Service]) -> bool {
        match self.known.borrow().get(&active.workspace.sandbox_id) {
            Some(Known::Started(started)) => {
                started.instance == active.instance && started.services == services
            }
            // A workspace without services may have processes to start again.
            _ => false,
        }
    }

    fn log_failure(&self, id: &SandboxId, name: Option<&ProcessName>, error: &Error) {
        let fields = json!({
            "sandboxId": id, "service": name,
            "code": error.code, "message": error.message, "cause": error.cause,
        });
        self.context.warn("service.failed", fields);
    }

    pub(crate) async fn views(
        &self,
        open: &LoadedSession,
        running: Option<&Active>,
    ) -> Vec<ServiceView> {
        let views = open.config.services.iter().map(|service| self.view(service, running));
        join_all(views).await
    }

    async fn view(&self, service: &Service, running: Option<&Active>) -> ServiceView {
        let name = service.name.clone();
        let absent = ServiceView { name: name.clone(), process: None, log: None, error: None };
        let Some(active) = running else { return absent };
        let options =
            ProcessOptions { max_bytes: Some(SERVICE_LOG_SHOWN_BYTES), ..on(&active.instance) };
        match active.sandbox.read_process_log(name, options).await {
            Ok(read) => ServiceView { process: Some(read.process), log: Some(read.text), ..absent },
            Err(error) if error.code == ErrorCode::NotFound => {
                ServiceView { error: self.failure(active, service), ..absent }
            }
            Err(error) => ServiceView { error: Some(error.to_wire().error), ..absent },
        }
    }

    fn failure(&self, active: &Active, service: &Service) -> Option<ErrorBody> {
        match self.known.borrow().get(&active.workspace.sandbox_id)? {
            Known::Started(started) if started.instance == active.instance => {
                started.failed.get(&service.name).cloned()
            }
            _ => None,
        }
    }
}

/// Whether a process is the service's, or has its name for as long as it runs.
fn is_of(process: &ProcessView, service: &Service) -> bool {
    process.name == service.name
        && (process.state == ProcessState::Running || process.command == service.command.shown())
}

async fn start_one(active: &Active, wanted: Restart, timeout: Option<u64>) -> Result<()> {
    let Restart { service: Service { name, command, cwd }, env } = wanted;
    let instance_id = Some(active.instance.clone());
    let options = StartProcessOptions { cwd, env, timeout, instance_id };
    active.sandbox.start_process(name, command, options).await.map(drop)
}

fn on(instance: &InstanceId) -> ProcessOptions {
    ProcessOptions { instance_id: Some(instance.clone()), ..ProcessOptions::default() }
}
