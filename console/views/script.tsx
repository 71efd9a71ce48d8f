/** Runs a script: JavaScript beside the session, without a container. */

import { useState } from "preact/hooks";
import type { ScriptResult } from "snapshotter-client";
import { useSession } from "../access.ts";
import { CodeForm, Value } from "../live/code.tsx";
import { Output } from "../live/output.tsx";
import { plural } from "../parts/format.tsx";
import { Problem } from "../parts/loading.tsx";
import { Text } from "../parts/text.tsx";

interface Run {
  result?: ScriptResult;
  error?: unknown;
  stopped?: true;
}

export default function Script() {
  const { api, changed, input } = useSession();
  const [ran, setRan] = useState<Run>();
  const run = async (code: string, signal: AbortSignal) => {
    setRan({});
    try {
      setRan({ result: await api.script(code, { signal }) });
    } catch (error) {
      setRan(signal.aborted ? { stopped: true } : { error });
    }
    // The script may have written files or taken a snapshot.
    changed();
  };
  return (
    <section>
      <h2>Run a script</h2>
      <CodeForm
        label="JavaScript, the body of an async function" run={run}
        help="It runs without a container, and nothing is kept for the next one. What it returns is shown. Control and Enter run it."
      />
      <details>
        <summary>What it can call</summary>
        <p class="hint"><Text>{input("workspace_script", "code")?.description ?? ""}</Text></p>
      </details>
      {ran?.result && <Ended result={ran.result} />}
      <p role="status">
        {ran && !ran.result && ran.error === undefined && !ran.stopped && "Running…"}
        {ran?.stopped && "Stopped. Calls that it had begun may have been completed."}
        {ran?.result && <span class={ran.result.error ? "bad" : "good"}>{ran.result.timedOut ? "Its time was up" : ran.result.error ? "It failed" : "Done"}, after {ran.result.durationMs} ms and {plural(ran.result.calls, "call")}.</span>}
      </p>
      {ran?.error !== undefined && <Problem error={ran.error} />}
    </section>
  );
}

function Ended({ result: { value, valueText, logs, error } }: { result: ScriptResult }) {
  return (
    <>
      {logs !== "" && <Output printed={[{ from: "stdout", text: logs }]} label="What it printed" />}
      <Value of={{ value, valueText: valueText ?? null }} />
      {error && <Output printed={[{ from: "stderr", text: error }]} label="Why it failed" />}
    </>
  );
}
