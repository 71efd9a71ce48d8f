//! The alarm's work, in pieces that wait for no other.
//!
//! Rows say when a piece is due. An alarm runs the pieces that are due, the most
//! urgent first, and is set again for the next. One that works for long, such
//! as an archive, keeps none of the others from the next alarm, which passes it
//! over. A heartbeat is an alarm that only keeps the object in memory.

use crate::domain::error::{Error, Result};
use crate::domain::limits::{
    ALARM_BUDGET_MS, ALARM_RETRY_MAX_MS, ALARM_RETRY_MS, HEARTBEAT_MS, RECOVER_AFTER_MS,
};
use crate::domain::snapshot::backup::rfc3339;
use crate::session::Session;
use crate::session::autosave::retire::Retire;
use crate::session::in_use::InUse;
use crate::session::recovery::retention::Retention;
use crate::session::recovery::sweep::Sweep;
use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// When a piece is due next by its rows, in milliseconds since the epoch. Reads
/// few rows, and asks nobody.
type DueMs = fn(&Session) -> Result<Option<i64>>;

/// Does what is due of a piece. Says until when to leave it alone, though its
/// rows say that it is due.
type Run = for<'a> fn(&'a Session) -> LocalBoxFuture<'a, Result<Option<i64>>>;

/// One piece of work.
struct Piece {
    name: &'static str,
    due_ms: DueMs,
    run: Run,
}

const fn piece(name: &'static str, due_ms: DueMs, run: Run) -> Piece {
    Piece { name, due_ms, run }
}

/// The pieces, the most urgent first. A later one finds what an earlier one has left.
const PIECES: [Piece; 14] = [
    piece("saves", Session::saves_due_ms, |session| session.recover_pending_saves().boxed_local()),
    piece("rewinds", Session::rewinds_due_ms, |session| session.recover_rewinds().boxed_local()),
    piece("workspaces", Session::workspaces_due_ms, |session| {
        session.recover_workspaces().boxed_local()
    }),
    piece("releases", Session::releases_due_ms, |session| session.recover_releases().boxed_local()),
    piece(
        "operations",
        |session| session.calls.operations_due_ms(),
        |session| session.calls.tend_operations().boxed_local(),
    ),
    piece(
        AUTOSAVE,
        |session| session.autosaver.autosave_due_ms(),
        |session| session.autosaver.keep_saved().boxed_local(),
    ),
    piece("deletes", Session::deletes_due_ms, |session| session.recover_deletes().boxed_local()),
    piece("edits", Session::edits_due_ms, |session| session.recover_edits().boxed_local()),
    piece(
        "leases",
        |session| session.leases.leases_due_ms(),
        |session| session.leases.recover_leases().boxed_local(),
    ),
    piece(
        "retention",
        |session| Retention::from(session).retention_due_ms(),
        |session| session.retain_due().boxed_local(),
    ),
    piece(
        "sweep",
        |session| Sweep::from(session).sweep_due_ms(),
        |session| async move { Sweep::from(session).sweep().await }.boxed_local(),
    ),
    piece(
        "ended",
        |session| Sweep::from(session).ended_due_ms(),
        |session| ready(Sweep::from(session).forget_ended()).boxed_local(),
    ),
    piece(
        "retire",
        |session| Retire::from(session).retire_due_ms(),
        |session| async move { Retire::from(session).retire().await }.boxed_local(),
    ),
    piece(
        "directory",
        |session| session.registration.register_due_ms(),
        |session| session.registration.register().boxed_local(),
    ),
];

/// Each workspace's autosave is a piece of its own: this one alone runs several
/// times at once.
const AUTOSAVE: &str = "autosave";

/// What this object knows of its alarm's work. Its rows know the rest.
pub(crate) struct Agenda {
    /// When the heartbeat is due.
    beat_ms: Cell<i64>,
    /// Whether a look at the pieces has begun, and has not come to the last one.
    looking: Cell<bool>,
    /// One for each look that goes on.
    looks: InUse<()>,
    running: InUse<&'static str>,
    /// Pieces that are left alone, whatever their rows say.
    held: RefCell<BTreeMap<&'static str, Held>>,
}

#[derive(Debug, Clone, Copy)]
struct Held {
    until_ms: i64,
    /// How often it has failed in a row.
    failures: u32,
}

impl Default for Agenda {
    fn default() -> Self {
        Self {
            beat_ms: Cell::new(i64::MAX),
            looking: Cell::default(),
            looks: InUse::default(),
            running: InUse::default(),
            held: RefCell::default(),
        }
    }
}

impl Session {
    /// Called before each operation: the first one of an object has what a
    /// crash left looked at, by the alarm, so that no caller waits for it.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails or the alarm cannot be set.
    pub async fn start(&self) -> Result<()> {
        self.registration.announce().await;
        if self.started.replace(true) {
            return Ok(());
        }
        // The alarm is set for what runs before it runs.
        let pieces = PIECES.iter().filter(|piece| piece.name != AUTOSAVE);
        let due: Vec<Option<i64>> =
            pieces.map(|piece| (piece.due_ms)(self)).collect::<Result<_>>()?;
        match due.into_iter().flatten().min() {
            Some(due_ms) => {
                self.context.ports.alarm.schedule_by(due_ms.max(self.context.now_ms())).await
            }
            None => Ok(()),
        }
    }

    /// What an alarm does: the heartbeat, or the pieces that are due. One that
    /// fails is put off, and keeps no other from its work.
    ///
    /// # Errors
    /// The first piece's that failed: `INTERNAL` where SQLite fails or the alarm
    /// cannot be set; `UNAVAILABLE` where R2 does not respond.
    pub async fn recover(&self) -> Result<()> {
        let now_ms = self.context.now_ms();
        let beat_ms = self.agenda.beat_ms.replace(i64::MAX);
        if beat_ms > now_ms && beat_ms < i64::MAX {
            // This alarm came before the heartbeat's.
            self.agenda.beat_ms.set(beat_ms);
            self.alarm.beat_by(beat_ms).await?;
        } else if self.is_busy()? {
            self.stay_loaded().await?;
        }
        let look_ms = self.alarm.look_ms();
        if beat_ms <= now_ms && look_ms > now_ms && !self.agenda.looking.get() {
            // It may have been set for the heartbeat alone.
            return if look_ms == i64::MAX {
                Ok(())
            } else {
                self.context.ports.alarm.schedule_by(look_ms).await
            };
        }
        self.look().await
    }

    /// Keeps the object in memory while something goes on that no request waits for.
    ///
    /// # Errors
    /// `INTERNAL` where the alarm cannot be set.
    pub async fn stay_loaded(&self) -> Result<()> {
        let beat_ms = self.context.now_ms() + HEARTBEAT_MS;
        self.agenda.beat_ms.set(beat_ms);
        self.alarm.beat_by(beat_ms).await
    }

    /// Whether a recorded call runs here, or a piece that an alarm began.
    fn is_busy(&self) -> Result<bool> {
        let calls = self.context.catalogue.running_operations()?;
        Ok(self.agenda.looks.has(&())
            || calls.iter().any(|row| self.calls.running(&row.id).is_some()))
    }

    async fn look(&self) -> Result<()> {
        let _going_on = self.agenda.looks.begin(());
        self.agenda.looking.set(true);
        let began_ms = self.context.now_ms();
        // What is asked for from here on is as well as what the rows say at the end.
        self.alarm.looks();
        let mut outcome = Ok(());
        let mut ran = Vec::new();
        for piece in &PIECES {
            // Past its time it leaves the rest to another alarm, which begins with what is urgent.
            if self.context.now_ms() - began_ms > ALARM_BUDGET_MS {
                break;
            }
            if self.is_due(piece) {
                ran.push(piece.name);
                outcome = outcome.and(self.run_piece(piece).await);
            }
        }
        self.agenda.looking.set(false);
        let next = PIECES.iter().filter_map(|piece| {
            let due_ms = self.next_ms(piece)?;
            // What is still due though it has just run would have the alarm come at once, and again.
            let again_ms = self.context.now_ms() + RECOVER_AFTER_MS;
            let repeats = ran.contains(&piece.name) && due_ms <= self.context.now_ms();
            Some(if repeats { again_ms } else { due_ms })
        });
        match next.min() {
            Some(due_ms) => outcome.and(self.context.ports.alarm.schedule_by(due_ms).await),
            None => outcome,
        }
    }

    fn is_due(&self, piece: &Piece) -> bool {
        self.next_ms(piece).is_some_and(|due_ms| due_ms <= self.context.now_ms())
    }

    /// When a piece is to run next. None: by its rows never, or it runs now, and
    /// its end sets the alarm.
    fn next_ms(&self, piece: &Piece) -> Option<i64> {
        if self.agenda.running.has(&piece.name) {
            return None;
        }
        let held_ms = self.agenda.held.borrow().get(piece.name).map(|held| held.until_ms);
        let held_ms = held_ms.filter(|until_ms| *until_ms > self.context.now_ms());
        // One whose rows can't be read fails when it runs.
        let due_ms = (piece.due_ms)(self).unwrap_or(Some(0))?;
        Some(due_ms.max(held_ms.unwrap_or(0)))
    }

    async fn run_piece(&self, piece: &Piece) -> Result<()> {
        let running = (piece.name != AUTOSAVE).then(|| self.agenda.running.begin(piece.name));
        let ran = (piece.run)(self).await;
        drop(running);
        let mut held = self.agenda.held.borrow_mut();
        match ran {
            Ok(None) => drop(held.remove(piece.name)),
            Ok(Some(until_ms)) => drop(held.insert(piece.name, Held { until_ms, failures: 0 })),
            Err(error) => {
                let failures = held.get(piece.name).map_or(0, |held| held.failures);
                let pause_ms = ALARM_RETRY_MS.saturating_mul(1 << failures.min(8));
                let until_ms = self.context.now_ms() + pause_ms.min(ALARM_RETRY_MAX_MS);
                let failures = failures.saturating_add(1);
                held.insert(piece.name, Held { until_ms, failures });
                drop(held);
                self.note_failed(piece, failures, until_ms, &error);
                return Err(error);
            }
        }
        Ok(())
    }

    fn note_failed(&self, piece: &Piece, failures: u32, until_ms: i64, error: &Error) {
        let fields = json!({
            "piece": piece.name, "failures": failures, "code": error.code,
            "message": error.message, "cause": error.cause, "nextTryAt": rfc3339(until_ms),
        });
        self.context.warn("alarm.piece_failed", fields);
    }
}
