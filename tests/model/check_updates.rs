//! A snapshot's metadata, and who may change it.

use crate::calls::{Made, name_of, text_of};
use crate::check::{Check, Had, had};
use crate::model::{Model, Reached, Seen};
use crate::script::{Call, Edit};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::snapshot::{Snapshot, SnapshotState, SnapshotTrigger};
use std::collections::BTreeMap;

impl Model {
    /// Checks that a row keeps everything besides its state, unless a call changed it.
    pub fn check_description(
        &self,
        session: usize,
        was: Option<&Snapshot>,
        row: &Snapshot,
        made: &[Made],
        answered: &BTreeMap<BackupId, &Made>,
        after: &Seen,
    ) -> Check {
        let id = &row.id;
        let is_asked = |one: &&Made| matches!(one.call, Call::Snapshot { .. });
        let asked: Vec<&Made> = made.iter().filter(is_asked).collect();
        let edits = self.edits(session, made, id);
        if let Some(was) = was {
            ensure!(was.origin_sandbox_id == row.origin_sandbox_id, "{id} has another origin");
            ensure!(was.parent_id == row.parent_id, "{id} has another parent");
            // A deleted row may have an edit that was refused because of the delete.
            if row.state != SnapshotState::Ready {
                return Ok(());
            }
            if was.state == SnapshotState::Ready {
                ensure!(was.created_at_ms == row.created_at_ms, "{id} is described anew");
                let flattens = made.iter().any(|one| match one.call {
                    Call::Delete { purge, .. } => purge,
                    Call::Flatten { .. } | Call::Alarm => true,
                    _ => false,
                });
                let is_full = flattens && !was.chain.is_empty() && row.chain.is_empty();
                let kept = (was.kind(), was.size_bytes) == (row.kind(), row.size_bytes);
                ensure!(kept || is_full, "{id} has another archive");
                self.check_edited(was, row, made, &edits)?;
            }
            self.check_named(session, was, row, made, &edits, after)?;
        }
        if let Some(one) = answered.get(id) {
            let Call::Snapshot { name, short, .. } = one.call else { unreachable!() };
            let kept = was.filter(|_| name.is_none()).and_then(|was| was.annotations.name.clone());
            ensure!(
                row.annotations.name == name.map(name_of).or(kept) || made.len() > 1,
                "{id} has the name {:?}",
                row.annotations.name
            );
            let ttl_secs = if short { 600 } else { 2_592_000 };
            ensure!(
                row.ttl_secs == ttl_secs
                    || (was.is_some() || asked.len() > 1) && row.ttl_secs > ttl_secs
                    || made.len() > 1,
                "{id} has another ttl"
            );
            ensure!(row.created_at_ms <= self.now_ms(), "{id} is from the future");
        }
        Ok(())
    }

    /// Edits that were asked for, or may have been, of one snapshot.
    fn edits<'a>(&self, session: usize, made: &'a [Made], id: &BackupId) -> Vec<(&'a Edit, Had)> {
        let mut edits = Vec::new();
        for one in made {
            let Call::Update { edit, .. } = &one.call else { continue };
            let names = match self.reach(session, one) {
                Ok(Reached::Own(named)) if named == *id => had(one),
                // The edit may reach it by a name that was given meanwhile.
                _ if made.len() > 1 && matches!(one.selector, Some(SnapshotSelector::Name(_))) => {
                    Had::Perhaps
                }
                _ => continue,
            };
            if had(one) != Had::No {
                edits.push((edit, if made.len() > 1 { Had::Perhaps } else { names }));
            }
        }
        edits
    }

    /// Pin, publication, label, time to live and trigger.
    fn check_edited(
        &self,
        was: &Snapshot,
        row: &Snapshot,
        made: &[Made],
        edits: &[(&Edit, Had)],
    ) -> Check {
        let id = &row.id;
        // A snapshot call without changed files gives it the metadata of a new one.
        let takes = |one: &Made| matches!(one.call, Call::Snapshot { .. }) && had(one) != Had::No;
        let adopted = made.iter().any(takes);
        let is_turn = |one: &Made| matches!(one.call, Call::Snapshot { turn: true, .. });
        let turns = made.iter().any(|one| takes(one) && is_turn(one));
        let asks = made.iter().any(|one| takes(one) && !is_turn(one));
        // A rewind that fails later has still kept it.
        let rewinds = made.iter().any(|one| matches!(one.call, Call::Rewind { .. }));
        let may = |edit: &Edit| edits.iter().any(|(asked, _)| *asked == edit);
        let labelled = |number: &u8| {
            let label = serde_json::to_value(&row.annotations.labels).unwrap();
            label["label"] == text_of(*number)
        };
        ensure!(was.pinned == row.pinned || may(&Edit::Pin(row.pinned)), "{id}: {:?}", row.pinned);
        ensure!(
            was.published == row.published || may(&Edit::Publish(row.published)),
            "{id} is published: {:?}",
            row.published
        );
        let label =
            edits.iter().any(|(edit, _)| matches!(edit, Edit::Label(text) if labelled(text)));
        ensure!(
            was.annotations.labels == row.annotations.labels || label,
            "{id} has the labels {:?}",
            row.annotations.labels
        );
        let dated = edits.iter().any(|(edit, _)| matches!(edit, Edit::Expire(_)));
        // No caller relies on the time to live of an automatic snapshot.
        let shortens = |one: &Made| matches!(one.call, Call::Snapshot { short: true, .. });
        let shortened = was.cause.trigger == SnapshotTrigger::Auto
            && made.iter().any(|one| shortens(one) && had(one) != Had::No);
        let lives = was.ttl_secs == row.ttl_secs
            || dated
            || shortened
            || (adopted || rewinds || row.renews) && was.ttl_secs < row.ttl_secs
            // Its workspace went away.
            || (row.retired_at_ms.is_some() || matches!(row.cause.trigger, SnapshotTrigger::Auto | SnapshotTrigger::Turn))
                && was.ttl_secs < row.ttl_secs;
        ensure!(lives, "{id} lives {} s, not {}", row.ttl_secs, was.ttl_secs);
        let taken_over = match row.cause.trigger {
            SnapshotTrigger::Manual => asks || may(&Edit::Publish(true)),
            SnapshotTrigger::Safety => rewinds && was.cause.trigger == SnapshotTrigger::Auto,
            SnapshotTrigger::Turn => turns && was.cause.trigger != SnapshotTrigger::Manual,
            SnapshotTrigger::Auto | SnapshotTrigger::Import => false,
        };
        ensure!(
            was.cause.trigger == row.cause.trigger || taken_over,
            "{id} became {:?}",
            row.cause.trigger
        );
        for (edit, had) in edits {
            let is_so = match edit {
                Edit::Pin(pinned) => row.pinned == *pinned,
                Edit::Publish(published) => {
                    row.published == *published
                        && (!published || row.cause.trigger != SnapshotTrigger::Auto)
                }
                Edit::Label(text) => labelled(text),
                Edit::Name { name, .. } => row.annotations.name == name.map(name_of),
                Edit::Expire(None) => row.ttl_secs == 315_360_000,
                Edit::Expire(Some(minutes)) => {
                    let ends_ms = row.created_at_ms + i64::try_from(row.ttl_secs).unwrap() * 1_000;
                    let asked_ms = self.now_ms() + i64::from(*minutes) * 60_000;
                    (asked_ms..asked_ms + 1_000).contains(&ends_ms)
                }
            };
            ensure!(*had != Had::Yes || is_so, "{edit:?} was done, and {id} is {row:?}");
        }
        Ok(())
    }

    /// Checks that a name goes to a snapshot that asked for it, and only from its
    /// holder.
    fn check_named(
        &self,
        session: usize,
        was: &Snapshot,
        row: &Snapshot,
        made: &[Made],
        edits: &[(&Edit, Had)],
        after: &Seen,
    ) -> Check {
        let before = &self.sessions[session].seen;
        let takes = |one: &Made| matches!(one.call, Call::Snapshot { .. }) && had(one) != Had::No;
        let adopted = made.iter().any(takes);
        let renames = |one: &Made| {
            matches!(one.call, Call::Update { edit: Edit::Name { .. }, .. }) && had(one) != Had::No
        };
        let moves = adopted || made.iter().any(renames);
        let moved = || {
            after.snapshots.values().any(|other| {
                other.annotations.name == was.annotations.name
                    && other.state == SnapshotState::Ready
                    && before.snapshots.get(&other.id).is_none_or(|before| {
                        before.state != SnapshotState::Ready
                            || moves && before.annotations.name != other.annotations.name
                    })
            })
        };
        let renamed = edits.iter().any(
            |(edit, _)| matches!(edit, Edit::Name { name, .. } if row.annotations.name == name.map(name_of)),
        );
        ensure!(
            was.annotations.name == row.annotations.name
                || renamed
                || (row.annotations.name.is_none() && (moved() || made.len() > 1 && moves))
                || (was.annotations.name.is_none() && adopted),
            "{} lost its name {:?}",
            row.id,
            was.annotations.name
        );
        Ok(())
    }

    /// Checks that at rest `meta.json` agrees with the catalogue.
    pub fn check_synced(&self) -> Check {
        for known in &self.sessions {
            for row in known.seen.snapshots.values() {
                let id = &row.id;
                if row.state != SnapshotState::Ready || known.crossed.contains(id) {
                    continue;
                }
                let meta = self.meta(id).ok_or(format!("{id} has no meta.json"))?;
                let ours = meta.snapshotter.ok_or(format!("{id} is not ours"))?;
                ensure!(row.unsynced_edits == 0, "{id} is edited, and that is not synced");
                let said = (
                    &meta.name,
                    meta.ttl,
                    ours.published,
                    ours.cause.trigger,
                    &ours.annotations.labels,
                );
                let is = (
                    &row.annotations.name,
                    row.effective_ttl_secs(),
                    row.published,
                    row.cause.trigger,
                    &row.annotations.labels,
                );
                ensure!(said == is, "meta.json of {id} says {said:?}, and it is {is:?}");
                let unpinned = row.pinned.then_some(row.ttl_secs);
                ensure!(ours.unpinned_ttl == unpinned, "{id} says that it is not pinned, or is");
            }
        }
        Ok(())
    }
}
