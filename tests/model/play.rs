//! Playing a step: calls as they are made, and what they answer.

use crate::check::{Had, had};
use crate::files::Tree;
use crate::model::Model;
use crate::runtime::Object;
use crate::script::{Act, Call, Step};
use crate::world::{SESSIONS, World};
use futures::future::LocalBoxFuture;
use serde_json::json;
use snapshotter::domain::backup::Ttl;
use snapshotter::domain::error::{Error, Result};
use snapshotter::domain::ids::{ForkKind, SandboxId};
use snapshotter::domain::refs::{SnapshotSelector, WorkspaceRef};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::sandbox::CommandLine;
use snapshotter::usecases::host::*;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a call answered, if it is worth a look.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    Nothing,
    Snapshot(Box<SnapshotView>),
    Forked(SandboxId),
    Page(SnapshotPage),
    Text(String),
}

/// A call with all that was chosen for it.
#[derive(Debug, Clone)]
pub struct Made {
    pub call: Call,
    /// The snapshot it names.
    pub selector: Option<SnapshotSelector>,
    /// The workspace it names.
    pub workspace: Option<SandboxId>,
    /// None: its object stopped.
    pub answer: Option<Result<Done>>,
}

pub fn path_of(number: u8) -> String {
    ["a", "b", "d/c"][usize::from(number)].to_owned()
}

pub fn text_of(number: u8) -> String {
    format!("v{number}")
}

pub fn name_of(number: u8) -> String {
    format!("name-{number}")
}

pub fn config(session: usize, destroy_on_close: bool) -> serde_json::Value {
    json!({
        "autosave": false, "destroyOnClose": destroy_on_close,
        "limits": { "maxRunning": 2, "maxWorkspaces": 3 },
        "capabilities": {
            "fs": true, "shell": true, "snapshot": { "crossSession": session == 1 },
        },
    })
}

fn start(world: &World, session: usize, made: &Made) -> LocalBoxFuture<'static, Result<Done>> {
    let (host, made, session) = (world.host(session), made.clone(), session);
    let abort = Abort::default();
    let selector = made.selector.clone();
    let workspace = made.workspace.clone().map(WorkspaceRef::new);
    // What a walk of the bucket finds, the other session's and nobody's too.
    let stored: BTreeSet<String> = match made.call {
        Call::Prune { .. } => {
            let objects = world.bucket.objects.borrow();
            objects.keys().map(|key| key.split('/').nth(1).unwrap().to_owned()).collect()
        }
        _ => BTreeSet::new(),
    };
    Box::pin(async move {
        if made.call == Call::Alarm {
            return host.settle().await.map(|()| Done::Nothing);
        }
        host.wake().await?;
        match made.call {
            Call::Open { destroy_on_close } => {
                let config = serde_json::from_value(config(session, destroy_on_close)).unwrap();
                let opened = host.open(config).await.map(|_| Done::Nothing);
                host.announce().await;
                opened
            }
            Call::Close => host.close().await.map(|_| Done::Nothing),
            Call::Snapshot { name, replace, short } => {
                let ttl = short.then(|| Ttl::from_secs(600).unwrap());
                let name = name.map(name_of);
                let request = SnapshotRequest { name, replace, ttl, ..Default::default() };
                host.snapshot(request, &abort).await.map(|view| Done::Snapshot(Box::new(view)))
            }
            Call::Fork { branch, cross, .. } => {
                let kind = if branch { ForkKind::Branch } else { ForkKind::Restored };
                let forked = host.fork(kind, &selector.unwrap(), cross, &abort).await?;
                Ok(Done::Forked(forked.r#ref.sandbox_id().clone()))
            }
            Call::Get { cross, .. } => {
                let view = host.get(&selector.unwrap(), cross).await?;
                Ok(Done::Snapshot(Box::new(view)))
            }
            Call::Delete { cross, force, .. } => {
                let options = DeleteOptions { allow_cross_session: cross, force };
                host.delete(&selector.unwrap(), options).await.map(|_| Done::Nothing)
            }
            Call::List { cross } => {
                let request = ListRequest { allow_cross_session: cross, ..Default::default() };
                host.list(&request).await.map(Done::Page)
            }
            Call::Switch { .. } => host.switch(&workspace.unwrap()).await.map(|_| Done::Nothing),
            Call::Destroy { .. } => {
                host.destroy_workspace(&workspace.unwrap()).await.map(|()| Done::Nothing)
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
            Call::StartFresh => host.start_fresh().await.map(|_| Done::Nothing),
            Call::Write { path, text } => {
                let (path, content) = (path_of(path), text_of(text));
                let request = WriteFileRequest { path, content, ..Default::default() };
                host.write_file(request).await.map(|_| Done::Nothing)
            }
            Call::Edit { path, old, new } => {
                let (old_text, new_text) = (text_of(old), text_of(new));
                let request =
                    EditFileRequest { path: path_of(path), old_text, new_text, replace_all: false };
                host.edit_file(request).await.map(|_| Done::Nothing)
            }
            Call::Remove { path } => {
                let request = serde_json::from_value(json!({ "path": path_of(path) })).unwrap();
                host.remove(request).await.map(|_| Done::Nothing)
            }
            Call::Read { path } => {
                let request = ReadFileRequest { path: path_of(path), ..Default::default() };
                host.read_file(request).await.map(|file| Done::Text(file.content))
            }
            Call::Run { path, text } => {
                let line = command_line(path, text);
                let request = RunRequest {
                    command: CommandLine::Shell(line),
                    cwd: None,
                    env: Default::default(),
                    timeout_ms: None,
                    stdin: None,
                };
                host.run(request).await.map(|result| Done::Text(result.exit_code.to_string()))
            }
            Call::Alarm => unreachable!(),
        }
    })
}

fn command_line(path: u8, text: u8) -> String {
    if text == 4 { "false".into() } else { format!("put {} {}", path_of(path), text_of(text)) }
}

/// What a call does to the files, if it is done. None: it can't have been.
pub fn applied(call: &Call, tree: &Tree) -> Option<Tree> {
    let mut tree = tree.clone();
    match call {
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

impl Model {
    /// Plays a step and checks what came of it.
    pub fn play(&mut self, step: &Step) -> Result<(), String> {
        let world = self.world.clone();
        let concurrent = matches!(step.act, Act::Calls(_, Some(_)));
        // Rest is only reached where nothing breaks.
        let trouble = step.trouble.filter(|_| step.act != Act::Settle);
        world.runtime.begin(u64::from(step.order), trouble, concurrent);
        let session = step.session;
        match &step.act {
            Act::Calls(one, other) => {
                let mut made = vec![self.choose(session, one)];
                made.extend(other.as_ref().map(|other| self.choose(session, other)));
                self.make(session, &mut made)?;
                let ends = |one: &&Made| matches!(one.call, Call::DestroyContainer { .. });
                for one in made.iter().filter(ends).filter(|one| had(one) != Had::No) {
                    self.killed.extend(one.workspace.clone());
                }
                self.check(session, &made)
            }
            Act::Kill { workspace } => {
                let id = self.workspace(session, *workspace);
                world.kill(&id);
                self.killed.insert(id);
                self.check(session, &[])
            }
            Act::RestartHost => {
                world.restart(&Object::Host(session));
                self.check(session, &[])
            }
            Act::RestartSandbox { workspace } => {
                world.restart(&Object::Sandbox(self.workspace(session, *workspace)));
                self.check(session, &[])
            }
            Act::Pass { minutes } => {
                world.clock.advance(minutes * 60_000);
                self.check(session, &[])
            }
            Act::Settle => {
                for session in 0..SESSIONS.len() {
                    self.settle(session)?;
                }
                self.check_rest()
            }
        }
    }

    /// Lets everything end and the alarm come to rest, and checks on the way.
    fn settle(&mut self, session: usize) -> Result<(), String> {
        let world = self.world.clone();
        if !world.run_until(|| world.runtime.is_idle()) {
            return Err("something never ends".into());
        }
        self.check(session, &[])?;
        for _ in 0..50 {
            // A look is a call, so what a crash left is noticed.
            let mut look = [self.choose(session, &Call::List { cross: false })];
            self.make(session, &mut look)?;
            self.check(session, &look)?;
            let alarm = world.alarm(session);
            let Some(at_ms) = alarm.get() else { return Ok(()) };
            if at_ms > world.clock.now_ms() + 3_600_000 {
                return Ok(());
            }
            world.clock.0.set(world.clock.now_ms().max(at_ms));
            self.check(session, &[])?;
            let mut fired = [self.choose(session, &Call::Alarm)];
            self.make(session, &mut fired)?;
            if let Some(Err(error)) = &fired[0].answer {
                return Err(format!("the alarm fails: {error:?}"));
            }
            self.check(session, &fired)?;
        }
        Err("the alarm never rests".into())
    }

    /// Makes calls, all at once, and waits for their answers.
    fn make(&self, session: usize, made: &mut [Made]) -> Result<(), String> {
        let world = &self.world;
        type Slot = Rc<RefCell<Option<Result<Done, Error>>>>;
        let mut slots: Vec<Option<Slot>> = Vec::new();
        let alone = made.len() == 1;
        for call in made.iter_mut() {
            let alarm = world.alarm(session);
            if call.call == Call::Alarm && alone {
                if alarm.get().is_none_or(|at_ms| at_ms > world.clock.now_ms()) {
                    call.answer = Some(Ok(Done::Nothing));
                    slots.push(None);
                    continue;
                }
                alarm.set(None);
            }
            let slot = Slot::default();
            slots.push(Some(slot.clone()));
            let future = start(world, session, call);
            // With another call it comes due while that goes on, however long that takes.
            let amid = (call.call == Call::Alarm && !alone).then(|| world.runtime.turns());
            let clock = world.clock.clone();
            world.runtime.spawn(Object::Host(session), None, async move {
                for _ in 0..amid.unwrap_or(0) {
                    futures::pending!();
                }
                let due_ms = alarm.get().filter(|at_ms| *at_ms < clock.now_ms() + 3_600_000);
                if let (Some(_), Some(due_ms)) = (amid, due_ms) {
                    clock.0.set(clock.now_ms().max(due_ms));
                    alarm.set(None);
                }
                let answer = match (amid, due_ms) {
                    (Some(_), None) => Ok(Done::Nothing),
                    _ => future.await,
                };
                *slot.borrow_mut() = Some(answer);
            });
        }
        let answered = || {
            slots.iter().flatten().all(|slot| slot.borrow().is_some())
                || !world.runtime.is_busy(&Object::Host(session))
        };
        // What an earlier crash left running goes on meanwhile, and after.
        if !world.run_until(answered) {
            return Err("a call never ends".into());
        }
        for (call, slot) in made.iter_mut().zip(slots) {
            let Some(slot) = slot else { continue };
            call.answer = slot.take();
            let again_ms = world.clock.now_ms() + 2_000;
            let alarm = world.alarm(session);
            if call.call == Call::Alarm && !matches!(call.answer, Some(Ok(_))) {
                // The runtime tries an alarm again that failed.
                alarm.set(Some(alarm.get().map_or(again_ms, |at_ms| at_ms.min(again_ms))));
            }
        }
        Ok(())
    }
}
