//! The Workers platform: the only code that names `worker`, `wasm_bindgen` or `js_sys`.

mod agent_host;
mod alarm;
mod clock;
mod container;
mod container_js;
mod convert;
mod log;
mod panic;
mod r2;
mod random;
mod sandbox;
mod sandbox_client;
mod settings;
mod sql;
mod transfer;
mod wiring;
mod worker;
