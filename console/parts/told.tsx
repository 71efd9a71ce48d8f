/** Events in a person's words. */

import type { ComponentChildren } from "preact";
import type { EventView, ListedSnapshot } from "snapshotter-client";
import { titleOf } from "./place.tsx";
import { Id, Text } from "./text.tsx";

/** What happened. A kind that is not known here is shown by its name. */
export function told({ kind, payload }: EventView, known: Map<string, ListedSnapshot>): ComponentChildren {
  const fields = (typeof payload === "object" && payload !== null ? payload : {}) as Record<string, unknown>;
  const workspace = (name = "sandboxId") => <Id>{String(fields[name])}</Id>;
  const snapshot = (name = "backupId") => {
    const id = fields[name];
    if (typeof id !== "string") return "nothing";
    const found = known.get(id);
    return found ? <b><Text>{titleOf(found)}</Text></b> : <Id>{id}</Id>;
  };
  switch (kind) {
    case "session.opened": return <span>The session was opened</span>;
    case "session.closed": return <span>The session was closed</span>;
    case "session.crossed": return <span>Reached a snapshot of another session: {snapshot()}</span>;
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
    case "snapshot.deleted": return <span>Deleted the snapshot {snapshot()}</span>;
    case "snapshot.pruned": return <span>Retention deleted the snapshot {snapshot()} <span class="soft">({String(fields["reason"])})</span></span>;
    case "snapshot.failed": return <span>A snapshot was not taken: <code>{String(fields["code"])}</code></span>;
    case "snapshot.lost": return <span>The bucket no longer has {snapshot()}</span>;
    case "preview.shared": return <span>Shared port {String(fields["port"])} of {workspace()} by a link</span>;
    case "preview.revoked": return <span>Revoked the link of a preview</span>;
    default: return <span><Text>{kind}</Text></span>;
  }
}
