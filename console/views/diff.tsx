/** What differs between any two snapshots or workspaces. */

import { useState } from "preact/hooks";
import type { ComparedTree, ShownChange, TreeDiff } from "snapshotter-client";
import { useSession } from "../access.ts";
import { Change, CHANGES, countsOf } from "../look/changes.tsx";
import { labelOf, offerOf, Picker, shortTime, type Offer } from "../look/offer.tsx";
import { addressOf, sideOf, treeOf, type Tree } from "../look/trees.ts";
import { Loaded, Problem, useLoad } from "../parts/loading.tsx";
import { Text, visible } from "../parts/text.tsx";
import { sessionHref, type ViewProps } from "../routes.ts";

/** Text of one answer: of all changes, and of one file alone. */
const BYTES = { all: 128 * 1024, one: 512 * 1024 };

export default function Diff({ query }: ViewProps) {
  const { api, changes } = useSession();
  const offer = useLoad((signal) => offerOf(api, signal), [api, changes]);
  return <Loaded of={offer}>{(value) => <Compared offer={value} query={query} />}</Loaded>;
}

function Compared({ offer, query }: { offer: Offer; query: URLSearchParams }) {
  const { name, api, changes } = useSession();
  const [from, to] = [treeOf(query.get("from")), treeOf(query.get("to"))];
  const isSplit = query.get("as") === "split";
  const sides = { ...(from && { from: sideOf(from) }), ...(to && { to: sideOf(to) }) };
  // Snapshots stay as they are. A workspace may have changed with each event, and to compare it starts no container.
  const round = from?.kind === "snapshot" && to?.kind === "snapshot" ? 0 : changes;
  const diff = useLoad((signal) => api.diff({ ...sides, output: "text", maxBytes: BYTES.all, signal }), [api, JSON.stringify(sides), round]);
  const go = (next: { from?: Tree | undefined; to?: Tree | undefined; isSplit?: boolean }) => {
    const side = { from, to, isSplit, ...next };
    location.hash = sessionHref(name, "diff", { from: side.from && addressOf(side.from), to: side.to && addressOf(side.to), as: side.isSplit ? "split" : undefined });
  };
  return (
    <>
      <div class="choices">
        <Picker label="From" offer={offer} value={from} none="the snapshot that it came from" onPick={(tree) => go({ from: tree })} />
        <Picker label="To" offer={offer} value={to} none="the active workspace" onPick={(tree) => go({ to: tree })} />
        <fieldset class="modes">
          <legend class="visually-hidden">Show as</legend>
          <label class="check"><input type="radio" name="as" checked={!isSplit} onChange={() => go({ isSplit: false })} /> Unified</label>
          <label class="check"><input type="radio" name="as" checked={isSplit} onChange={() => go({ isSplit: true })} /> Side by side</label>
        </fieldset>
      </div>
      <Loaded of={diff}>
        {/* Another answer is shown anew; an equal one changes nothing. */}
        {(first) => <Differences key={JSON.stringify(first)} first={first} offer={offer} isSplit={isSplit} sides={sides} />}
      </Loaded>
    </>
  );
}

interface DifferencesProps {
  first: TreeDiff;
  offer: Offer;
  isSplit: boolean;
  sides: { from?: ReturnType<typeof sideOf>; to?: ReturnType<typeof sideOf> };
}

function Differences({ first, offer, isSplit, sides }: DifferencesProps) {
  const { api } = useSession();
  const [pages, setPages] = useState([first]);
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const changed = pages.flatMap((page) => page.changes);
  const offset = pages.at(-1)!.nextOffset;
  const more = async () => {
    setState({ busy: true });
    try {
      const page = await api.diff({ ...sides, output: "text", maxBytes: BYTES.all, offset: offset! });
      setPages([...pages, page]);
      setState({ busy: false });
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  const load = async (path: string): Promise<ShownChange | undefined> =>
    (await api.diff({ ...sides, output: "text", maxBytes: BYTES.one, path, includeIgnored: true })).changes.find((one) => one.path === path);
  const show = (at: number) => document.getElementById(`change-${at}`)?.focus();
  return (
    <>
      <p role="status">
        <Side side={first.from} offer={offer} /> → <Side side={first.to} offer={offer} />: {summary(first)}
      </p>
      {first.ignored && first.ignored.length > 0 && <p class="hint">Only counted: {first.ignored.map(({ path }) => visible(path)).join(", ")}.</p>}
      {changed.length > 0 && (
        <div class="look">
          <nav class="browse" aria-label="Changed files">
            <ul>
              {changed.map((change, at) => {
                const { added, removed } = countsOf(change);
                return (
                  <li key={at}>
                    <button type="button" class="leaf" onClick={() => show(at)}>
                      <Text>{change.path}</Text>
                      <span class="tally"><span class="visually-hidden">, {CHANGES[change.change]}</span>{added > 0 && <span class="added">+{added}</span>} {removed > 0 && <span class="removed">−{removed}</span>}</span>
                    </button>
                  </li>
                );
              })}
            </ul>
          </nav>
          <div class="looked">
            {changed.map((change, at) => <Change key={at} id={`change-${at}`} change={change} isSplit={isSplit} load={load} />)}
            {state.error !== undefined && <Problem error={state.error} />}
            {offset && <button type="button" disabled={state.busy} onClick={more}>{state.busy ? "Loading more…" : "More changes"}</button>}
          </div>
        </div>
      )}
    </>
  );
}

/** What was really compared: a workspace that does not run, by its last save. */
function Side({ side: { sandboxId, snapshotId, savedAt }, offer }: { side: ComparedTree; offer: Offer }) {
  if (!sandboxId) return <strong>{snapshotId ? labelOf(offer, { kind: "snapshot", id: snapshotId }) : "no files"}</strong>;
  return (
    <>
      <strong>{labelOf(offer, { kind: "workspace", id: sandboxId })}</strong>
      {savedAt && <>, as saved <time dateTime={savedAt}>{shortTime(savedAt)}</time></>}
    </>
  );
}

function summary({ counts }: TreeDiff): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([kind, count]) => (kind === "access" ? `${count} with another mode or owner` : `${count} ${kind}`));
  return parts.length > 0 ? `${parts.join(", ")}.` : "no differences.";
}
