/** Commands in a workspace: one with live output, background processes, and commands that ended. */

import { useEffect, useRef, useState } from "preact/hooks";
import { useSession } from "../access.ts";
import { joined, Output, type Printed } from "../live/output.tsx";
import { Processes } from "../live/processes.tsx";
import { Ran, useCommands } from "../live/ran.tsx";
import { InWorkspace } from "../look/offer.tsx";
import { Problem } from "../parts/loading.tsx";
import { Text } from "../parts/text.tsx";
import type { ViewProps } from "../routes.ts";

export default function Commands({ query }: ViewProps) {
  const { can } = useSession();
  return (
    <InWorkspace view="commands" query={query}>
      {(workspace) => (
        <>
          {can("workspace_run") && <Run key={`run ${workspace}`} workspace={workspace} />}
          <Processes key={`processes ${workspace}`} workspace={workspace} />
          <Ended />
        </>
      )}
    </InWorkspace>
  );
}

/** Ended commands of all workspaces. Each one says where it ran. */
function Ended() {
  const commands = useCommands(useSession().api);
  return <Ran commands={commands} list={commands.list} />;
}

interface RunState {
  command: string;
  printed: Printed[];
  exitCode?: number;
  stopped?: true;
  error?: unknown;
}

function Run({ workspace }: { workspace: string | undefined }) {
  const { api } = useSession();
  const [run, setRun] = useState<RunState>();
  const ended = useRef<AbortController>(null);
  useEffect(() => () => ended.current?.abort(), []);
  const update = (change: (before: RunState) => Partial<RunState>) => setRun((before) => before && { ...before, ...change(before) });
  const begin = async (event: SubmitEvent) => {
    event.preventDefault();
    const command = String(new FormData(event.currentTarget as HTMLFormElement).get("command"));
    const { signal } = (ended.current = new AbortController());
    setRun({ command, printed: [] });
    try {
      for await (const told of api.runStream(command, { ...(workspace !== undefined && { workspace }), signal })) {
        if (told.type === "stdout" || told.type === "stderr") update(({ printed }) => ({ printed: joined(printed, { from: told.type, text: told.data }) }));
        if (told.type === "complete") update(() => ({ exitCode: told.exitCode }));
      }
    } catch (error) {
      update(() => (signal.aborted ? { stopped: true } : { error }));
    }
  };
  const isRunning = run !== undefined && run.exitCode === undefined && run.error === undefined && !run.stopped;
  return (
    <section>
      <h2>Run a command</h2>
      <form class="row-form" onSubmit={begin}>
        <label>Command <input name="command" required spellcheck={false} autocomplete="off" autocapitalize="off" placeholder="ls -l" /></label>
        <button type="submit" class="primary" disabled={isRunning}>Run</button>
        {isRunning && <button type="button" onClick={() => ended.current?.abort()}>Stop</button>}
      </form>
      {run && <Output printed={run.printed} label={`Output of ${run.command}`} />}
      <p role="status">
        {isRunning && <>Running <code><Text>{run.command}</Text></code></>}
        {run?.stopped && "Stopped."}
        {run?.exitCode !== undefined && <span class={run.exitCode === 0 ? "good" : "bad"}>It ended with exit code {run.exitCode}.</span>}
      </p>
      {run?.error !== undefined && <Problem error={run.error} />}
    </section>
  );
}
