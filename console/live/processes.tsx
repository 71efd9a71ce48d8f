/** Background commands and their output. */

import { useEffect, useState } from "preact/hooks";
import type { ProcessView } from "snapshotter-client";
import { useSession } from "../access.ts";
import { bytes, When } from "../parts/format.tsx";
import { Loaded, Problem, useLoad } from "../parts/loading.tsx";
import { Text } from "../parts/text.tsx";
import { joined, Output, type Printed } from "./output.tsx";

/** How long one call waits for more log output. */
const WAIT_MS = 10_000;
const LIST_EVERY_MS = 5_000;

/** Resolves when the page is visible. */
const shown = () => new Promise<void>((resolve) => {
  if (document.hidden) document.addEventListener("visibilitychange", () => resolve(), { once: true });
  else resolve();
});

export function Processes({ workspace }: { workspace: string | undefined }) {
  const { api, can, changes } = useSession();
  const where = workspace === undefined ? {} : { workspace };
  const list = useLoad(async (signal) => (await api.processes({ ...where, signal })).processes, [api, workspace, changes]);
  const [followed, follow] = useState<string>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const timer = setInterval(() => document.hidden || list.again(), LIST_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const act = (call: Promise<unknown>) => {
    setError(undefined);
    call.then(list.again, setError);
  };
  const start = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const name = String(fields.get("name"));
    act(api.start(name, String(fields.get("command")), where).then(() => {
      form.reset();
      follow(name);
    }));
  };
  return (
    <section>
      <h2>In the background</h2>
      {can("workspace_start") && (
        <form class="row-form" onSubmit={start}>
          <label>Name <input name="name" required pattern="[A-Za-z0-9._\-]{1,64}" spellcheck={false} autocomplete="off" /></label>
          <label>Command <input name="command" required spellcheck={false} autocomplete="off" /></label>
          <button type="submit">Start</button>
        </form>
      )}
      {error !== undefined && <Problem error={error} />}
      <Loaded of={list}>
        {(processes) => (processes.length === 0 ? <p class="soft">None. The list is empty while no container runs.</p> : (
          <ul class="rows">
            {processes.map((process) => (
              <Process
                key={process.name} process={process} isFollowed={process.name === followed} onFollow={() => follow(process.name === followed ? undefined : process.name)}
                onStop={can("workspace_stop") ? () => act(api.stop(process.name, where)) : undefined}
              />
            ))}
          </ul>
        ))}
      </Loaded>
      {followed !== undefined && <Log key={followed} process={followed} where={where} />}
    </section>
  );
}

interface ProcessProps {
  process: ProcessView;
  isFollowed: boolean;
  onFollow: () => void;
  onStop: (() => void) | undefined;
}

function Process({ process: { name, command, state, exitCode, startedAt, logBytes }, isFollowed, onFollow, onStop }: ProcessProps) {
  return (
    <li>
      <p><strong><Text>{name}</Text></strong> <code><Text>{command}</Text></code></p>
      <p class="soft">{state === "running" ? "running" : `ended${exitCode === null ? "" : ` with exit code ${exitCode}`}`}, started <When at={startedAt} />, {bytes(logBytes)} printed</p>
      <p class="buttons">
        <button type="button" aria-expanded={isFollowed} onClick={onFollow}>Output<span class="visually-hidden"> of {name}</span></button>
        {onStop && state === "running" && <button type="button" onClick={onStop}>Stop<span class="visually-hidden"> {name}</span></button>}
      </p>
    </li>
  );
}

function Log({ process, where }: { process: string; where: { workspace?: string } }) {
  const { api } = useSession();
  const [printed, setPrinted] = useState<Printed[]>([]);
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const followLog = async () => {
      setError(undefined);
      setPrinted([]);
      for (let offset: number | undefined; !signal.aborted; ) {
        // A hidden page asks for nothing.
        await shown();
        const log = await api.logs(process, { ...where, ...(offset !== undefined && { offset, waitMs: WAIT_MS }), signal });
        offset = log.nextOffset;
        if (log.text) setPrinted((before) => joined(before, { from: "stdout", text: log.text }));
        else if (log.process.state === "ended") return;
      }
    };
    followLog().catch((reason: unknown) => signal.aborted || setError(reason));
    return () => ended.abort();
  }, [api, process, round]);
  return error === undefined ? <Output printed={printed} label={`Output of ${process}`} /> : <Problem error={error} again={() => setRound(round + 1)} />;
}
