//! A Rust Worker whose agent object holds a session's host itself: no
//! `AgentHost` between, and none of the crate's own exports.

use snapshotter::domain::config::WorkspaceConfig;
use snapshotter::domain::error::Result;
use snapshotter::domain::ids::ForkKind;
use snapshotter::domain::refs::SnapshotSelector;
use snapshotter::platform;
use snapshotter::ports::sandbox::{CommandLine, Encoding};
use snapshotter::usecases::host::{Abort, Host, RunRequest, SnapshotRequest, WriteFileRequest};
use worker::{Context, DurableObject, Env, Request, Response, State, durable_object, event};

/// The agent. Its session is its own name.
#[durable_object]
pub struct RustAgent {
    host: Result<Host>,
}

impl DurableObject for RustAgent {
    fn new(state: State, env: Env) -> Self {
        platform::guard();
        Self { host: platform::host(&state, &env) }
    }

    async fn fetch(&self, _request: Request) -> worker::Result<Response> {
        let answer = match &self.host {
            Ok(host) => attempt(host).await,
            Err(error) => Err(error.clone()),
        };
        platform::respond(&answer.map(|stdout| serde_json::json!({ "stdout": stdout })))
    }
}

/// Write, snapshot, break, restore, and see that it works again.
async fn attempt(host: &Host) -> Result<String> {
    host.wake().await?;
    host.open(WorkspaceConfig::default())?;
    write(host, "print('works')").await?;
    let snapshot = host.snapshot(SnapshotRequest::default(), &Abort::default()).await?;
    write(host, "print(").await?;
    let selector = SnapshotSelector::Id(snapshot.snapshot.id);
    let forked = host.fork(ForkKind::Restored, &selector, false, &Abort::default()).await?;
    host.switch(&forked.r#ref).await?;
    let command = CommandLine::Argv(vec!["python3".to_owned(), "app.py".to_owned()]);
    let run =
        RunRequest { command, cwd: None, env: Default::default(), timeout_ms: None, stdin: None };
    host.run(run).await.map(|result| result.stdout)
}

async fn write(host: &Host, content: &str) -> Result<()> {
    let request = WriteFileRequest {
        path: "app.py".to_owned(),
        content: content.to_owned(),
        encoding: Encoding::Utf8,
    };
    host.write_file(request).await.map(drop)
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    env.durable_object("RustAgent")?.get_by_name("rust-agent")?.fetch_with_request(request).await
}
