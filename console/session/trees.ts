/** Snapshots and workspaces as trees of files: their form in an address, and how to read their files. */

import type { FoundLine, ListedEntry, Session } from "snapshotter-client";

/** A snapshot or a workspace, by its id. */
export interface Tree {
  kind: "snapshot" | "workspace";
  id: string;
}

/** The form of a tree in an address. */
export const addressOf = ({ kind, id }: Tree) => `${kind}:${id}`;

export function treeOf(address: string | null): Tree | undefined {
  const [, kind, id] = /^(snapshot|workspace):(.+)$/s.exec(address ?? "") ?? [];
  return id === undefined ? undefined : { kind: kind as Tree["kind"], id };
}

/** The two sides of a comparison in an address: a snapshot against the files before it, which shows what it changed. */
export const whatChanged = (id: string, before: string | null | undefined) => ({
  from: before ? addressOf({ kind: "snapshot", id: before }) : undefined, to: addressOf({ kind: "snapshot", id }),
});

/** The same for changes since a snapshot. `before` leads back to what the snapshot itself changed. */
export const changedSince = (id: string, before: string | null | undefined) => ({
  from: addressOf({ kind: "snapshot", id }), before: before ? addressOf({ kind: "snapshot", id: before }) : "none",
});

/** A tree as one side of a comparison. */
export const sideOf = ({ kind, id }: Tree) => (kind === "snapshot" ? { snapshot: id } : { workspace: id });

/** Entries of one page. */
const PAGE = 200;

/** The entries of a directory. Requests further pages as needed. */
export async function* list(api: Session, { kind, id }: Tree, path: string, signal: AbortSignal): AsyncGenerator<ListedEntry, void> {
  if (kind === "snapshot") return yield* api.listFiles(id, { limit: PAGE, signal, ...(path && { path }) });
  let cursor: string | null | undefined;
  do {
    const asked = { at: `workspace:${id}`, path: path || ".", includeHidden: true, limit: PAGE, ...(cursor && { cursor }) };
    const page: { entries: ListedEntry[]; nextCursor?: string | null } = await api.callTool("workspace_ls", asked, { signal });
    yield* page.entries;
    cursor = page.nextCursor;
  } while (cursor);
}

export interface FilePart {
  content: string;
  encoding: "utf-8" | "base64";
  mimeType?: string | null;
  /** Size of the whole file in bytes. */
  sizeBytes: number;
  /** The offset of the part in the file, in bytes. */
  offset: number;
  nextLine?: number | null;
  nextOffset?: number | null;
}

/** A part of a file: from a line on, from a byte on, or the whole file if it has at most 2 MiB. */
export type Part = { startLine: number; lineCount: number } | { offset: number; maxBytes: number } | { encoding: "base64" };

export function read(api: Session, { kind, id }: Tree, path: string, part: Part, signal?: AbortSignal): Promise<FilePart> {
  return api.callTool("workspace_read_file", { at: kind === "workspace" ? `workspace:${id}` : id, path, ...part }, { signal });
}

export interface Sought {
  pattern: string;
  fixed: boolean;
  ignoreCase: boolean;
  glob: string;
}

/** Matching lines. Reports in words which files are not searched. */
export async function* search(
  api: Session, { kind, id }: Tree, { pattern, glob, ...how }: Sought, passedOver: (what: string) => void, signal: AbortSignal,
): AsyncGenerator<FoundLine, void> {
  const options = { ...how, ...(glob && { glob }), limit: PAGE };
  if (kind === "workspace") {
    passedOver("Not searched: binary files, and those in .git or named by .gitignore.");
    let cursor: string | null | undefined;
    do {
      const asked = { ...options, pattern, at: `workspace:${id}`, ...(cursor && { cursor }) };
      const page: { lines: FoundLine[]; nextCursor?: string | null } = await api.callTool("workspace_grep", asked, { signal });
      yield* page.lines;
      cursor = page.nextCursor;
    } while (cursor);
    return;
  }
  const sums = { binary: 0, tooLarge: 0, git: 0 };
  for await (const { lines, notSearched } of api.searchSnapshot(id, pattern, { ...options, signal }).pages()) {
    for (const reason of ["binary", "tooLarge", "git"] as const) sums[reason] += notSearched[reason];
    const parts = [sums.binary && `${sums.binary} binary`, sums.tooLarge && `${sums.tooLarge} larger than 2 MiB`, sums.git && `${sums.git} in .git`].filter(Boolean);
    passedOver(parts.length > 0 ? `Not searched: ${parts.join(", ")}.` : "");
    yield* lines;
  }
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
