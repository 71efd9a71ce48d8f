//! The object's alarm, kept at the earliest requested time.

use crate::domain::limits::IDLE_STOP_MAX_MS;
use crate::domain::session::config::Autosave;
use crate::domain::{Result, SessionConfig};
use crate::ports::Alarm;
use crate::session::parts::{InUse, LoadedSession};
use crate::support::fifo_mutex::FifoMutex;
use async_trait::async_trait;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Reads and sets the alarm's time under a mutex. Without it, if two calls both moved the time
/// earlier, the later one could win.
pub(crate) struct EarliestAlarm {
    alarm: Rc<dyn Alarm>,
    mutex: FifoMutex,
    /// When an alarm must look for due work. At first always: an earlier object may have left some.
    look_ms: Cell<i64>,
}

impl EarliestAlarm {
    pub(crate) fn over(alarm: Rc<dyn Alarm>) -> Self {
        Self { alarm, mutex: FifoMutex::default(), look_ms: Cell::new(0) }
    }

    pub(crate) fn look_ms(&self) -> i64 {
        self.look_ms.get()
    }

    pub(crate) fn looks(&self) {
        self.look_ms.set(i64::MAX);
    }

    pub(crate) async fn beat_by(&self, at_ms: i64) -> Result<()> {
        let _guard = self.mutex.lock().await;
        self.alarm.schedule_by(at_ms).await
    }
}

#[async_trait(?Send)]
impl Alarm for EarliestAlarm {
    async fn due_ms(&self) -> Result<Option<i64>> {
        self.alarm.due_ms().await
    }

    async fn set(&self, at_ms: i64) -> Result<()> {
        let _guard = self.mutex.lock().await;
        self.look_ms.set(self.look_ms.get().min(at_ms));
        self.alarm.set(at_ms).await
    }

    async fn schedule_by(&self, at_ms: i64) -> Result<()> {
        let _guard = self.mutex.lock().await;
        self.look_ms.set(self.look_ms.get().min(at_ms));
        self.alarm.schedule_by(at_ms).await
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub every_ms: i64,
    pub idle_ms: i64,
    /// As `idle_ms`, for a workspace in which background processes run.
    pub awake_ms: i64,
}

impl Schedule {
    /// None if the session takes no automatic snapshots, or can't change its files.
    pub(crate) fn of(config: &SessionConfig) -> Option<Self> {
        Self::saving(config, config.autosave?)
    }

    /// A closed session always saves what still runs: its close could not.
    pub(crate) fn now(loaded: &LoadedSession) -> Option<Self> {
        let is_closed = loaded.row.closed_at_ms.is_some();
        let autosave = loaded.config.autosave.or_else(|| is_closed.then(Autosave::default))?;
        Self::saving(&loaded.config, autosave)
    }

    fn saving(config: &SessionConfig, autosave: Autosave) -> Option<Self> {
        if config.modules.read_only {
            return None;
        }
        let idle_ms = config.sleep_after.as_ms().min(IDLE_STOP_MAX_MS);
        let awake_ms = if config.keep_awake { IDLE_STOP_MAX_MS } else { idle_ms };
        Some(Self {
            every_ms: signed(autosave.every_ms),
            idle_ms: signed(idle_ms),
            awake_ms: signed(awake_ms),
        })
    }

    pub(crate) fn soonest_ms(self) -> i64 {
        self.every_ms.min(self.idle_ms)
    }
}

pub(crate) fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

pub(crate) struct Agenda {
    pub(crate) beat_ms: Cell<i64>,
    /// Whether a pass over the pieces has begun and not yet reached the last one.
    pub(crate) looking: Cell<bool>,
    pub(crate) looks: InUse<()>,
    pub(crate) running: InUse<&'static str>,
    /// Whether this object has put off the upkeep that was overdue when it began.
    pub(crate) spread: Cell<bool>,
    /// Pieces left alone even if their rows are due.
    pub(crate) held: RefCell<BTreeMap<&'static str, Held>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    pub(crate) until_ms: i64,
    pub(crate) failures: u32,
}

impl Default for Agenda {
    fn default() -> Self {
        Self {
            beat_ms: Cell::new(i64::MAX),
            looking: Cell::default(),
            looks: InUse::default(),
            running: InUse::default(),
            spread: Cell::default(),
            held: RefCell::default(),
        }
    }
}
