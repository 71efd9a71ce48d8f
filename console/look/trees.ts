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

/** Where a list goes on. */
type Cursor = string | number;

export interface EntryPage {
  entries: ListedEntry[];
  next: Cursor | undefined;
}

/** Entries of a page of a directory. */
const ENTRIES = 200;

export async function list(api: Session, { kind, id }: Tree, path: string, from: Cursor | undefined, signal?: AbortSignal): Promise<EntryPage> {
  if (kind === "workspace") {
    const input = { workspace: id, path: path || ".", includeHidden: true, limit: ENTRIES, ...(typeof from === "number" && { offset: from }) };
    const { entries, nextOffset } = await api.callTool("workspace_ls", input, { signal });
    return { entries, next: nextOffset ?? undefined };
  }
  const options = { limit: ENTRIES, signal, ...(path && { path }), ...(typeof from === "string" && { cursor: from }) };
  const page = await first(api.listFiles(id, options).pages());
  return { entries: page.entries, next: page.nextCursor ?? undefined };
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

export interface FoundPage {
  lines: FoundLine[];
  next: Cursor | undefined;
  /** What was not searched, in words. */
  left: string;
}

export async function search(api: Session, { kind, id }: Tree, { pattern, fixed, ignoreCase, glob }: Sought, from: Cursor | undefined, signal?: AbortSignal): Promise<FoundPage> {
  const input = { pattern, fixed, ignoreCase, ...(glob && { glob }), limit: ENTRIES };
  if (kind === "workspace") {
    const { lines, nextOffset } = await api.callTool("workspace_grep", { ...input, workspace: id, ...(typeof from === "number" && { offset: from }) }, { signal });
    return { lines, next: nextOffset ?? undefined, left: "Binary files, and those in .git or named by .gitignore, are not searched." };
  }
  const { pattern: _, ...options } = input;
  const page = await first(api.grep(id, pattern, { ...options, signal, ...(typeof from === "string" && { cursor: from }) }).pages());
  const { binary, git, tooLarge } = page.notSearched;
  const left = [binary && `${binary} binary`, tooLarge && `${tooLarge} larger than 2 MiB`, git && `${git} in .git`].filter(Boolean).join(", ");
  return { lines: page.lines, next: page.nextCursor ?? undefined, left: left && `Not searched here: ${left}.` };
}

async function first<Page>(pages: AsyncGenerator<Page, void>): Promise<Page> {
  const { value } = await pages.next();
  if (!value) throw new Error("the server sent no page");
  return value;
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
