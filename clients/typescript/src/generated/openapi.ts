// Made from docs/openapi.json by clients/generate.sh.

export interface components {
    schemas: {
        /** @description An upload whose parts are gone. */
        AbortedUpload: {
            /** @description Always true. */
            aborted: boolean;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
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
        /** @description Type of an archive. Its first bytes tell how it is compressed. */
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
         *     Unknown fields belong to the sandbox that made the backup; we keep them whole and hand them back
         *     to it.
         */
        BackupHandle: {
            /** @description Directory that the backup captured and is restored to. */
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
            /** @description Id of the access key. */
            accessKeyId: components["schemas"]["SecretValue"];
            /**
             * @description The region that requests are signed for. Default: the one that the endpoint's host names
             *     (`s3.eu-west-1.…`), else `us-east-1`.
             */
            region?: string | null;
            /** @description Secret of the access key. */
            secretAccessKey: components["schemas"]["SecretValue"];
            /** @description The token of temporary credentials. */
            sessionToken?: components["schemas"]["SecretValue"] | null;
        };
        /** @description A bucket that containers reach. */
        BucketMountConfig: {
            /**
             * @description Name of the R2 binding, which the variable `BUCKET_BINDINGS` must list; with `endpoint`, the
             *     bucket's name there.
             */
            bucket: string;
            /**
             * @description Credentials for `endpoint`. Without them, requests to it are anonymous. Redacted wherever
             *     they are shown. A later open may change them.
             */
            credentials?: components["schemas"]["BucketCredentials"] | null;
            /**
             * @description Address of another S3 service, which the variable `BUCKET_ENDPOINTS` must list:
             *     `https://s3.eu-west-1.amazonaws.com`.
             */
            endpoint?: string | null;
            /**
             * @description Directory where the bucket appears, if the container can mount it: an absolute path outside
             *     the directories that snapshots hold.
             */
            mountPath: string;
            /** @description Reach only objects below this path of the bucket, such as `/2024`. Default: all. */
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
            /** @description Directory where the bucket appears, if `mount` is `MOUNTED`. */
            mountPath: string;
            /** @description Why mounting failed. */
            mountProblem?: string | null;
            /** @description Whether it is read-only. */
            readOnly: boolean;
            /** @description Address at which S3 clients reach the bucket. */
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
             * @description Only operations that read are allowed; all others answer `FORBIDDEN`. If no module is
             *     declared, this applies to all modules. Default false.
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
             * @description Only operations that read are allowed; all others answer `FORBIDDEN`. If no module is
             *     declared, this applies to all modules. Default false.
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
        /** @description A changed path. */
        ChangedPath: {
            /** @description What happened. */
            change: components["schemas"]["ChangeKind"];
            /**
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
        };
        /** @description A path that a restore changed. */
        ChangedPath2: {
            /** @description What happened to it. */
            change: components["schemas"]["PathChange2"];
            /**
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
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
            memoryMib: number;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
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
            memoryMib: number;
        };
        CodeContextId: string;
        /** @description Code contexts that run. */
        CodeContextList: {
            /** @description The oldest first. */
            contexts: components["schemas"]["CodeContext2"][];
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description Code to run in a code context. */
        CodeForContext: {
            /** @description At most 1 MiB. */
            code: string;
            /**
             * Format: uint64
             * @description As for workspace_run_code.
             */
            maxOutputBytes?: number | null;
            /**
             * Format: uint64
             * @description Milliseconds after which the code is interrupted: exitCode 124. Default 120000.
             */
            timeoutMs?: number | null;
            /** @description The workspace's id. Default: the active one. */
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
            /** @description What to do if hosts were refused, or memory ran out. */
            hint?: string | null;
            /** @description Hosts that the network policy refused since it last listed some. */
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
        /** @description A page of commands: on the first one those that run, then those that have ended, newest first. */
        CommandPage: {
            /** @description The commands. */
            commands: components["schemas"]["CommandRecord"][];
            /** @description Cursor of the next page, if any. */
            nextCursor?: string | null;
        };
        /** @description A command with the end of what it printed. */
        CommandRecord: {
            /** @description When it began, in RFC 3339. */
            at: string;
            /**
             * @description The command, or the code: at most its first 2 KiB, in the timeline its first 200 bytes.
             *     Values of environment variables in it are replaced.
             */
            command: components["schemas"]["CommandLine"];
            /** @description The code context, if it was code in one. */
            context?: components["schemas"]["CodeContextId"] | null;
            /**
             * Format: uint64
             * @description Milliseconds that it took, or after which it went on in the background.
             */
            durationMs?: number | null;
            /**
             * Format: int32
             * @description Exit code; 124: the time limit ended it. Absent: it runs, it went on in the background,
             *     its caller gave up, or its container ended.
             */
            exitCode?: number | null;
            /** @description The language, if it was code. */
            language?: components["schemas"]["Language"] | null;
            /** @description The background process: the command itself, or the one whose log has its output. */
            process?: components["schemas"]["ProcessName"] | null;
            /**
             * Format: int64
             * @description Order within the session: by the time when commands ended. Absent while it runs.
             */
            seq?: number | null;
            /** @description The last 4 KiB, at most, of the stderr that its caller got. */
            stderr: string;
            /** @description The last 4 KiB, at most, of the stdout that its caller got. */
            stdout: string;
            /** @description The workspace in which it ran. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description A command, or code, that ran in a workspace, and how it ended. */
        CommandView: {
            /** @description When it began, in RFC 3339. */
            at: string;
            /**
             * @description The command, or the code: at most its first 2 KiB, in the timeline its first 200 bytes.
             *     Values of environment variables in it are replaced.
             */
            command: components["schemas"]["CommandLine"];
            /** @description The code context, if it was code in one. */
            context?: components["schemas"]["CodeContextId"] | null;
            /**
             * Format: uint64
             * @description Milliseconds that it took, or after which it went on in the background.
             */
            durationMs?: number | null;
            /**
             * Format: int32
             * @description Exit code; 124: the time limit ended it. Absent: it runs, it went on in the background,
             *     its caller gave up, or its container ended.
             */
            exitCode?: number | null;
            /** @description The language, if it was code. */
            language?: components["schemas"]["Language"] | null;
            /** @description The background process: the command itself, or the one whose log has its output. */
            process?: components["schemas"]["ProcessName"] | null;
            /**
             * Format: int64
             * @description Order within the session: by the time when commands ended. Absent while it runs.
             */
            seq?: number | null;
            /** @description The workspace in which it ran. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description One side of a comparison. */
        ComparedTree: {
            /** @description The name of that snapshot. */
            name?: string | null;
            /**
             * @description When that snapshot was taken, RFC 3339. A workspace that does not run is
             *     compared by its last save.
             */
            savedAt?: string | null;
            /**
             * @description The snapshot whose files were compared. Absent if these are the files of the running
             *     workspace, or no files.
             */
            snapshotId?: components["schemas"]["BackupId"] | null;
            /** @description The last turn that ended with its files. */
            turn?: components["schemas"]["Turn"] | null;
            /** @description The workspace. */
            workspaceId?: components["schemas"]["SandboxId"] | null;
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
            /** @description Counts of changes in .git and in ignored files. */
            ignored?: components["schemas"]["IgnoredChanges"][];
            /** @description The name of that snapshot. */
            name?: string | null;
            /**
             * Format: uint64
             * @description Number of files beyond the limit of a call, not compared. They are not listed, and may have
             *     changed.
             */
            notCompared?: number;
            /**
             * @description When that snapshot was taken, RFC 3339. A workspace that does not run is
             *     compared by its last save.
             */
            savedAt?: string | null;
            /**
             * @description The snapshot whose files were compared. Absent if these are the files of the running
             *     workspace, or no files.
             */
            snapshotId?: components["schemas"]["BackupId"] | null;
            /** @description There are more. */
            truncated: boolean;
            /** @description The last turn that ended with its files. */
            turn?: components["schemas"]["Turn"] | null;
            /** @description The workspace. */
            workspaceId?: components["schemas"]["SandboxId"] | null;
        };
        /** @description Which workspaces to compare. */
        CompareRequest: {
            /** @description Snapshot to compare with. Default: the nearest common snapshot of all workspaces. */
            base?: components["schemas"]["SnapshotSelector"] | null;
            /** @description Command to run afterwards in all workspaces at once, e.g. the tests. */
            command?: components["schemas"]["CommandLine"] | null;
            /** @description Only paths that match, e.g. *.py. */
            glob?: string | null;
            /**
             * Format: uint
             * @description Maximum changes per workspace. Default 50.
             */
            limit?: number | null;
            /**
             * Format: uint64
             * @description Time limit of command in milliseconds. Default 120000.
             */
            timeoutMs?: number | null;
            /** @description Workspaces, 2 to 20, by id. Default: all of the session. */
            workspaces?: components["schemas"]["WorkspaceSelector"][] | null;
        };
        /** @description Workspaces, compared. */
        Comparison: {
            /** @description The base of the comparison. Without snapshotId: no files. */
            base: components["schemas"]["ComparedTree"];
            /** @description Files that several workspaces changed; at most `limit`. */
            contested: components["schemas"]["ContestedFile"][];
            /**
             * Format: uint64
             * @description Number of further such files. Absent: none.
             */
            moreContested?: number | null;
            /** @description The results as a table. */
            text: string;
            /** @description One result per workspace. */
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
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
            /** @description The workspaces that changed it. */
            workspaceIds: components["schemas"]["SandboxId"][];
        };
        /** @description What was copied. */
        CopiedFiles: {
            /**
             * Format: uint64
             * @description Directories.
             */
            directories: number;
            /** @description What was not kept. Absent if nothing was lost. */
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
             * @description Bytes in all files.
             */
            sizeBytes: number;
            /**
             * Format: uint64
             * @description Sockets, pipes and devices, which are not copied.
             */
            skipped: number;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
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
             * @description Directory of the workspace that receives them; they keep their paths from the snapshot's
             *     root. Default: the workspace's root.
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
             * @description Directory that receives them; they keep their relative paths. Default: the root.
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
             * @description Directory to put them into, under their paths from the root. Default: the other workspace's
             *     root.
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
            memoryMib?: number | null;
            /** @description The workspace's id. Default: the active one. */
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
        /** @description A workspace to make, by `restore` or `branch`: `kind` says which. */
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
            /**
             * @description Make it the active workspace.
             * @default false
             */
            switch?: boolean;
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
             * @description Also delete it if it is pinned or published, or if a workspace that sleeps or is not saved
             *     automatically would wake from it. That workspace then starts empty.
             */
            force?: boolean;
            /** @description Remove all its stored bytes. A separate container first makes the layers on it full. */
            purge?: boolean;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        /** @description The code context to end. */
        DeleteCodeContextRequest: {
            /** @description Which context. */
            context: components["schemas"]["CodeContextId"];
            /** @description The workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description The answer to a delete. */
        Deleted: {
            /** @description Always true, even if the snapshot was gone. */
            deleted: boolean;
        };
        /** @description The code context is gone. */
        DeletedCodeContext: {
            /** @description Always true. */
            deleted: boolean;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description The answer to the deletion of a git checkpoint. */
        DeletedGitCheckpoint: {
            /** @description Always true, even if there was none. */
            deleted: boolean;
            /**
             * Format: uint64
             * @description Bytes that only this git checkpoint had. They stay in the repository, and in snapshots,
             *     until git removes them.
             */
            heldBytes?: number | null;
            /** @description How to remove these bytes, if more than 1 MB. */
            hint?: string | null;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description The answer to the deletion of a session. */
        DeletedSession: {
            /** @description Always true: deleting a session that does not exist succeeds. */
            deleted: boolean;
            /**
             * Format: uint64
             * @description How many snapshots were deleted.
             */
            snapshots: number;
            /**
             * Format: uint64
             * @description How many workspaces were destroyed.
             */
            workspaces: number;
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
            /** @description Always true, even if the workspace was gone. */
            destroyed: boolean;
            /** @description The snapshot it would have woken from, or null. */
            lastSnapshotId: components["schemas"]["BackupId"] | null;
            /**
             * @description Whether it was used or active after its files last equalled that snapshot. Changes since
             *     then are lost.
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
            /**
             * @description The older side. Default: the last turn or requested snapshot of the newer side's workspace;
             *     automatic saves do not count. The answer names it as from.
             */
            from?: components["schemas"]["TreeSelector"] | null;
            /** @description Only paths that match, e.g. *.py or src/*.ts. */
            glob?: string | null;
            /**
             * @description List changes in .git and in ignored files (.gitignore) too, instead of counting them.
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
            /** @description How to show changed contents. Default text. */
            output?: components["schemas"]["DiffOutput"];
            /** @description Only this file, or this directory and everything below it. */
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
            /** @description The session that took that snapshot and has the turns. Absent if the snapshot is gone. */
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
            /** @description Absolute path. */
            path: string;
            /**
             * Format: uint
             * @description Number of replacements.
             */
            replacements: number;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
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
            /**
             * @description Its command line, at most 200 characters, with `?` for characters that are not printable
             *     ASCII.
             */
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
             * @description The hint as a template, if it names operations: for programs that have their own names for
             *     operations.
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
            /** @description Cursor of the next page, if any. */
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
            durationMs: number;
            /**
             * Format: int32
             * @description Exit code; 124: ended by its time limit; -1: still running as `leftRunning.process`.
             */
            exitCode: number;
            /** @description Advice about refused hosts, memory and programs that still run. */
            hint?: string | null;
            /** @description Programs that the command left running. */
            leftRunning?: components["schemas"]["LeftRunning"] | null;
            /** @description Hosts that the network policy refused since it last listed some. */
            refusedHosts?: components["schemas"]["RefusedHost"][];
            /** @description At most 1 MiB of stderr; bytes that are not UTF-8 are replaced. */
            stderr: string;
            /**
             * @description Whether stderr was cut.
             * @default false
             */
            stderrTruncated: boolean;
            /** @description At most 1 MiB of stdout; bytes that are not UTF-8 are replaced. */
            stdout: string;
            /**
             * @description Whether stdout was cut.
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
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description Type of a directory entry. */
        FileType: "file" | "directory" | "symlink" | "other";
        /** @description Which files to find. */
        FindFilesRequest: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
             *     Default: the active workspace.
             */
            at?: components["schemas"]["TreeSelector"] | null;
            /** @description nextCursor of the previous answer. */
            cursor?: string | null;
            /**
             * @description Also find files in .git and files that .gitignore or .ignore names.
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
             * @description Directory under the workspace to search. Default: its root.
             * @default .
             */
            path?: string;
            /** @description Glob, e.g. *.py or src/*.{ts,tsx}; ** matches any depth. */
            pattern: string;
        };
        /** @description Which lines to find. */
        FindLinesRequest: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
             *     Default: the active workspace.
             */
            at?: components["schemas"]["TreeSelector"] | null;
            /**
             * Format: uint32
             * @description Lines to show before and after each match.
             * @default 0
             */
            context?: number;
            /** @description nextCursor of the previous answer. */
            cursor?: string | null;
            /**
             * @description Treat pattern as literal text.
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
             * @description Also find files in .git and files that .gitignore or .ignore names.
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
             * @description Directory or file under the workspace. Default: its root.
             * @default .
             */
            path?: string;
            /** @description Regular expression, e.g. fn \w+_file, or, with fixed, the literal text. */
            pattern: string;
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
            /** @description Whether the line matches; otherwise it is near a match. */
            matches: boolean;
            /**
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
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
        /** @description A path that was found. */
        FoundPath: {
            /**
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
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
            /** @description Nested repositories, left alone; the first 20. */
            nested?: components["schemas"]["FoundPath"][];
            /** @description Whether `diff` is only the beginning. */
            truncated: boolean;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description Result of `listGitCheckpoints`. */
        GitCheckpointList: {
            /** @description Newest first; at most 200. */
            gitCheckpoints: components["schemas"]["ListedGitCheckpoint"][];
            /** @description Whether there are more. */
            truncated: boolean;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
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
        /** @description A name for the request. For 24 hours, a repetition with the same name gets the first answer; a tool that only reads runs again. */
        IdempotencyKey: string;
        /** @description Changes that are only counted. */
        IgnoredChanges: {
            /** @description How many changes. */
            counts: components["schemas"]["ChangeCounts"];
            /**
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
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
            /** @description Description. */
            description?: string | null;
            /** @description Type of the archive. Its first bytes tell how it is compressed. */
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
             * @description SHA-256 of the object, 64 lowercase hex digits: `sha256` of the SDK's record. If it
             *     differs: `INTEGRITY`.
             */
            sha256?: string | null;
            /** @description Time to live in seconds. */
            ttlSeconds?: components["schemas"]["Ttl"] | null;
        };
        /** @description Result of `importTar`. */
        ImportedTar: {
            /**
             * Format: uint64
             * @description Directories.
             */
            directories: number;
            /** @description What was not kept. Absent if nothing was lost. */
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
             * @description Bytes in all files.
             */
            sizeBytes: number;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description An instruction for the caller, as a template: each caller fills in its own names of operations. */
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
            /** @description Beginning of its command. */
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
             * @description The background process whose log has what they print from now on. Absent if that output is
             *     dropped, or goes where the command sent it.
             */
            process?: components["schemas"]["ProcessName"] | null;
            /** @description The first 5 of them. */
            programs: components["schemas"]["LeftProgram"][];
        };
        /** @description The tree of a session's workspaces and snapshots. */
        Lineage: {
            /** @description The workspace that tools act on. */
            active: components["schemas"]["WorkspaceRef"];
            /** @description Its id. */
            activeWorkspaceId: components["schemas"]["SandboxId"];
            /** @description Depth first: each place follows its parent. */
            nodes: components["schemas"]["LineageNode"][];
            /** @description The tree as text, one line per place. */
            text: string;
            /** @description Whether the oldest places are omitted. */
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
            /** @description The workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description One entry of a directory. */
        ListedEntry: {
            /** @description Permission bits in octal. */
            mode: string;
            /** @description RFC 3339. */
            modifiedAt: string;
            /**
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
             */
            path: string;
            /** @description The bytes of `path` in base64, if they are not UTF-8. */
            pathBase64?: string | null;
            /**
             * Format: uint64
             * @description Size in bytes.
             */
            sizeBytes: number;
            /** @description Type. */
            type: components["schemas"]["FileType"];
        };
        /** @description A page of entries. */
        ListedFiles: {
            /** @description By path. Directories of a snapshot have size 0. */
            entries: components["schemas"]["ListedEntry"][];
            /** @description Cursor of the next page, if any. */
            nextCursor?: string | null;
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
             * @description How many paths in its archive had a modification time before 1970 or after 2106. An archive
             *     can't hold such times: most of these paths got the nearest possible one.
             */
            clampedTimes?: number | null;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Description, or null. */
            description: string | null;
            /** @description What an import of an archive did not keep. Absent if nothing was lost. */
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
             * @description The machine that was saved with it, if the session persists machines: all differences from
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
            /** @description The call that took it, by the name of the operation or tool, or the rule: `autosave`. */
            savedBy?: string | null;
            /** @description SHA-256 of the archive, or null if none was recorded. */
            sha256: string | null;
            /**
             * Format: uint64
             * @description Size of the archive in bytes, or null while it is being taken.
             */
            sizeBytes: number | null;
            /** @description Its id. */
            snapshotId: components["schemas"]["BackupId"];
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
            /** @description JSON Schema of the output: its fields, without their contents. */
            outputSchema: unknown;
            /** @description For people. */
            title: string;
        };
        /** @description A directory to list. */
        ListFilesRequest: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
             *     Default: the active workspace.
             */
            at?: components["schemas"]["TreeSelector"] | null;
            /** @description nextCursor of the previous answer. */
            cursor?: string | null;
            /**
             * @description Also list names that begin with a dot.
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
             * @description Directory under the workspace. Default: its root.
             * @default .
             */
            path?: string;
            /**
             * @description Also list its directories' contents.
             * @default false
             */
            recursive?: boolean;
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
             * @description Also list snapshots of turns, automatic snapshots (workspaces wake from them) and safety
             *     snapshots (files that a rewind or promotion replaced).
             * @default false
             */
            includeAuto?: boolean;
            /**
             * @description Also list expired snapshots; they can't be restored.
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
        /** @description One workspace of a live fork. */
        LiveFork: {
            /** @description Its ref. */
            ref: components["schemas"]["WorkspaceRef"];
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
        } | {
            /** @description Why. */
            error: components["schemas"]["ErrorBody"];
        };
        /** @description Arguments of `fork`. */
        LiveForkArgs: {
            /**
             * Format: uint32
             * @description How many workspaces, default 1. The session's `maxWorkspaces` and `maxRunning` apply.
             */
            count?: number | null;
            /**
             * @description Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
             *     is the active one.
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
            /** @description The snapshot they were made from; an earlier snapshot if no file changed. */
            fromSnapshotId: components["schemas"]["BackupId"];
            /** @description The turn that ended with these files. */
            turn?: components["schemas"]["Turn"] | null;
            /** @description The snapshots it woke from, if it was asleep. */
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
        /** @description The directory that exists now. */
        MadeDir: {
            /** @description Absolute path. */
            path: string;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description The workspace that a restore or a branch made. */
        MadeWorkspace: {
            /**
             * @description Whether the bucket lost the saved machine: the rest of the container has only the image's
             *     own files.
             */
            machineLost?: boolean;
            /** @description Its ref. */
            ref: components["schemas"]["WorkspaceRef"];
            /** @description The turn that ended with its files. */
            turn?: components["schemas"]["Turn"] | null;
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description Arguments of `restore` and `branch`. */
        MakeArgs: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
            /** @description Make the new workspace active; the default for tools. */
            switch?: boolean | null;
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
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
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
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description What containers may reach. */
        NetworkConfig: {
            /**
             * @description For mode `allowlist`: public hosts such as `example.com`, or `*.example.com` for all hosts
             *     below it.
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
             * @description Number of files larger than 2 MiB.
             */
            tooLarge: number;
            /** @description The first 20 of these files. */
            tooLargeFiles?: components["schemas"]["FoundPath"][];
        };
        /** @description Name of a call, by which it is cancelled. */
        OperationId: string;
        /** @description A page of recorded calls, newest first. */
        OperationPage: {
            /** @description Cursor of the next page, if any. */
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
            /** @description Cursor of the next page, if any. */
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
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
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
        /** @description What would change in the files of the active workspace. */
        PlannedChanges: {
            /** @description All changes, without ignored files. */
            counts: components["schemas"]["ChangeCounts"];
            /** @description Counts of changes in .git and in ignored files. */
            ignored?: components["schemas"]["IgnoredChanges"][];
            /** @description The first changed paths, at most 200. */
            paths: components["schemas"]["ChangedPath"][];
        };
        /** @description Containers that are kept started, with the files of a published snapshot. */
        PoolConfig: {
            /** @description The published snapshot: its ref or id. */
            from: components["schemas"]["SnapshotSelector"];
            /**
             * Format: uint32
             * @description How many containers the pool keeps for the next sessions. The last open decides for all
             *     sessions that share the pool.
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
            /** @description The pools, most recently used first. */
            pools: components["schemas"]["PoolView"][];
        };
        /** @description A pool, as it is shown. */
        PoolView: {
            /**
             * Format: uint32
             * @description How many containers it may keep: all pools share `MAX_POOL_CONTAINERS`.
             */
            allowed: number;
            /**
             * Format: uint32
             * @description How many are starting.
             */
            filling: number;
            /** @description Its id. */
            id: components["schemas"]["PoolId"];
            /** @description Why the last container did not become ready. Absent once one became ready. */
            problem?: components["schemas"]["ErrorBody"] | null;
            /**
             * Format: uint32
             * @description How many containers sessions could take now.
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
            /** @description All valid previews, newest first. */
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
            /** @description The workspace. */
            workspace: components["schemas"]["WorkspaceRef"];
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description Background processes, in the order of their names. */
        ProcessList: {
            /** @description Running processes, and the last that ended. */
            processes: components["schemas"]["ProcessView"][];
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description A part of what a background process printed. */
        ProcessLog: {
            /**
             * Format: uint64
             * @description Offset of the next read.
             */
            nextOffset: number;
            /**
             * Format: uint64
             * @description Offset of the text. Later than requested if the log no longer has that part.
             */
            offset: number;
            /** @description The process. */
            process: components["schemas"]["ProcessView"];
            /** @description stdout and stderr; bytes that are not UTF-8 are replaced. */
            text: string;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        ProcessName: string;
        /** @description State of a background process. */
        ProcessState: "running" | "ended";
        /** @description A background process. */
        ProcessView: {
            /** @description Beginning of its command. */
            command: string;
            /** @description RFC 3339, or null. */
            endedAt: string | null;
            /**
             * Format: int32
             * @description Exit code. Null while it runs, and if it was killed with its supervisor.
             */
            exitCode: number | null;
            /**
             * @description In the answer of its start: when it will end without being stopped. Later: that it ended
             *     because memory ran out.
             */
            hint?: string | null;
            /** @description Whether it has ended but a program that it started still runs. */
            leftRunning?: boolean;
            /**
             * Format: uint64
             * @description Bytes printed so far.
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
            /** @description Beginning of its command. */
            command: string;
            /** @description RFC 3339, or null. */
            endedAt: string | null;
            /**
             * Format: int32
             * @description Exit code. Null while it runs, and if it was killed with its supervisor.
             */
            exitCode: number | null;
            /**
             * @description In the answer of its start: when it will end without being stopped. Later: that it ended
             *     because memory ran out.
             */
            hint?: string | null;
            /** @description Whether it has ended but a program that it started still runs. */
            leftRunning?: boolean;
            /**
             * Format: uint64
             * @description Bytes printed so far.
             */
            logBytes: number;
            /** @description Its name. */
            name: components["schemas"]["ProcessName"];
            /** @description RFC 3339. */
            startedAt: string;
            /** @description State. */
            state: components["schemas"]["ProcessState"];
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
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
             * @description Change nothing; return what would change.
             * @default false
             */
            dryRun?: boolean;
            /**
             * @description Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
             *     is the active one.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /** @description The workspace or snapshot with the changes. */
            from: components["schemas"]["TreeSelector"];
            /**
             * @description Also bring over files that a .gitignore of the other side ignores, and caches such as
             *     __pycache__. With mode replace, everything is brought over anyway.
             * @default false
             */
            includeIgnored?: boolean;
            /** @description Merge them with changes made here, or replace all files here. Default merge. */
            mode?: components["schemas"]["PromoteMode"];
            /** @description What to do about paths that both sides changed differently. Default: refuse, and list them. */
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
            /** @description What would change in the files. Only in a dry run. */
            changes?: components["schemas"]["PlannedChanges"] | null;
            /** @description Undecided conflicts. Only in a dry run: a promotion would be refused. */
            conflicts?: components["schemas"]["MergeConflict"][];
            /** @description Counts of changes by a merge. Line-merged files count as modified. */
            counts: components["schemas"]["ChangeCounts"];
            /** @description Conflicts that onConflict decided. */
            decidedConflicts: components["schemas"]["MergeConflict"][];
            /** @description Workspaces that were destroyed. */
            discarded: components["schemas"]["WorkspaceRef"][];
            /** @description A dry run: nothing was changed. The other fields say what a promotion would do now. */
            dryRun?: boolean;
            /** @description Processes that were ended. Only if all files were replaced. */
            endedProcesses: components["schemas"]["EndedProcess"][];
            /**
             * @description The snapshot whose changes these are. For a workspace, the one that saved it. Absent in a
             *     dry run for a workspace that runs.
             */
            fromSnapshotId?: components["schemas"]["BackupId"] | null;
            /** @description Paths not changed here. Git repositories that both changed, and ignored files in conflict. */
            kept: string[];
            /**
             * @description Changes not brought over: in files that a .gitignore of the other side ignores, or in a
             *     cache such as __pycache__. includeIgnored brings them over.
             */
            leftOut?: components["schemas"]["IgnoredChanges"][];
            /**
             * Format: uint64
             * @description Files whose lines were merged.
             */
            mergedFiles: number;
            /**
             * Format: uint64
             * @description Number of files beyond the limit of a call, not compared. If the other side changed them,
             *     those changes were not brought over.
             */
            notCompared?: number;
            /** @description Its ref. */
            ref: components["schemas"]["WorkspaceRef"];
            /**
             * @description The safety snapshot: the files before the change. Absent if nothing was changed, as in a
             *     dry run.
             */
            safetyRef?: components["schemas"]["SnapshotRef"] | null;
            /** @description Its id. */
            safetySnapshotId?: components["schemas"]["BackupId"] | null;
            /** @description The snapshots it woke from, if it was asleep. */
            woken?: components["schemas"]["Woken"] | null;
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
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
            /**
             * @description Change nothing; return what would change.
             * @default false
             */
            dryRun?: boolean;
            /** @description The workspace or snapshot with the changes. */
            from: components["schemas"]["TreeSelector"];
            /**
             * @description Also bring over files that a .gitignore of the other side ignores, and caches such as
             *     __pycache__.
             * @default false
             */
            includeIgnored?: boolean;
            /** @description Merge them with changes made here, or replace all files here. Default merge. */
            mode?: components["schemas"]["PromoteMode"];
            /** @description What to do about paths that both sides changed differently. Default: refuse, and list them. */
            onConflict?: components["schemas"]["ConflictPolicy"] | null;
        };
        /** @description How to bring changes over. */
        PromoteMode: "merge" | "replace";
        /**
         * @description The provider that each ref of this service names.
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
            /** @description Why no catalogue had it; null if one did. */
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
             * @description Only backups made at least this many seconds ago. 0: of any age.
             */
            olderThanSeconds: number;
            /**
             * @description Also backups of these kinds, which no session's catalogue has. Only their
             *     age protects them.
             */
            ownerless?: components["schemas"]["Ownerless"][];
            /** @description Only backups of this session. */
            session?: components["schemas"]["SessionId"] | null;
            /** @description Only snapshots that were taken for this reason. */
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
            durationMs: number;
            /**
             * Format: int32
             * @description Exit code; 124: ended by its time limit; -1: still running as `leftRunning.process`.
             */
            exitCode: number;
            /** @description Advice about refused hosts, memory and programs that still run. */
            hint?: string | null;
            /** @description Images that the code saved in its output directory. */
            images: components["schemas"]["CodeImage"][];
            /** @description Programs that the command left running. */
            leftRunning?: components["schemas"]["LeftRunning"] | null;
            /** @description Files there that are not returned: too large, too many, or not images. */
            omitted: string[];
            /** @description Hosts that the network policy refused since it last listed some. */
            refusedHosts?: components["schemas"]["RefusedHost"][];
            /** @description At most 1 MiB of stderr; bytes that are not UTF-8 are replaced. */
            stderr: string;
            /**
             * @description Whether stderr was cut.
             * @default false
             */
            stderrTruncated: boolean;
            /** @description At most 1 MiB of stdout; bytes that are not UTF-8 are replaced. */
            stdout: string;
            /**
             * @description Whether stdout was cut.
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
            /** @description Value of the last line, if JSON can express it. */
            value?: unknown;
            /** @description The value as the language prints it, if JSON can't express it. */
            valueText?: string | null;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description A rate, and how many calls may come at once. */
        Rate: {
            /**
             * Format: uint32
             * @description Calls that may come at once, after a pause.
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
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
             *     Default: the active workspace.
             */
            at?: components["schemas"]["TreeSelector"] | null;
            /** @description Return text or base64. Default: text, if the content is text. */
            encoding?: components["schemas"]["Encoding"] | null;
            /**
             * Format: uint64
             * @description Maximum lines to read. Default: as many as fit.
             */
            lineCount?: number | null;
            /**
             * Format: uint64
             * @description Maximum bytes to read. Default 262144 for a part; over MCP 32768, at most 524288.
             */
            maxBytes?: number | null;
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
            /** @description Backups that are in their sessions' catalogues again. */
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
             * @description Backups of other sessions, or of none; left alone.
             */
            foreign: number;
            /**
             * Format: uint
             * @description Archives without a commit record, and records without an archive; left alone.
             */
            incomplete: number;
            /**
             * Format: uint
             * @description Backups that its catalogue already had, in any state.
             */
            known: number;
            /** @description Where the next page begins. Absent once the bucket has been walked. */
            nextCursor?: string | null;
            /** @description Backups whose record cannot be read. */
            problems?: components["schemas"]["ListProblem"][];
            /** @description Backups of this session that are in its catalogue again. */
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
        /** @description What was removed. */
        Removed: {
            /** @description Absolute path that was removed. */
            path: string;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
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
             * @description Number of all changed paths.
             */
            changedCount: number;
            /** @description Changed paths; at most 200. */
            changes: components["schemas"]["ChangedPath2"][];
            /** @description Its commit. */
            commit: string;
            /** @description Nested repositories, left alone; the first 20. */
            nested?: components["schemas"]["FoundPath"][];
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description Why a workspace was made. The two differ only in the suffix and in the event log. */
        RestoreKind: "restored" | "branch";
        /** @description A workspace that runs, with its files. */
        Resumed: {
            /** @description The snapshots it woke from; absent if it was running. */
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
             * @description How many autosaves of each workspace to keep, beside named ones and those that a wake needs.
             *     Default 4.
             */
            keepAutosaves?: number | null;
            /**
             * Format: uint32
             * @description Keeps only the latest snapshot of each day (UTC), for this many days, beside those that
             *     `keepLast` keeps.
             */
            keepDaily?: number | null;
            /**
             * Format: uint32
             * @description Keeps only this many of the latest requested snapshots, and as many safety snapshots, beside
             *     those that `keepDaily` keeps.
             */
            keepLast?: number | null;
            /**
             * Format: uint32
             * @description Number of latest turns to keep, in all workspaces together. Default 50.
             */
            keepTurns?: number | null;
            /**
             * Format: uint64
             * @description Maximum bytes of archives. The newest snapshot alone may exceed it.
             */
            maxBytes?: number | null;
            /**
             * Format: uint32
             * @description Maximum number of snapshots. Autosaves are deleted first, then safety snapshots, then those
             *     of turns, then the oldest.
             */
            maxCount?: number | null;
            /**
             * Format: uint64
             * @description Seconds between two requested snapshots; sooner is `RATE_LIMITED`. Default 0.
             */
            minIntervalSeconds?: number | null;
            /**
             * Format: uint64
             * @description Seconds after which an unused workspace that is not active is retired: saved if it runs, and
             *     destroyed. Its last save then lives for `ttlSeconds` from that time and is listed. Default
             *     604800, a week.
             */
            retireAfterSeconds?: number | null;
            /**
             * @description Time to live of a snapshot whose caller sets none, in seconds. Default: turns and requested
             *     snapshots live 30 days after the session's last use, and all others 259200.
             */
            ttlSeconds?: components["schemas"]["Ttl"] | null;
        };
        /** @description A policy as it is shown. */
        RetentionPolicyView: {
            /**
             * Format: uint32
             * @description How many autosaves of each workspace are kept, beside those that a wake needs.
             */
            keepAutosaves: number;
            /**
             * Format: uint32
             * @description Also the latest snapshot of each day, for this many days.
             */
            keepDaily: number | null;
            /**
             * Format: uint32
             * @description Only this many of the latest snapshots are kept.
             */
            keepLast: number | null;
            /**
             * Format: uint32
             * @description How many turns are kept.
             */
            keepTurns: number;
            /**
             * Format: uint64
             * @description Maximum bytes.
             */
            maxBytes: number | null;
            /**
             * Format: uint32
             * @description Maximum number of snapshots.
             */
            maxCount: number | null;
            /**
             * Format: int64
             * @description Seconds between two requested snapshots.
             */
            minIntervalSeconds: number;
            /**
             * Format: int64
             * @description Seconds after which an unused workspace that is not active is retired.
             */
            retireAfterSeconds: number;
            /**
             * Format: uint64
             * @description Time to live of automatic and safety snapshots. If it was set, also of other snapshots whose
             *     caller sets none; otherwise those live 30 days after the session's last use.
             */
            ttlSeconds: number;
        };
        /** @description What the policy does with the session's snapshots. */
        RetentionReport: {
            /**
             * @description Each snapshot and its verdict: those to delete first, oldest first; then
             *     those that are kept, newest first. At most 1,000.
             */
            decisions: components["schemas"]["DecisionView"][];
            /**
             * Format: uint64
             * @description Number of snapshots to delete, at most 1,000: if it is 1,000, there may be more. After
             *     `retain`, the number that were deleted.
             */
            deleteCount: number;
            /** @description A limit that is still exceeded once all snapshots that may be deleted are gone. */
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
            /** @description When the next snapshot is deleted if only time passes, in RFC 3339. */
            nextDueAt?: string | null;
            /** @description The policy, every default filled in. */
            policy: components["schemas"]["RetentionPolicyView"];
            /** @description Whether there are more than are shown. */
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
             * @description Change nothing; return what would change.
             * @default false
             */
            dryRun?: boolean;
            /**
             * @description Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
             *     is the active one.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /**
             * @description Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`;
             *     `details.head` is the current one.
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
             * @description Change nothing; return what would change.
             * @default false
             */
            dryRun?: boolean;
            /**
             * @description The headSnapshotId from workspace_describe. If the head has changed since then, the call
             *     fails with PRECONDITION_FAILED and changes nothing.
             */
            expectedHead?: components["schemas"]["BackupId"] | null;
            /** @description The snapshot: its ref, its id, its name in this session, or a turn. Or set turns. */
            ref?: components["schemas"]["SnapshotSelector"] | null;
            /**
             * Format: uint32
             * @description Number of turns to go back, instead of ref. Changes since the last turn count as a turn: if
             *     there are any, 1 undoes only them.
             */
            turns?: number | null;
        };
        /** @description A workspace that was rewound. */
        Rewound: {
            /** @description What would change in the files. Only in a dry run. */
            changes?: components["schemas"]["PlannedChanges"] | null;
            /** @description A dry run: nothing was changed. The other fields say what a rewind would do now. */
            dryRun?: boolean;
            /**
             * @description Background processes that were ended and not started again, by the names that
             *     workspace_start gave them. A preview of a server among them shows an old page until it is
             *     started again.
             */
            endedBackground?: components["schemas"]["ProcessName"][];
            /** @description Processes that were ended because they used the directory, at most 100. */
            endedProcesses: components["schemas"]["EndedProcess"][];
            /** @description The snapshot whose files the workspace now has. */
            fromSnapshotId: components["schemas"]["BackupId"];
            /** @description What to do about ended processes that were not started again. */
            hint?: string | null;
            /**
             * @description Whether the bucket lost the machine saved with these files: the workspace keeps its current
             *     machine.
             */
            machineLost?: boolean;
            /** @description Its ref. */
            ref: components["schemas"]["WorkspaceRef"];
            /**
             * @description Background processes that were started again: services of the session, and processes started
             *     with restart.
             */
            restarted?: components["schemas"]["ProcessName"][];
            /**
             * @description The safety snapshot: the files before the change. Absent if nothing was changed, as in a
             *     dry run.
             */
            safetyRef?: components["schemas"]["SnapshotRef"] | null;
            /** @description Its id. */
            safetySnapshotId?: components["schemas"]["BackupId"] | null;
            /** @description The turn that ended with these files; if several did, the requested one. */
            turn?: components["schemas"]["Turn"] | null;
            /** @description What an undo reverted. */
            undone?: components["schemas"]["Undone"] | null;
            /** @description The snapshots it woke from, if it was asleep. */
            woken?: components["schemas"]["Woken"] | null;
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
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
             *     A tool returns 16384 by default, over MCP 131072 at most; else the first 1048576.
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
            durationMs: number;
            /**
             * Format: int32
             * @description Exit code; 124: ended by its time limit; -1: still running as `leftRunning.process`.
             */
            exitCode: number;
            /** @description Advice about refused hosts, memory and programs that still run. */
            hint?: string | null;
            /** @description Images that the code saved in its output directory. */
            images: components["schemas"]["CodeImage"][];
            /** @description Programs that the command left running. */
            leftRunning?: components["schemas"]["LeftRunning"] | null;
            /** @description Files there that are not returned: too large, too many, or not images. */
            omitted: string[];
            /** @description Hosts that the network policy refused since it last listed some. */
            refusedHosts?: components["schemas"]["RefusedHost"][];
            /** @description At most 1 MiB of stderr; bytes that are not UTF-8 are replaced. */
            stderr: string;
            /**
             * @description Whether stderr was cut.
             * @default false
             */
            stderrTruncated: boolean;
            /** @description At most 1 MiB of stdout; bytes that are not UTF-8 are replaced. */
            stdout: string;
            /**
             * @description Whether stdout was cut.
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
            /** @description Value of the last line, if JSON can express it. */
            value?: unknown;
            /** @description The value as the language prints it, if JSON can't express it. */
            valueText?: string | null;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description Code to run in a code context. */
        RunInCodeContextRequest: {
            /** @description At most 1 MiB. */
            code: string;
            /** @description Which context. */
            context: components["schemas"]["CodeContextId"];
            /**
             * Format: uint64
             * @description As for workspace_run_code.
             */
            maxOutputBytes?: number | null;
            /**
             * Format: uint64
             * @description Milliseconds after which the code is interrupted: exitCode 124. Default 120000.
             */
            timeoutMs?: number | null;
            /** @description The workspace's id. Default: the active one. */
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
             *     A tool returns 16384 by default, over MCP 131072 at most; else the first 1048576.
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
            /**
             * Format: uint64
             * @description Milliseconds to wait for the command. If it still runs then, it has exitCode -1 and becomes
             *     the background process leftRunning.process; timeoutMs still applies. Default: 45000 for a
             *     tool; other callers wait until it ends.
             */
            waitMs?: number | null;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description Name of a sandbox, which holds one workspace. */
        SandboxId: string;
        /** @description Arguments of `saveTurn`. */
        SaveTurnArgs: {
            /**
             * @description The place in the conversation, as JSON of your own, at most 4096 bytes: the id of the last
             *     message, for example. Each call that brings the files back returns it.
             */
            cursor?: components["schemas"]["TurnCursor"] | null;
            /**
             * @description Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
             *     is the active one.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /** @description What to call the turn, for readers of the timeline. */
            label?: string | null;
        };
        SaveTurnInput: {
            /** @description The place in the conversation, as any JSON, at most 4096 bytes. */
            cursor?: components["schemas"]["TurnCursor"] | null;
            /** @description What happened in the turn, in a few words. */
            label?: string | null;
        };
        /** @description A kind of access. No scope implies another. */
        Scope: "read" | "write" | "snapshot" | "admin";
        /** @description Scopes that a caller has, in a fixed order, each once. */
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
            /** @description Whether its time limit ended it. */
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
        /** @description A header that requests to some hosts get on their way out. */
        Secret: {
            /** @description The header's name. It replaces one that the container sends. */
            header: string;
            /**
             * @description The only hosts that get it: `api.example.com`, or `*.example.com` for all hosts below it.
             *     Over HTTPS only, unless the host begins with `http://`.
             */
            hosts: components["schemas"]["SecretHost"][];
            /** @description The header's whole value, such as `Bearer …`. Redacted wherever it is shown. */
            value: components["schemas"]["SecretValue"];
        };
        /** @description A host as in `network.hosts`. With http:// in front, requests without TLS get the secret, and those with TLS do not. */
        SecretHost: string;
        /** @description A secret's value. It is not printed. */
        SecretValue: string;
        /** @description A page of files. */
        SeenFoundFileList: {
            /** @description Sorted by path; paths are relative to the workspace's root. */
            files: components["schemas"]["FoundPath"][];
            /** @description Cursor of the next page, if any. */
            nextCursor?: string | null;
            /** @description The snapshot that has the files. */
            snapshotId?: components["schemas"]["BackupId"];
            /** @description The workspace that has the files. */
            workspaceId?: components["schemas"]["SandboxId"];
        };
        /** @description A page of lines. */
        SeenFoundLineList: {
            /** @description Sorted by path and line; paths are relative to the workspace's root. */
            lines: components["schemas"]["FoundLine"][];
            /** @description Cursor of the next page, if any. */
            nextCursor?: string | null;
            /** @description In a snapshot: counts of what this page skipped. */
            notSearched?: components["schemas"]["NotSearched"] | null;
            /** @description The snapshot that has the files. */
            snapshotId?: components["schemas"]["BackupId"];
            /** @description The workspace that has the files. */
            workspaceId?: components["schemas"]["SandboxId"];
        };
        /** @description A page of entries. */
        SeenListedFiles: {
            /** @description By path. Directories of a snapshot have size 0. */
            entries: components["schemas"]["ListedEntry"][];
            /** @description Cursor of the next page, if any. */
            nextCursor?: string | null;
            /** @description The snapshot that has the files. */
            snapshotId?: components["schemas"]["BackupId"];
            /** @description The workspace that has the files. */
            workspaceId?: components["schemas"]["SandboxId"];
        };
        /** @description Result of `readFile`. */
        SeenReadFileResult: {
            /** @description Content in `encoding`. */
            content: string;
            /** @description Encoding of `content`. Default utf-8. */
            encoding: components["schemas"]["Encoding"];
            /** @description Media type, found by the first bytes, or else by the name. */
            mimeType?: string | null;
            /**
             * Format: uint64
             * @description Number of the next line, from 1, if lines were read and `content` ends with a whole line.
             */
            nextLine?: number | null;
            /**
             * Format: uint64
             * @description Offset of the next read.
             */
            nextOffset?: number | null;
            /**
             * Format: uint64
             * @description Offset of `content` in the file, in bytes.
             * @default 0
             */
            offset: number;
            /**
             * Format: uint64
             * @description Size of the whole file in bytes.
             * @default 0
             */
            sizeBytes: number;
            /** @description The snapshot that has the files. */
            snapshotId?: components["schemas"]["BackupId"];
            /**
             * @description Whether the file continues after `content`.
             * @default false
             */
            truncated: boolean;
            /** @description The workspace that has the files. */
            workspaceId?: components["schemas"]["SandboxId"];
        };
        /** @description What is there. */
        SeenStatView: {
            /**
             * Format: uint32
             * @description Group, by number.
             */
            gid: number;
            /** @description Permission bits in octal, e.g. `644`. */
            mode: string;
            /** @description RFC 3339. */
            modifiedAt: string;
            /** @description Absolute path. */
            path: string;
            /**
             * Format: uint64
             * @description Size in bytes.
             */
            sizeBytes: number;
            /** @description The snapshot that has the files. */
            snapshotId?: components["schemas"]["BackupId"];
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
            /** @description The workspace that has the files. */
            workspaceId?: components["schemas"]["SandboxId"];
        };
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
            /** @description Cursor of the next page, if any. */
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
            /** @description Snapshots that were taken automatically. */
            automatic: components["schemas"]["Stored"];
            /** @description Deleted snapshots whose archives other snapshots still need. */
            held: components["schemas"]["Stored"];
            /** @description When a workspace was last used, in RFC 3339; null without workspaces. */
            lastUsedAt: string | null;
            /** @description Pinned snapshots. */
            pinned: components["schemas"]["Stored"];
            /** @description The session. */
            session: components["schemas"]["SessionId"];
            /** @description All snapshots that R2 holds, expired ones included. */
            snapshots: components["schemas"]["Stored"];
            /**
             * Format: uint64
             * @description Number of snapshots being taken or deleted; R2 may hold parts of them.
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
            /** @description Its id. */
            activeWorkspaceId: components["schemas"]["SandboxId"];
            /** @description The configuration that it was opened with, redacted. */
            config: components["schemas"]["WorkspaceConfig"];
            /** @description Buckets that lack so many listed snapshots that their loss is not recorded. */
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
        /** @description A workspace and its session. */
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
             * @description Its container waits to start, because `MAX_CONCURRENT_STARTS` containers are already
             *     starting.
             */
            waitingToStart?: components["schemas"]["WaitingToStart"] | null;
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
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
            /** @description The workspace. */
            workspace: components["schemas"]["WorkspaceRef"];
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description A preview to make. */
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
        /** @description Settings of the shell module. */
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
             * @description Size of the file before, if it changed.
             */
            oldSizeBytes?: number | null;
            /** @description Target before, if it changed. */
            oldTarget?: string | null;
            /** @description Type before, if it changed. */
            oldType?: components["schemas"]["FileType"] | null;
            /** @description Owner and group, if they changed: `UID:GID`. */
            owner?: string | null;
            /**
             * @description Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
             *     are replaced.
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
            sizeBytes?: number | null;
            /** @description Target of a symbolic link. */
            target?: string | null;
            /** @description Unified diff. Bytes that are not UTF-8 are replaced. */
            text?: string | null;
            /** @description Type; for a removed path, the type that it had. */
            type: components["schemas"]["FileType"];
            /** @description Its content was not compared, because one call can't compare so much: it may be the same. */
            uncertain?: boolean;
        };
        /** @description The state as it is shown: what is stored, and whether its time is up. */
        ShownState: "pending" | "ready" | "expired" | "deleting" | "deleted" | "failed";
        /** @description Idle time before a container stops: seconds, or text such as "10m"; 1 second to 6 hours. */
        SleepAfter: number | string;
        /** @description Arguments of `snapshot`. */
        SnapshotArgs: {
            /** @description Description. */
            description?: string | null;
            /**
             * @description Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`;
             *     `details.active` is the active one.
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
        /** @description Settings of the snapshot module. */
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
        /** @description Settings of the snapshot module. */
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
        /**
         * @description Changes to a snapshot. Absent fields stay as they are. Values that `clear` lists are removed
         *     first.
         */
        SnapshotEdit: {
            /**
             * @description Values to remove: `name`, `description`, `labels`, `labels.KEY` for one label, or
             *     `expiresAt` to keep it until it is deleted.
             */
            clear?: components["schemas"]["Cleared"][];
            /** @description Description. */
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
             * @description Whether it stays until it is unpinned or deleted, whatever its time to live and the policy
             *     say. Once it is unpinned, it has its earlier expiry again.
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
        SnapshotInput: {
            /** @description Description of this state, shown in lists. */
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
             * @description Seconds until the snapshot expires. Default: 30 days after the last use; 315360000 keeps
             *     it until it is deleted.
             */
            ttlSeconds?: components["schemas"]["Ttl"] | null;
        };
        /**
         * @description Kind of a backup's archive. `meta.json` names the kind, so that a reader that cannot apply it
         *     refuses it by name.
         */
        SnapshotKind: "full" | "layer";
        /** @description A page of snapshots. */
        SnapshotPage: {
            /** @description Cursor of the next page, if any. */
            nextCursor?: string | null;
            /** @description Backups with unreadable records (crossing only). */
            problems?: components["schemas"]["ListProblem"][];
            /** @description Snapshots with their refs and data. */
            snapshots: components["schemas"]["ListedSnapshot"][];
        };
        /** @description Names a snapshot. Unknown fields are refused, except in `backup`. */
        SnapshotRef: {
            /** @description Always `cloudflare-sandbox`. */
            providerId: components["schemas"]["ProviderId"];
            /** @description The payload. */
            ref: components["schemas"]["SnapshotRefPayload"];
        };
        /** @description Payload of a [`SnapshotRef`]. */
        SnapshotRefPayload: {
            /** @description The backup. Fields that a caller adds are accepted and not used. */
            backup: components["schemas"]["BackupHandle"];
            /**
             * @description Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`,
             *     which does not say.
             */
            originSandboxId?: components["schemas"]["SandboxId"] | null;
        };
        /** @description Payload of a [`SnapshotRef`]. */
        SnapshotRefPayloadAnswer: {
            /** @description The backup. Fields that a caller adds are accepted and not used. */
            backup: components["schemas"]["BackupHandle"];
            /**
             * @description Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`,
             *     which does not say.
             */
            originSandboxId: components["schemas"]["SandboxId"] | null;
        };
        /** @description Which snapshot: its name or id, turn:3, latest or head; or its ref, or a turn as an object. */
        SnapshotSelector: string | components["schemas"]["SnapshotRef"] | components["schemas"]["TurnSelector"];
        /** @description A snapshot's data, beside its ref. */
        SnapshotSummary: {
            /**
             * Format: uint64
             * @description How many paths in its archive had a modification time before 1970 or after 2106. An archive
             *     can't hold such times: most of these paths got the nearest possible one.
             */
            clampedTimes?: number | null;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Description, or null. */
            description: string | null;
            /** @description What an import of an archive did not keep. Absent if nothing was lost. */
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
             * @description The machine that was saved with it, if the session persists machines: all differences from
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
            /** @description The call that took it, by the name of the operation or tool, or the rule: `autosave`. */
            savedBy?: string | null;
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
        /** @description Why a snapshot was taken. */
        SnapshotTrigger: "manual" | "auto" | "safety" | "turn" | "import";
        /** @description A snapshot. */
        SnapshotView: {
            /** @description Its ref. */
            ref: components["schemas"]["SnapshotRef"];
            /** @description Its data. */
            snapshot: components["schemas"]["SnapshotSummary"];
            /** @description Its id. */
            snapshotId: components["schemas"]["BackupId"];
            /**
             * @description Nothing had changed, so this is an earlier snapshot. It now has the requested name and other
             *     fields; nothing was uploaded.
             */
            unchanged?: boolean;
            /** @description The snapshots it woke from, if it was asleep. */
            woken?: components["schemas"]["Woken"] | null;
        };
        /**
         * @description Containers of all sessions and warm pools that start now or wait to start. A container that a
         *     pool starts is no workspace yet, so it is not listed.
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
            /** @description Name of the process. */
            name: components["schemas"]["ProcessName"];
            /**
             * @description Start it again after a rewind that ended it, and in each later container of the workspace,
             *     until it is stopped or started without restart.
             */
            restart?: boolean;
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description What to look at. */
        StatRequest: {
            /**
             * @description Also reach other sessions' snapshots; each such call is recorded.
             * @default false
             */
            allowCrossSession?: boolean;
            /**
             * @description Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
             *     Default: the active workspace.
             */
            at?: components["schemas"]["TreeSelector"] | null;
            /** @description Path under the workspace, e.g. src/main.py. */
            path: string;
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
            /** @description Absolute path. */
            path: string;
            /**
             * Format: uint64
             * @description Size in bytes.
             */
            sizeBytes: number;
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
        /** @description Which process to end. */
        StopRequest: {
            /** @description Which process. */
            name: components["schemas"]["ProcessName"];
            /** @description A workspace's id. Default: the active one. */
            workspace?: components["schemas"]["WorkspaceSelector"] | null;
        };
        /** @description A number of snapshots, and the size of their archives. */
        Stored: {
            /**
             * Format: uint64
             * @description Number of snapshots.
             */
            count: number;
            /**
             * Format: uint64
             * @description Size of their archives.
             */
            sizeBytes: number;
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
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description Arguments of `switch` and `swapRef`. */
        SwitchArgs: {
            /**
             * @description Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
             *     is the active one.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /** @description The workspace to switch to. */
            ref: components["schemas"]["WorkspaceSelector"];
        };
        /** @description What to take. */
        TakeGitCheckpointRequest: {
            /**
             * @description Description.
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
             * @description Replace a git checkpoint of this name; otherwise the call fails with CONFLICT.
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
            /** @description Nested repositories, left alone; the first 20. */
            nested?: components["schemas"]["FoundPath"][];
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description A ticket to make. */
        TicketRequest: {
            /**
             * @description The WebSocket's path below the session, as it is in the address, without a query:
             *     `/terminal`, or a server's path such as `/ports/8000/ws`.
             */
            path: string;
        };
        /** @description A page of turns. */
        Timeline: {
            /** @description The last 10 commands that began during the turn, in the order they ended. */
            commands: components["schemas"]["CommandView"][];
            /**
             * @description On the last page, if the session was opened from another session's snapshot: the turns
             *     before these.
             */
            earlier?: components["schemas"]["EarlierTurns"] | null;
            /**
             * Format: uint64
             * @description Number of commands before these. Absent: none.
             */
            earlierCommands?: number | null;
            /** @description Cursor of the next page, if any. */
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
            /** @description All valid tokens, newest first. */
            tokens: components["schemas"]["TokenView"][];
        };
        /** @description A token to make. */
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
        /** @description The hints of MCP. An absent hint would mean destructive, or open-world. */
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
        /** @description Tools that a model is shown: core, all, comma-separated names, or a list of names. */
        ToolSelection: string | string[];
        /** @description What differs between two trees. */
        TreeDiff: {
            /** @description By path. */
            changes: components["schemas"]["ShownChange"][];
            /** @description All changes, listed or not, without ignored files. */
            counts: components["schemas"]["ChangeCounts"];
            /** @description The older side. */
            from: components["schemas"]["ComparedTree"];
            /** @description Counts of changes in .git and in ignored files. */
            ignored?: components["schemas"]["IgnoredChanges"][];
            /**
             * Format: uint64
             * @description `offset` of the rest.
             */
            nextOffset?: number | null;
            /**
             * Format: uint64
             * @description Number of files beyond the limit of a call, not compared. They are not listed, and may have
             *     changed.
             */
            notCompared?: number;
            /** @description The patch. It contains the listed changes. */
            patch?: string | null;
            /** @description The patch in base64, if it is not UTF-8. */
            patchBase64?: string | null;
            /** @description The newer side. */
            to: components["schemas"]["ComparedTree"];
            /** @description Whether texts or parts of the patch are omitted because of maxBytes. */
            truncated: boolean;
        };
        /** @description A snapshot, a turn or a workspace: a name or id, turn:3, latest, head, workspace:ID, or now (the active workspace as it is); or an object. */
        TreeSelector: components["schemas"]["SnapshotSelector"] | components["schemas"]["WorkspaceRef"] | {
            snapshot: components["schemas"]["SnapshotSelector"];
        } | {
            workspace: components["schemas"]["WorkspaceSelector"];
        };
        /** @description Seconds until the snapshot expires. Default: 30 days after the session's last use; 315360000 keeps it until it is deleted. */
        Ttl: number;
        /** @description A turn, as its snapshot shows it. */
        Turn: {
            /** @description Its place in the conversation, as given to `saveTurn`. */
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
            paths?: components["schemas"]["ChangedPath"][];
        };
        /** @description A place in the conversation: the caller's own JSON, which only the caller reads. */
        TurnCursor: unknown;
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
             * @description The snapshot of the files that it began with: `changes` are against these. Absent if it
             *     began with none.
             */
            beforeSnapshotId?: components["schemas"]["BackupId"] | null;
            /**
             * @description What it changed against the files before it. Absent if those are gone, and for a turn
             *     that this call had no time to compare: call again.
             */
            changes?: components["schemas"]["TurnChanges"] | null;
            /** @description The last 10 commands that began during the turn, in the order they ended. */
            commands: components["schemas"]["CommandView"][];
            /** @description Its place in the conversation, as given to `saveTurn`. */
            cursor?: components["schemas"]["TurnCursor"] | null;
            /**
             * Format: uint64
             * @description Number of commands before these. Absent: none.
             */
            earlierCommands?: number | null;
            /** @description What the caller calls it. */
            label?: string | null;
            /**
             * Format: uint64
             * @description Its number in the session. Numbers grow, and may have gaps.
             */
            number: number;
            /** @description Whether a rewind to it can be started now. */
            restorable: boolean;
            /** @description The snapshot of the files that it ended with. */
            snapshotId: components["schemas"]["BackupId"];
            /** @description The workspace that was active. */
            workspaceId: components["schemas"]["SandboxId"];
        };
        /** @description Arguments of `undo`. */
        UndoArgs: {
            /**
             * @description Change nothing; return what would change.
             * @default false
             */
            dryRun?: boolean;
            /**
             * @description Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
             *     is the active one.
             */
            expectedActive?: components["schemas"]["WorkspaceSelector"] | null;
            /**
             * @description Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`;
             *     `details.head` is the current one.
             */
            expectedHead?: components["schemas"]["BackupId"] | null;
            /**
             * Format: uint32
             * @description How many turns to go back, default 1. Changes since the last turn count as one turn.
             * @default 1
             */
            turns?: number;
        };
        /** @description What an undo reverted. */
        Undone: {
            /** @description The numbers of the turns, the last one first. Turns that changed no file are not listed. */
            turns: number[];
            /** @description Whether files had changed since the last turn. They count as one turn. */
            unsaved: boolean;
        };
        /**
         * @description A snapshot and the changes to make. Tools can neither publish a snapshot nor take another one's
         *     name.
         */
        UpdateInput: {
            /**
             * @description Values to remove: name, description, labels, labels.KEY for one, or expiresAt to
             *     keep it until it is deleted.
             * @default []
             */
            clear?: components["schemas"]["Cleared"][];
            /** @description New description. */
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
            /** @description Whether to keep it regardless of its expiry. */
            pinned?: boolean | null;
            /** @description The snapshot: its ref, its id, or its name in this session. */
            ref: components["schemas"]["SnapshotSelector"];
        };
        /** @description Name that the caller gives to the upload. */
        UploadId: string;
        /** @description What some sessions keep. */
        UsagePage: {
            /** @description Cursor of the next page, if any. */
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
            /** @description When it began to wait, in RFC 3339. */
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
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
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
             * @description Modules of the session. Default: all. If set, only those that it names: `{"fs": true}` has
             *     no shell and no snapshots. The first open decides; opening with others is `CONFLICT`.
             */
            capabilities?: components["schemas"]["Capabilities"] | null;
            /** @description Whether `close` destroys the session's containers. Default false. */
            destroyOnClose?: boolean | null;
            /** @description An older form of `network`: true is mode `open`, false is `off`. Set only one of the two. */
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
             *     those of kind `layer`. Automatic snapshots and those of turns may always be layers.
             *     Default false: `full`, which `@cloudflare/sandbox` 0.12 can restore, too.
             */
            incremental?: boolean | null;
            /** @description Size of the container, e.g. `standard-1`, where the platform lets the object choose. */
            instanceType?: string | null;
            /**
             * @description Whether a background process keeps its container running after `sleepAfter`, for up to
             *     5 h 50 min after the last use. Services don't. Needs `autosave`. Default false.
             */
            keepAwake?: boolean | null;
            /** @description `cloudflare-sandbox`, for callers that send a provider kind. */
            kind?: components["schemas"]["ProviderKind"] | null;
            /**
             * @description How many containers and workspaces the session may have, and how many calls. Beyond
             *     a rate: `RATE_LIMITED`, with `details.retryAfterMs`.
             */
            limits?: components["schemas"]["SessionLimits"] | null;
            /** @description What containers reach. Default: the Internet. */
            network?: components["schemas"]["NetworkConfig"] | null;
            /**
             * @description What a snapshot holds: `workspace`, the default, only its directory; `machine` also all
             *     differences from the image outside it, such as installed packages.
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
             *     Default none. A later open may change them; `[]` removes all.
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
             *     restored, branched or forked, after a wake and after a rewind. A service that ends is not
             *     started again until then. A later open may change the list; those that run go on. `[]`
             *     removes all.
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
             * @description Tools that a model is shown: `core`, the default, for daily work; `all`; or a list of names.
             *     Tools that are not shown can be called all the same.
             */
            tools?: components["schemas"]["ToolSelection"] | null;
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
             * @description Modules of the session. Default: all. If set, only those that it names: `{"fs": true}` has
             *     no shell and no snapshots. The first open decides; opening with others is `CONFLICT`.
             */
            capabilities?: components["schemas"]["Capabilities"] | null;
            /** @description Whether `close` destroys the session's containers. Default false. */
            destroyOnClose?: boolean | null;
            /** @description An older form of `network`: true is mode `open`, false is `off`. Set only one of the two. */
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
             *     those of kind `layer`. Automatic snapshots and those of turns may always be layers.
             *     Default false: `full`, which `@cloudflare/sandbox` 0.12 can restore, too.
             */
            incremental?: boolean | null;
            /** @description Size of the container, e.g. `standard-1`, where the platform lets the object choose. */
            instanceType?: string | null;
            /**
             * @description Whether a background process keeps its container running after `sleepAfter`, for up to
             *     5 h 50 min after the last use. Services don't. Needs `autosave`. Default false.
             */
            keepAwake?: boolean | null;
            /** @description `cloudflare-sandbox`, for callers that send a provider kind. */
            kind?: components["schemas"]["ProviderKind"] | null;
            /**
             * @description How many containers and workspaces the session may have, and how many calls. Beyond
             *     a rate: `RATE_LIMITED`, with `details.retryAfterMs`.
             */
            limits?: components["schemas"]["SessionLimits"] | null;
            /** @description What containers reach. Default: the Internet. */
            network?: components["schemas"]["NetworkConfig"] | null;
            /**
             * @description What a snapshot holds: `workspace`, the default, only its directory; `machine` also all
             *     differences from the image outside it, such as installed packages.
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
             *     Default none. A later open may change them; `[]` removes all.
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
             *     restored, branched or forked, after a wake and after a rewind. A service that ends is not
             *     started again until then. A later open may change the list; those that run go on. `[]`
             *     removes all.
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
             * @description Tools that a model is shown: `core`, the default, for daily work; `all`; or a list of names.
             *     Tools that are not shown can be called all the same.
             */
            tools?: components["schemas"]["ToolSelection"] | null;
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
             * @description Longest time that a command can ask for, in milliseconds.
             */
            commandTimeoutMaxMs: number;
            /**
             * Format: uint64
             * @description Default time limit of a command, in milliseconds.
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
            /** @description The workspace that tools act on. */
            active: components["schemas"]["WorkspaceRef"];
            /** @description Its id. */
            activeWorkspaceId: components["schemas"]["SandboxId"];
            /** @description Oldest first. */
            workspaces: components["schemas"]["WorkspaceSummary"][];
        };
        /** @description Workspaces of some sessions. */
        WorkspacePage: {
            /** @description Cursor of the next page, if any. */
            nextCursor?: string | null;
            /** @description Sessions whose objects could not be asked. */
            problems: components["schemas"]["SessionProblem"][];
            /**
             * @description Containers that start or wait to start, in all sessions. Absent if starts are not limited,
             *     or if the queue of starts does not answer.
             */
            starts?: components["schemas"]["StartCounts"] | null;
            /**
             * @description In the order of their sessions' ids, and oldest first in each. A page may be empty without
             *     being the last.
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
            /** @description Its id. */
            workspaceId: components["schemas"]["SandboxId"];
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
            /** @description Absolute path. */
            path: string;
            /** @description Where. */
            workspaceId: components["schemas"]["SandboxId"];
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
export type ChangedPath2 = components['schemas']['ChangedPath2'];
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
export type CommandPage = components['schemas']['CommandPage'];
export type CommandRecord = components['schemas']['CommandRecord'];
export type CommandView = components['schemas']['CommandView'];
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
export type DeletedSession = components['schemas']['DeletedSession'];
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
export type FoundLine = components['schemas']['FoundLine'];
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
export type LiveFork = components['schemas']['LiveFork'];
export type LiveForkArgs = components['schemas']['LiveForkArgs'];
export type LiveForkInput = components['schemas']['LiveForkInput'];
export type LiveForks = components['schemas']['LiveForks'];
export type MachineImage = components['schemas']['MachineImage'];
export type MachinePart = components['schemas']['MachinePart'];
export type MadeDir = components['schemas']['MadeDir'];
export type MadeWorkspace = components['schemas']['MadeWorkspace'];
export type MakeArgs = components['schemas']['MakeArgs'];
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
export type PlannedChanges = components['schemas']['PlannedChanges'];
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
export type ReadLogRequest = components['schemas']['ReadLogRequest'];
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
export type Secret = components['schemas']['Secret'];
export type SecretHost = components['schemas']['SecretHost'];
export type SecretValue = components['schemas']['SecretValue'];
export type SeenFoundFileList = components['schemas']['SeenFoundFileList'];
export type SeenFoundLineList = components['schemas']['SeenFoundLineList'];
export type SeenListedFiles = components['schemas']['SeenListedFiles'];
export type SeenReadFileResult = components['schemas']['SeenReadFileResult'];
export type SeenStatView = components['schemas']['SeenStatView'];
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
export type SnapshotInput = components['schemas']['SnapshotInput'];
export type SnapshotKind = components['schemas']['SnapshotKind'];
export type SnapshotPage = components['schemas']['SnapshotPage'];
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
export type ToolSelection = components['schemas']['ToolSelection'];
export type TreeDiff = components['schemas']['TreeDiff'];
export type TreeSelector = components['schemas']['TreeSelector'];
export type Ttl = components['schemas']['Ttl'];
export type Turn = components['schemas']['Turn'];
export type TurnChanges = components['schemas']['TurnChanges'];
export type TurnCursor = components['schemas']['TurnCursor'];
export type TurnSelector = components['schemas']['TurnSelector'];
export type TurnView = components['schemas']['TurnView'];
export type UndoArgs = components['schemas']['UndoArgs'];
export type Undone = components['schemas']['Undone'];
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
                /** @description Maximum results per page. Default and maximum: 1,000 sessions, or 100 events. */
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
                /** @description Maximum results per page. Default and maximum: 1,000 sessions, or 100 events. */
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
    deleteSession: {
        parameters: {
            query?: {
                /** @description Must be true: all workspaces and snapshots of the session are lost. */
                force?: boolean;
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
                    "application/json": components["schemas"]["DeletedSession"];
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
    listCommands: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Maximum commands per page. Default and maximum: 50. */
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
                    "application/json": components["schemas"]["CommandPage"];
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
                /** @description Maximum results per page. Default and maximum: the session's maxListResults, else 100. */
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
                /** @description Description. */
                description?: string;
                /** @description Type of the archive. Default: tar. Its first bytes tell how it is compressed. */
                format?: "tar" | "oci-layer";
                /** @description Name within the session. */
                name?: string;
                /** @description Take the name from a snapshot that has it. */
                replace?: boolean;
                /** @description SHA-256 of the body, 64 lowercase hex digits. If it differs: INTEGRITY. */
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
                /** @description Maximum results per page. Default and maximum: the session's maxListResults, else 100. */
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
                /** @description Maximum bytes to read. Default 16384. */
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
                /** @description Also automatic snapshots, those of turns, and safety snapshots. */
                includeAuto?: boolean;
                /** @description Also expired snapshots. */
                includeExpired?: boolean;
                /** @description Also snapshots that are being taken or deleted, are deleted, or failed. */
                includeUnready?: boolean;
                /** @description Only this kind of archive: full or layer. */
                kind?: "full" | "layer";
                /** @description A label: a key, or key=value. If it is given more than once, all must match. */
                labels?: string[];
                /** @description Maximum results per page. Default and maximum: the session's maxListResults, else 100. */
                limit?: number;
                /** @description Only the snapshot with exactly this name. */
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
                /** @description Also delete it if it is pinned or published, or if a workspace that sleeps or is not saved automatically would wake from it. That workspace then starts empty. */
                force?: boolean;
                /** @description Remove all its stored bytes. A separate container first makes the layers on it full. */
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
                /** @description Maximum results per page. Default and maximum: the session's maxListResults, else 100. */
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
                /** @description Maximum entries per page. Default: 1000. */
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
                    "application/json": components["schemas"]["ListedFiles"];
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
                /** @description An ETag of this file: 304 if the file still has it. */
                "If-None-Match"?: string;
                /** @description One range of bytes, such as bytes=0-1023. Several ranges are ignored. */
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
                /** @description Treat pattern as literal text. */
                fixed?: boolean;
                /** @description Only files whose paths match, e.g. *.py. */
                glob?: string;
                /** @description Ignore case of ASCII letters. */
                ignoreCase?: boolean;
                /** @description Also files in .git. */
                includeIgnored?: boolean;
                /** @description Maximum lines per page. Default: 200. */
                limit?: number;
                /** @description Path relative to the snapshot's root. Default: the root. */
                path?: string;
                /** @description Regular expression; with fixed, the text itself. Required. */
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
            query?: {
                /** @description core, all, or comma-separated names. Default: the tools that the configuration selects, else core. */
                tools?: string;
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
                "application/json": components["schemas"]["MakeArgs"];
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
                    "application/json": components["schemas"]["SeenFoundFileList"];
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
                    "application/json": components["schemas"]["SeenFoundLineList"];
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
                    "application/json": components["schemas"]["SeenListedFiles"];
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
                    "application/json": components["schemas"]["SeenReadFileResult"];
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
                "application/json": components["schemas"]["MakeArgs"];
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
        requestBody?: {
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
                    "application/json": components["schemas"]["SeenStatView"];
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
                /** @description Maximum turns per page. Default 20, at most 100. */
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
    undo: {
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
                 *       "turns": 1
                 *     }
                 */
                "application/json": components["schemas"]["UndoArgs"];
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
                /** @description A glob of names to skip with their contents, such as node_modules; may be repeated. */
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
    listWorkspaceEvents: {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description Maximum results per page. Default and maximum: the session's maxListResults, else 100. */
                limit?: number;
            };
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
                    "application/json": components["schemas"]["EventPage"];
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
                /** @description Maximum sessions per page. Default and maximum: 50. */
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
                /** @description Maximum sessions per page. Default and maximum: 50. */
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
