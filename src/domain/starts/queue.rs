//! Decides which container starts next.
//!
//! Sessions are served in rounds. A start joins the round after that of its session's last start,
//! and after the current one. So each round has at most one start of a session, and a newcomer
//! waits for at most one of each other session. Nobody joins the current round, so it ends.
//!
//! A call that has waited for two minutes is refused. The queue keeps its place for a retry by its
//! sandbox, or by another one of its session: other starts pass it.

use crate::domain::limits::{
    START_ABSENT_MS, START_ASK_MAX_MS, START_ASK_MIN_MS, START_ASK_OFTEN_MAX, START_KEPT_MS,
    START_LEASE_MS, STARTS_WAITING_MAX,
};
use crate::domain::starts::{PermitRequest, StartAnswer, WaitingStart};
use crate::domain::{SandboxId, StartId};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The name under which warm pools are served. No session id has a space.
const POOLS: &str = "warm pools";

/// A waiting or running start, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StartRow {
    /// The sandbox, which has at most one row.
    pub sandbox_id: SandboxId,
    /// The id of the start.
    pub start_id: StartId,
    /// The session's id, the name of all warm pools, or the sandbox's own id.
    pub served_as: String,
    /// When the sandbox first asked, in milliseconds since the epoch.
    pub since_ms: i64,
    /// The round that serves the start.
    pub round: i64,
    /// Until when it may start, if it has a permit.
    pub leased_until_ms: Option<i64>,
    /// Until when its place is kept for a retry. None if it waits or starts.
    pub kept_until_ms: Option<i64>,
}

struct Entry {
    row: StartRow,
    /// When a waiting start is expected to have asked again.
    expected_until_ms: i64,
}

/// Round, arrival and sandbox: the order of service.
type Place = (i64, i64, SandboxId);

/// The queue of running and waiting starts.
pub struct StartQueue {
    limit: usize,
    round: i64,
    entries: BTreeMap<SandboxId, Entry>,
    /// Of waiting starts.
    places: BTreeSet<Place>,
    /// Places for retries.
    kept: BTreeMap<SandboxId, StartRow>,
}

impl StartQueue {
    /// The queue as stored. All waiting starts get time to ask again.
    #[must_use]
    pub fn new(limit: u32, round: i64, rows: Vec<StartRow>, now_ms: i64) -> Self {
        let expected_until_ms = expected_until_ms(longest_pause_ms(rows.len()), now_ms);
        let mut queue = Self {
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            round,
            entries: BTreeMap::new(),
            places: BTreeSet::new(),
            kept: BTreeMap::new(),
        };
        for row in rows {
            if row.kept_until_ms.is_some() {
                queue.kept.insert(row.sandbox_id.clone(), row);
                continue;
            }
            if row.leased_until_ms.is_none() {
                queue.places.insert(place(&row));
            }
            queue.entries.insert(row.sandbox_id.clone(), Entry { row, expected_until_ms });
        }
        queue
    }

    /// How many containers may start at once.
    #[must_use]
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// The current round.
    #[must_use]
    pub const fn round(&self) -> i64 {
        self.round
    }

    /// How many containers start now.
    #[must_use]
    pub fn starting(&self) -> usize {
        self.entries.len().saturating_sub(self.places.len())
    }

    /// How many starts wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.places.len()
    }

    /// The row of a sandbox that waits or starts.
    #[must_use]
    pub fn row(&self, sandbox: &SandboxId) -> Option<&StartRow> {
        self.entries.get(sandbox).map(|entry| &entry.row)
    }

    /// Removes starts with a lapsed permit, without a repeated request, or with an unclaimed place.
    pub fn remove_lapsed(&mut self, now_ms: i64) -> Vec<StartRow> {
        let lapsed =
            |entry: &Entry| entry.row.leased_until_ms.unwrap_or(entry.expected_until_ms) < now_ms;
        let gone: Vec<SandboxId> = self
            .entries
            .iter()
            .filter(|(_, entry)| lapsed(entry))
            .map(|(sandbox, _)| sandbox.clone())
            .collect();
        let unclaimed = self.kept.extract_if(.., |_, row| row.kept_until_ms < Some(now_ms));
        let mut removed: Vec<StartRow> = unclaimed.map(|(_, row)| row).collect();
        removed.extend(gone.iter().filter_map(|sandbox| self.remove(sandbox)));
        removed
    }

    /// Gives a sandbox the place that is kept for another one of its session, and returns that one:
    /// a repeated restore makes another sandbox.
    pub fn inherit(&mut self, asked: &PermitRequest) -> Option<SandboxId> {
        let (sandbox, session) = (&asked.sandbox, asked.session.as_ref()?);
        if self.entries.contains_key(sandbox) || self.kept.contains_key(sandbox) {
            return None;
        }
        let of_session = self.kept.values().filter(|row| row.served_as == session.as_str());
        let (_, _, other) = of_session.map(place).min()?;
        let row = self.kept.remove(&other)?;
        self.kept.insert(sandbox.clone(), StartRow { sandbox_id: sandbox.clone(), ..row });
        Some(other)
    }

    /// Decides whether a sandbox may start now. The request replaces its earlier one: a sandbox
    /// makes only one at a time, so its restarted object takes over the place.
    pub fn ask(&mut self, asked: &PermitRequest, now_ms: i64) -> StartAnswer {
        match self.entries.get_mut(&asked.sandbox) {
            Some(entry) => entry.row.start_id = asked.id.clone(),
            None => {
                let Some(row) = self.place_for(asked, now_ms) else { return StartAnswer::Refused };
                self.places.insert(place(&row));
                let entry = Entry { row, expected_until_ms: now_ms };
                self.entries.insert(asked.sandbox.clone(), entry);
            }
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
        // Free permits are kept for the first in line, even if others ask earlier.
        if before < free {
            self.places.remove(&place);
            self.round = self.round.max(entry.row.round);
            entry.row.leased_until_ms = leased_until_ms;
            return StartAnswer::Granted;
        }
        // A start takes at least as long as the shortest pause.
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

    /// Ends this request's wait and keeps its place, if somebody will retry.
    pub fn leave(&mut self, sandbox: &SandboxId, id: &StartId, now_ms: i64) -> Option<&StartRow> {
        let is_to_return = |row: &&StartRow| {
            row.start_id == *id && row.leased_until_ms.is_none() && row.served_as != POOLS
        };
        self.row(sandbox).filter(is_to_return)?;
        let mut row = self.remove(sandbox)?;
        row.kept_until_ms = Some(now_ms.saturating_add(START_KEPT_MS));
        self.kept.insert(sandbox.clone(), row);
        self.kept.get(sandbox)
    }

    /// Those of these sandboxes that wait, in the queue's order.
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

    /// The place kept for a sandbox, or one behind its session's starts. None if too many wait.
    fn place_for(&mut self, asked: &PermitRequest, now_ms: i64) -> Option<StartRow> {
        let start_id = asked.id.clone();
        if let Some(row) = self.kept.remove(&asked.sandbox) {
            return Some(StartRow { start_id, kept_until_ms: None, ..row });
        }
        if self.places.len() + self.kept.len() >= STARTS_WAITING_MAX {
            return None;
        }
        let served_as = match &asked.session {
            Some(session) => session.as_str().to_owned(),
            None if asked.sandbox.is_pooled() => POOLS.to_owned(),
            None => asked.sandbox.to_string(),
        };
        let all = self.entries.values().map(|entry| &entry.row).chain(self.kept.values());
        let same = all.filter(|row| row.served_as == served_as);
        let last = same.map(|row| row.round).max().unwrap_or(0);
        Some(StartRow {
            sandbox_id: asked.sandbox.clone(),
            start_id,
            served_as,
            since_ms: asked.since_ms.min(now_ms),
            round: last.max(self.round).saturating_add(1),
            leased_until_ms: None,
            kept_until_ms: None,
        })
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

/// For starts that are far behind: together, they ask at most about 200 times a second.
fn longest_pause_ms(waiting: usize) -> u64 {
    START_ASK_MAX_MS.max(5 * waiting as u64)
}

fn expected_until_ms(pause_ms: u64, now_ms: i64) -> i64 {
    let pause_ms = i64::try_from(pause_ms.saturating_mul(2)).unwrap_or(i64::MAX);
    now_ms.saturating_add(pause_ms).saturating_add(START_ABSENT_MS)
}
