/** A line of a unified diff, with its numbers on both sides. */

export interface DiffLine {
  kind: "same" | "added" | "removed";
  /** The line's number on the older side. */
  before?: number;
  /** The line's number on the newer side. */
  after?: number;
  text: string;
  /** Whether the file ends with this line, without a line feed. */
  unended?: true;
}

export interface Hunk {
  /** The text after the numbers, such as the function that has the lines. */
  context: string;
  lines: DiffLine[];
}

const KINDS: Record<string, DiffLine["kind"]> = { " ": "same", "+": "added", "-": "removed" };

export function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let before = 0;
  let after = 0;
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(line);
    const hunk = hunks.at(-1);
    if (header) {
      [before, after] = [Number(header[1]), Number(header[2])];
      hunks.push({ context: header[3]!, lines: [] });
    } else if (hunk && line.startsWith("\\")) {
      const last = hunk.lines.at(-1);
      if (last) last.unended = true;
    } else if (hunk) {
      // An empty line is a context line whose leading space was lost.
      const kind = KINDS[line[0] ?? " "];
      if (!kind) continue;
      hunk.lines.push({
        kind, text: line.slice(1), ...(kind !== "added" && { before: before++ }), ...(kind !== "removed" && { after: after++ }),
      });
    }
  }
  return hunks;
}

/** The lines of a hunk side by side: removed lines beside the lines that replace them. */
export function sidesOf({ lines }: Hunk): [DiffLine | undefined, DiffLine | undefined][] {
  const rows: [DiffLine | undefined, DiffLine | undefined][] = [];
  for (let at = 0; at < lines.length; ) {
    if (lines[at]!.kind === "same") {
      rows.push([lines[at], lines[at]]);
      at += 1;
      continue;
    }
    const [removed, added]: [DiffLine[], DiffLine[]] = [[], []];
    for (; at < lines.length && lines[at]!.kind !== "same"; at += 1) (lines[at]!.kind === "removed" ? removed : added).push(lines[at]!);
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1) rows.push([removed[row], added[row]]);
  }
  return rows;
}
