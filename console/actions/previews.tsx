/** Links to servers in a workspace. */

import type { PreviewView, SharedPreview } from "snapshotter-client";
import type { OpenSession } from "../access.ts";
import { Select, textOf, type Act } from "../parts/act.tsx";

const HOUR = 3_600;
const LIFETIMES: [string, string][] = [[`${HOUR}`, "one hour"], [`${24 * HOUR}`, "one day"], [`${7 * 24 * HOUR}`, "one week"]];

export function share({ api }: OpenSession, active: string, port: number, shown: (shared: SharedPreview) => void): Act {
  return {
    title: `Share port ${port}`,
    says: "Makes a link to the server at this port of the active workspace. Whoever has the link sees the server, until it expires or is revoked.",
    verb: "Make a link",
    fields: <Select name="ttl" label="The link is good for" options={LIFETIMES} />,
    run: async (form, { signal }) => {
      const shared = await api.sharePreview(port, { ttlSeconds: Number(textOf(form, "ttl")), workspace: active, signal });
      shown(shared);
      return { message: `Port ${port} has a link.`, undo: { label: "Undo: revoke it", run: async () => {
        await api.revokePreview(shared.id);
        return { message: "The link is revoked." };
      } } };
    },
  };
}

export function revoke({ api }: OpenSession, { id, port }: PreviewView): Act {
  return {
    title: "Revoke the link",
    says: `Ends the link to port ${port} at once, for everyone who has it. This can't be undone.`,
    verb: "Revoke",
    danger: true,
    run: async (_, { signal }) => {
      await api.revokePreview(id, { signal });
      return { message: "The link is revoked." };
    },
  };
}
