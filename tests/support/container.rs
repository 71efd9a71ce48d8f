//! [`Container`] that knows the sandbox's scripts by name, and does to maps what
//! they do to a disk. tests/scripts.rs and the end-to-end tests run the real
//! scripts.

use super::bucket::MemoryBucket;
use super::faults::Faults;
use super::stream::MemoryBytes;
use super::terminal::MemoryTerminal;
use async_trait::async_trait;
use futures::channel::oneshot;
use futures::future::{Either, select};
use sha2::{Digest, Sha256};
use snapshotter::domain::egress::Interception;
use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use snapshotter::ports::container::Terminal;
use snapshotter::ports::container::{
    Command, Container, Happened, Offer, Offered, Output, Process, StartOptions, StoredObject,
    Upload, UploadedPart,
};
use snapshotter::ports::stream::Bytes;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// The disk of a running container.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Disk {
    pub instance: Option<String>,
    /// Directories that are archived and restored as a whole.
    pub dirs: BTreeMap<String, Vec<u8>>,
    /// Files of the sandbox's own directory.
    pub files: BTreeMap<String, Vec<u8>>,
    /// SHA-256s of the archives that had the files of each directory when it was last
    /// archived or restored, and these files.
    pub manifests: BTreeMap<String, (String, Vec<u8>)>,
    /// What differs from the image outside these directories.
    pub machine: Vec<u8>,
    /// The machine when it was last saved or restored.
    pub saved_machine: Option<Vec<u8>>,
    /// SHA-256 of the machine that was restored.
    pub restored_machine: Option<String>,
}

/// Does to a disk what the script of that name does; none if it is not about files.
pub type FileScripts = fn(&str, &mut Disk, &Command) -> Option<Output>;

type Parts = BTreeMap<u16, Vec<u8>>;

/// What a spawned process does.
#[derive(Debug, Clone)]
pub enum Act {
    /// This happens.
    Happens(Happened),
    /// The container dies, and the process with it.
    Dies,
    /// Nothing happens afterwards.
    Hangs,
}

struct Play {
    container: MemoryContainer,
    acts: VecDeque<Act>,
}

#[async_trait(?Send)]
impl Process for Play {
    async fn next(&mut self) -> Result<Happened> {
        match self.acts.pop_front().expect("it has ended") {
            Act::Happens(happened) => Ok(happened),
            Act::Dies => {
                self.container.die();
                Err(not_running())
            }
            Act::Hangs => {
                self.acts.push_front(Act::Hangs);
                std::future::pending().await
            }
        }
    }
}

/// A file that a command offers.
struct MemoryOffer {
    container: MemoryContainer,
    path: String,
}

#[async_trait(?Send)]
impl Offer for MemoryOffer {
    async fn upload(self: Box<Self>, upload: &Upload<'_>) -> Result<Vec<u8>> {
        assert_eq!(upload.path, self.path);
        let uploaded = self.container.put(upload).await;
        self.discard();
        uploaded.map(|()| Vec::new())
    }

    async fn keep(self: Box<Self>) -> Result<Vec<u8>> {
        self.container.faults.effect("keep", || Ok(Vec::new())).await
    }

    fn discard(self: Box<Self>) {
        if let Some(disk) = self.container.disk.borrow_mut().as_mut() {
            disk.files.remove(&self.path);
        }
    }
}

/// The machines that containers start on.
#[async_trait(?Send)]
pub trait Machines {
    /// Whether there is room for one more.
    fn admit(&self) -> bool;

    /// Waits until the container is ready.
    async fn ready(&self);
}

/// A container in memory. Clones share it: it outlives the object.
#[derive(Clone)]
pub struct MemoryContainer {
    pub disk: Rc<RefCell<Option<Disk>>>,
    pub starts: Rc<RefCell<Vec<StartOptions>>>,
    /// What was intercepted, and how many starts came before.
    pub interceptions: Rc<RefCell<Vec<(usize, Interception)>>>,
    pub timeouts: Rc<RefCell<Vec<u64>>>,
    pub commands: Rc<RefCell<Vec<Command>>>,
    /// How many processes ran in it. Each costs its caller 60 to 100 ms.
    pub processes: Rc<Cell<usize>>,
    /// Results of the next scripts of a name, which then do not work: exit code and
    /// stderr.
    pub scripted: Rc<RefCell<BTreeMap<&'static str, VecDeque<Output>>>>,
    /// The acts of the next spawned processes. Without acts, they do what `run` would.
    pub plays: Rc<RefCell<VecDeque<Vec<Act>>>>,
    /// The terminals that were opened, in order.
    pub terminals: Rc<RefCell<Vec<MemoryTerminal>>>,
    /// How many starts are refused.
    pub refusals: Rc<Cell<u32>>,
    /// The reason for the refusal, in the platform's words.
    pub refused_because: Rc<Cell<&'static str>>,
    refused: Rc<Cell<bool>>,
    /// The machines, if it matters how many containers they take.
    pub machines: Option<Rc<dyn Machines>>,
    /// Whether a request timed out, and none was answered since.
    pub silent: Rc<Cell<bool>>,
    /// Carries out scripts that work on files; the others do nothing.
    pub files: Option<FileScripts>,
    /// What identifies the image.
    pub image: Rc<Cell<char>>,
    /// What ends the scripts that read their input now, by the files of their groups.
    groups: Rc<RefCell<BTreeMap<String, oneshot::Sender<()>>>>,
    /// Stored parts, by upload id.
    parts: Rc<RefCell<BTreeMap<String, Parts>>>,
    bucket: MemoryBucket,
    faults: Faults,
}

const SCRIPTS: [&str; 30] = [
    "offer.sh",
    "size.sh",
    "take.sh",
    "fail.sh",
    "instance.sh",
    "backup.sh",
    "flatten.sh",
    "stage.sh",
    "discard.sh",
    "pack.sh",
    "prepare.sh",
    "restore.sh",
    "room.sh",
    "exec.sh",
    "stop.sh",
    "terminal.sh",
    "resize_terminal.sh",
    "running.sh",
    "listening.sh",
    "read.sh",
    "write.sh",
    "mkdir.sh",
    "list.sh",
    "delete.sh",
    "import.sh",
    "exists.sh",
    "stat.sh",
    "restore_checkpoint.sh",
    "save_machine.sh",
    "restore_machine.sh",
];

impl MemoryContainer {
    pub fn new(bucket: MemoryBucket, faults: Faults) -> Self {
        Self {
            disk: Rc::default(),
            starts: Rc::default(),
            interceptions: Rc::default(),
            timeouts: Rc::default(),
            commands: Rc::default(),
            processes: Rc::default(),
            scripted: Rc::default(),
            plays: Rc::default(),
            terminals: Rc::default(),
            refusals: Rc::default(),
            refused_because: Rc::new(Cell::new("no such image")),
            refused: Rc::default(),
            machines: None,
            silent: Rc::default(),
            files: None,
            image: Rc::new(Cell::new('a')),
            groups: Rc::default(),
            parts: Rc::default(),
            bucket,
            faults,
        }
    }

    /// The container dies, and its disk with it.
    pub fn die(&self) {
        *self.disk.borrow_mut() = None;
    }

    pub fn script(&self, name: &'static str, exit_code: i32, stdout: &str, stderr: &str) {
        let output = Output { stdout: stdout.into(), stderr: stderr.into(), ..done(exit_code) };
        self.scripted.borrow_mut().entry(name).or_default().push_back(output);
    }

    pub fn dir(&self, dir: &str) -> Option<Vec<u8>> {
        self.disk.borrow().as_ref()?.dirs.get(dir).cloned()
    }

    pub fn set_dir(&self, dir: &str, content: &[u8]) {
        let mut disk = self.disk.borrow_mut();
        disk.as_mut().expect("running").dirs.insert(dir.to_owned(), content.to_vec());
    }

    /// How often a script ran.
    pub fn count(&self, name: &str) -> usize {
        self.commands.borrow().iter().filter(|command| name_of(command) == name).count()
    }

    fn perform(&self, command: &Command) -> Result<Output> {
        self.commands.borrow_mut().push(command.clone());
        self.begin_process();
        let name = name_of(command);
        let mut disk = self.disk.borrow_mut();
        let disk = disk.as_mut().ok_or_else(not_running)?;
        if let Some(output) = self.scripted.borrow_mut().get_mut(name).and_then(VecDeque::pop_front)
        {
            return Ok(output);
        }
        if let Some(output) = self.files.and_then(|files| files(name, disk, command)) {
            return Ok(output);
        }
        let command = &without_received(name, command);
        let argument = |position: usize| command.argv[position + 3].clone();
        Ok(match name {
            "instance.sh" => {
                let start = format!("start-{}", self.starts.borrow().len());
                if !argument(3).is_empty() && argument(4) == start {
                    disk.instance = Some(argument(3));
                } else if disk.instance.is_none() && argument(2).is_empty() {
                    return Ok(done(25));
                }
                let instance = disk.instance.get_or_insert_with(|| argument(2));
                Output { stdout: format!("{instance}\n{start}\n").into(), ..done(0) }
            }
            "backup.sh" => match disk.dirs.get(&argument(2)) {
                None => Output { stderr: "no such directory\n".into(), ..done(10) },
                Some(content) => {
                    let (base, room) = (argument(5), argument(6).parse().unwrap_or(0));
                    let known = disk.manifests.get(&argument(2)).filter(|(name, _)| *name == base);
                    let layer = known.map(|(_, below)| match self.files {
                        Some(_) => layer(below, content),
                        // Enough where nobody looks at the files.
                        None => content.clone(),
                    });
                    let layer = layer.filter(|layer| layer.len() <= room);
                    let (kind, below, archive) = match layer {
                        Some(layer) => ("layer", base + "+", layer),
                        None => ("full", String::new(), content.clone()),
                    };
                    let said = format!("{kind} {} {}\n", archive.len(), hex(&archive));
                    let manifest = (below + &hex(&archive), content.clone());
                    disk.files.insert(argument(1), archive);
                    disk.manifests.insert(argument(2), manifest);
                    Output { stdout: said.into(), ..done(0) }
                }
            },
            "flatten.sh" => {
                let chain = &command.argv[5..];
                let extracted = extract(&disk.files, chain, self.files.is_some());
                disk.files.retain(|path, _| !chain.contains(path));
                match extracted {
                    Ok(content) => {
                        let said = format!("archive 0\nfull {} {}\n", content.len(), hex(&content));
                        disk.files.insert(argument(1), content);
                        Output { stdout: said.into(), ..done(0) }
                    }
                    Err(output) => output,
                }
            }
            "stage.sh" => {
                let (dir, sum) = (argument(3), argument(5));
                let archive = command.stdin.clone().unwrap_or_default();
                // The script removes what other imports left.
                disk.dirs.retain(|path, _| !path.contains("/staged-"));
                if archive.is_empty() {
                    Output { stderr: "the archive is empty\n".into(), ..done(18) }
                } else if !sum.is_empty() && sum != hex(&archive) {
                    Output { stderr: "the archive has another SHA-256\n".into(), ..done(20) }
                } else {
                    let dropped = if archive.starts_with(b"setuid") { "2 1\n" } else { "0 0\n" };
                    disk.dirs.insert(format!("{dir}/tree"), archive);
                    Output { stdout: dropped.into(), ..done(0) }
                }
            }
            "discard.sh" => {
                let dir = argument(1);
                disk.dirs.retain(|path, _| !path.starts_with(&dir));
                disk.manifests.retain(|path, _| !path.starts_with(&dir));
                done(0)
            }
            "pack.sh" => {
                let chain = &command.argv[5..];
                let extracted = extract(&disk.files, chain, self.files.is_some());
                disk.files.retain(|path, _| !chain.contains(path));
                match extracted {
                    Ok(content) => {
                        let said = format!("archive 0\nfull {} {}\n", content.len(), hex(&content));
                        disk.files.insert(argument(1), content);
                        Output { stdout: said.into(), ..done(0) }
                    }
                    Err(output) => output,
                }
            }
            "prepare.sh" => {
                let chain = &command.argv[4..];
                match extract(&disk.files, chain, self.files.is_some()) {
                    Ok(content) => {
                        disk.files.insert(format!("{}.tree", argument(1)), content);
                        done(0)
                    }
                    Err(output) => {
                        disk.files.retain(|path, _| !chain.contains(path));
                        output
                    }
                }
            }
            "restore.sh" => {
                if argument(4) == "image" && disk.restored_machine.is_some() {
                    return Ok(done(33));
                }
                let full = [argument(1), argument(3)];
                let chain = [&full[..], command.argv.get(12..).unwrap_or_default()].concat();
                let extracted = extract(&disk.files, &chain, self.files.is_some());
                disk.files.retain(|path, _| !path.starts_with(&argument(1)));
                let content = match extracted {
                    Ok(content) => content,
                    Err(output) => return Ok(output),
                };
                let sums: Vec<String> = chain.chunks(2).map(|archive| archive[1].clone()).collect();
                disk.manifests.insert(argument(2), (sums.join("+"), content.clone()));
                match disk.dirs.insert(argument(2), content) {
                    Some(replaced) if !argument(6).is_empty() && !replaced.is_empty() => {
                        disk.dirs.insert(argument(6), replaced);
                        Output { stdout: "aside\n".into(), ..done(0) }
                    }
                    _ => done(0),
                }
            }
            "save_machine.sh" => {
                let (machine, known) = (disk.machine.clone(), argument(4));
                if disk.saved_machine.as_ref() == Some(&machine) && known == hex(&machine) {
                    return Ok(Output { stdout: "unchanged\n".into(), ..done(0) });
                }
                disk.saved_machine = Some(machine.clone());
                let image = self.image.get().to_string().repeat(64);
                let said = format!("machine {} {} {image}\n", machine.len(), hex(&machine));
                disk.files.insert(argument(1), machine);
                Output { stdout: said.into(), ..done(0) }
            }
            "restore_machine.sh" => {
                let archive = disk.files.remove(&argument(1)).expect("downloaded");
                let image = self.image.get().to_string().repeat(64);
                if argument(5) != image && argument(6) != "yes" {
                    return Ok(Output { stdout: format!("{image}\n").into(), ..done(32) });
                }
                match &disk.restored_machine {
                    Some(restored) if *restored == argument(2) => return Ok(done(0)),
                    Some(_) => return Ok(done(33)),
                    None => disk.restored_machine = Some("incomplete".to_owned()),
                }
                if hex(&archive) != argument(2) {
                    return Ok(Output {
                        stderr: "the archive's SHA-256 is another\n".into(),
                        ..done(20)
                    });
                }
                disk.restored_machine = Some(argument(2));
                disk.saved_machine = Some(archive.clone());
                disk.machine = archive;
                done(0)
            }
            "stop.sh" => {
                if let Some(group) = self.groups.borrow_mut().remove(&argument(1)) {
                    // Its receiver may be gone.
                    let _ = group.send(());
                }
                done(0)
            }
            "offer.sh" => Output { stdout: b"said\n".to_vec(), ..done(0) },
            "size.sh" | "take.sh" => match disk.files.get(&argument(1)) {
                Some(file) => {
                    Output { stdout: format!("{}\n", file.len()).into_bytes(), ..done(0) }
                }
                None => done(1),
            },
            "fail.sh" => done(7),
            "rm" => {
                disk.files.retain(|path, _| !command.argv[3..].contains(path));
                done(0)
            }
            _ => done(0),
        })
    }

    fn begin_process(&self) {
        self.processes.set(self.processes.get() + 1);
    }

    async fn put(&self, upload: &Upload<'_>) -> Result<()> {
        self.faults
            .effect("upload", || {
                let bytes = self.file(upload.path)?;
                let exact = bytes.len() as u64 == upload.size_bytes
                    && Sha256::digest(&bytes).as_slice() == upload.sha256;
                if !exact {
                    return Err(Error::new(ErrorCode::BackupFailed, "not the bytes announced"));
                }
                self.bucket.objects.borrow_mut().insert(upload.key.to_owned(), bytes);
                Ok(())
            })
            .await
    }

    async fn get(&self, object: &StoredObject, path: &str) -> Result<()> {
        self.faults
            .effect("download", || {
                let mut disk = self.disk.borrow_mut();
                let disk = disk.as_mut().ok_or_else(not_running)?;
                let found = self.bucket.objects.borrow().get(&object.key).cloned();
                let found =
                    found.ok_or_else(|| Error::new(ErrorCode::SnapshotGone, "no archive"))?;
                if found.len() as u64 != object.size_bytes {
                    return Err(Error::new(ErrorCode::RestoreFailed, "another size"));
                }
                disk.files.insert(path.to_owned(), found);
                Ok(())
            })
            .await
    }

    fn file(&self, path: &str) -> Result<Vec<u8>> {
        let disk = self.disk.borrow();
        let disk = disk.as_ref().ok_or_else(not_running)?;
        disk.files.get(path).cloned().ok_or_else(|| Error::new(ErrorCode::BackupFailed, path))
    }
}

/// The script of a command that `timeout` bounds.
fn unbounded(command: &Command) -> Command {
    let mut command = command.clone();
    if command.argv[0] == "timeout" {
        command.argv.drain(..3);
    }
    command
}

fn name_of(command: &Command) -> &'static str {
    if command.argv[0] == "rm" {
        return "rm";
    }
    let text = command.argv.get(2).map_or("", String::as_str);
    // One pass, because every sequence of the model runs a thousand scripts.
    let heads = text.split('\n').filter_map(|line| line.strip_prefix("# ")?.split_once(' '));
    let named = heads.filter_map(|(word, _)| SCRIPTS.iter().position(|name| *name == word)).min();
    named.map_or("other", |place| SCRIPTS[place])
}

/// The file of the process group of a command that bounded.sh runs.
pub fn group_of(command: &Command) -> Option<String> {
    let is_bounded = command.argv.get(2).is_some_and(|text| text.contains("\n# bounded.sh "));
    is_bounded.then(|| command.argv[4].clone())
}

/// The command that bounded.sh runs, if it runs one.
fn without_bounds(command: &Command) -> Command {
    let mut command = command.clone();
    if group_of(&command).is_some() {
        command.argv.drain(..6);
    }
    command
}

/// The command without the arguments of receive.sh.
fn without_received(name: &str, command: &Command) -> Command {
    let mut command = command.clone();
    if ["prepare.sh", "restore.sh"].contains(&name) {
        let count: usize = command.argv[4].parse().unwrap();
        command.argv.drain(4..5 + 2 * count);
    }
    command
}

/// What `content` has between its longest beginning and end that `below` has, too, after
/// the lengths of these.
fn layer(below: &[u8], content: &[u8]) -> Vec<u8> {
    let most = below.len().min(content.len()).min(255);
    let same = |(one, other): &(&u8, &u8)| one == other;
    let begin = below.iter().zip(content).take(most).take_while(same).count();
    let ends = below.iter().rev().zip(content.iter().rev());
    let end = ends.take(most - begin).take_while(same).count();
    let mut layer = vec![begin as u8, end as u8];
    layer.extend_from_slice(&content[begin..content.len() - end]);
    layer
}

/// Undoes [`layer`]: returns the content that it was made from.
pub fn apply(below: &[u8], layer: &[u8]) -> Vec<u8> {
    let (begin, end) = (usize::from(layer[0]), usize::from(layer[1]));
    [&below[..begin], &layer[2..], &below[below.len() - end..]].concat()
}

/// What a chain of archives gives, if all have their checksums.
fn extract(
    files: &BTreeMap<String, Vec<u8>>,
    chain: &[String],
    has_deltas: bool,
) -> std::result::Result<Vec<u8>, Output> {
    let mut content = Vec::new();
    for (position, archive) in chain.chunks(2).enumerate() {
        let found = &files[&archive[0]];
        let is_delta = has_deltas && position > 0;
        content = if is_delta { apply(&content, found) } else { found.clone() };
        if !archive[1].is_empty() && archive[1] != hex(found) {
            return Err(Output {
                stdout: format!("archive {position}\n").into(),
                stderr: "the archive's SHA-256 is another\n".into(),
                ..done(20)
            });
        }
    }
    Ok(content)
}

pub fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn done(exit_code: i32) -> Output {
    Output {
        exit_code,
        stdout: Vec::new(),
        stderr: Vec::new(),
        stdout_truncated: false,
        stderr_truncated: false,
        killed: false,
    }
}

fn not_running() -> Error {
    Error::new(ErrorCode::Unavailable, "the container does not respond").with_cause("not running")
}

#[async_trait(?Send)]
impl Container for MemoryContainer {
    fn is_running(&self) -> bool {
        self.disk.borrow().is_some()
    }

    fn is_unresponsive(&self) -> bool {
        self.silent.get()
    }

    async fn intercept(&self, interception: &Interception) -> Result<()> {
        self.faults
            .effect("intercept", || {
                let starts = self.starts.borrow().len();
                self.interceptions.borrow_mut().push((starts, interception.clone()));
                Ok(())
            })
            .await
    }

    fn start(&self, options: &StartOptions) -> Result<()> {
        self.starts.borrow_mut().push(options.clone());
        let has_room = self.machines.as_ref().is_none_or(|machines| machines.admit());
        self.refused.set(self.refusals.get() > 0 || !has_room);
        if self.refused.get() {
            self.refusals.set(self.refusals.get().saturating_sub(1));
            return Err(not_running());
        }
        *self.disk.borrow_mut() = Some(Disk::default());
        Ok(())
    }

    fn image(&self) -> Option<String> {
        None
    }

    async fn set_inactivity_timeout(&self, ms: u64) -> Result<()> {
        self.faults
            .effect("setInactivityTimeout", || {
                self.timeouts.borrow_mut().push(ms);
                Ok(())
            })
            .await
    }

    async fn destroy(&self) -> Result<()> {
        self.faults
            .effect("destroy", || {
                self.die();
                Ok(())
            })
            .await
    }

    async fn why_ended(&self) -> Option<String> {
        self.refused.get().then(|| self.refused_because.get().to_owned())
    }

    async fn run(&self, command: &Command) -> Result<Output> {
        if let Some(machines) = &self.machines
            && self.is_running()
        {
            machines.ready().await;
        }
        let command = &unbounded(&without_bounds(command));
        self.faults.effect(name_of(command), || self.perform(command)).await
    }

    async fn offer(&self, command: &Command) -> Result<Offered> {
        let command = &without_bounds(command);
        let output = self.run(command).await?;
        let offers = ["backup.sh", "offer.sh"].contains(&name_of(command));
        if !offers || output.exit_code != 0 || output.stdout == b"unchanged\n" {
            return Ok(Offered::Ended(output));
        }
        let said = [output.stdout.as_slice(), b"\n"].concat();
        let path = command.argv[4].clone();
        Ok(Offered::File(said, Box::new(MemoryOffer { container: self.clone(), path })))
    }

    async fn spawn(&self, command: &Command) -> Result<Box<dyn Process>> {
        let play = self.plays.borrow_mut().pop_front();
        let acts = match play {
            Some(acts) => {
                self.commands.borrow_mut().push(command.clone());
                acts
            }
            None => {
                let output = self.run(command).await?;
                let printed = [Happened::Stdout(output.stdout), Happened::Stderr(output.stderr)];
                let printed = printed.into_iter().filter(|happened| {
                    !matches!(happened, Happened::Stdout(bytes) | Happened::Stderr(bytes) if bytes.is_empty())
                });
                printed.chain([Happened::Exited(output.exit_code)]).map(Act::Happens).collect()
            }
        };
        Ok(Box::new(Play { container: self.clone(), acts: acts.into() }))
    }

    async fn open_terminal(&self, command: &Command) -> Result<Rc<dyn Terminal>> {
        self.run(command).await?;
        let terminal = MemoryTerminal::default();
        self.terminals.borrow_mut().push(terminal.clone());
        Ok(Rc::new(terminal))
    }

    async fn read_from(
        &self,
        command: &Command,
        _stop: Command,
        held: Box<dyn Any>,
    ) -> Result<Bytes> {
        let output = self.run(command).await?;
        Ok(Box::new(MemoryBytes::of([output.stdout]).holding(held)))
    }

    async fn write_to(&self, command: &Command, mut stdin: Bytes) -> Result<Output> {
        let mut bytes = Vec::new();
        let (sender, mut ended) = oneshot::channel();
        let group = group_of(command);
        let _others_end_by_themselves = match &group {
            Some(group) => self.groups.borrow_mut().insert(group.clone(), sender),
            None => Some(sender),
        };
        loop {
            match select(stdin.next(), &mut ended).await {
                Either::Left((Ok(Some(chunk)), _)) => bytes.extend(chunk),
                // One that breaks off looks like one that ended.
                Either::Left(_) => break,
                Either::Right(_) => return Ok(done(143)),
            }
        }
        if let Some(group) = group {
            self.groups.borrow_mut().remove(&group);
        }
        self.run(&Command { stdin: Some(bytes), ..command.clone() }).await
    }

    async fn run_with_objects(
        &self,
        command: &Command,
        _binding: &str,
        objects: &[StoredObject],
    ) -> Result<Output> {
        let command = &without_bounds(command);
        let takes_all = name_of(command) == "take.sh";
        let mut all = Vec::new();
        for object in objects.iter().filter(|_| takes_all) {
            self.get(object, &command.argv[4]).await?;
            all.extend(self.file(&command.argv[4])?);
        }
        if takes_all && let Some(disk) = self.disk.borrow_mut().as_mut() {
            disk.files.insert(command.argv[4].clone(), all);
        }
        for (object, file) in objects.iter().zip(command.argv[5..].chunks(2)) {
            assert_eq!(file[1], object.size_bytes.to_string());
            self.get(object, &file[0]).await.map_err(|error| error.with_outcome(Outcome::None))?;
        }
        self.run(command).await
    }

    async fn upload(&self, upload: &Upload<'_>) -> Result<()> {
        self.begin_process();
        self.put(upload).await
    }

    async fn create_multipart(&self, _binding: &str, key: &str) -> Result<String> {
        self.faults
            .effect("createMultipart", || {
                let id = format!("upload of {key}");
                self.bucket.uploads.borrow_mut().insert(key.to_owned(), id.clone());
                Ok(id)
            })
            .await
    }

    async fn upload_part(
        &self,
        upload: &Upload<'_>,
        upload_id: &str,
        part_number: u16,
        offset_bytes: u64,
        len_bytes: u64,
    ) -> Result<UploadedPart> {
        self.begin_process();
        self.faults
            .effect("uploadPart", || {
                let bytes = self.file(upload.path)?;
                let from = usize::try_from(offset_bytes).unwrap();
                let part = &bytes[from..from + usize::try_from(len_bytes).unwrap()];
                let mut parts = self.parts.borrow_mut();
                let parts = parts.entry(upload_id.to_owned()).or_default();
                parts.insert(part_number, part.to_vec());
                Ok(UploadedPart { part_number, etag: hex(part) })
            })
            .await
    }

    async fn complete_multipart(
        &self,
        upload: &Upload<'_>,
        upload_id: &str,
        parts: &[UploadedPart],
    ) -> Result<()> {
        self.faults
            .effect("completeMultipart", || {
                let stored = self.parts.borrow();
                let bytes = parts
                    .iter()
                    .flat_map(|part| stored[upload_id][&part.part_number].clone())
                    .collect();
                self.bucket.uploads.borrow_mut().remove(upload.key);
                self.bucket.objects.borrow_mut().insert(upload.key.to_owned(), bytes);
                Ok(())
            })
            .await
    }

    async fn download(&self, _binding: &str, key: &str, size_bytes: u64, path: &str) -> Result<()> {
        self.begin_process();
        self.get(&StoredObject { key: key.to_owned(), size_bytes }, path).await
    }
}
