/** A search in the files of a snapshot or workspace. */

import { useState } from "preact/hooks";
import type { FoundLine } from "snapshotter-client";
import { useSession } from "../access.ts";
import { plural } from "../parts/format.tsx";
import { Problem, Waiting } from "../parts/loading.tsx";
import { useLongList } from "../parts/loadmore.ts";
import { Lines, Text } from "../parts/text.tsx";
import { addressOf, search, type Sought, type Tree } from "../session/trees.ts";

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
  const { api } = useSession();
  const [left, setLeft] = useState("");
  const { items, error, loading, more, next } = useLongList((signal) => search(api, tree, sought, setLeft, signal), [api, addressOf(tree), JSON.stringify(sought)], 200);
  const files = Map.groupBy(items ?? [], ({ path }) => path);
  return (
    <section class="found" aria-label="What was found">
      <p role="status">{items && !loading && `${plural(items.length, "line")}${more ? " or more" : ""} in ${plural(files.size, "file")}. ${left}`}</p>
      <ul>
        {[...files].map(([path, found]) => (
          <li key={path}>
            <h2><a href={hrefOf(path, found[0]?.line ?? undefined)}><Text>{path}</Text></a></h2>
            <ul>{found.map((line, at) => <li key={at}><FoundText line={line} hrefOf={hrefOf} /></li>)}</ul>
          </li>
        ))}
      </ul>
      {error !== undefined && <Problem error={error} />}
      {loading && <Waiting what="Searching…" />}
      {more && !loading && <button type="button" class="quiet" onClick={next}>More lines</button>}
    </section>
  );
}

function FoundText({ line: { path, line, text, cut }, hrefOf }: { line: FoundLine; hrefOf: (path: string, line?: number) => string }) {
  return (
    <>
      {line ? <a class="line-number" href={hrefOf(path, line)} aria-label={`Line ${line}`}>{line}</a> : <span class="line-number" />}
      <code><Lines>{text}</Lines>{cut && "…"}</code>
    </>
  );
}
