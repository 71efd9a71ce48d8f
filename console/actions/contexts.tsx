import type { CodeContextList } from "snapshotter-client";
import type { OpenSession } from "../access.ts";
import type { Act } from "../parts/act.tsx";
import { Id } from "../parts/text.tsx";
import { LANGUAGE } from "../parts/words.ts";

export function endContext({ api }: OpenSession, { context, language }: CodeContextList["contexts"][number], where: { workspace?: string }): Act {
  return {
    title: "Delete the code context",
    says: <>Ends the {LANGUAGE[language]} interpreter <Id>{context}</Id>, with its variables. Files stay as they are. This can't be undone.</>,
    verb: "Delete",
    danger: true,
    run: async (_, { signal }) => {
      await api.deleteCodeContext(context, { ...where, signal });
      return { message: "The code context is deleted." };
    },
  };
}
