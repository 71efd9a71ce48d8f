//! Sums over all ready snapshots, which triggers maintain.

/// With these, retention reads only due rows. `snapshot_changes` counts what may change its plan.
pub(crate) const SUMS: &[&str] = &[
    "CREATE TABLE snapshot_sums (
        automatic INTEGER NOT NULL,
        guard INTEGER NOT NULL,
        count INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        PRIMARY KEY (automatic, guard)
    ) STRICT, WITHOUT ROWID",
    "CREATE TABLE autosave_counts (
        origin_sandbox_id TEXT PRIMARY KEY,
        count INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX autosave_counts_by_count ON autosave_counts (count)",
    "CREATE TABLE snapshot_changes (count INTEGER NOT NULL) STRICT",
    "INSERT INTO snapshot_changes VALUES (0)",
    "CREATE TRIGGER snapshot_comes AFTER INSERT ON snapshots WHEN NEW.state = 'ready' BEGIN
        INSERT INTO snapshot_sums VALUES (NEW.trigger = 'auto', NEW.guard, 1, NEW.stored_bytes)
            ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        INSERT INTO autosave_counts SELECT NEW.origin_sandbox_id, 1
            WHERE NEW.class = 0 AND NEW.retired_at_ms IS NULL
            ON CONFLICT DO UPDATE SET count = count + 1;
        UPDATE snapshot_changes SET count = count + 1;
     END",
    "CREATE TRIGGER snapshot_goes AFTER DELETE ON snapshots WHEN OLD.state = 'ready' BEGIN
        UPDATE snapshot_sums SET count = count - 1, bytes = bytes - OLD.stored_bytes
            WHERE automatic = (OLD.trigger = 'auto') AND guard = OLD.guard;
        UPDATE autosave_counts SET count = count - 1
            WHERE origin_sandbox_id = OLD.origin_sandbox_id AND OLD.class = 0 AND OLD.retired_at_ms IS NULL;
        DELETE FROM autosave_counts WHERE origin_sandbox_id = OLD.origin_sandbox_id AND count = 0;
        UPDATE snapshot_changes SET count = count + 1;
     END",
    "CREATE TRIGGER snapshot_is_changed AFTER UPDATE OF state, trigger, name, pinned, created_at_ms,
        ttl_secs, size_bytes, machine, origin_sandbox_id, rebuilt_at_ms, retired_at_ms ON snapshots
     WHEN OLD.state = 'ready' OR NEW.state = 'ready' BEGIN
        UPDATE snapshot_sums SET count = count - 1, bytes = bytes - OLD.stored_bytes
            WHERE OLD.state = 'ready' AND automatic = (OLD.trigger = 'auto') AND guard = OLD.guard;
        INSERT INTO snapshot_sums
            SELECT NEW.trigger = 'auto', NEW.guard, 1, NEW.stored_bytes WHERE NEW.state = 'ready'
            ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        UPDATE autosave_counts SET count = count - 1
            WHERE origin_sandbox_id = OLD.origin_sandbox_id
                AND OLD.state = 'ready' AND OLD.class = 0 AND OLD.retired_at_ms IS NULL;
        INSERT INTO autosave_counts SELECT NEW.origin_sandbox_id, 1
            WHERE NEW.state = 'ready' AND NEW.class = 0 AND NEW.retired_at_ms IS NULL
            ON CONFLICT DO UPDATE SET count = count + 1;
        DELETE FROM autosave_counts WHERE origin_sandbox_id = OLD.origin_sandbox_id AND count = 0;
        UPDATE snapshot_changes SET count = count + 1;
     END",
];
