/** The directories of a snapshot or workspace. */

import { useState } from "preact/hooks";
import type { ListedEntry } from "snapshotter-client";
import { useSession } from "../access.ts";
import { Problem, Waiting } from "../parts/loading.tsx";
import { useLongList } from "../parts/loadmore.ts";
import { Text } from "../parts/text.tsx";
import { addressOf, list, type Tree } from "../session/trees.ts";

/** How many entries are shown at first, and how many each step adds. */
const SHOWN = 200;

interface BrowseProps {
  tree: Tree;
  /** The path of the shown file. */
  selected: string;
  hrefOf: (path: string) => string;
}

export function Browse(props: BrowseProps) {
  return <nav class="browse" aria-label="Files"><Directory {...props} path="" /></nav>;
}

function Directory({ path, ...props }: BrowseProps & { path: string }) {
  const { api } = useSession();
  const { tree } = props;
  const { items, error, loading, more, next } = useLongList((signal) => list(api, tree, path, signal), [api, addressOf(tree), path], SHOWN);
  return (
    <>
      {items && items.length > 0 && <ul>{items.map((entry) => <li key={entry.pathBase64 ?? entry.path}><Entry {...props} entry={entry} directory={path} /></li>)}</ul>}
      {items?.length === 0 && !more && <p class="soft">Empty</p>}
      {error !== undefined && <Problem error={error} />}
      {loading && <Waiting />}
      {more && !loading && <button type="button" class="quiet" onClick={next}>More files</button>}
    </>
  );
}

function Entry({ entry, directory, ...props }: BrowseProps & { entry: ListedEntry; directory: string }) {
  // Paths in lists of workspaces begin at the directory, paths in lists of snapshots at the root.
  const last = entry.path.split("/").at(-1)!;
  const path = directory === "" ? last : `${directory}/${last}`;
  const [open, setOpen] = useState(props.selected.startsWith(`${path}/`));
  const name = <Text>{last}</Text>;
  // A call can name only UTF-8 paths.
  if (entry.pathBase64) return <span class="leaf soft"><span>{name} (not UTF-8)</span></span>;
  if (entry.type === "directory") {
    return (
      <>
        <button type="button" class="leaf" aria-expanded={open} onClick={() => setOpen(!open)}><span>{name}/</span></button>
        {open && <Directory {...props} path={path} />}
      </>
    );
  }
  if (entry.type === "other") return <span class="leaf soft"><span>{name} (no file)</span></span>;
  return <a class="leaf" href={props.hrefOf(path)} aria-current={path === props.selected ? "true" : undefined}><span>{name}{entry.type === "symlink" && " (link)"}</span></a>;
}
