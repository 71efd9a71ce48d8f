/**
 * Every view, in the order of the navigation: its address, its label, and the tools that it needs. To add a view, write
 * `views/NAME.tsx` with its component as the default export, and name it here. Each view's file is loaded when the view
 * is first shown.
 */

import type { ComponentType } from "preact";
import type { ToolName } from "./access.ts";
import type { ViewProps } from "./routes.ts";

export interface View {
  /** The view's last segment in the address. */
  name: string;
  label: string;
  /**
   * Tools that need the same rights as the view. A holder who may not call all of them does not see the view. The
   * operator's views need none.
   */
  needs?: ToolName[];
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
}

/** Views of one session: `#/sessions/SESSION/NAME`. They get the session by `useSession()`. */
export const SESSION_VIEWS: View[] = [
  { name: "timeline", label: "Timeline", needs: ["workspace_list_snapshots"], load: () => import("./views/timeline.tsx") },
  { name: "watch", label: "Watch", needs: ["workspace_timeline", "workspace_list_workspaces"], load: () => import("./views/watch.tsx") },
  { name: "lineage", label: "Lineage", needs: ["workspace_lineage"], load: () => import("./views/lineage.tsx") },
  { name: "workspaces", label: "Workspaces", needs: ["workspace_list_workspaces"], load: () => import("./views/workspaces.tsx") },
  { name: "files", label: "Files", needs: ["workspace_ls"], load: () => import("./views/files.tsx") },
  { name: "diff", label: "Diff", needs: ["workspace_diff"], load: () => import("./views/diff.tsx") },
  { name: "compare", label: "Compare", needs: ["workspace_compare", "workspace_list_workspaces"], load: () => import("./views/compare.tsx") },
  { name: "terminal", label: "Terminal", needs: ["workspace_run"], load: () => import("./views/terminal.tsx") },
  { name: "previews", label: "Previews", needs: ["workspace_describe"], load: () => import("./views/previews.tsx") },
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
