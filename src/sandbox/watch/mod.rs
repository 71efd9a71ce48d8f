//! Streams the changes in a directory. One file, because all of it is one stream.

pub(crate) mod records;

use crate::domain::error::{Error, ErrorCode, Next, Outcome, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::limits::{
    STREAM_PULSE_MS, WATCH_DIRECTORIES_MAX, WATCH_EXCLUDE_MAX, WATCH_EXCLUDE_MAX_BYTES,
    WATCH_MAX_MS, WATCH_READY_MS,
};
use crate::ports::container::{Happened, Output, Process};
use crate::ports::log::Level;
use crate::ports::sandbox::exec_event::SSE_PULSE;
use crate::ports::sandbox::files::FoundPath;
use crate::ports::sandbox::files::shown;
use crate::ports::sandbox::watch::{Changed, WatchEventKind, WatchOptions};
use crate::ports::stream::{ByteStream, Bytes};
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::container::run::KILLED_EXIT_CODE;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::file_scripts::{file_script, outcome_of, yes_or_no};
use crate::sandbox::parts::watches::{Place, Watches};
use crate::sandbox::scripts::{OWN_DIR, WATCH, WATCH_SOURCE, limited};
use crate::sandbox::watch::records::{Change, Named, WatchRecord, WatchRecords};
use async_trait::async_trait;
use futures::future::{Either, select};
use serde_json::json;
use std::any::Any;
use std::rc::Rc;

/// Maximum bytes of stderr to keep. The program's error message is shorter.
const COMPLAINT_BYTES: usize = 4_096;
/// Exit status if `timeout` ended the program.
const TIMED_OUT: i32 = 124;

parts!(Watch {
    context: Rc<Context>,
    container: Rc<SandboxContainer>,
    watches: Watches,
});

impl Watch<'_> {
    /// Watches a directory. Returns once the stream will report every further change; a later
    /// failure is the last event.
    pub(crate) async fn watch_files(
        &self,
        path: &AbsolutePath,
        options: WatchOptions,
    ) -> Result<Bytes> {
        check_exclude(&options.exclude)?;
        let place = self.watches.enter()?;
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let group = format!("{OWN_DIR}/watch-{}.group", self.context.new_tag()?);
        let most = WATCH_DIRECTORIES_MAX.to_string();
        let recursive = yes_or_no(!options.shallow);
        let mut more = vec![group.as_str(), WATCH_SOURCE, most.as_str(), recursive];
        more.extend(options.exclude.iter().map(String::as_str));
        let command = file_script(WATCH, path, options.within.as_ref(), &more);
        let process = self.container.spawn(&limited(command, WATCH_MAX_MS)).await?;
        let mut watch = Watching {
            context: self.context.clone(),
            container: self.container.clone(),
            path: path.clone(),
            within: options.within,
            group,
            process,
            records: WatchRecords::default(),
            complaint: Vec::new(),
            unsent: Vec::new(),
            state: State::Starting,
            _place: place,
        };
        watch.start().await?;
        Ok(Box::new(watch))
    }
}

fn check_exclude(globs: &[String]) -> Result<()> {
    if globs.len() > WATCH_EXCLUDE_MAX {
        return Err(Error::invalid("exclude", format!("has more than {WATCH_EXCLUDE_MAX} globs")));
    }
    let is_name = |glob: &String| {
        (1..=WATCH_EXCLUDE_MAX_BYTES).contains(&glob.len()) && !glob.contains(['/', '\0'])
    };
    if globs.iter().all(is_name) {
        return Ok(());
    }
    let problem =
        format!("must be globs of names: 1 to {WATCH_EXCLUDE_MAX_BYTES} bytes, without / and NUL");
    Err(Error::invalid("exclude", problem))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Starting,
    Running,
    Ended,
}

struct Watching {
    context: Rc<Context>,
    container: Rc<SandboxContainer>,
    path: AbsolutePath,
    within: Option<AbsolutePath>,
    group: String,
    process: Box<dyn Process>,
    records: WatchRecords,
    complaint: Vec<u8>,
    /// Events to send together.
    unsent: Vec<u8>,
    state: State,
    _place: Place,
}

#[async_trait(?Send)]
impl ByteStream for Watching {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            if !self.unsent.is_empty() {
                return Ok(Some(std::mem::take(&mut self.unsent)));
            }
            if self.state == State::Ended {
                return Ok(None);
            }
            let Some(happened) = self.happens(STREAM_PULSE_MS).await else {
                return Ok(Some(SSE_PULSE.to_vec()));
            };
            if let Err(error) = self.happened(happened).await {
                self.end(error.code.as_str(), WatchEventKind::failed(&error))?;
            }
        }
    }

    async fn cancel(&mut self) {
        if self.state != State::Ended {
            self.state = State::Ended;
            self.unsent.clear();
            self.note("cancelled");
            self.stop().await;
        }
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

impl Watching {
    async fn start(&mut self) -> Result<()> {
        while self.state == State::Starting {
            match self.happens(WATCH_READY_MS).await {
                Some(happened) => self.happened(happened).await?,
                None => {
                    self.stop().await;
                    return Err(unavailable("it took too long to begin"));
                }
            }
        }
        Ok(())
    }

    /// Waits for the program's next event. None: nothing happened in time.
    async fn happens(&mut self, within_ms: u64) -> Option<Result<Happened>> {
        match select(self.process.next(), self.context.ports.clock.sleep_ms(within_ms)).await {
            Either::Left((happened, _)) => Some(happened),
            Either::Right(((), _)) => None,
        }
    }

    /// Handles an event of the program. An error ends the watch.
    async fn happened(&mut self, happened: Result<Happened>) -> Result<()> {
        match happened {
            Ok(Happened::Stdout(bytes)) => match self.records.read(&bytes) {
                Ok(records) => records.into_iter().try_for_each(|record| self.record(record)),
                Err(_unreadable) => {
                    self.stop().await;
                    Err(unavailable("the watcher printed unexpected output"))
                }
            },
            Ok(Happened::Stderr(bytes)) => {
                let room = COMPLAINT_BYTES.saturating_sub(self.complaint.len());
                self.complaint.extend(bytes.iter().take(room));
                Ok(())
            }
            Ok(Happened::Exited(TIMED_OUT)) if self.state == State::Running => {
                self.end("ended", WatchEventKind::Ended)
            }
            Ok(Happened::Exited(status)) => Err(self.exited(status).await),
            Err(error) => Err(self.container.explain(error).await),
        }
    }

    fn record(&mut self, record: WatchRecord) -> Result<()> {
        let kind = match record {
            WatchRecord::Ready(directories) => {
                self.state = State::Running;
                WatchEventKind::Watching { directories }
            }
            WatchRecord::Change(change, named) => {
                let changed = self.changed(named);
                match change {
                    Change::Created => WatchEventKind::Created(changed),
                    Change::Modified => WatchEventKind::Modified(changed),
                    Change::Deleted => WatchEventKind::Deleted(changed),
                }
            }
            WatchRecord::Renamed(from, to) => {
                let FoundPath { path, path_base64 } = self.path_of(&from);
                let to = self.changed(to);
                WatchEventKind::Renamed { from: path, from_base64: path_base64, to }
            }
            WatchRecord::Overflow => WatchEventKind::Overflow,
            WatchRecord::Full => {
                let problem = format!("{}: has more directories than a watch may have", self.path);
                return Err(Error::new(ErrorCode::TooLarge, problem).with_hint(format!(
                    "at most {WATCH_DIRECTORIES_MAX}: watch a directory further down, exclude some, or set recursive to false"
                )));
            }
            WatchRecord::Gone => {
                let problem = format!("{}: was removed or moved", self.path);
                return Err(Error::new(ErrorCode::NotFound, problem));
            }
        };
        self.tell(kind)
    }

    fn changed(&self, named: Named) -> Changed {
        Changed { path: self.path_of(&named.path), directory: named.directory }
    }

    /// A path in the form that every file call takes.
    fn path_of(&self, below: &[u8]) -> FoundPath {
        let root = self.within.as_ref().map_or("", AbsolutePath::as_str);
        let prefix = self.path.as_str().strip_prefix(root).unwrap_or_default();
        let prefix = prefix.trim_start_matches('/');
        let whole = match prefix {
            "" => below.to_vec(),
            prefix => [prefix.as_bytes(), b"/", below].concat(),
        };
        let (path, path_base64) = shown(&whole);
        FoundPath { path, path_base64 }
    }

    async fn exited(&self, status: i32) -> Error {
        if status == KILLED_EXIT_CODE
            && let Err(error) = self.container.check_runs_on().await
        {
            return error;
        }
        let output = Output {
            exit_code: status,
            stdout: Vec::new(),
            stderr: self.complaint.clone(),
            stdout_truncated: false,
            stderr_truncated: false,
            killed: false,
        };
        match outcome_of(output, &self.path, self.within.as_ref()) {
            Ok(_) => unavailable("the watcher has ended"),
            Err(error) if error.code == ErrorCode::Unsupported => {
                error.with_hint(Next::LookInstead)
            }
            Err(error) => error,
        }
    }

    fn tell(&mut self, kind: WatchEventKind) -> Result<()> {
        self.unsent.extend(kind.to_sse(self.context.now_ms())?);
        Ok(())
    }

    fn end(&mut self, outcome: &str, last: WatchEventKind) -> Result<()> {
        self.state = State::Ended;
        self.note(outcome);
        self.tell(last)
    }

    async fn stop(&mut self) {
        self.container.stop_reading(&self.group, self.process.as_mut(), &mut |_| {}).await;
    }

    /// Logs the end of the stream. The call's own line was written when the stream began.
    fn note(&self, outcome: &str) {
        self.context.note(Level::Info, "sandbox.watch.end", json!({ "outcome": outcome }));
    }
}

fn unavailable(problem: &str) -> Error {
    Error::new(ErrorCode::Unavailable, format!("the watch: {problem}")).with_outcome(Outcome::None)
}
