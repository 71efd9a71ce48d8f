/** Servers in a workspace, and the links that lead to them. */

import { useState } from "preact/hooks";
import type { PreviewView, SharedPreview } from "snapshotter-client";
import { revoke, share } from "../actions/previews.tsx";
import { useSession } from "../access.ts";
import { useAct } from "../parts/act.tsx";
import { When } from "../parts/format.tsx";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { Id, Text } from "../parts/text.tsx";

export default function Previews() {
  const session = useSession();
  const { api, can, changes } = session;
  const [shared, setShared] = useState<SharedPreview>();
  const state = useLoad(async (signal) => {
    const [{ active, config }, previews] = await Promise.all([api.describe({ signal }), api.previews({ signal })]);
    return { active: active.ref.id, ports: config.previewPorts ?? [], previews };
  }, [api, changes]);
  const mayShare = can("workspace_write_file") || can("workspace_run");
  return (
    <Loaded of={state}>
      {({ active, ports, previews }) => (
        <>
          <Ports active={active} ports={ports} mayShare={mayShare} shown={setShared} />
          {shared && previews.some(({ id }) => id === shared.id) && <Link of={shared} />}
          <section aria-labelledby="links">
            <h2 id="links">Links</h2>
            {previews.length === 0 ? <p class="soft">No link leads here now.</p> : <Links previews={previews} mayRevoke={mayShare} />}
          </section>
        </>
      )}
    </Loaded>
  );
}

function Ports({ active, ports, mayShare, shown }: { active: string; ports: number[]; mayShare: boolean; shown: (shared: SharedPreview) => void }) {
  const session = useSession();
  const act = useAct();
  return (
    <section aria-labelledby="ports">
      <h2 id="ports">Ports</h2>
      {ports.length === 0 && <p class="soft">The session allows no ports. To allow one, open the session with it: <code><Text>{`snapshotter open ${session.name} --preview-port 8000`}</Text></code></p>}
      {ports.length > 0 && !mayShare && <p class="soft">Allowed: {ports.join(", ")}.</p>}
      {ports.length > 0 && mayShare && <p class="buttons">{ports.map((port) => <button key={port} type="button" onClick={() => act(share(session, active, port, shown))}>Share port {port}…</button>)}</p>}
    </section>
  );
}

/** The link itself. The server shows it only once. */
function Link({ of: { url, port, expiresAt } }: { of: SharedPreview }) {
  return (
    <section class="card" aria-labelledby="link">
      <h2 id="link">Port {port}</h2>
      <p class="buttons"><a class="button" href={url} target="_blank" rel="noreferrer">Open the preview</a></p>
      <label>Link, shown only now <input readOnly value={url} onFocus={({ currentTarget }) => currentTarget.select()} /></label>
      <p class="hint">Whoever has it sees the server. It expires <When at={expiresAt} />.</p>
    </section>
  );
}

function Links({ previews, mayRevoke }: { previews: PreviewView[]; mayRevoke: boolean }) {
  const session = useSession();
  const act = useAct();
  return (
    <div class="scroll" role="group" aria-labelledby="links" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Port</th><th scope="col">Workspace</th><th scope="col">Made</th><th scope="col">Expires</th>{mayRevoke && <th scope="col">End it</th>}</tr></thead>
        <tbody>
          {previews.map((preview) => (
            <tr key={preview.id}>
              <th scope="row">{preview.port}</th>
              <td><Id>{preview.workspace.ref.id}</Id></td>
              <td><When at={preview.createdAt} /></td>
              <td><When at={preview.expiresAt} /></td>
              {mayRevoke && <td><button type="button" aria-label={`Revoke: port ${preview.port} of ${preview.workspace.ref.id}`} onClick={() => act(revoke(session, preview))}>Revoke…</button></td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
