/**
 * Buckets as directories, in real containers that have FUSE as those on Cloudflare do. The engine that tools/with-engine
 * starts gives it to images with the variable SNAPSHOTTER_FUSE; with another engine, these tests are skipped.
 */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { WorkspaceConfig } from "../../entry/snapshotter.d.ts";
import { startService } from "./s3-clients.ts";
import { until, useWorld, type Session } from "./support.ts";

/** The workspace image, with FUSE and programs of Debian. */
function imageWith(name: string, ...packages: string[]): string {
  const install = `RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ${packages.join(" ")} && rm -rf /var/lib/apt/lists/*\n`;
  const image = `snapshotter-fuse:${name}`;
  // The engine's bridge may lead nowhere.
  execFileSync("docker", ["build", "--network", "host", "--quiet", "--tag", image, "-"], {
    input: `FROM ${process.env["WORKSPACE_IMAGE"]}\n${packages.length > 0 ? install : ""}ENV SNAPSHOTTER_FUSE=1\n`,
    env: { ...process.env, DOCKER_BUILDKIT: "0" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  return image;
}

/** Whether the engine is the one of tools/with-engine, on a machine that had /dev/fuse when it was started. */
const isOurs = spawnSync("docker", ["info", "--format", "{{.DefaultRuntime}}"], { encoding: "utf8" }).stdout.trim() === "snapshotter";
const mounts = spawnSync("docker", ["run", "--rm", imageWith("bare"), "sh", "-c", "[ -c /dev/fuse ] && mount -t tmpfs none /mnt"]).status === 0;
// CI has no other look at mounts, so there it fails where it should have FUSE and has not.
if (process.env["CI"] && isOurs) assert.ok(mounts, "this machine has /dev/fuse, and the engine does not give it to containers");
const images = { rclone: "", s3fs: "", ...(mounts && { rclone: imageWith("rclone", "fuse3", "rclone"), s3fs: imageWith("s3fs", "s3fs") }) };
const skip = mounts ? false : `the engine gives containers no FUSE: ${isOurs ? "mounting fails in them" : "it is not that of tools/with-engine, or this machine has no /dev/fuse"}`;

const KEYS = ["id", "secret", "token"].map(() => `zq${randomBytes(12).toString("hex")}zq`);
const service = await startService(KEYS, ["far"]);
after(() => void service.process.kill());
const [accessKeyId, secretAccessKey, sessionToken] = KEYS as [string, string, string];
const r2 = (name: string) => ({ type: "r2", name });

const config: WorkspaceConfig = {
  bucketMounts: [
    { bucket: "DATA", mountPath: "/mnt/data" },
    { bucket: "LOGS", mountPath: "/mnt/the logs", prefix: "/2024", readOnly: true },
    { bucket: "far", mountPath: "/mnt/far", prefix: "/2024", endpoint: service.url, credentials: { accessKeyId, secretAccessKey, sessionToken, region: "eu-test-1" } },
  ],
};

for (const [program, image] of Object.entries(images)) {
  describe(`buckets mounted by ${program}`, { skip }, () => {
    const world = useWorld({
      image,
      env: { DATA: r2("DATA"), LOGS: r2("LOGS") },
      vars: { BUCKET_BINDINGS: "DATA, LOGS", BUCKET_ENDPOINTS: service.url },
    });
    let session: Session;

    const states = async (of = session) =>
      (await of.tool("workspace_describe")).buckets.map(({ mount, mountProblem }: Record<string, string>) => (mountProblem ? [mount, mountProblem] : mount));
    const allThere = async (when: string) => {
      assert.equal(await session.sh("cat /mnt/data/kept '/mnt/the logs/in' /mnt/far/in"), "kept\ninin", when);
      assert.equal(await session.sh("grep -c ' - fuse' /proc/self/mountinfo"), "3\n", when);
      assert.deepEqual(await states(), ["MOUNTED", "MOUNTED", "MOUNTED"], when);
    };

    before(async () => {
      const logs = await world.r2("LOGS");
      await logs.put("2024/in", "in");
      await logs.put("secret", "hidden");
      await (await world.r2("DATA")).put("kept", "kept\n");
      session = await world.opened("mounted", config);
    });

    it("are there before the first command", async () => {
      assert.deepEqual(await states(), ["STOPPED", "STOPPED", "STOPPED"]);
      assert.equal(await session.sh("cat '/mnt/the logs/in'; ls '/mnt/the logs'"), "inin\n");
      await allThere("at first");
    });

    it("are read and written as files, also by other users", async () => {
      await session.sh("cd /mnt/data && mkdir -p made/below && echo one >made/below/file && echo two >>made/below/file && head -c 7000000 /dev/urandom >big && cp big /tmp/big && mv made/below/file 'made/é new'");
      assert.equal(await session.sh("cat '/mnt/data/made/é new'"), "one\ntwo\n");
      await until("R2 has them", async () => (await world.r2Keys("DATA")).filter((key) => !key.endsWith("/")).join() === "big,kept,made/é new");
      const stored = await (await world.r2("DATA")).get("big");
      assert.equal(stored!.size, 7_000_000);
      await session.sh("cmp /mnt/data/big /tmp/big && rm /mnt/data/big && setpriv --reuid=agent --regid=agent --clear-groups cat '/mnt/the logs/in'");
      await until("it is removed", async () => !(await world.r2Keys("DATA")).includes("big"));
      await (await world.r2("DATA")).put("from-outside", "outside");
      await until("it is seen", async () => (await session.run("cat /mnt/data/from-outside")).stdout === "outside");
    });

    it("end at their prefix, and refuse writes where they are read-only", async () => {
      assert.notEqual((await session.run("echo x >'/mnt/the logs/new'")).exitCode, 0);
      assert.notEqual((await session.run("rm '/mnt/the logs/in'")).exitCode, 0);
      assert.equal(await session.sh("ls -A /mnt/far '/mnt/the logs'; cat '/mnt/the logs/../secret' 2>/dev/null || true"), "/mnt/far:\nin\n\n/mnt/the logs:\nin\n");
      await session.sh("echo far >/mnt/far/new");
      await until("the service has it", () => Promise.resolve(service.requests.some((line) => line.startsWith("PUT /far/2024/new "))));
      await session.sh("rm /mnt/far/new");
      assert.deepEqual(await world.r2Keys("LOGS"), ["2024/in", "secret"]);
    });

    it("are there after the object is gone, a wake, a restore, a fork and a rewind, and in no snapshot", async () => {
      await session.sh("echo file >file");
      await world.worker.restart();
      await allThere("after a restart");
      const { ref } = await session.snapshot();
      await world.removeContainers();
      await allThere("after a wake");
      await session.switch(await session.restore(ref));
      await allThere("in a restored workspace");
      const { workspaces } = await session.http<{ workspaces: { ref: Parameters<Session["switch"]>[0] }[] }>("POST", "/forks", { count: 1 });
      await session.switch(workspaces[0]!.ref);
      await allThere("in a fork");
      await session.sh("echo changed >file");
      await session.http("POST", "/rewind", { ref });
      assert.equal(await session.sh("cat file"), "file\n");
      await allThere("after a rewind");
      await session.close();
    });

    it("are there again after their program is killed", async () => {
      session = await world.opened("killed", { ...config, destroyOnClose: true });
      await allThere("at first");
      const kill = `for dir in /proc/[0-9]*; do [ "$(cat $dir/comm)" != ${program} ] || kill -9 "\${dir#/proc/}"; done 2>/dev/null; true`;
      await session.sh(kill);
      // The first look at them makes them again.
      assert.deepEqual(await states(), ["MOUNTED", "MOUNTED", "MOUNTED"]);
      await allThere("after describe");
      await session.sh(kill);
      const met = await session.run("cat /mnt/data/kept");
      assert.match(met.stderr, /Transport endpoint is not connected/);
      await allThere("after a command has met a dead mount");
      await session.close();
    });

    // What follows does not depend on the program.
    if (program === "rclone") return;

    it("are there on a disk that is nearly full", async () => {
      const full = await world.opened("full", { bucketMounts: [{ bucket: "DATA", mountPath: "/mnt/data" }], destroyOnClose: true });
      // Less than a tenth of what the program's directory lies on is free.
      const own = "/var/lib/snapshotter/mounts";
      await full.sh(`umount /mnt/data && mount -t tmpfs -o size=600m none ${own} && fallocate -l 500M ${own}/filled`);
      // A new object mounts what is not mounted.
      await world.worker.restart();
      assert.equal(await full.sh("cat /mnt/data/kept && echo written >/mnt/data/written && cat /mnt/data/written"), "kept\nwritten\n");
      await full.close();
    });

    it("stay out of a machine's snapshots", async () => {
      const machine = await world.opened("machine", { persist: "machine", bucketMounts: [{ bucket: "DATA", mountPath: "/run/data" }], destroyOnClose: true });
      await machine.sh("cat /run/data/kept && echo installed >/opt/installed");
      await machine.snapshot();
      const size = async () => (await Promise.all((await world.r2Keys()).filter((key) => key.endsWith("machine.sqsh")).map((key) => world.r2Bytes(key)))).reduce((sum, { length }) => sum + length, 0);
      assert.ok((await size()) < 200_000, `${await size()}`);
      await world.removeContainers();
      assert.equal(await machine.sh("cat /opt/installed /run/data/kept"), "installed\nkept\n");
      assert.deepEqual(await states(machine), ["MOUNTED"]);
      await machine.close();
    });

    it("whose program hangs are shown so, and are there once it goes on", async () => {
      const hung = await world.opened("hung", { bucketMounts: [{ bucket: "DATA", mountPath: "/mnt/data" }], destroyOnClose: true });
      const signal = (name: string) => `for dir in /proc/[0-9]*; do [ "$(cat $dir/comm)" != s3fs ] || kill -${name} "\${dir#/proc/}"; done`;
      await hung.sh(signal("STOP"));
      assert.deepEqual(await states(hung), [["FAILED", "the program of the mount does not answer"]]);
      await hung.sh(signal("CONT"));
      assert.deepEqual(await states(hung), ["MOUNTED"]);
      assert.equal(await hung.sh("cat /mnt/data/kept"), "kept\n");
      await hung.close();
    });

    it("that can't be mounted fail no call, and describe says why", async () => {
      const failing = await world.opened("failing", { bucketMounts: [{ bucket: "DATA", mountPath: "/home" }, { bucket: "LOGS", mountPath: "/mnt/logs", prefix: "/2024" }], destroyOnClose: true });
      assert.equal(await failing.sh("cat /mnt/logs/in"), "in");
      const [[state, problem], second] = await states(failing);
      assert.deepEqual([state, second], ["FAILED", "MOUNTED"]);
      assert.match(problem, /not empty/);
      await world.logged(({ event }) => event === "mount.failed");
      await failing.sh("rm -r /home/*");
      assert.deepEqual(await states(failing), ["MOUNTED", "MOUNTED"]);
      await failing.close();
    });
  });
}
