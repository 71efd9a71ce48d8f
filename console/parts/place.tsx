/** What the views say of a snapshot or a workspace, and the buttons of what can be done with it. */

import type { DecisionView, ListedSnapshot, ShownState, WorkspaceList, WorkspaceStatus } from "snapshotter-client";
import { useState } from "preact/hooks";
import { download } from "../actions/archives.tsx";
import { edit, make, pin, remove, rewind, type Target } from "../actions/snapshots.tsx";
import { destroy, pause, promote, resume, switchTo } from "../actions/workspaces.tsx";
import { useSession, type OpenSession } from "../access.ts";
import { addressOf, type Tree } from "../look/trees.ts";
import { sessionHref } from "../routes.ts";
import { useAct } from "./act.tsx";
import { bytes, When } from "./format.tsx";
import { Problem, useLoad, type Load } from "./loading.tsx";
import { Id, Text, visible } from "./text.tsx";
import { fate, STATE, STATUS, TRIGGER } from "./words.ts";

export interface Surroundings {
  workspaces: WorkspaceList;
  /** Id of the active workspace. */
  active: string;
  /** What becomes of each snapshot, by id. */
  fates: Map<string, DecisionView>;
  /** What the session's snapshots take, in bytes. */
  keptBytes: number;
  keptCount: number;
}

/** The session's workspaces and what the retention policy decides, which most views need. */
export function useSurroundings({ api, changes }: OpenSession): Load<Surroundings> {
  return useLoad(async (signal) => {
    const [workspaces, report] = await Promise.all([api.workspaces({ signal }), api.planRetention({ signal })]);
    const fates = new Map(report.decisions.map((decision) => [decision.id, decision]));
    return { workspaces, active: workspaces.active.ref.id, fates, keptBytes: report.keptBytes, keptCount: report.keptCount };
  }, [api, changes]);
}

/** Whether something can be done with a snapshot. */
export const isThere = (state: ShownState) => state === "ready" || state === "expired";

/** What people call a snapshot. */
export function titleOf({ name, trigger, id, turn }: Pick<ListedSnapshot, "name" | "trigger" | "id" | "turn">): string {
  if (name !== null) return name;
  return trigger === "turn" && turn ? `Turn ${turn.number}` : `${TRIGGER[trigger]} ${id.slice(0, 8)}`;
}

/** Size, expiry, and why it is kept, on one line. */
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

/** All that is known of a snapshot. */
export function SnapshotDetails({ snapshot }: { snapshot: ListedSnapshot }) {
  const { git, machine } = snapshot;
  return (
    <dl class="details">
      <dt>Id</dt><dd><Id>{snapshot.id}</Id></dd>
      {snapshot.parentId && <><dt>After</dt><dd><Id>{snapshot.parentId}</Id></dd></>}
      {snapshot.ref.ref.originSandboxId && <><dt>Of workspace</dt><dd><Id>{snapshot.ref.ref.originSandboxId}</Id></dd></>}
      {git && <><dt>Git</dt><dd><Text>{`${git.branch ?? "no branch"} ${git.head?.slice(0, 10) ?? ""}${git.clean ? "" : ", with uncommitted changes"}`}</Text></dd></>}
      {machine && <><dt>Machine</dt><dd>{bytes(machine.sizeBytes)} of the container's disk</dd></>}
      {snapshot.unrestorableBecause && <><dt>Restorable</dt><dd>no: <code>{snapshot.unrestorableBecause}</code></dd></>}
      {snapshot.sha256 && <><dt>SHA-256</dt><dd><Id>{snapshot.sha256}</Id></dd></>}
    </dl>
  );
}

interface SnapshotActionsProps {
  /** Its id. */
  id: string;
  /** What to go back to, and what people call it. */
  target: Target;
  restorable: boolean;
  active: string;
}

export function SnapshotActions({ id, target, restorable, active }: SnapshotActionsProps) {
  const session = useSession();
  const { api, can, isClosed } = session;
  const act = useAct();
  const [error, setError] = useState<unknown>();
  const { title } = target;
  // Its present name, labels and pin: this list may be old.
  const withPresent = async (next: (snapshot: Awaited<ReturnType<typeof api.get>>["snapshot"]) => void) => {
    setError(undefined);
    await api.get(id).then(({ snapshot }) => next(snapshot), setError);
  };
  const named = (verb: string) => ({ "aria-label": `${verb}: ${visible(title)}` });
  return (
    <>
      <p class="buttons">
        {restorable && <Looks tree={{ kind: "snapshot", id }} title={title} side="from" />}
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

/** Links to the files of a tree, and to what differs from it or in it. */
function Looks({ tree, title, side }: { tree: Tree; title: string; side: "from" | "to" }) {
  const { name, can } = useSession();
  const of = <span class="visually-hidden"> of <Text>{title}</Text></span>;
  return (
    <>
      {can("workspace_ls") && <a class="button" href={sessionHref(name, "files", { in: addressOf(tree) })}>Files{of}</a>}
      {can("workspace_diff") && <a class="button" href={sessionHref(name, "diff", { [side]: addressOf(tree) })}>Differences{of}</a>}
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
      <Looks tree={{ kind: "workspace", id }} title={id} side="to" />
      {!isActive && can("workspace_switch") && <button type="button" {...named("Switch")} onClick={() => act(switchTo(session, active, id))}>Switch…</button>}
      {!isActive && can("workspace_promote") && <button type="button" {...named("Promote")} onClick={() => act(promote(session, active, { workspace: id }, id))}>Promote…</button>}
      {status !== "paused" && can("workspace_pause") && <button type="button" {...named("Pause")} onClick={() => act(pause(session, id))}>Pause…</button>}
      {status === "paused" && can("workspace_resume") && <button type="button" {...named("Resume")} onClick={() => act(resume(session, id))}>Resume…</button>}
      {!isActive && can("workspace_destroy") && <button type="button" {...named("Delete")} onClick={() => act(destroy(session, id))}>Delete…</button>}
    </p>
  );
}

export const Status = ({ status }: { status: WorkspaceStatus }) => <span class={`badge ${status === "running" ? "good" : status === "paused" ? "warm" : ""}`}>{STATUS[status]}</span>;
