//! Sends requests to servers in the container.

use crate::domain::error::{Error, ErrorCode, Next, Outcome, Result};
use crate::domain::limits::PREVIEW_WAIT_MS;
use crate::ports::log::Level;
use crate::sandbox::SandboxService;
use crate::sandbox::parts::answering::{Answering, PortOptions};
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::scripts::{LISTENING, complaint, script};
use serde_json::json;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Listens {
    All,
    /// Programs in the container, and perhaps the platform.
    Loopback,
}

impl SandboxService {
    /// Sends a request to a server in the container. Waits until a server listens, unless one
    /// answered before. If `send` fails and `is_repeatable` is true, sends again.
    ///
    /// # Errors
    /// `CONFLICT` if no server listens; `UNAVAILABLE`; `WORKSPACE_LOST` if the container has
    /// another disk, or ended.
    pub async fn send_to_port<T>(
        &self,
        options: &PortOptions,
        is_repeatable: bool,
        send: impl AsyncFn() -> Result<T>,
    ) -> Result<T> {
        Ports::from(self).send(options, is_repeatable, send).await
    }
}

parts!(Ports { context: Context, container: Rc<SandboxContainer>, answering: Answering });

impl Ports<'_> {
    async fn send<T>(
        &self,
        options: &PortOptions,
        is_repeatable: bool,
        send: impl AsyncFn() -> Result<T>,
    ) -> Result<T> {
        self.container.require_disk(Some(&options.instance_id)).await?;
        if self.answering.has(options) {
            match send().await {
                Err(_) if is_repeatable => {}
                sent => return self.note_sent(options, sent, Listens::All).await,
            }
        }
        let listens = self.await_port(options.port).await?;
        let sent = send().await;
        self.note_sent(options, sent, listens).await
    }

    async fn note_sent<T>(
        &self,
        options: &PortOptions,
        sent: Result<T>,
        listens: Listens,
    ) -> Result<T> {
        self.answering.note(options, sent.is_ok());
        match sent {
            Ok(answer) => Ok(answer),
            Err(error) => {
                let error = self.container.explain(error).await;
                let (port, code, cause) = (options.port, error.code, &error.cause);
                let fields = json!({ "port": port, "code": code, "cause": cause });
                self.context.note(Level::Warn, "sandbox.port", fields);
                if error.code == ErrorCode::WorkspaceLost || listens == Listens::All {
                    return Err(error);
                }
                let message = format!(
                    "the server on port {} listens only on the container's own address",
                    options.port
                );
                Err(Error::new(ErrorCode::Conflict, message)
                    .with_hint("start it on all addresses, e.g. with --host 0.0.0.0"))
            }
        }
    }

    async fn await_port(&self, port: u16) -> Result<Listens> {
        let command = script(LISTENING, &[&port.to_string(), &(PREVIEW_WAIT_MS / 100).to_string()]);
        let output = self.container.run(&command).await?;
        match output.stdout.as_slice() {
            b"all\n" => Ok(Listens::All),
            b"loopback\n" => Ok(Listens::Loopback),
            b"none\n" => Err(Error::new(
                ErrorCode::Conflict,
                format!("no server listens on port {port} of the workspace"),
            )
            .with_outcome(Outcome::None)
            .with_hint(Next::StartServer)),
            _ => Err(Error::new(
                ErrorCode::Unavailable,
                "the container does not say whether a server listens in it",
            )
            .with_outcome(Outcome::None)
            .with_cause(complaint(&output))),
        }
    }
}
