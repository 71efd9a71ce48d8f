/** A turn's changes: their numbers, and the first paths. Each path is a link to its lines. */

import type { TurnView } from "snapshotter-client";
import { useSession } from "../access.ts";
import { whatChanged } from "./trees.ts";
import { sessionHref } from "../routes.ts";
import { Text } from "../parts/text.tsx";

const SIGNS = { added: "+", removed: "−", modified: "~", renamed: "→", access: "·" } as const;

export function Changes({ turn: { changes, snapshotId, beforeSnapshotId, restorable } }: { turn: TurnView }) {
  const { name, can } = useSession();
  if (!changes) return null;
  const counts = Object.entries(changes.counts ?? {}).filter(([, count]) => count > 0);
  if (changes.counts && counts.length === 0) return <p class="facts"><span>no file changed</span></p>;
  const isLinked = restorable && can("workspace_diff");
  const href = (path?: string) => sessionHref(name, "diff", { ...whatChanged(snapshotId, beforeSnapshotId), path });
  const paths = changes.paths ?? [];
  const left = counts.reduce((sum, [, count]) => sum + count, 0) - paths.length;
  return (
    <>
      <p class="facts">
        {counts.map(([kind, count]) => <span key={kind} class={`count ${kind}`}>{SIGNS[kind as keyof typeof SIGNS] ?? ""}{count} {kind === "access" ? "permissions" : kind}</span>)}
        {!changes.counts && <span>too many files to compare</span>}
      </p>
      {paths.length > 0 && (
        <ul class="paths">
          {paths.map(({ path, pathBase64, change }) => (
            <li key={pathBase64 ?? path} class={change}>
              {isLinked ? <a href={href(pathBase64 ? undefined : path)}><code><Text>{path}</Text></code></a> : <code><Text>{path}</Text></code>}
            </li>
          ))}
          {left > 0 && <li>{isLinked ? <a href={href()}>and {left.toLocaleString("en")} more</a> : `and ${left.toLocaleString("en")} more`}</li>}
        </ul>
      )}
    </>
  );
}
