//! A Rust Worker whose agent object holds a session's host itself, without an
//! `AgentHost` and without the crate's own exports.
//!
//! Its agent carries out the plan of tests/workers/coding-agent.ts: a first
//! version and its tests, a snapshot, a risky change that fails, a restore, two
//! branches, the better one kept.

mod plan;

use snapshotter::domain::error::Result;
use snapshotter::platform;
use snapshotter::session::{Alarms, Session};
use worker::{Context, DurableObject, Env, Request, Response, State, durable_object, event};

/// The agent. Its own name is its session's id.
#[durable_object(alarm)]
pub struct RustAgent {
    host: Result<Session>,
    alarms: Alarms,
}

impl DurableObject for RustAgent {
    fn new(state: State, env: Env) -> Self {
        platform::guard();
        Self { host: platform::host(&state, &env), alarms: platform::alarms(&state) }
    }

    async fn fetch(&self, _request: Request) -> worker::Result<Response> {
        let answer = match &self.host {
            Ok(host) => plan::carry_out(host).await,
            Err(error) => Err(error.clone()),
        };
        platform::respond(answer)
    }

    /// The host schedules it, to recover after a crash.
    async fn alarm(&self) -> worker::Result<Response> {
        let recovered = match &self.host {
            Ok(host) => host.recover().await,
            Err(error) => Err(error.clone()),
        };
        // An alarm that fails fires again, however often it failed.
        let ended = self.alarms.ended(recovered).await;
        ended.map_err(|error| worker::Error::RustError(error.to_string()))?;
        Response::empty()
    }
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    env.durable_object("RustAgent")?.get_by_name("rust-agent")?.fetch_with_request(request).await
}
