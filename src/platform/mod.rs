//! The Workers platform: the only code that names `worker`, `wasm_bindgen` or `js_sys`.
//!
//! A Worker that depends on this crate without the feature `worker-exports`
//! makes its own objects of [`host()`] and [`sandbox()`], and can answer HTTP with
//! [`serve`], to which its objects [`answer`]. Each of its entry points calls [`guard`] first.

#[cfg(feature = "worker-exports")]
mod agent_host;
mod alarm;
mod budgets;
mod captured;
mod clock;
mod container;
mod container_js;
mod convert;
#[cfg(feature = "worker-exports")]
mod directory;
mod directory_client;
mod host_client;
mod http;
mod log;
mod mcp;
mod messages;
mod objects;
mod panic;
mod piping;
mod process;
mod r2;
mod random;
mod responding;
#[cfg(feature = "worker-exports")]
mod sandbox;
mod sandbox_client;
mod sessions_client;
mod settings;
mod sql;
mod stream;
mod transfer;
mod wiring;

pub use clock::RuntimeClock;
pub use convert::{error_to_js, json_from_js, to_js};
pub use http::{answer, serve};
pub use log::ConsoleLog;
pub use messages::respond;
pub use panic::guard;
pub use wiring::{alarms, directory, host, incident_id, sandbox};

#[cfg(feature = "worker-exports")]
mod export {
    use worker::{Context, Env, Request, Response, event};

    #[event(fetch)]
    async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
        super::guard();
        super::serve(request, env).await
    }
}
