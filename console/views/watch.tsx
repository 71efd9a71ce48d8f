/** A view for watching an agent: its turns, what each one changed, what runs now, and how to undo it. */

import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CommandRecord, Session, TurnView } from "snapshotter-client";
import { useSession } from "../access.ts";
import { rewind, undoTurn } from "../actions/snapshots.tsx";
import { Processes } from "../live/processes.tsx";
import { Ran, RanTally, useCommands, type Commands } from "../live/ran.tsx";
import { countsOf } from "../look/changes.tsx";
import { BYTES, Differences } from "../look/differences.tsx";
import { offerOf, type Offer } from "../look/offer.tsx";
import { useAct } from "../parts/act.tsx";
import { When } from "../parts/format.tsx";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { Text } from "../parts/text.tsx";
import { sessionHref, type ViewProps } from "../routes.ts";
import Previews from "./previews.tsx";
import Terminal from "./terminal.tsx";

/** How many turns the list shows. Older ones are in the timeline. */
const TURNS = 20;
/** The value in an address that selects the changes since the last turn. */
const NOW = "now";

export default function Watch({ query }: ViewProps) {
  const { api, changes } = useSession();
  const state = useLoad(async (signal) => {
    const [offer, { value: page }] = await Promise.all([offerOf(api, signal), api.timeline({ limit: TURNS + 1, signal }).pages().next()]);
    return { offer, turns: page ? page.turns : [] };
  }, [api, changes]);
  return <Loaded of={state}>{(seen) => <Watched {...seen} query={query} />}</Loaded>;
}

function Watched({ offer, turns, query }: { offer: Offer; turns: TurnView[]; query: URLSearchParams }) {
  const session = useSession();
  const { name, api, can } = session;
  const act = useAct();
  const shown = turns.slice(0, TURNS);
  const lines = useLines(api, shown);
  const commands = useCommands(api);
  const asked = query.get("turn");
  const chosen = shown.find(({ number }) => String(number) === asked);
  // Without a choice, the newest turn is selected, also when new turns come.
  const selected = asked === NOW ? undefined : (chosen ?? shown[0]);
  const href = (turn: string) => sessionHref(name, "watch", { turn });
  const since = inSpan(commands.list, { after: turns[0]?.at });
  return (
    <>
      {can("workspace_rewind") && (
        <p class="buttons">
          <button type="button" class="primary" disabled={turns.length === 0} onClick={() => act(undoTurn(session, offer.active))}>Undo the last turn…</button>
        </p>
      )}
      <div class="watch">
        <nav aria-label="Turns" class="turns">
          <ul>
            <li>
              <a class="leaf" href={href(NOW)} aria-current={selected ? undefined : "true"}>
                Now, since the last turn
                <RanTally ran={{ commands: since ?? [] }} />
              </a>
            </li>
            {shown.map((turn) => (
              <li key={turn.number}>
                <a class="leaf" href={href(String(turn.number))} aria-current={turn === selected ? "true" : undefined}>
                  <span><b>Turn {turn.number}</b> {turn.label && <Text>{turn.label}</Text>} <span class="soft"><When at={turn.at} /></span></span>
                  <Tally lines={lines.get(turn.snapshotId)} />
                  <RanTally ran={turn} />
                </a>
              </li>
            ))}
          </ul>
          {turns.length > TURNS && <p><a href={sessionHref(name, "timeline")}>Older turns</a></p>}
          {turns.length === 0 && <p class="soft">No turn has ended yet.</p>}
        </nav>
        <section aria-labelledby="changed" class="looked">
          <h2 id="changed">{selected ? <>Turn {selected.number}{selected.label && <>: <Text>{selected.label}</Text></>}</> : "Since the last turn"}</h2>
          {selected?.restorable && can("workspace_rewind") && (
            <p class="buttons">
              <button type="button" onClick={() => act(rewind(session, offer.active, { selector: { turn: selected.number }, title: `Turn ${selected.number}` }))}>Rewind to its end…</button>
            </p>
          )}
          {can("workspace_diff") && <Changed offer={offer} selected={selected} newest={commands.list?.[0]?.seq} />}
        </section>
        {/* Without a choice, shows what runs now and what ran in the newest turn. */}
        <Beside commands={commands} list={inSpan(commands.list, { after: turnBefore(turns, selected)?.at, until: chosen?.at })} query={query} />
      </div>
    </>
  );
}

/** The turn that ended before another one, or before now. */
const turnBefore = (turns: TurnView[], turn: TurnView | undefined) => (turn ? turns[turns.indexOf(turn) + 1] : turns[0]);

/** Commands that began after one time and until another. */
const inSpan = (list: CommandRecord[] | undefined, { after, until }: { after: string | undefined; until?: string | undefined }) =>
  list?.filter(({ at }) => (after === undefined || at > after) && (until === undefined || at <= until));

/**
 * What a turn changed, or what has changed since the last turn. Compares again when a command ends, because it may have
 * changed files.
 */
function Changed({ offer, selected, newest }: { offer: Offer; selected: TurnView | undefined; newest: number | null | undefined }) {
  const { api, changes } = useSession();
  // By default, the server compares with the turn that the files come from. After a rewind, this is not the newest
  // turn.
  const sides = selected ? sidesOf(selected) : { to: { workspace: offer.active } };
  const diff = useLoad((signal) => api.diff({ ...sides, output: "text", maxBytes: BYTES.all, signal }), [api, JSON.stringify(sides), selected ? 0 : changes, selected ? 0 : newest]);
  return <Loaded of={diff}>{(first) => <Differences key={JSON.stringify(first)} first={first} offer={offer} isSplit={false} sides={sides} path={undefined} />}</Loaded>;
}

const sidesOf = ({ snapshotId, beforeSnapshotId }: TurnView) => ({ ...(beforeSnapshotId && { from: { snapshot: beforeSnapshotId } }), to: { snapshot: snapshotId } });

interface Lines {
  added: number;
  removed: number;
  /** Whether some lines were not counted. */
  isPart: boolean;
}

const Tally = ({ lines }: { lines: Lines | undefined }) => (
  <span class="tally">
    {lines && <><span class="added">+{lines.added}</span> <span class="removed">−{lines.removed}</span>{lines.isPart && " or more"}<span class="visually-hidden"> lines</span></>}
  </span>
);

/** Numbers of lines that each turn added and removed. Turns are counted one after the other, each only once. */
function useLines(api: Session, turns: TurnView[]): Map<string, Lines> {
  const known = useRef(new Map<string, Lines>());
  const [, counted] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    const count = async () => {
      for (const turn of turns.filter(({ snapshotId, restorable }) => restorable && !known.current.has(snapshotId))) {
        const { changes, truncated, nextOffset } = await api.diff({ ...sidesOf(turn), output: "text", maxBytes: BYTES.all, signal: ended.signal });
        const all = changes.map(countsOf);
        const sum = (kind: "added" | "removed") => all.reduce((before, one) => before + one[kind], 0);
        const isLeftOut = changes.some(({ noText }) => noText !== undefined && noText !== "binary");
        known.current.set(turn.snapshotId, { added: sum("added"), removed: sum("removed"), isPart: truncated || Boolean(nextOffset) || isLeftOut });
        counted((times) => times + 1);
      }
    };
    // If counting fails, the list is shown without numbers.
    count().catch(() => {});
    return () => ended.abort();
  }, [api, turns.map(({ snapshotId }) => snapshotId).join()]);
  return known.current;
}

/** Commands of the chosen turn, and what runs in the workspace. */
function Beside({ commands, list, query }: { commands: Commands; list: CommandRecord[] | undefined; query: URLSearchParams }) {
  const { can } = useSession();
  const id = useId();
  const tabs = [
    { name: "Commands", shown: () => <><Ran commands={commands} list={list} />{can("workspace_processes") && <Processes workspace={undefined} />}</> },
    ...(can("workspace_describe") ? [{ name: "Preview", shown: () => <Previews /> }] : []),
    ...(can("workspace_run") ? [{ name: "Terminal", shown: () => <Terminal query={query} view="watch" /> }] : []),
  ];
  const [chosen, setChosen] = useState(0);
  // An opened tab stays mounted: its shell goes on.
  const [opened, setOpened] = useState(new Set([0]));
  const choose = (at: number) => {
    setChosen(at);
    setOpened(new Set([...opened, at]));
  };
  const turn = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (chosen + step + tabs.length) % tabs.length;
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <section aria-label="What runs">
      <div role="tablist" aria-label="What runs" class="buttons" onKeyDown={turn}>
        {tabs.map(({ name }, at) => (
          <button key={name} id={`${id}-${at}`} type="button" role="tab" aria-selected={at === chosen} aria-controls={`${id}-panel-${at}`} tabIndex={at === chosen ? 0 : -1} onClick={() => choose(at)}>{name}</button>
        ))}
      </div>
      {tabs.map(({ name, shown }, at) => (
        <div key={name} role="tabpanel" id={`${id}-panel-${at}`} aria-labelledby={`${id}-${at}`} class="panel" hidden={at !== chosen}>{opened.has(at) && shown()}</div>
      ))}
    </section>
  );
}
