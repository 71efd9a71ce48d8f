/** Several workspaces beside each other: what each changed, what several changed, and how a command ends in each. */

import { useState } from "preact/hooks";
import type { ComparedWorkspace, CommandOutcome, Comparison } from "snapshotter-client";
import { useSession } from "../access.ts";
import { CHANGES } from "../look/changes.tsx";
import { labelOf, offerOf, type Offer } from "../look/offer.tsx";
import { addressOf } from "../look/trees.ts";
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

function Result({ comparison: { base, workspaces, contested }, offer }: { comparison: Comparison; offer: Offer }) {
  const { name } = useSession();
  const hasCommand = workspaces.some(({ command }) => command);
  const diffHref = ({ sandboxId }: ComparedWorkspace) => sessionHref(name, "diff", {
    from: base.snapshotId ? addressOf({ kind: "snapshot", id: base.snapshotId }) : undefined, to: sandboxId ? addressOf({ kind: "workspace", id: sandboxId }) : undefined,
  });
  return (
    <div class="looked">
      <p>Compared with {base.snapshotId ? <strong>{labelOf(offer, { kind: "snapshot", id: base.snapshotId })}</strong> : "no files"}.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of workspaces">
        <table>
          <thead><tr><th>Workspace</th>{COUNTS.map((count) => <th key={count} class="number">{count}</th>)}{hasCommand && <th>Command</th>}<th>Changes</th></tr></thead>
          <tbody>
            {workspaces.map((one) => (
              <tr key={one.sandboxId}>
                <th scope="row"><Text>{one.sandboxId ?? ""}</Text>{one.active && " (active)"}</th>
                {one.error ? <td colSpan={COUNTS.length}>{partsOf(one.error).message}</td> : COUNTS.map((count) => <td key={count} class="number">{one.counts[count]}</td>)}
                {hasCommand && <td>{one.command && <Outcome command={one.command} />}</td>}
                <td>{!one.error && <a href={diffHref(one)}>Lines<span class="visually-hidden"> that {one.sandboxId} changed</span></a>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {contested.length > 0 && (
        <>
          <h2>Changed by several</h2>
          <ul>{contested.map(({ path, sandboxIds }) => <li key={path}><code><Text>{path}</Text></code> <span class="soft">by {sandboxIds.join(", ")}</span></li>)}</ul>
        </>
      )}
      {workspaces.map((one) => <Details key={one.sandboxId} of={one} />)}
    </div>
  );
}

function Outcome({ command }: { command: CommandOutcome }) {
  if ("error" in command) return <Text>{command.error.message}</Text>;
  const { exitCode, durationMs, timedOut } = command;
  return <span class={exitCode === 0 ? "good" : "bad"}>{timedOut ? "timed out" : `exit ${exitCode}`} in {(durationMs / 1000).toFixed(1)} s</span>;
}

function Details({ of: { sandboxId, changes, truncated, command } }: { of: ComparedWorkspace }) {
  const printed = command && "exitCode" in command ? command.stdoutTail + command.stderrTail : "";
  return (
    <details>
      <summary><Text>{sandboxId ?? ""}</Text></summary>
      <ul>{changes.map(({ path, change }) => <li key={path}><code><Text>{path}</Text></code> <span class="soft">{CHANGES[change]}</span></li>)}</ul>
      {changes.length === 0 && <p class="soft">It changed nothing.</p>}
      {truncated && <p class="soft">There are more.</p>}
      {printed && <pre class="code" tabIndex={0} role="region" aria-label={`What the command printed in ${sandboxId}`}><Lines>{printed}</Lines></pre>}
    </details>
  );
}
