/**
 * The files of any snapshot or workspace: directories, contents, and a search. Files are read again only on request:
 * reading those of a workspace that has fallen asleep would wake it.
 */

import { useState } from "preact/hooks";
import { useSession } from "../access.ts";
import { Browse } from "../look/browse.tsx";
import { Content } from "../look/content.tsx";
import { Found, SearchForm } from "../look/found.tsx";
import { firstOf, offerOf, Picker, type Offer } from "../look/offer.tsx";
import { addressOf, treeOf, type Sought, type Tree } from "../session/trees.ts";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { STATUS } from "../parts/words.ts";
import { sessionHref, type ViewProps } from "../routes.ts";

export default function Files({ query }: ViewProps) {
  const { api, changes } = useSession();
  const offer = useLoad((signal) => offerOf(api, signal), [api, changes]);
  return <Loaded of={offer}>{(value) => <Chosen offer={value} query={query} />}</Loaded>;
}

function Chosen({ offer, query }: { offer: Offer; query: URLSearchParams }) {
  const { name } = useSession();
  const tree = treeOf(query.get("in")) ?? firstOf(offer);
  const at = addressOf(tree);
  const path = query.get("path") ?? "";
  const line = Number(query.get("line")) || undefined;
  const sought = soughtIn(query);
  const fileHref = (file: string, number?: number) => sessionHref(name, "files", { in: at, path: file, line: number?.toString(), ...queryFor(sought) });
  const [round, setRound] = useState(0);
  const go = (fields: Record<string, string | undefined>) => void (location.hash = sessionHref(name, "files", fields));
  return (
    <>
      <div class="choices">
        <Picker label="Files of" offer={offer} value={tree} onPick={(picked) => picked && go({ in: addressOf(picked), path: path || undefined, ...queryFor(sought) })} />
        <SearchForm key={JSON.stringify(sought)} sought={sought} onSearch={(next) => go({ in: at, ...queryFor(next) })} />
      </div>
      <Awake key={at} tree={tree} offer={offer}>
        {tree.kind === "workspace" && <p class="buttons"><button type="button" onClick={() => setRound(round + 1)}>Read again</button></p>}
        <div class="look" key={round}>
          <Browse tree={tree} selected={path} hrefOf={fileHref} />
          <div class="looked">
            {path && <Content key={`${at} ${path} ${line}`} tree={tree} path={path} line={line} />}
            {sought && <Found tree={tree} sought={sought} hrefOf={fileHref} />}
            {!path && !sought && <p class="soft">Choose a file.</p>}
          </div>
        </div>
      </Awake>
    </>
  );
}

/** Reading files of a workspace that does not run starts its container, so the user is asked first. */
function Awake({ tree, offer, children }: { tree: Tree; offer: Offer; children: preact.ComponentChildren }) {
  const { name } = useSession();
  const [start, setStart] = useState(false);
  const workspace = tree.kind === "workspace" ? offer.workspaces.find(({ ref }) => ref.ref.id === tree.id) : undefined;
  if (!workspace || workspace.status === "running" || start) return <>{children}</>;
  const { headSnapshotId: head, status } = workspace;
  return (
    <div class="asleep">
      <p>This workspace is {STATUS[status]}. Its container has to start before its files can be read.</p>
      <p class="buttons">
        {status !== "paused" && <button type="button" onClick={() => setStart(true)}>Start it</button>}
        {head && <a class="button" href={sessionHref(name, "files", { in: addressOf({ kind: "snapshot", id: head }) })}>Look at its last save</a>}
      </p>
    </div>
  );
}

/** The search that an address names. */
function soughtIn(query: URLSearchParams): Sought | undefined {
  const pattern = query.get("find");
  if (!pattern) return undefined;
  return { pattern, glob: query.get("glob") ?? "", fixed: !query.has("regex"), ignoreCase: !query.has("case") };
}

function queryFor(sought: Sought | undefined): Record<string, string | undefined> {
  if (!sought) return {};
  const { pattern, glob, fixed, ignoreCase } = sought;
  return { find: pattern, glob: glob || undefined, regex: fixed ? undefined : "1", case: ignoreCase ? undefined : "1" };
}
