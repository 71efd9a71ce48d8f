//! Run a script: JavaScript in an isolate beside the session, without a container.

mod answers;
mod conversation;
mod lines;
mod message;
pub(crate) mod types;

use crate::domain::exec::script::ScriptNetwork;
use crate::domain::limits::{
    SCRIPT_CODE_MAX_BYTES, SCRIPT_CPU_MAX_MS, SCRIPT_ERROR_MAX_BYTES, SCRIPT_LOGS_MAX_BYTES,
    SCRIPT_SUBREQUESTS_MAX, SCRIPT_VALUE_MAX_BYTES,
};
use crate::domain::{Error, ErrorCode, Result, ScriptCapability};
use crate::ports::isolates::{LOADER_BINDING, Program};
use crate::session::exec::script::conversation::Conversation;
use crate::session::exec::script::types::{ScriptRequest, ScriptResult, ScriptTools};
use crate::session::parts::Context;
use crate::session::parts::scripts::Scripts;
use crate::session::{Abort, Session};
use serde_json::json;

const HARNESS: &str = include_str!("harness.js");
const GUARD: &str = include_str!("guard.js");

parts!(RunScript { context: Context, scripts: Scripts });

impl Session {
    /// Runs a script in an isolate of its own. It reaches the session by `tools`, and
    /// nothing else unless the session allows it the network. A script that fails is a
    /// result. Starts no container, unless a tool does.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the script module; `TOO_LARGE`; `QUOTA_EXCEEDED`;
    /// `NOT_CONFIGURED` without the binding; `ABORTED`.
    pub async fn run_script(
        &self,
        request: ScriptRequest,
        tools: &dyn ScriptTools,
        abort: &Abort,
    ) -> Result<ScriptResult> {
        RunScript::from(self).run_script(request, tools, abort).await
    }
}

impl RunScript<'_> {
    async fn run_script(
        &self,
        request: ScriptRequest,
        tools: &dyn ScriptTools,
        abort: &Abort,
    ) -> Result<ScriptResult> {
        let open = self.context.require_open()?;
        let Some(settings) = &open.config.modules.script else { return Err(module_missing()) };
        if request.code.len() > SCRIPT_CODE_MAX_BYTES {
            let problem = format!("code: has more than {SCRIPT_CODE_MAX_BYTES} bytes");
            return Err(Error::new(ErrorCode::TooLarge, problem)
                .with_hint("read long data from a file of the session"));
        }
        let ports = &self.context.ports;
        if !ports.isolates.are_available() {
            return Err(loader_missing());
        }
        let _running = self.scripts.begin()?;
        abort.step("running the script")?;
        let conversation = Conversation {
            isolates: ports.isolates.as_ref(),
            clock: ports.clock.as_ref(),
            program: program(&request.code, &tools.names(), settings),
            max_duration_ms: settings.max_duration_ms,
            tools,
            abort,
        };
        conversation.run().await
    }
}

/// A script with its harness.
fn program(code: &str, tools: &[&str], settings: &ScriptCapability) -> Program {
    let network = settings.network == ScriptNetwork::Allow;
    let config = json!({
        "tools": tools,
        "network": network,
        // With room to say that the rest is left out.
        "logsMaxChars": SCRIPT_LOGS_MAX_BYTES - 100,
        "valueMaxBytes": SCRIPT_VALUE_MAX_BYTES,
        "errorMaxChars": SCRIPT_ERROR_MAX_BYTES,
    });
    Program {
        modules: vec![
            ("harness.js", HARNESS.to_owned()),
            ("guard.js", GUARD.to_owned()),
            ("config.js", format!("export default {config};")),
            // The script's lines keep their numbers. A script that closes the function early runs
            // in the same isolate, where it can do no more.
            ("script.js", format!("export default async (workspace) => {{ {code}\n}};")),
        ],
        network,
        cpu_ms: settings.max_duration_ms.min(SCRIPT_CPU_MAX_MS),
        subrequests: SCRIPT_SUBREQUESTS_MAX,
    }
}

fn module_missing() -> Error {
    Error::new(ErrorCode::Unsupported, "this session has no script module")
        .with_hint("use a session whose first open declares capabilities.script")
}

/// The refusal of scripts in a Worker that can't run them.
pub(crate) fn loader_missing() -> Error {
    let problem =
        format!("capabilities.script needs the binding {LOADER_BINDING}, which is missing");
    Error::new(ErrorCode::NotConfigured, problem).with_hint(format!(
        "add [[worker_loaders]] with binding = \"{LOADER_BINDING}\" to wrangler.toml, or leave capabilities.script out"
    ))
}
