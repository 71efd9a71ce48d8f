//! Lost snapshots, which still need what is below them, and clean sandboxes.

/// A snapshot is `lost` while R2 lacks something that it needs. It may come back, so what it
/// needs stays, as for a ready one.
pub(crate) const LOST: &[&str] = &[
    "DROP INDEX snapshots_by_base",
    "DROP INDEX snapshots_by_machine",
    "CREATE INDEX snapshots_by_base ON snapshots (base_id) WHERE base_id IS NOT NULL
        AND state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost')",
    "CREATE INDEX snapshots_by_machine ON snapshots (machine_id) WHERE machine_id IS NOT NULL
        AND state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost')",
    "DROP TRIGGER need_ends",
    "DROP TRIGGER need_is_dropped",
    "CREATE TRIGGER need_ends AFTER UPDATE OF state, chain, machine ON snapshots
     WHEN (OLD.base_id IS NOT NULL OR OLD.machine_id IS NOT NULL) AND (NEW.state IN ('deleted', 'failed')
        OR NEW.base_id IS NOT OLD.base_id OR NEW.machine_id IS NOT OLD.machine_id) BEGIN
        UPDATE snapshots SET state = 'released' WHERE id IN (OLD.base_id, OLD.machine_id) AND state = 'held'
            AND NOT EXISTS (SELECT 1 FROM snapshots AS layer WHERE layer.base_id = snapshots.id
                AND layer.state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost'))
            AND NOT EXISTS (SELECT 1 FROM snapshots AS sharing WHERE sharing.machine_id = snapshots.id
                AND sharing.state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost'));
     END",
    "CREATE TRIGGER need_is_dropped AFTER DELETE ON snapshots
     WHEN OLD.base_id IS NOT NULL OR OLD.machine_id IS NOT NULL BEGIN
        UPDATE snapshots SET state = 'released' WHERE id IN (OLD.base_id, OLD.machine_id) AND state = 'held'
            AND NOT EXISTS (SELECT 1 FROM snapshots AS layer WHERE layer.base_id = snapshots.id
                AND layer.state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost'))
            AND NOT EXISTS (SELECT 1 FROM snapshots AS sharing WHERE sharing.machine_id = snapshots.id
                AND sharing.state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost'));
     END",
];

/// Sandboxes in which no caller's command ever runs, and the backups that they make. They may
/// have containers.
pub(crate) const CLEAN_SANDBOXES: &[&str] = &["CREATE TABLE clean_sandboxes (
        sandbox_id TEXT PRIMARY KEY,
        backup_id TEXT
    ) STRICT, WITHOUT ROWID"];
