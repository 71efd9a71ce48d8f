/**
 * Every view, in the order of the navigation: its address, its label, and what it needs. To add one, write
 * `views/NAME.tsx`, whose default export is its component, and name it here. Each is a file that is loaded when it is
 * first shown.
 */

import type { ComponentType } from "preact";
import type { ToolName } from "./access.ts";

export interface ViewProps {
  /** What follows the `?` in its address. */
  query: URLSearchParams;
}

export interface View {
  /** Its last segment in the address. */
  name: string;
  label: string;
  /** Tools that need the same rights. Whoever may not call all of them does not see the view. The operator's views need none. */
  needs?: ToolName[];
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
}

/** Views of one session: `#/sessions/SESSION/NAME`. They get the session by `useSession()`. */
export const SESSION_VIEWS: View[] = [
  { name: "timeline", label: "Timeline", needs: ["workspace_list_snapshots"], load: () => import("./views/timeline.tsx") },
  { name: "lineage", label: "Lineage", needs: ["workspace_lineage"], load: () => import("./views/lineage.tsx") },
  { name: "workspaces", label: "Workspaces", needs: ["workspace_list_workspaces"], load: () => import("./views/workspaces.tsx") },
  { name: "files", label: "Files", needs: ["workspace_ls"], load: () => import("./views/files.tsx") },
  { name: "diff", label: "Diff", needs: ["workspace_diff"], load: () => import("./views/diff.tsx") },
  { name: "compare", label: "Compare", needs: ["workspace_compare", "workspace_list_workspaces"], load: () => import("./views/compare.tsx") },
  { name: "terminal", label: "Terminal", needs: ["workspace_run"], load: () => import("./views/terminal.tsx") },
  { name: "commands", label: "Commands", needs: ["workspace_processes"], load: () => import("./views/commands.tsx") },
  { name: "code", label: "Code", needs: ["workspace_list_code_contexts", "workspace_list_workspaces"], load: () => import("./views/code.tsx") },
  { name: "script", label: "Script", needs: ["workspace_script"], load: () => import("./views/script.tsx") },
  { name: "events", label: "Events", needs: ["workspace_list_workspaces"], load: () => import("./views/events.tsx") },
];

/** Views of the operator, across sessions: `#/NAME`. */
export const OPERATOR_VIEWS: View[] = [
  { name: "sessions", label: "Sessions", load: () => import("./views/sessions.tsx") },
  { name: "prune", label: "Prune", load: () => import("./views/prune.tsx") },
];

/** A place in the console. */
export interface Place {
  session: string | undefined;
  /** Name of the view; empty for the first one. */
  view: string;
  query: URLSearchParams;
}

/** The place of an address's fragment. */
export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const segments = path.split("/").map(decoded);
  const place = { query: new URLSearchParams(query) };
  if (segments[0] === "sessions" && segments[1]) return { ...place, session: segments[1], view: segments[2] ?? "" };
  return { ...place, session: undefined, view: segments[0] ?? "" };
}

/** The address of a session's view. Data gets into an address only here: encoded, and after the fragment's sign. */
export function sessionHref(session: string, view = "", query: Record<string, string | undefined> = {}): string {
  return `#/sessions/${encodeURIComponent(session)}${view && `/${view}`}${queryOf(query)}`;
}

/** The address of an operator's view. */
export const operatorHref = (view: string, query: Record<string, string | undefined> = {}) => `#/${view}${queryOf(query)}`;

function queryOf(query: Record<string, string | undefined>): string {
  const text = new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)).toString();
  return text && `?${text}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
