//! The object's container, waited for only while it answers anything.

use super::captured::Captured;
use super::container_js::{ExecProcess, JsContainer, SIGTERM, unavailable};
use crate::domain::error::{Error, Result};
use crate::usecases::sandbox::Answers;
use futures::channel::oneshot;
use js_sys::{Array, Object, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// `ctx.container`, and when it has answered last.
#[derive(Clone)]
pub struct AnsweringContainer {
    /// For what needs no answer.
    pub js: JsContainer,
    answers: Rc<Answers>,
}

impl AnsweringContainer {
    pub fn new(js: JsContainer, answers: Answers) -> Self {
        Self { js, answers: Rc::new(answers) }
    }

    /// Whether a request was given up, and none has been answered since.
    pub fn is_silent(&self) -> bool {
        self.answers.is_silent()
    }

    /// Starts it. Needs no answer.
    pub fn start(&self, options: &Object) -> Result<()> {
        self.answers.begin_anew();
        self.js.start(options).map_err(unavailable)
    }

    /// Begins a process. One that begins after it was given up is told to end.
    pub async fn exec(&self, argv: &[&str], options: &Object) -> Result<ExecProcess> {
        let argv: Array = argv.iter().map(|word| JsValue::from_str(word)).collect();
        let promise = self.js.exec(&argv, options).map_err(unavailable)?;
        let (sender, begun) = oneshot::channel();
        let answers = self.answers.clone();
        // By itself: nobody may wait for it any more.
        spawn_local(async move {
            let begun = JsFuture::from(promise).await;
            answers.came();
            if let Err(Ok(late)) = sender.send(begun) {
                end(&late.unchecked_into()).await;
            }
        });
        let begun = self.answers.wait(begun).await?;
        let begun = begun.map_err(|_dropped| Error::internal("a command's beginning was lost"))?;
        begun.map(JsCast::unchecked_into).map_err(unavailable)
    }

    /// The outcome of any other request.
    pub async fn answer(&self, promise: Promise) -> Result<()> {
        self.answers.wait(JsFuture::from(promise)).await?.map(drop).map_err(unavailable)
    }
}

/// Ends a process that nobody reads. What it prints meanwhile is read: an engine
/// that can't get rid of it tells the end of no other process.
async fn end(process: &ExecProcess) {
    // It fails where the process has ended already.
    let _ = process.kill(SIGTERM);
    let _ = Captured::new(0, 0).until_end(process).await;
}
