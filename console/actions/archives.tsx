/** Actions that turn archives into snapshots, and snapshots into archives. */

import type { SnapshotSummary } from "snapshotter-client";
import type { OpenSession } from "../access.ts";
import { Check, Field, FileField, Select, textOf, type Act } from "../parts/act.tsx";
import { bytes } from "../parts/format.tsx";
import type { Notice } from "../parts/notices.tsx";
import { save } from "../parts/save.ts";
import { Text, visible } from "../parts/text.tsx";
import type { Target } from "./snapshots.tsx";

const WHERE = "A separate container does this. No workspace starts for it, and their files stay as they are.";

const ANNOTATIONS = <>
  <Field name="name" label="Name" help="Optional. To find it again by." />
  <Check name="replace" label="Take the name from a snapshot that has it" />
  <Field name="description" label="Description" />
</>;

const FORMAT = <Select name="format" label="Format" options={[["tar", "a tar archive"], ["oci-layer", "a layer of an OCI image"]]} />;

/** The form fields of both kinds of import. */
function askedIn(form: FormData) {
  const name = textOf(form, "name");
  const description = textOf(form, "description");
  const format = textOf(form, "format") as "tar" | "oci-layer";
  return { format, replace: form.has("replace"), ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
}

function imported({ api, can }: OpenSession, snapshot: SnapshotSummary): Notice {
  const called = snapshot.name === null ? "" : ` as ${visible(snapshot.name)}`;
  const undo = { label: "Undo: delete it", run: async () => {
    await api.delete(snapshot.id);
    return { message: "The snapshot is deleted." };
  } };
  return { message: `Imported${called}, ${bytes(snapshot.sizeBytes)}.`, ...(can("workspace_delete_snapshot") && { undo }) };
}

export function importArchive(session: OpenSession): Act {
  return {
    title: "Import an archive",
    says: <>Makes a snapshot of the archive's files: tar, plain or compressed with gzip or zstd. {WHERE}</>,
    verb: "Import",
    fields: <><FileField name="archive" label="Archive" accept=".tar,.gz,.tgz,.zst" />{FORMAT}{ANNOTATIONS}</>,
    run: async (form, { signal }) => {
      const { snapshot } = await session.api.importSnapshot(form.get("archive") as File, { ...askedIn(form), signal });
      return imported(session, snapshot);
    },
  };
}

export function importBackup(session: OpenSession): Act {
  return {
    title: "Import a backup",
    says: <>Makes a snapshot of a backup of the Sandbox SDK 1.0, or of another archive in the session's bucket. It is not the session's own, so the event log records the call. {WHERE}</>,
    verb: "Import",
    fields: <>
      <Field name="backup" label="Id of the backup, or key of the archive" />
      <Field name="sha256" label="SHA-256" help="Optional. If the archive has another one, nothing is imported." />
      {FORMAT}
      {ANNOTATIONS}
    </>,
    run: async (form, call) => {
      const backup = textOf(form, "backup") ?? "";
      const source = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(backup) ? { id: backup } : { key: backup };
      const { snapshot } = await session.api.importBackup({ ...source, ...askedIn(form), sha256: textOf(form, "sha256") ?? null, allowCrossSession: true, ...call });
      return imported(session, snapshot);
    },
  };
}

export function download({ api }: OpenSession, { title }: Target, id: string): Act {
  return {
    title: "Download",
    says: <>Packs the files of <b><Text>{title}</Text></b> as a tar archive compressed with zstd, which the Sandbox SDK 1.0 restores, too. {WHERE}</>,
    verb: "Download",
    run: async (_, { signal }) => {
      const archive = await new Response(await api.exportSnapshot(id, { signal })).blob();
      const file = `${title.replaceAll(/[^\w.-]+/g, "_")}.tar.zst`;
      save(archive, file);
      return { message: `${file} has ${bytes(archive.size)}.` };
    },
  };
}
