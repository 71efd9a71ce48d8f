/** Runs code in interpreters of a workspace that keep their variables. */

import { Contexts } from "../live/contexts.tsx";
import { InWorkspace } from "../look/offer.tsx";
import type { ViewProps } from "../routes.ts";

export default function Code({ query }: ViewProps) {
  return <InWorkspace view="code" query={query}>{(workspace) => <Contexts key={workspace} workspace={workspace} />}</InWorkspace>;
}
