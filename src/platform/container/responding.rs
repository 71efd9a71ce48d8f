//! The object's container with a response timeout.

use crate::domain::error::{Error, Result};
use crate::platform::container::captured::Captured;
use crate::platform::container::js::{ExecProcess, JsContainer, SIGTERM, unavailable};
use crate::sandbox::ResponseTimeout;
use futures::channel::oneshot;
use js_sys::{Array, Object, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// `ctx.container`, and when it last responded.
#[derive(Clone)]
pub struct RespondingContainer {
    /// For calls that need no response.
    pub js: JsContainer,
    timeout: Rc<ResponseTimeout>,
}

impl RespondingContainer {
    pub fn new(js: JsContainer, timeout: ResponseTimeout) -> Self {
        Self { js, timeout: Rc::new(timeout) }
    }

    /// Whether a request timed out and no response has come since.
    pub fn is_unresponsive(&self) -> bool {
        self.timeout.is_unresponsive()
    }

    /// Starts the container. Needs no response.
    pub fn start(&self, options: &Object) -> Result<()> {
        self.timeout.reset();
        self.js.start(options).map_err(unavailable)
    }

    /// Starts a process. If it starts after the caller gave up, it is ended.
    pub async fn exec(&self, argv: &[&str], options: &Object) -> Result<ExecProcess> {
        let argv: Array = argv.iter().map(|word| JsValue::from_str(word)).collect();
        let promise = self.js.exec(&argv, options).map_err(unavailable)?;
        let (sender, begun) = oneshot::channel();
        let timeout = self.timeout.clone();
        // On its own task: the caller may have given up.
        spawn_local(async move {
            let begun = JsFuture::from(promise).await;
            timeout.note_response();
            if let Err(Ok(late)) = sender.send(begun) {
                end(&late.unchecked_into()).await;
            }
        });
        let begun = self.timeout.wait(begun).await?;
        let begun = begun.map_err(|_dropped| Error::internal("a command's beginning was lost"))?;
        begun.map(JsCast::unchecked_into).map_err(unavailable)
    }

    /// Waits for any other request.
    pub async fn answer(&self, promise: Promise) -> Result<()> {
        self.timeout.wait(JsFuture::from(promise)).await?.map(drop).map_err(unavailable)
    }
}

/// Ends a process and reads its output to the end: while an engine has
/// undelivered output, it reports the end of no other process.
async fn end(process: &ExecProcess) {
    // Fails if the process has already ended.
    let _ = process.kill(SIGTERM);
    let _ = Captured::new(0, 0).until_end(process).await;
}
