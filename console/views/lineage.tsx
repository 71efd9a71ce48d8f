/** The tree of workspaces and snapshots: where each one came from. */

import type { LineageNode, ListedSnapshot, Session } from "snapshotter-client";
import { useSession } from "../access.ts";
import { bytes, When } from "../parts/format.tsx";
import { Here } from "../session/now.tsx";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { headOf, linesOf, placesOf, type Line } from "../session/lineage.ts";
import { isThere, Named, SnapshotActions, Status, titleOf, useSurroundings, WorkspaceActions, type Known, type Surroundings } from "../session/facts.tsx";
import { Id, Text } from "../parts/text.tsx";
import { fate, KIND, STATE, TRIGGER } from "../parts/words.ts";

/** Maximum number of snapshots in a tree. */
const SNAPSHOTS_MAX = 1_000;

export default function Lineage() {
  const session = useSession();
  const around = useSurroundings(session);
  const { api, changes } = session;
  const lineage = useLoad(async (signal) => {
    const [{ nodes, truncated }, snapshots] = await Promise.all([api.lineage({ signal }), allSnapshots(api, signal)]);
    return { nodes: placesOf(nodes, snapshots), snapshots, truncated: truncated || snapshots.length >= SNAPSHOTS_MAX };
  }, [api, changes]);
  return (
    <Loaded of={around}>
      {(around) => (
        <>
          <Here around={around} />
          <Loaded of={lineage}>
            {({ nodes, snapshots, truncated }) => (
              <section aria-labelledby="tree">
                <h2 id="tree" class="visually-hidden">Lineage</h2>
                {truncated && <p class="soft">The oldest places are left out.</p>}
                <div class="tree" tabIndex={0} role="group" aria-label="Tree of workspaces and snapshots, oldest first">
                  {linesOf(nodes, headOf(headIn(around), nodes, snapshots)).map((line) => <LineView key={line.places[0]!.node.id} line={line} around={around} known={new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]))} depth={0} />)}
                </div>
              </section>
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

const headIn = ({ workspaces, active }: Surroundings) => workspaces.workspaces.find(({ ref }) => ref.ref.id === active)?.headSnapshotId;

async function allSnapshots(api: Session, signal: AbortSignal): Promise<ListedSnapshot[]> {
  const found: ListedSnapshot[] = [];
  for await (const snapshot of api.list({ includeAuto: true, includeExpired: true, includeUnready: true, signal })) {
    found.push(snapshot);
    if (found.length >= SNAPSHOTS_MAX) break;
  }
  return found;
}

function LineView({ line, around, known, depth }: { line: Line; around: Surroundings; known: Known; depth: number }) {
  return (
    <ol class={`line depth-${depth % 3}`}>
      {line.places.map(({ node, branches }) => (
        <li key={node.id} class={`node ${node.type}${isHere(node) ? " current" : ""}${isGone(node) ? " gone" : ""}`} aria-current={isHere(node) ? "location" : undefined}>
          <NodeView node={node} around={around} known={known} />
          {branches.length > 0 && (
            <ul class="branches" aria-label="Branches from here">
              {branches.map((branch) => <li key={branch.places[0]!.node.id}><LineView line={branch} around={around} known={known} depth={depth + 1} /></li>)}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

function NodeView({ node, around, known }: { node: LineageNode; around: Surroundings; known: Known }) {
  if (node.type === "workspace") {
    return (
      <>
        <p class="head"><b>{KIND[node.kind]}</b>{node.status && <Status status={node.status} />}{node.state !== "ready" && <span class="badge warm">{node.state}</span>}{node.current && <span class="badge here-badge">you are here</span>}<When at={node.createdAt} /></p>
        <p class="facts"><Id>{node.id}</Id>{node.rewoundTo && <span>rewound to <Named id={node.rewoundTo} known={known} /></span>}</p>
        {node.status && (
          <details><summary>Actions<span class="visually-hidden"> on {node.id}</span></summary><WorkspaceActions id={node.id} status={node.status} active={around.active} /></details>
        )}
      </>
    );
  }
  const title = titleOf(node);
  const decision = around.fates.get(node.id);
  return (
    <>
      <p class="head"><b><Text>{title}</Text></b>{node.name !== null && <span class="soft">{TRIGGER[node.trigger].toLowerCase()}</span>}{node.turn && <span class="badge">turn {node.turn.number}{node.turn.label && <>: <Text>{node.turn.label}</Text></>}</span>}{node.state !== "ready" && <span class="badge warm">{STATE[node.state]}</span>}<When at={node.createdAt} /></p>
      {!isGone(node) && <p class="facts"><span>{bytes(node.sizeBytes)}</span>{decision && <span>{fate(decision)}</span>}</p>}
      {isThere(node.state) && (
        <details>
          <summary>Actions<span class="visually-hidden"> on <Text>{title}</Text></span></summary>
          <SnapshotActions id={node.id} target={{ selector: node.id, title }} restorable={node.restorable} active={around.active} before={known.get(node.id)?.parentId} />
        </details>
      )}
    </>
  );
}

const isHere = (node: LineageNode) => node.type === "workspace" && node.current;
const isGone = (node: LineageNode) => (node.type === "snapshot" ? node.state === "deleted" || node.state === "failed" : node.state === "destroyed");
