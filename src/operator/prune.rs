//! Deletes backups by a rule, across sessions: one page of the buckets per call. Only a session's
//! object judges and deletes the backups in its catalogue, because it knows their pins, heads and
//! readers. This module deletes backups that no catalogue lists, if the rule names their kind.

pub(crate) use crate::operator::ownerless::Orphan;

use crate::domain::snapshot::prune::{
    KeptBecause, OwnOutcome, OwnVerdict, Ownerless, PruneOwn, PrunePage, PruneProblem, PruneRule,
    PrunedBackup,
};
use crate::domain::{BackupId, Error, Result, SessionId};
use crate::operator::Operator;
use crate::operator::walk::{Found, Walked};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What to prune, and how far to go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PruneRequest {
    /// Which backups to delete.
    pub rule: PruneRule,
    /// Delete nothing, and report what would be deleted.
    #[serde(default)]
    pub dry_run: bool,
    /// Backups to examine at most. Default and maximum: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    pub limit: Option<u32>,
    /// `nextCursor` of the previous call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl PrunePage {
    pub(super) fn keep(&mut self, because: KeptBecause) {
        *self.kept.entry(because).or_default() += 1;
    }

    pub(super) fn delete(&mut self, pruned: PrunedBackup) {
        self.freed_bytes = self.freed_bytes.saturating_add(pruned.size_bytes);
        self.deleted.push(pruned);
    }

    pub(super) fn fail(&mut self, id: BackupId, session: Option<SessionId>, error: &Error) {
        self.problems.push(PruneProblem { id, session, error: error.to_wire().error });
    }
}

impl Operator {
    /// Prunes one page of the buckets: the default bucket first, then those of the other bindings,
    /// each in key order. After a failed call, repeating it does the rest of the page.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor; `NOT_CONFIGURED` for a binding in `BACKUP_BINDINGS`
    /// that the Worker lacks; `UNAVAILABLE`.
    pub async fn prune(&self, request: &PruneRequest) -> Result<PrunePage> {
        let Walked { binding, bucket, found, next_cursor } =
            self.walk(request.limit, request.cursor.as_deref()).await?;
        let mut page = PrunePage { dry_run: request.dry_run, next_cursor, ..PrunePage::default() };
        let (mut owned, mut orphans) = (BTreeMap::<SessionId, Vec<Orphan>>::new(), Vec::new());
        for (id, found) in found {
            page.examined_count += 1;
            match found {
                Ok(Found::Owned(session, backup)) => owned.entry(session).or_default().push(backup),
                Ok(Found::Orphan(backup)) => orphans.push(backup),
                Ok(Found::Nothing) => page.examined_count -= 1,
                Err(error) => page.fail(id, None, &error),
            }
        }
        self.ask_owners(&binding, request, owned, &mut page, &mut orphans).await;
        self.delete_orphans(bucket.as_ref(), &binding, request, orphans, &mut page).await?;
        Ok(page)
    }

    /// Lets each session judge its own backups. Adds those that their session does not know to
    /// `orphans`.
    async fn ask_owners(
        &self,
        binding: &str,
        request: &PruneRequest,
        mut owned: BTreeMap<SessionId, Vec<Orphan>>,
        page: &mut PrunePage,
        orphans: &mut Vec<Orphan>,
    ) {
        let rule = &request.rule;
        owned.retain(|session, backups| {
            let asked_for = rule.session.as_ref().is_none_or(|wanted| wanted == session);
            if !asked_for {
                backups.iter().for_each(|_| page.keep(KeptBecause::NotAskedFor));
            }
            asked_for
        });
        let question = |session: &SessionId| PruneOwn {
            binding: binding.to_owned(),
            ids: owned.get(session).into_iter().flatten().map(|found| found.id.clone()).collect(),
            rule: rule.clone(),
            dry_run: request.dry_run,
        };
        let questions = owned.keys().map(|session| (session.clone(), question(session)));
        let answers = self.ask(questions.collect(), async |host, own| host.prune(own).await);
        for (session, answer) in answers.await {
            let mut backups = owned.remove(&session).unwrap_or_default();
            let verdicts = match answer {
                Ok(verdicts) => verdicts,
                Err(error) => {
                    for backup in backups {
                        page.fail(backup.id, Some(session.clone()), &error);
                    }
                    continue;
                }
            };
            for OwnVerdict { id, outcome } in verdicts {
                let Some(at) = backups.iter().position(|backup| backup.id == id) else { continue };
                let backup = backups.swap_remove(at);
                match outcome {
                    OwnOutcome::Deleted { size_bytes } => page.delete(PrunedBackup {
                        id,
                        binding: binding.to_owned(),
                        session: Some(session.clone()),
                        ownerless: None,
                        size_bytes,
                    }),
                    OwnOutcome::Kept(because) => page.keep(because),
                    OwnOutcome::Failed(error) => {
                        page.fail(id, Some(session.clone()), &error.into())
                    }
                    OwnOutcome::Unknown => {
                        orphans.push(Orphan { kind: Ownerless::Lost, ..backup });
                    }
                }
            }
        }
    }
}
