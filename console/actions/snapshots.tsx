/** Actions on snapshots. Each action says what it will do, and how to undo it. */

import type { ListedSnapshot, Rewound, SnapshotSelector, SnapshotSummary } from "snapshotter-client";
import type { OpenSession } from "../access.ts";
import { asTyped, Check, Field, Lines, Select, textOf, type Act } from "../parts/act.tsx";
import { bytes } from "../parts/format.tsx";
import type { Notice, Undo } from "../parts/notices.tsx";
import { Text, visible } from "../parts/text.tsx";

/** A snapshot, or the end of a turn, that an action goes back to. */
export interface Target {
  selector: SnapshotSelector;
  /** The name that the user reads. */
  title: string;
}

const DAY = 86_400;
const LIFETIMES: [string, string][] = [["", "as the session's policy says"], [`${DAY}`, "one day"], [`${7 * DAY}`, "one week"], [`${30 * DAY}`, "30 days"], [`${365 * DAY}`, "one year"]];

const LABELS_HELP = "One in each line, as key=value.";

export function takeSnapshot({ api, can }: OpenSession, active: string): Act {
  return {
    title: "Take a snapshot",
    says: "Saves the files of the active workspace as they are now. The workspace goes on unchanged.",
    verb: "Take it",
    fields: <>
      <Field name="name" label="Name" help="Optional. To find it again by." />
      <Check name="replace" label="Take the name from a snapshot that has it" />
      <Lines name="description" label="Description" />
      <Lines name="labels" label="Labels" help={LABELS_HELP} />
      <Select name="ttl" label="Keep it for" options={LIFETIMES} />
    </>,
    run: async (form, call) => {
      const ttl = textOf(form, "ttl");
      const { snapshot, unchanged } = await api.snapshot({
        expectedActive: active,
        name: textOf(form, "name") ?? null,
        description: textOf(form, "description") ?? null,
        labels: labelsOf(form),
        replace: form.has("replace"),
        ...(ttl && { ttlSeconds: Number(ttl) }),
        ...call,
      });
      const called = snapshot.name === null ? "" : ` as ${visible(snapshot.name)}`;
      if (unchanged) return { message: `No file had changed: the snapshot before was kept${called}.` };
      const undo = { label: "Undo: delete it", run: async () => {
        await api.delete(snapshot.id);
        return { message: "The snapshot is deleted." };
      } };
      return { message: `Saved${called}, ${bytes(snapshot.sizeBytes)}.`, ...(can("workspace_delete_snapshot") && { undo }) };
    },
  };
}

export function rewind({ api }: OpenSession, active: string, target: Target): Act {
  return {
    title: "Rewind",
    says: <>Saves the present files of the active workspace first, then puts it back to exactly the files of <b><Text>{target.title}</Text></b>, and ends the processes that use them.</>,
    verb: "Rewind",
    run: async (_, call) => {
      const rewound = await api.rewind(target.selector, { expectedActive: active, ...call });
      const ended = rewound.endedProcesses.length;
      return { message: `The files are those of ${visible(target.title)}${ended > 0 ? `; ${ended} processes were ended` : ""}.`, undo: backTo(api, rewound.safetyRef!, active) };
    },
  };
}

/** Goes back by one turn. */
export function undoTurn({ api }: OpenSession, active: string): Act {
  return {
    title: "Undo the last turn",
    says: "Saves the present files of the active workspace first, then puts it back by one turn: to the end of the last turn if files have changed since, or else to the files that the last turn began with. Ends the processes that use them.",
    verb: "Undo it",
    run: async (_, call) => {
      const { undone, safetyRef } = await api.undo(1, { expectedActive: active, ...call });
      const what = undone!.unsaved ? "What has changed since the last turn" : `Turn ${undone!.turns[0]}`;
      return { message: `${what} is undone.`, undo: backTo(api, safetyRef!, active) };
    },
  };
}

/** Undoes a rewind or a promotion: brings back the files from before it. */
export function backTo(api: OpenSession["api"], safety: NonNullable<Rewound["safetyRef"]>, active: string): Undo {
  return { label: "Undo: bring the files back", run: async (): Promise<Notice> => {
    const { safetyRef } = await api.rewind(safety, { expectedActive: active });
    return { message: "The files are as they were before.", undo: { ...backTo(api, safetyRef!, active), label: "Redo" } };
  } };
}

/** Restore and branch. Both make a workspace, for different purposes. */
export function make({ api, can }: OpenSession, kind: "restore" | "branch", active: string, target: Target): Act {
  return {
    title: kind === "restore" ? "Restore" : "Branch",
    says: <>Makes a new workspace with exactly the files of <b><Text>{target.title}</Text></b>{kind === "branch" && ", to try something in"}. The present workspace stays as it is.</>,
    verb: kind === "restore" ? "Restore" : "Branch",
    fields: <Check name="switch" label="Make it the active workspace" checked />,
    run: async (form, { signal, operationId, idempotencyKey }) => {
      const call = { switch: form.has("switch"), signal, operationId, idempotencyKey };
      const { ref } = await (kind === "restore" ? api.restore(target.selector, call) : api.branch(target.selector, call));
      if (call.switch) {
        const undo = { label: "Undo: go back to the workspace before", run: async () => {
          await api.switch(active);
          return { message: `${active} is active again. The new workspace stays until you delete it.` };
        } };
        return { message: `${ref.ref.id} has the files, and is active.`, ...(can("workspace_switch") && { undo }) };
      }
      const undo = { label: "Undo: delete it", run: async () => {
        await api.destroyWorkspace(ref);
        return { message: `${ref.ref.id} is deleted.` };
      } };
      return { message: `${ref.ref.id} has the files.`, ...(can("workspace_destroy") && { undo }) };
    },
  };
}

interface Annotations { name: string; description: string; labels: Record<string, string> }

/** The change that gives a snapshot with the labels `before` exactly these annotations. Absent ones stay as they are. */
function exactly({ name, description, labels }: Partial<Annotations>, before: Record<string, string>) {
  const removed = labels ? Object.keys(before).filter((key) => !Object.hasOwn(labels, key)).map((key) => `labels.${key}`) : [];
  return {
    name: name || undefined,
    description: description || undefined,
    labels,
    clear: [...(name === "" ? ["name"] : []), ...(description === "" ? ["description"] : []), ...removed],
  };
}

export function edit({ api }: OpenSession, snapshot: ListedSnapshot | SnapshotSummary): Act {
  const before: Annotations = { name: snapshot.name ?? "", description: snapshot.description ?? "", labels: snapshot.labels };
  const shown = { ...before, labels: Object.entries(before.labels).map(([key, value]) => `${key}=${value}`).join("\n") };
  return {
    title: "Name and labels",
    says: "Changes what the snapshot is called and described as. Its files stay as they are.",
    verb: "Save",
    fields: <>
      <Field name="name" label="Name" value={shown.name} />
      <Check name="replace" label="Take the name from a snapshot that has it" />
      <Lines name="description" label="Description" value={shown.description} />
      <Lines name="labels" label="Labels" value={shown.labels} help={LABELS_HELP} />
    </>,
    run: async (form, { signal }) => {
      const wanted: Annotations = { name: textOf(form, "name") ?? "", description: textOf(form, "description") ?? "", labels: labelsOf(form) };
      const isChanged = (name: keyof Annotations) => (textOf(form, name) ?? "") !== asTyped(shown[name]);
      // An input may show its value differently, so we send only what the user has changed.
      const changed = ({ name, description, labels }: Annotations): Partial<Annotations> => ({
        ...(isChanged("name") && { name }), ...(isChanged("description") && { description }), ...(isChanged("labels") && { labels }),
      });
      await api.update(snapshot.id, { ...exactly(changed(wanted), before.labels), replace: form.has("replace"), signal });
      return { message: "Saved.", undo: { label: "Undo", run: async () => {
        await api.update(snapshot.id, exactly(changed(before), wanted.labels));
        return { message: "Name, description and labels are as they were." };
      } } };
    },
  };
}

export function pin({ api }: OpenSession, { id, pinned }: { id: string; pinned: boolean }, title: string): Act {
  const set = (pinned: boolean, signal?: AbortSignal) => api.update(id, { pinned, signal });
  return {
    title: pinned ? "Unpin" : "Pin",
    says: pinned
      ? <>Gives <b><Text>{title}</Text></b> back the expiry that it had. The retention policy may then delete it.</>
      : <>Keeps <b><Text>{title}</Text></b> until it is unpinned or deleted, whatever its expiry and the policy say.</>,
    verb: pinned ? "Unpin" : "Pin",
    run: async (_, { signal }) => {
      await set(!pinned, signal);
      return { message: pinned ? "Unpinned." : "Pinned.", undo: { label: "Undo", run: async () => {
        await set(pinned);
        return { message: pinned ? "Pinned again." : "Unpinned again." };
      } } };
    },
  };
}

export function remove({ api }: OpenSession, id: string, title: string): Act {
  return {
    title: "Delete the snapshot",
    says: <>Deletes <b><Text>{title}</Text></b> from the bucket. Workspaces that were made from it stay. This can't be undone.</>,
    verb: "Delete",
    danger: true,
    fields: <Check name="force" label="Also if it is pinned, published, or needed by a sleeping workspace, which then begins empty" />,
    run: async (form, { signal, operationId }) => {
      await api.delete(id, { force: form.has("force"), signal, operationId });
      return { message: `${visible(title)} is deleted.` };
    },
  };
}

/** Parses lines such as `key=value`. A key alone has an empty value. */
function labelsOf(form: FormData): Record<string, string> {
  const lines = (textOf(form, "labels") ?? "").split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(lines.map((line) => {
    const [key = "", ...value] = line.split("=");
    return [key.trim(), value.join("=").trim()];
  }));
}
