//! Gives sessions their snapshots back after their objects lost their storage. One walk of the
//! buckets serves all sessions, one page per call.

use crate::domain::snapshot::rebuild::{RebuildPage, RebuildProblem, RestoredBackup};
use crate::domain::{BackupId, ErrorBody, ErrorCode, RebuildOwn, Result, SessionId};
use crate::operator::Operator;
use crate::operator::walk::{Found, Walked};
use std::collections::BTreeMap;

impl Operator {
    /// Sends the backups of one page of the buckets to the sessions in their records. Each session
    /// adds backups that its catalogue lacks. After a failed call, repeating it does the rest of
    /// the page. Repeating a whole walk changes nothing.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor; `NOT_CONFIGURED` for a binding in `BACKUP_BINDINGS`
    /// that the Worker lacks; `UNAVAILABLE`.
    pub async fn rebuild(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<RebuildPage> {
        let Walked { binding, found, next_cursor, .. } = self.walk(limit, cursor).await?;
        let mut page = RebuildPage { next_cursor, ..RebuildPage::default() };
        let mut owned = BTreeMap::<SessionId, Vec<BackupId>>::new();
        for (id, found) in found {
            match found {
                Ok(Found::Nothing) => continue,
                Ok(Found::Owned(session, _)) => owned.entry(session).or_default().push(id),
                Ok(Found::Orphan(_)) => page.left_alone_count += 1,
                Err(error) => page.problems.push(RebuildProblem {
                    id,
                    session: None,
                    error: error.to_wire().error,
                }),
            }
            page.examined_count += 1;
        }
        let question =
            |ids: &Vec<BackupId>| RebuildOwn { binding: binding.clone(), ids: ids.clone() };
        let questions = owned.iter().map(|(session, ids)| (session.clone(), question(ids)));
        let answers = self.ask(questions.collect(), async |host, own| host.rebuild(own).await);
        for (session, answer) in answers.await {
            let failed = |id: BackupId, error: ErrorBody| RebuildProblem {
                id,
                session: Some(session.clone()),
                error,
            };
            match answer {
                Ok(rebuilt) => {
                    page.known_count += rebuilt.known as u64;
                    page.left_alone_count += (rebuilt.foreign + rebuilt.incomplete) as u64;
                    let problems = rebuilt.problems.into_iter();
                    page.problems.extend(problems.map(|problem| failed(problem.id, problem.error)));
                    page.restored.extend(rebuilt.restored.into_iter().map(|id| RestoredBackup {
                        id,
                        binding: binding.clone(),
                        session: session.clone(),
                    }));
                }
                Err(error) if error.code == ErrorCode::NotFound => {
                    page.unopened.insert(session);
                }
                Err(error) => {
                    let error = error.to_wire().error;
                    let ids = owned.remove(&session).unwrap_or_default().into_iter();
                    page.problems.extend(ids.map(|id| failed(id, error.clone())));
                }
            }
        }
        Ok(page)
    }
}
