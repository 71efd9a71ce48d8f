/** Interpreters of one workspace that keep their variables, and the code that each one ran. */

import { useId, useState } from "preact/hooks";
import type { CodeContextList, RanInContext } from "snapshotter-client";
import { endContext } from "../actions/contexts.tsx";
import { useSession } from "../access.ts";
import { useAct } from "../parts/act.tsx";
import { plural, When } from "../parts/format.tsx";
import { Loaded, Problem, useLoad } from "../parts/loading.tsx";
import { Id, Lines, Text } from "../parts/text.tsx";
import { LANGUAGE } from "../parts/words.ts";
import { CodeForm, Images, Value } from "./code.tsx";
import { Output } from "./output.tsx";

type Context = CodeContextList["contexts"][number];

const CANCEL_EVERY_MS = 500;

/** A piece of code, and how it ended. */
interface Cell {
  context: string;
  code: string;
  ran?: RanInContext;
  error?: unknown;
  stopped?: true;
}

export function Contexts({ workspace }: { workspace: string | undefined }) {
  const session = useSession();
  const { api, can, changes } = session;
  const act = useAct();
  const where = workspace === undefined ? {} : { workspace };
  const list = useLoad(async (signal) => (await api.listCodeContexts({ ...where, signal })).contexts, [api, workspace, changes]);
  const [picked, pick] = useState<string>();
  const [cells, setCells] = useState<Cell[]>([]);
  const run = (context: string) => async (code: string, signal: AbortSignal) => {
    const cell: Cell = { context, code };
    const operationId = crypto.randomUUID();
    // The call ends only when the code is interrupted. Until then, the context accepts no other code.
    const ended = new AbortController();
    signal.addEventListener("abort", () => void cancelUntil(ended.signal, () => api.cancel(operationId)));
    const ends = (how: Partial<Cell>) => setCells((before) => before.map((one) => (one === cell ? { ...cell, ...how } : one)));
    setCells((before) => [...before, cell]);
    try {
      const ran = await api.runInCodeContext(context, { code, ...where, operationId });
      ends({ ran });
      if (ran.contextEnded) list.again();
    } catch (error) {
      ends(signal.aborted ? { stopped: true } : { error });
      list.again();
    }
    ended.abort();
  };
  return (
    <>
      <section>
        <h2>Code contexts</h2>
        <p class="hint">An interpreter that keeps its variables from one run to the next. It ends with its container, by a rewind, and after 30 minutes without a run. No snapshot holds it.</p>
        {can("workspace_create_code_context") && <Create where={where} made={(context) => { pick(context); list.again(); }} />}
        <Loaded of={list}>
          {(contexts) => (contexts.length === 0 ? <p class="soft">None. The list is empty while no container runs.</p> : (
            <ul class="rows">
              {contexts.map((one) => (
                <ContextRow
                  key={one.context} of={one} isPicked={one.context === picked}
                  onPick={can("workspace_run_in_code_context") ? () => pick(one.context) : undefined}
                  onEnd={can("workspace_delete_code_context") ? () => act(endContext(session, one, where)) : undefined}
                />
              ))}
            </ul>
          ))}
        </Loaded>
      </section>
      {picked !== undefined && (
        <section aria-labelledby="run-code" key={picked}>
          <h2 id="run-code">Code</h2>
          <ol class="cells" aria-label="What was run">{cells.filter(({ context }) => context === picked).map((cell, at) => <li key={at}><CellView cell={cell} number={at + 1} /></li>)}</ol>
          {list.value?.some(({ context }) => context === picked)
            ? <CodeForm label="Code to run" help="The value of the last line is shown. Control and Enter run it." run={run(picked)} />
            : list.value && !list.loading && <p class="soft" role="status">This context has ended.</p>}
        </section>
      )}
    </>
  );
}

/** Repeats the cancel until the call has ended: the call may not have begun yet. */
async function cancelUntil(ended: AbortSignal, cancel: () => Promise<unknown>): Promise<void> {
  while (!ended.aborted) {
    await cancel().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, CANCEL_EVERY_MS));
  }
}

function Create({ where, made }: { where: { workspace?: string }; made: (context: string) => void }) {
  const { api, input } = useSession();
  const languages = (input("workspace_create_code_context", "language")?.enum ?? []) as Context["language"][];
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const language = new FormData(event.currentTarget as HTMLFormElement).get("language") as Context["language"];
    setBusy(true);
    setError(undefined);
    await api.createCodeContext({ language, ...where }).then(({ context }) => made(context), setError);
    setBusy(false);
  };
  return (
    <>
      <form class="row-form" onSubmit={create}>
        <div class="field">
          <label for={id}>Language</label>
          <select id={id} name="language">{languages.map((one) => <option key={one} value={one}>{LANGUAGE[one]}</option>)}</select>
        </div>
        <button type="submit" disabled={isBusy}>Create</button>
      </form>
      <p role="status">{isBusy && "Starting the interpreter…"}</p>
      {error !== undefined && <Problem error={error} />}
    </>
  );
}

interface ContextRowProps {
  of: Context;
  isPicked: boolean;
  onPick: (() => void) | undefined;
  onEnd: (() => void) | undefined;
}

function ContextRow({ of: { context, language, createdAt, memoryMib }, isPicked, onPick, onEnd }: ContextRowProps) {
  const named = <span class="visually-hidden"> {context}</span>;
  return (
    <li>
      <p><strong>{LANGUAGE[language]}</strong> <Id>{context}</Id></p>
      <p class="soft">created <When at={createdAt} />, {memoryMib} MiB</p>
      <p class="buttons">
        {onPick && <button type="button" aria-pressed={isPicked} onClick={onPick}>Use{named}</button>}
        {onEnd && <button type="button" onClick={onEnd}>Delete…{named}</button>}
      </p>
    </li>
  );
}

function CellView({ cell: { code, ran, error, stopped }, number }: { cell: Cell; number: number }) {
  return (
    <>
      <pre class="code" tabIndex={0} role="region" aria-label={`Code ${number}`}><Lines>{code}</Lines></pre>
      {ran && (ran.stdout !== "" || ran.stderr !== "") && <Output printed={[{ from: "stdout", text: ran.stdout }, { from: "stderr", text: ran.stderr }]} label={`Output ${number}`} />}
      {ran && <><Value of={ran} label={`Value ${number}`} /><Images images={ran.images} omitted={ran.omitted} /></>}
      <p role="status">
        {!ran && error === undefined && !stopped && "Running…"}
        {stopped && "Stopped. The variables are still there, unless the context is no longer listed."}
        {ran && ran.exitCode !== 0 && <span class="bad">{ran.timedOut ? "Its time was up. " : `It ended with exit code ${ran.exitCode}. `}</span>}
        {ran && ran.exitCode === 0 && <span class="good">Done.</span>}
        {ran?.contextEnded && <span class="bad">The context has ended: <Text>{ran.contextEnded}</Text></span>}
      </p>
      {ran && (ran.stdoutTruncated || ran.stderrTruncated) && <p class="hint">It printed more than is shown.</p>}
      {ran?.refusedHosts?.map(({ host, count }) => <p key={host} class="hint"><Text>{host}</Text> was refused {plural(count, "time")}.</p>)}
      {ran?.hint && <p class="hint"><Text>{ran.hint}</Text></p>}
      {error !== undefined && <Problem error={error} />}
    </>
  );
}
