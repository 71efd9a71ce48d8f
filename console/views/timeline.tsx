/** The session's history, newest first: turns, snapshots, rewinds, forks. */

import { useMemo } from "preact/hooks";
import type { EventView, ListedSnapshot, TurnView } from "snapshotter-client";
import { useSession } from "../access.ts";
import { CommandLine, RanTally } from "../live/ran.tsx";
import { When } from "../parts/format.tsx";
import { Here } from "../session/now.tsx";
import { historyOf, type Entry } from "../session/history.ts";
import { Loaded, Problem, Waiting } from "../parts/loading.tsx";
import { useLongList } from "../parts/loadmore.ts";
import { isThere, SnapshotActions, SnapshotDetails, SnapshotFacts, titleOf, useSurroundings, type Known, type Surroundings } from "../session/facts.tsx";
import { Text } from "../parts/text.tsx";
import { Changes } from "../session/changes.tsx";
import { told } from "../session/event.tsx";
import { TRIGGER } from "../parts/words.ts";

export default function Timeline() {
  const session = useSession();
  const around = useSurroundings(session);
  const known = useMemo(() => new Map<string, ListedSnapshot>(), [session.api]);
  const past = useLongList((signal) => historyOf(session.api, known, signal), [session.api, session.changes]);
  return (
    <Loaded of={around}>
      {(around) => (
        <>
          <Here around={around} />
          <section aria-labelledby="past">
            <h2 id="past" class="visually-hidden">Timeline</h2>
            {past.items?.length === 0 && <p class="soft">Nothing has happened yet.</p>}
            {daysOf(past.items ?? []).map(([day, entries]) => (
              <section class="day" key={day} aria-label={day}>
                <h3>{day}</h3>
                <ol class="timeline">
                  {entries.map((entry) => <li key={entry.key} class={`entry ${markOf(entry)}`}><EntryView entry={entry} around={around} known={known} /></li>)}
                </ol>
              </section>
            ))}
            {past.error !== undefined && <Problem error={past.error} />}
            {past.loading && <Waiting />}
            {past.more && !past.loading && <p><button type="button" onClick={past.next}>Show earlier</button></p>}
          </section>
        </>
      )}
    </Loaded>
  );
}

function EntryView({ entry, around, known }: { entry: Entry; around: Surroundings; known: Known }) {
  switch (entry.type) {
    case "snapshot": return <SnapshotEntry snapshot={entry.snapshot} known={known} around={around} />;
    case "turn": return <TurnEntry turn={entry.turn} known={known} around={around} />;
    case "event": return <EventEntry event={entry.event} known={known} />;
  }
}

function SnapshotEntry({ snapshot, known, around }: { snapshot: ListedSnapshot; known: Known; around: Surroundings }) {
  const title = titleOf(snapshot);
  return (
    <>
      <p class="head"><b><Text>{title}</Text></b>{snapshot.name !== null && <span class="soft">{TRIGGER[snapshot.trigger].toLowerCase()}</span>}<When at={snapshot.createdAt} /></p>
      {snapshot.description !== null && <p><Text>{snapshot.description}</Text></p>}
      <SnapshotFacts snapshot={snapshot} fates={around.fates} />
      <details>
        <summary>Details and actions<span class="visually-hidden"> of <Text>{title}</Text></span></summary>
        <SnapshotDetails snapshot={snapshot} known={known} />
        {isThere(snapshot.state) && <SnapshotActions id={snapshot.id} target={{ selector: snapshot.id, title }} restorable={snapshot.restorable} active={around.active} before={snapshot.parentId} />}
      </details>
    </>
  );
}

function TurnEntry({ turn, known, around }: { turn: TurnView; known: Known; around: Surroundings }) {
  const snapshot = known.get(turn.snapshotId);
  const title = `Turn ${turn.number}`;
  return (
    <>
      <p class="head"><b>{title}</b>{turn.label && <Text>{turn.label}</Text>}<When at={turn.at} /></p>
      <Changes turn={turn} />
      <RanTally ran={turn} />
      {snapshot && <SnapshotFacts snapshot={snapshot} fates={around.fates} />}
      <details>
        <summary>Details and actions<span class="visually-hidden"> of {title}</span></summary>
        {turn.cursor !== undefined && turn.cursor !== null && <dl class="details"><dt>Cursor</dt><dd><code><Text>{JSON.stringify(turn.cursor)}</Text></code></dd></dl>}
        {turn.commands.length > 0 && <ul class="rows" aria-label="Commands">{turn.commands.map((ran) => <li key={ran.seq}><CommandLine ran={ran} /></li>)}</ul>}
        {snapshot && <SnapshotDetails snapshot={snapshot} known={known} />}
        <SnapshotActions id={turn.snapshotId} target={{ selector: { turn: turn.number }, title: turn.label ? `${title}: ${turn.label}` : title }} restorable={turn.restorable} active={around.active} before={turn.beforeSnapshotId} />
      </details>
    </>
  );
}

function EventEntry({ event, known }: { event: EventView; known: Known }) {
  return <p class="head">{told(event, known)}<When at={event.at} /></p>;
}

/** The CSS class of an entry's mark. */
function markOf(entry: Entry): string {
  if (entry.type === "snapshot") return entry.snapshot.trigger === "manual" ? "snapshot" : "saved";
  if (entry.type === "turn") return "turn";
  if (/rewound|promoted/.test(entry.event.kind)) return "rewind";
  return /branched|restored/.test(entry.event.kind) ? "fork" : /failed|lost/.test(entry.event.kind) ? "failed" : "minor";
}

/** Entries by day, in the user's time zone. */
function daysOf(entries: Entry[]): [string, Entry[]][] {
  const days = Map.groupBy(entries, ({ at }) => new Date(at).toLocaleDateString("en", { weekday: "long", day: "numeric", month: "long", year: "numeric" }));
  return [...days];
}
