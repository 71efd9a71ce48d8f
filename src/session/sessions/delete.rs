//! Delete a session with all that it has.

use crate::domain::{Error, ErrorCode, Result, SnapshotState};
use crate::session::Session;
use crate::session::parts::{Context, Deleter};
use crate::session::sessions::close::Close;
use serde::{Deserialize, Serialize};

/// The answer to the deletion of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeletedSession {
    /// Always true: deleting a session that does not exist succeeds.
    pub deleted: bool,
    /// How many snapshots were deleted.
    pub snapshots: u64,
    /// How many workspaces were destroyed.
    pub workspaces: u64,
}

struct DeleteSession<'a> {
    context: &'a Context,
    deleter: &'a Deleter,
    close: Close<'a>,
}

impl Session {
    /// Deletes the session: its workspaces with what they have not saved, its snapshots, pinned and
    /// published ones too, its tokens, previews, events and configuration. Other sessions'
    /// workspaces that would wake from its snapshots then begin empty. A later open begins anew.
    ///
    /// Order: close, containers, snapshots one by one, then all rows together. If it breaks off,
    /// the session is closed, and deleting it again continues.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` without `force`; `CONFLICT` while a snapshot is taken, restored or read;
    /// `UNAVAILABLE` if R2 or a container does not respond.
    pub async fn delete_session(&self, force: bool) -> Result<DeletedSession> {
        if !force {
            return Err(Error::invalid(
                "force",
                "must be true: all workspaces and snapshots of the session are lost",
            )
            .with_hint("to keep the snapshots, close the session instead"));
        }
        let delete = DeleteSession {
            context: &self.context,
            deleter: &self.deleter,
            close: Close::from(self),
        };
        delete.delete().await
    }
}

impl DeleteSession<'_> {
    async fn delete(&self) -> Result<DeletedSession> {
        let mut deleted = DeletedSession { deleted: true, snapshots: 0, workspaces: 0 };
        if self.context.catalogue.session()?.is_none() {
            return Ok(deleted);
        }
        deleted.workspaces = self.context.catalogue.live_workspaces()?.len() as u64;
        self.close.close(Some(true)).await?;
        loop {
            let left = self.context.catalogue.undeleted_snapshots()?;
            let Some(first) = left.first() else { break };
            if first.state == SnapshotState::Deleting {
                self.deleter.finish_delete(&first.id, &first.binding).await?;
            } else {
                self.deleter.delete_own(&first.id, true).await?;
                deleted.snapshots += 1;
            }
        }
        self.deleter.release_now().await?;
        if self.context.catalogue.forget_session()? {
            return Ok(deleted);
        }
        Err(Error::new(
            ErrorCode::Conflict,
            "a part of the session is still in use, or was opened again meanwhile",
        )
        .with_hint("delete it again"))
    }
}
