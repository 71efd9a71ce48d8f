/** The differences between any two snapshots or workspaces. */

import { useSession } from "../access.ts";
import { BYTES, Differences } from "../look/differences.tsx";
import { offerOf, Picker, type Offer } from "../look/offer.tsx";
import { addressOf, changedSince, sideOf, treeOf, whatChanged, type Tree } from "../session/trees.ts";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { sessionHref, type ViewProps } from "../routes.ts";

export default function Diff({ query }: ViewProps) {
  const { api, changes } = useSession();
  const offer = useLoad((signal) => offerOf(api, signal), [api, changes]);
  return <Loaded of={offer}>{(value) => <Compared offer={value} query={query} />}</Loaded>;
}

function Compared({ offer, query }: { offer: Offer; query: URLSearchParams }) {
  const { name, api, changes } = useSession();
  const [from, to] = [treeOf(query.get("from")), treeOf(query.get("to"))];
  const isSplit = query.get("as") === "split";
  const isAll = query.has("ignored");
  const sides = { ...(from && { from: sideOf(from) }), ...(to && { to: sideOf(to) }) };
  // Snapshots never change. A workspace may have changed with each event, and comparing it starts no container.
  const round = from?.kind === "snapshot" && to?.kind === "snapshot" ? 0 : changes;
  const diff = useLoad((signal) => api.diff({ ...sides, includeIgnored: isAll, output: "text", maxBytes: BYTES.all, signal }), [api, JSON.stringify(sides), isAll, round]);
  const go = (next: { from?: Tree | undefined; to?: Tree | undefined; isSplit?: boolean; isAll?: boolean }) => {
    const side = { from, to, isSplit, isAll, ...next };
    location.hash = sessionHref(name, "diff", { from: side.from && addressOf(side.from), to: side.to && addressOf(side.to), as: side.isSplit ? "split" : undefined, ignored: side.isAll ? "" : undefined });
  };
  return (
    <>
      <div class="choices">
        <Picker label="From" offer={offer} value={from} none="its last turn or snapshot" onPick={(tree) => go({ from: tree })} />
        <Picker label="To" offer={offer} value={to} none="the active workspace" onPick={(tree) => go({ to: tree })} />
        <fieldset class="modes">
          <legend class="visually-hidden">Show as</legend>
          <label class="check"><input type="radio" name="as" checked={!isSplit} onChange={() => go({ isSplit: false })} /> Unified</label>
          <label class="check"><input type="radio" name="as" checked={isSplit} onChange={() => go({ isSplit: true })} /> Side by side</label>
        </fieldset>
        <label class="check"><input type="checkbox" checked={isAll} onChange={() => go({ isAll: !isAll })} /> Ignored files, too</label>
      </div>
      <Other query={query} />
      <Loaded of={diff}>
        {/* A different answer resets this view; an equal one changes nothing. */}
        {(first) => <Differences key={JSON.stringify(first)} first={first} offer={offer} isSplit={isSplit} sides={sides} isAll={isAll} path={query.get("path") ?? undefined} />}
      </Loaded>
    </>
  );
}

/** Switches between what a snapshot changed and what was changed since then. */
function Other({ query }: { query: URLSearchParams }) {
  const { name } = useSession();
  const [from, to, before] = [treeOf(query.get("from")), treeOf(query.get("to")), query.get("before")];
  const as = query.get("as") ?? undefined;
  if (to?.kind === "snapshot" && from?.kind !== "workspace") {
    return <p class="buttons"><span class="button" aria-current="true">What it changed</span> <a class="button" href={sessionHref(name, "diff", { ...changedSince(to.id, from?.id), as })}>Since then → now</a></p>;
  }
  if (from?.kind === "snapshot" && !to && before !== null) {
    return <p class="buttons"><a class="button" href={sessionHref(name, "diff", { ...whatChanged(from.id, treeOf(before)?.id), as })}>What it changed</a> <span class="button" aria-current="true">Since then → now</span></p>;
  }
  return null;
}
