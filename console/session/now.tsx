import { importArchive, importBackup } from "../actions/archives.tsx";
import { fork, pause, resume } from "../actions/workspaces.tsx";
import { takeSnapshot } from "../actions/snapshots.tsx";
import { useSession } from "../access.ts";
import { useAct } from "../parts/act.tsx";
import { bytes, plural, When } from "../parts/format.tsx";
import { Status, type Surroundings } from "./facts.tsx";
import { Id } from "../parts/text.tsx";
import { KIND } from "../parts/words.ts";

/** The session's present place, and the actions there. */
export function Here({ around: { workspaces, active, keptBytes, keptCount } }: { around: Surroundings }) {
  const session = useSession();
  const { can, input } = session;
  const act = useAct();
  const here = workspaces.workspaces.find((one) => one.active);
  return (
    <section class="here" aria-labelledby="here">
      <div>
        <h2 id="here">{here ? KIND[here.kind] : "Active workspace"} {here && <Status status={here.status} />}</h2>
        <p class="facts"><Id>{active}</Id>{here && <span>last used <When at={here.lastUsedAt} /></span>}</p>
      </div>
      <dl class="sums">
        <div><dt>Snapshots</dt><dd>{keptCount.toLocaleString("en")}</dd></div>
        <div><dt>Stored</dt><dd>{bytes(keptBytes)}</dd></div>
        <div><dt>Workspaces</dt><dd>{workspaces.workspaces.length}</dd></div>
      </dl>
      <p class="buttons">
        {can("workspace_snapshot") && <button type="button" class="primary" onClick={() => act(takeSnapshot(session, active))}>Take a snapshot…</button>}
        {can("workspace_fork") && <button type="button" onClick={() => act(fork(session, active))}>Fork…</button>}
        {can("workspace_snapshot") && <button type="button" onClick={() => act(importArchive(session))}>Import…</button>}
        {can("workspace_snapshot") && input("workspace_list_snapshots", "allowCrossSession") && <button type="button" onClick={() => act(importBackup(session))}>Import a backup…</button>}
        {here && here.status !== "paused" && can("workspace_pause") && <button type="button" onClick={() => act(pause(session, active))}>Pause…</button>}
        {here?.status === "paused" && can("workspace_resume") && <button type="button" onClick={() => act(resume(session, active))}>Resume…</button>}
      </p>
      <p class="visually-hidden">{plural(workspaces.workspaces.filter((one) => one.status === "running").length, "workspace")} running</p>
    </section>
  );
}
