/** Sessions whose snapshots hold the whole machine: real packages in real containers. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import type { SnapshotView, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import { ROOT } from "../../tools/local-worker.ts";
import { fails, idOf, useWorld, type Session } from "./support.ts";

const world = useWorld();
const own = (id: string): WorkspaceRef => ({ providerId: "cloudflare-sandbox", ref: { id } });

/** A Debian package, a Python wheel, a global npm package, a user, a cron file, and a deleted and a changed system file. */
const INSTALL = `set -e
  mkdir -p /tmp/deb/DEBIAN /tmp/deb/usr/bin /tmp/deb/etc
  printf 'Package: greet\\nVersion: 1.0\\nArchitecture: all\\nMaintainer: x <x@example.com>\\nDescription: greets\\n' > /tmp/deb/DEBIAN/control
  printf '/etc/greet.conf\\n' > /tmp/deb/DEBIAN/conffiles; echo word=hello > /tmp/deb/etc/greet.conf
  printf '#!/bin/sh\\n. /etc/greet.conf\\necho "$word"\\n' > /tmp/deb/usr/bin/greet; chmod 755 /tmp/deb/usr/bin/greet
  dpkg-deb --build /tmp/deb /tmp/greet.deb > /dev/null && dpkg -i /tmp/greet.deb > /dev/null
  cd /tmp && python3 - <<'PY'
import zipfile
with zipfile.ZipFile("greet-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("greet.py", "word = 'hello from python'\\n")
    wheel.writestr("greet-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: greet\\nVersion: 1.0\\n")
    wheel.writestr("greet-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("greet-1.0.dist-info/RECORD", "greet.py,,\\ngreet-1.0.dist-info/METADATA,,\\ngreet-1.0.dist-info/WHEEL,,\\ngreet-1.0.dist-info/RECORD,,\\n")
PY
  pip install --quiet --no-index /tmp/greet-1.0-py3-none-any.whl
  mkdir -p /tmp/npm && cd /tmp/npm && echo '{"name":"greet-js","version":"1.0.0","bin":"./it.js"}' > package.json
  printf '#!/usr/bin/env node\\nconsole.log("hello from node")\\n' > it.js && npm pack --silent > /dev/null && npm install --silent --global --offline ./greet-js-1.0.0.tgz
  useradd --create-home --shell /bin/sh bob && echo mine > /home/bob/file && chown bob /home/bob/file
  mkdir -p /etc/cron.d && echo '* * * * * root true' > /etc/cron.d/job
  rm /usr/bin/jq && echo '# changed' >> /etc/bash.bashrc && mkdir -m 700 /data && ln -s /data /root/link
  echo 'in the workspace' > /workspace/file && echo gone > /tmp/gone`;

/** What a person would try to see that all of it is there. */
const CHECK = `greet; python3 -c 'import greet; print(greet.word)'; greet-js; id -nu bob; su bob -c 'cat ~/file; stat -c %U ~/file'
  cat /etc/cron.d/job; command -v jq || echo no jq; tail -n 1 /etc/bash.bashrc; stat -c '%a %n' /data; readlink /root/link
  dpkg --verify greet && dpkg-query -W greet; pip show greet 2> /dev/null | head -n 2; cat file; ls /tmp/gone 2>&1; true`;

const EXPECTED = `hello
hello from python
hello from node
bob
mine
bob
* * * * * root true
no jq
# changed
700 /data
/data
greet\t1.0
Name: greet
Version: 1.0
in the workspace
ls: cannot access '/tmp/gone': No such file or directory
`;

const keys = async (id: string) => {
  const listed = await (await world.r2()).list({ prefix: `backups/${id}/` });
  return listed.objects.map(({ key }) => key.slice(key.lastIndexOf("/") + 1)).sort();
};
const take = async (session: Session) => (await session.snapshot()).snapshot;

describe("a session that persists the machine", () => {
  let session: Session;
  let installed: SnapshotView["snapshot"];

  it("knows the image in each of its containers, however long after its creation one began", () => {
    const script = (name: string) => fs.readFileSync(path.join(ROOT, "src/sandbox/scripts", name), "utf8");
    const note = `${script("backup/manifest.sh")}${script("machine/list.sh")}mkdir /own && note_image /own '' /workspace && cat /own/machine/image`;
    const identity = (pauseSeconds: number) => {
      const run = (...args: string[]) => execFileSync("docker", args, { encoding: "utf8" }).trim();
      const container = run("create", process.env["WORKSPACE_IMAGE"]!, "sleep", "60");
      try {
        execFileSync("sleep", [String(pauseSeconds)]);
        run("start", container);
        return run("exec", container, "sh", "-c", note);
      } finally {
        run("rm", "--force", container);
      }
    };
    const [first, second] = [identity(0), identity(2)];
    assert.match(first, /^[0-9a-f]{64}$/);
    assert.equal(second, first);
  });

  it("saves what differs from the image, once", async () => {
    session = await world.opened("machine", { persist: "machine", limits: { maxRunning: 6 } });
    await session.sh("true");
    const plain = await take(session);
    assert.ok(plain.machine!.sizeBytes < 20_000, `${plain.machine!.sizeBytes} bytes of an unchanged machine`);
    await session.sh(INSTALL);
    assert.equal(await session.sh(CHECK), EXPECTED.replace(/ls: .*/, "/tmp/gone"));
    installed = await take(session);
    assert.deepEqual(await keys(installed.id), ["data.sqsh", "machine.sqsh", "meta.json"]);
    assert.equal(installed.machine!.id, installed.id);
    await session.sh("echo more > more");
    const next = await take(session);
    assert.deepEqual(next.machine, installed.machine, "an unchanged machine is shared");
    assert.deepEqual(await keys(next.id), ["data.sqsh", "meta.json"]);
  });

  it("has it in a restored workspace, a branch and a live fork", async () => {
    const restored = await session.restore(installed.id);
    const { workspaces } = await session.http<any>("POST", "/forks", { count: 1 });
    for (const ref of [restored, workspaces[0].ref]) {
      await session.switch(ref);
      assert.equal(await session.sh(CHECK), EXPECTED);
      // All of it is recorded as saved already.
      assert.equal((await take(session)).machine!.id, installed.id);
      await session.switch(own("machine"));
      await session.destroyWorkspace(ref);
    }
  });

  it("has it after its container is gone, and says so", async () => {
    await session.tool("workspace_pause", {});
    await session.tool("workspace_resume", {});
    const ran = await session.tool("workspace_run", { command: CHECK });
    assert.equal(ran.stdout, EXPECTED);
    assert.doesNotMatch(JSON.stringify(ran.woken ?? {}), /installed packages/);
    assert.match((await session.tool("workspace_describe", {})).whenIdle, /all other changes on its disk/);
  });

  it("rewinds it, in a new container, and forth again", async () => {
    await session.sh("dpkg --purge greet > /dev/null && rm -r /data && echo worse > file");
    const rewound = await session.tool("workspace_rewind", { ref: installed.id });
    assert.equal(await session.sh(CHECK), EXPECTED);
    await session.tool("workspace_rewind", { ref: rewound.safetyRef });
    const stdout = await session.sh("command -v greet || echo no greet; ls -d /data 2>&1; cat file; true");
    assert.equal(stdout, "no greet\nls: cannot access '/data': No such file or directory\nworse\n");
    await session.tool("workspace_rewind", { ref: installed.id });
  });

  it("replaces programs and libraries that everything runs with, directories by files, and files by directories", async () => {
    await session.sh(`cp -a /bin/dash /bin/dash.new && mv /bin/dash.new /bin/dash
      libc=$(ldd /bin/sh | sed -n 's/.*=> \\(.*libc.so[^ ]*\\).*/\\1/p') && cp -a "$(realpath "$libc")" "$libc.new" && mv "$libc.new" "$(realpath "$libc")"
      rm /etc/issue && mkdir /etc/issue && echo in > /etc/issue/file && rm -rf /opt && echo file > /opt
      printf x > "/root/odd [name]* \\\\ 'x'" && touch -d 2001-02-03 /home /root/link`);
    const { id } = await take(session);
    const ref = await session.restore(id);
    await session.switch(ref);
    const stdout = await session.sh(`cat /etc/issue/file /opt; ls /root; stat -c %y /home | cut -c 1-10; sh -c 'echo sh runs'`);
    assert.equal(stdout, `in\nfile\nlink\nodd [name]* \\ 'x'\n2001-02-03\nsh runs\n`);
    await session.switch(own("machine"));
    await session.destroyWorkspace(ref);
  });

  it("keeps the archive of a deleted snapshot while others share it", async () => {
    await session.sh("echo next > file");
    const { snapshot: layer } = await session.http<SnapshotView>("POST", "/snapshots", { incremental: true });
    const holder = layer.machine!.id;
    assert.notEqual(holder, layer.id);
    await fails("CONFLICT", session.http("DELETE", `/snapshots/${holder}?force=true&purge=true`));
    await session.http("DELETE", `/snapshots/${holder}?force=true`);
    assert.ok((await keys(holder)).includes("machine.sqsh"));
    const ref = await session.restore(layer.id);
    await session.switch(ref);
    assert.equal(await session.sh("cat /opt"), "file\n");
    await session.switch(own("machine"));
    await session.destroyWorkspace(ref);
  });

  it("refuses a damaged machine, names its snapshot, and changes nothing", async () => {
    await session.sh("echo damaged soon > /root/mark");
    const { id } = await take(session);
    const key = `backups/${id}/machine.sqsh`;
    const bytes = await world.r2Bytes(key);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    await (await world.r2()).put(key, bytes);
    const error = await fails("INTEGRITY", session.http("POST", "/workspaces", { from: id, kind: "restored" }));
    assert.match(error.message, new RegExp(id));
    assert.equal(await session.sh("cat /root/mark"), "damaged soon\n");
  });
});

describe("a session that does not", () => {
  it("restores only the files of a published snapshot with a machine", async () => {
    const owner = await world.opened("machine-owner", { persist: "machine" });
    await owner.sh("echo template > file && echo '#!/bin/sh' > /usr/local/bin/theirs && chmod 755 /usr/local/bin/theirs");
    const id = idOf(await owner.snapshot());
    await owner.http("PATCH", `/snapshots/${id}`, { published: true });
    const plain = await world.opened("machine-plain", { from: id });
    assert.equal(await plain.sh("cat file; command -v theirs || echo not here"), "template\nnot here\n");
    const whole = await world.opened("machine-claimer", { from: id, persist: "machine" });
    assert.equal(await whole.sh("cat file; command -v theirs"), "template\n/usr/local/bin/theirs\n");
  });
});
