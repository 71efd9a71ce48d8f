//! Whose container starts next.
//!
//! Sessions are served in rounds. A start joins the round after its session's last start that
//! waits or runs, and no earlier than the round after the one that is being served. So a session
//! has one start in each round, in the order of their arrival; a newcomer waits for at most one
//! start of each other session; and since nobody joins the round being served, each round ends.

use crate::domain::ids::{SandboxId, StartId};
use crate::domain::limits::{
    START_ABSENT_MS, START_ASK_MAX_MS, START_ASK_MIN_MS, START_ASK_OFTEN_MAX, START_LEASE_MS,
    STARTS_WAITING_MAX,
};
use crate::domain::starts::{PermitRequest, StartAnswer, WaitingStart};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// What containers of warm pools are served as, until a session has them. No session id has a
/// space.
const POOLS: &str = "warm pools";

/// A start that waits or runs, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StartRow {
    /// Which sandbox. It has one row.
    pub sandbox_id: SandboxId,
    /// The request.
    pub start_id: StartId,
    /// Its session; all warm pools; or else itself.
    pub served_as: String,
    /// When it first asked, in milliseconds since the epoch.
    pub since_ms: i64,
    /// In which round it is served.
    pub round: i64,
    /// Until when it may start. None: it waits.
    pub leased_until_ms: Option<i64>,
}

struct Entry {
    row: StartRow,
    /// Until when it is expected to ask again, if it waits.
    expected_until_ms: i64,
}

/// Round, arrival and sandbox: the order in which starts are served.
type Place = (i64, i64, SandboxId);

/// The starts that run and wait.
pub struct StartQueue {
    limit: usize,
    /// The round that is being served.
    round: i64,
    entries: BTreeMap<SandboxId, Entry>,
    /// The places of those that wait.
    places: BTreeSet<Place>,
}

impl StartQueue {
    /// The queue as it was stored. Each one that waits has time to ask again.
    #[must_use]
    pub fn new(limit: u32, round: i64, rows: Vec<StartRow>, now_ms: i64) -> Self {
        let expected_until_ms = expected_until_ms(longest_pause_ms(rows.len()), now_ms);
        let mut queue = Self {
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            round,
            entries: BTreeMap::new(),
            places: BTreeSet::new(),
        };
        for row in rows {
            if row.leased_until_ms.is_none() {
                queue.places.insert(place(&row));
            }
            queue.entries.insert(row.sandbox_id.clone(), Entry { row, expected_until_ms });
        }
        queue
    }

    /// How many may start at once.
    #[must_use]
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// The round that is being served.
    #[must_use]
    pub const fn round(&self) -> i64 {
        self.round
    }

    /// How many start now.
    #[must_use]
    pub fn starting(&self) -> usize {
        self.entries.len().saturating_sub(self.places.len())
    }

    /// How many wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.places.len()
    }

    /// A sandbox's row.
    #[must_use]
    pub fn row(&self, sandbox: &SandboxId) -> Option<&StartRow> {
        self.entries.get(sandbox).map(|entry| &entry.row)
    }

    /// Removes starts whose lease has ended, and waiting ones that did not ask again in time.
    pub fn remove_lapsed(&mut self, now_ms: i64) -> Vec<StartRow> {
        let lapsed =
            |entry: &Entry| entry.row.leased_until_ms.unwrap_or(entry.expected_until_ms) < now_ms;
        let gone: Vec<SandboxId> = self
            .entries
            .iter()
            .filter(|(_, entry)| lapsed(entry))
            .map(|(sandbox, _)| sandbox.clone())
            .collect();
        gone.iter().filter_map(|sandbox| self.remove(sandbox)).collect()
    }

    /// Whether this one may start now. An earlier request of the same sandbox is over: the
    /// sandbox makes one at a time, so an object that was restarted goes on in its place.
    pub fn ask(&mut self, asked: &PermitRequest, now_ms: i64) -> StartAnswer {
        match self.entries.get_mut(&asked.sandbox) {
            Some(entry) => entry.row.start_id = asked.id.clone(),
            None if self.places.len() >= STARTS_WAITING_MAX => return StartAnswer::Refused,
            None => self.join(asked, now_ms),
        }
        let (free, waiting) = (self.limit.saturating_sub(self.starting()), self.places.len());
        let Some(entry) = self.entries.get_mut(&asked.sandbox) else { return StartAnswer::Refused };
        let leased_until_ms = Some(now_ms.saturating_add(START_LEASE_MS));
        if entry.row.leased_until_ms.is_some() {
            entry.row.leased_until_ms = leased_until_ms;
            return StartAnswer::Granted;
        }
        let place = place(&entry.row);
        let before = self.places.range(..&place).count();
        // The free permits are kept for the first in line, even if others ask earlier.
        if before < free {
            self.places.remove(&place);
            self.round = self.round.max(entry.row.round);
            entry.row.leased_until_ms = leased_until_ms;
            return StartAnswer::Granted;
        }
        // A start takes as long as the shortest pause, or longer.
        let wave = self.limit.clamp(1, START_ASK_OFTEN_MAX);
        let waves = 1 + (before.saturating_sub(free) / wave) as u64;
        let ask_again_ms = (START_ASK_MIN_MS * waves).min(longest_pause_ms(waiting));
        entry.expected_until_ms = expected_until_ms(ask_again_ms, now_ms);
        StartAnswer::Wait { ask_again_ms }
    }

    /// Ends this request, whether it waits or runs. A later one of the same sandbox stays.
    pub fn end(&mut self, sandbox: &SandboxId, id: &StartId) -> Option<StartRow> {
        self.row(sandbox).filter(|row| row.start_id == *id)?;
        self.remove(sandbox)
    }

    /// Which of these sandboxes wait, in the queue's order.
    #[must_use]
    pub fn waits(&self, sandboxes: &BTreeSet<SandboxId>) -> Vec<WaitingStart> {
        let places = (1..).zip(&self.places);
        places
            .filter(|(_, (_, _, sandbox))| sandboxes.contains(sandbox))
            .map(|(place, (_, since_ms, sandbox))| WaitingStart {
                sandbox: sandbox.clone(),
                since_ms: *since_ms,
                place,
            })
            .collect()
    }

    fn join(&mut self, asked: &PermitRequest, now_ms: i64) {
        let served_as = match &asked.session {
            Some(session) => session.as_str().to_owned(),
            // All pools together are served as one session.
            None if asked.sandbox.is_pooled() => POOLS.to_owned(),
            None => asked.sandbox.to_string(),
        };
        let same = self.entries.values().filter(|entry| entry.row.served_as == served_as);
        let last = same.map(|entry| entry.row.round).max().unwrap_or(0);
        let row = StartRow {
            sandbox_id: asked.sandbox.clone(),
            start_id: asked.id.clone(),
            served_as,
            since_ms: asked.since_ms.min(now_ms),
            round: last.max(self.round).saturating_add(1),
            leased_until_ms: None,
        };
        self.places.insert(place(&row));
        self.entries.insert(asked.sandbox.clone(), Entry { row, expected_until_ms: now_ms });
    }

    fn remove(&mut self, sandbox: &SandboxId) -> Option<StartRow> {
        let row = self.entries.remove(sandbox)?.row;
        if row.leased_until_ms.is_none() {
            self.places.remove(&place(&row));
        }
        Some(row)
    }
}

fn place(row: &StartRow) -> Place {
    (row.round, row.since_ms, row.sandbox_id.clone())
}

/// Those far behind ask about 200 times a second together, or less.
fn longest_pause_ms(waiting: usize) -> u64 {
    START_ASK_MAX_MS.max(5 * waiting as u64)
}

/// Until when a start that was given this pause is expected to ask again.
fn expected_until_ms(pause_ms: u64, now_ms: i64) -> i64 {
    let pause_ms = i64::try_from(pause_ms.saturating_mul(2)).unwrap_or(i64::MAX);
    now_ms.saturating_add(pause_ms).saturating_add(START_ABSENT_MS)
}
