//! What the agent does, in the crate's own types.

use serde_json::{Value, json};
use snapshotter::domain::session::config::WorkspaceConfig;
use snapshotter::domain::error::{Error, Result};
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::sandbox::{CommandLine, Encoding, ExecResult};
use snapshotter::session::{
    Abort, Annotations, EditFileRequest, Session, ReadFileRequest, RunRequest, SnapshotRequest, WriteFileRequest,
};

const ATTEMPTS: [(&str, &str); 2] = [
    ("stop early", include_str!("../../fixtures/median/stats_stop_early.py")),
    ("sorted", include_str!("../../fixtures/median/stats_sorted.py")),
];

/// One attempt at a quicker version.
struct Attempt {
    name: &'static str,
    workspace: WorkspaceRef,
    verdict: Verdict,
}

/// The result of an attempt. The program reports its `comparisons`; fewer are better.
struct Verdict {
    passed: bool,
    comparisons: u32,
}

/// Edit, test, snapshot, risk, restore, branch twice, keep the better.
pub async fn carry_out(host: &Session) -> Result<Value> {
    host.start().await?;
    host.open(WorkspaceConfig::default()).await?;
    write_first_version(host).await?;
    let works = SnapshotSelector::Name("works".to_owned());

    let risk = take_the_risk(host).await?;
    if !risk.passed {
        fork(host, RestoreKind::Restored, &works).await?;
    }
    let mut attempts = Vec::new();
    for (name, source) in ATTEMPTS {
        let workspace = fork(host, RestoreKind::Branch, &works).await?;
        write(host, "stats.py", source).await?;
        attempts.push(Attempt { name, workspace, verdict: judge(host).await? });
    }
    let kept = keep_the_better(host, attempts).await?;

    let request = ReadFileRequest { path: "stats.py".to_owned(), ..ReadFileRequest::default() };
    let content = host.read_file(request).await?.answer.content;
    let workspaces = host.list_workspaces().await?.workspaces.len();
    Ok(
        json!({ "riskPassed": risk.passed, "kept": kept, "content": content, "workspaces": workspaces }),
    )
}

async fn write_first_version(host: &Session) -> Result<()> {
    write(host, "stats.py", include_str!("../../fixtures/median/stats.py")).await?;
    write(host, "test_stats.py", include_str!("../../fixtures/median/test_stats.py")).await?;
    write(host, "measure.py", include_str!("../../fixtures/median/measure.py")).await?;
    if !judge(host).await?.passed {
        return Err(Error::internal("the first version fails its tests"));
    }
    let annotations = Annotations { name: Some("works".to_owned()), ..Annotations::default() };
    let request = SnapshotRequest { annotations, ..SnapshotRequest::default() };
    host.snapshot(request, &Abort::default()).await.map(drop)
}

/// Sorts the caller's own list, which a test forbids.
async fn take_the_risk(host: &Session) -> Result<Verdict> {
    let edit = EditFileRequest {
        path: "stats.py".to_owned(),
        old_text: "ordered = list(numbers)".to_owned(),
        new_text: "ordered = numbers".to_owned(),
        replace_all: false,
        workspace: None,
    };
    host.edit_file(edit).await?;
    judge(host).await
}

async fn keep_the_better(host: &Session, mut attempts: Vec<Attempt>) -> Result<&'static str> {
    attempts.retain(|attempt| attempt.verdict.passed);
    attempts.sort_by_key(|attempt| attempt.verdict.comparisons);
    let mut attempts = attempts.into_iter();
    let best = attempts.next().ok_or_else(|| Error::internal("no attempt passes"))?;
    host.switch(&best.workspace).await?;
    for worse in attempts {
        host.destroy_workspace(&worse.workspace).await?;
    }
    Ok(best.name)
}

/// Makes a workspace from a snapshot and switches to it.
async fn fork(host: &Session, kind: RestoreKind, snapshot: &SnapshotSelector) -> Result<WorkspaceRef> {
    let forked = host.make_workspace(kind, snapshot, false, &Abort::default()).await?;
    host.switch(&forked.r#ref).await
}

async fn judge(host: &Session) -> Result<Verdict> {
    let tests = python(host, &["-m", "unittest", "-q"]).await?;
    let measured = python(host, &["measure.py"]).await?;
    let comparisons = measured.stdout.trim().parse().unwrap_or(u32::MAX);
    Ok(Verdict { passed: tests.success, comparisons })
}

async fn python(host: &Session, arguments: &[&str]) -> Result<ExecResult> {
    let words = ["python3", "-B"].iter().chain(arguments);
    let command = CommandLine::Argv(words.map(|word| (*word).to_owned()).collect());
    let env = Default::default();
    let request = RunRequest { command, cwd: None, env, timeout_ms: None, wait_ms: None, stdin: None, max_output_bytes: None, workspace: None };
    host.run(request).await.map(|result| result.answer)
}

async fn write(host: &Session, path: &str, content: &str) -> Result<()> {
    let request = WriteFileRequest {
        path: path.to_owned(),
        content: content.to_owned(),
        encoding: Encoding::Utf8,
        workspace: None,
    };
    host.write_file(request).await.map(drop)
}
