/** The directories of a snapshot or workspace. */

import { useState } from "preact/hooks";
import type { ListedEntry } from "snapshotter-client";
import { useSession } from "../access.ts";
import { Text } from "../parts/text.tsx";
import { More, usePaged } from "./paging.tsx";
import { addressOf, list, type Tree } from "./trees.ts";

interface BrowseProps {
  tree: Tree;
  /** The file that is shown. */
  selected: string;
  hrefOf: (path: string) => string;
}

export function Browse(props: BrowseProps) {
  return <nav class="browse" aria-label="Files"><Directory {...props} path="" /></nav>;
}

function Directory({ path, ...props }: BrowseProps & { path: string }) {
  const { api, changes } = useSession();
  const { tree } = props;
  const entries = usePaged(
    async (from: string | number | undefined, signal) => {
      const page = await list(api, tree, path, from, signal);
      return { items: page.entries, next: page.next };
    },
    [api, addressOf(tree), path, changes],
  );
  const isEmpty = entries.items.length === 0 && !entries.loading && entries.error === undefined && !entries.more;
  return (
    <>
      {entries.items.length > 0 && <ul>{entries.items.map((entry) => <li key={entry.pathBase64 ?? entry.path}><Entry {...props} entry={entry} directory={path} /></li>)}</ul>}
      {isEmpty && <p class="soft">Empty</p>}
      <More of={entries} what="files" />
    </>
  );
}

function Entry({ entry, directory, ...props }: BrowseProps & { entry: ListedEntry; directory: string }) {
  // Lists of workspaces begin at the directory, those of snapshots at the root.
  const last = entry.path.split("/").at(-1)!;
  const path = directory === "" ? last : `${directory}/${last}`;
  const [open, setOpen] = useState(props.selected.startsWith(`${path}/`));
  const name = <Text>{last}</Text>;
  // A call can name only what is UTF-8.
  if (entry.pathBase64) return <span class="entry soft"><span>{name} (not UTF-8)</span></span>;
  if (entry.type === "directory") {
    return (
      <>
        <button type="button" class="entry" aria-expanded={open} onClick={() => setOpen(!open)}><span>{name}/</span></button>
        {open && <Directory {...props} path={path} />}
      </>
    );
  }
  if (entry.type === "other") return <span class="entry soft"><span>{name} (no file)</span></span>;
  return <a class="entry" href={props.hrefOf(path)} aria-current={path === props.selected ? "true" : undefined}><span>{name}{entry.type === "symlink" && " (link)"}</span></a>;
}
