/** Where each workspace and snapshot came from, as a tree. */

import type { LineageNode } from "snapshotter-client";
import { useSession } from "../access.ts";
import { bytes, When } from "../parts/format.tsx";
import { Here } from "../parts/here.tsx";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { isThere, SnapshotActions, Status, titleOf, useSurroundings, WorkspaceActions, type Surroundings } from "../parts/place.tsx";
import { Id, Text } from "../parts/text.tsx";
import { fate, KIND, STATE, TRIGGER } from "../parts/words.ts";

/** A line of places, each of which came from the one before. What else came from a place leaves the line there. */
export interface Line {
  places: { node: LineageNode; branches: Line[] }[];
}

export default function Lineage() {
  const session = useSession();
  const around = useSurroundings(session);
  const lineage = useLoad((signal) => session.api.lineage({ signal }), [session.api, session.changes]);
  return (
    <Loaded of={around}>
      {(around) => (
        <>
          <Here around={around} />
          <Loaded of={lineage}>
            {({ nodes, truncated }) => (
              <section aria-labelledby="tree">
                <h2 id="tree" class="visually-hidden">Lineage</h2>
                {truncated && <p class="soft">The oldest places are left out.</p>}
                <div class="tree" tabIndex={0} role="group" aria-label="Tree of workspaces and snapshots, oldest first">
                  {linesOf(nodes).map((line) => <LineView key={line.places[0]!.node.id} line={line} around={around} depth={0} />)}
                </div>
              </section>
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

function LineView({ line, around, depth }: { line: Line; around: Surroundings; depth: number }) {
  return (
    <ol class={`line depth-${depth % 3}`}>
      {line.places.map(({ node, branches }) => (
        <li key={node.id} class={`node ${node.type}${isHere(node) ? " current" : ""}${isGone(node) ? " gone" : ""}`} aria-current={isHere(node) ? "location" : undefined}>
          <NodeView node={node} around={around} />
          {branches.length > 0 && (
            <ul class="branches" aria-label="Branches from here">
              {branches.map((branch) => <li key={branch.places[0]!.node.id}><LineView line={branch} around={around} depth={depth + 1} /></li>)}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

function NodeView({ node, around }: { node: LineageNode; around: Surroundings }) {
  if (node.type === "workspace") {
    return (
      <>
        <p class="head"><b>{KIND[node.kind]}</b>{node.status && <Status status={node.status} />}{node.state !== "ready" && <span class="badge warm">{node.state}</span>}{node.current && <span class="badge here-badge">you are here</span>}<When at={node.createdAt} /></p>
        <p class="facts"><Id>{node.id}</Id>{node.rewoundTo && <span>rewound to <Id>{node.rewoundTo.slice(0, 8)}</Id></span>}</p>
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
      <p class="head"><b><Text>{title}</Text></b>{node.name !== null && <span class="soft">{TRIGGER[node.trigger].toLowerCase()}</span>}{node.turn && <span class="badge">turn {node.turn.number}</span>}{node.state !== "ready" && <span class="badge warm">{STATE[node.state]}</span>}<When at={node.createdAt} /></p>
      {!isGone(node) && <p class="facts"><span>{bytes(node.sizeBytes)}</span>{decision && <span>{fate(decision)}</span>}</p>}
      {isThere(node.state) && (
        <details>
          <summary>Actions<span class="visually-hidden"> on <Text>{title}</Text></span></summary>
          <SnapshotActions id={node.id} target={{ selector: node.id, title }} restorable={node.restorable} active={around.active} />
        </details>
      )}
    </>
  );
}

const isHere = (node: LineageNode) => node.type === "workspace" && node.current;
const isGone = (node: LineageNode) => (node.type === "snapshot" ? node.state === "deleted" || node.state === "failed" : node.state === "destroyed");

/** The tree as lines. The line to where the session is goes on straight; others branch off it. */
export function linesOf(nodes: LineageNode[]): Line[] {
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const onPath = new Set<string>();
  for (let node = nodes.find(isHere); node && !onPath.has(node.id); node = node.parent === null ? undefined : byId.get(node.parent)) onPath.add(node.id);

  const lineFrom = (first: LineageNode): Line => {
    const places: Line["places"] = [];
    for (let node: LineageNode | undefined = first; node; ) {
      const next: LineageNode[] = children.get(node.id) ?? [];
      const straight: LineageNode | undefined = next.find(({ id }) => onPath.has(id)) ?? next[0];
      places.push({ node, branches: next.filter((one) => one !== straight).map(lineFrom) });
      node = straight;
    }
    return { places };
  };
  return nodes.filter(({ parent }) => parent === null || !byId.has(parent)).map(lineFrom);
}
