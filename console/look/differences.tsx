/** The differences between two trees: the changed files, and the changed lines of each one. */

import { useEffect, useState } from "preact/hooks";
import type { ComparedTree, ShownChange, TreeDiff } from "snapshotter-client";
import { useSession } from "../access.ts";
import { Problem } from "../parts/loading.tsx";
import { Text, visible } from "../parts/text.tsx";
import { Change, CHANGES, countsOf } from "./changes.tsx";
import { labelOf, shortTime, type Offer } from "./offer.tsx";
import type { sideOf } from "../session/trees.ts";

/** Maximum bytes of text in an answer about all changes, and in one about a single file. */
export const BYTES = { all: 128 * 1024, one: 512 * 1024 };

interface DifferencesProps {
  first: TreeDiff;
  offer: Offer;
  isSplit: boolean;
  sides: { from?: ReturnType<typeof sideOf>; to?: ReturnType<typeof sideOf> };
  /** Whether ignored files are included. */
  isAll?: boolean;
  /** The path of the file to begin with. */
  path: string | undefined;
}

export function Differences({ first, offer, isSplit, sides, isAll = false, path }: DifferencesProps) {
  const { api } = useSession();
  const [pages, setPages] = useState([first]);
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  // The file to begin with, if the first answer has no room for it.
  const [alone, setAlone] = useState<ShownChange[]>([]);
  const listed = pages.flatMap((page) => page.changes);
  const changed = [...alone.filter((one) => !listed.some(({ path }) => path === one.path)), ...listed];
  const left = Object.values(first.counts).reduce((sum, count) => sum + count, 0) - listed.length;
  const offset = pages.at(-1)!.nextOffset;
  const more = async () => {
    setState({ busy: true });
    try {
      const page = await api.diff({ ...sides, includeIgnored: isAll, output: "text", maxBytes: BYTES.all, offset: offset! });
      setPages([...pages, page]);
      setState({ busy: false });
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  const load = async (path: string): Promise<ShownChange | undefined> =>
    (await api.diff({ ...sides, output: "text", maxBytes: BYTES.one, path, includeIgnored: true })).changes.find((one) => one.path === path);
  const show = (at: number) => document.getElementById(`change-${at}`)?.focus();
  useEffect(() => {
    if (path === undefined) return;
    const at = changed.findIndex((one) => one.path === path);
    if (at >= 0) show(at);
    else void load(path).then((one) => one && setAlone([one]), (error: unknown) => setState({ busy: false, error }));
  }, [path, alone]);
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
              {offset && left > 0 && <li><button type="button" class="leaf" disabled={state.busy} onClick={more}>and {left.toLocaleString("en")} others</button></li>}
            </ul>
          </nav>
          <div class="looked">
            {changed.map((change, at) => <Change key={at} id={`change-${at}`} change={change} isSplit={isSplit} load={load} />)}
            {state.error !== undefined && <Problem error={state.error} />}
            {offset && <button type="button" disabled={state.busy} onClick={more}>{state.busy ? "Loading more…" : `More changes${left > 0 ? `: ${left.toLocaleString("en")} are left` : ""}`}</button>}
          </div>
        </div>
      )}
    </>
  );
}

/** The tree that was really compared. For a workspace that does not run, this is its last save. */
function Side({ side: { workspaceId, snapshotId, savedAt }, offer }: { side: ComparedTree; offer: Offer }) {
  if (!workspaceId) return <strong>{snapshotId ? labelOf(offer, { kind: "snapshot", id: snapshotId }) : "no files"}</strong>;
  return (
    <>
      <strong>{labelOf(offer, { kind: "workspace", id: workspaceId })}</strong>
      {savedAt && <>, as saved <time dateTime={savedAt}>{shortTime(savedAt)}</time></>}
    </>
  );
}

function summary({ counts }: TreeDiff): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([kind, count]) => (kind === "access" ? `${count} with another mode or owner` : `${count} ${kind}`));
  return parts.length > 0 ? `${parts.join(", ")}.` : "no differences.";
}
