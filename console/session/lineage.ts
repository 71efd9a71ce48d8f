/**
 * The lineage as lines: each workspace with its turns and snapshots in a row. Other workspaces branch off at the place
 * that they came from.
 */

import type { LineageNode, ListedSnapshot } from "snapshotter-client";

/** A line of places. Each place came from the one before it. Everything else that came from a place is a branch there. */
export interface Line {
  places: { node: LineageNode; branches: Line[] }[];
}

type SnapshotNode = Extract<LineageNode, { type: "snapshot" }>;

/**
 * The places of a session. The API's tree has only turns that something came from, and puts all snapshots of a
 * workspace directly below it. Here, each snapshot comes after the snapshot that the workspace came from at the time.
 */
export function placesOf(nodes: LineageNode[], snapshots: ListedSnapshot[]): LineageNode[] {
  const listed = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]));
  const known = new Set(nodes.map(({ id }) => id));
  const turns = snapshots.filter(({ id, trigger, state }) => trigger === "turn" && !known.has(id) && (state === "ready" || state === "expired"));
  const shown = new Map([...nodes, ...turns.map(nodeOf)].map((node) => [node.id, node]));
  const workspaceOf = (id: string) => listed.get(id)?.ref.ref.originSandboxId ?? nodes.find((node) => node.id === id)?.parent ?? null;

  const parentOf = (node: SnapshotNode): string | null => {
    const workspace = workspaceOf(node.id);
    const seen = new Set([node.id]);
    for (let id = listed.get(node.id)?.parentId; id && !seen.has(id); id = listed.get(id)?.parentId) {
      if (workspaceOf(id) !== workspace) break;
      if (shown.has(id)) return id;
      seen.add(id);
    }
    return workspace !== null && shown.has(workspace) ? workspace : node.parent;
  };
  return [...shown.values()].map((node) => (node.type === "snapshot" ? { ...node, parent: parentOf(node) } : node)).sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt));
}

function nodeOf({ id, ref, createdAt, name, state, sizeBytes, trigger, turn, restorable, unrestorableBecause }: ListedSnapshot): SnapshotNode {
  return { type: "snapshot", id, parent: ref.ref.originSandboxId ?? null, depth: 0, createdAt, name, state, sizeBytes, trigger, turn, restorable, unrestorableBecause };
}

/**
 * The snapshot that the files of a workspace came from: its last save or, if that one is hidden, the nearest shown one
 * before it.
 */
export function headOf(headId: string | null | undefined, nodes: LineageNode[], snapshots: ListedSnapshot[]): string | undefined {
  const listed = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]));
  const shown = new Set(nodes.map(({ id }) => id));
  const seen = new Set<string>();
  for (let id = headId; id && !seen.has(id); id = listed.get(id)?.parentId) {
    if (shown.has(id)) return id;
    seen.add(id);
  }
  return undefined;
}

/** The tree as lines. The line to the session's present place goes on straight; others branch off it. */
export function linesOf(nodes: LineageNode[], here: string | undefined): Line[] {
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const onPath = new Set<string>();
  const active = nodes.find((node) => node.type === "workspace" && node.current);
  for (const first of [here === undefined ? undefined : byId.get(here), active]) {
    for (let node = first; node && !onPath.has(node.id); node = node.parent === null ? undefined : byId.get(node.parent)) onPath.add(node.id);
  }

  const lineFrom = (first: LineageNode): Line => {
    const places: Line["places"] = [];
    for (let node: LineageNode | undefined = first; node; ) {
      const next: LineageNode[] = children.get(node.id) ?? [];
      const straight: LineageNode | undefined = next.find(({ id }) => onPath.has(id)) ?? next.findLast(({ type }) => type === "snapshot");
      places.push({ node, branches: next.filter((one) => one !== straight).map(lineFrom) });
      node = straight;
    }
    return { places };
  };
  return nodes.filter(({ parent }) => parent === null || !byId.has(parent)).map(lineFrom);
}
