import { useSession } from "../access.ts";
import { When } from "../parts/format.tsx";
import { Loaded } from "../parts/loading.tsx";
import { Named, Status, useKnown, useSurroundings, WorkspaceActions } from "../session/facts.tsx";
import { Reach } from "../session/network.tsx";
import { Id } from "../parts/text.tsx";
import { KIND } from "../parts/words.ts";

export default function Workspaces() {
  const session = useSession();
  const around = useSurroundings(session);
  const known = useKnown(session);
  return (
    <>
      <section aria-labelledby="workspaces">
        <h2 id="workspaces">Workspaces</h2>
        <Loaded of={around}>
          {({ workspaces: { workspaces }, active }) => (
            <ul class="cards">
              {workspaces.map(({ ref: { ref: { id } }, kind, status, state, lastUsedAt, createdAt, fromSnapshotId, headSnapshotId }) => (
                <li key={id} class={id === active ? "card current" : "card"} aria-current={id === active ? "true" : undefined}>
                  <h3>{KIND[kind]} <Status status={status} />{state !== "ready" && <span class="badge warm">{state}</span>}{id === active && <span class="badge here-badge">active</span>}</h3>
                  <dl class="details">
                    <dt>Id</dt><dd><Id>{id}</Id></dd>
                    <dt>Last used</dt><dd><When at={lastUsedAt} /></dd>
                    <dt>Made</dt><dd><When at={createdAt} /></dd>
                    {fromSnapshotId && <><dt>From</dt><dd><Named id={fromSnapshotId} known={known} /></dd></>}
                    {headSnapshotId && <><dt>Wakes from</dt><dd><Named id={headSnapshotId} known={known} /></dd></>}
                  </dl>
                  <WorkspaceActions id={id} status={status} active={active} />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </section>
      {session.can("workspace_describe") && <Reach />}
    </>
  );
}
