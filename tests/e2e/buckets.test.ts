/** A session's buckets, used by S3 clients in real containers: boto3 and rclone as they come. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import type { WorkspaceConfig } from "../../entry/snapshotter.d.ts";
import { ROOT } from "../../tools/local-worker.ts";
import { HERE, TOKEN, fails, useWorld, type Session } from "./support.ts";

const r2 = (name: string) => ({ type: "r2", name });
const world = useWorld({
  env: { DATA: r2("DATA"), LOGS: r2("LOGS"), OTHER: r2("OTHER") },
  vars: { BUCKET_BINDINGS: "DATA, LOGS, BACKUP_BUCKET, MISSING", BUCKET_ENDPOINTS: "https://s3.example.com" },
});

/** The clients, installed on this machine once: containers of a test have no package index. */
const CLIENTS = path.join(ROOT, ".local/clients");
const HOST_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const PYTHON = fs.readFileSync(path.join(HERE, "buckets.py"), "utf8");

// Before anything is connected: a program that waits for these does not notice that a connection was closed.
if (!fs.existsSync(`${CLIENTS}/ready`)) {
  fs.rmSync(CLIENTS, { recursive: true, force: true });
  fs.mkdirSync(CLIENTS, { recursive: true });
  execFileSync("python3", ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--target", `${CLIENTS}/python`, "boto3==1.44.8"], { stdio: "ignore" });
  execFileSync("sh", ["-c", "cd python/botocore/data && find . -mindepth 1 -maxdepth 1 -type d ! -name s3 -exec rm -r {} +"], { cwd: CLIENTS });
  const download = "apt-get download rclone || { apt-get update && apt-get download rclone; }";
  const extract = "dpkg-deb --extract rclone_*.deb deb && mv deb/usr/bin/rclone . && rm -rf deb *.deb";
  // apt is not among the programs that tests may otherwise run.
  execFileSync("/bin/sh", ["-c", `{ ${download}; } >/dev/null 2>&1 && ${extract}`], { cwd: CLIENTS, env: { ...process.env, PATH: HOST_PATH } });
  fs.writeFileSync(`${CLIENTS}/ready`, "");
}

const clients = (names: string[]): Uint8Array =>
  execFileSync("tar", ["--create", "--directory", CLIENTS, ...names], { maxBuffer: 1 << 30 });

const mounts: WorkspaceConfig = {
  bucketMounts: [
    { bucket: "DATA", mountPath: "/data" },
    { bucket: "LOGS", mountPath: "/mnt/logs", prefix: "/2024", readOnly: true },
  ],
};

async function opened(id: string, config: WorkspaceConfig = {}, names = ["python"]): Promise<Session> {
  const session = await world.opened(id, { ...mounts, ...config });
  const url = `${world.worker.url}/v1/sessions/${id}/archive?path=clients`;
  const response = await fetch(url, { method: "PUT", headers: { authorization: `Bearer ${TOKEN}` }, body: clients(names) });
  assert.equal(response.status, 200, await response.text());
  return session;
}

const boto3 = (session: Session, ...steps: string[]) =>
  session.sh(["python3", "-", ...steps], { stdin: PYTHON, env: { PYTHONPATH: "/workspace/clients/python" }, timeoutMs: 300_000 });

describe("a session with buckets", () => {
  let session: Session;

  before(async () => {
    const logs = await world.r2("LOGS");
    await logs.put("2024/in", "in");
    await logs.put("secret", "hidden");
    await logs.put("2025/out", "hidden");
    await (await world.r2("OTHER")).put("k", "hidden");
    session = await opened("buckets", {}, ["python", "rclone"]);
  });

  it("has a store that keeps the contract of its port", async () =>
    assert.equal(await session.sh("curl -sS -X POST 'http://r2.internal/DATA?test-contract'"), "kept"));

  for (const step of ["scope", "objects", "digests", "lists", "large"]) {
    it(`answers boto3: ${step}`, async () => assert.equal(await boto3(session, step), "done\n"));
  }

  it("answers rclone", async () => {
    const rclone = (command: string) => session.sh(`clients/rclone ${command}`, { timeoutMs: 300_000 });
    await session.sh("mkdir -p tree/below && head -c 7000000 /dev/urandom >tree/big && echo small >'tree/below/a b+é' && : >tree/empty");
    await rclone("copy --s3-upload-cutoff 5M --s3-chunk-size 5M tree r2:DATA/tree");
    await rclone("check tree r2:DATA/tree");
    assert.equal(await rclone("cat 'r2:DATA/tree/below/a b+é'"), "small\n");
    assert.deepEqual((await rclone("lsf --recursive r2:DATA/tree")).trim().split("\n").sort(), ["below/", "below/a b+é", "big", "empty"]);
    await session.sh("echo changed >'tree/below/a b+é' && rm tree/empty");
    await rclone("sync tree r2:DATA/tree");
    await rclone("copy r2:DATA/tree back");
    await session.sh("diff -r tree back");
    assert.equal(await rclone("cat r2:LOGS/2024/in"), "in");
    assert.notEqual((await session.run("clients/rclone --retries 1 copy tree r2:LOGS/2024/x")).exitCode, 0);
    assert.notEqual((await session.run("clients/rclone --retries 1 --low-level-retries 1 lsf r2:OTHER")).exitCode, 0);
    await rclone("purge r2:DATA/tree");
    assert.equal(await rclone("size --json r2:DATA/tree").then((text) => JSON.parse(text).count), 0);
    assert.deepEqual(await world.r2Keys("LOGS"), ["2024/in", "2025/out", "secret"]);
  });

  it("shows what it mounts, and that containers here cannot", async () => {
    const { buckets } = await session.tool("workspace_describe");
    assert.deepEqual(buckets.map(({ bucket, url, mount }: Record<string, string>) => [bucket, url, mount]), [
      ["DATA", "http://r2.internal/DATA/", "UNSUPPORTED"],
      ["LOGS", "http://r2.internal/LOGS/2024/", "UNSUPPORTED"],
    ]);
  });

  it("has them again after the object is gone, after a wake and in a branch", async () => {
    const session = await opened("again");
    await world.worker.restart();
    assert.equal(await boto3(session, "scope"), "done\n");
    const { ref } = await session.snapshot();
    await world.removeContainers();
    assert.equal(await boto3(session, "scope"), "done\n");
    await session.switch(await session.branch(ref));
    assert.equal(await boto3(session, "scope"), "done\n");
  });
});

describe("the network's policy", () => {
  it("leaves buckets as they are", async () => {
    for (const mode of ["off", "allowlist"] as const) {
      const network = mode === "off" ? { mode } : { mode, hosts: ["good.example.com"] };
      const session = await opened(`network-${mode}`, { network });
      assert.equal(await boto3(session, "scope"), "done\n", mode);
    }
  });

  it("reaches no bucket without a mount", async () => {
    const session = await world.opened("without", { network: { mode: "allowlist", hosts: ["good.example.com"] } });
    assert.doesNotMatch(await session.sh("env"), /AWS_ENDPOINT|AWS_ACCESS|RCLONE_/);
    const { stdout } = await session.run("curl -s -m 10 http://r2.internal/DATA/k; curl -s -m 10 http://good.example.com/DATA/k -H 'Host: r2.internal'");
    assert.doesNotMatch(stdout, /<Contents>|hello/);
  });
});

describe("an open", () => {
  it("is refused with buckets that the operator does not list", async () => {
    const open = (mount: object) => world.session("refused").open({ bucketMounts: [{ mountPath: "/data", ...mount }] as never });
    await fails("INVALID_ARGUMENT", open({ bucket: "OTHER" }));
    await fails("INVALID_ARGUMENT", open({ bucket: "BACKUP_BUCKET" }));
    await fails("INVALID_ARGUMENT", open({ bucket: "BACKUP_BUCKET", prefix: "/backups/x" }));
    await fails("INVALID_ARGUMENT", open({ bucket: "DATA", mountPath: "/workspace/data" }));
    await fails("INVALID_ARGUMENT", open({ bucket: "b", endpoint: "http://169.254.169.254" }));
    await fails("UNSUPPORTED", open({ bucket: "b", endpoint: "https://s3.example.com" }));
    await fails("NOT_CONFIGURED", open({ bucket: "MISSING" }));
    await fails("NOT_FOUND", world.session("refused").describe());
  });

  it("sets them once", async () => {
    const session = await world.opened("once", mounts);
    await session.open(mounts);
    const { details } = await fails("CONFLICT", session.open({ bucketMounts: [{ bucket: "DATA", mountPath: "/data", prefix: "/x" }] }));
    assert.deepEqual(details!["fields"], ["bucketMounts"]);
  });
});
