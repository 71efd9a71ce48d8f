/** Common parts of views about a snapshot or a workspace: facts, and buttons for its actions. */

import type { DecisionView, ListedSnapshot, ShownState, WorkspaceList, WorkspaceStatus } from "snapshotter-client";
import { useMemo, useState } from "preact/hooks";
import { download } from "../actions/archives.tsx";
import { edit, make, pin, remove, rewind, type Target } from "../actions/snapshots.tsx";
import { destroy, pause, promote, resume, switchTo } from "../actions/workspaces.tsx";
import { useSession, type OpenSession } from "../access.ts";
import { addressOf, changedSince, whatChanged, type Tree } from "./trees.ts";
import { sessionHref } from "../routes.ts";
import { useAct } from "../parts/act.tsx";
import { bytes, When } from "../parts/format.tsx";
import { Problem, useLoad, type Load } from "../parts/loading.tsx";
import { Id, Text, visible } from "../parts/text.tsx";
import { fate, STATE, STATUS, TRIGGER } from "../parts/words.ts";

export interface Surroundings {
  workspaces: WorkspaceList;
  /** Id of the active workspace. */
  active: string;
  /** What the retention policy does with each snapshot, by id. */
  fates: Map<string, DecisionView>;
  /** The size of the session's snapshots, in bytes. */
  keptBytes: number;
  keptCount: number;
}

/** The session's workspaces and the decisions of the retention policy. Most views need them. */
export function useSurroundings({ api, changes }: OpenSession): Load<Surroundings> {
  return useLoad(async (signal) => {
    const [workspaces, report] = await Promise.all([api.workspaces({ signal }), api.planRetention({ signal })]);
    const fates = new Map(report.decisions.map((decision) => [decision.id, decision]));
    return { workspaces, active: workspaces.active.ref.id, fates, keptBytes: report.keptBytes, keptCount: report.keptCount };
  }, [api, changes]);
}

/** Whether a snapshot's files still exist. */
export const isThere = (state: ShownState) => state === "ready" || state === "expired";

/** A snapshot's title for people. */
export function titleOf({ name, trigger, id, turn }: Pick<ListedSnapshot, "name" | "trigger" | "id" | "turn">): string {
  if (name !== null) return name;
  return trigger === "turn" && turn ? `Turn ${turn.number}` : `${TRIGGER[trigger]} ${id.slice(0, 8)}`;
}

/** The loaded snapshots by id. */
export type Known = Map<string, ListedSnapshot>;

/** The newest snapshots, which give names to ids. */
export function useKnown({ api, changes, can }: OpenSession): Known {
  const listed = useLoad(async (signal) => {
    if (!can("workspace_list_snapshots")) return [];
    const { value } = await api.list({ includeAuto: true, includeExpired: true, includeUnready: true, signal }).pages().next();
    return value ? value.snapshots : [];
  }, [api, changes]);
  return useMemo(() => new Map((listed.value ?? []).map((snapshot) => [snapshot.id, snapshot])), [listed.value]);
}

/** The title of the snapshot with this id. */
export function Named({ id, known }: { id: string; known: Known }) {
  const snapshot = known.get(id);
  return snapshot ? <span title={id}><Text>{titleOf(snapshot)}</Text></span> : <Id>{id}</Id>;
}

/** A snapshot's size, its expiry, and why it is kept, on one line. */
export function SnapshotFacts({ snapshot, fates }: { snapshot: ListedSnapshot; fates: Map<string, DecisionView> }) {
  const decision = fates.get(snapshot.id);
  return (
    <p class="facts">
      <span>{bytes(snapshot.sizeBytes)}{snapshot.kind === "layer" && ", only what changed"}</span>
      {snapshot.state !== "ready" && <span class="badge warm">{STATE[snapshot.state]}</span>}
      {snapshot.pinned && <span class="badge">pinned</span>}
      {snapshot.published && <span class="badge">published</span>}
      {snapshot.state === "ready" && !snapshot.pinned && <span>expires <When at={snapshot.expiresAt} /></span>}
      {decision && decision.reason !== "pinned" && decision.reason !== "unexpired" && <span>{fate(decision)}</span>}
      {Object.entries(snapshot.labels).map(([key, value]) => <span class="label" key={key}><Text>{value === "" ? key : `${key}=${value}`}</Text></span>)}
    </p>
  );
}

/** All known facts about a snapshot. */
export function SnapshotDetails({ snapshot, known }: { snapshot: ListedSnapshot; known: Known }) {
  const { git, machine } = snapshot;
  return (
    <dl class="details">
      <dt>Id</dt><dd><Id>{snapshot.id}</Id></dd>
      {snapshot.parentId && <><dt>After</dt><dd><Named id={snapshot.parentId} known={known} /></dd></>}
      {snapshot.ref.ref.originSandboxId && <><dt>Of workspace</dt><dd><Id>{snapshot.ref.ref.originSandboxId}</Id></dd></>}
      {git && <><dt>Git</dt><dd><Text>{`${git.branch ?? "no branch"} ${git.head?.slice(0, 10) ?? ""}${git.clean ? "" : ", with uncommitted changes"}`}</Text></dd></>}
      {machine && <><dt>Machine</dt><dd>{bytes(machine.sizeBytes)} of the container's disk</dd></>}
      {snapshot.unrestorableBecause && <><dt>Restorable</dt><dd>no: <code>{snapshot.unrestorableBecause}</code></dd></>}
      {snapshot.sha256 && <><dt>SHA-256</dt><dd><Id>{snapshot.sha256}</Id></dd></>}
    </dl>
  );
}

interface SnapshotActionsProps {
  id: string;
  /** The snapshot as the target of a rewind, with its title. */
  target: Target;
  restorable: boolean;
  active: string;
  /** The snapshot before it, whose files it changed. */
  before?: string | null | undefined;
}

export function SnapshotActions({ id, target, restorable, active, before }: SnapshotActionsProps) {
  const session = useSession();
  const { api, can, isClosed } = session;
  const act = useAct();
  const [error, setError] = useState<unknown>();
  const { title } = target;
  // The current name, labels and pin are loaded first, because this list may be old.
  const withPresent = async (next: (snapshot: Awaited<ReturnType<typeof api.get>>["snapshot"]) => void) => {
    setError(undefined);
    await api.get(id).then(({ snapshot }) => next(snapshot), setError);
  };
  const named = (verb: string) => ({ "aria-label": `${verb}: ${visible(title)}` });
  return (
    <>
      <p class="buttons">
        {restorable && <Looks tree={{ kind: "snapshot", id }} title={title} before={before} />}
        {restorable && can("workspace_rewind") && <button type="button" {...named("Rewind")} onClick={() => act(rewind(session, active, target))}>Rewind…</button>}
        {restorable && can("workspace_restore") && <button type="button" {...named("Restore")} onClick={() => act(make(session, "restore", active, target))}>Restore…</button>}
        {restorable && can("workspace_branch") && <button type="button" {...named("Branch")} onClick={() => act(make(session, "branch", active, target))}>Branch…</button>}
        {restorable && can("workspace_promote") && <button type="button" {...named("Promote")} onClick={() => act(promote(session, active, { snapshot: id }, title))}>Promote…</button>}
        {restorable && !isClosed && <button type="button" {...named("Download")} onClick={() => act(download(session, target, id))}>Download…</button>}
        {can("workspace_update_snapshot") && <>
          <button type="button" {...named("Name and labels")} onClick={() => withPresent((snapshot) => act(edit(session, snapshot)))}>Name and labels…</button>
          <button type="button" {...named("Pin or unpin")} onClick={() => withPresent((snapshot) => act(pin(session, snapshot, title)))}>Pin or unpin…</button>
        </>}
        {can("workspace_delete_snapshot") && <button type="button" {...named("Delete")} onClick={() => act(remove(session, id, title))}>Delete…</button>}
      </p>
      {error !== undefined && <Problem error={error} />}
    </>
  );
}

/** Links to a tree's files and to its changes. A snapshot also gets a link to the changes since then. */
function Looks({ tree, title, before }: { tree: Tree; title: string; before?: string | null | undefined }) {
  const { name, can } = useSession();
  const of = <span class="visually-hidden"> of <Text>{title}</Text></span>;
  return (
    <>
      {can("workspace_ls") && <a class="button" href={sessionHref(name, "files", { in: addressOf(tree) })}>Files{of}</a>}
      {can("workspace_diff") && <a class="button" href={sessionHref(name, "diff", tree.kind === "snapshot" ? whatChanged(tree.id, before) : { to: addressOf(tree) })}>Differences{of}</a>}
      {can("workspace_diff") && tree.kind === "snapshot" && <a class="button" href={sessionHref(name, "diff", changedSince(tree.id, before))}>Since then → now<span class="visually-hidden">: <Text>{title}</Text></span></a>}
    </>
  );
}

export function WorkspaceActions({ id, status, active }: { id: string; status: WorkspaceStatus; active: string }) {
  const session = useSession();
  const { can } = session;
  const act = useAct();
  const isActive = id === active;
  const named = (verb: string) => ({ "aria-label": `${verb}: ${id}` });
  return (
    <p class="buttons">
      <Looks tree={{ kind: "workspace", id }} title={id} />
      {!isActive && can("workspace_switch") && <button type="button" {...named("Switch")} onClick={() => act(switchTo(session, active, id))}>Switch…</button>}
      {!isActive && can("workspace_promote") && <button type="button" {...named("Promote")} onClick={() => act(promote(session, active, { workspace: id }, id))}>Promote…</button>}
      {status !== "paused" && can("workspace_pause") && <button type="button" {...named("Pause")} onClick={() => act(pause(session, id))}>Pause…</button>}
      {status === "paused" && can("workspace_resume") && <button type="button" {...named("Resume")} onClick={() => act(resume(session, id))}>Resume…</button>}
      {!isActive && can("workspace_destroy") && <button type="button" {...named("Delete")} onClick={() => act(destroy(session, id))}>Delete…</button>}
    </p>
  );
}

export const Status = ({ status }: { status: WorkspaceStatus }) => <span class={`badge ${status === "running" ? "good" : status === "paused" ? "warm" : ""}`}>{STATUS[status]}</span>;
