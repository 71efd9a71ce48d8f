//! The alarm's work, in independent pieces. Rows say when a piece is due. An alarm runs the due
//! pieces, the most urgent first, and is set for the next. A long-running piece delays no other:
//! the next alarm skips it. A heartbeat is an alarm that only keeps the object in memory.

use crate::domain::limits::{
    ALARM_BUDGET_MS, ALARM_RETRY_MAX_MS, ALARM_RETRY_MS, HEARTBEAT_MS, RECOVER_AFTER_MS,
};
use crate::domain::time::pause_ms;
use crate::domain::time::rfc3339;
use crate::domain::{Error, Result};
use crate::ports::random::below_ms;
use crate::ports::{Alarm, Clock, Level, Log, LogLine};
use crate::session::Session;
use crate::session::parts::autosave::Retire;
use crate::session::parts::earliest_alarm::Held;
use crate::session::recovery::retention::Retention;
use crate::session::recovery::sweep::Sweep;
use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;

/// When a piece is next due by its rows, in milliseconds since the epoch. Reads only a few rows.
type DueMs = fn(&Session) -> Result<Option<i64>>;

/// Does a piece's due work. Returns until when to leave the piece alone even if its rows are due.
type Run = for<'a> fn(&'a Session) -> LocalBoxFuture<'a, Result<Option<i64>>>;

struct Piece {
    name: &'static str,
    due_ms: DueMs,
    run: Run,
    can_wait: bool,
}

const fn piece(name: &'static str, due_ms: DueMs, run: Run) -> Piece {
    Piece { name, due_ms, run, can_wait: false }
}

impl Piece {
    const fn can_wait(mut self) -> Self {
        self.can_wait = true;
        self
    }
}

/// The pieces, the most urgent first. A later piece finds what an earlier piece left.
const PIECES: [Piece; 18] = [
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
    piece("flattening", Session::flattening_due_ms, |session| {
        session.recover_flattening().boxed_local()
    }),
    piece("clean", Session::clean_due_ms, |session| session.recover_clean().boxed_local()),
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
    )
    .can_wait(),
    piece("released", Session::released_due_ms, |session| session.finish_releases().boxed_local()),
    piece(
        "sweep",
        |session| Sweep::from(session).sweep_due_ms(),
        |session| async move { Sweep::from(session).sweep().await }.boxed_local(),
    )
    .can_wait(),
    piece(
        "lost",
        |session| Sweep::from(session).lost_due_ms(),
        |session| async move { Sweep::from(session).recheck_lost().await }.boxed_local(),
    )
    .can_wait(),
    piece(
        "ended",
        |session| Sweep::from(session).ended_due_ms(),
        |session| ready(Sweep::from(session).forget_ended()).boxed_local(),
    )
    .can_wait(),
    piece(
        "retire",
        |session| Retire::from(session).retire_due_ms(),
        |session| async move { Retire::from(session).retire().await }.boxed_local(),
    )
    .can_wait(),
    piece(
        "directory",
        |session| session.registration.register_due_ms(),
        |session| session.registration.register().boxed_local(),
    ),
];

/// Workspaces' autosaves are independent: only this piece may run several times at once.
const AUTOSAVE: &str = "autosave";

impl Session {
    /// Runs before each operation. An object's first one schedules the alarm to recover what a
    /// crash left, so that no caller waits for it.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails or the alarm cannot be set.
    pub async fn start(&self) -> Result<()> {
        self.registration.announce().await;
        if self.started.replace(true) {
            return Ok(());
        }
        self.spread_overdue(0);
        // A workspace in use schedules its own autosave before it runs.
        let pieces = PIECES.iter().filter(|piece| piece.name != AUTOSAVE);
        let due: Vec<Option<i64>> =
            pieces.map(|piece| self.held_due_ms(piece)).collect::<Result<_>>()?;
        match due.into_iter().flatten().min() {
            Some(due_ms) => {
                self.context.ports.alarm.schedule_by(due_ms.max(self.context.now_ms())).await
            }
            None => Ok(()),
        }
    }

    /// Handles an alarm: the heartbeat, or the due pieces. A failed piece does not stop the others.
    ///
    /// # Errors
    /// The error of the first piece that failed.
    pub async fn recover(&self) -> Result<()> {
        let now_ms = self.context.now_ms();
        // After an outage, for example, alarms are late in many objects at once. An alarm that
        // is on time is not part of such a burst.
        self.spread_overdue(i64::try_from(self.context.settings.spread_ms).unwrap_or(i64::MAX));
        let beat_ms = self.agenda.beat_ms.replace(i64::MAX);
        if beat_ms > now_ms && beat_ms < i64::MAX {
            // This alarm is earlier than the heartbeat's: set the heartbeat again.
            self.agenda.beat_ms.set(beat_ms);
            self.alarm.beat_by(beat_ms).await?;
        } else if self.is_busy()? {
            self.stay_loaded().await?;
        }
        let look_ms = self.alarm.look_ms();
        if beat_ms <= now_ms && look_ms > now_ms && !self.agenda.looking.get() {
            // This alarm was the heartbeat's: set it again for the next look.
            return if look_ms == i64::MAX {
                Ok(())
            } else {
                self.context.ports.alarm.schedule_by(look_ms).await
            };
        }
        self.look().await
    }

    /// Puts off, once in an object's life, upkeep that is overdue by at least `late_ms`, each piece
    /// by another random time. A deploy or an outage makes many objects new at once.
    fn spread_overdue(&self, late_ms: i64) {
        let spread_ms = self.context.settings.spread_ms;
        if self.agenda.spread.replace(true) || spread_ms == 0 {
            return;
        }
        let now_ms = self.context.now_ms();
        for piece in PIECES.iter().filter(|piece| piece.can_wait) {
            // A piece whose rows can't be read runs, and reports the error then.
            let Ok(Some(due_ms)) = (piece.due_ms)(self) else { continue };
            if due_ms.saturating_add(late_ms) > now_ms {
                continue;
            }
            let delay_ms = below_ms(self.context.ports.random.as_ref(), spread_ms);
            let delay_ms = delay_ms.ok().and_then(|ms| i64::try_from(ms).ok()).unwrap_or(0);
            let held = Held { until_ms: now_ms.saturating_add(delay_ms), failures: 0 };
            self.agenda.held.borrow_mut().insert(piece.name, held);
        }
    }

    fn held_due_ms(&self, piece: &Piece) -> Result<Option<i64>> {
        let held_ms = self.agenda.held.borrow().get(piece.name).map(|held| held.until_ms);
        Ok((piece.due_ms)(self)?.map(|due_ms| due_ms.max(held_ms.unwrap_or(due_ms))))
    }

    /// Keeps the object in memory while work goes on that no request waits for.
    ///
    /// # Errors
    /// `INTERNAL` if the alarm cannot be set.
    pub async fn stay_loaded(&self) -> Result<()> {
        let beat_ms = self.context.now_ms() + HEARTBEAT_MS;
        self.agenda.beat_ms.set(beat_ms);
        self.alarm.beat_by(beat_ms).await
    }

    fn is_busy(&self) -> Result<bool> {
        let calls = self.context.catalogue.running_operations()?;
        Ok(self.agenda.looks.has(&())
            || calls.iter().any(|row| self.calls.running(&row.id).is_some()))
    }

    async fn look(&self) -> Result<()> {
        let _going_on = self.agenda.looks.begin(());
        self.agenda.looking.set(true);
        let began_ms = self.context.now_ms();
        // This look covers the alarm times requested so far; later ones start over.
        self.alarm.looks();
        let mut outcome = Ok(());
        let mut ran = Vec::new();
        for piece in &PIECES {
            // After the time budget, another alarm does the rest, beginning with the urgent pieces.
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
            // A piece that is still due right after it ran would make the alarm loop: wait.
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

    /// None: it has no due rows, or it runs now, and its end sets the alarm.
    fn next_ms(&self, piece: &Piece) -> Option<i64> {
        if self.agenda.running.has(&piece.name) {
            return None;
        }
        let held_ms = self.agenda.held.borrow().get(piece.name).map(|held| held.until_ms);
        let held_ms = held_ms.filter(|until_ms| *until_ms > self.context.now_ms());
        // A piece whose rows can't be read runs, and reports the error then.
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
                let pause_ms = pause_ms(failures, ALARM_RETRY_MS, ALARM_RETRY_MAX_MS);
                let until_ms = self.context.now_ms() + pause_ms;
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

/// Keeps an object's alarm going even if its work fails, or wrong settings leave it without a
/// [`Session`](crate::session::Session). The runtime retries a failed alarm only a few times,
/// within minutes. After that, containers would stop unsaved even though the cause is long fixed.
pub struct Alarms {
    /// The session's name in the log.
    pub label: String,
    /// The object's alarm.
    pub alarm: Rc<dyn Alarm>,
    /// The clock.
    pub clock: Rc<dyn Clock>,
    /// Where failures are logged.
    pub log: Rc<dyn Log>,
    /// Failures in a row.
    pub failures: Cell<u32>,
}

impl Alarms {
    /// Takes the result of an alarm. After a failure, sets the alarm again, with growing delay.
    ///
    /// # Errors
    /// `INTERNAL` if the alarm can't be set: the runtime then retries.
    pub async fn ended(&self, recovered: Result<()>) -> Result<()> {
        let Err(error) = recovered else {
            self.failures.set(0);
            return Ok(());
        };
        let failures = self.failures.get();
        self.failures.set(failures.saturating_add(1));
        let pause_ms = pause_ms(failures, ALARM_RETRY_MS, ALARM_RETRY_MAX_MS);
        let again_ms = self.clock.now_ms().saturating_add(pause_ms);
        self.log.write(LogLine::new(
            Level::Warn,
            "alarm.failed",
            json!({
                "session": self.label, "failures": self.failures.get(), "code": error.code,
                "message": error.message, "cause": error.cause, "nextTryAt": rfc3339(again_ms),
            }),
        ));
        self.alarm.schedule_by(again_ms).await
    }
}
