/** The operator's overview: what is stored, what runs, and how storage grew. */

import { useState } from "preact/hooks";
import type { EventView, SessionUsage, SessionWorkspace, Snapshotter, StartCounts } from "snapshotter-client";
import { useAccess } from "../access.ts";
import { Acting } from "../parts/act.tsx";
import { bytes, plural, When } from "../parts/format.tsx";
import { Loaded, Problem, useLoad, Waiting } from "../parts/loading.tsx";
import { useLongList } from "../parts/loadmore.ts";
import { Pools } from "../parts/pools.tsx";
import { Sparkline } from "../session/sparkline.tsx";
import { storedOverTime } from "../session/storage.ts";
import { Id, Text } from "../parts/text.tsx";
import { KIND } from "../parts/words.ts";
import { sessionHref } from "../routes.ts";

/**
 * Charts of growth are shown for this many of the largest sessions. Each chart takes a call for each hundred of its
 * events.
 */
const CHARTS_MAX = 8;
const EVENT_PAGES_MAX = 5;

type Listed = { type: "session"; usage: SessionUsage } | { type: "problem"; session: string; message: string };

export default function Sessions() {
  const { client } = useAccess();
  const usage = useLongList((signal) => usageOf(client, signal), [client], 50);
  const running = useLoad(async (signal) => runningNow(client, signal), [client]);
  const sessions = usage.items?.flatMap((one) => (one.type === "session" ? [one.usage] : [])) ?? [];
  const problems = usage.items?.flatMap((one) => (one.type === "problem" ? [one] : [])) ?? [];
  return (
    <>
      <Costs sessions={sessions} running={running.value?.list.filter(({ waitingToStart }) => !waitingToStart)} more={usage.more} />
      <section aria-labelledby="running">
        <h2 id="running">Running now</h2>
        <Loaded of={running}>{({ list, starts }) => (
          <>
            {starts && <p class="facts"><span>{starts.starting} of at most {plural(starts.limit, "container")} starting</span><span>{starts.waiting} waiting to start</span></p>}
            {list.length === 0 ? <p class="soft">No container runs.</p> : <Running list={list} />}
          </>
        )}</Loaded>
        <p class="buttons"><button type="button" disabled={running.loading} onClick={running.again}>Look again</button></p>
      </section>
      <Acting changed={() => {}}><Pools /></Acting>
      <section aria-labelledby="sessions">
        <h2 id="sessions">Sessions</h2>
        {usage.items?.length === 0 && <p class="soft">No session was opened yet.</p>}
        {sessions.length > 0 && <Table sessions={sessions} />}
        {problems.length > 0 && <ul class="soft">{problems.map(({ session, message }) => <li key={session}><Text>{session}</Text> could not be asked: <Text>{message}</Text></li>)}</ul>}
        {usage.error !== undefined && <Problem error={usage.error} />}
        {usage.loading && <Waiting />}
        {usage.more && !usage.loading && <p><button type="button" onClick={usage.next}>Show more</button></p>}
      </section>
      {sessions.length > 0 && !usage.loading && <Growth key={sessions.length} sessions={sessions} />}
    </>
  );
}

async function* usageOf(client: Snapshotter, signal: AbortSignal): AsyncGenerator<Listed, void> {
  for await (const { sessions, problems } of client.usage({ signal }).pages()) {
    for (const usage of sessions) yield { type: "session", usage };
    for (const { session, error } of problems) yield { type: "problem", session, message: error.message };
  }
}

interface RunningNow {
  list: SessionWorkspace[];
  /** Only present if the operator limits starts. */
  starts: StartCounts | undefined;
}

/** Workspaces whose container runs, waits to start or does not answer, and the queue of starts. */
async function runningNow(client: Snapshotter, signal: AbortSignal): Promise<RunningNow> {
  const now: RunningNow = { list: [], starts: undefined };
  for await (const { workspaces, starts } of client.workspaces({ running: true, signal }).pages()) {
    now.list.push(...workspaces);
    now.starts = starts ?? now.starts;
  }
  return now;
}

/** What runs and what is stored, at prices that the operator enters: the API has no prices. */
function Costs({ sessions, running, more }: { sessions: SessionUsage[]; running: SessionWorkspace[] | undefined; more: boolean }) {
  const [storage, setStorage] = useState("0.015");
  const [container, setContainer] = useState("");
  const stored = sessions.reduce((sum, { snapshots, held }) => sum + snapshots.sizeBytes + held.sizeBytes, 0);
  const monthly = (stored / 1e9) * Number(storage);
  const hourly = (running?.length ?? 0) * Number(container);
  const money = (amount: number) => (amount > 0 && amount < 0.01 ? "under $0.01" : `$${amount.toFixed(2)}`);
  return (
    <section class="here" aria-labelledby="sums">
      <h2 id="sums" class="visually-hidden">Sums and costs</h2>
      <dl class="sums">
        <div><dt>Sessions</dt><dd>{sessions.length}{more && "+"}</dd></div>
        <div><dt>Stored</dt><dd>{bytes(stored)}{more && "+"}</dd></div>
        <div><dt>Running</dt><dd>{running ? running.length : "…"}</dd></div>
        <div><dt>Storage a month</dt><dd>{Number(storage) > 0 ? money(monthly) : "–"}</dd></div>
        <div><dt>Containers an hour</dt><dd>{Number(container) > 0 ? money(hourly) : "–"}</dd></div>
      </dl>
      <details>
        <summary>Prices</summary>
        <p class="hint">An estimate from your prices. Requests and operations of R2 are not in it.</p>
        <div class="prices">
          <Price label="Dollars for a gigabyte stored for a month" value={storage} set={setStorage} />
          <Price label="Dollars for a container running for an hour" value={container} set={setContainer} />
        </div>
      </details>
    </section>
  );
}

const Price = ({ label, value, set }: { label: string; value: string; set: (value: string) => void }) => (
  <label class="field">{label}<input type="number" min="0" step="any" value={value} onInput={(event) => set(event.currentTarget.value)} /></label>
);

function Running({ list }: { list: SessionWorkspace[] }) {
  return (
    <div class="scroll" role="group" aria-labelledby="running" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Session</th><th scope="col">Workspace</th><th scope="col">Kind</th><th scope="col">Last used</th></tr></thead>
        <tbody>
          {list.map(({ session, ref, kind, lastUsedAt, container, waitingToStart: waiting }) => (
            <tr key={`${session}/${ref.ref.id}`}>
              <th scope="row"><a href={sessionHref(session, "workspaces")}><Text>{session}</Text></a></th>
              <td><Id>{ref.ref.id}</Id></td>
              <td>{KIND[kind]}{container === "unknown" && <span class="badge warm">does not answer</span>}{waiting && <> <span class="badge warm">waits to start, place {waiting.place}</span> since <When at={waiting.since} /></>}</td>
              <td><When at={lastUsedAt} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Table({ sessions }: { sessions: SessionUsage[] }) {
  return (
    <div class="scroll" role="group" aria-labelledby="sessions" tabIndex={0}>
      <table>
        <thead>
          <tr><th scope="col">Session</th><th scope="col" class="number">Stored</th><th scope="col" class="number">Snapshots</th><th scope="col" class="number">Automatic</th><th scope="col" class="number">Pinned</th><th scope="col" class="number">Workspaces</th><th scope="col">Last used</th></tr>
        </thead>
        <tbody>
          {sessions.map(({ session, snapshots, automatic, pinned, held, workspaceCount, lastUsedAt }) => (
            <tr key={session}>
              <th scope="row"><a href={sessionHref(session)}><Text>{session}</Text></a></th>
              <td class="number">{bytes(snapshots.sizeBytes + held.sizeBytes)}</td>
              <td class="number">{snapshots.count}</td>
              <td class="number">{automatic.count}</td>
              <td class="number">{pinned.count}</td>
              <td class="number">{workspaceCount}</td>
              <td>{lastUsedAt === null ? "–" : <When at={lastUsedAt} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The growth of the largest sessions, computed from their events. */
function Growth({ sessions }: { sessions: SessionUsage[] }) {
  const { client } = useAccess();
  const largest = sessions.toSorted((one, other) => other.snapshots.sizeBytes - one.snapshots.sizeBytes).slice(0, CHARTS_MAX);
  const grown = useLoad(async (signal) => {
    const now = Date.now();
    return Promise.all(largest.map(async ({ session, snapshots }) => {
      const { events, complete } = await eventsOf(client, session, signal);
      return { session, now, bytes: snapshots.sizeBytes, stored: storedOverTime(snapshots.sizeBytes, now, events, complete) };
    }));
  }, [client]);
  return (
    <section aria-labelledby="growth">
      <h2 id="growth">Stored over time</h2>
      <p class="hint">Of the {plural(largest.length, "largest session", "largest sessions")} above, from {largest.length === 1 ? "its" : "their"} last {EVENT_PAGES_MAX * 100} events.</p>
      <Loaded of={grown}>
        {(rows) => {
          const from = Math.min(...rows.map(({ stored }) => stored.points[0]!.at));
          const most = Math.max(...rows.flatMap(({ stored }) => stored.points.map((point) => point.bytes)));
          return (
            <ul class="growth">
              {rows.map((row) => (
                <li key={row.session}><Text>{row.session}</Text><Sparkline stored={row.stored} from={from} to={row.now} most={most} /><span class="number">{bytes(row.bytes)}</span></li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}

async function eventsOf(client: Snapshotter, session: string, signal: AbortSignal): Promise<{ events: EventView[]; complete: boolean }> {
  const events: EventView[] = [];
  let pages = 0;
  for await (const page of client.session(session).events({ signal }).pages()) {
    events.push(...page.events);
    if (++pages === EVENT_PAGES_MAX) return { events, complete: !page.nextCursor };
  }
  return { events, complete: true };
}
