/** The snapshots and workspaces to choose from. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { SnapshotterError, type ListedSnapshot, type Session, type SnapshotPage, type WorkspaceSummary } from "snapshotter-client";
import { useSession } from "../access.ts";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { titleOf } from "../session/facts.tsx";
import { visible } from "../parts/text.tsx";
import { STATUS } from "../parts/words.ts";
import { sessionHref } from "../routes.ts";
import { addressOf, treeOf, type Tree } from "../session/trees.ts";

export interface Offer {
  active: string;
  workspaces: WorkspaceSummary[];
  /** The newest snapshots. */
  snapshots: ListedSnapshot[];
  /** Whether older snapshots exist. */
  isCut?: boolean;
}

export async function offerOf(api: Session, signal: AbortSignal): Promise<Offer> {
  const [{ active, workspaces }, { snapshots, nextCursor }] = await Promise.all([
    api.workspaces({ signal }),
    api.list({ includeAuto: true, signal }).pages().next().then(({ value }) => value ?? NONE, noneIfUnsupported),
  ]);
  return { active: active.ref.id, workspaces: workspaces.filter(({ state }) => state === "ready"), snapshots: snapshots.filter(({ state }) => state === "ready"), isCut: Boolean(nextCursor) };
}

const NONE: SnapshotPage = { snapshots: [] };

/** An empty page if the session does not have the module for snapshots. */
function noneIfUnsupported(error: unknown): SnapshotPage {
  if (error instanceof SnapshotterError && error.code === "UNSUPPORTED") return NONE;
  throw error;
}

/** The tree to show first: the active workspace, or its last save while no container runs. */
export function firstOf({ active, workspaces }: Offer): Tree {
  const workspace = workspaces.find(({ ref }) => ref.ref.id === active);
  if (workspace?.status !== "running" && workspace?.headSnapshotId) return { kind: "snapshot", id: workspace.headSnapshotId };
  return { kind: "workspace", id: active };
}

/** A time, to the minute. */
export const shortTime = (at: string) => new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

export function labelOf({ active, workspaces, snapshots }: Offer, { kind, id }: Tree): string {
  if (kind === "workspace") {
    const status = workspaces.find(({ ref }) => ref.ref.id === id)?.status;
    const details = [id === active && "active", status && STATUS[status]].filter(Boolean).join(", ");
    return visible(id) + (details && ` (${details})`);
  }
  const snapshot = snapshots.find((one) => one.id === id);
  return snapshot ? `${visible(titleOf(snapshot))}, ${shortTime(snapshot.createdAt)}` : visible(id);
}

interface PickerProps {
  label: string;
  offer: Offer;
  value: Tree | undefined;
  /** The meaning of an empty choice. Without this text, the user has to choose. */
  none?: string;
  onPick: (tree: Tree | undefined) => void;
}

/** A picker of a snapshot or workspace. It also offers an older one if an address names it. */
export function Picker({ label, offer, value, none, onPick }: PickerProps) {
  const id = useId();
  const workspaces: Tree[] = offer.workspaces.map(({ ref }) => ({ kind: "workspace", id: ref.ref.id }));
  const snapshots: Tree[] = offer.snapshots.map(({ id }) => ({ kind: "snapshot", id }));
  const shown = value && addressOf(value);
  const group = value?.kind === "workspace" ? workspaces : snapshots;
  if (value && !group.some((tree) => addressOf(tree) === shown)) group.push(value);
  const options = (trees: Tree[]) => trees.map((tree) => <option key={addressOf(tree)} value={addressOf(tree)}>{labelOf(offer, tree)}</option>);
  return (
    <div class="picker">
      <label for={id}>{label}</label>
      <select id={id} value={shown ?? ""} onChange={({ currentTarget }) => onPick(treeOf(currentTarget.value))}>
        {none !== undefined && <option value="">{none}</option>}
        {workspaces.length > 0 && <optgroup label="Workspaces">{options(workspaces)}</optgroup>}
        {snapshots.length > 0 && <optgroup label="Snapshots">{options(snapshots)}</optgroup>}
        {offer.isCut && <option disabled>Older ones: from the timeline</option>}
      </select>
    </div>
  );
}

interface InWorkspaceProps {
  view: string;
  query: URLSearchParams;
  children: (workspace: string | undefined) => ComponentChildren;
}

/** A view of one workspace. The address names it by `in`; the default is the active one. */
export function InWorkspace({ view, query, children }: InWorkspaceProps) {
  const { api, name, changes } = useSession();
  const offer = useLoad(async (signal) => ({ ...(await offerOf(api, signal)), snapshots: [] }), [api, changes]);
  const workspace = treeOf(query.get("in"));
  return (
    <Loaded of={offer}>
      {(value: Offer) => (
        <>
          {value.workspaces.length > 1 && (
            <Picker
              label="In" offer={value} value={workspace} none="the active workspace"
              onPick={(tree) => void (location.hash = sessionHref(name, view, { in: tree && addressOf(tree) }))}
            />
          )}
          {children(workspace?.id)}
        </>
      )}
    </Loaded>
  );
}
