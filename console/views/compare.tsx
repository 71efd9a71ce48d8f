/** Several workspaces side by side: what each one changed, what more than one changed, and how a command ends in each. */

import { useState } from "preact/hooks";
import type { ComparedWorkspace, CommandOutcome, Comparison } from "snapshotter-client";
import { useSession } from "../access.ts";
import { promote } from "../actions/workspaces.tsx";
import { CHANGES } from "../look/changes.tsx";
import { labelOf, offerOf, type Offer } from "../look/offer.tsx";
import { addressOf } from "../session/trees.ts";
import { useAct } from "../parts/act.tsx";
import { Loaded, partsOf, Problem, useLoad, Waiting } from "../parts/loading.tsx";
import { Lines, Text } from "../parts/text.tsx";
import { sessionHref } from "../routes.ts";

export default function Compare() {
  const { api, changes } = useSession();
  const offer = useLoad((signal) => offerOf(api, signal), [api, changes]);
  return (
    <Loaded of={offer}>
      {(value) => (value.workspaces.length > 1 ? <Chosen offer={value} /> : <p>There is only one workspace. Fork or branch it to have others to compare.</p>)}
    </Loaded>
  );
}

function Chosen({ offer }: { offer: Offer }) {
  const { api } = useSession();
  const [left, setLeft] = useState(new Set<string>());
  const [result, setResult] = useState<{ comparison?: Comparison; error?: unknown; busy?: boolean }>({});
  const chosen = offer.workspaces.map(({ ref }) => ref.ref.id).filter((id) => !left.has(id));
  const compare = async (event: SubmitEvent) => {
    event.preventDefault();
    const command = String(new FormData(event.currentTarget as HTMLFormElement).get("command")).trim();
    setResult({ busy: true });
    await api.compare({ workspaces: chosen, ...(command && { command }) }).then((comparison) => setResult({ comparison }), (error: unknown) => setResult({ error }));
  };
  const toggle = (id: string, isChosen: boolean) => setLeft(new Set(isChosen ? [...left].filter((one) => one !== id) : [...left, id]));
  return (
    <>
      <form class="choices" onSubmit={compare}>
        <fieldset>
          <legend>Workspaces</legend>
          {offer.workspaces.map(({ ref: { ref: { id } } }) => (
            <label key={id} class="check"><input type="checkbox" checked={!left.has(id)} onChange={({ currentTarget }) => toggle(id, currentTarget.checked)} /> {labelOf(offer, { kind: "workspace", id })}</label>
          ))}
        </fieldset>
        <label>Command to run in each <input name="command" placeholder="make test" spellcheck={false} autocomplete="off" /></label>
        <p class="hint">Without a command, no container is started. With one, those that don't run start.</p>
        <button type="submit" class="primary" disabled={chosen.length < 2 || result.busy}>Compare</button>
      </form>
      <div role="status">{result.busy && <Waiting what="Comparing…" />}</div>
      {result.error !== undefined && <Problem error={result.error} />}
      {result.comparison && <Result comparison={result.comparison} offer={offer} />}
    </>
  );
}

const COUNTS = ["added", "removed", "modified", "renamed"] as const;

function Result({ comparison: { base, workspaces, contested, moreContested }, offer }: { comparison: Comparison; offer: Offer }) {
  const session = useSession();
  const { name, can } = session;
  const act = useAct();
  const hasCommand = workspaces.some(({ command }) => command);
  const mayPromote = can("workspace_promote");
  const diffHref = (workspaceId: string | null | undefined, path?: string) => sessionHref(name, "diff", {
    from: base.snapshotId ? addressOf({ kind: "snapshot", id: base.snapshotId }) : undefined, to: workspaceId ? addressOf({ kind: "workspace", id: workspaceId }) : undefined, path,
  });
  return (
    <div class="looked">
      <p>Compared with {base.snapshotId ? <strong>{labelOf(offer, { kind: "snapshot", id: base.snapshotId })}</strong> : "no files"}.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of workspaces">
        <table>
          <thead><tr><th>Workspace</th>{COUNTS.map((count) => <th key={count} class="number">{count}</th>)}{hasCommand && <th>Command</th>}<th>Changes</th>{mayPromote && <th>Keep it</th>}</tr></thead>
          <tbody>
            {workspaces.map((one) => (
              <tr key={one.workspaceId}>
                <th scope="row"><Text>{one.workspaceId ?? ""}</Text>{one.active && " (active)"}</th>
                {one.error ? <td colSpan={COUNTS.length}>{partsOf(one.error).message}</td> : COUNTS.map((count) => <td key={count} class="number">{one.counts[count]}</td>)}
                {hasCommand && <td>{one.command && <Outcome command={one.command} />}</td>}
                <td>{!one.error && <a href={diffHref(one.workspaceId)}>Lines<span class="visually-hidden"> that {one.workspaceId} changed</span></a>}</td>
                {mayPromote && <td>{!one.error && !one.active && one.workspaceId && <button type="button" aria-label={`Promote: ${one.workspaceId}`} onClick={() => act(promote(session, offer.active, { workspace: one.workspaceId! }, one.workspaceId!))}>Promote…</button>}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {contested.length > 0 && (
        <>
          <h2>Changed by several</h2>
          <ul>{contested.map(({ path, workspaceIds }) => <li key={path}><code><Text>{path}</Text></code> <span class="soft">by</span> {workspaceIds.map((id, at) => <span key={id}>{at > 0 && ", "}<a href={diffHref(id, path)}>{id}</a></span>)}</li>)}</ul>
          {moreContested && <p class="soft">and {moreContested.toLocaleString("en")} more</p>}
        </>
      )}
      {workspaces.map((one) => <Details key={one.workspaceId} of={one} href={(path) => diffHref(one.workspaceId, path)} />)}
    </div>
  );
}

function Outcome({ command }: { command: CommandOutcome }) {
  if ("error" in command) return <Text>{command.error.message}</Text>;
  const { exitCode, durationMs, timedOut } = command;
  return <span class={exitCode === 0 ? "good" : "bad"}>{timedOut ? "timed out" : `exit ${exitCode}`} in {(durationMs / 1000).toFixed(1)} s</span>;
}

function Details({ of: { workspaceId, changes, counts, truncated, command }, href }: { of: ComparedWorkspace; href: (path?: string) => string }) {
  const printed = command && "exitCode" in command ? command.stdoutTail + command.stderrTail : "";
  const left = Object.values(counts).reduce((sum, count) => sum + count, 0) - changes.length;
  // The output of a failed command says why it failed.
  const isFailed = command !== undefined && command !== null && (!("exitCode" in command) || command.exitCode !== 0 || command.timedOut);
  return (
    <details open={isFailed}>
      <summary><Text>{workspaceId ?? ""}</Text></summary>
      <ul>{changes.map(({ path, change }) => <li key={path}><a href={href(path)}><code><Text>{path}</Text></code></a> <span class="soft">{CHANGES[change]}</span></li>)}</ul>
      {changes.length === 0 && <p class="soft">It changed nothing.</p>}
      {truncated && <p><a href={href()}>and {left > 0 ? `${left.toLocaleString("en")} more` : "more"}</a></p>}
      {printed && <pre class="code" tabIndex={0} role="region" aria-label={`What the command printed in ${workspaceId}`}><Lines>{printed}</Lines></pre>}
    </details>
  );
}
