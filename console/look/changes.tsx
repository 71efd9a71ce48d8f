/** A changed file: its kind of change, and its lines, unified or side by side. */

import { useState } from "preact/hooks";
import type { ChangeKind, NoText, ShownChange } from "snapshotter-client";
import { Lines, Text, visible } from "../parts/text.tsx";
import { hunksOf, sidesOf, type DiffLine, type Hunk } from "./patch.ts";
import { Problem } from "../parts/loading.tsx";

export const CHANGES: Record<ChangeKind, string> = {
  added: "added", removed: "removed", modified: "modified", renamed: "renamed", type: "another type", link: "link changed", mode: "mode changed", owner: "owner changed",
};

const NO_TEXT: Record<NoText, string> = {
  binary: "Its content is not text.",
  tooLarge: "It is too large to be compared line by line.",
  noRoom: "It is left out, because there are many changes.",
  refused: "Its content could not be compared line by line.",
};

/** Numbers of added and removed lines. */
export function countsOf({ text }: ShownChange): { added: number; removed: number } {
  const lines = hunksOf(text ?? "").flatMap((hunk) => hunk.lines);
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

/** Longer differences are shown only on request. */
const LINES_SHOWN = 400;

interface ChangeProps {
  change: ShownChange;
  id: string;
  isSplit: boolean;
  /** Compares this file alone, with more room. */
  load: (path: string) => Promise<ShownChange | undefined>;
}

export function Change({ change: listed, id, isSplit, load }: ChangeProps) {
  const [loaded, setLoaded] = useState<ShownChange>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isLong, setLong] = useState(true);
  const change = loaded ?? listed;
  const hunks = hunksOf(change.text ?? "");
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const show = async () => {
    setBusy(true);
    setError(undefined);
    await load(change.path).then(setLoaded, setError);
    setBusy(false);
  };
  return (
    <article class="change">
      <h2 id={id} tabIndex={-1}>
        {change.renamedFrom && <><Text>{change.renamedFrom.path}</Text> → </>}<Text>{change.path}</Text> <span class={`kind ${change.change}`}>{CHANGES[change.change]}</span>
      </h2>
      <Facts change={change} />
      {hunks.length > 0 && (isLong && lines > LINES_SHOWN
        ? <p><button type="button" onClick={() => setLong(false)}>Show {lines} lines<span class="visually-hidden"> of <Text>{change.path}</Text></span></button></p>
        : <Diff hunks={hunks} isSplit={isSplit} path={change.path} />)}
      {change.noText && (
        <p class="soft">
          {NO_TEXT[change.noText]} {change.noText === "noRoom" && !change.pathBase64 && <button type="button" disabled={busy} onClick={show}>{busy ? "Comparing…" : "Show it"}</button>}
        </p>
      )}
      {error !== undefined && <Problem error={error} />}
    </article>
  );
}

/** Changes beside the content. */
function Facts({ change }: { change: ShownChange }) {
  const facts = [
    change.uncertain && "not compared: it may be the same",
    change.oldMode && `mode ${change.oldMode} → ${change.mode}`,
    change.oldOwner && `owner ${change.oldOwner} → ${change.owner}`,
    change.oldType && `${change.oldType} → ${change.type}`,
    change.oldTarget && `link to ${visible(change.oldTarget)} → ${visible(change.target ?? "")}`,
  ].filter(Boolean);
  return facts.length > 0 ? <p class="soft">{facts.join(", ")}</p> : null;
}

const SIGNS = { same: " ", added: "+", removed: "-" };

function Diff({ hunks, isSplit, path }: { hunks: Hunk[]; isSplit: boolean; path: string }) {
  return (
    <div class="diff" tabIndex={0} role="region" aria-label={`Changes of ${visible(path)}`}>
      <table class={isSplit ? "split" : "unified"}>
        {isSplit && <colgroup><col class="numbers" /><col /><col class="numbers" /><col /></colgroup>}
        <thead class="visually-hidden"><tr>{isSplit ? <><th>Line</th><th>Before</th><th>Line</th><th>After</th></> : <><th>Line before</th><th>Line after</th><th>Text</th></>}</tr></thead>
        {hunks.map((hunk, at) => (
          <tbody key={at}>
            <tr class="hunk"><td colSpan={isSplit ? 4 : 3}>Line {hunk.lines.find(({ after }) => after)?.after ?? hunk.lines[0]?.before} <code><Lines>{hunk.context}</Lines></code></td></tr>
            {isSplit
              ? sidesOf(hunk).map(([before, after], row) => <tr key={row}><Side line={before} number={before?.before} /><Side line={after} number={after?.after} /></tr>)
              : hunk.lines.map((line, row) => (
                <tr key={row} class={line.kind}>
                  <td class="line-number">{line.before}</td><td class="line-number">{line.after}</td><DiffText line={line} />
                </tr>
              ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

const Side = ({ line, number }: { line: DiffLine | undefined; number: number | undefined }) => (
  <><td class={`line-number ${line?.kind ?? "none"}`}>{number}</td>{line ? <DiffText line={line} /> : <td class="none" />}</>
);

/** A line with its sign as text: it is copied and read out, and does not depend on colours. */
const DiffText = ({ line }: { line: DiffLine }) => (
  <td class={`text ${line.kind}`}><code><span class="sign">{SIGNS[line.kind]}</span><Lines>{line.text}</Lines></code>{line.unended && <span class="soft"> (no line feed at the end)</span>}</td>
);
