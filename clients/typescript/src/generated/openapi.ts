// Made from docs/openapi.json by clients/generate.sh.

export interface components {
    schemas: {
        /** @description An upload whose parts are gone. */
        AbortedUpload: {
            /** @description Always true. */
            aborted: boolean;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description The answer to `GET /`. */
        About: {
            /** @description Where to continue. */
            links: components["schemas"]["Links"];
            /** @description The product's name. */
            name: string;
            /** @description A one-line description. */
            summary: string;
            /** @description Its version. */
            version: string;
        };
        /** @description What an archive is. How it is compressed is seen from its first bytes. */
        ArchiveFormat: "tar" | "oci-layer";
        /** @description Settings of automatic snapshots. */
        Autosave: {
            /**
             * Format: uint64
             * @description Milliseconds between two automatic snapshots of a workspace in use.
             * @default 900000
             */
            everyMs?: number;
        };
        /** @description Settings of automatic snapshots. */
        AutosaveAnswer: {
            /**
             * Format: uint64
             * @description Milliseconds between two automatic snapshots of a workspace in use.
             * @default 900000
             */
            everyMs: number;
        };
        /** @description A directory that snapshots may capture: at or under /workspace, /home, /app, or under /tmp, /var/tmp. */
        BackupDir: string;
        /**
         * @description What `createBackup` returns and `restoreBackup` takes.
         *
         *     Fields we do not know belong to whichever sandbox made the backup; they are
         *     kept whole and handed back to it.
         */
        BackupHandle: {
            /** @description Directory it captured, and is restored to. */
            dir: components["schemas"]["BackupDir"];
            /** @description Id of the backup. */
            id: components["schemas"]["BackupId"];
        } & {
            [key: string]: unknown;
        };
        /** @description Id of a snapshot: a lowercase UUID v4. */
        BackupId: string;
        /** @description Credentials of an S3 service. They are not printed. */
        BucketCredentials: {
            /** @description Its id. */
            accessKeyId: components["schemas"]["SecretValue"];
            /**
             * @description The region that requests are signed for. Default: the one that the endpoint's host names
             *     (`s3.eu-west-1.…`), else `us-east-1`.
             */
            region?: string | null;
            /** @description Its secret. */
            secretAccessKey: components["schemas"]["SecretValue"];
            /** @description The token of temporary credentials. */
            sessionToken?: components["schemas"]["SecretValue"] | null;
        };
        /** @description A bucket that containers reach. */
        BucketMountConfig: {
            /**
             * @description Name of the R2 binding, which the variable `BUCKET_BINDINGS` must list; with
             *     `endpoint`, of the bucket there.
             */
            bucket: string;
            /**
             * @description For `endpoint`; without, requests to it are anonymous. Redacted wherever they are shown. A
             *     later open may change them.
             */
            credentials?: components["schemas"]["BucketCredentials"] | null;
            /**
             * @description Address of another S3 service, which the variable `BUCKET_ENDPOINTS` must list:
             *     `https://s3.eu-west-1.amazonaws.com`.
             */
            endpoint?: string | null;
            /**
             * @description Where it appears in the container, if that can mount: an absolute path outside what
             *     snapshots hold.
             */
            mountPath: string;
            /** @description Only what is below this path of the bucket: `/2024`. Default: all. */
            prefix?: string | null;
            /** @description Whether it is read-only. Default false. */
            readOnly?: boolean;
        };
        /** @description A bucket that the workspace reaches. */
        BucketView: {
            /** @description Its name for S3 clients. */
            bucket: string;
            /** @description Whether the bucket is mounted. */
            mount: components["schemas"]["MountState"];
            /** @description Where it appears as a directory, if `mount` is `MOUNTED`. */
            mountPath: string;
            /** @description Why mounting failed. */
            mountProblem?: string | null;
            /** @description Whether it is read-only. */
            readOnly: boolean;
            /** @description Where they reach it. */
            url: string;
        };
        /** @description The answer to a cancel. */
        Cancelled: {
            /**
             * @description The request was passed on. The call ends before its next step, or
             *     completes if it has none left; its own answer says which.
             */
            cancelRequested: boolean;
            /** @description Its current state. */
            state: components["schemas"]["OperationState"];
        };
        /** @description The modules a session may use. */
        Capabilities: {
            /** @description Running code. */
            code?: boolean | components["schemas"]["CodeCapability"];
            /**
             * @description File tools.
             * @default false
             */
            fs?: boolean;
            /**
             * @description Only what reads is allowed; all else answers `FORBIDDEN`. If no module is declared,
             *     this applies to all of them. Default false.
             */
            readOnly?: boolean;
            /**
             * @description Scripts, which run without a container. They need the binding `LOADER`, and are
             *     off unless declared.
             */
            script?: boolean | components["schemas"]["ScriptCapability"];
            /** @description Command tools. Default false. */
            shell?: boolean | components["schemas"]["ShellCapability"];
            /** @description Snapshot tools. Default false. */
            snapshot?: boolean | components["schemas"]["SnapshotCapability"];
        };
        /** @description The modules a session may use. */
        CapabilitiesAnswer: {
            /** @description Running code. */
            code?: boolean | components["schemas"]["CodeCapability"];
            /**
             * @description File tools.
             * @default false
             */
            fs: boolean;
            /**
             * @description Only what reads is allowed; all else answers `FORBIDDEN`. If no module is declared,
             *     this applies to all of them. Default false.
             */
            readOnly?: boolean;
            /**
             * @description Scripts, which run without a container. They need the binding `LOADER`, and are
             *     off unless declared.
             */
            script?: boolean | components["schemas"]["ScriptCapability"];
            /** @description Command tools. Default false. */
            shell: boolean | components["schemas"]["ShellCapability"];
            /** @description Snapshot tools. Default false. */
            snapshot: boolean | components["schemas"]["SnapshotCapability"];
        };
        /** @description Number of changes of each kind. */
        ChangeCounts: {
            /**
             * Format: uint64
             * @description Paths that differ only in permissions or owner.
             * @default 0
             */
            access: number;
            /**
             * Format: uint64
             * @description New paths.
             * @default 0
             */
            added: number;
            /**
             * Format: uint64
             * @description Files with other content, links with other targets, paths of another type.
             * @default 0
             */
            modified: number;
            /**
             * Format: uint64
             * @description Paths that are gone.
             * @default 0
             */
            removed: number;
            /**
             * Format: uint64
             * @description Files with another path.
             * @default 0
             */
            renamed: number;
        };
        /** @description A path that a restore changed. */
        ChangedPath: {
            /** @description What happened to it. */
            change: components["schemas"]["PathChange2"];
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
        };
        /** @description What happened to a path. */
        ChangeKind: "added" | "removed" | "modified" | "renamed" | "type" | "link" | "mode" | "owner";
        /** @description A value to remove. */
        Cleared: string;
        /** @description Settings of the code module. */
        CodeCapability: {
            /**
             * @description Languages that code may be in. Default: all.
             * @default [
             *       "python",
             *       "javascript"
             *     ]
             */
            languages?: components["schemas"]["Language"][];
            /** @description Whether there are code contexts, which keep variables between calls. Default false. */
            stateful?: boolean;
        };
        /** @description Settings of the code module. */
        CodeCapabilityAnswer: {
            /**
             * @description Languages that code may be in. Default: all.
             * @default [
             *       "python",
             *       "javascript"
             *     ]
             */
            languages: components["schemas"]["Language"][];
            /** @description Whether there are code contexts, which keep variables between calls. Default false. */
            stateful?: boolean;
        };
        /** @description An interpreter that keeps its variables between calls. */
        CodeContext: {
            /** @description Its id. */
            context: components["schemas"]["CodeContextId"];
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Language of its code. */
            language: components["schemas"]["Language"];
            /**
             * Format: uint32
             * @description Its memory in MiB.
             */
            memoryMb: number;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description An interpreter that keeps its variables between calls. */
        CodeContext2: {
            /** @description Its id. */
            context: components["schemas"]["CodeContextId"];
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Language of its code. */
            language: components["schemas"]["Language"];
            /**
             * Format: uint32
             * @description Its memory in MiB.
             */
            memoryMb: number;
        };
        CodeContextId: string;
        /** @description Code contexts that run. */
        CodeContextList: {
            /** @description The oldest first. */
            contexts: components["schemas"]["CodeContext2"][];
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description Code to run in a code context. */
        CodeForContext: {
            /** @description At most 1 MiB. */
            code: string;
            /**
             * Format: uint64
             * @description As of workspace_run_code.
             */
            maxOutputBytes?: number | null;
            /**
             * Format: uint64
             * @description Milliseconds after which it is interrupted: exitCode 124. Default 120000.
             */
            timeoutMs?: number | null;
            /** @description Where: a workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description An image. */
        CodeImage: {
            /** @description Bytes in base64. */
            data: string;
            /** @description E.g. `image/png`. */
            mimeType: string;
            /** @description Name of its file. */
            name: string;
        };
        /** @description A command: argv, or a string for the shell. */
        CommandLine: string | string[];
        /** @description How a command ended in one workspace. */
        CommandOutcome: {
            /**
             * Format: uint64
             * @description How long it took, in milliseconds.
             */
            durationMs: number;
            /**
             * Format: int32
             * @description Its exit code.
             */
            exitCode: number;
            /** @description What to do about refused hosts, or memory. */
            hint?: string | null;
            /** @description Hosts that the network policy has refused since an answer last said so. */
            refusedHosts?: components["schemas"]["RefusedHost"][];
            /** @description The end of what it printed to stderr. */
            stderrTail: string;
            /** @description The end of what it printed to stdout. */
            stdoutTail: string;
            /** @description It took too long. */
            timedOut: boolean;
        } | {
            /** @description Why. */
            error: components["schemas"]["ErrorBody"];
        };
        /** @description One side of a comparison. */
        ComparedTree: {
            /** @description The workspace. */
            sandboxId?: components["schemas"]["SandboxId"] | null;
            /**
             * @description When that snapshot was taken, RFC 3339. A workspace that does not run is
             *     compared by its last save.
             */
            savedAt?: string | null;
            /**
             * @description The snapshot whose files were compared. Absent: those of the running
             *     workspace, or none.
             */
            snapshotId?: components["schemas"]["BackupId"] | null;
        };
        /** @description What a workspace changed. */
        ComparedWorkspace: {
            /** @description Tools act on it. */
            active: boolean;
            /** @description The changes, by path. */
            changes: components["schemas"]["PathChange"][];
            /** @description How the command ended. */
            command?: components["schemas"]["CommandOutcome"] | null;
            /** @description Number of changes, without ignored files. */
            counts: components["schemas"]["ChangeCounts"];
            /** @description Why it could not be compared. */
            error?: components["schemas"]["ErrorBody"] | null;
            /** @description Changes in .git and in ignored files, which are only counted. */
            ignored?: components["schemas"]["IgnoredChanges"][];
            /**
             * Format: uint64
             * @description Files too much to compare. They are not listed, and
             *     may have changed.
             */
            notCompared?: number;
            /** @description The workspace. */
            sandboxId?: components["schemas"]["SandboxId"] | null;
            /**
             * @description When that snapshot was taken, RFC 3339. A workspace that does not run is
             *     compared by its last save.
             */
            savedAt?: string | null;
            /**
             * @description The snapshot whose files were compared. Absent: those of the running
             *     workspace, or none.
             */
            snapshotId?: components["schemas"]["BackupId"] | null;
            /** @description There are more. */
            truncated: boolean;
        };
        /** @description Which workspaces to compare. */
        CompareRequest: {
            /** @description Snapshot to compare with. Default: the nearest that all came from. */
            base?: components["schemas"]["SnapshotSelector"] | null;
            /** @description Command to run in each afterwards, all at once, e.g. the tests. */
            command?: components["schemas"]["CommandLine"] | null;
            /** @description Only paths that match, e.g. *.py. */
            glob?: string | null;
            /**
             * Format: uint
             * @description Maximum number of changes of each. Default 50.
             */
            limit?: number | null;
            /**
             * Format: uint64
             * @description Its time limit in milliseconds. Default 120000.
             */
            timeoutMs?: number | null;
            /** @description Workspaces, 2 to 20, by id. Default: all of the session. */
            workspaces?: components["schemas"]["WorkspaceSelector"][] | null;
        };
        /** @description Workspaces, compared. */
        Comparison: {
            /** @description What all are compared with. Without snapshotId: with no files. */
            base: components["schemas"]["ComparedTree"];
            /** @description Files that several changed. */
            contested: components["schemas"]["ContestedFile"][];
            /** @description The same as a table. */
            text: string;
            /** @description One result for each. */
            workspaces: components["schemas"]["ComparedWorkspace"][];
        };
        /** @description Why a path can't be merged. */
        Conflict: "content" | "binary" | "removedByUs" | "removedByThem" | "type" | "link" | "mode";
        /** @description Lines that both sides changed. */
        ConflictingLines: {
            /**
             * Format: uint64
             * @description Number of our first line, from 1.
             */
            line: number;
            /** @description Our lines, at most 512 bytes of them. */
            ours: string;
            /** @description Their lines. */
            theirs: string;
        };
        /** @description What to do about paths that both sides changed. */
        ConflictPolicy: "ours" | "theirs" | "markers";
        /** @description Whether the container of a workspace runs. */
        ContainerState: "running" | "stopped" | "unknown";
        /** @description A file that several workspaces changed. */
        ContestedFile: {
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
            /** @description Who changed it. */
            sandboxIds: components["schemas"]["SandboxId"][];
        };
        /** @description What was copied. */
        CopiedFiles: {
            /**
             * Format: uint64
             * @description Bytes in all files.
             */
            bytes: number;
            /**
             * Format: uint64
             * @description Directories.
             */
            directories: number;
            /** @description What was not kept. Absent: everything was. */
            dropped?: components["schemas"]["DroppedByImport"] | null;
            /**
             * Format: uint64
             * @description Entries of the archive.
             */
            entries: number;
            /**
             * Format: uint64
             * @description Files, hard links included.
             */
            files: number;
            /**
             * Format: uint64
             * @description Symbolic links.
             */
            links: number;
            /**
             * Format: uint64
             * @description Sockets, pipes and devices, which are not copied.
             */
            skipped: number;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description What to copy from a snapshot. */
        CopyFromSnapshot: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /** @description Files and directories under the snapshot's root, 1 to 100. */
            paths: string[];
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
            /**
             * @description Directory of the workspace that they are put into, under their paths from
             *     the snapshot's root. Default: the workspace's root.
             * @default .
             */
            to?: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Arguments of `copyFromWorkspace`: over HTTP, `from` is in the path. */
        CopyFromWorkspace: {
            /** @description The workspace to copy from: its id. */
            from: components["schemas"]["WorkspaceSelector"];
            /** @description Files and directories under its root, 1 to 100. */
            paths: string[];
            /**
             * @description Directory to put them into, under their paths. Default: the root.
             * @default .
             */
            to?: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description What to copy from a workspace, and where to. */
        CopyPaths: {
            /** @description Files and directories under the workspace's root, 1 to 100. */
            paths: string[];
            /**
             * @description Directory that they are put into, under their paths from the root. Default:
             *     the other workspace's root.
             * @default .
             */
            to?: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description A code context to create. */
        CreateCodeContextRequest: {
            /** @description Language of its code. */
            language: components["schemas"]["Language"];
            /**
             * Format: uint32
             * @description Memory limit in MiB. Default 1024.
             */
            memoryMb?: number | null;
            /** @description Where: a workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description A fresh ticket. */
        CreatedTicket: {
            /** @description Half a minute from now. RFC 3339. */
            expiresAt: string;
            /**
             * @description The ticket. The WebSocket offers the subprotocols `snapshotter` and `ticket.` with this
             *     text after it.
             */
            ticket: string;
        };
        /** @description A fresh token. */
        CreatedToken: {
            /** @description RFC 3339. */
            createdAt: string;
            /** @description What it is for. */
            description: string | null;
            /** @description RFC 3339. */
            expiresAt: string;
            /** @description Id to revoke it by. Not secret. */
            id: components["schemas"]["TokenId"];
            /** @description What it allows. */
            scopes: components["schemas"]["Scopes"];
            /** @description The bearer token. It is returned only here, and stored nowhere. */
            token: string;
        };
        /** @description A workspace to make: by `restore` or `branch`, as its kind says. */
        CreateWorkspace: {
            /**
             * @description Also reach snapshots of other sessions.
             * @default false
             */
            allowCrossSession?: boolean;
            /** @description The snapshot whose files it gets. */
            from: components["schemas"]["SnapshotSelector"];
            /**
             * @description Whether to go back or to try something. The two differ in the name and
             *     in the event log.
             */
            kind: components["schemas"]["RestoreKind"];
        };
        /** @description One snapshot, and whether it stays. */
        DecisionView: {
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Its id. */
            id: components["schemas"]["BackupId"];
            /**
             * Format: uint64
             * @description Size of its archive.
             */
            sizeBytes: number;
        } & ({
            reason: components["schemas"]["KeepReason"];
            /** @constant */
            verdict: "keep";
        } | {
            reason: components["schemas"]["DeleteReason"];
            /** @constant */
            verdict: "delete";
        });
        /** @description Arguments of `delete`. */
        DeleteArgs: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Also delete it if it is pinned or published, or if a workspace that
             *     sleeps or is not saved automatically would wake from it. That workspace
             *     then begins empty.
             */
            force?: boolean;
            /**
             * @description Leave no byte of it stored: layers on it first become full, in a container of
             *     their own.
             */
            purge?: boolean;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        /** @description The code context to end. */
        DeleteCodeContextRequest: {
            /** @description Which context. */
            context: components["schemas"]["CodeContextId"];
            /** @description Where: a workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description The answer to a delete. */
        Deleted: {
            /** @description Always true: deleting what is gone succeeds. */
            deleted: boolean;
        };
        /** @description The code context is gone. */
        DeletedCodeContext: {
            /** @description Always true. */
            deleted: boolean;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description The answer. */
        DeletedGitCheckpoint: {
            /** @description True; also if there was none. */
            deleted: boolean;
            /**
             * Format: uint64
             * @description Bytes that only this git checkpoint had. They stay in the repository, and in snapshots,
             *     until git removes them.
             */
            heldBytes?: number | null;
            /** @description How to remove them, if they are more than 1 MB. */
            hint?: string | null;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description Why a snapshot is deleted. */
        DeleteReason: "expired" | "superseded" | "supersededAutosave" | "maxCount" | "maxBytes" | "operator";
        /** @description The answer to a container's destruction. */
        Destroyed: {
            /** @description Always true. */
            destroyed: boolean;
        };
        /** @description A pool that was destroyed. */
        DestroyedPool: {
            /**
             * Format: uint32
             * @description How many containers were destroyed.
             */
            destroyed: number;
        };
        /** @description The answer to a workspace's destruction. */
        DestroyedWorkspace: {
            /** @description Always true: destroying what is gone succeeds. */
            destroyed: boolean;
            /** @description The snapshot it would have woken from, or null. */
            lastSnapshotId: components["schemas"]["BackupId"] | null;
            /**
             * @description Whether it was used or active after its files last equalled that
             *     snapshot. Such changes are lost.
             */
            usedSince: boolean;
        };
        /** @description What to show of the contents of changed files. */
        DiffOutput: "text" | "patch" | "list";
        /** @description Which trees to compare, and what to show. */
        DiffRequest: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Compare all contents, even of files with equal size and time.
             * @default false
             */
            content?: boolean;
            /**
             * Format: uint32
             * @description Lines around each change, default 3.
             */
            context?: number | null;
            /** @description The older side. Default: the snapshot that the other one came from. */
            from?: components["schemas"]["TreeSelector"] | null;
            /** @description Only paths that match, e.g. *.py or src/*.ts. */
            glob?: string | null;
            /**
             * @description Also list what is in .git or named by a .gitignore, instead of counting it.
             * @default false
             */
            includeIgnored?: boolean;
            /**
             * Format: uint
             * @description Maximum number of changes. Default 200.
             */
            limit?: number | null;
            /**
             * Format: uint
             * @description Maximum bytes of all texts, or of the patch. Default 32768.
             */
            maxBytes?: number | null;
            /**
             * Format: uint64
             * @description Changes to skip: nextOffset of the previous answer.
             * @default 0
             */
            offset?: number;
            /** @description What to show of contents. Default text. */
            output?: components["schemas"]["DiffOutput"];
            /** @description Only this file, or this directory and what is below it. */
            path?: string | null;
            /** @description The newer side. Default: the active workspace. */
            to?: components["schemas"]["TreeSelector"] | null;
        };
        /** @description How many entries of an archive lost something in an import. */
        DroppedByImport: {
            /**
             * Format: uint64
             * @description Entries with extended attributes other than `user.*`, such as capabilities.
             */
            attributes: number;
            /**
             * Format: uint64
             * @description Entries that another user or group than root owned. Root owns them now; a snapshot keeps
             *     them.
             */
            owners: number;
            /**
             * Format: uint64
             * @description Entries with setuid, setgid or sticky bits. A snapshot keeps sticky bits.
             */
            specialBits: number;
        };
        /** @description Whose turns come before a session's own. */
        EarlierTurns: {
            /** @description How to reach these turns. */
            hint: string;
            /** @description The session that took it, and has the turns. Absent if the snapshot is gone. */
            sessionId?: components["schemas"]["SessionId"] | null;
            /** @description The snapshot that the session was opened from. */
            snapshotId: components["schemas"]["BackupId"];
            /** @description The turn that ended with its files. */
            turn?: components["schemas"]["Turn"] | null;
        };
        /** @description The answer to an edit. */
        EditedFile: {
            /**
             * Format: uint
             * @description Line of the first replacement, from 1.
             */
            firstLine: number;
            /** @description Whole path. */
            path: string;
            /**
             * Format: uint
             * @description Number of replacements.
             */
            replacements: number;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description An edit of a text file. */
        EditFileRequest: {
            /** @description Replacement text; empty to delete. */
            newText: string;
            /** @description Exact text in the file. */
            oldText: string;
            /** @description Path under the workspace, e.g. src/main.py. */
            path: string;
            /**
             * @description Replace every occurrence of oldText.
             * @default false
             */
            replaceAll?: boolean;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description How file content is carried in JSON. */
        Encoding: "utf-8" | "base64";
        /** @description A process that was ended because it used a directory. */
        EndedProcess: {
            /** @description Its command line, at most 200 characters, with `?` for what is not printable ASCII. */
            command: string;
            /**
             * Format: uint32
             * @description Its id in the container.
             */
            pid: number;
        };
        /** @description The fields of a published error. */
        ErrorBody: {
            /** @description Stable code. */
            code: components["schemas"]["ErrorCode"];
            /** @description Machine-readable details. */
            details?: unknown;
            /** @description What to do next. */
            hint?: string | null;
            /** @description For the caller. */
            message: string;
            /**
             * @description The hint as a template, if it names operations: for programs that have names of
             *     their own for them.
             */
            next?: components["schemas"]["Instruction"] | null;
            /** @description What the failed call left behind. */
            outcome: components["schemas"]["Outcome"];
            /** @description Whether the same call may succeed later. */
            retryable: boolean;
        };
        /** @description Error codes, stable and published. `docs/errors.md` has their statuses. */
        ErrorCode: "INVALID_ARGUMENT" | "UNAUTHENTICATED" | "FORBIDDEN" | "SNAPSHOT_NOT_OWNED" | "WORKSPACE_NOT_OWNED" | "CROSS_SESSION_DISABLED" | "NOT_FOUND" | "CONFLICT" | "WORKSPACE_LOST" | "SNAPSHOT_EXPIRED" | "SNAPSHOT_GONE" | "PRECONDITION_FAILED" | "TOO_LARGE" | "QUOTA_EXCEEDED" | "RATE_LIMITED" | "ABORTED" | "UNSUPPORTED" | "BACKUP_FAILED" | "RESTORE_FAILED" | "INTEGRITY" | "NOT_CONFIGURED" | "UNAVAILABLE" | "INTERRUPTED" | "INTERNAL";
        /** @description The error object of every surface. */
        ErrorEnvelope: {
            /** @description The error itself. */
            error: components["schemas"]["ErrorBody"];
        };
        /** @description A page of events, newest first. */
        EventPage: {
            /** @description The events. */
            events: components["schemas"]["EventView"][];
            /** @description Where the next page begins, if any. */
            nextCursor?: string | null;
        };
        /** @description A stored event as it is shown. */
        EventView: {
            /** @description RFC 3339. */
            at: string;
            /** @description The kind, or `unknown`. */
            kind: string;
            /** @description The payload; for an unknown kind, all that is stored. */
            payload: unknown;
            /**
             * Format: int64
             * @description Order within the session.
             */
            seq: number;
            /** @description Why the kind is `unknown`. */
            warning?: string | null;
        };
        /** @description A limit that can't be met. */
        Exceeded: "maxCount" | "maxBytes";
        /** @description Result of `exec`. A nonzero exit is a result, not an error. */
        ExecResult: {
            /**
             * Format: uint64
             * @description Milliseconds it took.
             * @default 0
             */
            duration: number;
            /**
             * Format: int32
             * @description Exit code; 124: the time limit ended it.
             */
            exitCode: number;
            /** @description What to do about refused hosts, memory, and what still runs. */
            hint?: string | null;
            /** @description What it started that still runs. */
            leftRunning?: components["schemas"]["LeftRunning"] | null;
            /** @description Hosts that the network policy has refused since an answer last said so. */
            refusedHosts?: components["schemas"]["RefusedHost"][];
            /** @description At most 1 MiB of stderr; bytes that are not UTF-8 are replaced. */
            stderr: string;
            /**
             * @description Whether stderr was longer.
             * @default false
             */
            stderrTruncated: boolean;
            /** @description At most 1 MiB of stdout; bytes that are not UTF-8 are replaced. */
            stdout: string;
            /**
             * @description Whether stdout was longer.
             * @default false
             */
            stdoutTruncated: boolean;
            /** @description Whether the exit code is 0. */
            success: boolean;
            /**
             * @description Whether the time limit ended it.
             * @default false
             */
            timedOut: boolean;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description Type of a directory entry. */
        FileType: "file" | "directory" | "symlink" | "other";
        /** @description Which files to find. */
        FindFilesRequest: {
            /**
             * @description Also files in .git and those that .gitignore or .ignore name.
             * @default false
             */
            includeIgnored?: boolean;
            /**
             * Format: uint
             * @description Maximum number of files.
             * @default 1000
             */
            limit?: number | null;
            /**
             * Format: uint64
             * @description Files to skip: nextOffset of the previous answer.
             * @default 0
             */
            offset?: number;
            /**
             * @description Directory under the workspace to search. Default: its root.
             * @default .
             */
            path?: string;
            /** @description Glob, e.g. *.py or src/*.{ts,tsx}; ** is any depth. */
            pattern: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Which lines to find. */
        FindLinesRequest: {
            /**
             * Format: uint32
             * @description Lines to show before and after each match.
             * @default 0
             */
            context?: number;
            /**
             * @description pattern is literal text.
             * @default false
             */
            fixed?: boolean;
            /** @description Only files whose paths match, as in workspace_glob, e.g. *.py. */
            glob?: string | null;
            /**
             * @description Ignore case.
             * @default false
             */
            ignoreCase?: boolean;
            /**
             * @description Also files in .git and those that .gitignore or .ignore name.
             * @default false
             */
            includeIgnored?: boolean;
            /**
             * Format: uint
             * @description Maximum number of lines.
             * @default 200
             */
            limit?: number | null;
            /**
             * Format: uint64
             * @description Lines to skip: nextOffset of the previous answer.
             * @default 0
             */
            offset?: number;
            /**
             * @description Directory or file under the workspace. Default: its root.
             * @default .
             */
            path?: string;
            /** @description Regular expression, e.g. fn \w+_file, or with fixed the text itself. */
            pattern: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description The end of an upload: its parts, and where their files go. */
        FinishUpload: {
            /** @description Number of parts, 1 to 1,000. */
            parts: components["schemas"]["PartNumber"];
            /**
             * @description Directory, relative to the workspace. Default: its root.
             * @default .
             */
            path?: string;
            /**
             * @description SHA-256 of the whole archive, 64 lowercase hex digits. An archive with
             *     another hash is refused.
             */
            sha256?: string | null;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /**
         * @description The format of a backup that is not one of ours.
         * @constant
         */
        ForeignFormat: "tar+zstd/1";
        /** @description A page of files. */
        FoundFileList: {
            /** @description By path, from the workspace's root. */
            files: components["schemas"]["FoundPath"][];
            /**
             * Format: uint64
             * @description `offset` of those.
             */
            nextOffset?: number | null;
            /** @description Whether there are more. */
            truncated: boolean;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description One line that `grep` shows. */
        FoundLine: {
            /**
             * @description Whether `text` is only the beginning.
             * @default false
             */
            cut: boolean;
            /**
             * Format: uint64
             * @description From 1. Absent if the line is so long that its number was cut off.
             */
            line?: number | null;
            /** @description Whether it matches; otherwise it is near one that does. */
            matches: boolean;
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
            /**
             * @description The line without its end, at most 500 characters of it; bytes that are
             *     not UTF-8 are replaced.
             */
            text: string;
        };
        /** @description A page of lines. */
        FoundLineList: {
            /** @description By path, from the workspace's root, then by line. */
            lines: components["schemas"]["FoundLine"][];
            /**
             * Format: uint64
             * @description `offset` of those.
             */
            nextOffset?: number | null;
            /** @description Whether there are more. */
            truncated: boolean;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description A path that was found. */
        FoundPath: {
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
        };
        /** @description Result of `diffGitCheckpoint`. */
        GitCheckpointDiff: {
            /** @description Its commit. */
            commit: string;
            /**
             * Format: uint64
             * @description Number of deleted lines.
             */
            deletions: number;
            /** @description Unified diff. Bytes that are not UTF-8 are replaced. */
            diff: string;
            /**
             * Format: uint64
             * @description Number of files that differ.
             */
            filesChanged: number;
            /**
             * Format: uint64
             * @description Number of added lines.
             */
            insertions: number;
            /** @description Repositories within, left alone; the first 20. */
            nested?: components["schemas"]["FoundPath"][];
            /** @description Whether `diff` is only the beginning. */
            truncated: boolean;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description Result of `listGitCheckpoints`. */
        GitCheckpointList: {
            /** @description Newest first; at most 200. */
            gitCheckpoints: components["schemas"]["ListedGitCheckpoint"][];
            /** @description Whether there are more. */
            truncated: boolean;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        GitCheckpointName: string;
        /** @description One git checkpoint. */
        GitCheckpointTarget: {
            /** @description Its name. */
            name: components["schemas"]["GitCheckpointName"];
            /**
             * @description Default: the root.
             * @default .
             */
            path?: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description The repository at the root of a snapshot's directory, when it was taken. */
        GitState: {
            /** @description The branch. Absent if `HEAD` is detached. */
            branch?: string | null;
            /** @description Whether nothing was uncommitted, apart from ignored files. */
            clean: boolean;
            /** @description The commit of `HEAD`. Absent before the first commit. */
            head?: string | null;
        };
        /** @description The answer to `GET /health`. */
        Health: {
            /** @description Always `ok`: anything else is an error. */
            status: string;
        };
        /** @description A public host, such as api.example.com, or *.example.com for all below one. */
        HostPattern: string;
        /** @description A name for the request. For 24 hours, a repetition with the same name gets the first answer. */
        IdempotencyKey: string;
        /** @description Changes that are only counted. */
        IgnoredChanges: {
            /** @description How many changes. */
            counts: components["schemas"]["ChangeCounts"];
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
        };
        /** @description Arguments of `importBackup`. */
        ImportBackupArgs: {
            /**
             * @description Must be true: the object is not the session's. Each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /** @description What to remember. */
            description?: string | null;
            /** @description What the archive is. How it is compressed is seen from its first bytes. */
            format?: components["schemas"]["ArchiveFormat"];
            /** @description Id of a backup of Sandbox SDK 1.0. Either this or `key`. */
            id?: components["schemas"]["BackupId"] | null;
            /** @description Key of an archive in the session's bucket. */
            key?: string | null;
            /** @description Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256. */
            labels?: components["schemas"]["Labels"];
            /** @description Name within the session. */
            name?: string | null;
            /**
             * @description Take the name from a snapshot that has it.
             * @default false
             */
            replace?: boolean;
            /**
             * @description SHA-256 of the object, 64 lowercase hex digits: `sha256` of the SDK's record. Another
             *     one is `INTEGRITY`.
             */
            sha256?: string | null;
            /** @description Time to live in seconds. */
            ttlSeconds?: components["schemas"]["Ttl"] | null;
        };
        /** @description Result of `importTar`. */
        ImportedTar: {
            /**
             * Format: uint64
             * @description Bytes in all files.
             */
            bytes: number;
            /**
             * Format: uint64
             * @description Directories.
             */
            directories: number;
            /** @description What was not kept. Absent: everything was. */
            dropped?: components["schemas"]["DroppedByImport"] | null;
            /**
             * Format: uint64
             * @description Entries of the archive.
             */
            entries: number;
            /**
             * Format: uint64
             * @description Files, hard links included.
             */
            files: number;
            /**
             * Format: uint64
             * @description Symbolic links.
             */
            links: number;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description An instruction for the caller, with the operations that it names still open. */
        Instruction: {
            /** @description The sentence's arguments. */
            arguments?: {
                [key: string]: string;
            };
            /**
             * @description A sentence. `{name}` stands for the operation with this `operationId`, or for the
             *     argument of this name.
             */
            text: string;
        };
        /** @description Why a snapshot is kept. */
        KeepReason: "newest" | "pinned" | "head" | "beingRead" | "rebuilt" | "retired" | "keepLast" | "keepDaily" | "unexpired";
        Labels: {
            [key: string]: string;
        };
        /** @description A language of `workspace_run_code`. */
        Language: "python" | "javascript";
        /** @description A program that outlives the command that started it. */
        LeftProgram: {
            /** @description The beginning of its command. */
            command: string;
            /**
             * Format: uint32
             * @description Its process id in the container.
             */
            pid: number;
        };
        /** @description Programs that a command started and that outlive it. */
        LeftRunning: {
            /**
             * @description The background process whose log has what they print from now on. Absent: it is
             *     dropped, or goes to where the command sent it.
             */
            process?: components["schemas"]["ProcessName"] | null;
            /** @description The first 5 of them. */
            programs: components["schemas"]["LeftProgram"][];
        };
        /** @description The tree of a session's workspaces and snapshots. */
        Lineage: {
            /** @description The workspace that tools act on. */
            active: components["schemas"]["WorkspaceRef"];
            /** @description Depth first: each place follows the place that it came from. */
            nodes: components["schemas"]["LineageNode"][];
            /** @description The same as text, one line each. */
            text: string;
            /** @description The oldest places are left out. */
            truncated: boolean;
        };
        /** @description One place of the tree. */
        LineageNode: {
            /** @description RFC 3339. */
            createdAt: string;
            /**
             * Format: uint
             * @description Steps from the root.
             */
            depth: number;
            /** @description Its sandbox id or backup id. */
            id: string;
            /** @description Id of the place that this came from, earlier in the list. */
            parent: string | null;
        } & ({
            /** @description Tools act on it: you are here. */
            current: boolean;
            /** @description The snapshot of another session that its files came from. */
            fromSnapshotId?: components["schemas"]["BackupId"] | null;
            /** @description How it came to be. */
            kind: components["schemas"]["WorkspaceKind"];
            /** @description The snapshot that it was last rewound to, if its files descend from that. */
            rewoundTo?: components["schemas"]["BackupId"] | null;
            /** @description State. A destroyed one is shown if something came from it. */
            state: components["schemas"]["WorkspaceState"];
            /** @description Whether it can be used as it is; absent for a destroyed one. */
            status?: components["schemas"]["WorkspaceStatus"] | null;
            /** @constant */
            type: "workspace";
        } | {
            /** @description Name, or null. */
            name: string | null;
            /** @description Whether a restore can be started now. */
            restorable: boolean;
            /**
             * Format: uint64
             * @description Size of its archive, or null.
             */
            sizeBytes: number | null;
            /** @description State. One that is gone is shown if something came from it. */
            state: components["schemas"]["ShownState"];
            /** @description Why it was taken. */
            trigger: components["schemas"]["SnapshotTrigger"];
            /** @description The last turn that ended with its files. */
            turn?: components["schemas"]["Turn"] | null;
            /** @constant */
            type: "snapshot";
            /** @description The code that a restore would fail with. */
            unrestorableBecause?: components["schemas"]["ErrorCode"] | null;
        });
        /** @description Paths that need no token. */
        Links: {
            /** @description Whether the Worker is configured. */
            health: string;
            /** @description The description of every route. */
            openapi: string;
        };
        /** @description Whose code contexts to list. */
        ListCodeContextsRequest: {
            /** @description Where: a workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description One entry of a directory. */
        ListedEntry: {
            /** @description Permission bits in octal. */
            mode: string;
            /** @description RFC 3339. */
            modifiedAt: string;
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
            /**
             * Format: uint64
             * @description Size in bytes.
             */
            size: number;
            /** @description Type. */
            type: components["schemas"]["FileType"];
        };
        /** @description A page of entries. */
        ListedFiles: {
            /** @description By path. */
            entries: components["schemas"]["ListedEntry"][];
            /**
             * Format: uint64
             * @description `offset` of those.
             */
            nextOffset?: number | null;
            /** @description Whether there are more. */
            truncated: boolean;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description A git checkpoint in a list. */
        ListedGitCheckpoint: {
            /** @description Its commit. */
            commit: string;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Description, if it has one. */
            description?: string | null;
            /** @description Its name. */
            name: components["schemas"]["GitCheckpointName"];
        };
        /** @description A session that the directory lists. */
        ListedSession: {
            /**
             * @description When it was first listed, in RFC 3339: shortly after its first open, or after
             *     its next call if it is older than the directory.
             */
            registeredAt: string;
            /** @description Its id. */
            session: components["schemas"]["SessionId"];
        };
        /** @description A snapshot of a list. */
        ListedSnapshot: {
            /**
             * Format: uint64
             * @description How many paths in its archive had a modification time before 1970 or after 2106. An
             *     archive can't hold these: most of the paths got the nearest one that it can.
             */
            clampedTimes?: number | null;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Description, or null. */
            description: string | null;
            /** @description What an import of an archive did not keep. Absent: everything was. */
            dropped?: components["schemas"]["DroppedByImport"] | null;
            /** @description RFC 3339. A snapshot counts as expired one minute earlier. */
            expiresAt: string;
            /** @description Its format, if it is a backup of Sandbox SDK 1.0: a restore imports it first. */
            format?: components["schemas"]["ForeignFormat"] | null;
            /** @description The git repository at the root of its directory, if there was one. */
            git?: components["schemas"]["GitState"] | null;
            /** @description Id. */
            id: components["schemas"]["BackupId"];
            /**
             * @description Kind of archive; null while it is being taken, and for a backup of
             *     `@cloudflare/sandbox`.
             */
            kind: components["schemas"]["SnapshotKind"] | null;
            /** @description Labels. */
            labels: components["schemas"]["Labels"];
            /**
             * @description The machine that was saved with it, if the session persists that: what differs from
             *     the image outside its directory.
             */
            machine?: components["schemas"]["MachinePart"] | null;
            /** @description Name, or null. */
            name: string | null;
            /**
             * @description The previous snapshot, or null: the workspace's own last one, autosaves
             *     included, or the one it was made from or rewound to.
             */
            parentId: components["schemas"]["BackupId"] | null;
            /** @description Whether it stays until it is unpinned or deleted. */
            pinned: boolean;
            /**
             * @description Whether other sessions may start workspaces from it.
             * @default false
             */
            published: boolean;
            /** @description Its ref. */
            ref: components["schemas"]["SnapshotRef"];
            /** @description Whether a restore can be started now. */
            restorable: boolean;
            /**
             * @description When its workspace was retired, in RFC 3339. It is listed because it is that
             *     workspace's last save.
             */
            retiredAt?: string | null;
            /** @description SHA-256 of the archive, or null if none was recorded. */
            sha256: string | null;
            /**
             * Format: uint64
             * @description Size of the archive in bytes, or null while it is being taken.
             */
            sizeBytes: number | null;
            /** @description State. */
            state: components["schemas"]["ShownState"];
            /** @description Why it was taken. Default manual. */
            trigger: components["schemas"]["SnapshotTrigger"];
            /** @description The last turn that ended with its files, if one did. */
            turn?: components["schemas"]["Turn"] | null;
            /** @description The code that a restore would fail with. */
            unrestorableBecause?: components["schemas"]["ErrorCode"] | null;
        };
        /** @description A tool as it is listed. */
        ListedTool: {
            /** @description The hints of MCP. */
            annotations: components["schemas"]["ToolHints"];
            /** @description For the model: when to use it, what it leaves alone, what to call next. */
            description: string;
            /** @description JSON Schema of the input. */
            inputSchema: unknown;
            /** @description Name to call it by. */
            name: string;
            /** @description JSON Schema of the output: its fields, without what is in them. */
            outputSchema: unknown;
            /** @description For people. */
            title: string;
        };
        /** @description A directory to list. */
        ListFilesRequest: {
            /**
             * @description Also names that begin with a dot.
             * @default true
             */
            includeHidden?: boolean;
            /**
             * Format: uint
             * @description Maximum number of entries.
             * @default 1000
             */
            limit?: number | null;
            /**
             * Format: uint64
             * @description Entries to skip: nextOffset of the previous answer.
             * @default 0
             */
            offset?: number;
            /**
             * @description Directory under the workspace. Default: its root.
             * @default .
             */
            path?: string;
            /**
             * @description Also list its directories' contents.
             * @default false
             */
            recursive?: boolean;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Which to list. */
        ListGitCheckpointsRequest: {
            /**
             * @description Default: the root.
             * @default .
             */
            path?: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        ListInput: {
            /**
             * @description List the whole bucket, snapshots of other sessions too. Each such call is
             *     recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /** @description Only snapshots made at this time or later, in RFC 3339. */
            createdAfter?: string | null;
            /** @description Only snapshots made before this time, in RFC 3339. */
            createdBefore?: string | null;
            /** @description nextCursor of the previous page. */
            cursor?: string | null;
            /**
             * @description Also automatic snapshots, which workspaces wake from, those of turns, and safety
             *     snapshots, which rewinds took before they replaced files.
             * @default false
             */
            includeAuto?: boolean;
            /**
             * @description Also expired snapshots, which can't be restored.
             * @default false
             */
            includeExpired?: boolean;
            /**
             * @description Only snapshots with all of these labels: a key, or key=value.
             * @default []
             */
            labels?: string[];
            /**
             * Format: uint32
             * @description Maximum number of results; at most the session's maximum, by default
             *     100.
             */
            limit?: number | null;
            /** @description Only the snapshot with this name. */
            name?: string | null;
        };
        /** @description A backup whose record cannot be read. */
        ListProblem: {
            /** @description Why. */
            error: components["schemas"]["ErrorBody"];
            /** @description Its id. */
            id: components["schemas"]["BackupId"];
        };
        /** @description Whose processes to list. */
        ListProcessesRequest: {
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Which files of a snapshot to list. */
        ListSnapshotFiles: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /** @description `nextCursor` of the previous page. */
            cursor?: string | null;
            /** @description Only paths that match, e.g. *.py or src/*.ts. */
            glob?: string | null;
            /**
             * @description Also names that begin with a dot.
             * @default true
             */
            includeHidden?: boolean;
            /**
             * Format: uint
             * @description Maximum number of entries.
             * @default 1000
             */
            limit?: number | null;
            /**
             * @description Directory under the snapshot's root. Default: the root.
             * @default .
             */
            path?: string;
            /**
             * @description Also list its directories' contents.
             * @default false
             */
            recursive?: boolean;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        /** @description One workspace of a live fork. */
        LiveFork: {
            /** @description Its ref. */
            ref: components["schemas"]["WorkspaceRef"];
        } | {
            /** @description Why. */
            error: components["schemas"]["ErrorBody"];
        };
        /** @description Arguments of `fork`. */
        LiveForkArgs: {
            /**
             * Format: uint32
             * @description How many workspaces, default 1. The session's `maxWorkspaces` and `maxRunning` hold.
             */
            count?: number | null;
            /**
             * @description Only while this workspace is the active one. Else `PRECONDITION_FAILED`;
             *     `details.active` is the one that is.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
        };
        LiveForkInput: {
            /**
             * Format: uint32
             * @description How many workspaces.
             * @default 1
             */
            count?: number | null;
        };
        /** @description The workspaces that a live fork made. */
        LiveForks: {
            /** @description The snapshot that they were made from; an earlier one if the workspace equals it. */
            fromSnapshotId: components["schemas"]["BackupId"];
            /** @description The turn that ended with these files. */
            turn?: components["schemas"]["Turn"] | null;
            /** @description What it woke with, if it had to wake. */
            woken?: components["schemas"]["Woken"] | null;
            /** @description One result for each requested workspace. */
            workspaces: components["schemas"]["LiveFork"][];
        };
        /** @description What identifies an image. */
        MachineImage: {
            /** @description The platform's name for it, if it has one. */
            name?: string | null;
            /** @description SHA-256 of the list of its files, lowercase hexadecimal. */
            sha256: string;
        };
        /** @description The archive of a machine. Snapshots between which the machine did not change share one. */
        MachinePart: {
            /** @description The snapshot that has the archive: this one, or an earlier one. */
            id: components["schemas"]["BackupId"];
            /** @description The image that it differs from. */
            image: components["schemas"]["MachineImage"];
            /** @description Whether the bucket has lost the archive. The snapshot's files are all there. */
            lost?: boolean;
            /** @description SHA-256 of the archive, lowercase hexadecimal. */
            sha256: string;
            /**
             * Format: uint64
             * @description Size of the archive in bytes.
             */
            sizeBytes: number;
        };
        /** @description The answer. */
        MadeDir: {
            /** @description Whole path. */
            path: string;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description The workspace that a restore or a branch made. */
        MadeWorkspace: {
            /**
             * @description Whether the bucket has lost the machine that was saved with them: outside its
             *     directory, the image is as it was built.
             */
            machineLost?: boolean;
            /** @description Its ref. */
            ref: components["schemas"]["WorkspaceRef"];
            /** @description The turn that ended with its files. */
            turn?: components["schemas"]["Turn"] | null;
        };
        /** @description A directory to make. */
        MakeDirRequest: {
            /** @description Directory under the workspace, e.g. src/new. */
            path: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description A path that both sides changed in ways that exclude each other. */
        MergeConflict: {
            /** @description Why it can't be merged. */
            conflict: components["schemas"]["Conflict"];
            /** @description The first lines in conflict. */
            lines?: components["schemas"]["ConflictingLines"][];
            /** @description What the active workspace did to it. */
            ours?: components["schemas"]["ChangeKind"] | null;
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
            /** @description What the other side did to it. */
            theirs?: components["schemas"]["ChangeKind"] | null;
        };
        /** @description A bucket that lacks snapshots. */
        MissingView: {
            /** @description The bucket's binding. */
            binding: string;
            /** @description The same as text, with advice. */
            message: string;
            /** @description RFC 3339. */
            since: string;
            /**
             * Format: uint64
             * @description Snapshots that the last check did not find.
             */
            snapshots: number;
        };
        /** @description The modules of a session. */
        ModulesView: {
            /** @description The only programs that may run, or null for any. */
            allowedPrograms?: string[] | null;
            /** @description Whether there are code contexts. */
            codeContexts?: boolean;
            /** @description Languages that code may be run in. */
            codeLanguages: components["schemas"]["Language"][];
            /** @description File tools. */
            fs: boolean;
            /** @description Only what reads is allowed. */
            readOnly: boolean;
            /** @description Scripts may run. */
            script?: boolean;
            /** @description Command tools. */
            shell: boolean;
            /** @description Snapshot tools. */
            snapshot: boolean;
        };
        /** @description Whether a bucket is a directory of the container. */
        MountState: "MOUNTED" | "STOPPED" | "UNSUPPORTED" | "FAILED";
        /** @description A workspace by its ref. */
        NamedWorkspace: {
            /** @description Its ref. */
            ref: components["schemas"]["WorkspaceRef"];
        };
        /** @description What containers may reach. */
        NetworkConfig: {
            /**
             * @description Of mode `allowlist`: public hosts such as `example.com`, or `*.example.com` for all below
             *     it.
             */
            hosts?: components["schemas"]["HostPattern"][];
            /** @description `open`: the Internet. `off`: nothing. `allowlist`: `hosts` alone, over HTTP and HTTPS. */
            mode: components["schemas"]["NetworkMode"];
            /**
             * @description Lets a session whose mode is not `open` have `previewPorts`: a preview's page runs in its
             *     visitor's browser, which reaches the Internet. Default false.
             */
            previews?: boolean | null;
        };
        /** @description What containers may reach. */
        NetworkMode: "open" | "off" | "allowlist";
        /** @description An operation without arguments. */
        NoArgs: Record<string, never>;
        /** @description Why a change has no text. */
        NoText: "binary" | "tooLarge" | "noRoom" | "refused";
        /** @description What a search passed over. */
        NotSearched: {
            /**
             * Format: uint64
             * @description Number of files that are not text.
             */
            binary: number;
            /**
             * Format: uint64
             * @description Number of .git directories.
             */
            git: number;
            /**
             * Format: uint64
             * @description Number of lines that are too long for so costly a pattern.
             */
            longLines?: number;
            /**
             * Format: uint64
             * @description Number of files past 2 MiB.
             */
            tooLarge: number;
            /** @description The first 20 of those. */
            tooLargeFiles?: components["schemas"]["FoundPath"][];
        };
        /** @description Name of a call, by which it is cancelled. */
        OperationId: string;
        /** @description A page of recorded calls, newest first. */
        OperationPage: {
            /** @description Where the next page begins, if any. */
            nextCursor?: string | null;
            /** @description The calls. */
            operations: components["schemas"]["OperationView"][];
        };
        /** @description The state of a call. */
        OperationState: "running" | "succeeded" | "failed" | "interrupted" | "cancelled";
        /** @description A recorded call as it is shown. */
        OperationView: {
            /** @description RFC 3339, once it has ended. */
            endedAt?: string | null;
            /** @description Why it failed. */
            error?: components["schemas"]["ErrorBody"] | null;
            /** @description Its name. */
            id: components["schemas"]["OperationId"];
            /** @description Name of the operation or tool. */
            op: string;
            /** @description What the call answered, if it succeeded. */
            result?: unknown;
            /** @description RFC 3339. */
            startedAt: string;
            /** @description Its state. */
            state: components["schemas"]["OperationState"];
            /** @description The step that it last began. */
            step?: string | null;
        };
        /** @description A page of events, newest first. */
        OperatorEventPage: {
            /** @description The events. */
            events: components["schemas"]["EventView"][];
            /** @description Where the next page begins, if any. */
            nextCursor?: string | null;
        };
        /** @description What a failed call has left behind. */
        Outcome: "none" | "committed" | "unknown";
        /** @description Why no catalogue has a backup. */
        Ownerless: "legacy" | "incomplete" | "lost";
        /** @description Arguments of a plain list. */
        PageArgs: {
            /** @description `nextCursor` of the previous page. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description Maximum number of results.
             */
            limit?: number | null;
        };
        PartNumber: number;
        /** @description A changed path. */
        PathChange: {
            /** @description What happened. */
            change: components["schemas"]["ChangeKind"];
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
        };
        /** @description What a restore did to a path. */
        PathChange2: "added" | "modified" | "deleted";
        /** @description Arguments of `pause` and `resume`. */
        PauseArgs: {
            /** @description The workspace: its ref, or its id. Default: the active one. */
            ref?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description A workspace that is paused. */
        Paused: {
            /** @description Its current state. */
            workspace: components["schemas"]["WorkspaceSummary"];
        };
        /** @description Value of `persist`. */
        Persist: "workspace" | "machine";
        /** @description Containers that are kept started, with the files of a published snapshot. */
        PoolConfig: {
            /** @description The published snapshot: its ref or id. */
            from: components["schemas"]["SnapshotSelector"];
            /**
             * Format: uint32
             * @description How many containers the pool keeps for the next sessions. The last open decides for all
             *     that share the pool.
             */
            size: number;
        };
        /** @description Id of a warm pool. */
        PoolId: string;
        /** @description All pools. */
        PoolList: {
            /**
             * Format: uint32
             * @description How many containers all pools may keep: `MAX_POOL_CONTAINERS`.
             */
            limit: number;
            /** @description The pools; the one that was used last comes first. */
            pools: components["schemas"]["PoolView"][];
        };
        /** @description A pool, as it is shown. */
        PoolView: {
            /**
             * Format: uint32
             * @description How many it may keep, because `MAX_POOL_CONTAINERS` is for all pools.
             */
            allowed: number;
            /**
             * Format: uint32
             * @description How many are starting.
             */
            filling: number;
            /** @description Its id. */
            id: components["schemas"]["PoolId"];
            /** @description Why the last container did not become ready. Absent once one did. */
            problem?: components["schemas"]["ErrorBody"] | null;
            /**
             * Format: uint32
             * @description How many an open could take now.
             */
            ready: number;
            /**
             * Format: uint32
             * @description How many containers the last open asked it to keep.
             */
            size: number;
            /** @description The snapshot whose files its containers have. */
            snapshotId: components["schemas"]["BackupId"];
            /** @description When a session last asked for a container, in RFC 3339. */
            usedAt: string;
        };
        /** @description Id of a preview, by which it is revoked. No secret. */
        PreviewId: string;
        /** @description Previews of a session. */
        PreviewList: {
            /** @description All that are good, newest first. */
            previews: components["schemas"]["PreviewView"][];
        };
        /** @description A preview as it is shown: never with its link. */
        PreviewView: {
            /** @description RFC 3339. */
            createdAt: string;
            /** @description RFC 3339. */
            expiresAt: string;
            /** @description Id to revoke it by. Not secret. */
            id: components["schemas"]["PreviewId"];
            /**
             * Format: uint16
             * @description The port in the container.
             */
            port: number;
            /** @description The workspace whose server it shows. */
            workspace: components["schemas"]["WorkspaceRef"];
        };
        /** @description Background processes, in the order of their names. */
        ProcessList: {
            /** @description Those that run, and the last ones that have ended. */
            processes: components["schemas"]["ProcessView"][];
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description A part of what a background process printed. */
        ProcessLog: {
            /**
             * Format: uint64
             * @description Where to go on reading.
             */
            nextOffset: number;
            /**
             * Format: uint64
             * @description Where the text begins. Later than asked for if that was dropped.
             */
            offset: number;
            /** @description The process. */
            process: components["schemas"]["ProcessView"];
            /** @description stdout and stderr; bytes that are not UTF-8 are replaced. */
            text: string;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        ProcessName: string;
        /** @description State of a background process. */
        ProcessState: "running" | "ended";
        /** @description A background process. */
        ProcessView: {
            /** @description The beginning of its command. */
            command: string;
            /** @description RFC 3339, or null. */
            endedAt: string | null;
            /**
             * Format: int32
             * @description Exit code. Null while it runs, and if it was killed with its supervisor.
             */
            exitCode: number | null;
            /** @description When it will end without being stopped; only in the answer of its start. */
            hint?: string | null;
            /** @description Whether it has ended, but something that it started still runs. */
            leftRunning?: boolean;
            /**
             * Format: uint64
             * @description Bytes that it has printed.
             */
            logBytes: number;
            /** @description Its name. */
            name: components["schemas"]["ProcessName"];
            /** @description RFC 3339. */
            startedAt: string;
            /** @description State. */
            state: components["schemas"]["ProcessState"];
        };
        /** @description A background process. */
        ProcessView2: {
            /** @description The beginning of its command. */
            command: string;
            /** @description RFC 3339, or null. */
            endedAt: string | null;
            /**
             * Format: int32
             * @description Exit code. Null while it runs, and if it was killed with its supervisor.
             */
            exitCode: number | null;
            /** @description When it will end without being stopped; only in the answer of its start. */
            hint?: string | null;
            /** @description Whether it has ended, but something that it started still runs. */
            leftRunning?: boolean;
            /**
             * Format: uint64
             * @description Bytes that it has printed.
             */
            logBytes: number;
            /** @description Its name. */
            name: components["schemas"]["ProcessName"];
            /** @description RFC 3339. */
            startedAt: string;
            /** @description State. */
            state: components["schemas"]["ProcessState"];
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description Arguments of `promote`. */
        PromoteArgs: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /** @description The snapshot that both came from. Default: the nearest one. */
            base?: components["schemas"]["SnapshotSelector"] | null;
            /**
             * @description Destroy the session's other branches afterwards.
             * @default false
             */
            discardOthers?: boolean;
            /**
             * @description Only while this workspace is the active one. Else `PRECONDITION_FAILED`;
             *     `details.active` is the one that is.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /** @description Whose changes to bring over. */
            from: components["schemas"]["TreeSelector"];
            /** @description Merge them with changes made here, or replace all files here. Default merge. */
            mode?: components["schemas"]["PromoteMode"];
            /**
             * @description What to do about paths that both changed differently. Default: refuse, and list
             *     them.
             */
            onConflict?: components["schemas"]["ConflictPolicy"] | null;
        };
        /** @description Changes that were brought over. */
        Promoted: {
            /**
             * @description The snapshot that both came from. Absent: none is common to both, or all files
             *     were replaced.
             */
            baseSnapshotId?: components["schemas"]["BackupId"] | null;
            /** @description Whether any file was changed. */
            changed: boolean;
            /** @description What a merge changed. Files whose lines were merged count as modified. */
            counts: components["schemas"]["ChangeCounts"];
            /** @description Conflicts that onConflict decided. */
            decidedConflicts: components["schemas"]["MergeConflict"][];
            /** @description Workspaces that were destroyed. */
            discarded: components["schemas"]["WorkspaceRef"][];
            /** @description Processes that were ended. Only if all files were replaced. */
            endedProcesses: components["schemas"]["EndedProcess"][];
            /** @description The snapshot whose changes these are. Of a workspace, its save. */
            fromSnapshotId: components["schemas"]["BackupId"];
            /**
             * @description What stays as it was here. Git repositories that both changed, and ignored files in
             *     conflict.
             */
            kept: string[];
            /**
             * Format: uint64
             * @description Files whose lines were merged.
             */
            mergedFiles: number;
            /**
             * Format: uint64
             * @description Files too much to compare. If the other side changed
             *     them, that was not brought over.
             */
            notCompared?: number;
            /** @description The active workspace, the same as before. */
            ref: components["schemas"]["WorkspaceRef"];
            /** @description The safety snapshot of the files before. Absent if nothing was changed. */
            safetyRef?: components["schemas"]["SnapshotRef"] | null;
            /** @description What it woke with, if it had to wake. */
            woken?: components["schemas"]["Woken"] | null;
        };
        PromoteInput: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Destroy all other branches afterwards.
             * @default false
             */
            discardOthers?: boolean;
            /** @description Whose changes to bring over. */
            from: components["schemas"]["TreeSelector"];
            /** @description Merge them with changes made here, or replace all files here. Default merge. */
            mode?: components["schemas"]["PromoteMode"];
            /**
             * @description What to do about paths that both changed differently. Default: refuse, and list
             *     them.
             */
            onConflict?: components["schemas"]["ConflictPolicy"] | null;
        };
        /** @description How to bring changes over. */
        PromoteMode: "merge" | "replace";
        /**
         * @description The provider of every ref of ours.
         * @constant
         */
        ProviderId: "cloudflare-sandbox";
        /**
         * @description Value of `kind`.
         * @constant
         */
        ProviderKind: "cloudflare-sandbox";
        /** @description A backup that was deleted. */
        PrunedBackup: {
            /** @description The R2 binding that it was found by. */
            binding: string;
            /** @description Its id. */
            id: components["schemas"]["BackupId"];
            /** @description Where no catalogue had it, why; else null. */
            ownerless: components["schemas"]["Ownerless"] | null;
            /** @description The session that its record names, if any. */
            session: components["schemas"]["SessionId"] | null;
            /**
             * Format: uint64
             * @description Size of its archive.
             */
            sizeBytes: number;
        };
        /** @description A page of a prune. */
        PrunePage: {
            /** @description Deleted backups. */
            deleted: components["schemas"]["PrunedBackup"][];
            /** @description Whether this only says what would be deleted. */
            dryRun: boolean;
            /**
             * Format: uint64
             * @description Backups examined.
             */
            examinedCount: number;
            /**
             * Format: uint64
             * @description Bytes of the deleted archives.
             */
            freedBytes: number;
            /** @description How many stay, by reason. */
            kept: {
                [key: string]: number;
            };
            /** @description Where the next page begins. Absent once every bucket has been walked. */
            nextCursor?: string | null;
            /** @description Backups that could not be judged or deleted. The next walk tries again. */
            problems: components["schemas"]["PruneProblem"][];
        };
        /** @description A backup that could not be judged or deleted. */
        PruneProblem: {
            /** @description Why. */
            error: components["schemas"]["ErrorBody"];
            /** @description Its id. */
            id: components["schemas"]["BackupId"];
            /** @description The session that its record names, if any. */
            session: components["schemas"]["SessionId"] | null;
        };
        /** @description What to prune, and how far to go. */
        PruneRequest: {
            /** @description `nextCursor` of the previous call. */
            cursor?: string | null;
            /**
             * @description Delete nothing, and report what would be deleted.
             * @default false
             */
            dryRun?: boolean;
            /**
             * Format: uint32
             * @description Backups to examine at most. Default and maximum: 100.
             */
            limit?: number | null;
            /** @description Which backups to delete. */
            rule: components["schemas"]["PruneRule"];
        };
        /** @description Which backups to delete. All its conditions must hold. */
        PruneRule: {
            /**
             * Format: uint32
             * @description How many of the latest snapshots of each trigger to keep in each session.
             * @default 1
             */
            keepLast?: number;
            /**
             * Format: uint64
             * @description Only those made at least this many seconds ago. 0: of any age.
             */
            olderThanSeconds: number;
            /**
             * @description Also backups of these kinds, which no session's catalogue has. Only their
             *     age protects them.
             */
            ownerless?: components["schemas"]["Ownerless"][];
            /** @description Only of this session. */
            session?: components["schemas"]["SessionId"] | null;
            /** @description Only those that were taken for this reason. */
            trigger?: components["schemas"]["SnapshotTrigger"] | null;
        };
        /** @description Result of code in a code context. Code that fails is a result, not an error. */
        RanInContext: {
            /** @description Why the context ended during this call. Absent while it runs on. */
            contextEnded?: string | null;
            /**
             * Format: uint64
             * @description Milliseconds it took.
             * @default 0
             */
            duration: number;
            /**
             * Format: int32
             * @description Exit code; 124: the time limit ended it.
             */
            exitCode: number;
            /** @description What to do about refused hosts, memory, and what still runs. */
            hint?: string | null;
            /** @description Images that it put in its output directory. */
            images: components["schemas"]["CodeImage"][];
            /** @description What it started that still runs. */
            leftRunning?: components["schemas"]["LeftRunning"] | null;
            /** @description Files in that directory that are not returned: too large, too many, or no image. */
            omitted: string[];
            /** @description Hosts that the network policy has refused since an answer last said so. */
            refusedHosts?: components["schemas"]["RefusedHost"][];
            /** @description At most 1 MiB of stderr; bytes that are not UTF-8 are replaced. */
            stderr: string;
            /**
             * @description Whether stderr was longer.
             * @default false
             */
            stderrTruncated: boolean;
            /** @description At most 1 MiB of stdout; bytes that are not UTF-8 are replaced. */
            stdout: string;
            /**
             * @description Whether stdout was longer.
             * @default false
             */
            stdoutTruncated: boolean;
            /** @description Whether the exit code is 0. */
            success: boolean;
            /**
             * @description Whether the time limit ended it.
             * @default false
             */
            timedOut: boolean;
            /** @description Value of the last line, if it has one that JSON can express. */
            value?: unknown;
            /** @description The value as the language shows it, if JSON can't express it. */
            valueText?: string | null;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description A rate, and how many calls may come at once. */
        Rate: {
            /**
             * Format: uint32
             * @description Calls at once, after a pause.
             */
            burst: number;
            /**
             * Format: uint32
             * @description Calls a minute.
             */
            perMinute: number;
        };
        /** @description A file to read: whole, or a part by bytes or by lines. */
        ReadFileRequest: {
            /** @description Return text or base64. Default: text if it is text. */
            encoding?: components["schemas"]["Encoding"] | null;
            /**
             * Format: uint64
             * @description Maximum bytes to read. Default 262144 for a part; over MCP 32768, at most 524288.
             */
            length?: number | null;
            /**
             * Format: uint64
             * @description Maximum lines to read. Default: as many as fit.
             */
            lineCount?: number | null;
            /**
             * Format: uint64
             * @description First byte to read, from 0. Not together with startLine or lineCount.
             */
            offset?: number | null;
            /** @description Path under the workspace, e.g. src/main.py. */
            path: string;
            /**
             * Format: uint64
             * @description First line to read, from 1.
             */
            startLine?: number | null;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Result of `readFile`. */
        ReadFileResult: {
            /** @description Content in `encoding`. */
            content: string;
            /** @description Encoding of `content`. Default utf-8. */
            encoding: components["schemas"]["Encoding"];
            /** @description Media type, by its first bytes, else by its name. */
            mimeType?: string | null;
            /**
             * Format: uint64
             * @description Of lines: the number of the next, from 1, if `content` ends with a whole one.
             */
            nextLine?: number | null;
            /**
             * Format: uint64
             * @description Offset of the rest.
             */
            nextOffset?: number | null;
            /**
             * Format: uint64
             * @description Where in the file `content` begins, in bytes.
             * @default 0
             */
            offset: number;
            /**
             * Format: uint64
             * @description Size of the whole file in bytes.
             * @default 0
             */
            size: number;
            /**
             * @description Whether the file continues after `content`.
             * @default false
             */
            truncated: boolean;
        };
        /** @description Result of `readFile`. */
        ReadFileResult2: {
            /** @description Content in `encoding`. */
            content: string;
            /** @description Encoding of `content`. Default utf-8. */
            encoding: components["schemas"]["Encoding"];
            /** @description Media type, by its first bytes, else by its name. */
            mimeType?: string | null;
            /**
             * Format: uint64
             * @description Of lines: the number of the next, from 1, if `content` ends with a whole one.
             */
            nextLine?: number | null;
            /**
             * Format: uint64
             * @description Offset of the rest.
             */
            nextOffset?: number | null;
            /**
             * Format: uint64
             * @description Where in the file `content` begins, in bytes.
             * @default 0
             */
            offset: number;
            /**
             * Format: uint64
             * @description Size of the whole file in bytes.
             * @default 0
             */
            size: number;
            /**
             * @description Whether the file continues after `content`.
             * @default false
             */
            truncated: boolean;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description What to read of a process's output. */
        ReadLogRequest: {
            /**
             * Format: uint64
             * @description Default 16384.
             */
            maxBytes?: number | null;
            /** @description Which process. */
            name: components["schemas"]["ProcessName"];
            /**
             * Format: uint64
             * @description nextOffset of the last read. Default: the last maxBytes are read.
             */
            offset?: number | null;
            /**
             * Format: uint64
             * @description Milliseconds to wait for output after offset. Default 0.
             */
            waitMs?: number | null;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description A file of a snapshot to read: whole, or a part by bytes or by lines. */
        ReadSnapshotFile: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /** @description Return text or base64. Default: text if it is text. */
            encoding?: components["schemas"]["Encoding"] | null;
            /**
             * Format: uint64
             * @description Maximum bytes to read. Default 262144 for a part; over MCP 32768, at most 524288.
             */
            length?: number | null;
            /**
             * Format: uint64
             * @description Maximum lines to read. Default: as many as fit.
             */
            lineCount?: number | null;
            /**
             * Format: uint64
             * @description First byte to read, from 0. Not together with startLine or lineCount.
             */
            offset?: number | null;
            /** @description Path under the snapshot's root, e.g. src/main.py. */
            path: string;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
            /**
             * Format: uint64
             * @description First line to read, from 1.
             */
            startLine?: number | null;
        };
        /** @description A page of a rebuild of all sessions. */
        RebuildPage: {
            /**
             * Format: uint64
             * @description Backups examined.
             */
            examinedCount: number;
            /**
             * Format: uint64
             * @description Backups that their sessions' catalogues already had, in any state.
             */
            knownCount: number;
            /**
             * Format: uint64
             * @description Backups left alone: of no session, incomplete, or of a session with another bucket.
             */
            leftAloneCount: number;
            /** @description Where the next page begins. Absent once every bucket has been walked. */
            nextCursor?: string | null;
            /** @description Backups that could not be read or put back. The next walk tries again. */
            problems: components["schemas"]["RebuildProblem"][];
            /** @description Those that are in their sessions' catalogues again. */
            restored: components["schemas"]["RestoredBackup"][];
            /**
             * @description Sessions with backups on this page that were never opened, or have lost
             *     their storage. Open them, and rebuild again.
             */
            unopened: components["schemas"]["SessionId"][];
        };
        /** @description A backup that could not be looked at or put back. */
        RebuildProblem: {
            /** @description Why. */
            error: components["schemas"]["ErrorBody"];
            /** @description Its id. */
            id: components["schemas"]["BackupId"];
            /** @description The session that its record names, if any. */
            session: components["schemas"]["SessionId"] | null;
        };
        /** @description What one page of a rebuild found. */
        Rebuilt: {
            /**
             * Format: uint
             * @description Backups of the bucket that were looked at.
             */
            examined: number;
            /**
             * Format: uint
             * @description Of other sessions, or of none; left alone.
             */
            foreign: number;
            /**
             * Format: uint
             * @description Archives without a commit record, and records without an archive; left alone.
             */
            incomplete: number;
            /**
             * Format: uint
             * @description In its catalogue already, in whatever state.
             */
            known: number;
            /** @description Where the next page begins. Absent once the bucket has been walked. */
            nextCursor?: string | null;
            /** @description Backups whose record cannot be read. */
            problems?: components["schemas"]["ListProblem"][];
            /** @description This session's that are in its catalogue again. */
            restored: components["schemas"]["BackupId"][];
        };
        /** @description A host that a policy has refused. */
        RefusedHost: {
            /**
             * Format: uint64
             * @description How many requests were refused.
             */
            count: number;
            /** @description As the request named it. */
            host: string;
        };
        /** @description The answer. */
        Removed: {
            /** @description Whole path of what was there. */
            path: string;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description What to remove. */
        RemoveRequest: {
            /** @description Path under the workspace, e.g. src/old.py. */
            path: string;
            /**
             * @description Also a directory, with all its content.
             * @default false
             */
            recursive?: boolean;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description A backup that is in its session's catalogue again. */
        RestoredBackup: {
            /** @description The R2 binding that it was found by. */
            binding: string;
            /** @description Its id. */
            id: components["schemas"]["BackupId"];
            /** @description Its session. */
            session: components["schemas"]["SessionId"];
        };
        /** @description Result of `restoreGitCheckpoint`. */
        RestoredGitCheckpoint: {
            /**
             * Format: uint64
             * @description Number of all of them.
             */
            changedCount: number;
            /** @description Changed paths; at most 200. */
            changes: components["schemas"]["ChangedPath"][];
            /** @description Its commit. */
            commit: string;
            /** @description Repositories within, left alone; the first 20. */
            nested?: components["schemas"]["FoundPath"][];
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description Why a workspace was made. The two differ only in the suffix and in the event log. */
        RestoreKind: "restored" | "branch";
        /** @description A workspace that runs, with its files. */
        Resumed: {
            /** @description The snapshots it woke with; absent if it ran already. */
            woken?: components["schemas"]["Woken"] | null;
            /** @description Its current state. */
            workspace: components["schemas"]["WorkspaceSummary"];
        };
        /**
         * @description A retention policy as a session's configuration, or the Worker's variable
         *     `RETENTION`, declares it. Absent fields have their defaults.
         */
        RetentionConfig: {
            /**
             * Format: uint32
             * @description Autosaves of each workspace kept beside those that a wake needs and those that were
             *     named. Default 4.
             */
            keepAutosaves?: number | null;
            /**
             * Format: uint32
             * @description Keeps only the latest one of each of this many days in UTC, beside those that
             *     `keepLast` keeps.
             */
            keepDaily?: number | null;
            /**
             * Format: uint32
             * @description Keeps only the latest this many requested snapshots, and as many safety snapshots,
             *     beside those that `keepDaily` keeps.
             */
            keepLast?: number | null;
            /**
             * Format: uint32
             * @description Turns kept: the latest this many, in all workspaces together. Default 50.
             */
            keepTurns?: number | null;
            /**
             * Format: uint64
             * @description Bytes of archives at most. The newest snapshot alone may exceed it.
             */
            maxBytes?: number | null;
            /**
             * Format: uint32
             * @description Snapshots at most. Autosaves make room first, then safety snapshots, then those of
             *     turns, then the oldest.
             */
            maxCount?: number | null;
            /**
             * Format: uint64
             * @description Seconds between two requested snapshots; sooner is `RATE_LIMITED`. Default 0.
             */
            minIntervalSeconds?: number | null;
            /**
             * Format: uint64
             * @description Seconds after which an unused workspace that is not active is retired: saved if it
             *     runs, and destroyed. Its last save then lives a whole `ttlSeconds` and is listed.
             *     Default 604800, a week.
             */
            retireAfterSeconds?: number | null;
            /** @description Time to live of a snapshot whose caller sets none, in seconds. Default 259200. */
            ttlSeconds?: components["schemas"]["Ttl"] | null;
        };
        /** @description A policy as it is shown. */
        RetentionPolicyView: {
            /**
             * Format: uint32
             * @description Autosaves of each workspace kept beside those that a wake needs.
             */
            keepAutosaves: number;
            /**
             * Format: uint32
             * @description And the latest of each of so many days.
             */
            keepDaily: number | null;
            /**
             * Format: uint32
             * @description Only so many of the latest are kept.
             */
            keepLast: number | null;
            /**
             * Format: uint32
             * @description Turns kept.
             */
            keepTurns: number;
            /**
             * Format: uint64
             * @description Bytes at most.
             */
            maxBytes: number | null;
            /**
             * Format: uint32
             * @description Snapshots at most.
             */
            maxCount: number | null;
            /**
             * Format: int64
             * @description Seconds between two snapshots that are asked for.
             */
            minIntervalSeconds: number;
            /**
             * Format: int64
             * @description Before an unused workspace that is not active is retired.
             */
            retireAfterSeconds: number;
            /**
             * Format: uint64
             * @description Time to live of a snapshot whose taker names none.
             */
            ttlSeconds: number;
        };
        /** @description What the policy makes of the session's snapshots. */
        RetentionReport: {
            /**
             * @description Each snapshot and its verdict: those to delete first, oldest first; then
             *     those that are kept, newest first. At most 1,000.
             */
            decisions: components["schemas"]["DecisionView"][];
            /**
             * Format: uint64
             * @description Snapshots to delete, at most 1,000: there may be more if there are that
             *     many; after `retain`, those that were deleted.
             */
            deleteCount: number;
            /** @description A limit that what may not be deleted exceeds alone. */
            exceeded?: components["schemas"]["Exceeded"] | null;
            /**
             * Format: uint64
             * @description Bytes of the deleted archives.
             */
            freedBytes: number;
            /**
             * Format: uint64
             * @description Bytes of the kept archives.
             */
            keptBytes: number;
            /**
             * Format: uint64
             * @description Snapshots that are kept, beside those that are counted as deleted.
             */
            keptCount: number;
            /** @description When time alone has the next one deleted, in RFC 3339. */
            nextDueAt?: string | null;
            /** @description The policy, every default filled in. */
            policy: components["schemas"]["RetentionPolicyView"];
            /** @description There are more than are shown. */
            truncated: boolean;
        };
        /** @description The answer to a revocation. */
        Revoked: {
            /** @description Always true: revoking what is gone succeeds. */
            revoked: boolean;
        };
        /** @description Arguments of `rewind`. */
        RewindArgs: {
            /**
             * @description Also reach snapshots of other sessions.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Only while this workspace is the active one. Else `PRECONDITION_FAILED`;
             *     `details.active` is the one that is.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /**
             * @description Only while this is the workspace's `headSnapshotId`. Else `PRECONDITION_FAILED`;
             *     `details.head` is the one it has.
             */
            expectedHead?: components["schemas"]["BackupId"] | null;
            /** @description The snapshot or turn to go back to. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        RewindInput: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description The headSnapshotId that workspace_describe showed. If it differs by now:
             *     PRECONDITION_FAILED, and nothing is changed.
             */
            expectedHead?: components["schemas"]["BackupId"] | null;
            /** @description The snapshot: its ref, its id, its name in this session, or a turn. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        /** @description A workspace that was rewound. */
        Rewound: {
            /**
             * @description Background processes that were ended with them, by the names that workspace_start gave
             *     them. A preview of a server among them shows an old page until it is started again.
             */
            endedBackground?: components["schemas"]["ProcessName"][];
            /** @description Processes that were ended because they used the directory, at most 100. */
            endedProcesses: components["schemas"]["EndedProcess"][];
            /** @description The snapshot that its files now equal. */
            fromSnapshotId: components["schemas"]["BackupId"];
            /** @description What to do about these. */
            hint?: string | null;
            /**
             * @description Whether the bucket has lost the machine that was saved with these files: the
             *     workspace keeps the one that it had.
             */
            machineLost?: boolean;
            /** @description The workspace, the same as before. */
            ref: components["schemas"]["WorkspaceRef"];
            /** @description The safety snapshot of its files before. */
            safetyRef: components["schemas"]["SnapshotRef"];
            /** @description The turn that ended with these files; of several, the one that was asked for. */
            turn?: components["schemas"]["Turn"] | null;
            /** @description What it woke with, if it had to wake. */
            woken?: components["schemas"]["Woken"] | null;
        };
        /** @description Code to run. */
        RunCodeRequest: {
            /** @description The program, at most 1 MiB. */
            code: string;
            /** @description Language of the code. */
            language: components["schemas"]["Language"];
            /**
             * Format: uint64
             * @description Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
             *     Default 16384 over MCP, where 131072 is the most; elsewhere the first 1048576.
             */
            maxOutputBytes?: number | null;
            /**
             * Format: uint64
             * @description Milliseconds after which it is killed; it then has exitCode 124 and timedOut
             *     true. Default 120000.
             */
            timeoutMs?: number | null;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Result of `runCode`. Code that fails is a result, not an error. */
        RunCodeResult: {
            /**
             * Format: uint64
             * @description Milliseconds it took.
             * @default 0
             */
            duration: number;
            /**
             * Format: int32
             * @description Exit code; 124: the time limit ended it.
             */
            exitCode: number;
            /** @description What to do about refused hosts, memory, and what still runs. */
            hint?: string | null;
            /** @description Images that it put in its output directory. */
            images: components["schemas"]["CodeImage"][];
            /** @description What it started that still runs. */
            leftRunning?: components["schemas"]["LeftRunning"] | null;
            /** @description Files in that directory that are not returned: too large, too many, or no image. */
            omitted: string[];
            /** @description Hosts that the network policy has refused since an answer last said so. */
            refusedHosts?: components["schemas"]["RefusedHost"][];
            /** @description At most 1 MiB of stderr; bytes that are not UTF-8 are replaced. */
            stderr: string;
            /**
             * @description Whether stderr was longer.
             * @default false
             */
            stderrTruncated: boolean;
            /** @description At most 1 MiB of stdout; bytes that are not UTF-8 are replaced. */
            stdout: string;
            /**
             * @description Whether stdout was longer.
             * @default false
             */
            stdoutTruncated: boolean;
            /** @description Whether the exit code is 0. */
            success: boolean;
            /**
             * @description Whether the time limit ended it.
             * @default false
             */
            timedOut: boolean;
            /** @description Value of the last line, if it has one that JSON can express. */
            value?: unknown;
            /** @description The value as the language shows it, if JSON can't express it. */
            valueText?: string | null;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description Code to run in a code context. */
        RunInCodeContextRequest: {
            /** @description At most 1 MiB. */
            code: string;
            /** @description Which context. */
            context: components["schemas"]["CodeContextId"];
            /**
             * Format: uint64
             * @description As of workspace_run_code.
             */
            maxOutputBytes?: number | null;
            /**
             * Format: uint64
             * @description Milliseconds after which it is interrupted: exitCode 124. Default 120000.
             */
            timeoutMs?: number | null;
            /** @description Where: a workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description A command for a workspace. */
        RunRequest: {
            /** @description Shell command, or program and arguments. */
            command: components["schemas"]["CommandLine"];
            /** @description Directory under the workspace to run in. Default: its root. */
            cwd?: string | null;
            /**
             * @description Environment variables for this command.
             * @default {}
             */
            env?: {
                [key: string]: string;
            };
            /**
             * Format: uint64
             * @description Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
             *     Default 16384 over MCP, where 131072 is the most; elsewhere the first 1048576.
             */
            maxOutputBytes?: number | null;
            /** @description Text for its standard input. */
            stdin?: string | null;
            /**
             * Format: uint64
             * @description Milliseconds after which the command is killed; it then has exitCode 124 and
             *     timedOut true. Default 120000.
             */
            timeoutMs?: number | null;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Name of a sandbox, which holds one workspace. */
        SandboxId: string;
        /** @description Arguments of `saveTurn`. */
        SaveTurnArgs: {
            /**
             * @description The place in the conversation, as JSON of your own, at most 4096 bytes: the id of the
             *     last message, say. Whatever brings the files back returns it.
             */
            cursor?: components["schemas"]["TurnCursor"] | null;
            /**
             * @description Only while this workspace is the active one. Else `PRECONDITION_FAILED`;
             *     `details.active` is the one that is.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /** @description What to call the turn, for readers of the timeline. */
            label?: string | null;
        };
        SaveTurnInput: {
            /** @description The place in the conversation, as JSON of yours, at most 4096 bytes. */
            cursor?: components["schemas"]["TurnCursor"] | null;
            /** @description What happened in the turn, in a few words. */
            label?: string | null;
        };
        /** @description A kind of thing that a caller may do. None of them implies another. */
        Scope: "read" | "write" | "snapshot" | "admin";
        /** @description Scopes that a caller has; written in one order, each once. */
        Scopes: components["schemas"]["Scope"][];
        /** @description Settings of the script module. */
        ScriptCapability: {
            /**
             * Format: uint64
             * @description Milliseconds that a script may run. Default 5000.
             * @default 5000
             */
            maxDurationMs?: number;
            /** @description Whether scripts reach the Internet. Default `off`. `allow` needs `network.mode` `open`. */
            network?: components["schemas"]["ScriptNetwork"];
        };
        /** @description Settings of the script module. */
        ScriptCapabilityAnswer: {
            /**
             * Format: uint64
             * @description Milliseconds that a script may run. Default 5000.
             * @default 5000
             */
            maxDurationMs: number;
            /** @description Whether scripts reach the Internet. Default `off`. `allow` needs `network.mode` `open`. */
            network: components["schemas"]["ScriptNetwork"];
        };
        /** @description Whether scripts reach the Internet. */
        ScriptNetwork: "off" | "allow";
        /** @description A script to run. */
        ScriptRequest: {
            /** @description Body of an async function. */
            code: string;
        };
        /** @description How a script ended. */
        ScriptResult: {
            /**
             * Format: uint32
             * @description Number of tool calls.
             */
            calls: number;
            /**
             * Format: uint64
             * @description How long it ran, in milliseconds.
             */
            durationMs: number;
            /** @description Why it failed, with the stack. */
            error?: string | null;
            /** @description Console output. */
            logs: string;
            /** @description Whether its time was up. */
            timedOut: boolean;
            /** @description The value that it returned, if JSON can express it. */
            value?: unknown;
            /** @description Otherwise the value as text. */
            valueText?: string | null;
        };
        /** @description The record of a backup of the SDK, as its `restore` takes it. */
        SdkBackupRecord: {
            /** @description The directory that was saved. The SDK restores to it unless its caller names another. */
            dir: components["schemas"]["BackupDir"];
            /** @description Its format. */
            format: components["schemas"]["ForeignFormat"];
            /** @description Its id. The object's key is `<prefix><id>.tar.zst`. */
            id: components["schemas"]["BackupId"];
            /** @description The snapshot's name. */
            name?: string | null;
            /** @description SHA-256 of the object, lowercase hexadecimal. */
            sha256: string;
            /**
             * Format: uint64
             * @description Size of the object in bytes.
             */
            size: number;
        };
        /** @description A page of lines of a snapshot's files. */
        SearchedSnapshot: {
            /** @description By path, from the snapshot's root, then by line. */
            lines: components["schemas"]["FoundLine"][];
            /** @description Where the next page begins, if not all has been searched. */
            nextCursor?: string | null;
            /** @description What this page passed over. */
            notSearched: components["schemas"]["NotSearched"];
            /**
             * Format: uint64
             * @description Files that this page searched.
             */
            searchedFiles: number;
        };
        /** @description Which lines of a snapshot's files to find. */
        SearchSnapshot: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * Format: uint32
             * @description Lines to show before and after each match.
             * @default 0
             */
            context?: number;
            /** @description `nextCursor` of the previous page. */
            cursor?: string | null;
            /**
             * @description pattern is literal text.
             * @default false
             */
            fixed?: boolean;
            /** @description Only files whose paths match, e.g. *.py. */
            glob?: string | null;
            /**
             * @description Ignore case of ASCII letters.
             * @default false
             */
            ignoreCase?: boolean;
            /**
             * @description Also files in .git.
             * @default false
             */
            includeIgnored?: boolean;
            /**
             * Format: uint
             * @description Maximum number of lines.
             * @default 200
             */
            limit?: number | null;
            /**
             * @description Directory or file under the snapshot's root. Default: the root.
             * @default .
             */
            path?: string;
            /** @description Regular expression, e.g. fn \w+_file, or with fixed the text itself. */
            pattern: string;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        /** @description A header that requests to some hosts get on their way out. */
        Secret: {
            /** @description The header's name. It replaces one that the container sends. */
            header: string;
            /**
             * @description The only hosts that get it: `api.example.com`, or `*.example.com` for all below. Over
             *     HTTPS only, unless the host begins with `http://`.
             */
            hosts: components["schemas"]["SecretHost"][];
            /** @description The header's whole value, such as `Bearer …`. Redacted wherever it is shown. */
            value: components["schemas"]["SecretValue"];
        };
        /** @description A host as in `network.hosts`. With http:// in front, requests without TLS get the secret, and those with TLS do not. */
        SecretHost: string;
        /** @description A secret's value. It is not printed. */
        SecretValue: string;
        /** @description A command that runs in the background of each workspace. */
        ServiceConfig: {
            /**
             * @description Shell command, or program and arguments. Shown to callers: secrets belong in
             *     `envVars`.
             */
            command: components["schemas"]["CommandLine"];
            /** @description Directory under the workspace to run in. Default: its root. */
            cwd?: string | null;
            /** @description The name of its process. */
            name: components["schemas"]["ProcessName"];
        };
        /** @description A service, as the active workspace has it. */
        ServiceView: {
            /** @description Why it could not be started or looked at. */
            error?: components["schemas"]["ErrorBody"] | null;
            /** @description The last KiB that it printed, or null. */
            log: string | null;
            /** @description Its name. */
            name: components["schemas"]["ProcessName"];
            /** @description Its process. Null if no container runs, or if it has not been started in this one. */
            process: components["schemas"]["ProcessView"] | null;
        };
        /** @description Name of a session. */
        SessionId: string;
        /** @description How much one session may have at once. */
        SessionLimits: {
            /** @description All calls, however they come. Default 6,000 a minute, 1,000 at once. */
            calls?: components["schemas"]["Rate"] | null;
            /**
             * Format: uint32
             * @description Containers that may run at once. Default 4.
             */
            maxRunning?: number | null;
            /**
             * Format: uint32
             * @description Workspaces. Default 20.
             */
            maxWorkspaces?: number | null;
            /** @description Calls that take a snapshot. Default 30 a minute, 30 at once. */
            snapshots?: components["schemas"]["Rate"] | null;
        };
        /** @description Sessions, in the order of their ids. */
        SessionList: {
            /** @description Where the next page begins, if any. */
            nextCursor?: string | null;
            /** @description The sessions. */
            sessions: components["schemas"]["ListedSession"][];
        };
        /** @description A session whose object did not answer. */
        SessionProblem: {
            /** @description Why. */
            error: components["schemas"]["ErrorBody"];
            /** @description The session. */
            session: components["schemas"]["SessionId"];
        };
        /** @description Whether a session takes work. */
        SessionStatus: "open" | "closed";
        /** @description What a session keeps, by its catalogue. */
        SessionUsage: {
            /** @description Those of them that were taken automatically. */
            automatic: components["schemas"]["Stored"];
            /** @description Deleted ones whose archives others still need. */
            held: components["schemas"]["Stored"];
            /** @description When one of them was last used, in RFC 3339; null: there is none. */
            lastUsedAt: string | null;
            /** @description Those of them that are pinned. */
            pinned: components["schemas"]["Stored"];
            /** @description The session. */
            session: components["schemas"]["SessionId"];
            /** @description All snapshots that R2 holds, expired ones included. */
            snapshots: components["schemas"]["Stored"];
            /**
             * Format: uint64
             * @description Being taken or deleted; R2 may hold something of them.
             */
            unfinishedCount: number;
            /**
             * Format: uint64
             * @description Workspaces that are not destroyed.
             */
            workspaceCount: number;
        };
        /** @description A session as it is shown. Values of `envVars` are hidden. */
        SessionView: {
            /** @description The workspace that tools act on. */
            active: components["schemas"]["WorkspaceRef"];
            /** @description As it was opened, redacted. */
            config: components["schemas"]["WorkspaceConfig"];
            /** @description Buckets that lack so much of what the catalogue lists that no loss is recorded. */
            missing?: components["schemas"]["MissingView"][];
            /** @description RFC 3339; the first open. */
            openedAt: string;
            /** @description Its id. */
            session: components["schemas"]["SessionId"];
            /** @description `open` or `closed`. */
            status: components["schemas"]["SessionStatus"];
            /** @description The directory that file paths are relative to. */
            workspaceDir: string;
        };
        /** @description A workspace, and whose it is. */
        SessionWorkspace: {
            /** @description Whether tools act on it. */
            active: boolean;
            /** @description Whether its container runs; only if requested. */
            container?: components["schemas"]["ContainerState"] | null;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Snapshot that it was made from or last rewound to, or null. */
            fromSnapshotId: components["schemas"]["BackupId"] | null;
            /** @description Snapshot that it would wake from, or null: the last one that its files equalled. */
            headSnapshotId: components["schemas"]["BackupId"] | null;
            /** @description How it came to be. */
            kind: components["schemas"]["WorkspaceKind"];
            /** @description RFC 3339. */
            lastUsedAt: string;
            /** @description Its ref. */
            ref: components["schemas"]["WorkspaceRef"];
            /** @description Its session. */
            session: components["schemas"]["SessionId"];
            /** @description State. */
            state: components["schemas"]["WorkspaceState"];
            /** @description Whether it can be used as it is. */
            status: components["schemas"]["WorkspaceStatus"];
            /**
             * @description Its container waits to start, because as many as `MAX_CONCURRENT_STARTS` allows are
             *     starting.
             */
            waitingToStart?: components["schemas"]["WaitingToStart"] | null;
        };
        /** @description A fresh preview. */
        SharedPreview: {
            /** @description RFC 3339. */
            createdAt: string;
            /** @description RFC 3339. */
            expiresAt: string;
            /** @description Id to revoke it by. Not secret. */
            id: components["schemas"]["PreviewId"];
            /**
             * Format: uint16
             * @description The port in the container.
             */
            port: number;
            /**
             * @description The link. Anyone who has it can use the server until it expires or is revoked. It is
             *     returned only here, and stored nowhere.
             */
            url: string;
            /** @description The workspace whose server it shows. */
            workspace: components["schemas"]["WorkspaceRef"];
        };
        /** @description A preview that is asked for. */
        ShareRequest: {
            /**
             * @description Origins of the pages that may embed the preview in a frame, as `https://app.example.com`.
             *     Default none.
             */
            frameAncestors?: string[];
            /**
             * Format: uint16
             * @description The port in the container; one of the session's `previewPorts`.
             */
            port: number;
            /**
             * Format: uint64
             * @description How long the link is good, in seconds. Default one day, at most 30, and no longer than
             *     the caller's own token.
             */
            ttlSeconds?: number | null;
            /** @description Whose container: a workspace's id. Default: the active one. The preview stays with it. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Particulars of the shell module. */
        ShellCapability: {
            /**
             * @description Programs that commands may run, as lists of a program and its arguments. Variables
             *     that could bring in another program (`PATH`, `LD_*`, …) can't be set then. A program
             *     that runs others (`sh`, `env`, `find`, `git`, an interpreter) allows those too.
             *     Absent: any program, and shell text.
             */
            allowlist?: string[] | null;
            /**
             * Format: uint64
             * @description Longest time one command may take, in milliseconds.
             */
            maxDurationMs?: number | null;
        };
        /** @description A changed path. */
        ShownChange: {
            /** @description What happened. */
            change: components["schemas"]["ChangeKind"];
            /** @description Permission bits in octal, if they changed. */
            mode?: string | null;
            /** @description Why its content is not shown, or is not in the patch. */
            noText?: components["schemas"]["NoText"] | null;
            /** @description Permission bits before, if they changed. */
            oldMode?: string | null;
            /** @description Owner and group before. */
            oldOwner?: string | null;
            /**
             * Format: uint64
             * @description Size of the file before, if it is another.
             */
            oldSize?: number | null;
            /** @description Target before, if it is another. */
            oldTarget?: string | null;
            /** @description Type before, if it is another. */
            oldType?: components["schemas"]["FileType"] | null;
            /** @description Owner and group, if they changed: `UID:GID`. */
            owner?: string | null;
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
            /** @description Where a renamed file was. */
            renamedFrom?: components["schemas"]["FoundPath"] | null;
            /**
             * Format: uint64
             * @description Size of a file in bytes.
             */
            size?: number | null;
            /** @description Target of a symbolic link. */
            target?: string | null;
            /** @description Unified diff. Bytes that are not UTF-8 are replaced. */
            text?: string | null;
            /** @description Type; of a removed path, what it was. */
            type: components["schemas"]["FileType"];
            /**
             * @description Its content was not compared, because that is too much for one call: it may
             *     be the same.
             */
            uncertain?: boolean;
        };
        /** @description The state as it is shown: what is stored, and whether its time is up. */
        ShownState: "pending" | "ready" | "expired" | "deleting" | "deleted" | "failed";
        /** @description Idle time before a container stops: seconds, or text such as "10m"; 1 second to 6 hours. */
        SleepAfter: number | string;
        /** @description Arguments of `snapshot`. */
        SnapshotArgs: {
            /** @description What to remember. */
            description?: string | null;
            /**
             * @description Only while this workspace is the active one. Else `PRECONDITION_FAILED`;
             *     `details.active` is the one that is.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /**
             * @description Store only what has changed since the workspace's last snapshot: a snapshot of kind
             *     `layer`. Default: the session's `incremental`.
             */
            incremental?: boolean | null;
            /** @description Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256. */
            labels?: components["schemas"]["Labels"];
            /** @description Name within the session. */
            name?: string | null;
            /**
             * @description Take the name from a snapshot that has it.
             * @default false
             */
            replace?: boolean;
            /** @description Time to live in seconds. */
            ttlSeconds?: components["schemas"]["Ttl"] | null;
        };
        /** @description Particulars of the snapshot module. */
        SnapshotCapability: {
            /**
             * @description Whether `allowCrossSession` is honoured.
             * @default false
             */
            crossSession?: boolean;
            /**
             * Format: uint32
             * @description Largest page of `list`.
             */
            maxListResults?: number | null;
        };
        /** @description Particulars of the snapshot module. */
        SnapshotCapabilityAnswer: {
            /**
             * @description Whether `allowCrossSession` is honoured.
             * @default false
             */
            crossSession: boolean;
            /**
             * Format: uint32
             * @description Largest page of `list`.
             */
            maxListResults?: number | null;
        };
        /** @description What to change of a snapshot. What is absent stays. What `clear` lists is removed first. */
        SnapshotEdit: {
            /**
             * @description Values to remove: `name`, `description`, `labels`, `labels.KEY` for one label, or
             *     `expiresAt` to keep it until it is deleted.
             */
            clear?: components["schemas"]["Cleared"][];
            /** @description What to remember. */
            description?: string | null;
            /**
             * Format: date-time
             * @description When it expires, in RFC 3339: at least 61 s from now, and at most ten years after it
             *     was taken. A snapshot lives whole seconds, so its end is up to one second later.
             */
            expiresAt?: string | null;
            /** @description Labels to set. Others stay. */
            labels?: components["schemas"]["Labels"];
            /** @description Name within the session. */
            name?: string | null;
            /**
             * @description Whether it stays until it is unpinned or deleted, whatever its time to live and the
             *     policy say. An unpinned one has the expiry it had before.
             */
            pinned?: boolean | null;
            /**
             * @description Whether other sessions may start workspaces from it, by its ref or id. No tool sets
             *     it.
             */
            published?: boolean | null;
            /** @description Take the name from a snapshot that has it. */
            replace?: boolean;
        };
        /** @description A page of files of a snapshot. */
        SnapshotFilePage: {
            /** @description By path. Sizes of directories are 0. */
            entries: components["schemas"]["ListedEntry"][];
            /**
             * @description Where the next page begins. A page may have fewer entries than asked for,
             *     even none, if few of many files match.
             */
            nextCursor?: string | null;
        };
        SnapshotInput: {
            /** @description What this state is, for readers of the list. */
            description?: string | null;
            /**
             * @description Short keys (`A-Z a-z 0-9 . _ / -`) and values to find it by, each as key=value,
             *     e.g. tests=pass.
             * @default {}
             */
            labels?: components["schemas"]["Labels"];
            /**
             * @description Short name to restore by, unique within this session. Must not look like a
             *     UUID.
             */
            name?: string | null;
            /**
             * @description Seconds until the snapshot expires. Default 259200 (3 days); 315360000 keeps
             *     it until it is deleted.
             */
            ttlSeconds?: components["schemas"]["Ttl"] | null;
        };
        /**
         * @description What kind of archive a backup is. Tagged in `meta.json`, so that a reader
         *     that cannot apply one refuses it by name.
         */
        SnapshotKind: "full" | "layer";
        /** @description A page of snapshots. */
        SnapshotPage: {
            /** @description Where the next page begins, if any. */
            nextCursor?: string | null;
            /** @description Backups whose record cannot be read (crossing only). */
            problems?: components["schemas"]["ListProblem"][];
            /** @description Each with its ref and data. */
            snapshots: components["schemas"]["ListedSnapshot"][];
        };
        /** @description A path in a snapshot. */
        SnapshotPath: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Path under the snapshot's root. Default: the root.
             * @default .
             */
            path?: string;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        /** @description Names a snapshot. Unknown fields are refused, but for those of `backup`. */
        SnapshotRef: {
            /** @description Always `cloudflare-sandbox`. */
            providerId: components["schemas"]["ProviderId"];
            /** @description The payload. */
            ref: components["schemas"]["SnapshotRefPayload"];
        };
        /** @description Payload of a [`SnapshotRef`]. */
        SnapshotRefPayload: {
            /** @description The backup. What a caller adds to it is accepted and not used. */
            backup: components["schemas"]["BackupHandle"];
            /**
             * @description Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`,
             *     which does not say.
             */
            originSandboxId?: components["schemas"]["SandboxId"] | null;
        };
        /** @description Payload of a [`SnapshotRef`]. */
        SnapshotRefPayloadAnswer: {
            /** @description The backup. What a caller adds to it is accepted and not used. */
            backup: components["schemas"]["BackupHandle"];
            /**
             * @description Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`,
             *     which does not say.
             */
            originSandboxId: components["schemas"]["SandboxId"] | null;
        };
        /** @description Which snapshot: its name or id, turn:3, latest or head; or its ref, or a turn as an object. */
        SnapshotSelector: string | components["schemas"]["SnapshotRef"] | components["schemas"]["TurnSelector"];
        /** @description What a reader wants to know of a snapshot, beside its ref. */
        SnapshotSummary: {
            /**
             * Format: uint64
             * @description How many paths in its archive had a modification time before 1970 or after 2106. An
             *     archive can't hold these: most of the paths got the nearest one that it can.
             */
            clampedTimes?: number | null;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Description, or null. */
            description: string | null;
            /** @description What an import of an archive did not keep. Absent: everything was. */
            dropped?: components["schemas"]["DroppedByImport"] | null;
            /** @description RFC 3339. A snapshot counts as expired one minute earlier. */
            expiresAt: string;
            /** @description Its format, if it is a backup of Sandbox SDK 1.0: a restore imports it first. */
            format?: components["schemas"]["ForeignFormat"] | null;
            /** @description The git repository at the root of its directory, if there was one. */
            git?: components["schemas"]["GitState"] | null;
            /** @description Id. */
            id: components["schemas"]["BackupId"];
            /**
             * @description Kind of archive; null while it is being taken, and for a backup of
             *     `@cloudflare/sandbox`.
             */
            kind: components["schemas"]["SnapshotKind"] | null;
            /** @description Labels. */
            labels: components["schemas"]["Labels"];
            /**
             * @description The machine that was saved with it, if the session persists that: what differs from
             *     the image outside its directory.
             */
            machine?: components["schemas"]["MachinePart"] | null;
            /** @description Name, or null. */
            name: string | null;
            /**
             * @description The previous snapshot, or null: the workspace's own last one, autosaves
             *     included, or the one it was made from or rewound to.
             */
            parentId: components["schemas"]["BackupId"] | null;
            /** @description Whether it stays until it is unpinned or deleted. */
            pinned: boolean;
            /**
             * @description Whether other sessions may start workspaces from it.
             * @default false
             */
            published: boolean;
            /** @description Whether a restore can be started now. */
            restorable: boolean;
            /**
             * @description When its workspace was retired, in RFC 3339. It is listed because it is that
             *     workspace's last save.
             */
            retiredAt?: string | null;
            /** @description SHA-256 of the archive, or null if none was recorded. */
            sha256: string | null;
            /**
             * Format: uint64
             * @description Size of the archive in bytes, or null while it is being taken.
             */
            sizeBytes: number | null;
            /** @description State. */
            state: components["schemas"]["ShownState"];
            /** @description Why it was taken. Default manual. */
            trigger: components["schemas"]["SnapshotTrigger"];
            /** @description The last turn that ended with its files, if one did. */
            turn?: components["schemas"]["Turn"] | null;
            /** @description The code that a restore would fail with. */
            unrestorableBecause?: components["schemas"]["ErrorCode"] | null;
        };
        /** @description Arguments of an operation on one snapshot. */
        SnapshotTarget: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        /** @description What had a snapshot taken. */
        SnapshotTrigger: "manual" | "auto" | "safety" | "turn" | "import";
        /** @description A snapshot. */
        SnapshotView: {
            /** @description Its ref. */
            ref: components["schemas"]["SnapshotRef"];
            /** @description Its data. */
            snapshot: components["schemas"]["SnapshotSummary"];
            /**
             * @description Nothing had changed: this is an earlier snapshot. It now has what was asked
             *     for; nothing was uploaded.
             */
            unchanged?: boolean;
            /** @description What it woke with, if it had to wake. */
            woken?: components["schemas"]["Woken"] | null;
        };
        /**
         * @description Containers of all sessions and warm pools that start now or wait for it. One that a pool starts
         *     is no workspace yet, and not listed.
         */
        StartCounts: {
            /**
             * Format: uint32
             * @description How many may start at once: `MAX_CONCURRENT_STARTS`.
             */
            limit: number;
            /**
             * Format: uint64
             * @description How many start now.
             */
            starting: number;
            /**
             * Format: uint64
             * @description How many wait.
             */
            waiting: number;
        };
        /** @description A command to run in the background. */
        StartRequest: {
            /** @description Shell command, or program and arguments. */
            command: components["schemas"]["CommandLine"];
            /** @description Directory under the workspace to run in. Default: its root. */
            cwd?: string | null;
            /**
             * @description Environment variables for this command.
             * @default {}
             */
            env?: {
                [key: string]: string;
            };
            /** @description What to call it. */
            name: components["schemas"]["ProcessName"];
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description What to look at. */
        StatRequest: {
            /** @description Path under the workspace, e.g. src/main.py. */
            path: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description What is there. */
        StatView: {
            /**
             * Format: uint32
             * @description Group, by number.
             */
            gid: number;
            /** @description Permission bits in octal, e.g. `644`. */
            mode: string;
            /** @description RFC 3339. */
            modifiedAt: string;
            /** @description Whole path. */
            path: string;
            /**
             * Format: uint64
             * @description Size in bytes.
             */
            size: number;
            /** @description Target of a symbolic link; it may not exist. */
            target?: string | null;
            /** @description The bytes of `target` in base64, if they are not UTF-8. */
            targetBase64?: string | null;
            /** @description Type. */
            type: components["schemas"]["FileType"];
            /**
             * Format: uint32
             * @description Owner, by number.
             */
            uid: number;
        };
        /** @description What is there. */
        StatView2: {
            /**
             * Format: uint32
             * @description Group, by number.
             */
            gid: number;
            /** @description Permission bits in octal, e.g. `644`. */
            mode: string;
            /** @description RFC 3339. */
            modifiedAt: string;
            /** @description Whole path. */
            path: string;
            /**
             * Format: uint64
             * @description Size in bytes.
             */
            size: number;
            /** @description Target of a symbolic link; it may not exist. */
            target?: string | null;
            /** @description The bytes of `target` in base64, if they are not UTF-8. */
            targetBase64?: string | null;
            /** @description Type. */
            type: components["schemas"]["FileType"];
            /**
             * Format: uint32
             * @description Owner, by number.
             */
            uid: number;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description Which process to end. */
        StopRequest: {
            /** @description Which process. */
            name: components["schemas"]["ProcessName"];
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Snapshots, and what their archives take. */
        Stored: {
            /**
             * Format: uint64
             * @description Bytes of their archives.
             */
            bytes: number;
            /**
             * Format: uint64
             * @description Number of snapshots.
             */
            count: number;
        };
        /** @description A part that is stored. */
        StoredPart: {
            /** @description Its number. */
            part: components["schemas"]["PartNumber"];
            /**
             * Format: uint64
             * @description Size in bytes.
             */
            sizeBytes: number;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description Arguments of `switch` and `swapRef`. */
        SwitchArgs: {
            /**
             * @description Only while this workspace is the active one. Else `PRECONDITION_FAILED`;
             *     `details.active` is the one that is.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /** @description To which. */
            ref: components["schemas"]["WorkspaceSelector"];
        };
        /** @description What to take. */
        TakeGitCheckpointRequest: {
            /**
             * @description What to remember.
             * @default null
             */
            description?: string | null;
            /** @description Name, e.g. before-refactor. */
            name: components["schemas"]["GitCheckpointName"];
            /**
             * @description Default: the root.
             * @default .
             */
            path?: string;
            /**
             * @description Replace the one of this name; else it is CONFLICT.
             * @default false
             */
            replace?: boolean;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Result of `takeGitCheckpoint`. */
        TakenGitCheckpoint: {
            /** @description Its commit. */
            commit: string;
            /**
             * Format: uint64
             * @description Number of its files.
             */
            files: number;
            /** @description Whether the repository is new. */
            madeRepository: boolean;
            /** @description Its name. */
            name: components["schemas"]["GitCheckpointName"];
            /** @description Repositories within, left alone; the first 20. */
            nested?: components["schemas"]["FoundPath"][];
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
        /** @description A ticket that is asked for. */
        TicketRequest: {
            /**
             * @description The WebSocket's path below the session, as it is in the address, without a query:
             *     `/terminal`, or a server's as `/ports/8000/ws`.
             */
            path: string;
        };
        /** @description A page of turns. */
        Timeline: {
            /**
             * @description On the last page of a session that was opened from another one's snapshot: whose turns
             *     come before these.
             */
            earlier?: components["schemas"]["EarlierTurns"] | null;
            /** @description Where the next page begins, if any. */
            nextCursor?: string | null;
            /** @description Newest first. */
            turns: components["schemas"]["TurnView"][];
        };
        /** @description Which turns to list. */
        TimelineRequest: {
            /** @description nextCursor of the previous page. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description Maximum number of turns, at most 100. Default 20.
             */
            limit?: number | null;
        };
        /** @description Id of a session token, by which it is revoked. No secret. */
        TokenId: string;
        /** @description Tokens of a session. */
        TokenList: {
            /** @description All that are good, newest first. */
            tokens: components["schemas"]["TokenView"][];
        };
        /** @description A token that is asked for. */
        TokenRequest: {
            /** @description What it is for; shown in the list. */
            description?: string | null;
            /** @description What it allows: one scope at least. */
            scopes: components["schemas"]["Scopes"];
            /**
             * Format: uint64
             * @description How long it is good, in seconds. Default one day, at most 90.
             */
            ttlSeconds?: number | null;
        };
        /** @description A token as it is shown: never with its text. */
        TokenView: {
            /** @description RFC 3339. */
            createdAt: string;
            /** @description What it is for. */
            description: string | null;
            /** @description RFC 3339. */
            expiresAt: string;
            /** @description Id to revoke it by. Not secret. */
            id: components["schemas"]["TokenId"];
            /** @description What it allows. */
            scopes: components["schemas"]["Scopes"];
        };
        /** @description The hints of MCP. An absent one would mean destructive, or open-world. */
        ToolHints: {
            /** @description It may remove or replace something. */
            destructiveHint: boolean;
            /** @description A repetition changes nothing more. */
            idempotentHint: boolean;
            /** @description It may reach the Internet. */
            openWorldHint: boolean;
            /** @description It changes nothing. */
            readOnlyHint: boolean;
        };
        /** @description The tools of a session. */
        ToolList: {
            /** @description In the order of the catalogue. */
            tools: components["schemas"]["ListedTool"][];
        };
        /** @description What differs between two trees. */
        TreeDiff: {
            /** @description By path. */
            changes: components["schemas"]["ShownChange"][];
            /** @description All changes, listed or not, without ignored files. */
            counts: components["schemas"]["ChangeCounts"];
            /** @description The older side. */
            from: components["schemas"]["ComparedTree"];
            /** @description Changes in .git and in ignored files, which are only counted. */
            ignored?: components["schemas"]["IgnoredChanges"][];
            /**
             * Format: uint64
             * @description `offset` of the rest.
             */
            nextOffset?: number | null;
            /**
             * Format: uint64
             * @description Files too much to compare. They are not listed, and
             *     may have changed.
             */
            notCompared?: number;
            /** @description The patch. It contains the listed changes. */
            patch?: string | null;
            /** @description The patch in base64, if it is not UTF-8. */
            patchBase64?: string | null;
            /** @description The newer side. */
            to: components["schemas"]["ComparedTree"];
            /** @description Texts, or parts of the patch, are left out for maxBytes. */
            truncated: boolean;
        };
        /** @description A snapshot, a turn or a workspace: a name or id, turn:3, latest, head, workspace:ID, or now (the active workspace as it is); or an object. */
        TreeSelector: components["schemas"]["SnapshotSelector"] | components["schemas"]["WorkspaceRef"] | {
            snapshot: components["schemas"]["SnapshotSelector"];
        } | {
            workspace: components["schemas"]["WorkspaceSelector"];
        };
        /** @description Seconds until the snapshot expires. Default 259200 (3 days); 315360000 keeps it until it is deleted. */
        Ttl: number;
        /** @description A turn, as its snapshot shows it. */
        Turn: {
            /** @description Its place in the conversation, as `saveTurn` was given it. */
            cursor?: components["schemas"]["TurnCursor"] | null;
            /** @description What the caller calls it. */
            label?: string | null;
            /**
             * Format: uint64
             * @description Its number in the session. Numbers grow, and may have gaps.
             */
            number: number;
        };
        /**
         * @description What a turn changed against the files before it. Changes in .git and in ignored
         *     files do not count.
         */
        TurnChanges: {
            /**
             * @description Number of changes of each kind. Absent: too many paths changed to compare them in
             *     one call.
             */
            counts?: components["schemas"]["ChangeCounts"] | null;
            /** @description The first changed paths, at most 10. */
            paths?: components["schemas"]["TurnPath"][];
        };
        /** @description A place in the conversation: the caller's own JSON, which only the caller reads. */
        TurnCursor: unknown;
        /** @description A path that a turn changed. */
        TurnPath: {
            /** @description What happened. */
            change: components["schemas"]["ChangeKind"];
            /**
             * @description Path from the searched directory; empty if that is a file. Bytes that are
             *     not UTF-8 are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
        };
        /** @description A turn of this session, by its number, or the newest one with this cursor. */
        TurnSelector: {
            /** @description If that turn has expired or is gone: the newest one before it. */
            atOrBefore?: boolean;
            /** Format: uint64 */
            turn: number;
        } | {
            /** @description If that turn has expired or is gone: the newest one before it. */
            atOrBefore?: boolean;
            cursor: components["schemas"]["TurnCursor"];
        };
        /** @description A turn of the timeline. */
        TurnView: {
            /** @description When it ended, in RFC 3339. */
            at: string;
            /**
             * @description What it changed against the files before it. Absent if those are gone, and for a turn
             *     that this call had no time to compare: call again.
             */
            changes?: components["schemas"]["TurnChanges"] | null;
            /** @description Its place in the conversation, as `saveTurn` was given it. */
            cursor?: components["schemas"]["TurnCursor"] | null;
            /** @description What the caller calls it. */
            label?: string | null;
            /**
             * Format: uint64
             * @description Its number in the session. Numbers grow, and may have gaps.
             */
            number: number;
            /** @description Whether a rewind to it can be started now. */
            restorable: boolean;
            /** @description The workspace that was active. */
            sandboxId: components["schemas"]["SandboxId"];
            /** @description The snapshot of the files that it ended with. */
            snapshotId: components["schemas"]["BackupId"];
        };
        /**
         * @description A snapshot, and beside it what to change of it: not whether a name may be
         *     taken from another, nor whether other sessions get the files.
         */
        UpdateInput: {
            /**
             * @description Values to remove: name, description, labels, labels.KEY for one, or expiresAt to
             *     keep it until it is deleted.
             * @default []
             */
            clear?: components["schemas"]["Cleared"][];
            /** @description What this state is. */
            description?: string | null;
            /** @description When it expires, in RFC 3339, at least 61 seconds from now. */
            expiresAt?: string | null;
            /**
             * @description Labels to set, each as key=value. Others stay.
             * @default {}
             */
            labels?: components["schemas"]["Labels"];
            /** @description New name, unique within this session; must not look like a UUID. */
            name?: string | null;
            /** @description Whether it stays, whatever its expiry says. */
            pinned?: boolean | null;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        /** @description Name that the caller gives to the upload. */
        UploadId: string;
        /** @description What some sessions keep. */
        UsagePage: {
            /** @description Where the next page begins, if any. */
            nextCursor?: string | null;
            /** @description Sessions whose objects could not be asked. */
            problems: components["schemas"]["SessionProblem"][];
            /** @description In the order of their ids. */
            sessions: components["schemas"]["SessionUsage"][];
            /** @description All snapshots of the sessions of this page. */
            total: components["schemas"]["Stored"];
        };
        /** @description A container that waits to start. */
        WaitingToStart: {
            /**
             * Format: uint64
             * @description Its place among all that wait, from 1.
             */
            place: number;
            /** @description Since when, in RFC 3339. */
            since: string;
        };
        /** @description What a workspace woke with. */
        Woken: {
            /**
             * Format: int64
             * @description How old that snapshot was at the wake, in seconds, or null.
             */
            ageSeconds: number | null;
            /** @description The snapshot that its files came from, or null if it began empty. */
            fromSnapshotId: components["schemas"]["BackupId"] | null;
            /** @description The same as text. */
            message: string;
            /** @description Where files that were already in the workspace's directory were moved. */
            movedAside?: string | null;
            /** @description When that snapshot was taken, in RFC 3339, or null. */
            savedAt: string | null;
            /** @description The workspace. */
            workspace: components["schemas"]["WorkspaceRef"];
        };
        /** @description The provider configuration as a caller sends it. Every field is optional. */
        WorkspaceConfig: {
            /**
             * @description Whether the host saves workspaces by itself: before it stops an idle container, and
             *     every `everyMs` while one is in use. Unchanged files are not uploaded. Default true.
             */
            autosave?: (boolean | components["schemas"]["Autosave"]) | null;
            /**
             * @description Name of the R2 binding for archives. Default `BACKUP_BUCKET`; another one must be
             *     listed in the variable `BACKUP_BINDINGS`.
             */
            backupR2Binding?: string | null;
            /**
             * @description Buckets that containers reach, with any S3 client, at `http://r2.internal`. No
             *     credential is in the container.
             */
            bucketMounts?: components["schemas"]["BucketMountConfig"][] | null;
            /**
             * @description Modules of the session. Absent: all. Else only those that are named: `{"fs": true}`
             *     has no shell and no snapshots. The first open decides; opening with others is
             *     `CONFLICT`.
             */
            capabilities?: components["schemas"]["Capabilities"] | null;
            /** @description Whether `close` destroys the session's containers. Default false. */
            destroyOnClose?: boolean | null;
            /** @description An older form of `network`: true is mode `open`, false is `off`. Not both. */
            enableInternet?: boolean | null;
            /** @description Environment of every command. Redacted wherever it is shown; `{}` removes all. */
            envVars?: {
                [key: string]: string;
            } | null;
            /**
             * @description With `machine`: whether a machine is also restored onto another image than it was
             *     saved on. Default false: `CONFLICT`.
             */
            forceImage?: boolean | null;
            /**
             * @description The published snapshot of another session that the first workspace begins with: its
             *     ref or id. The first open claims it and starts nothing; the first call that uses the
             *     workspace brings its files. It must be of `workspaceDir` or a directory above it.
             *     With `crossSession`, also a backup of Sandbox SDK 1.0: that call makes a snapshot of it.
             *     Absent: an empty workspace.
             */
            from?: components["schemas"]["SnapshotSelector"] | null;
            /**
             * @description A sandbox that several sessions share. It begins with `shared-` and needs
             *     `shareAcrossSessions`.
             */
            id?: components["schemas"]["SandboxId"] | null;
            /**
             * @description Whether snapshots that callers take store only what has changed since the last one:
             *     those of kind `layer`. Automatic ones and turns always may. Default false: `full`,
             *     which `@cloudflare/sandbox` 0.12 can restore, too.
             */
            incremental?: boolean | null;
            /** @description Size of the container, e.g. `standard-1`, where the platform lets the object choose. */
            instanceType?: string | null;
            /** @description `cloudflare-sandbox`, for callers that carry a provider kind. */
            kind?: components["schemas"]["ProviderKind"] | null;
            /**
             * @description How many containers and workspaces the session may have, and how many calls. Beyond
             *     a rate: `RATE_LIMITED`, with `details.retryAfterMs`.
             */
            limits?: components["schemas"]["SessionLimits"] | null;
            /** @description What containers reach. Default: the Internet. */
            network?: components["schemas"]["NetworkConfig"] | null;
            /**
             * @description What a snapshot holds: `workspace`, the default, only its directory; `machine` also
             *     what differs from the image outside it, such as installed packages.
             */
            persist?: components["schemas"]["Persist"] | null;
            /**
             * @description Like `from`, but takes the first workspace from a warm pool if the pool has a ready
             *     container with these files. Otherwise opens as `from` does, and fills the pool for later
             *     sessions. Needs the operator's variable `MAX_POOL_CONTAINERS`.
             */
            pool?: components["schemas"]["PoolConfig"] | null;
            /**
             * @description Ports that previews may reach: servers in the containers, over HTTP and WebSockets.
             *     Default none.
             */
            previewPorts?: number[] | null;
            /** @description Which snapshots the session keeps; the variable `RETENTION` has the defaults. */
            retention?: components["schemas"]["RetentionConfig"] | null;
            /**
             * @description Headers with credentials, by name, that requests get on their way out. Containers never
             *     have them. A later open may change them; `{}` removes all.
             */
            secrets?: {
                [key: string]: components["schemas"]["Secret"];
            } | null;
            /**
             * @description Commands that run in the background of each workspace: started when it is first used,
             *     restored, branched or forked, after a wake and after a rewind. One that ends is not
             *     started again until then. A later open may change them, which ends none; `[]` removes
             *     all.
             */
            services?: components["schemas"]["ServiceConfig"][] | null;
            /**
             * @description Acknowledges that `id` is shared.
             * @default false
             */
            shareAcrossSessions?: boolean;
            /**
             * @description Idle time before a container stops: seconds, or text such as `"10m"`. Default 10
             *     minutes, at most 6 hours.
             */
            sleepAfter?: components["schemas"]["SleepAfter"] | null;
            /**
             * @description Directory that a snapshot captures; `workspaceDir` may lie in it. Default: the
             *     workspace.
             */
            snapshotDir?: components["schemas"]["BackupDir"] | null;
            /**
             * @description Root of the workspace: at or under `/workspace`, `/home` or `/app`, or under `/tmp`
             *     or `/var/tmp`. Default `/workspace`.
             */
            workspaceDir?: components["schemas"]["BackupDir"] | null;
        };
        /** @description The provider configuration as a caller sends it. Every field is optional. */
        WorkspaceConfigAnswer: {
            /**
             * @description Whether the host saves workspaces by itself: before it stops an idle container, and
             *     every `everyMs` while one is in use. Unchanged files are not uploaded. Default true.
             */
            autosave?: (boolean | components["schemas"]["Autosave"]) | null;
            /**
             * @description Name of the R2 binding for archives. Default `BACKUP_BUCKET`; another one must be
             *     listed in the variable `BACKUP_BINDINGS`.
             */
            backupR2Binding?: string | null;
            /**
             * @description Buckets that containers reach, with any S3 client, at `http://r2.internal`. No
             *     credential is in the container.
             */
            bucketMounts?: components["schemas"]["BucketMountConfig"][] | null;
            /**
             * @description Modules of the session. Absent: all. Else only those that are named: `{"fs": true}`
             *     has no shell and no snapshots. The first open decides; opening with others is
             *     `CONFLICT`.
             */
            capabilities?: components["schemas"]["Capabilities"] | null;
            /** @description Whether `close` destroys the session's containers. Default false. */
            destroyOnClose?: boolean | null;
            /** @description An older form of `network`: true is mode `open`, false is `off`. Not both. */
            enableInternet?: boolean | null;
            /** @description Environment of every command. Redacted wherever it is shown; `{}` removes all. */
            envVars?: {
                [key: string]: string;
            } | null;
            /**
             * @description With `machine`: whether a machine is also restored onto another image than it was
             *     saved on. Default false: `CONFLICT`.
             */
            forceImage?: boolean | null;
            /**
             * @description The published snapshot of another session that the first workspace begins with: its
             *     ref or id. The first open claims it and starts nothing; the first call that uses the
             *     workspace brings its files. It must be of `workspaceDir` or a directory above it.
             *     With `crossSession`, also a backup of Sandbox SDK 1.0: that call makes a snapshot of it.
             *     Absent: an empty workspace.
             */
            from?: components["schemas"]["SnapshotSelector"] | null;
            /**
             * @description A sandbox that several sessions share. It begins with `shared-` and needs
             *     `shareAcrossSessions`.
             */
            id?: components["schemas"]["SandboxId"] | null;
            /**
             * @description Whether snapshots that callers take store only what has changed since the last one:
             *     those of kind `layer`. Automatic ones and turns always may. Default false: `full`,
             *     which `@cloudflare/sandbox` 0.12 can restore, too.
             */
            incremental?: boolean | null;
            /** @description Size of the container, e.g. `standard-1`, where the platform lets the object choose. */
            instanceType?: string | null;
            /** @description `cloudflare-sandbox`, for callers that carry a provider kind. */
            kind?: components["schemas"]["ProviderKind"] | null;
            /**
             * @description How many containers and workspaces the session may have, and how many calls. Beyond
             *     a rate: `RATE_LIMITED`, with `details.retryAfterMs`.
             */
            limits?: components["schemas"]["SessionLimits"] | null;
            /** @description What containers reach. Default: the Internet. */
            network?: components["schemas"]["NetworkConfig"] | null;
            /**
             * @description What a snapshot holds: `workspace`, the default, only its directory; `machine` also
             *     what differs from the image outside it, such as installed packages.
             */
            persist?: components["schemas"]["Persist"] | null;
            /**
             * @description Like `from`, but takes the first workspace from a warm pool if the pool has a ready
             *     container with these files. Otherwise opens as `from` does, and fills the pool for later
             *     sessions. Needs the operator's variable `MAX_POOL_CONTAINERS`.
             */
            pool?: components["schemas"]["PoolConfig"] | null;
            /**
             * @description Ports that previews may reach: servers in the containers, over HTTP and WebSockets.
             *     Default none.
             */
            previewPorts?: number[] | null;
            /** @description Which snapshots the session keeps; the variable `RETENTION` has the defaults. */
            retention?: components["schemas"]["RetentionConfig"] | null;
            /**
             * @description Headers with credentials, by name, that requests get on their way out. Containers never
             *     have them. A later open may change them; `{}` removes all.
             */
            secrets?: {
                [key: string]: components["schemas"]["Secret"];
            } | null;
            /**
             * @description Commands that run in the background of each workspace: started when it is first used,
             *     restored, branched or forked, after a wake and after a rewind. One that ends is not
             *     started again until then. A later open may change them, which ends none; `[]` removes
             *     all.
             */
            services?: components["schemas"]["ServiceConfig"][] | null;
            /**
             * @description Acknowledges that `id` is shared.
             * @default false
             */
            shareAcrossSessions: boolean;
            /**
             * @description Idle time before a container stops: seconds, or text such as `"10m"`. Default 10
             *     minutes, at most 6 hours.
             */
            sleepAfter?: components["schemas"]["SleepAfter"] | null;
            /**
             * @description Directory that a snapshot captures; `workspaceDir` may lie in it. Default: the
             *     workspace.
             */
            snapshotDir?: components["schemas"]["BackupDir"] | null;
            /**
             * @description Root of the workspace: at or under `/workspace`, `/home` or `/app`, or under `/tmp`
             *     or `/var/tmp`. Default `/workspace`.
             */
            workspaceDir?: components["schemas"]["BackupDir"] | null;
        };
        /** @description How a workspace came to be. */
        WorkspaceKind: "origin" | "shared" | "restored" | "branch";
        /** @description Limits that a model runs into. */
        WorkspaceLimits: {
            /**
             * Format: uint
             * @description Bytes of stdout, and of stderr, that are answered.
             */
            commandOutputMaxBytes: number;
            /**
             * Format: uint64
             * @description Most that a command can ask for, in milliseconds.
             */
            commandTimeoutMaxMs: number;
            /**
             * Format: uint64
             * @description Time a command has unless it asks for another, in milliseconds.
             */
            commandTimeoutMs: number;
            /**
             * Format: uint64
             * @description Largest file read or written in one call, in bytes.
             */
            fileMaxBytes: number;
            /**
             * Format: uint32
             * @description Containers that may run at once.
             */
            maxRunning: number;
            /**
             * Format: uint32
             * @description Workspaces that may exist at once.
             */
            maxWorkspaces: number;
        };
        /** @description The session's workspaces. */
        WorkspaceList: {
            /** @description The one that tools act on. */
            active: components["schemas"]["WorkspaceRef"];
            /** @description Oldest first. */
            workspaces: components["schemas"]["WorkspaceSummary"][];
        };
        /** @description Workspaces of some sessions. */
        WorkspacePage: {
            /** @description Where the next page begins, if any. */
            nextCursor?: string | null;
            /** @description Sessions whose objects could not be asked. */
            problems: components["schemas"]["SessionProblem"][];
            /**
             * @description What starts and waits, in all sessions. Absent if starts are not limited, or if the queue
             *     of starts does not answer.
             */
            starts?: components["schemas"]["StartCounts"] | null;
            /**
             * @description In the order of their sessions' ids, and oldest first in each. A page
             *     may have none and not be the last.
             */
            workspaces: components["schemas"]["SessionWorkspace"][];
        };
        /** @description Names a workspace. */
        WorkspaceRef: {
            /** @description Always `cloudflare-sandbox`. */
            providerId: components["schemas"]["ProviderId"];
            /** @description The payload. */
            ref: components["schemas"]["WorkspaceRefPayload"];
        };
        /** @description Payload of a [`WorkspaceRef`]. */
        WorkspaceRefPayload: {
            /** @description The sandbox that holds the workspace. */
            id: components["schemas"]["SandboxId"];
        };
        /** @description Which workspace: its id (workspace:ID, too), or its ref. */
        WorkspaceSelector: components["schemas"]["SandboxId"] | string | components["schemas"]["WorkspaceRef"];
        /** @description Where a workspace is in its life. Persisted before each effect. */
        WorkspaceState: "creating" | "ready" | "destroying" | "destroyed";
        /** @description Whether a workspace can be used as it is. */
        WorkspaceStatus: "running" | "paused" | "stopped";
        /** @description A workspace, as it is shown. */
        WorkspaceSummary: {
            /** @description Whether tools act on it. */
            active: boolean;
            /** @description Whether its container runs; only if requested. */
            container?: components["schemas"]["ContainerState"] | null;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Snapshot that it was made from or last rewound to, or null. */
            fromSnapshotId: components["schemas"]["BackupId"] | null;
            /** @description Snapshot that it would wake from, or null: the last one that its files equalled. */
            headSnapshotId: components["schemas"]["BackupId"] | null;
            /** @description How it came to be. */
            kind: components["schemas"]["WorkspaceKind"];
            /** @description RFC 3339. */
            lastUsedAt: string;
            /** @description Its ref. */
            ref: components["schemas"]["WorkspaceRef"];
            /** @description State. */
            state: components["schemas"]["WorkspaceState"];
            /** @description Whether it can be used as it is. */
            status: components["schemas"]["WorkspaceStatus"];
        };
        /** @description Arguments of an operation on one workspace. */
        WorkspaceTarget: {
            /** @description The workspace: its ref, or its id. */
            ref: components["schemas"]["WorkspaceSelector"];
        };
        /** @description The active workspace and what may be done in it. */
        WorkspaceView: {
            /** @description Buckets that the workspace reaches with any S3 client, without credentials. */
            buckets?: components["schemas"]["BucketView"][];
            /** @description Limits. */
            limits: components["schemas"]["WorkspaceLimits"];
            /** @description What the session may do. */
            modules: components["schemas"]["ModulesView"];
            /** @description The snapshot it was made from. */
            parentSnapshot: components["schemas"]["SnapshotSummary"] | null;
            /** @description Commands of the session's configuration that run in each workspace. */
            services?: components["schemas"]["ServiceView"][];
            /** @description The session. */
            session: components["schemas"]["SessionId"];
            /** @description What is kept and what is lost when an idle container stops. */
            whenIdle: string;
            /** @description The workspace that tools act on. */
            workspace: components["schemas"]["WorkspaceSummary"];
            /** @description The directory that file paths are relative to. */
            workspaceDir: string;
        };
        /** @description A file to write. */
        WriteFileRequest: {
            /** @description The whole content. */
            content: string;
            /** @description Encoding of content; base64 for bytes. Default utf-8. */
            encoding?: components["schemas"]["Encoding"];
            /** @description Path under the workspace, e.g. src/main.py. */
            path: string;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description The answer to a write. */
        WrittenFile: {
            /** @description Whole path. */
            path: string;
            /** @description Where. */
            workspace: components["schemas"]["SandboxId"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AbortedUpload = components['schemas']['AbortedUpload'];
export type About = components['schemas']['About'];
export type ArchiveFormat = components['schemas']['ArchiveFormat'];
export type Autosave = components['schemas']['Autosave'];
export type AutosaveAnswer = components['schemas']['AutosaveAnswer'];
export type BackupDir = components['schemas']['BackupDir'];
export type BackupHandle = components['schemas']['BackupHandle'];
export type BackupId = components['schemas']['BackupId'];
export type BucketCredentials = components['schemas']['BucketCredentials'];
export type BucketMountConfig = components['schemas']['BucketMountConfig'];
export type BucketView = components['schemas']['BucketView'];
export type Cancelled = components['schemas']['Cancelled'];
export type Capabilities = components['schemas']['Capabilities'];
export type CapabilitiesAnswer = components['schemas']['CapabilitiesAnswer'];
export type ChangeCounts = components['schemas']['ChangeCounts'];
export type ChangedPath = components['schemas']['ChangedPath'];
export type ChangeKind = components['schemas']['ChangeKind'];
export type Cleared = components['schemas']['Cleared'];
export type CodeCapability = components['schemas']['CodeCapability'];
export type CodeCapabilityAnswer = components['schemas']['CodeCapabilityAnswer'];
export type CodeContext = components['schemas']['CodeContext'];
export type CodeContext2 = components['schemas']['CodeContext2'];
export type CodeContextId = components['schemas']['CodeContextId'];
export type CodeContextList = components['schemas']['CodeContextList'];
export type CodeForContext = components['schemas']['CodeForContext'];
export type CodeImage = components['schemas']['CodeImage'];
export type CommandLine = components['schemas']['CommandLine'];
export type CommandOutcome = components['schemas']['CommandOutcome'];
export type ComparedTree = components['schemas']['ComparedTree'];
export type ComparedWorkspace = components['schemas']['ComparedWorkspace'];
export type CompareRequest = components['schemas']['CompareRequest'];
export type Comparison = components['schemas']['Comparison'];
export type Conflict = components['schemas']['Conflict'];
export type ConflictingLines = components['schemas']['ConflictingLines'];
export type ConflictPolicy = components['schemas']['ConflictPolicy'];
export type ContainerState = components['schemas']['ContainerState'];
export type ContestedFile = components['schemas']['ContestedFile'];
export type CopiedFiles = components['schemas']['CopiedFiles'];
export type CopyFromSnapshot = components['schemas']['CopyFromSnapshot'];
export type CopyFromWorkspace = components['schemas']['CopyFromWorkspace'];
export type CopyPaths = components['schemas']['CopyPaths'];
export type CreateCodeContextRequest = components['schemas']['CreateCodeContextRequest'];
export type CreatedTicket = components['schemas']['CreatedTicket'];
export type CreatedToken = components['schemas']['CreatedToken'];
export type CreateWorkspace = components['schemas']['CreateWorkspace'];
export type DecisionView = components['schemas']['DecisionView'];
export type DeleteArgs = components['schemas']['DeleteArgs'];
export type DeleteCodeContextRequest = components['schemas']['DeleteCodeContextRequest'];
export type Deleted = components['schemas']['Deleted'];
export type DeletedCodeContext = components['schemas']['DeletedCodeContext'];
export type DeletedGitCheckpoint = components['schemas']['DeletedGitCheckpoint'];
export type DeleteReason = components['schemas']['DeleteReason'];
export type Destroyed = components['schemas']['Destroyed'];
export type DestroyedPool = components['schemas']['DestroyedPool'];
export type DestroyedWorkspace = components['schemas']['DestroyedWorkspace'];
export type DiffOutput = components['schemas']['DiffOutput'];
export type DiffRequest = components['schemas']['DiffRequest'];
export type DroppedByImport = components['schemas']['DroppedByImport'];
export type EarlierTurns = components['schemas']['EarlierTurns'];
export type EditedFile = components['schemas']['EditedFile'];
export type EditFileRequest = components['schemas']['EditFileRequest'];
export type Encoding = components['schemas']['Encoding'];
export type EndedProcess = components['schemas']['EndedProcess'];
export type ErrorBody = components['schemas']['ErrorBody'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type ErrorEnvelope = components['schemas']['ErrorEnvelope'];
export type EventPage = components['schemas']['EventPage'];
export type EventView = components['schemas']['EventView'];
export type Exceeded = components['schemas']['Exceeded'];
export type ExecResult = components['schemas']['ExecResult'];
export type FileType = components['schemas']['FileType'];
export type FindFilesRequest = components['schemas']['FindFilesRequest'];
export type FindLinesRequest = components['schemas']['FindLinesRequest'];
export type FinishUpload = components['schemas']['FinishUpload'];
export type ForeignFormat = components['schemas']['ForeignFormat'];
export type FoundFileList = components['schemas']['FoundFileList'];
export type FoundLine = components['schemas']['FoundLine'];
export type FoundLineList = components['schemas']['FoundLineList'];
export type FoundPath = components['schemas']['FoundPath'];
export type GitCheckpointDiff = components['schemas']['GitCheckpointDiff'];
export type GitCheckpointList = components['schemas']['GitCheckpointList'];
export type GitCheckpointName = components['schemas']['GitCheckpointName'];
export type GitCheckpointTarget = components['schemas']['GitCheckpointTarget'];
export type GitState = components['schemas']['GitState'];
export type Health = components['schemas']['Health'];
export type HostPattern = components['schemas']['HostPattern'];
export type IdempotencyKey = components['schemas']['IdempotencyKey'];
export type IgnoredChanges = components['schemas']['IgnoredChanges'];
export type ImportBackupArgs = components['schemas']['ImportBackupArgs'];
export type ImportedTar = components['schemas']['ImportedTar'];
export type Instruction = components['schemas']['Instruction'];
export type KeepReason = components['schemas']['KeepReason'];
export type Labels = components['schemas']['Labels'];
export type Language = components['schemas']['Language'];
export type LeftProgram = components['schemas']['LeftProgram'];
export type LeftRunning = components['schemas']['LeftRunning'];
export type Lineage = components['schemas']['Lineage'];
export type LineageNode = components['schemas']['LineageNode'];
export type Links = components['schemas']['Links'];
export type ListCodeContextsRequest = components['schemas']['ListCodeContextsRequest'];
export type ListedEntry = components['schemas']['ListedEntry'];
export type ListedFiles = components['schemas']['ListedFiles'];
export type ListedGitCheckpoint = components['schemas']['ListedGitCheckpoint'];
export type ListedSession = components['schemas']['ListedSession'];
export type ListedSnapshot = components['schemas']['ListedSnapshot'];
export type ListedTool = components['schemas']['ListedTool'];
export type ListFilesRequest = components['schemas']['ListFilesRequest'];
export type ListGitCheckpointsRequest = components['schemas']['ListGitCheckpointsRequest'];
export type ListInput = components['schemas']['ListInput'];
export type ListProblem = components['schemas']['ListProblem'];
export type ListProcessesRequest = components['schemas']['ListProcessesRequest'];
export type ListSnapshotFiles = components['schemas']['ListSnapshotFiles'];
export type LiveFork = components['schemas']['LiveFork'];
export type LiveForkArgs = components['schemas']['LiveForkArgs'];
export type LiveForkInput = components['schemas']['LiveForkInput'];
export type LiveForks = components['schemas']['LiveForks'];
export type MachineImage = components['schemas']['MachineImage'];
export type MachinePart = components['schemas']['MachinePart'];
export type MadeDir = components['schemas']['MadeDir'];
export type MadeWorkspace = components['schemas']['MadeWorkspace'];
export type MakeDirRequest = components['schemas']['MakeDirRequest'];
export type MergeConflict = components['schemas']['MergeConflict'];
export type MissingView = components['schemas']['MissingView'];
export type ModulesView = components['schemas']['ModulesView'];
export type MountState = components['schemas']['MountState'];
export type NamedWorkspace = components['schemas']['NamedWorkspace'];
export type NetworkConfig = components['schemas']['NetworkConfig'];
export type NetworkMode = components['schemas']['NetworkMode'];
export type NoArgs = components['schemas']['NoArgs'];
export type NoText = components['schemas']['NoText'];
export type NotSearched = components['schemas']['NotSearched'];
export type OperationId = components['schemas']['OperationId'];
export type OperationPage = components['schemas']['OperationPage'];
export type OperationState = components['schemas']['OperationState'];
export type OperationView = components['schemas']['OperationView'];
export type OperatorEventPage = components['schemas']['OperatorEventPage'];
export type Outcome = components['schemas']['Outcome'];
export type Ownerless = components['schemas']['Ownerless'];
export type PageArgs = components['schemas']['PageArgs'];
export type PartNumber = components['schemas']['PartNumber'];
export type PathChange = components['schemas']['PathChange'];
export type PathChange2 = components['schemas']['PathChange2'];
export type PauseArgs = components['schemas']['PauseArgs'];
export type Paused = components['schemas']['Paused'];
export type Persist = components['schemas']['Persist'];
export type PoolConfig = components['schemas']['PoolConfig'];
export type PoolId = components['schemas']['PoolId'];
export type PoolList = components['schemas']['PoolList'];
export type PoolView = components['schemas']['PoolView'];
export type PreviewId = components['schemas']['PreviewId'];
export type PreviewList = components['schemas']['PreviewList'];
export type PreviewView = components['schemas']['PreviewView'];
export type ProcessList = components['schemas']['ProcessList'];
export type ProcessLog = components['schemas']['ProcessLog'];
export type ProcessName = components['schemas']['ProcessName'];
export type ProcessState = components['schemas']['ProcessState'];
export type ProcessView = components['schemas']['ProcessView'];
export type ProcessView2 = components['schemas']['ProcessView2'];
export type PromoteArgs = components['schemas']['PromoteArgs'];
export type Promoted = components['schemas']['Promoted'];
export type PromoteInput = components['schemas']['PromoteInput'];
export type PromoteMode = components['schemas']['PromoteMode'];
export type ProviderId = components['schemas']['ProviderId'];
export type ProviderKind = components['schemas']['ProviderKind'];
export type PrunedBackup = components['schemas']['PrunedBackup'];
export type PrunePage = components['schemas']['PrunePage'];
export type PruneProblem = components['schemas']['PruneProblem'];
export type PruneRequest = components['schemas']['PruneRequest'];
export type PruneRule = components['schemas']['PruneRule'];
export type RanInContext = components['schemas']['RanInContext'];
export type Rate = components['schemas']['Rate'];
export type ReadFileRequest = components['schemas']['ReadFileRequest'];
export type ReadFileResult = components['schemas']['ReadFileResult'];
export type ReadFileResult2 = components['schemas']['ReadFileResult2'];
export type ReadLogRequest = components['schemas']['ReadLogRequest'];
export type ReadSnapshotFile = components['schemas']['ReadSnapshotFile'];
export type RebuildPage = components['schemas']['RebuildPage'];
export type RebuildProblem = components['schemas']['RebuildProblem'];
export type Rebuilt = components['schemas']['Rebuilt'];
export type RefusedHost = components['schemas']['RefusedHost'];
export type Removed = components['schemas']['Removed'];
export type RemoveRequest = components['schemas']['RemoveRequest'];
export type RestoredBackup = components['schemas']['RestoredBackup'];
export type RestoredGitCheckpoint = components['schemas']['RestoredGitCheckpoint'];
export type RestoreKind = components['schemas']['RestoreKind'];
export type Resumed = components['schemas']['Resumed'];
export type RetentionConfig = components['schemas']['RetentionConfig'];
export type RetentionPolicyView = components['schemas']['RetentionPolicyView'];
export type RetentionReport = components['schemas']['RetentionReport'];
export type Revoked = components['schemas']['Revoked'];
export type RewindArgs = components['schemas']['RewindArgs'];
export type RewindInput = components['schemas']['RewindInput'];
export type Rewound = components['schemas']['Rewound'];
export type RunCodeRequest = components['schemas']['RunCodeRequest'];
export type RunCodeResult = components['schemas']['RunCodeResult'];
export type RunInCodeContextRequest = components['schemas']['RunInCodeContextRequest'];
export type RunRequest = components['schemas']['RunRequest'];
export type SandboxId = components['schemas']['SandboxId'];
export type SaveTurnArgs = components['schemas']['SaveTurnArgs'];
export type SaveTurnInput = components['schemas']['SaveTurnInput'];
export type Scope = components['schemas']['Scope'];
export type Scopes = components['schemas']['Scopes'];
export type ScriptCapability = components['schemas']['ScriptCapability'];
export type ScriptCapabilityAnswer = components['schemas']['ScriptCapabilityAnswer'];
export type ScriptNetwork = components['schemas']['ScriptNetwork'];
export type ScriptRequest = components['schemas']['ScriptRequest'];
export type ScriptResult = components['schemas']['ScriptResult'];
export type SdkBackupRecord = components['schemas']['SdkBackupRecord'];
export type SearchedSnapshot = components['schemas']['SearchedSnapshot'];
export type SearchSnapshot = components['schemas']['SearchSnapshot'];
export type Secret = components['schemas']['Secret'];
export type SecretHost = components['schemas']['SecretHost'];
export type SecretValue = components['schemas']['SecretValue'];
export type ServiceConfig = components['schemas']['ServiceConfig'];
export type ServiceView = components['schemas']['ServiceView'];
export type SessionId = components['schemas']['SessionId'];
export type SessionLimits = components['schemas']['SessionLimits'];
export type SessionList = components['schemas']['SessionList'];
export type SessionProblem = components['schemas']['SessionProblem'];
export type SessionStatus = components['schemas']['SessionStatus'];
export type SessionUsage = components['schemas']['SessionUsage'];
export type SessionView = components['schemas']['SessionView'];
export type SessionWorkspace = components['schemas']['SessionWorkspace'];
export type SharedPreview = components['schemas']['SharedPreview'];
export type ShareRequest = components['schemas']['ShareRequest'];
export type ShellCapability = components['schemas']['ShellCapability'];
export type ShownChange = components['schemas']['ShownChange'];
export type ShownState = components['schemas']['ShownState'];
export type SleepAfter = components['schemas']['SleepAfter'];
export type SnapshotArgs = components['schemas']['SnapshotArgs'];
export type SnapshotCapability = components['schemas']['SnapshotCapability'];
export type SnapshotCapabilityAnswer = components['schemas']['SnapshotCapabilityAnswer'];
export type SnapshotEdit = components['schemas']['SnapshotEdit'];
export type SnapshotFilePage = components['schemas']['SnapshotFilePage'];
export type SnapshotInput = components['schemas']['SnapshotInput'];
export type SnapshotKind = components['schemas']['SnapshotKind'];
export type SnapshotPage = components['schemas']['SnapshotPage'];
export type SnapshotPath = components['schemas']['SnapshotPath'];
export type SnapshotRef = components['schemas']['SnapshotRef'];
export type SnapshotRefPayload = components['schemas']['SnapshotRefPayload'];
export type SnapshotRefPayloadAnswer = components['schemas']['SnapshotRefPayloadAnswer'];
export type SnapshotSelector = components['schemas']['SnapshotSelector'];
export type SnapshotSummary = components['schemas']['SnapshotSummary'];
export type SnapshotTarget = components['schemas']['SnapshotTarget'];
export type SnapshotTrigger = components['schemas']['SnapshotTrigger'];
export type SnapshotView = components['schemas']['SnapshotView'];
export type StartCounts = components['schemas']['StartCounts'];
export type StartRequest = components['schemas']['StartRequest'];
export type StatRequest = components['schemas']['StatRequest'];
export type StatView = components['schemas']['StatView'];
export type StatView2 = components['schemas']['StatView2'];
export type StopRequest = components['schemas']['StopRequest'];
export type Stored = components['schemas']['Stored'];
export type StoredPart = components['schemas']['StoredPart'];
export type SwitchArgs = components['schemas']['SwitchArgs'];
export type TakeGitCheckpointRequest = components['schemas']['TakeGitCheckpointRequest'];
export type TakenGitCheckpoint = components['schemas']['TakenGitCheckpoint'];
export type TicketRequest = components['schemas']['TicketRequest'];
export type Timeline = components['schemas']['Timeline'];
export type TimelineRequest = components['schemas']['TimelineRequest'];
export type TokenId = components['schemas']['TokenId'];
export type TokenList = components['schemas']['TokenList'];
export type TokenRequest = components['schemas']['TokenRequest'];
export type TokenView = components['schemas']['TokenView'];
export type ToolHints = components['schemas']['ToolHints'];
export type ToolList = components['schemas']['ToolList'];
export type TreeDiff = components['schemas']['TreeDiff'];
export type TreeSelector = components['schemas']['TreeSelector'];
export type Ttl = components['schemas']['Ttl'];
export type Turn = components['schemas']['Turn'];
export type TurnChanges = components['schemas']['TurnChanges'];
export type TurnCursor = components['schemas']['TurnCursor'];
export type TurnPath = components['schemas']['TurnPath'];
export type TurnSelector = components['schemas']['TurnSelector'];
export type TurnView = components['schemas']['TurnView'];
export type UpdateInput = components['schemas']['UpdateInput'];
export type UploadId = components['schemas']['UploadId'];
export type UsagePage = components['schemas']['UsagePage'];
export type WaitingToStart = components['schemas']['WaitingToStart'];
export type Woken = components['schemas']['Woken'];
export type WorkspaceConfig = components['schemas']['WorkspaceConfig'];
export type WorkspaceConfigAnswer = components['schemas']['WorkspaceConfigAnswer'];
export type WorkspaceKind = components['schemas']['WorkspaceKind'];
export type WorkspaceLimits = components['schemas']['WorkspaceLimits'];
export type WorkspaceList = components['schemas']['WorkspaceList'];
export type WorkspacePage = components['schemas']['WorkspacePage'];
export type WorkspaceRef = components['schemas']['WorkspaceRef'];
export type WorkspaceRefPayload = components['schemas']['WorkspaceRefPayload'];
export type WorkspaceSelector = components['schemas']['WorkspaceSelector'];
export type WorkspaceState = components['schemas']['WorkspaceState'];
export type WorkspaceStatus = components['schemas']['WorkspaceStatus'];
export type WorkspaceSummary = components['schemas']['WorkspaceSummary'];
export type WorkspaceTarget = components['schemas']['WorkspaceTarget'];
export type WorkspaceView = components['schemas']['WorkspaceView'];
export type WriteFileRequest = components['schemas']['WriteFileRequest'];
export type WrittenFile = components['schemas']['WrittenFile'];
export interface operations {
    about: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["About"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    listOperatorEvents: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Results of a page at most. Default, and most: 1,000 sessions, or 100 events. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorEventPage"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; version=0.0.4; charset=utf-8": unknown;
                };
            };
        };
    };
    listPools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolList"];
                };
            };
        };
    };
    destroyPool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool: components["schemas"]["PoolId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestroyedPool"];
                };
            };
        };
    };
    prune: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dryRun": true,
                 *       "rule": {
                 *         "keepLast": 1,
                 *         "olderThanSeconds": 2592000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PruneRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrunePage"];
                };
            };
        };
    };
    rebuildAll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "limit": 100
                 *     }
                 */
                "application/json": components["schemas"]["PageArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RebuildPage"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Results of a page at most. Default, and most: 1,000 sessions, or 100 events. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    describeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "capabilities": {
                 *         "fs": true,
                 *         "shell": true,
                 *         "snapshot": true
                 *       },
                 *       "envVars": {
                 *         "CI": "1"
                 *       },
                 *       "sleepAfter": "20m"
                 *     }
                 */
                "application/json": components["schemas"]["WorkspaceConfig"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
        };
    };
    getActiveWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedWorkspace"];
                };
            };
        };
    };
    setActiveWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ref": {
                 *         "providerId": "cloudflare-sandbox",
                 *         "ref": {
                 *           "id": "my-session-branch-0123abcd"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SwitchArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedWorkspace"];
                };
            };
        };
    };
    exportArchive: {
        parameters: {
            query?: {
                /** @description Directory, relative to the workspace. Default: its root. */
                path?: string;
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-tar": unknown;
                };
            };
        };
    };
    importArchive: {
        parameters: {
            query?: {
                /** @description Directory, relative to the workspace. Default: its root. */
                path?: string;
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-tar": unknown;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedTar"];
                };
            };
        };
    };
    finishUpload: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
                upload: components["schemas"]["UploadId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parts": 3,
                 *       "path": "data"
                 *     }
                 */
                "application/json": components["schemas"]["FinishUpload"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedTar"];
                };
            };
        };
    };
    abortUpload: {
        parameters: {
            query?: {
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                upload: components["schemas"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AbortedUpload"];
                };
            };
        };
    };
    storePart: {
        parameters: {
            query?: {
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                part: components["schemas"]["PartNumber"];
                session: components["schemas"]["SessionId"];
                upload: components["schemas"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredPart"];
                };
            };
        };
    };
    closeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
        };
    };
    listCodeContexts: {
        parameters: {
            query?: {
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeContextList"];
                };
            };
        };
    };
    createCodeContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "python"
                 *     }
                 */
                "application/json": components["schemas"]["CreateCodeContextRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeContext"];
                };
            };
        };
    };
    deleteCodeContext: {
        parameters: {
            query?: {
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                context: components["schemas"]["CodeContextId"];
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedCodeContext"];
                };
            };
        };
    };
    runInCodeContext: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
            };
            path: {
                context: components["schemas"]["CodeContextId"];
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeForContext"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RanInContext"];
                };
            };
        };
    };
    runCommand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
        };
    };
    compareWorkspaces: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "command": "make test"
                 *     }
                 */
                "application/json": components["schemas"]["CompareRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
        };
    };
    copyFromSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CopyFromSnapshot"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CopiedFiles"];
                };
            };
        };
    };
    diff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "from": {
                 *         "snapshot": "works"
                 *       },
                 *       "output": "patch"
                 *     }
                 */
                "application/json": components["schemas"]["DiffRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TreeDiff"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Results of a page at most. Default, and most: the session's maxListResults, else 100. */
                limit?: number;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    forkWorkspace: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "count": 3
                 *     }
                 */
                "application/json": components["schemas"]["LiveForkArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveForks"];
                };
            };
        };
    };
    importSnapshot: {
        parameters: {
            query?: {
                /** @description What to remember. */
                description?: string;
                /** @description What the archive is. Default: tar. How it is compressed is seen from its first bytes. */
                format?: "tar" | "oci-layer";
                /** @description Name within the session. */
                name?: string;
                /** @description Take the name from a snapshot that has it. */
                replace?: boolean;
                /** @description SHA-256 of the body, 64 lowercase hex digits. Another one is INTEGRITY. */
                sha256?: string;
                /** @description Time to live. */
                ttlSeconds?: number;
            };
            header?: {
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-tar": unknown;
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    importBackup: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "allowCrossSession": true,
                 *       "id": "6f1c9c1e-6c0e-4d63-9f0c-0a4f3a2b1c0d",
                 *       "name": "from-sdk"
                 *     }
                 */
                "application/json": components["schemas"]["ImportBackupArgs"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    getLineage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lineage"];
                };
            };
        };
    };
    mcp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "text/event-stream": unknown;
                };
            };
        };
    };
    listOperations: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Results of a page at most. Default, and most: the session's maxListResults, else 100. */
                limit?: number;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationPage"];
                };
            };
        };
    };
    getOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: components["schemas"]["OperationId"];
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationView"];
                };
            };
        };
    };
    cancelOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: components["schemas"]["OperationId"];
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cancelled"];
                };
            };
        };
    };
    listPreviews: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewList"];
                };
            };
        };
    };
    sharePreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "port": 5173
                 *     }
                 */
                "application/json": components["schemas"]["ShareRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedPreview"];
                };
            };
        };
    };
    revokePreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                preview: components["schemas"]["PreviewId"];
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revoked"];
                };
            };
        };
    };
    listProcesses: {
        parameters: {
            query?: {
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessList"];
                };
            };
        };
    };
    startProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessView2"];
                };
            };
        };
    };
    stopProcess: {
        parameters: {
            query?: {
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                process: components["schemas"]["ProcessName"];
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessView2"];
                };
            };
        };
    };
    readProcessLog: {
        parameters: {
            query?: {
                /** @description Bytes to read at most. Default 16384. */
                maxBytes?: number;
                /** @description nextOffset of the last read. Default: the last maxBytes are read. */
                offset?: number;
                /** @description Milliseconds to wait for output after offset. Default 0. */
                waitMs?: number;
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                process: components["schemas"]["ProcessName"];
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessLog"];
                };
            };
        };
    };
    promote: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": {
                 *         "workspace": "my-session-branch-0a1b2c3d"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PromoteArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Promoted"];
                };
            };
        };
    };
    rebuildCatalogue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PageArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rebuilt"];
                };
            };
        };
    };
    planRetention: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionReport"];
                };
            };
        };
    };
    retain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionReport"];
                };
            };
        };
    };
    rewind: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ref": "works"
                 *     }
                 */
                "application/json": components["schemas"]["RewindArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rewound"];
                };
            };
        };
    };
    runScript: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "return (await workspace.list_snapshots()).snapshots.length"
                 *     }
                 */
                "application/json": components["schemas"]["ScriptRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptResult"];
                };
            };
        };
    };
    listSnapshots: {
        parameters: {
            query?: {
                /** @description List the whole bucket, in key order, if the policy allows it. */
                allowCrossSession?: boolean;
                /** @description Made at this time or later, in RFC 3339. */
                createdAfter?: string;
                /** @description Made before this time, in RFC 3339. */
                createdBefore?: string;
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Also automatic ones, those of turns, and what rewinds replaced. */
                includeAuto?: boolean;
                /** @description Also expired snapshots. */
                includeExpired?: boolean;
                /** @description Also those being taken, deleted or failed. */
                includeUnready?: boolean;
                /** @description This kind of archive: full or layer. */
                kind?: "full" | "layer";
                /** @description A label: a key, or key=value. Given more than once, all of them. */
                labels?: string[];
                /** @description Results of a page at most. Default, and most: the session's maxListResults, else 100. */
                limit?: number;
                /** @description Exactly this name. */
                name?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotPage"];
                };
            };
        };
    };
    takeSnapshot: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "description": "all tests pass",
                 *       "name": "works",
                 *       "ttlSeconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["SnapshotArgs"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    getSnapshot: {
        parameters: {
            query?: {
                /** @description Also reach snapshots of other sessions, where the session's policy allows it. */
                allowCrossSession?: boolean;
            };
            header?: {
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
            };
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    deleteSnapshot: {
        parameters: {
            query?: {
                /** @description Also reach snapshots of other sessions, where the session's policy allows it. */
                allowCrossSession?: boolean;
                /** @description Also delete it if it is pinned or published, or if a workspace that sleeps or is not saved automatically would wake from it. That workspace then begins empty. */
                force?: boolean;
                /** @description Leave no byte of it stored: layers on it first become full, in a container of their own. */
                purge?: boolean;
            };
            header?: {
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
            };
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SnapshotEdit"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    exportSnapshot: {
        parameters: {
            query?: {
                /** @description Also reach snapshots of other sessions, where the session's policy allows it. */
                allowCrossSession?: boolean;
            };
            header?: {
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
            };
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zstd": unknown;
                };
            };
        };
    };
    exportBackup: {
        parameters: {
            query?: {
                /** @description Also reach snapshots of other sessions, where the session's policy allows it. */
                allowCrossSession?: boolean;
            };
            header?: {
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
            };
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SdkBackupRecord"];
                };
            };
        };
    };
    listSnapshotEvents: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Results of a page at most. Default, and most: the session's maxListResults, else 100. */
                limit?: number;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    listSnapshotFiles: {
        parameters: {
            query?: {
                /** @description Also reach snapshots of other sessions, where the session's policy allows it. */
                allowCrossSession?: boolean;
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Only paths that match, e.g. *.py or src/*.ts. */
                glob?: string;
                /** @description Entries of a page at most. Default: 1000. */
                limit?: number;
                /** @description Path relative to the snapshot's root. Default: the root. */
                path?: string;
                /** @description Also list the directories' contents. */
                recursive?: boolean;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotFilePage"];
                };
            };
        };
    };
    downloadSnapshotFile: {
        parameters: {
            query?: {
                /** @description Also reach snapshots of other sessions, where the session's policy allows it. */
                allowCrossSession?: boolean;
                /** @description Path relative to the snapshot's root. Default: the root. */
                path?: string;
            };
            header?: {
                /** @description An ETag of this file: 304 if it is still the file's. */
                "If-None-Match"?: string;
                /** @description One range of bytes, as bytes=0-1023. Several are ignored. */
                Range?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
        };
    };
    searchSnapshot: {
        parameters: {
            query?: {
                /** @description Also reach snapshots of other sessions, where the session's policy allows it. */
                allowCrossSession?: boolean;
                /** @description Lines to show before and after each match. */
                context?: number;
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description pattern is literal text. */
                fixed?: boolean;
                /** @description Only files whose paths match, e.g. *.py. */
                glob?: string;
                /** @description Ignore case of ASCII letters. */
                ignoreCase?: boolean;
                /** @description Also files in .git. */
                includeIgnored?: boolean;
                /** @description Lines of a page at most. Default: 200. */
                limit?: number;
                /** @description Path relative to the snapshot's root. Default: the root. */
                path?: string;
                /** @description Regular expression, or with fixed the text itself. Required. */
                pattern?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchedSnapshot"];
                };
            };
        };
    };
    statSnapshotFile: {
        parameters: {
            query?: {
                /** @description Also reach snapshots of other sessions, where the session's policy allows it. */
                allowCrossSession?: boolean;
                /** @description Path relative to the snapshot's root. Default: the root. */
                path?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatView"];
                };
            };
        };
    };
    flattenSnapshot: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
            };
            path: {
                session: components["schemas"]["SessionId"];
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    startFresh: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedWorkspace"];
                };
            };
        };
    };
    openTerminal: {
        parameters: {
            query?: {
                /** @description Columns of the viewer. Default 80. */
                cols?: number;
                /** @description Rows of the viewer. Default 24. */
                rows?: number;
                /** @description The shell to come back to, within a minute. If it no longer runs, a new one is opened. */
                terminal?: string;
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    createTicket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "path": "/terminal"
                 *     }
                 */
                "application/json": components["schemas"]["TicketRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedTicket"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                token: components["schemas"]["TokenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revoked"];
                };
            };
        };
    };
    listTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
        };
    };
    workspace_branch: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnapshotTarget"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeWorkspace"];
                };
            };
        };
    };
    workspace_compare: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CompareRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
        };
    };
    workspace_copy_from_snapshot: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CopyFromSnapshot"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CopiedFiles"];
                };
            };
        };
    };
    workspace_copy_from_workspace: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CopyFromWorkspace"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedTar"];
                };
            };
        };
    };
    workspace_create_code_context: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCodeContextRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeContext"];
                };
            };
        };
    };
    workspace_delete_code_context: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteCodeContextRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedCodeContext"];
                };
            };
        };
    };
    workspace_delete_snapshot: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    workspace_describe: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NoArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceView"];
                };
            };
        };
    };
    workspace_destroy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceTarget"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestroyedWorkspace"];
                };
            };
        };
    };
    workspace_diff: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DiffRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TreeDiff"];
                };
            };
        };
    };
    workspace_edit_file: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditFileRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditedFile"];
                };
            };
        };
    };
    workspace_fork: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LiveForkInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveForks"];
                };
            };
        };
    };
    workspace_get_snapshot: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnapshotTarget"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    workspace_git_checkpoint: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TakeGitCheckpointRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TakenGitCheckpoint"];
                };
            };
        };
    };
    workspace_git_checkpoint_delete: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["GitCheckpointTarget"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedGitCheckpoint"];
                };
            };
        };
    };
    workspace_git_checkpoint_diff: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["GitCheckpointTarget"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitCheckpointDiff"];
                };
            };
        };
    };
    workspace_git_checkpoint_list: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListGitCheckpointsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitCheckpointList"];
                };
            };
        };
    };
    workspace_git_checkpoint_restore: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["GitCheckpointTarget"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoredGitCheckpoint"];
                };
            };
        };
    };
    workspace_glob: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["FindFilesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundFileList"];
                };
            };
        };
    };
    workspace_grep: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["FindLinesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundLineList"];
                };
            };
        };
    };
    workspace_lineage: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NoArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lineage"];
                };
            };
        };
    };
    workspace_list_code_contexts: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListCodeContextsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeContextList"];
                };
            };
        };
    };
    workspace_list_snapshots: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotPage"];
                };
            };
        };
    };
    workspace_list_workspaces: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NoArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceList"];
                };
            };
        };
    };
    workspace_logs: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadLogRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessLog"];
                };
            };
        };
    };
    workspace_ls: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListFilesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedFiles"];
                };
            };
        };
    };
    workspace_mkdir: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MakeDirRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeDir"];
                };
            };
        };
    };
    workspace_pause: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PauseArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Paused"];
                };
            };
        };
    };
    workspace_processes: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListProcessesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessList"];
                };
            };
        };
    };
    workspace_promote: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromoteInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Promoted"];
                };
            };
        };
    };
    workspace_read_file: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadFileRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadFileResult2"];
                };
            };
        };
    };
    workspace_restore: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnapshotTarget"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeWorkspace"];
                };
            };
        };
    };
    workspace_resume: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PauseArgs"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resumed"];
                };
            };
        };
    };
    workspace_rewind: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RewindInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rewound"];
                };
            };
        };
    };
    workspace_rm: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RemoveRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Removed"];
                };
            };
        };
    };
    workspace_run: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecResult"];
                };
            };
        };
    };
    workspace_run_code: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunCodeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCodeResult"];
                };
            };
        };
    };
    workspace_run_in_code_context: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunInCodeContextRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RanInContext"];
                };
            };
        };
    };
    workspace_save_turn: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SaveTurnInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    workspace_script: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScriptRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptResult"];
                };
            };
        };
    };
    workspace_snapshot: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SnapshotInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    workspace_snapshot_grep: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchSnapshot"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchedSnapshot"];
                };
            };
        };
    };
    workspace_snapshot_ls: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListSnapshotFiles"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotFilePage"];
                };
            };
        };
    };
    workspace_snapshot_read: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadSnapshotFile"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadFileResult"];
                };
            };
        };
    };
    workspace_snapshot_stat: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnapshotPath"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatView"];
                };
            };
        };
    };
    workspace_start: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessView2"];
                };
            };
        };
    };
    workspace_stat: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatView2"];
                };
            };
        };
    };
    workspace_stop: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["StopRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessView2"];
                };
            };
        };
    };
    workspace_switch: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceTarget"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedWorkspace"];
                };
            };
        };
    };
    workspace_timeline: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TimelineRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
        };
    };
    workspace_update_snapshot: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    workspace_write_file: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WriteFileRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFile"];
                };
            };
        };
    };
    listTurns: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Turns of a page at most. Default 20, at most 100. */
                limit?: number;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
        };
    };
    saveTurn: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description The ETag of the active workspace: the call fails if another workspace is active. */
                "If-Match"?: string;
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "cursor": {
                 *         "message": "msg_07"
                 *       },
                 *       "label": "added the parser"
                 *     }
                 */
                "application/json": components["schemas"]["SaveTurnArgs"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionUsage"];
                };
            };
        };
    };
    watchFiles: {
        parameters: {
            query?: {
                /** @description A glob of names to pass over with all that is in them, such as node_modules; any number of times. */
                exclude?: string[];
                /** @description Directory, relative to the workspace. Default: its root. */
                path?: string;
                /** @description Also watch all directories below it, and those made later. Default true. */
                recursive?: boolean;
                /** @description A workspace's id. Default: the active one. */
                workspace?: string;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
        };
    };
    listWorkspaces: {
        parameters: {
            query?: {
                /** @description Also report whether each container runs. */
                containers?: boolean;
            };
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceList"];
                };
            };
        };
    };
    createWorkspace: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "works",
                 *       "kind": "branch"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWorkspace"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeWorkspace"];
                };
            };
        };
    };
    destroyWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                workspace: components["schemas"]["SandboxId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestroyedWorkspace"];
                };
            };
        };
    };
    destroyContainer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                workspace: components["schemas"]["SandboxId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destroyed"];
                };
            };
        };
    };
    copyFromWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: components["schemas"]["SessionId"];
                workspace: components["schemas"]["SandboxId"];
            };
            cookie?: never;
        };
        /** @description At most 3 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CopyPaths"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedTar"];
                };
            };
        };
    };
    pauseWorkspace: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
                workspace: components["schemas"]["SandboxId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Paused"];
                };
            };
        };
    };
    resumeWorkspace: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /** @description A name for this call, by which it can be cancelled while it runs. */
                "Operation-Id"?: components["schemas"]["OperationId"];
                /**
                 * @description respond-async: answer 202 at once with an operation to poll, even if the call is refused later. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: string;
            };
            path: {
                session: components["schemas"]["SessionId"];
                workspace: components["schemas"]["SandboxId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resumed"];
                };
            };
        };
    };
    listUsage: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Sessions of a page at most. Default, and most: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsagePage"];
                };
            };
        };
    };
    listAllWorkspaces: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Sessions of a page at most. Default, and most: 50. */
                limit?: number;
                /** @description Only workspaces whose container runs, waits to start or does not answer. */
                running?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspacePage"];
                };
            };
        };
    };
}
