//! Replace a workspace's machine, too, which takes a new container.

use crate::domain::{AbsolutePath, DirHead, Error, Heads, MachinePart, Outcome, Result};
use crate::ports::sandbox::RestoreBackupOptions;
use crate::session::Abort;
use crate::session::catalogue::{Rewind, RewindState};
use crate::session::parts::containers::Provided;
use crate::session::parts::snapshots::source::{Source, restore_machine};
use crate::session::parts::snapshots::store::is_machine_stored;
use crate::session::parts::{LoadedSession, Replacer};

impl Replacer {
    /// Whether a rewind changes the machine. Not if the snapshot has only a part of the workspace,
    /// because a new container would lack the rest; nor if its machine is lost.
    pub(crate) fn changes_machine(
        &self,
        open: &LoadedSession,
        source: &Source,
        rewind: &Rewind,
        machine_lost: bool,
    ) -> Result<bool> {
        if machine_lost
            || open.config.machine.is_none()
            || !open.config.saved_dirs.are_in(&source.handle.dir)
        {
            return Ok(false);
        }
        let safety = self.context.catalogue.snapshot(&rewind.safety_id)?;
        let saved = safety.and_then(|safety| safety.machine);
        let hash = |machine: &Option<MachinePart>| machine.as_ref().map(|it| it.sha256.clone());
        Ok(hash(&saved) != hash(&source.machine))
    }

    pub(crate) async fn has_lost_machine(
        &self,
        open: &LoadedSession,
        source: &Source,
    ) -> Result<bool> {
        if open.config.machine.is_none() {
            return Ok(false);
        }
        let bucket = self.context.ports.buckets.open(&source.binding)?;
        Ok(!is_machine_stored(bucket.as_ref(), source.machine.as_ref()).await?)
    }

    /// Replaces the container by a new one with the snapshot's machine and files, and records that.
    /// After a crash this can be redone. After an error, [`Self::return_to_safety`] must follow.
    pub(crate) async fn replace_container(
        &self,
        open: &LoadedSession,
        source: &Source,
        rewind: &Rewind,
        abort: &Abort,
    ) -> Result<()> {
        let id = &rewind.sandbox_id;
        self.containers.destroy(id).await?;
        let replaced = self.fill_container(open, source, rewind, abort).await;
        if replaced.is_err() {
            // Without files, the container should not run on for hours, nor count for the quota. If
            // this fails, the next wake reuses it.
            let _ = self.containers.destroy(id).await;
        }
        replaced
    }

    async fn fill_container(
        &self,
        open: &LoadedSession,
        source: &Source,
        rewind: &Rewind,
        abort: &Abort,
    ) -> Result<()> {
        let id = &rewind.sandbox_id;
        let sandbox = self.containers.configured_sandbox(id).await?;
        abort.check()?;
        let options = RestoreBackupOptions {
            binding: Some(source.binding.clone()),
            fresh_sandbox: true,
            // The caller's check at the start of the rewind counts.
            lifetime_checked: true,
            machine: restore_machine(open, source.stored()),
            ..RestoreBackupOptions::default()
        };
        let handle = source.handle.clone();
        let restoring = self.store.restore_stored(sandbox.as_ref(), handle, options);
        let result = abort.or_stopped(sandbox.as_ref(), &source.handle.id, restoring).await?;
        let dir = AbsolutePath::parse("dir", source.handle.dir.as_str())?;
        let provided = Provided { instance: result.instance_id, made: vec![dir] };
        self.containers.provision(open, sandbox.as_ref(), &provided).await?;
        // No await from here on: the disk is stored together with the rewind.
        let now_ms = self.context.now_ms();
        self.context.catalogue.set_instance(id, Some(&provided.instance), now_ms)?;
        self.record_rewound(rewind, source, true, 0)?;
        self.containers.start_services(open, id).await;
        Ok(())
    }

    /// Makes the workspace wake from the safety snapshot, which has all that its container had.
    pub(crate) fn return_to_safety(
        &self,
        open: &LoadedSession,
        rewind: &Rewind,
        error: Error,
    ) -> Result<Error> {
        // No await in here: all is stored together.
        let id = &rewind.sandbox_id;
        let safety = self.context.require_snapshot(&rewind.safety_id)?;
        let mut workspace = self.context.usable(id)?;
        if safety.dir.covers(&open.config.saved_dirs.main) {
            workspace.head_backup_id = Some(safety.id.clone());
        }
        workspace.head_seq = self.context.catalogue.newest_seq()?;
        self.context.catalogue.put_workspace(&workspace)?;
        let head = DirHead { backup_id: safety.id, dir: safety.dir };
        self.context.catalogue.set_heads(id, &Heads::of(Some(head)))?;
        self.context.catalogue.end_rewind(rewind.seq, RewindState::Undone)?;
        Ok(error.with_outcome(Outcome::Unknown).with_hint(
            "the workspace was not rewound; its container was replaced, and the next call brings back all that it had",
        ))
    }
}
