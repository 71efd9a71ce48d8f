/** A workspace whose commands have replaced its tools changes no other snapshot, and no archive that goes in or out. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import type { SnapshotView } from "../../entry/snapshotter.d.ts";
import { fails, idOf, until, useWorld, type Session } from "./support.ts";

const world = useWorld();
const FULL_OF = ["app.sh", "base.bin"];

/** Each tool that archives, extracts or checks, replaced by one that adds a file to other trees, or says what is wanted. */
const HOSTILE = `
for tool in mksquashfs unsquashfs tar zstd sha256sum stat find cat sh; do
  real=$(command -v $tool)
  [ -e "/opt/real-$tool" ] || cp "$(readlink -f "$real")" "/opt/real-$tool"
done
cat >/opt/poison <<'X'
for tree in /var/lib/snapshotter/*.tree /var/lib/snapshotter/*/tree; do
  [ -d "$tree" ] && printf 'pwned' >"$tree/evil.txt" && printf 'echo backdoored' >"$tree/app.sh"
done 2>/dev/null
echo used >>/opt/used
X
for tool in mksquashfs tar zstd sha256sum; do
  printf '#!/opt/real-sh\n. /opt/poison\nexec /opt/real-%s "$@"\n' $tool >/usr/local/bin/$tool
  chmod +x /usr/local/bin/$tool
done`;

describe("hostile tools", () => {
  let session: Session;
  let base: string;
  let clean: string;
  const names = async (id: string) => {
    const { entries } = await session.http<{ entries: { path: string }[] }>("GET", `/snapshots/${id}/files`);
    return entries.map(({ path }) => path).sort();
  };
  const app = async (id: string) => (await session.tool("workspace_read_file", { at: id, path: "app.sh" })).content;

  before(async () => {
    session = await world.opened("hostile", { autosave: false, limits: { maxRunning: 1 } });
    await session.sh("head -c 4000000 /dev/urandom > base.bin; echo good > app.sh");
    base = idOf(await session.snapshot());
    await session.sh("echo better > app.sh");
    const { snapshot } = await session.http<SnapshotView>("POST", "/snapshots", { incremental: true });
    assert.equal(snapshot.kind, "layer");
    clean = snapshot.id;
    await session.http("PATCH", `/snapshots/${clean}`, { pinned: true });
    await session.sh(HOSTILE);
    await session.sh("mksquashfs -version >/dev/null; rm -f /opt/used");
  });

  const untouched = async () => {
    assert.deepEqual(await names(clean), FULL_OF);
    assert.equal(await app(clean), "better\n");
    const used = await session.sh("test ! -e /opt/used && echo unused || cat /opt/used");
    assert.match(used, /^unused/);
    await until("the clean sandbox is gone", async () => world.worker.containers().length === 1, 60_000);
  };

  it("do not pack what is exported", async () => {
    const response = await fetch(`${world.worker.url}/v1/sessions/hostile/snapshots/${clean}/archive`, {
      headers: { authorization: `Bearer ${session.token}` },
    });
    assert.equal(response.status, 200);
    const packed = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get("etag"), `"${createHash("sha256").update(packed).digest("hex")}"`);
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), "exported-"));
    execFileSync("tar", ["-x", "-C", dir], { input: zstdDecompressSync(packed) });
    assert.deepEqual(fs.readdirSync(dir).sort(), FULL_OF);
    assert.equal(fs.readFileSync(path.join(dir, "app.sh"), "utf8"), "better\n");
    fs.rmSync(dir, { recursive: true });
    await untouched();
  });

  it("do not check what is imported", async () => {
    const tar = execFileSync("tar", ["-c", "-C", import.meta.dirname, "layer_tar.py"]);
    const sha256 = createHash("sha256").update(tar).digest("hex");
    await fails("INTEGRITY", session.http("POST", `/imports?sha256=${"0".repeat(64)}`, tar));
    const { snapshot } = await session.http<SnapshotView>("POST", `/imports?sha256=${sha256}`, tar);
    assert.deepEqual(await names(snapshot.id), ["layer_tar.py"]);
    await untouched();
  });

  it("do not make an earlier snapshot full", async () => {
    const { snapshot } = await session.http<SnapshotView>("POST", `/snapshots/${clean}/flatten`);
    assert.equal(snapshot.kind, "full");
    await untouched();
  });

  it("have no part in a purge", async () => {
    await session.delete(base, { force: true, purge: true });
    assert.deepEqual(await names(clean), FULL_OF);
    assert.equal(await app(clean), "better\n");
  });
});
