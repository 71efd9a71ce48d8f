/** Actions on workspaces. Each action says what it will do, and how to undo it. */

import type { TreeSelector } from "snapshotter-client";
import type { OpenSession } from "../access.ts";
import { Check, Select, textOf, type Act } from "../parts/act.tsx";
import { plural } from "../parts/format.tsx";
import { Text, visible } from "../parts/text.tsx";
import { backTo } from "./snapshots.tsx";

export function switchTo({ api }: OpenSession, active: string, id: string): Act {
  return {
    title: "Switch to this workspace",
    says: <>From now on, tools and commands act on <b><Text>{id}</Text></b>. Both workspaces stay as they are.</>,
    verb: "Switch",
    run: async (_, { signal }) => {
      await api.switch(id, { expectedActive: active, signal });
      return { message: `${id} is active.`, undo: { label: "Undo: switch back", run: async () => {
        await api.switch(active, { expectedActive: id });
        return { message: `${active} is active again.` };
      } } };
    },
  };
}

export function pause({ api }: OpenSession, id: string): Act {
  return {
    title: "Pause",
    says: <>Saves the files of <b><Text>{id}</Text></b>, ends its processes, and releases its container until it is resumed.</>,
    verb: "Pause",
    run: async (_, call) => {
      await api.pause(id, call);
      return { message: `${id} is paused.`, undo: { label: "Undo: resume", run: async () => {
        await api.resume(id);
        return { message: `${id} runs again. Its processes do not.` };
      } } };
    },
  };
}

export function resume({ api, can }: OpenSession, id: string): Act {
  return {
    title: "Resume",
    says: <>Starts a container for <b><Text>{id}</Text></b> and brings its files back.</>,
    verb: "Resume",
    run: async (_, call) => {
      await api.resume(id, call);
      const undo = { label: "Undo: pause", run: async () => {
        await api.pause(id);
        return { message: `${id} is paused again.` };
      } };
      return { message: `${id} runs.`, ...(can("workspace_pause") && { undo }) };
    },
  };
}

export function promote({ api }: OpenSession, active: string, from: TreeSelector, title: string): Act {
  return {
    title: "Promote",
    says: <>Saves the active workspace first, then brings the changes of <b><Text>{title}</Text></b> into it. If both changed the same lines, nothing is changed, unless you choose below.</>,
    verb: "Promote",
    fields: <>
      <Select name="mode" label="How" options={[["merge", "Merge them with what was changed here"], ["replace", "Replace all files here"]]} />
      <Select name="onConflict" label="Where both changed the same lines" options={[["", "Change nothing, and list them"], ["ours", "Keep those of the active workspace"], ["theirs", "Take the others"], ["markers", "Write both, between git's markers"]]} />
      <Check name="includeIgnored" label="Also files that .gitignore names, and caches" />
      <Check name="discardOthers" label="Then delete the session's other branches, with what they have not saved" />
    </>,
    run: async (form, call) => {
      const mode = textOf(form, "mode") as "merge" | "replace";
      const onConflict = textOf(form, "onConflict") as "ours" | "theirs" | "markers" | undefined;
      const options = { onConflict: (mode === "merge" && onConflict) || null, discardOthers: form.has("discardOthers"), includeIgnored: form.has("includeIgnored") };
      const promoted = await api.promote(from, { mode, ...options, expectedActive: active, ...call });
      const leftOut = promoted.leftOut?.length ? `; ignored files were left out: ${promoted.leftOut.map(({ path }) => visible(path)).join(", ")}` : "";
      const { added, modified, removed, renamed } = promoted.counts;
      const discarded = promoted.discarded.length > 0 ? `; ${plural(promoted.discarded.length, "branch", "branches")} deleted` : "";
      if (!promoted.changed) return { message: `Nothing to bring over: the files here already have these changes${leftOut}${discarded}.` };
      const changes = mode === "replace" ? "All files were replaced" : `${added} added, ${modified} modified, ${removed} removed, ${renamed} renamed`;
      return { message: `${changes}${leftOut}${discarded}.`, ...(promoted.safetyRef && { undo: backTo(api, promoted.safetyRef, active) }) };
    },
  };
}

export function fork({ api, can }: OpenSession, active: string): Act {
  return {
    title: "Fork",
    says: "Makes more workspaces with the files that the active one has now, to try several things side by side. The active workspace stays active.",
    verb: "Fork",
    fields: <Select name="count" label="How many" options={[["1", "1"], ["2", "2"], ["3", "3"]]} />,
    run: async (form, call) => {
      const { workspaces } = await api.fork({ count: Number(textOf(form, "count")), expectedActive: active, ...call });
      const made = workspaces.flatMap((one) => ("ref" in one ? [one.ref] : []));
      const failed = workspaces.length - made.length;
      const undo = { label: "Undo: delete them", run: async () => {
        await Promise.all(made.map((ref) => api.destroyWorkspace(ref)));
        return { message: "The forks are deleted." };
      } };
      return { message: `${plural(made.length, "workspace")} made${failed > 0 ? `, ${failed} failed` : ""}.`, ...(can("workspace_destroy") && { undo }) };
    },
  };
}

export function destroy({ api }: OpenSession, id: string): Act {
  return {
    title: "Delete the workspace",
    says: <>Ends the container of <b><Text>{id}</Text></b> and removes the workspace, with what it has not saved. Its snapshots stay. This can't be undone.</>,
    verb: "Delete",
    danger: true,
    run: async (_, { signal }) => {
      await api.destroyWorkspace(id, { signal });
      return { message: `${visible(id)} is deleted.` };
    },
  };
}
