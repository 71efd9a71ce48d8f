//! Connects each port to its live adapter.

use crate::api;
use crate::api::operation;
use crate::api::operation::operator::OperatorCall;
use crate::api::operation::{Invocation, Reply, Request, Started};
use crate::directory::DirectoryService;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::SessionId;
use crate::domain::session::scope::Caller;
use crate::operator::{Operator, OperatorPorts};
use crate::platform::alarm::ObjectAlarm;
use crate::platform::budgets::archive_memory;
use crate::platform::clients::directory::BoundDirectory;
use crate::platform::clients::hosts::BoundHosts;
use crate::platform::clients::isolates::LoadedIsolates;
use crate::platform::clients::pools::BoundPools;
use crate::platform::clients::sandbox::BoundSandboxes;
use crate::platform::clients::sessions::BoundSessions;
use crate::platform::clients::starts::BoundStarts;
use crate::platform::clock::RuntimeClock;
use crate::platform::container::ObjectContainer;
use crate::platform::container::egress::EgressEntrypoint;
use crate::platform::container::js::{JsContainer, get};
use crate::platform::container::responding::RespondingContainer;
use crate::platform::log::ConsoleLog;
use crate::platform::r2::R2Buckets;
use crate::platform::random::RuntimeRandom;
use crate::platform::settings;
use crate::platform::sql::ObjectSql;
use crate::platform::stubs::has_pools;
use crate::pools::{PoolsPorts, PoolsService};
use crate::ports::bucket::Buckets;
use crate::ports::pools::Pools;
use crate::ports::starts::Starts;
use crate::sandbox::{ResponseTimeout, SandboxPorts, SandboxService};
use crate::session::{Abort, Alarms, Session, SessionPorts, StoredTrees};
use crate::starts::StartsService;
use serde_json::Value;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use worker::{Env, State};

/// The session that an `AgentHost` object is named after.
pub fn host(state: &State, env: &Env) -> Result<Session> {
    let name = state.id().name().ok_or_else(|| {
        Error::invalid("session", "address an AgentHost by name: getByName(session)")
    })?;
    let buckets: Rc<dyn Buckets> = Rc::new(R2Buckets::new(env.clone()));
    let (clock, archives) = (Rc::new(RuntimeClock), archive_memory());
    let trees =
        StoredTrees { buckets: buckets.clone(), clock: clock.clone(), archives: archives.clone() };
    let ports = SessionPorts {
        clock,
        random: Rc::new(RuntimeRandom),
        log: Rc::new(ConsoleLog),
        database: Rc::new(ObjectSql::new(state.storage().sql())),
        alarm: Rc::new(ObjectAlarm::new(state.storage())),
        buckets,
        sandboxes: Rc::new(BoundSandboxes::new(env.clone())),
        directory: Rc::new(BoundDirectory::new(env.clone())),
        sessions: Rc::new(BoundSessions::new(env.clone())),
        pools: bound_pools(env)?,
        isolates: Rc::new(LoadedIsolates::new(env.clone())),
        archives,
        trees: Rc::new(trees),
    };
    Session::new(SessionId::parse(&name)?, settings::host(env)?, ports)
}

/// Keeps the alarm of an `AgentHost` object scheduled.
pub fn alarms(state: &State) -> Alarms {
    Alarms {
        label: state.id().name().unwrap_or_else(|| state.id().to_string()),
        alarm: Rc::new(ObjectAlarm::new(state.storage())),
        clock: Rc::new(RuntimeClock),
        log: Rc::new(ConsoleLog),
        failures: Cell::default(),
    }
}

/// The service of the `Directory` object.
pub fn directory(state: &State) -> Result<DirectoryService> {
    let database = Rc::new(ObjectSql::new(state.storage().sql()));
    DirectoryService::new(Rc::new(RuntimeClock), database)
}

/// The service of the `Starts` object.
pub fn starts(state: &State, env: &Env) -> Result<StartsService> {
    let database = Rc::new(ObjectSql::new(state.storage().sql()));
    let limit = settings::max_concurrent_starts(env)?;
    StartsService::new(limit, Rc::new(RuntimeClock), Rc::new(ConsoleLog), database)
}

/// The service of the `Pools` object.
pub fn pools(state: &State, env: &Env) -> Result<PoolsService> {
    let ports = PoolsPorts {
        clock: Rc::new(RuntimeClock),
        random: Rc::new(RuntimeRandom),
        log: Rc::new(ConsoleLog),
        database: Rc::new(ObjectSql::new(state.storage().sql())),
        alarm: Rc::new(ObjectAlarm::new(state.storage())),
        buckets: Rc::new(R2Buckets::new(env.clone())),
        sandboxes: Rc::new(BoundSandboxes::new(env.clone())),
    };
    PoolsService::new(settings::max_pool_containers(env)?, ports)
}

fn bound_pools(env: &Env) -> Result<Option<Rc<dyn Pools>>> {
    let limit = settings::max_pool_containers(env)?;
    Ok((limit > 0).then(|| Rc::new(BoundPools::new(env.clone())) as Rc<dyn Pools>))
}

fn bound_starts(env: &Env) -> Result<Option<Rc<dyn Starts>>> {
    let limit = settings::max_concurrent_starts(env)?;
    Ok(limit.map(|_| Rc::new(BoundStarts::new(env.clone())) as Rc<dyn Starts>))
}

/// Runs one of the operator's calls over the live ports.
pub async fn operate(env: &Env, call: &OperatorCall) -> Result<Value> {
    let ports = OperatorPorts {
        clock: Rc::new(RuntimeClock),
        log: Rc::new(ConsoleLog),
        directory: Rc::new(BoundDirectory::new(env.clone())),
        hosts: Rc::new(BoundHosts::new(env.clone())),
        buckets: Rc::new(R2Buckets::new(env.clone())),
        starts: bound_starts(env)?,
        // Also without the variable, because containers of pools that an earlier deploy allowed may
        // still run.
        pools: has_pools(env).then(|| Rc::new(BoundPools::new(env.clone())) as Rc<dyn Pools>),
    };
    let operator = Operator::new(settings::backup_bindings(env), ports);
    call.run(&operator, &RuntimeClock, &ConsoleLog, incident_id).await
}

/// The service of a `Sandbox` object.
pub fn sandbox(state: State, env: &Env) -> Result<SandboxService> {
    let label = state.id().name().unwrap_or_else(|| state.id().to_string());
    let database = Rc::new(ObjectSql::new(state.storage().sql()));
    let container = state.container().ok_or_else(|| {
        Error::new(ErrorCode::NotConfigured, "the class Sandbox has no container")
            .with_hint("add it under [[containers]] in wrangler.toml")
    })?;
    let container = JsValue::from(container).unchecked_into::<JsContainer>();
    let timeout = ResponseTimeout::new(Rc::new(RuntimeClock), settings::response_timeout_ms(env));
    let container = RespondingContainer::new(container, timeout);
    let id = state.id().to_string();
    let exports = get(&state._inner().into(), "exports");
    let ports = SandboxPorts {
        clock: Rc::new(RuntimeClock),
        random: Rc::new(RuntimeRandom),
        log: Rc::new(ConsoleLog),
        database,
        buckets: Rc::new(R2Buckets::new(env.clone())),
        container: Rc::new(ObjectContainer::new(
            container,
            EgressEntrypoint::new(exports, id),
            env.clone(),
        )),
        starts: bound_starts(env)?,
    };
    SandboxService::new(label, settings::transfer_sizes(env), ports)
}

/// Runs an operation over the live ports. `abort` is the caller's signal.
pub async fn run(
    host: &Session,
    caller: &Caller,
    invocation: Invocation,
    abort: &Abort,
) -> Result<Value> {
    host.start().await?;
    operation::run(host, caller, invocation, abort, &RuntimeClock, &ConsoleLog, incident_id).await
}

/// Like [`run`], for a caller that accepts a stream, and may send one.
pub async fn reply(
    host: &Session,
    caller: &Caller,
    request: Request,
    abort: &Abort,
) -> Result<Reply> {
    host.start().await?;
    let (clock, log) = (&RuntimeClock, &ConsoleLog);
    operation::reply(host, caller, request, abort, clock, log, incident_id).await
}

/// Starts an operation over the live ports. The caller has to run its work.
pub async fn start(host: Rc<Session>, caller: Caller, invocation: Invocation) -> Result<Started> {
    host.start().await?;
    let (clock, log) = (Rc::new(RuntimeClock), Rc::new(ConsoleLog));
    operation::start(host, caller, invocation, clock, log, incident_id).await
}

/// A random id for an incident, by which its log line can be found.
pub fn incident_id() -> String {
    api::run::incident_id(&RuntimeRandom)
}
