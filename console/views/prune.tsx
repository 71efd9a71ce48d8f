/** The operator's prune: a rule, what it would delete, and then the deletion. */

import { useId, useRef, useState } from "preact/hooks";
import type { Ownerless, PrunedBackup, PrunePage, PruneRule, Snapshotter, SnapshotTrigger } from "snapshotter-client";
import { useAccess } from "../access.ts";
import { Acting, Check, Field, Select, textOf, useAct } from "../parts/act.tsx";
import { bytes, plural } from "../parts/format.tsx";
import { Problem } from "../parts/loading.tsx";
import { Id, Text } from "../parts/text.tsx";
import { OWNERLESS, STAYS, TRIGGER } from "../parts/words.ts";

interface Walk {
  rule: PruneRule;
  dryRun: boolean;
  deleted: PrunedBackup[];
  freedBytes: number;
  examinedCount: number;
  kept: Map<string, number>;
  problems: PrunePage["problems"];
  /** Whether every bucket was walked to its end. */
  done: boolean;
}

/** Walks every bucket, and reports its progress after each page. */
async function walk(client: Snapshotter, rule: PruneRule, dryRun: boolean, signal: AbortSignal, tell: (walk: Walk) => void): Promise<Walk> {
  let so: Walk = { rule, dryRun, deleted: [], freedBytes: 0, examinedCount: 0, kept: new Map(), problems: [], done: false };
  let cursor: string | null | undefined;
  do {
    const page: PrunePage = await client.prune({ rule, dryRun, ...(cursor && { cursor }), signal });
    for (const [reason, count] of Object.entries(page.kept)) so.kept.set(reason, (so.kept.get(reason) ?? 0) + count);
    cursor = page.nextCursor;
    so = {
      ...so,
      deleted: [...so.deleted, ...page.deleted],
      freedBytes: so.freedBytes + page.freedBytes,
      examinedCount: so.examinedCount + page.examinedCount,
      problems: [...so.problems, ...page.problems],
      done: !cursor,
    };
    tell(so);
  } while (cursor);
  return so;
}

export default function Prune() {
  const [result, setResult] = useState<Walk>();
  return <Acting changed={() => {}}><PruneView result={result} setResult={setResult} /></Acting>;
}

function PruneView({ result, setResult }: { result: Walk | undefined; setResult: (walk: Walk | undefined) => void }) {
  const { client } = useAccess();
  const act = useAct();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  const [busy, setBusy] = useState(false);

  async function tryOut(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const rule = ruleOf(new FormData(event.target as HTMLFormElement));
    running.current = new AbortController();
    setError(undefined);
    setBusy(true);
    await walk(client, rule, true, running.current.signal, setResult).catch((problem: unknown) => {
      setResult(undefined);
      setError(problem);
    });
    setBusy(false);
  }

  const confirm = ({ rule, deleted, freedBytes }: Walk) => act({
    title: `Delete ${plural(deleted.length, "backup")}`,
    says: `Deletes ${plural(deleted.length, "backup")}, ${bytes(freedBytes)}, of ${plural(sessionsOf(deleted), "session")} from the bucket. This can't be undone. The rule is applied anew: backups that match it only since the dry run are deleted, too.`,
    verb: "Delete them",
    danger: true,
    fields: <Deleted list={deleted} label="What would be deleted" />,
    run: async (_, { signal }) => {
      const done = await walk(client, rule, false, signal, setResult);
      return { message: `${plural(done.deleted.length, "backup")} deleted, ${bytes(done.freedBytes)} freed.` };
    },
  });

  return (
    <section aria-labelledby="prune">
      <h2 id="prune">Prune</h2>
      <p>Deletes backups by a rule, in all buckets. What is pinned, being read, or needed by a workspace always stays. First see what the rule would delete.</p>
      <form class="rule" onSubmit={tryOut} onInput={() => setResult(undefined)}>
        <fieldset disabled={busy}>
          <Age />
          <Select name="keepLast" label="Always keep" options={[["1", "the latest of each session"], ["3", "the latest 3"], ["10", "the latest 10"], ["0", "none"]]} />
          <Select name="trigger" label="Kind" options={[["", "all kinds"], ...(["manual", "auto", "safety"] as const).map((trigger): [string, string] => [trigger, TRIGGER[trigger]])]} />
          <Field name="session" label="Only of this session" help="Empty: of all." />
        </fieldset>
        <fieldset disabled={busy} class="ownerless">
          <legend>Also backups that no session lists</legend>
          {Object.entries(OWNERLESS).map(([kind, label]) => <Check key={kind} name={`ownerless-${kind}`} label={label} />)}
          <p class="hint">Never choose the last one if another deployment uses the same bucket, or before sessions that lost their storage are rebuilt.</p>
        </fieldset>
        <p class="buttons"><button type="submit" class="primary" disabled={busy}>{busy ? "Looking…" : "Dry run"}</button>{busy && <button type="button" onClick={() => running.current?.abort(new Error("Stopped."))}>Stop</button>}</p>
      </form>
      {error !== undefined && <Problem error={error} />}
      <div role="status">{result && <Summary walk={result} />}</div>
      {result && (
        <>
          {result.deleted.length > 0 && <Deleted list={result.deleted} label={result.dryRun ? "Would be deleted" : "Deleted"} />}
          {result.problems.length > 0 && <ul class="soft">{result.problems.map(({ id, error: { message } }) => <li key={id}><Id>{id}</Id> <Text>{message}</Text></li>)}</ul>}
          {result.dryRun && result.done && result.deleted.length > 0 && <p class="buttons"><button type="button" class="danger" onClick={() => confirm(result)}>Delete {plural(result.deleted.length, "backup")}…</button></p>}
        </>
      )}
    </section>
  );
}

function Summary({ walk: { dryRun, deleted, freedBytes, examinedCount, kept, done } }: { walk: Walk }) {
  const stays = [...kept].map(([reason, count]) => `${count.toLocaleString("en")} ${STAYS[reason] ?? reason}`).join("; ");
  return (
    <p>
      <b>{dryRun ? `Would delete ${plural(deleted.length, "backup")}, ${bytes(freedBytes)}` : `Deleted ${plural(deleted.length, "backup")}, ${bytes(freedBytes)}`}</b>{" "}
      of {examinedCount.toLocaleString("en")} examined{done ? "." : " so far…"}{stays && ` Staying: ${stays}.`}
    </p>
  );
}

/** More rows would only be slow: nobody reads them. */
const ROWS_MAX = 200;

function Deleted({ list, label }: { list: PrunedBackup[]; label: string }) {
  return (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table>
        <caption>{label}</caption>
        <thead><tr><th scope="col">Session</th><th scope="col">Backup</th><th scope="col" class="number">Size</th></tr></thead>
        <tbody>
          {list.slice(0, ROWS_MAX).map(({ id, session, sizeBytes, ownerless, binding }) => (
            <tr key={`${binding}/${id}`}>
              <th scope="row">{session === null ? "–" : <Text>{session}</Text>}{ownerless && <span class="badge warm">{OWNERLESS[ownerless]}</span>}</th>
              <td><Id>{id}</Id></td>
              <td class="number">{bytes(sizeBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.length > ROWS_MAX && <p class="soft">and {(list.length - ROWS_MAX).toLocaleString("en")} more</p>}
    </div>
  );
}

const UNIT_SECONDS = { minutes: 60, hours: 3_600, days: 86_400 };

function Age() {
  const id = useId();
  return (
    <div class="field" role="group" aria-labelledby={id}>
      <span class="legend" id={id}>Older than</span>
      <div class="pair">
        <input name="age" type="number" min="0" step="1" defaultValue="30" required aria-label="Number" />
        <select name="unit" aria-label="Unit">{Object.keys(UNIT_SECONDS).toReversed().map((unit) => <option key={unit} value={unit}>{unit}</option>)}</select>
      </div>
    </div>
  );
}

function ruleOf(form: FormData): PruneRule {
  const session = textOf(form, "session");
  const trigger = textOf(form, "trigger") as SnapshotTrigger | undefined;
  const ownerless = (Object.keys(OWNERLESS) as Ownerless[]).filter((kind) => form.has(`ownerless-${kind}`));
  return {
    olderThanSeconds: Number(textOf(form, "age")) * UNIT_SECONDS[textOf(form, "unit") as keyof typeof UNIT_SECONDS],
    keepLast: Number(textOf(form, "keepLast")),
    ...(session && { session }),
    ...(trigger && { trigger }),
    ...(ownerless.length > 0 && { ownerless }),
  };
}

const sessionsOf = (list: PrunedBackup[]) => new Set(list.map(({ session }) => session)).size;
