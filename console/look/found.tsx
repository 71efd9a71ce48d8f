/** A search in the files of a snapshot or workspace. */

import { useState } from "preact/hooks";
import type { FoundLine } from "snapshotter-client";
import { useSession } from "../access.ts";
import { Lines, Text } from "../parts/text.tsx";
import { More, usePaged } from "./paging.tsx";
import { addressOf, search, type Sought, type Tree } from "./trees.ts";

export function SearchForm({ sought, onSearch }: { sought: Sought | undefined; onSearch: (sought: Sought) => void }) {
  return (
    <form
      class="search" role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        onSearch({ pattern: String(form.get("pattern")), fixed: !form.has("regex"), ignoreCase: !form.has("case"), glob: String(form.get("glob")) });
      }}
    >
      <label>Find in files <input name="pattern" type="search" required spellcheck={false} autocomplete="off" defaultValue={sought?.pattern} /></label>
      <label>Only files like <input name="glob" placeholder="*.py" spellcheck={false} autocomplete="off" defaultValue={sought?.glob} /></label>
      <label class="check"><input name="regex" type="checkbox" defaultChecked={sought && !sought.fixed} /> Regular expression</label>
      <label class="check"><input name="case" type="checkbox" defaultChecked={sought && !sought.ignoreCase} /> Match case</label>
      <button type="submit">Find</button>
    </form>
  );
}

export function Found({ tree, sought, hrefOf }: { tree: Tree; sought: Sought; hrefOf: (path: string, line?: number) => string }) {
  const { api, changes } = useSession();
  const [left, setLeft] = useState("");
  const lines = usePaged(
    async (from: string | number | undefined, signal) => {
      const page = await search(api, tree, sought, from, signal);
      setLeft(page.left);
      return { items: page.lines, next: page.next };
    },
    [api, addressOf(tree), JSON.stringify(sought), changes],
  );
  const files = Map.groupBy(lines.items, ({ path }) => path);
  const isDone = !lines.loading && lines.error === undefined;
  return (
    <section class="found" aria-label="What was found">
      <p role="status">{isDone && `${lines.items.length}${lines.more ? " or more" : ""} ${lines.items.length === 1 ? "line" : "lines"} in ${files.size} ${files.size === 1 ? "file" : "files"}. ${left}`}</p>
      <ul>
        {[...files].map(([path, found]) => (
          <li key={path}>
            <h2><a href={hrefOf(path, found[0]?.line ?? undefined)}><Text>{path}</Text></a></h2>
            <ul>{found.map((line, at) => <li key={at}><FoundText line={line} hrefOf={hrefOf} /></li>)}</ul>
          </li>
        ))}
      </ul>
      <More of={lines} what="lines" />
    </section>
  );
}

function FoundText({ line: { path, line, text, cut }, hrefOf }: { line: FoundLine; hrefOf: (path: string, line?: number) => string }) {
  return (
    <>
      {line ? <a class="number" href={hrefOf(path, line)} aria-label={`Line ${line}`}>{line}</a> : <span class="number" />}
      <code><Lines>{text}</Lines>{cut && "…"}</code>
    </>
  );
}
