//! The calls of a step, and their answers.

use crate::files::{MACHINE, Tree};
use crate::script::{Call, Edit};
use crate::world::World;
use futures::future::LocalBoxFuture;
use serde_json::{Value, json};
use snapshotter::domain::call::IdempotencyKey;
use snapshotter::domain::error::Result;
use snapshotter::domain::ids::{BackupId, RestoreKind, SandboxId};
use snapshotter::domain::session::config::WorkspaceConfig;
use snapshotter::domain::session::scope::Needs;
use snapshotter::domain::session::usage::SessionUsage;
use snapshotter::domain::snapshot::backup::Ttl;
use snapshotter::domain::snapshot::rebuild::Rebuilt;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::time::rfc3339;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::sandbox::CommandLine;
use snapshotter::session::*;
use std::collections::BTreeSet;

/// How often changes are saved, with autosave on.
pub const SAVED_EVERY_MS: i64 = 300_000;

/// The answer of a call, as far as the model checks it.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    Nothing,
    Snapshot(Box<SnapshotView>),
    MadeWorkspace(SandboxId),
    Rewound(Box<Rewound>),
    Paused(Box<Paused>),
    Resumed(Box<Resumed>),
    LiveForks(Box<LiveForks>),
    Rebuilt(Box<Rebuilt>),
    Looked(Box<(WorkspaceList, Lineage, SessionUsage)>),
    Page(SnapshotPage),
    Text(String),
    /// The answer of the earlier call with the same key, if known.
    Known(Option<Result<Value>>),
}

/// A call with everything that was chosen for it.
#[derive(Debug, Clone)]
pub struct Made {
    pub call: Call,
    /// The snapshot it names.
    pub selector: Option<SnapshotSelector>,
    /// The workspace it names.
    pub workspace: Option<SandboxId>,
    /// The head it expects.
    pub head: Option<BackupId>,
    /// The snapshot that an open begins with.
    pub from: Option<SnapshotSelector>,
    /// The key to repeat it by.
    pub key: Option<String>,
    /// None if its object stopped.
    pub answer: Option<Result<Done>>,
}

pub fn path_of(number: u8) -> String {
    ["a", "b", "d/c"][usize::from(number)].to_owned()
}

/// Long enough that several layers fit on a full archive.
pub fn text_of(number: u8) -> String {
    format!("v{number}-of-a-file-that-is-long")
}

pub fn name_of(number: u8) -> String {
    format!("name-{number}")
}

pub fn config(world: &World, session: usize, destroy_on_close: bool) -> serde_json::Value {
    let persist = if world.machines[session] { "machine" } else { "workspace" };
    let autosave = world.autosave;
    let autosave = if autosave { json!({ "everyMs": SAVED_EVERY_MS }) } else { json!(false) };
    json!({
        "autosave": autosave, "sleepAfter": if autosave == false { "10m" } else { "20m" }, "destroyOnClose": destroy_on_close,
        "persist": persist,
        "limits": { "maxRunning": 2, "maxWorkspaces": 3 },
        "capabilities": {
            "fs": true, "shell": true, "snapshot": { "crossSession": session == 1 },
        },
    })
}

pub fn start(world: &World, session: usize, made: &Made) -> LocalBoxFuture<'static, Result<Done>> {
    let (host, made, session) = (world.host(session), made.clone(), session);
    let abort = Abort::default();
    let config = match made.call {
        Call::Open { destroy_on_close } => config(world, session, destroy_on_close),
        _ => Value::Null,
    };
    let now_ms = world.clock.now_ms();
    let op = match made.call {
        Call::Snapshot { turn: true, .. } => "saveTurn",
        Call::Snapshot { .. } => "snapshot",
        Call::Rewind { .. } => "rewind",
        Call::Fork { branch: true, .. } => "branch",
        Call::LiveFork { .. } => "fork",
        Call::Pause { .. } => "pause",
        Call::Resume { .. } => "resume",
        _ => "restore",
    };
    let selector = made.selector.clone();
    let workspace = made.workspace.clone().map(WorkspaceRef::new);
    // A walk of the bucket also finds backups of the other session and of nobody.
    let stored: BTreeSet<String> = match made.call {
        Call::Prune { .. } => {
            let objects = world.bucket.objects.borrow();
            objects.keys().map(|key| key.split('/').nth(1).unwrap().to_owned()).collect()
        }
        _ => BTreeSet::new(),
    };
    let (key, recorder, listener) = (made.key.clone(), host.clone(), abort.clone());
    let work = async move {
        if made.call == Call::Alarm {
            return host.recover().await.map(|()| Done::Nothing);
        }
        host.start().await?;
        match made.call {
            Call::Open { .. } => {
                let mut config: WorkspaceConfig = serde_json::from_value(config).unwrap();
                config.from = made.from;
                let opened = host.open(config).await.map(|_| Done::Nothing);
                host.announce().await;
                opened
            }
            Call::Close => host.close().await.map(|_| Done::Nothing),
            Call::Snapshot { turn: true, .. } => {
                let request = SaveTurnRequest {
                    cursor: Some(serde_json::from_value(json!({ "at": now_ms })).unwrap()),
                    ..Default::default()
                };
                host.save_turn(request, &abort).await.map(|view| Done::Snapshot(Box::new(view)))
            }
            Call::Snapshot { name, replace, short, .. } => {
                let ttl = short.then(|| Ttl::from_secs(600).unwrap());
                let name = name.map(name_of);
                let request = SnapshotRequest {
                    annotations: Annotations { name, ..Annotations::default() },
                    replace,
                    ttl,
                    ..Default::default()
                };
                host.snapshot(request, &abort).await.map(|view| Done::Snapshot(Box::new(view)))
            }
            Call::Fork { branch, cross, .. } => {
                let kind = if branch { RestoreKind::Branch } else { RestoreKind::Restored };
                let made = host.make_workspace(kind, &selector.unwrap(), cross, &abort).await?;
                Ok(Done::MadeWorkspace(made.r#ref.sandbox_id().clone()))
            }
            Call::Rewind { cross, .. } => {
                let request = RewindRequest {
                    r#ref: selector.unwrap(),
                    expected_head: made.head,
                    allow_cross_session: cross,
                    expected_active: None,
                    dry_run: false,
                };
                host.rewind(&request, &abort).await.map(|rewound| Done::Rewound(Box::new(rewound)))
            }
            Call::Get { cross, .. } => {
                let view = host.get(&selector.unwrap(), cross).await?;
                Ok(Done::Snapshot(Box::new(view)))
            }
            Call::Flatten { .. } => {
                host.flatten(&selector.unwrap(), &abort).await.map(|_| Done::Nothing)
            }
            Call::Delete { cross, force, purge, .. } => {
                let options = DeleteOptions { allow_cross_session: cross, force, purge };
                host.delete(&selector.unwrap(), options).await.map(|_| Done::Nothing)
            }
            Call::Update { edit, .. } => {
                let edit = edit_of(&edit, now_ms);
                let view = host.update_snapshot(&selector.unwrap(), &edit).await?;
                Ok(Done::Snapshot(Box::new(view)))
            }
            Call::Retain => host.retain().await.map(|_| Done::Nothing),
            Call::List { cross } => {
                let request = ListRequest { allow_cross_session: cross, ..Default::default() };
                host.list(&request).await.map(Done::Page)
            }
            Call::Switch { .. } => host.switch(&workspace.unwrap()).await.map(|_| Done::Nothing),
            Call::Destroy { .. } => {
                host.destroy_workspace(&workspace.unwrap()).await.map(|_| Done::Nothing)
            }
            Call::DestroyContainer { .. } => {
                host.destroy_container(&workspace.unwrap()).await.map(|()| Done::Nothing)
            }
            Call::Prune { minutes, keep_last } => {
                let request = serde_json::from_value(json!({
                    "binding": "BACKUP_BUCKET", "ids": stored, "dryRun": false,
                    "rule": { "olderThanSeconds": minutes * 60, "keepLast": keep_last },
                }));
                host.prune_by_rule(&request.unwrap()).await.map(|_| Done::Nothing)
            }
            Call::Pause { .. } => {
                let paused = host.pause(workspace.as_ref(), &abort).await?;
                Ok(Done::Paused(Box::new(paused)))
            }
            Call::Resume { .. } => {
                let resumed = host.resume(workspace.as_ref(), &abort).await?;
                Ok(Done::Resumed(Box::new(resumed)))
            }
            Call::LiveFork { count } => {
                let request = LiveForkRequest { count: Some(count), expected_active: None };
                host.live_fork(&request, &abort).await.map(|forks| Done::LiveForks(Box::new(forks)))
            }
            Call::Rebuild => {
                host.rebuild(None, None).await.map(|rebuilt| Done::Rebuilt(Box::new(rebuilt)))
            }
            Call::Look => {
                let workspaces = host.list_workspaces().await?;
                let lineage = host.lineage().await?;
                Ok(Done::Looked(Box::new((workspaces, lineage, host.usage()?))))
            }
            Call::StartFresh => host.start_fresh().await.map(|_| Done::Nothing),
            Call::Write { path, text } => {
                let (path, content) = (path_of(path), text_of(text));
                let request = WriteFileRequest { path, content, ..Default::default() };
                host.write_file(request).await.map(|_| Done::Nothing)
            }
            Call::Edit { path, old, new } => {
                let (old_text, new_text) = (text_of(old), text_of(new));
                let request = EditFileRequest {
                    path: path_of(path),
                    old_text,
                    new_text,
                    replace_all: false,
                    workspace: None,
                };
                host.edit_file(request).await.map(|_| Done::Nothing)
            }
            Call::Remove { path } => {
                let request = serde_json::from_value(json!({ "path": path_of(path) })).unwrap();
                host.remove(request).await.map(|_| Done::Nothing)
            }
            Call::Read { path } => {
                let request = ReadFileRequest { path: path_of(path), ..Default::default() };
                host.read_file(request).await.map(|file| Done::Text(file.answer.content))
            }
            Call::Run { .. } | Call::Install { .. } => {
                let line = command_line(&made.call);
                let request = RunRequest {
                    command: CommandLine::Shell(line),
                    cwd: None,
                    env: Default::default(),
                    timeout_ms: None,
                    wait_ms: None,
                    max_output_bytes: None,
                    stdin: None,
                    workspace: None,
                };
                host.run(request)
                    .await
                    .map(|result| Done::Text(result.answer.exit_code.to_string()))
            }
            Call::Alarm => unreachable!(),
        }
    };
    Box::pin(async move {
        match key {
            Some(key) => keyed(&recorder, &listener, key, op, work).await,
            None => work.await,
        }
    })
}

/// Records a call, as the surfaces do, or returns the earlier call's answer.
async fn keyed(
    host: &Session,
    abort: &Abort,
    key: String,
    op: &str,
    work: impl Future<Output = Result<Done>>,
) -> Result<Done> {
    host.start().await?;
    let request = RecordRequest {
        id: None,
        op: op.to_owned(),
        key: Some(IdempotencyKey::parse(&key)?),
        fingerprint: key,
        rights: Needs::Nothing.into(),
        names_subject: true,
    };
    let working = match host.record(&request, abort).await? {
        Recorded::Known(known) => return Ok(Done::Known(known.answer()?)),
        Recorded::New(working) => working,
    };
    let answer = work.await;
    host.record_end(working.id(), &answer.as_ref().map(rendered).map_err(Clone::clone))?;
    answer
}

/// An answer as it is recorded.
pub fn rendered(done: &Done) -> Value {
    match done {
        Done::Snapshot(view) => serde_json::to_value(view).unwrap(),
        Done::Rewound(rewound) => serde_json::to_value(rewound).unwrap(),
        Done::Paused(paused) => serde_json::to_value(paused).unwrap(),
        Done::Resumed(resumed) => serde_json::to_value(resumed).unwrap(),
        Done::LiveForks(forks) => serde_json::to_value(forks).unwrap(),
        Done::MadeWorkspace(id) => json!({ "ref": WorkspaceRef::new(id.clone()) }),
        _ => Value::Null,
    }
}

fn edit_of(edit: &Edit, now_ms: i64) -> SnapshotEdit {
    let edit = match edit {
        Edit::Name { name: Some(name), replace } => {
            json!({ "name": name_of(*name), "replace": replace })
        }
        Edit::Name { name: None, replace } => json!({ "clear": ["name"], "replace": replace }),
        Edit::Pin(pinned) => json!({ "pinned": pinned }),
        Edit::Publish(published) => json!({ "published": published }),
        Edit::Label(text) => json!({ "labels": { "label": text_of(*text) } }),
        Edit::Expire(None) => json!({ "clear": ["expiresAt"] }),
        Edit::Expire(Some(minutes)) => {
            json!({ "expiresAt": rfc3339(now_ms + i64::from(*minutes) * 60_000) })
        }
    };
    serde_json::from_value(edit).unwrap()
}

fn command_line(call: &Call) -> String {
    match *call {
        Call::Install { text } => format!("install {}", text_of(text)),
        Call::Run { path, text } if text < 4 => format!("put {} {}", path_of(path), text_of(text)),
        _ => "false".into(),
    }
}

/// The files after a call, in a session that persists the machine or not. None if the call
/// cannot have happened.
pub fn applied(call: &Call, tree: &Tree, machine: bool) -> Option<Tree> {
    let mut tree = tree.clone();
    match call {
        Call::Install { text } if machine => {
            tree.0.insert(MACHINE.to_owned(), text_of(*text));
        }
        Call::Write { path, text } | Call::Run { path, text } if *text < 4 => {
            tree.0.insert(path_of(*path), text_of(*text));
        }
        Call::Edit { path, old, new } => {
            let text = tree.0.get_mut(&path_of(*path))?;
            if *text != text_of(*old) || old == new {
                return None;
            }
            *text = text_of(*new);
        }
        Call::Remove { path } => {
            tree.0.remove(&path_of(*path))?;
        }
        _ => {}
    }
    Some(tree)
}
