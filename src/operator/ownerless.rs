//! Deletes backups that no session's catalogue lists.

use crate::domain::limits::INCOMPLETE_AFTER_MS;
use crate::domain::snapshot::backup::meta_key;
use crate::domain::snapshot::prune::{KeptBecause, Ownerless, PrunePage, PruneRule, PrunedBackup};
use crate::domain::{BackupId, Error, Event, Result, SessionId, StoredEvent};
use crate::operator::Operator;
use crate::operator::prune::PruneRequest;
use crate::ports::{Bucket, Level, LogLine};
use crate::support::backup_objects::delete_objects;
use serde_json::json;

/// A backup that no catalogue lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Orphan {
    pub(crate) id: BackupId,
    pub(crate) kind: Ownerless,
    /// The session in its record.
    pub(crate) session: Option<SessionId>,
    /// When the backup was created, or its archive uploaded, in milliseconds since the epoch.
    pub(crate) since_ms: i64,
    pub(crate) size_bytes: u64,
}

impl Orphan {
    /// Why the rule keeps the orphan. None if the rule deletes it.
    fn kept(&self, rule: &PruneRule, now_ms: i64) -> Option<KeptBecause> {
        let is_young = self.kind == Ownerless::Incomplete
            && self.since_ms > now_ms.saturating_sub(INCOMPLETE_AFTER_MS);
        let is_other = rule.session.is_some() && rule.session != self.session;
        [
            (is_other, KeptBecause::NotAskedFor),
            // An orphan records no trigger, so a rule with a trigger never matches.
            (rule.trigger.is_some(), KeptBecause::NotAskedFor),
            (!rule.ownerless.contains(&self.kind), KeptBecause::Ownerless),
            (is_young || !rule.is_old_enough(self.since_ms, now_ms), KeptBecause::TooYoung),
        ]
        .into_iter()
        .find_map(|(holds, because)| holds.then_some(because))
    }
}

impl Operator {
    /// Deletes the orphans that the rule names. Logs the events of all orphans before the first
    /// deletion, so no orphan vanishes without an event.
    pub(crate) async fn delete_orphans(
        &self,
        bucket: &dyn Bucket,
        binding: &str,
        request: &PruneRequest,
        orphans: Vec<Orphan>,
        page: &mut PrunePage,
    ) -> Result<()> {
        let now_ms = self.ports.clock.now_ms();
        let mut doomed = Vec::new();
        for orphan in orphans {
            match orphan.kept(&request.rule, now_ms) {
                Some(because) => page.keep(because),
                None => doomed.push(orphan),
            }
        }
        if !request.dry_run && !doomed.is_empty() {
            let events: Result<Vec<StoredEvent>> =
                doomed.iter().map(|orphan| orphan.event(binding).to_stored()).collect();
            self.ports.directory.note(&events?).await?;
        }
        for orphan in doomed {
            if !request.dry_run
                && let Err(error) = self.delete_orphan(bucket, binding, &orphan).await
            {
                page.fail(orphan.id, orphan.session, &error);
                continue;
            }
            page.delete(PrunedBackup {
                id: orphan.id,
                binding: binding.to_owned(),
                session: orphan.session,
                ownerless: Some(orphan.kind),
                size_bytes: orphan.size_bytes,
            });
        }
        Ok(())
    }

    async fn delete_orphan(
        &self,
        bucket: &dyn Bucket,
        binding: &str,
        orphan: &Orphan,
    ) -> Result<()> {
        let Orphan { id, kind, .. } = orphan;
        if *kind == Ownerless::Incomplete && bucket.head(&meta_key(id)).await?.is_some() {
            return Err(Error::new(
                crate::domain::error::ErrorCode::Conflict,
                format!("backup {id} has just been completed"),
            )
            .with_hint("the session's catalogue has the backup now; prune again"));
        }
        delete_objects(bucket, id).await?;
        self.ports.log.write(LogLine::new(
            Level::Warn,
            "backup.pruned",
            json!({
                "backupId": id, "binding": binding, "ownerless": kind,
                "session": orphan.session, "sizeBytes": orphan.size_bytes,
            }),
        ));
        Ok(())
    }
}

impl Orphan {
    fn event(&self, binding: &str) -> Event {
        Event::BackupPruned {
            backup_id: self.id.clone(),
            binding: binding.to_owned(),
            ownerless: self.kind,
            session_id: self.session.clone(),
            size_bytes: self.size_bytes,
        }
    }
}
