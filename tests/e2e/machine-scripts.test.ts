/** The scripts of a machine, each in a fresh container of the workspace's image, against what busy and hostile ones do. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, describe, it } from "node:test";
import { ROOT } from "../../tools/local-worker.ts";

const scripts = (...names: string[]) => names.map((name) => fs.readFileSync(path.join(ROOT, "src/sandbox/scripts", name), "utf8")).join("");
const INSTANCE = scripts("backup/manifest.sh", "machine/list.sh", "exec/instance.sh");
const SAVE = scripts("backup/space.sh", "backup/manifest.sh", "backup/layer.sh", "backup/squash.sh", "machine/list.sh", "machine/save_machine.sh");
const RESTORE = scripts("backup/extract.sh", "backup/manifest.sh", "machine/list.sh", "machine/tools.sh", "machine/restore_machine.sh");
const OWN = "/var/lib/snapshotter";
const DIR = "/workspace";

const containers: string[] = [];
afterEach(() => containers.splice(0).forEach((name) => execFileSync("docker", ["rm", "--force", name], { stdio: "ignore" })));

class Fresh {
  readonly name: string;

  constructor(...options: string[]) {
    const run = ["run", "--detach", ...options, process.env["WORKSPACE_IMAGE"]!, "sleep", "600"];
    this.name = execFileSync("docker", run, { encoding: "utf8" }).trim();
    containers.push(this.name);
  }

  run(script: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync("docker", ["exec", this.name, "sh", "-c", script, "sh", ...args], { encoding: "utf8" });
  }

  sh(script: string, ...args: string[]): string {
    const { status, stdout, stderr } = this.run(script, ...args);
    assert.equal(status, 0, stderr);
    return stdout;
  }

  identify(path = "") {
    return this.run(`${path}${INSTANCE}`, OWN, "id-1", "", "", DIR, "");
  }

  save() {
    return this.run(SAVE, `${OWN}/machine-1.sqsh`, "", DIR, "");
  }

  /** Restores the archive at `${OWN}/restore-1.sqsh`. */
  restore() {
    const sum = this.sh(`sha256sum <${OWN}/restore-1.sqsh`).slice(0, 64);
    return this.run(RESTORE, `${OWN}/restore-1.sqsh`, sum, "", DIR, this.sh(`cat ${OWN}/machine/image`).trim(), "no");
  }
}

describe("the image is noted", () => {
  it("by a later try, if the first fails or is cut short", () => {
    const container = new Fresh();
    // A find that lists half of the disk, and then fails.
    container.sh(`mkdir /shim && printf '#!/bin/sh\\n/usr/bin/find /usr/bin "$@" >/dev/null 2>&1\\n[ "$2" = -maxdepth ]\\n' >/shim/find && chmod 755 /shim/find`);
    const failed = container.identify("PATH=/shim:$PATH\n");
    assert.notEqual(failed.status, 0);
    assert.equal(container.run(`[ -e ${OWN}/machine ]`).status, 1, "nothing half noted stays");
    // As an end of the container's first command leaves it.
    container.sh(`mkdir -p ${OWN}/machine.new.7 && echo half >${OWN}/machine.new.7/image.tree && rm -r /shim`);
    assert.equal(container.identify().status, 0);
    assert.match(container.sh(`cat ${OWN}/machine/image`), /^[0-9a-f]{64}\n$/);
    assert.equal(container.save().status, 0);
  });

  it("never, where the tools for it are missing, and the container starts", () => {
    const container = new Fresh();
    container.sh("rm /usr/bin/find");
    assert.equal(container.identify().status, 0);
    assert.equal(container.run(`[ -e ${OWN}/machine ]`).status, 1);
  });
});

describe("a machine is saved", () => {
  it("while files and directories come and go", () => {
    const container = new Fresh();
    assert.equal(container.identify().status, 0);
    const busy = `import os, shutil, time
end = time.time() + 60
while time.time() < end:
    for n in range(300):
        os.makedirs(f"/opt/busy/d{n}/e"); open(f"/opt/busy/f{n}", "w").close()
    for n in range(300):
        os.unlink(f"/opt/busy/f{n}"); shutil.rmtree(f"/opt/busy/d{n}")`;
    execFileSync("docker", ["exec", "--detach", container.name, "python3", "-c", busy]);
    const list = `${scripts("backup/manifest.sh", "machine/list.sh")}
      for n in $(seq 15); do list_machine /tmp/list ${OWN} '' ${DIR} || exit; done
      tr '\\0' '\\n' </tmp/list | grep -c '//usr/bin/find$'`;
    assert.equal(container.sh(list), "1\n");
    // What else goes wrong is no race.
    assert.notEqual(container.run(`find() { echo 'find: /x: Input/output error' >&2; return 1; }\n${list}`).status, 0);
  });

  it("with something mounted over a directory of the image, which it neither changes nor loses", () => {
    const container = new Fresh("--tmpfs", "/usr/share/mount.d");
    assert.equal(container.identify().status, 0);
    // As if it had been mounted now, over what the image has there.
    container.sh(`printf '%s\\0' '2 1.0 d 755 0 0 1 1:1 2 1.0 //usr/share/mount.d' '3 1.0 f 644 0 0 1 1:2 1 1.0 //usr/share/mount.d/file' >>${OWN}/machine/image.tree
      echo mounted >/usr/share/mount.d/file && echo x >/root/x`);
    const saved = container.save();
    assert.equal(saved.status, 0, saved.stderr);
    const listed = container.sh(`unsquashfs -lln ${OWN}/machine-1.sqsh`);
    assert.match(listed, /squashfs-root\/root\/x$/m);
    assert.doesNotMatch(listed, /mount\.d/);
  });

  it("never without a directory that each container is started with something in", () => {
    const container = new Fresh();
    assert.equal(container.identify().status, 0);
    container.sh("mv /var /var2 && ln -s var2 /var");
    const { status, stderr } = container.save();
    assert.equal(status, 1);
    assert.match(stderr, /^\/var is no longer a directory/m);
    container.sh("rm /var && mv /var2 /var");
    assert.equal(container.save().status, 0);
  });

  it("never with a line end in a name, which is named", () => {
    const container = new Fresh();
    assert.equal(container.identify().status, 0);
    container.sh("echo x >'/opt/two\nlines'");
    const { status, stderr } = container.save();
    assert.equal(status, 1);
    assert.match(stderr, /line end in it: \/opt\/two\?lines$/m);
  });
});

describe("a machine is restored", () => {
  it("libraries first and removals last, also where no copies of the tools can be made", () => {
    const [from, to] = [new Fresh(), new Fresh()];
    for (const container of [from, to]) {
      container.sh("rm /usr/bin/ldd");
      assert.equal(container.identify().status, 0);
    }
    from.sh(`set -e; cd /usr/lib/*-linux-gnu
      for link in libpcre2-8.so.0 libacl.so.1 libselinux.so.1 libz.so.1; do
        real=$(readlink -f $link) && cp -a $real $link.upgraded && ln -s $link.upgraded $link.new && mv -T $link.new $link && { [ $real -ef $link.upgraded ] || rm -f $real; }
      done
      # A program that needs a new library. Its directory comes first by name.
      cp libacl.so.1 libnew.so.1 && sed 's/libacl\\.so\\.1/libnew.so.1/g' /usr/bin/mv >/tmp/mv && cat /tmp/mv >/usr/bin/mv && mv --version
      python3 -c 'import os; os.setxattr("/opt", "user.dir", b"x")'`);
    assert.equal(from.save().status, 0);
    const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "machine-"));
    try {
      execFileSync("docker", ["cp", `${from.name}:${OWN}/machine-1.sqsh`, scratch]);
      execFileSync("docker", ["cp", `${scratch}/machine-1.sqsh`, `${to.name}:${OWN}/restore-1.sqsh`]);
    } finally {
      fs.rmSync(scratch, { recursive: true });
    }
    const { status, stderr } = to.restore();
    assert.equal(status, 0, stderr);
    assert.equal(to.run(`[ -e ${OWN}/tools ]`).status, 1);
    assert.equal(to.sh("readlink /usr/lib/*-linux-gnu/libacl.so.1"), "libacl.so.1.upgraded\n");
    assert.equal(to.sh(`python3 -c 'import os; print(os.listxattr("/opt"))'`), "['user.dir']\n");
  });
});

describe("a hostile machine is refused", () => {
  const gone = (path: string) => `c--------- 0/0                0,  0 2020-01-01 00:00 squashfs-root/${path}`;
  // A link's target may hold slashes, so it can look like lines of the list.
  const link = (at: string, ...lines: string[]) => `ln -s "x\n${lines.map(gone).join("\n")}\nend" ${at}`;
  const hostile = {
    "whose name has a line end": `touch "x\ny"`,
    "whose link's target looks like a removal": link("link", "usr"),
    "that hides such a link in a directory that it calls removed": `mkdir hide && ${link("hide/link", "hide", "usr")}`,
    "with such a link where no machine has anything": `mkdir tmp && ${link("tmp/link", "usr")}`,
  };
  for (const [what, make] of Object.entries(hostile)) {
    it(what, () => {
      const container = new Fresh();
      assert.equal(container.identify().status, 0);
      container.sh(`mkdir /tmp/h && cd /tmp/h && ${make} && mksquashfs . ${OWN}/restore-1.sqsh -quiet -no-progress`);
      const { status, stderr } = container.restore();
      assert.equal(status, 1, stderr);
      assert.match(stderr, /holds an entry that a layer can't have/);
      assert.equal(container.sh("ls -d /usr/bin"), "/usr/bin\n");
    });
  }
});
