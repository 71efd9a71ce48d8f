/** Snapshots made of archives, exported snapshots, and backups of the Sandbox SDK 1.0, with real containers. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import { constants, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { SnapshotRef, SnapshotView } from "../../entry/snapshotter.d.ts";
import { AGENT, HERE, HttpError, fails, idOf, until, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });
/** The rate of snapshots is not what is tested here. */
const LIMITS = { maxRunning: 10, maxWorkspaces: 20, snapshots: { perMinute: 1_000, burst: 1_000 } };
const CROSSING = { capabilities: { fs: true, shell: true, snapshot: { crossSession: true } }, limits: LIMITS };
const CROSS = { allowCrossSession: true };

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const headers = (session: Session) => ({ authorization: `Bearer ${session.token}` });
const made = (script: string) =>
  new Map(Object.entries(JSON.parse(execFileSync("python3", [path.join(HERE, script)], { encoding: "utf8" })) as Record<string, string>)
    .map(([what, base64]) => [what, Buffer.from(base64, "base64")]));

const importing = (session: Session, archive: Uint8Array, query: Record<string, string> = {}): Promise<SnapshotView> =>
  session.http("POST", `/imports?${new URLSearchParams(query)}`, archive);

async function exported(session: Session, snapshot: string): Promise<{ bytes: Buffer; response: Response }> {
  const url = `${world.worker.url}/v1/sessions/${session.id}/snapshots/${snapshot}/archive`;
  const response = await fetch(url, { headers: headers(session) });
  if (!response.ok) throw new HttpError("GET archive", response.status, await response.json());
  return { bytes: Buffer.from(await response.arrayBuffer()), response };
}

/** What the sandbox's own directory has besides its usual files. */
const leftovers = (session: Session) => session.sh("ls -A /var/lib/snapshotter | grep -E 'staged|packed|[.]sqsh' || true");

/** The extended attributes below the working directory. */
const ATTRIBUTES = `python3 -c "
import os
for dir, dirs, files in os.walk('.'):
    for name in sorted(dirs + files):
        path = os.path.join(dir, name)
        for key in sorted(os.listxattr(path, follow_symlinks=False)):
            print(path, key, os.getxattr(path, key, follow_symlinks=False))
"`;

/** Odd names, links, modes, owners, times, and empty directories. */
const FILL = `set -e; mkdir -p t/'a b'/c t/empty t/locked && cd t
printf one >'a b/c/é'; printf two >"$(printf 'not\\377utf-8')"; printf three >"$(printf 'new\\nline')"; : >-n
ln -s /etc/passwd out; ln -s "$(printf 'to\\377')" odd; ln 'a b/c/é' same
head -c 100000 /dev/urandom >random; truncate -s 1M sparse; mkdir -p "$(printf 'd%.0s' $(seq 200))"/"$(printf 'e%.0s' $(seq 200))"
chown 1234:4000000000 random; chmod 1777 empty; chmod 0000 locked; chmod 0640 random
python3 -c "import os; os.setxattr('random', 'user.origin', b'here'); os.setxattr('a b', 'user.dir', b'x')"
touch -d @1234567890 random ./-n; touch -h -d @1000000000 out; touch -d @1500000000 'a b/c' 'a b' empty locked .`;

/** A tar archive of a file with a setuid bit, one with a setgid bit, one with a capability, and one with neither. */
const PRIVILEGED = `
import io, sys, tarfile
with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.PAX_FORMAT) as tar:
    for name, mode, attributes in (("u", 0o4755, {}), ("g", 0o2755, {}), ("plain", 0o1644, {"SCHILY.xattr.user.a": "b"}),
                                   ("capable", 0o755, {"SCHILY.xattr.security.capability": "x" * 20})):
        entry = tarfile.TarInfo(name)
        entry.mode, entry.size, entry.pax_headers = mode, 1, attributes
        tar.addfile(entry, io.BytesIO(b"1"))
`;

describe("a snapshot of an exported one", () => {
  let session: Session;
  let tree: string;
  let archive: Buffer;

  before(async () => {
    session = await world.opened("round", CROSSING);
    await session.sh(FILL);
    await session.sh("mv t/* t/.[!.]* . 2>/dev/null; rmdir t; touch -d @1500000000 .");
    tree = await session.manifest();
    await session.snapshot({ name: "origin" });
  });

  it("is exported with its length and hash, in the format of the Sandbox SDK 1.0", async () => {
    const { bytes, response } = await exported(session, "origin");
    assert.equal(response.headers.get("content-type"), "application/zstd");
    assert.equal(response.headers.get("content-length"), String(bytes.length));
    assert.equal(response.headers.get("etag"), `"${sha256(bytes)}"`);
    assert.equal(response.headers.get("repr-digest"), `sha-256=:${Buffer.from(sha256(bytes), "hex").toString("base64")}:`);
    assert.equal(response.headers.get("accept-ranges"), null);
    const tar = zstdDecompressSync(bytes);
    // 1.0 takes the directory itself first, then each directory before what is in it. It ignores GNU's long names.
    assert.equal(tar.subarray(0, 3).toString(), "./\0");
    assert.equal(tar.includes("././@LongLink"), false);
    const listed = execFileSync("tar", ["--list", "--file=-", "--quoting-style=c"], { input: tar, encoding: "utf8", maxBuffer: 1 << 26 }).trim().split("\n");
    const seen = new Set<string>();
    for (const name of listed.slice(1).map((line) => line.slice(1, -1).replace(/\/$/, ""))) {
      const above = name.lastIndexOf("/");
      assert.ok(above < 0 || seen.has(name.slice(0, above)), name);
      seen.add(name);
    }
    assert.equal(await session.manifest(), tree, "the workspace is as it was");
    assert.equal(await leftovers(session), "");
    const again = await exported(session, "origin");
    assert.ok(again.bytes.equals(bytes), "an equal snapshot gives equal bytes");
    archive = bytes;
  });

  it("comes back exactly, however the archive is compressed, and changes no workspace", async () => {
    const tar = zstdDecompressSync(archive);
    for (const [name, bytes] of [["plain", tar], ["gzip", gzipSync(tar)], ["zstd", archive], ["zstd-19", zstdCompressSync(tar)]] as const) {
      const { snapshot } = await importing(session, bytes, { name, description: "imported", ttlSeconds: "3600", sha256: sha256(bytes) });
      assert.deepEqual([snapshot.name, snapshot.description, snapshot.trigger, snapshot.kind, snapshot.parentId], [name, "imported", "import", "full", null]);
      assert.equal(Date.parse(snapshot.expiresAt) - Date.parse(snapshot.createdAt), 3_600_000);
    }
    assert.equal(await session.manifest(), tree);
    assert.equal(await leftovers(session), "");
    await session.sh("echo later >later");
    await session.snapshot({ name: "saved" });
    await importing(session, archive, { name: "after" });
    const was = await session.active();
    for (const name of ["plain", "gzip", "zstd", "zstd-19"]) {
      const { ref } = await session.tool("workspace_restore", { ref: name });
      assert.equal(await session.manifest(), tree, name);
      assert.equal(await session.sh(ATTRIBUTES), "./a b user.dir b'x'\n./random user.origin b'here'\n", name);
      await session.destroyWorkspace(ref).catch(() => session.switch(was).then(() => session.destroyWorkspace(ref)));
      await session.switch(was);
    }
    // An imported snapshot is no save of the workspace: it wakes with its own files.
    await world.removeContainers();
    assert.equal(await session.sh("cat later"), "later\n");
  });

  it("ends while its archive arrives, if the caller gives up", async () => {
    const slow = await world.opened("slow", CROSSING);
    await slow.sh("true");
    let end = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        controller.enqueue(archive.subarray(0, 1_000));
        await new Promise<void>((resolve) => (end = resolve));
        controller.close();
      },
    });
    const url = `${world.worker.url}/v1/sessions/${slow.id}/imports`;
    const request = { method: "POST", headers: { ...headers(slow), "operation-id": "slow" }, body, duplex: "half" };
    const answering = fetch(url, request as RequestInit);
    const unready = async () => (await slow.list({ includeUnready: true })).snapshots.map(({ state }) => state);
    await until("the archive arrives", async () => (await unready()).includes("pending"));
    // Its script begins to read by then.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const began = Date.now();
    await slow.cancel("slow");
    const { error } = (await (await answering).json()) as { error: { code: string; outcome: string } };
    assert.deepEqual([error.code, error.outcome], ["ABORTED", "none"]);
    assert.ok(Date.now() - began < 20_000, `${Date.now() - began} ms`);
    end();
    assert.deepEqual(await unready(), ["failed"]);
    await importing(slow, archive);
  });

  it("says what of an archive was not kept", async () => {
    const { snapshot: kept } = await importing(session, archive);
    assert.equal(kept.dropped, undefined);
    const { snapshot } = await importing(session, execFileSync("python3", ["-c", PRIVILEGED]));
    assert.deepEqual(snapshot.dropped, { owners: 0, specialBits: 2, attributes: 1 });
    await session.delete(kept.id);
    await session.delete(snapshot.id);
  });

  it("is listed with the requested ones, and passes over RPC", async () => {
    const { snapshots } = await session.list();
    assert.deepEqual(snapshots.map(({ name }) => name).sort(), ["after", "gzip", "origin", "plain", "saved", "zstd", "zstd-19"]);
    const to = await world.opened("over-rpc", CROSSING);
    const { snapshot } = await world.agent<SnapshotView>("pass", { from: "round", to: "over-rpc", snapshot: "zstd", options: { name: "passed", labels: { by: "rpc" } } });
    assert.deepEqual(snapshot.labels, { by: "rpc" });
    await to.tool("workspace_restore", { ref: snapshot.id });
    assert.equal(await to.manifest(), tree);
    await fails("INVALID_ARGUMENT", world.rpc("over-rpc", "importSnapshot", "no stream"));
  });

  it("is INTEGRITY if it is damaged, and leaves nothing", async () => {
    const keys = await world.r2Keys();
    await fails("INTEGRITY", importing(session, archive, { sha256: "0".repeat(64) }));
    await fails("INVALID_ARGUMENT", importing(session, archive, { sha256: "0" }));
    for (const at of [archive.length - 5, archive.length >> 1]) {
      const damaged = Buffer.from(archive);
      damaged[at]! ^= 0xff;
      await fails("INTEGRITY", importing(session, damaged, { sha256: sha256(archive) }));
      await fails("INVALID_ARGUMENT", importing(session, damaged));
    }
    for (const cut of [zstdDecompressSync(archive).subarray(0, 51_200), archive.subarray(0, archive.length >> 1), gzipSync(zstdDecompressSync(archive)).subarray(0, 9_000)]) {
      await fails("INVALID_ARGUMENT", importing(session, cut));
    }
    assert.equal(await leftovers(session), "");
    assert.deepEqual(await world.r2Keys(), keys);
  });
});

describe("archives of others", () => {
  it("are layers of images, without their whiteouts", async () => {
    const session = await world.opened("layers-of-images");
    const layers = made("layer_tar.py");
    const layer = layers.get("layer")!;
    for (const [name, bytes] of [["plain", layer], ["gzip", gzipSync(layer)], ["zstd", zstdCompressSync(layer)]] as const) {
      await importing(session, bytes, { name, format: "oci-layer" });
      const files = await session.http<{ entries: { path: string }[] }>("GET", `/snapshots/${name}/files?recursive=true`);
      assert.deepEqual(files.entries.map((entry) => entry.path).sort(), ["etc", "etc/kept", "opt", "opt/tool"], name);
    }
    await session.tool("workspace_restore", { ref: "gzip" });
    assert.equal(await session.sh("stat -c '%a %u:%g %Y' etc/kept opt/tool"), "640 1000:1001 1234567890\n755 1000:1001 1234567890\n");
    // As a plain archive, these are files like others.
    const { snapshot } = await importing(session, layer);
    const files = await session.http<{ entries: { path: string }[] }>("GET", `/snapshots/${snapshot.id}/files?recursive=true`);
    assert.ok(files.entries.some((entry) => entry.path === "etc/.wh.gone"));
    await fails("INVALID_ARGUMENT", importing(session, layers.get("whiteout directory")!, { format: "oci-layer" }));
    await fails("INVALID_ARGUMENT", session.http("POST", "/imports?format=zip", layer));
  });

  it("keep the extended attributes of users, and no others", async () => {
    const session = await world.opened("attributes");
    await importing(session, made("layer_tar.py").get("attributes")!, { name: "it" });
    await session.tool("workspace_restore", { ref: "it" });
    assert.equal(await session.sh(ATTRIBUTES), "./d user.dir b'x'\n./d/f user.a b'1=\\n'\n./d/f user.empty b''\n");
  });

  it("are refused whole where they mean harm, and nothing is left", async () => {
    const session = await world.opened("harmed", { limits: LIMITS });
    await session.sh("echo kept >kept");
    const [keys, tree] = [await world.r2Keys(), await session.manifest()];
    for (const [what, archive] of made("hostile_tar.py")) {
      // Nothing is in the way of an archive that gets a tree of its own; and gzip is taken.
      if (what.startsWith("way ") || what === "broken gzip") continue;
      const code = what.startsWith("large ") ? "TOO_LARGE" : "INVALID_ARGUMENT";
      for (const bytes of [archive, gzipSync(archive)]) {
        const { outcome } = await fails(code, importing(session, bytes));
        assert.equal(outcome, "none", what);
      }
    }
    await fails("INVALID_ARGUMENT", importing(session, new Uint8Array()));
    assert.equal(await session.manifest(), tree);
    assert.equal(await leftovers(session), "");
    assert.deepEqual(await world.r2Keys(), keys);
    assert.deepEqual((await session.list()).snapshots, []);
  });
});

describe("backups of the Sandbox SDK 1.0", () => {
  const id = randomUUID();
  const key = `backups/${id}.tar.zst`;
  const refTo = (more: object = {}): SnapshotRef => ({
    providerId: "cloudflare-sandbox",
    ref: { backup: { id, dir: "/workspace", ...more }, originSandboxId: null },
  });
  let session: Session;
  let archive: Buffer;

  before(async () => {
    const source = await world.opened("sdk-source");
    await source.sh("mkdir d && echo content >d/f && ln -s f d/l && chmod 750 d");
    await source.snapshot({ name: "source" });
    archive = (await exported(source, "source")).bytes;
    // As the SDK puts it: a name is all that it says of a backup.
    await (await world.r2()).put(key, archive, { customMetadata: { name: "from the SDK" }, httpMetadata: { contentType: "application/zstd" } });
    session = await world.opened("sdk", CROSSING);
  });

  it("are nobody's", async () => {
    const stranger = await world.opened("sdk-stranger");
    for (const other of [stranger, session]) {
      assert.deepEqual((await other.list()).snapshots, []);
      await fails("SNAPSHOT_NOT_OWNED", other.get(id));
      await fails("SNAPSHOT_NOT_OWNED", other.restore(refTo()));
      await fails("SNAPSHOT_NOT_OWNED", other.delete(id));
      await fails("INVALID_ARGUMENT", other.http("POST", "/imports/backup", { id }));
    }
    await fails("CROSS_SESSION_DISABLED", stranger.http("POST", "/imports/backup", { id, ...CROSS }));
    await fails("CROSS_SESSION_DISABLED", stranger.http("POST", "/imports/backup", { key, ...CROSS }));
    assert.ok((await world.r2Keys()).includes(key));
  });

  it("are listed and shown by crossing", async () => {
    const listed = (await session.list(CROSS)).snapshots.find((snapshot) => snapshot.id === id);
    assert.deepEqual(listed?.ref, refTo());
    assert.deepEqual([listed?.name, listed?.format, listed?.sizeBytes, listed?.kind, listed?.state], ["from the SDK", "tar+zstd/1", archive.length, null, "ready"]);
    const { snapshot } = await session.get(id, CROSS);
    assert.equal(snapshot.format, "tar+zstd/1");
    // A page at a time, all are found.
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await session.list({ ...CROSS, limit: 1, ...(cursor && { cursor }) });
      paged.push(...page.snapshots.map(idOf));
      cursor = page.nextCursor;
    } while (cursor);
    assert.equal(paged.filter((one) => one === id).length, 1);
  });

  it("are looked into only once they are imported", async () => {
    const looking = await world.opened("sdk-looking", CROSSING);
    const { hint } = await fails("UNSUPPORTED", looking.http("GET", `/snapshots/${id}/files?allowCrossSession=true`));
    assert.match(String(hint), /imports\/backup/);
    assert.ok(!(await world.hasContainer(await looking.active())), "nothing was started");
    await fails("CROSS_SESSION_DISABLED", (await world.opened("sdk-strict")).tool("workspace_ls", { at: id, ...CROSS }));
  });

  it("are restored by crossing, by way of a snapshot, and only whole", async () => {
    await fails("INTEGRITY", session.restore(refTo({ sha256: "0".repeat(64) }), CROSS));
    await fails("SNAPSHOT_NOT_OWNED", session.restore({ ...refTo(), ref: { ...refTo().ref, originSandboxId: "sdk" } }, CROSS));
    const ref = await session.restore(refTo({ sha256: sha256(archive), size: archive.length, format: "tar+zstd/1" }), CROSS);
    await session.switch(ref);
    assert.equal(await session.sh("cat d/l; stat -c %a d"), "content\n750\n");
    const { snapshots } = await session.list();
    assert.deepEqual(snapshots.map(({ trigger, description }) => [trigger, description]), [["import", `backup ${id} of Sandbox SDK 1.0`]]);
    // It wakes without the SDK's object.
    await world.removeContainers();
    assert.equal(await session.sh("cat d/f"), "content\n");
    assert.ok((await session.eventsOf("session.crossed")).length >= 2);
  });

  it("are gone back to by crossing, in place", async () => {
    const rewinding = await world.opened("sdk-rewinding", CROSSING);
    await rewinding.sh("echo mine >mine");
    await fails("SNAPSHOT_NOT_OWNED", rewinding.tool("workspace_rewind", { ref: id }));
    const { safetyRef, fromSnapshotId } = await rewinding.tool("workspace_rewind", { ref: id, ...CROSS });
    assert.equal(await rewinding.sh("ls; cat d/l; stat -c %a d"), "d\ncontent\n750\n");
    assert.equal((await rewinding.get(fromSnapshotId)).snapshot.trigger, "import");
    await world.removeContainers();
    assert.equal(await rewinding.sh("cat d/f"), "content\n");
    await rewinding.tool("workspace_rewind", { ref: safetyRef });
    assert.equal(await rewinding.sh("ls; cat mine"), "mine\nmine\n");
  });

  it("are what a session that may cross opens from", async () => {
    const begun = await world.opened("sdk-begun", { ...CROSSING, from: refTo({ sha256: sha256(archive) }) });
    await fails("UNSUPPORTED", begun.http("POST", "/diff", {}));
    assert.ok(!(await world.hasContainer(await begun.active())), "neither an open nor a comparison starts anything");
    assert.equal(await begun.sh("ls; cat d/l"), "d\ncontent\n");
    assert.deepEqual((await begun.list()).snapshots.map(({ trigger }) => trigger), ["import"]);
    await fails("SNAPSHOT_NOT_OWNED", world.opened("sdk-not-begun", { from: id }));
  });

  it("become snapshots by their id or their key", async () => {
    const byId = await session.http<SnapshotView>("POST", "/imports/backup", { id, ...CROSS, name: "by-id", sha256: sha256(archive), labels: { from: "sdk" } });
    assert.deepEqual(byId.snapshot.labels, { from: "sdk" });
    const byKey = await session.http<SnapshotView>("POST", "/imports/backup", { key, ...CROSS, name: "by-key" });
    assert.equal(byKey.snapshot.sha256, byId.snapshot.sha256);
    await fails("SNAPSHOT_GONE", session.http("POST", "/imports/backup", { id: randomUUID(), ...CROSS }));
    await fails("SNAPSHOT_GONE", session.http("POST", "/imports/backup", { key: "none", ...CROSS }));
    await fails("INTEGRITY", session.http("POST", "/imports/backup", { id, ...CROSS, sha256: "0".repeat(64) }));
    await fails("INVALID_ARGUMENT", session.http("POST", "/imports/backup", { id, key, ...CROSS }));
    // An archive of ours is no tar archive.
    await fails("INVALID_ARGUMENT", session.http("POST", "/imports/backup", { key: `backups/${byId.snapshot.id}/data.sqsh`, ...CROSS }));
  });

  it("are made of snapshots, with the record that the SDK restores by", async () => {
    const { snapshot } = await session.get("by-id");
    const store = () => session.http<Record<string, any>>("POST", `/snapshots/${snapshot.id}/backup?allowCrossSession=true`);
    const record = await store();
    const object = await world.r2Bytes(`backups/${record["id"]}.tar.zst`);
    assert.deepEqual(record, { id: record["id"], dir: "/workspace", size: object.length, name: "by-id", sha256: sha256(object), format: "tar+zstd/1" });
    assert.deepEqual(await store(), record, "a repetition stores the same");
    const again = await session.http<SnapshotView>("POST", "/imports/backup", { id: record["id"], sha256: record["sha256"], ...CROSS });
    assert.equal(again.snapshot.sha256, snapshot.sha256);
    await fails("INVALID_ARGUMENT", session.http("POST", `/snapshots/${snapshot.id}/backup`));
    assert.equal(await leftovers(session), "");
  });

  it("are deleted by crossing", async () => {
    await session.delete(id, CROSS);
    assert.equal((await world.r2Keys()).includes(key), false);
    await session.delete(id, CROSS);
  });
});

describe("a backup that is written as the Sandbox SDK 1.0 writes it, and not by us", () => {
  const SCRIPT = path.join(HERE, "sdk_backup.py");
  const id = randomUUID();
  const tar = execFileSync("python3", [SCRIPT, "tar"]);
  // Fast, and without a checksum.
  const archive = zstdCompressSync(tar, { params: { [constants.ZSTD_c_compressionLevel]: -3, [constants.ZSTD_c_checksumFlag]: 0, [constants.ZSTD_c_contentSizeFlag]: 0 } });
  const ref: SnapshotRef = {
    providerId: "cloudflare-sandbox",
    ref: { backup: { id, dir: "/workspace", size: archive.length, sha256: sha256(archive), format: "tar+zstd/1" } as SnapshotRef["ref"]["backup"], originSandboxId: null },
  };
  let session: Session;
  let tree: string;

  before(async () => {
    const model = await world.opened("foreign-model");
    await model.sh(["python3", "-", "tree", "/workspace"], { stdin: fs.readFileSync(SCRIPT, "utf8") });
    tree = await model.manifest();
    await (await world.r2()).put(`backups/${id}.tar.zst`, archive, { httpMetadata: { contentType: "application/zstd" } });
    session = await world.opened("foreign", CROSSING);
  });

  it("is listed", async () => {
    const listed = (await session.list(CROSS)).snapshots.find((snapshot) => snapshot.id === id);
    assert.deepEqual([listed?.name, listed?.format, listed?.sizeBytes], [null, "tar+zstd/1", archive.length]);
  });

  it("is restored exactly, and opened from", async () => {
    await session.switch(await session.restore(ref, CROSS));
    assert.equal(await session.manifest(), tree);
    const begun = await world.opened("foreign-begun", { ...CROSSING, from: ref });
    assert.equal(await begun.manifest(), tree);
    // It stays so in our own format: after a wake, and as an export.
    await world.removeContainers();
    assert.equal(await begun.manifest(), tree);
    const { snapshot } = await session.http<SnapshotView>("POST", "/imports/backup", { id, ...CROSS, sha256: sha256(archive) });
    const again = await importing(session, (await exported(session, snapshot.id)).bytes);
    await session.switch(await session.restore(again.ref));
    assert.equal(await session.manifest(), tree);
  });
});
