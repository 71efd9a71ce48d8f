CREATE TABLE autosave_counts (
        origin_sandbox_id TEXT PRIMARY KEY,
        count INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE INDEX autosave_counts_by_count ON autosave_counts (count);
CREATE TABLE borrowed (
        sandbox_id TEXT NOT NULL,
        backup_id TEXT NOT NULL,
        binding TEXT NOT NULL,
        owner TEXT NOT NULL,
        renew_at_ms INTEGER NOT NULL,
        PRIMARY KEY (sandbox_id, backup_id)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE claimers (
        borrower TEXT PRIMARY KEY,
        logged_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE INDEX claimers_by_time ON claimers (logged_at_ms);
CREATE TABLE clean_sandboxes (
        sandbox_id TEXT PRIMARY KEY,
        backup_id TEXT
    ) STRICT, WITHOUT ROWID;
CREATE TABLE commands (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        sandbox_id TEXT NOT NULL,
        began_at_ms INTEGER NOT NULL,
        duration_ms INTEGER,
        exit_code INTEGER,
        process TEXT,
        language TEXT,
        code_context TEXT,
        command TEXT NOT NULL,
        stdout TEXT NOT NULL,
        stderr TEXT NOT NULL
    ) STRICT;
CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL,
        snapshot_id TEXT AS (payload ->> '$.backupId') VIRTUAL,
        workspace_id TEXT AS (COALESCE(payload ->> '$.sandboxId', payload ->> '$.originSandboxId',
            payload ->> '$.to')) VIRTUAL
    ) STRICT;
CREATE INDEX events_by_snapshot ON events (snapshot_id, seq);
CREATE INDEX events_by_workspace ON events (workspace_id, seq);
CREATE TABLE flattening (
        snapshot_id TEXT PRIMARY KEY,
        sandbox_id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE halted_sweeps (
        binding TEXT PRIMARY KEY,
        missing INTEGER NOT NULL,
        since_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE heads (
        sandbox_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        backup_id TEXT NOT NULL,
        dir TEXT NOT NULL,
        PRIMARY KEY (sandbox_id, position)
    ) STRICT, WITHOUT ROWID;
CREATE INDEX heads_by_backup ON heads (backup_id);
CREATE TRIGGER held_comes AFTER INSERT ON snapshots WHEN NEW.state IN ('held', 'released') BEGIN
        UPDATE held_sums SET count = count + 1, bytes = bytes + NEW.stored_bytes;
     END;
CREATE TRIGGER held_is_changed AFTER UPDATE OF state ON snapshots
     WHEN (OLD.state IN ('held', 'released')) <> (NEW.state IN ('held', 'released')) BEGIN
        UPDATE held_sums SET
            count = count + (NEW.state IN ('held', 'released')) - (OLD.state IN ('held', 'released')),
            bytes = bytes + NEW.stored_bytes
                * ((NEW.state IN ('held', 'released')) - (OLD.state IN ('held', 'released')));
     END;
CREATE TABLE held_sums (count INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
CREATE TABLE leases (
        backup_id TEXT NOT NULL,
        borrower TEXT NOT NULL,
        sandbox_id TEXT NOT NULL,
        reads INTEGER NOT NULL,
        until_ms INTEGER NOT NULL,
        PRIMARY KEY (backup_id, borrower, sandbox_id)
    ) STRICT, WITHOUT ROWID;
CREATE INDEX leases_by_end ON leases (until_ms);
CREATE INDEX leases_by_reading ON leases (backup_id, reads, until_ms);
CREATE TRIGGER need_ends AFTER UPDATE OF state, chain, machine ON snapshots
     WHEN (OLD.base_id IS NOT NULL OR OLD.machine_id IS NOT NULL) AND (NEW.state IN ('deleted', 'failed')
        OR NEW.base_id IS NOT OLD.base_id OR NEW.machine_id IS NOT OLD.machine_id) BEGIN
        UPDATE snapshots SET state = 'released' WHERE id IN (OLD.base_id, OLD.machine_id) AND state = 'held'
            AND NOT EXISTS (SELECT 1 FROM snapshots AS layer WHERE layer.base_id = snapshots.id
                AND layer.state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost'))
            AND NOT EXISTS (SELECT 1 FROM snapshots AS sharing WHERE sharing.machine_id = snapshots.id
                AND sharing.state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost'));
     END;
CREATE TRIGGER need_is_dropped AFTER DELETE ON snapshots
     WHEN OLD.base_id IS NOT NULL OR OLD.machine_id IS NOT NULL BEGIN
        UPDATE snapshots SET state = 'released' WHERE id IN (OLD.base_id, OLD.machine_id) AND state = 'held'
            AND NOT EXISTS (SELECT 1 FROM snapshots AS layer WHERE layer.base_id = snapshots.id
                AND layer.state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost'))
            AND NOT EXISTS (SELECT 1 FROM snapshots AS sharing WHERE sharing.machine_id = snapshots.id
                AND sharing.state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost'));
     END;
CREATE TABLE operations (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        op TEXT NOT NULL,
        key TEXT UNIQUE,
        fingerprint TEXT NOT NULL,
        state TEXT NOT NULL,
        step TEXT,
        subject TEXT,
        started_at_ms INTEGER NOT NULL,
        ended_at_ms INTEGER,
        answer TEXT,
        large_bytes INTEGER,
        rights TEXT NOT NULL
    ) STRICT;
CREATE INDEX operations_by_state ON operations (state, seq);
CREATE INDEX operations_large ON operations (seq, large_bytes) WHERE large_bytes IS NOT NULL;
CREATE INDEX operations_running ON operations (seq) WHERE state = 'running';
CREATE INDEX operations_without_key ON operations (seq) WHERE key IS NULL;
CREATE TABLE previews (
        id TEXT PRIMARY KEY,
        port INTEGER NOT NULL,
        sandbox_id TEXT NOT NULL,
        token_id TEXT,
        created_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE restarts (
        sandbox_id TEXT NOT NULL,
        name TEXT NOT NULL,
        command TEXT NOT NULL,
        cwd TEXT NOT NULL,
        env TEXT NOT NULL,
        PRIMARY KEY (sandbox_id, name)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE retries (
        subject TEXT PRIMARY KEY,
        failures INTEGER NOT NULL,
        due_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE rewinds (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        sandbox_id TEXT NOT NULL,
        backup_id TEXT NOT NULL,
        safety_id TEXT NOT NULL,
        state TEXT NOT NULL,
        began_at_ms INTEGER NOT NULL
    ) STRICT;
CREATE INDEX rewinds_by_time ON rewinds (began_at_ms);
CREATE INDEX rewinds_running ON rewinds (sandbox_id, seq) WHERE state = 'running';
CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
CREATE TABLE session (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        session_id TEXT NOT NULL,
        config TEXT NOT NULL,
        active_sandbox_id TEXT NOT NULL,
        opened_at_ms INTEGER NOT NULL,
        closed_at_ms INTEGER,
        snapshots_full_at_us INTEGER NOT NULL DEFAULT 0,
        registered_at_ms INTEGER,
        omitted_claims INTEGER NOT NULL DEFAULT 0,
        turns INTEGER NOT NULL DEFAULT 0
    ) STRICT;
CREATE TABLE snapshot_changes (count INTEGER NOT NULL) STRICT;
CREATE TRIGGER snapshot_comes AFTER INSERT ON snapshots WHEN NEW.state = 'ready' BEGIN
        INSERT INTO snapshot_sums VALUES (NEW.trigger = 'auto', NEW.guard, 1, NEW.stored_bytes)
            ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        INSERT INTO autosave_counts SELECT NEW.origin_sandbox_id, 1
            WHERE NEW.class = 0 AND NEW.retired_at_ms IS NULL
            ON CONFLICT DO UPDATE SET count = count + 1;
        UPDATE snapshot_changes SET count = count + 1;
     END;
CREATE TRIGGER snapshot_goes AFTER DELETE ON snapshots WHEN OLD.state = 'ready' BEGIN
        UPDATE snapshot_sums SET count = count - 1, bytes = bytes - OLD.stored_bytes
            WHERE automatic = (OLD.trigger = 'auto') AND guard = OLD.guard;
        UPDATE autosave_counts SET count = count - 1
            WHERE origin_sandbox_id = OLD.origin_sandbox_id AND OLD.class = 0 AND OLD.retired_at_ms IS NULL;
        DELETE FROM autosave_counts WHERE origin_sandbox_id = OLD.origin_sandbox_id AND count = 0;
        UPDATE snapshot_changes SET count = count + 1;
     END;
CREATE TRIGGER snapshot_is_changed AFTER UPDATE OF state, trigger, name, pinned, created_at_ms,
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
     END;
CREATE TABLE snapshot_sums (
        automatic INTEGER NOT NULL,
        guard INTEGER NOT NULL,
        count INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        PRIMARY KEY (automatic, guard)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (
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
    ) STRICT;
CREATE INDEX snapshots_asked_last ON snapshots (created_at_ms)
     WHERE trigger IN ('manual', 'import') AND state <> 'failed';
CREATE INDEX snapshots_autosaves ON snapshots (origin_sandbox_id, created_at_ms, seq)
     WHERE state = 'ready' AND class = 0 AND retired_at_ms IS NULL;
CREATE INDEX snapshots_by_age ON snapshots (created_at_ms, seq) WHERE state = 'ready';
CREATE INDEX snapshots_by_base ON snapshots (base_id) WHERE base_id IS NOT NULL
        AND state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost');
CREATE INDEX snapshots_by_check ON snapshots (checked_at_ms) WHERE state = 'ready';
CREATE INDEX snapshots_by_class ON snapshots (class, created_at_ms, seq) WHERE state = 'ready';
CREATE INDEX snapshots_by_expiry ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND guard IN (0, 3) AND ttl_secs < 315360000;
CREATE INDEX snapshots_by_machine ON snapshots (machine_id) WHERE machine_id IS NOT NULL
        AND state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost');
CREATE INDEX snapshots_by_name ON snapshots (name, state) WHERE name IS NOT NULL;
CREATE INDEX snapshots_by_origin ON snapshots (origin_sandbox_id)
     WHERE state IN ('pending', 'ready', 'deleting');
CREATE INDEX snapshots_by_state ON snapshots (state, seq);
CREATE INDEX snapshots_ended ON snapshots (ended_at_ms) WHERE state IN ('deleted', 'failed');
CREATE INDEX snapshots_listed ON snapshots (seq) WHERE state = 'ready'
        AND (trigger IN ('manual', 'import') OR name IS NOT NULL OR retired_at_ms IS NOT NULL);
CREATE INDEX snapshots_loose ON snapshots (class, created_at_ms, seq)
     WHERE state = 'ready' AND guard = 0;
CREATE INDEX snapshots_rebuilt ON snapshots (rebuilt_at_ms) WHERE state = 'ready' AND guard = 2;
CREATE INDEX snapshots_renewing ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND renews = 1 AND pinned = 0 AND trigger NOT IN ('auto', 'safety');
CREATE INDEX snapshots_retired ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND guard = 3;
CREATE INDEX snapshots_shown ON snapshots (seq)
     WHERE state IN ('pending', 'ready') AND trigger NOT IN ('auto', 'turn');
CREATE INDEX snapshots_unsynced ON snapshots (seq) WHERE state = 'ready' AND unsynced_edits > 0;
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        scopes TEXT NOT NULL,
        description TEXT,
        created_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TRIGGER turn_goes AFTER DELETE ON turns BEGIN
        UPDATE snapshots SET trigger = 'auto' WHERE id = OLD.snapshot_id AND state = 'ready' AND trigger = 'turn'
            AND NOT EXISTS (SELECT 1 FROM turns WHERE snapshot_id = OLD.snapshot_id);
     END;
CREATE TRIGGER turn_loses_snapshot AFTER UPDATE OF state ON snapshots
     WHEN NEW.turn IS NOT NULL AND NEW.state NOT IN ('pending', 'ready') BEGIN
        DELETE FROM turns WHERE snapshot_id = NEW.id;
     END;
CREATE TABLE turns (
        number INTEGER PRIMARY KEY,
        cursor TEXT,
        label TEXT,
        snapshot_id TEXT NOT NULL,
        sandbox_id TEXT NOT NULL,
        before_id TEXT,
        at_ms INTEGER NOT NULL,
        changes TEXT
    ) STRICT;
CREATE INDEX turns_by_cursor ON turns (cursor, number) WHERE cursor IS NOT NULL;
CREATE INDEX turns_by_snapshot ON turns (snapshot_id);
CREATE TRIGGER workspace_forgets_restarts AFTER UPDATE OF state ON workspaces
     WHEN NEW.state = 'destroyed' BEGIN
        DELETE FROM restarts WHERE sandbox_id = NEW.sandbox_id;
     END;
CREATE TABLE workspaces (
        sandbox_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        instance_id TEXT,
        from_backup_id TEXT,
        created_at_ms INTEGER NOT NULL,
        last_used_at_ms INTEGER NOT NULL,
        head_backup_id TEXT,
        head_seq INTEGER NOT NULL DEFAULT 0,
        saved_at_ms INTEGER NOT NULL DEFAULT 0,
        paused_at_ms INTEGER,
        unreported_wake TEXT,
        unreleased INTEGER NOT NULL DEFAULT 0,
        made_from_backup_id TEXT,
        ended_at_ms INTEGER,
        turn_backup_id TEXT
    ) STRICT, WITHOUT ROWID;
CREATE INDEX workspaces_by_head ON workspaces (head_backup_id) WHERE head_backup_id IS NOT NULL;
CREATE INDEX workspaces_by_origin ON workspaces (made_from_backup_id) WHERE made_from_backup_id IS NOT NULL;
CREATE INDEX workspaces_by_source ON workspaces (from_backup_id) WHERE from_backup_id IS NOT NULL;
CREATE INDEX workspaces_ended ON workspaces (ended_at_ms) WHERE state = 'destroyed';
CREATE INDEX workspaces_live ON workspaces (created_at_ms, sandbox_id) WHERE state <> 'destroyed';
