/** Snapshots and workspaces as places with files: how an address names them, and how their files are read. */

import type { FoundLine, ListedEntry, Session } from "snapshotter-client";

/** A snapshot or a workspace, by its id. */
export interface Tree {
  kind: "snapshot" | "workspace";
  id: string;
}

/** A tree in an address. */
export const addressOf = ({ kind, id }: Tree) => `${kind}:${id}`;

export function treeOf(address: string | null): Tree | undefined {
  const [, kind, id] = /^(snapshot|workspace):(.+)$/s.exec(address ?? "") ?? [];
  return id === undefined ? undefined : { kind: kind as Tree["kind"], id };
}

/** A tree as one side of a comparison. */
export const sideOf = ({ kind, id }: Tree) => (kind === "snapshot" ? { snapshot: id } : { workspace: id });

/** Entries of one answer. */
const PAGE = 200;

/** The entries of a directory. Pages are asked for as they are needed. */
export async function* list(api: Session, { kind, id }: Tree, path: string, signal: AbortSignal): AsyncGenerator<ListedEntry, void> {
  if (kind === "snapshot") return yield* api.listFiles(id, { limit: PAGE, signal, ...(path && { path }) });
  for (let offset: number | null | undefined = 0; typeof offset === "number"; ) {
    const page: { entries: ListedEntry[]; nextOffset?: number | null } =
      await api.callTool("workspace_ls", { workspace: id, path: path || ".", includeHidden: true, limit: PAGE, offset }, { signal });
    yield* page.entries;
    offset = page.nextOffset;
  }
}

export interface FilePart {
  content: string;
  encoding: "utf-8" | "base64";
  mimeType?: string | null;
  /** Size of the whole file in bytes. */
  size: number;
  /** Where in the file the part begins, in bytes. */
  offset: number;
  nextLine?: number | null;
  nextOffset?: number | null;
}

/** A part of a file: from a line on, from a byte on, or whole, which may have at most 2 MiB. */
export type Part = { startLine: number; lineCount: number } | { offset: number; length: number } | { encoding: "base64" };

export function read(api: Session, { kind, id }: Tree, path: string, part: Part, signal?: AbortSignal): Promise<FilePart> {
  if (kind === "workspace") return api.callTool("workspace_read_file", { workspace: id, path, ...part }, { signal });
  return api.callTool("workspace_snapshot_read", { ref: id, path, ...part }, { signal });
}

export interface Sought {
  pattern: string;
  fixed: boolean;
  ignoreCase: boolean;
  glob: string;
}

/** Lines that match. What is not searched is told in words. */
export async function* search(
  api: Session, { kind, id }: Tree, { pattern, glob, ...how }: Sought, passedOver: (what: string) => void, signal: AbortSignal,
): AsyncGenerator<FoundLine, void> {
  const options = { ...how, ...(glob && { glob }), limit: PAGE };
  if (kind === "workspace") {
    passedOver("Not searched: binary files, and those in .git or named by .gitignore.");
    for (let offset: number | null | undefined = 0; typeof offset === "number"; ) {
      const page: { lines: FoundLine[]; nextOffset?: number | null } = await api.callTool("workspace_grep", { ...options, pattern, workspace: id, offset }, { signal });
      yield* page.lines;
      offset = page.nextOffset;
    }
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
