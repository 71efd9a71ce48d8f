//! Snapshots, what they need of each other, turns, and the heads of workspaces.

/// The states in which a snapshot needs others. A `lost` one may come back, so what it needs stays.
macro_rules! needing {
    () => {
        "('pending', 'ready', 'deleting', 'held', 'released', 'lost')"
    };
}

/// Releases what the old row needed, if nothing else needs it.
macro_rules! release_needed {
    () => {
        concat!(
            "UPDATE snapshots SET state = 'released' WHERE id IN (OLD.base_id, OLD.machine_id) AND state = 'held'
            AND NOT EXISTS (SELECT 1 FROM snapshots AS layer WHERE layer.base_id = snapshots.id
                AND layer.state IN ",
            needing!(),
            ")
            AND NOT EXISTS (SELECT 1 FROM snapshots AS sharing WHERE sharing.machine_id = snapshots.id
                AND sharing.state IN ",
            needing!(),
            ");
     END"
        )
    };
}

/// The archives that a workspace wakes from, in the order in which they are applied.
pub(crate) const HEADS: &[&str] = &[
    "CREATE TABLE heads (
        sandbox_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        backup_id TEXT NOT NULL,
        dir TEXT NOT NULL,
        PRIMARY KEY (sandbox_id, position)
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX heads_by_backup ON heads (backup_id)",
];

/// - `class`: 0 automatic, 1 safety, 2 requested, 3 of a turn; limits delete 0, 1, 3 and 2 in this
///   order.
/// - `guard`: what keeps a snapshot: 1 pinned, 2 rebuilt lately, 3 last save of a retired
///   workspace.
/// - `checked_at_ms`: when R2 was last seen to have it whole. `unsynced_edits`: edits that
///   `meta.json` lacks. `renews`: the use of its session renews its time to live.
/// - `chain`: the archives below a layer (null for a full snapshot); `base_id` is the last of them.
///   `machine_id`: the other snapshot that has the machine's archive, if it is shared.
///   `stored_bytes`: bytes of all archives of its own.
/// - `git`: the repository at the root of its directory. `turn`: the last turn that ended with it.
pub(crate) const SNAPSHOTS: &[&str] = &[
    "CREATE TABLE snapshots (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        binding TEXT NOT NULL,
        origin_sandbox_id TEXT NOT NULL,
        dir TEXT NOT NULL,
        name TEXT,
        description TEXT,
        state TEXT NOT NULL,
        handle TEXT,
        parent_id TEXT,
        created_at_ms INTEGER NOT NULL,
        ttl_secs INTEGER NOT NULL,
        renews INTEGER NOT NULL DEFAULT 0,
        size_bytes INTEGER,
        sha256 TEXT,
        trigger TEXT NOT NULL DEFAULT 'manual',
        saved_by TEXT,
        labels TEXT NOT NULL DEFAULT '{}',
        pinned INTEGER NOT NULL DEFAULT 0,
        unsynced_edits INTEGER NOT NULL DEFAULT 0,
        checked_at_ms INTEGER NOT NULL DEFAULT 0,
        published INTEGER NOT NULL DEFAULT 0,
        rebuilt_at_ms INTEGER,
        retired_at_ms INTEGER,
        ended_at_ms INTEGER,
        git TEXT,
        turn TEXT,
        chain TEXT,
        machine TEXT,
        base_id TEXT GENERATED ALWAYS AS (chain ->> '$[#-1].id') VIRTUAL,
        machine_id TEXT GENERATED ALWAYS AS (
            CASE WHEN machine ->> '$.id' <> id THEN machine ->> '$.id' END) VIRTUAL,
        stored_bytes INTEGER GENERATED ALWAYS AS (COALESCE(size_bytes, 0)
            + CASE WHEN machine ->> '$.id' = id THEN machine ->> '$.sizeBytes' ELSE 0 END) VIRTUAL,
        class INTEGER GENERATED ALWAYS AS (
            CASE WHEN trigger = 'safety' THEN 1 WHEN trigger = 'auto' AND name IS NULL THEN 0
            WHEN trigger = 'turn' AND name IS NULL THEN 3 ELSE 2 END) VIRTUAL,
        guard INTEGER GENERATED ALWAYS AS (
            CASE WHEN pinned <> 0 THEN 1 WHEN rebuilt_at_ms IS NOT NULL THEN 2
            WHEN retired_at_ms IS NOT NULL THEN 3 ELSE 0 END) VIRTUAL
    ) STRICT",
    "CREATE INDEX snapshots_asked_last ON snapshots (created_at_ms)
     WHERE trigger IN ('manual', 'import') AND state <> 'failed'",
    "CREATE INDEX snapshots_autosaves ON snapshots (origin_sandbox_id, created_at_ms, seq)
     WHERE state = 'ready' AND class = 0 AND retired_at_ms IS NULL",
    "CREATE INDEX snapshots_by_age ON snapshots (created_at_ms, seq) WHERE state = 'ready'",
    "CREATE INDEX snapshots_by_check ON snapshots (checked_at_ms) WHERE state = 'ready'",
    "CREATE INDEX snapshots_by_class ON snapshots (class, created_at_ms, seq) WHERE state = 'ready'",
    "CREATE INDEX snapshots_by_expiry ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND guard IN (0, 3) AND ttl_secs < 315360000",
    "CREATE INDEX snapshots_by_name ON snapshots (name, state) WHERE name IS NOT NULL",
    "CREATE INDEX snapshots_by_origin ON snapshots (origin_sandbox_id)
     WHERE state IN ('pending', 'ready', 'deleting')",
    "CREATE INDEX snapshots_by_state ON snapshots (state, seq)",
    "CREATE INDEX snapshots_ended ON snapshots (ended_at_ms) WHERE state IN ('deleted', 'failed')",
    "CREATE INDEX snapshots_listed ON snapshots (seq) WHERE state = 'ready'
        AND (trigger IN ('manual', 'import') OR name IS NOT NULL OR retired_at_ms IS NOT NULL)",
    "CREATE INDEX snapshots_loose ON snapshots (class, created_at_ms, seq)
     WHERE state = 'ready' AND guard = 0",
    "CREATE INDEX snapshots_rebuilt ON snapshots (rebuilt_at_ms) WHERE state = 'ready' AND guard = 2",
    "CREATE INDEX snapshots_renewing ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND renews = 1 AND pinned = 0 AND trigger NOT IN ('auto', 'safety')",
    "CREATE INDEX snapshots_retired ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND guard = 3",
    "CREATE INDEX snapshots_shown ON snapshots (seq)
     WHERE state IN ('pending', 'ready') AND trigger NOT IN ('auto', 'turn')",
    "CREATE INDEX snapshots_unsynced ON snapshots (seq) WHERE state = 'ready' AND unsynced_edits > 0",
];

/// A layer needs its base, and a snapshot that shares a machine needs the one that has the machine.
/// A deleted snapshot is `held` while others need its archives, and then `released`.
pub(crate) const NEEDS: &[&str] = &[
    concat!(
        "CREATE INDEX snapshots_by_base ON snapshots (base_id) WHERE base_id IS NOT NULL
        AND state IN ",
        needing!()
    ),
    concat!(
        "CREATE INDEX snapshots_by_machine ON snapshots (machine_id) WHERE machine_id IS NOT NULL
        AND state IN ",
        needing!()
    ),
    concat!(
        "CREATE TRIGGER need_ends AFTER UPDATE OF state, chain, machine ON snapshots
     WHEN (OLD.base_id IS NOT NULL OR OLD.machine_id IS NOT NULL) AND (NEW.state IN ('deleted', 'failed')
        OR NEW.base_id IS NOT OLD.base_id OR NEW.machine_id IS NOT OLD.machine_id) BEGIN
        ",
        release_needed!()
    ),
    concat!(
        "CREATE TRIGGER need_is_dropped AFTER DELETE ON snapshots
     WHEN OLD.base_id IS NOT NULL OR OLD.machine_id IS NOT NULL BEGIN
        ",
        release_needed!()
    ),
    "CREATE TABLE held_sums (count INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT",
    "INSERT INTO held_sums VALUES (0, 0)",
    "CREATE TRIGGER held_comes AFTER INSERT ON snapshots WHEN NEW.state IN ('held', 'released') BEGIN
        UPDATE held_sums SET count = count + 1, bytes = bytes + NEW.stored_bytes;
     END",
    "CREATE TRIGGER held_is_changed AFTER UPDATE OF state ON snapshots
     WHEN (OLD.state IN ('held', 'released')) <> (NEW.state IN ('held', 'released')) BEGIN
        UPDATE held_sums SET
            count = count + (NEW.state IN ('held', 'released')) - (OLD.state IN ('held', 'released')),
            bytes = bytes + NEW.stored_bytes
                * ((NEW.state IN ('held', 'released')) - (OLD.state IN ('held', 'released')));
     END",
];

/// Turns of the conversation. A snapshot that no turn names any more becomes an autosave.
pub(crate) const TURNS: &[&str] = &[
    "CREATE TABLE turns (
        number INTEGER PRIMARY KEY,
        cursor TEXT,
        label TEXT,
        snapshot_id TEXT NOT NULL,
        sandbox_id TEXT NOT NULL,
        before_id TEXT,
        at_ms INTEGER NOT NULL,
        changes TEXT
    ) STRICT",
    "CREATE INDEX turns_by_cursor ON turns (cursor, number) WHERE cursor IS NOT NULL",
    "CREATE INDEX turns_by_snapshot ON turns (snapshot_id)",
    "CREATE TRIGGER turn_loses_snapshot AFTER UPDATE OF state ON snapshots
     WHEN NEW.turn IS NOT NULL AND NEW.state NOT IN ('pending', 'ready') BEGIN
        DELETE FROM turns WHERE snapshot_id = NEW.id;
     END",
    "CREATE TRIGGER turn_goes AFTER DELETE ON turns BEGIN
        UPDATE snapshots SET trigger = 'auto' WHERE id = OLD.snapshot_id AND state = 'ready' AND trigger = 'turn'
            AND NOT EXISTS (SELECT 1 FROM turns WHERE snapshot_id = OLD.snapshot_id);
     END",
];
