//! [`Isolates`] over a Worker Loader binding.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::platform::container::js::{get, number, object, set, words};
use crate::platform::container::stream::{JsBytes, readable};
use crate::ports::isolates::{Isolates, LOADER_BINDING, Program, Started};
use crate::ports::stream::Bytes;
use crate::session::exec::script::loader_missing;
use async_trait::async_trait;
use js_sys::{Array, Object, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;
use worker::Env;

/// The platform's API for programs. Everything in a program except the script is ours, so this
/// changes only with the harness.
const COMPATIBILITY_DATE: &str = "2026-10-01";

/// As in `wrangler.toml`: a program's requests to the Worker's own zone pass the edge like
/// anyone's, instead of going directly to the zone's origin.
const COMPATIBILITY_FLAG: &str = "global_fetch_strictly_public";

#[wasm_bindgen]
extern "C" {
    type JsLoader;

    /// Loads code into an isolate that nothing else uses.
    #[wasm_bindgen(method, catch)]
    fn load(this: &JsLoader, code: &Object) -> std::result::Result<JsLoaded, JsValue>;

    type JsLoaded;

    #[wasm_bindgen(method, catch, js_name = getEntrypoint)]
    fn entrypoint(this: &JsLoaded) -> std::result::Result<JsEntrypoint, JsValue>;

    type JsEntrypoint;

    /// Resolves to a `Response`.
    #[wasm_bindgen(method, catch)]
    fn fetch(
        this: &JsEntrypoint,
        url: &str,
        init: &Object,
    ) -> std::result::Result<Promise, JsValue>;
}

/// The isolates behind the binding `LOADER`.
pub struct LoadedIsolates {
    env: Env,
}

impl LoadedIsolates {
    /// The isolates of this environment.
    pub const fn new(env: Env) -> Self {
        Self { env }
    }

    fn loader(&self) -> Option<JsLoader> {
        let binding = get(self.env.as_ref(), LOADER_BINDING);
        binding.is_object().then(|| binding.unchecked_into())
    }
}

#[async_trait(?Send)]
impl Isolates for LoadedIsolates {
    fn are_available(&self) -> bool {
        self.loader().is_some()
    }

    async fn start(&self, program: &Program, input: Bytes) -> Result<Started> {
        let loader = self.loader().ok_or_else(loader_missing)?;
        match begun(&loader, program, input).await {
            Ok(response) => {
                let body = get(&response, "body");
                if get(&response, "status").as_f64() != Some(200.0) || !body.is_object() {
                    return Err(failed("an isolate answered without a stream".to_owned()));
                }
                Ok(Started::Running(Box::new(JsBytes::new(body.unchecked_into()))))
            }
            Err(thrown) => refused(words(&thrown)),
        }
    }
}

async fn begun(
    loader: &JsLoader,
    program: &Program,
    input: Bytes,
) -> std::result::Result<JsValue, JsValue> {
    let entrypoint = loader.load(&code(program))?.entrypoint()?;
    let input = readable(input).map_err(|error| JsValue::from(error.to_string()))?;
    let ending = EndOnDrop(Some(AbortController::new()?));
    let init = object(&[("method", "POST".into()), ("body", input.into())]);
    if let Some(controller) = &ending.0 {
        set(&init, "signal", &controller.signal());
    }
    let response = JsFuture::from(entrypoint.fetch("http://script/", &init)?).await;
    ending.disarm();
    response
}

fn code(program: &Program) -> Object {
    let modules = Object::new();
    for (name, source) in &program.modules {
        set(&modules, name, &source.as_str().into());
    }
    let main = program.modules.first().map_or("", |(name, _)| name);
    let limits = object(&[
        ("cpuMs", number(program.cpu_ms).into()),
        ("subRequests", program.subrequests.into()),
    ]);
    let code = object(&[
        ("compatibilityDate", COMPATIBILITY_DATE.into()),
        ("compatibilityFlags", Array::of1(&COMPATIBILITY_FLAG.into()).into()),
        ("mainModule", main.into()),
        ("modules", modules.into()),
        ("env", Object::new().into()),
        ("limits", limits.into()),
    ]);
    if !program.network {
        set(&code, "globalOutbound", &JsValue::NULL);
    }
    code
}

/// Ends a program when nobody waits for its response any more.
struct EndOnDrop(Option<AbortController>);

impl EndOnDrop {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}

/// For a broken program, the platform's error says why. The platform's own failures have only a
/// reference as their text.
fn refused(thrown: String) -> Result<Started> {
    if thrown.starts_with("internal error") {
        return Err(failed(thrown));
    }
    let text = thrown.trim_start_matches("Failed to start Worker:").trim();
    Ok(Started::Refused(text.trim_start_matches("Uncaught ").to_owned()))
}

fn failed(cause: String) -> Error {
    Error::new(ErrorCode::Unavailable, "the platform did not run the script")
        .with_outcome(Outcome::Unknown)
        .with_cause(cause)
}
