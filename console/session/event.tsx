/** Events in plain words. */

import type { ComponentChildren } from "preact";
import type { EventView, ListedSnapshot } from "snapshotter-client";
import { bytes } from "../parts/format.tsx";
import { titleOf } from "./facts.tsx";
import { Id, Text } from "../parts/text.tsx";

/** The description of an event. An unknown kind is shown by its name. */
export function told({ kind, payload }: EventView, known: Map<string, ListedSnapshot>): ComponentChildren {
  const fields = (typeof payload === "object" && payload !== null ? payload : {}) as Record<string, unknown>;
  const workspace = (name = "sandboxId") => <Id>{String(fields[name])}</Id>;
  const snapshot = (name = "backupId") => {
    const id = fields[name];
    if (typeof id !== "string") return "nothing";
    const found = known.get(id);
    return found ? <b><Text>{titleOf(found)}</Text></b> : <>snapshot <Id>{id.slice(0, 8)}</Id></>;
  };
  const word = (name: string) => <Text>{String(fields[name] ?? "unknown")}</Text>;
  const times = (name: string) => Number(fields[name] ?? 0).toLocaleString("en");
  switch (kind) {
    case "session.opened": return <span>The session was opened</span>;
    case "session.closed": return <span>The session was closed</span>;
    case "session.settled": return <span>Cleaned up after an interruption: {word("subject")} is {word("to")}</span>;
    case "session.crossed": return <span>Reached a snapshot of another session: {snapshot()}</span>;
    case "workspace.claimed": return <span>{workspace()} began with the published {snapshot()}</span>;
    case "workspace.restored": return <span>Restored {snapshot()} into {workspace()}</span>;
    case "workspace.branched": return <span>Branched {workspace()} from {snapshot()}</span>;
    case "workspace.switched": return <span>Switched to {workspace("to")}</span>;
    case "workspace.rewound": return <span>Rewound to {snapshot()}; the files before are in {snapshot("safetyId")}</span>;
    case "workspace.promoted": return <span>Promoted {snapshot()}: {String(fields["added"])} added, {String(fields["modified"])} modified, {String(fields["removed"])} removed; the files before are in {snapshot("safetyId")}</span>;
    case "workspace.woken": return <span>Woke {workspace()} from {snapshot()}</span>;
    case "workspace.slept": return <span>{workspace()} fell asleep</span>;
    case "workspace.paused": return <span>Paused {workspace()}</span>;
    case "workspace.resumed": return <span>Resumed {workspace()}</span>;
    case "workspace.started_fresh": return <span>Began {workspace()} anew, empty</span>;
    case "workspace.destroyed": return <span>Deleted {workspace()}</span>;
    case "workspace.retired": return <span>Retired {workspace()}, which was not used</span>;
    case "workspace.failed": return <span>{workspace()} could not be made: <code>{String(fields["code"])}</code></span>;
    case "container.destroyed": return <span>The operator ended the container of {workspace()}</span>;
    case "snapshot.created": return <span>Took {snapshot()}{typeof fields["sizeBytes"] === "number" && `, ${bytes(fields["sizeBytes"])}`}</span>;
    case "snapshot.updated": return <span>Changed the name, labels or expiry of {snapshot()}</span>;
    case "snapshot.flattened": return <span>Made {snapshot()} whole, so that it needs no other</span>;
    case "snapshot.rebuilt": return <span>Put {snapshot()} back into the catalogue</span>;
    case "snapshot.repaired": return <span>Repaired {snapshot()}</span>;
    case "snapshot.claimed": return <span>The session {word("sessionId")} began with {snapshot()}</span>;
    case "snapshot.deleted": return <span>Deleted {snapshot()}</span>;
    case "snapshot.pruned": return <span>Retention deleted {snapshot()} <span class="soft">({String(fields["reason"])})</span></span>;
    case "snapshot.failed": return <span>A snapshot was not taken: <code>{String(fields["code"])}</code></span>;
    case "snapshot.lost": return <span>The bucket no longer has {snapshot()}</span>;
    case "sweep.halted": return <span>Cleaning up waits: the bucket {word("binding")} lacks {times("missing")} snapshots</span>;
    case "sweep.resumed": return <span>Cleaning up goes on: the bucket {word("binding")} has its snapshots again</span>;
    case "backup.pruned": return <span>The operator deleted a backup that no session listed</span>;
    case "token.created": return <span>Made a token with {Array.isArray(fields["scopes"]) ? fields["scopes"].join(", ") : "its scopes"}</span>;
    case "token.revoked": return <span>Revoked a token</span>;
    case "egress.refused": return <span>The network refused {word("host")} to {workspace()}, {times("count")} {fields["count"] === 1 ? "time" : "times"}</span>;
    case "preview.shared": return <span>Shared port {String(fields["port"])} of {workspace()} by a link</span>;
    case "preview.revoked": return <span>Revoked the link of a preview</span>;
    default: return <span><Text>{kind}</Text></span>;
  }
}
