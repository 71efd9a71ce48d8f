/** A unified diff as lines with their numbers on either side. */

export interface DiffLine {
  kind: "same" | "added" | "removed";
  /** Its number on the older side. */
  before?: number;
  /** Its number on the newer side. */
  after?: number;
  text: string;
  /** The file ends with it, without a line feed. */
  unended?: true;
}

export interface Hunk {
  /** What follows the numbers: the function, say, that the lines are in. */
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
      // An empty line is one of context whose space was lost.
      const kind = KINDS[line[0] ?? " "];
      if (!kind) continue;
      hunk.lines.push({
        kind, text: line.slice(1), ...(kind !== "added" && { before: before++ }), ...(kind !== "removed" && { after: after++ }),
      });
    }
  }
  return hunks;
}

/** The lines of a hunk beside each other: those that went, with those that came in their place. */
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
