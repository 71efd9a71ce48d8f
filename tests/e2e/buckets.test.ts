/** A session's buckets, used by S3 clients in real containers: boto3, rclone, the AWS CLI and DuckDB as they come. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as http from "node:http";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import type { WorkspaceConfig } from "../../entry/snapshotter.d.ts";
import { archived, install, startService } from "./s3-clients.ts";
import { HERE, TOKEN, fails, until, useWorld, type Session } from "./support.ts";

install("python", "rclone", "aws", "duckdb");
/** Credentials of the service: id, secret, token. They must be in no place that anyone can see. */
const KEYS = ["id", "secret", "token"].map(() => `zq${randomBytes(12).toString("hex")}zq`);
const [accessKeyId, secretAccessKey, sessionToken] = KEYS as [string, string, string];
const service = await startService(KEYS, ["far", "far-logs", "unmounted"]);
after(() => void service.process.kill());

const r2 = (name: string) => ({ type: "r2", name });
const world = useWorld({
  env: { DATA: r2("DATA"), LOGS: r2("LOGS"), OTHER: r2("OTHER") },
  vars: { SDK_BACKUPS_PREFIX: "sdk/", BUCKET_BINDINGS: "DATA, LOGS, BACKUP_BUCKET, MISSING", BUCKET_ENDPOINTS: `https://s3.example.com, ${service.url}` },
});

const PYTHON = fs.readFileSync(path.join(HERE, "buckets.py"), "utf8");

const mounts: WorkspaceConfig = {
  bucketMounts: [
    { bucket: "DATA", mountPath: "/data" },
    { bucket: "LOGS", mountPath: "/mnt/logs", prefix: "/2024", readOnly: true },
  ],
};

async function opened(id: string, config: WorkspaceConfig = {}, names = ["python"]): Promise<Session> {
  const session = await world.opened(id, { ...mounts, ...config });
  const url = `${world.worker.url}/v1/sessions/${id}/archive?path=clients`;
  const response = await fetch(url, { method: "PUT", headers: { authorization: `Bearer ${TOKEN}` }, body: archived(names) });
  assert.equal(response.status, 200, await response.text());
  return session;
}

const boto3In = (bucket: string, session: Session, ...steps: string[]) =>
  session.sh(["python3", "-", ...steps], { stdin: PYTHON, env: { PYTHONPATH: "/workspace/clients/python", BUCKET: bucket }, timeoutMs: 300_000 });
const boto3 = (session: Session, ...steps: string[]) => boto3In("DATA", session, ...steps);

async function rcloneIn(bucket: string, session: Session): Promise<void> {
  const rclone = (command: string) => session.sh(`clients/rclone ${command}`, { timeoutMs: 300_000 });
  await session.sh("rm -rf tree back && mkdir -p tree/below && head -c 7000000 /dev/urandom >tree/big && echo small >'tree/below/a b+é' && : >tree/empty");
  await rclone(`copy --s3-upload-cutoff 5M --s3-chunk-size 5M tree r2:${bucket}/tree`);
  await rclone(`check tree r2:${bucket}/tree`);
  assert.equal(await rclone(`cat 'r2:${bucket}/tree/below/a b+é'`), "small\n");
  assert.deepEqual((await rclone(`lsf --recursive r2:${bucket}/tree`)).trim().split("\n").sort(), ["below/", "below/a b+é", "big", "empty"]);
  await session.sh("echo changed >'tree/below/a b+é' && rm tree/empty");
  await rclone(`sync tree r2:${bucket}/tree`);
  await rclone(`copy r2:${bucket}/tree back`);
  await session.sh("diff -r tree back");
  await rclone(`purge r2:${bucket}/tree`);
  assert.equal(await rclone(`size --json r2:${bucket}/tree`).then((text) => JSON.parse(text).count), 0);
}

describe("a session with buckets", () => {
  let session: Session;

  before(async () => {
    const logs = await world.r2("LOGS");
    await logs.put("2024/in", "in");
    await logs.put("secret", "hidden");
    await logs.put("2025/out", "hidden");
    await (await world.r2("OTHER")).put("k", "hidden");
    session = await opened("buckets", {}, ["python", "rclone", "aws", "duckdb"]);
  });

  it("has a store that keeps the contract of its port", async () =>
    assert.equal(await session.sh("curl -sS -X POST 'http://r2.internal/DATA?test-contract'"), "kept"));

  for (const step of ["scope", "objects", "digests", "lists", "large", "room"]) {
    it(`answers boto3: ${step}`, async () => assert.equal(await boto3(session, step), "done\n"));
  }

  it("has an address, however often containers ask for it", async () => {
    const script = `
import collections, os, socket
server = next(line.split()[1] for line in open("/etc/resolv.conf") if line.startswith("nameserver"))
def asked(name):
    asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asking.settimeout(10)
    asking.connect((server, 53))
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    asking.send(os.urandom(2) + b"\\x01\\0\\0\\x01" + bytes(6) + labels + b"\\0\\0\\x01\\0\\x01")
    return asking
codes = collections.Counter()
for _ in range(10):
    # Some server is asked for these.
    others = [asked("elsewhere.example") for _ in range(100)]
    codes.update(asking.recv(4096)[3] & 15 for asking in [asked("r2.internal") for _ in range(100)])
print(dict(codes))
`;
    assert.equal(await session.sh(["python3", "-"], { stdin: script }), "{0: 1000}\n");
  });

  it("answers rclone", async () => {
    const rclone = (command: string) => session.sh(`clients/rclone ${command}`, { timeoutMs: 300_000 });
    await rcloneIn("DATA", session);
    assert.equal(await rclone("cat r2:LOGS/2024/in"), "in");
    assert.notEqual((await session.run("clients/rclone --retries 1 copy tree r2:LOGS/2024/x")).exitCode, 0);
    assert.notEqual((await session.run("clients/rclone --retries 1 --low-level-retries 1 lsf r2:OTHER")).exitCode, 0);
    assert.deepEqual(await world.r2Keys("LOGS"), ["2024/in", "2025/out", "secret"]);
  });

  it("answers the AWS CLI", async () => {
    const aws = (command: string) => session.sh(`python3 -m awscli ${command}`, { env: { PYTHONPATH: "/workspace/clients/aws" }, timeoutMs: 300_000 });
    await session.sh("mkdir -p cli/below && head -c 12000000 /dev/urandom >cli/big && echo small >'cli/below/a b+é'");
    await aws("s3 sync cli s3://DATA/cli");
    assert.match(await aws("s3 ls --recursive s3://DATA/cli/"), /12000000 cli\/big\n/);
    await aws("s3 cp s3://DATA/cli/big s3://DATA/cli/copy");
    await aws("s3 mv s3://DATA/cli/copy s3://DATA/cli/moved");
    await aws("s3 cp --recursive s3://DATA/cli cli-back");
    await session.sh("cmp cli/big cli-back/moved && rm cli-back/moved && diff -r cli cli-back");
    assert.equal(await aws("s3 cp 's3://DATA/cli/below/a b+é' -"), "small\n");
    assert.equal(JSON.parse(await aws("s3api head-object --bucket DATA --key cli/big")).ContentLength, 12_000_000);
    assert.notEqual((await session.run("python3 -m awscli s3 cp cli/big s3://LOGS/2024/x", { env: { PYTHONPATH: "/workspace/clients/aws" } })).exitCode, 0);
    await aws("s3 rm --recursive s3://DATA/cli");
    assert.ok(!(await world.r2Keys("DATA")).some((key) => key.startsWith("cli/")));
  });

  it("answers DuckDB", async () => {
    const script = `
import duckdb, glob
db = duckdb.connect()
db.execute("LOAD '" + glob.glob("/workspace/clients/duckdb/**/httpfs.duckdb_extension", recursive=True)[0] + "'")
for option in ["s3_endpoint='r2.internal'", "s3_use_ssl=false", "s3_url_style='path'"]: db.execute("SET " + option)
db.execute("COPY (SELECT i, i * i AS square FROM range(300000) t(i)) TO 's3://DATA/duck/squares.parquet'")
db.execute("COPY (SELECT 'é' AS a) TO 's3://DATA/duck/more.csv'")
print(db.sql("SELECT max(square) FROM 's3://DATA/duck/*.parquet' WHERE i < 1000").fetchall(), db.sql("SELECT count(*) FROM glob('s3://DATA/duck/*')").fetchall(), db.sql("SELECT a FROM 's3://DATA/duck/more.csv'").fetchall())
`;
    const told = await session.sh(["python3", "-"], { stdin: script, env: { PYTHONPATH: "/workspace/clients/duckdb" }, timeoutMs: 300_000 });
    assert.equal(told, "[(998001,)] [(2,)] [('é',)]\n");
  });

  it("shows what it mounts, and that containers here cannot", async () => {
    const { buckets } = await session.tool("workspace_describe");
    const shown = buckets.map(({ bucket, url, mount, mountProblem }: Record<string, string>) => [bucket, url, mount, mountProblem]);
    assert.deepEqual(shown, [
      ["DATA", "http://r2.internal/DATA/", "UNSUPPORTED", "the container has no /dev/fuse"],
      ["LOGS", "http://r2.internal/LOGS/2024/", "UNSUPPORTED", "the container has no /dev/fuse"],
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

describe("buckets of another service", () => {
  const credentials = { accessKeyId, secretAccessKey, sessionToken, region: "eu-test-1" };
  const at = (bucket: string, more: object = {}) => ({ bucket, mountPath: `/mnt/${bucket}`, endpoint: service.url, credentials, ...more });
  const far: WorkspaceConfig = { bucketMounts: [at("far"), at("far-logs", { prefix: "/2024", readOnly: true })] };
  let session: Session;

  before(async () => {
    session = await opened("far", far, ["python", "rclone"]);
  });

  it("are held to their mounts, and redirects are not followed", async () => {
    assert.equal(await boto3(session, "far"), "done\n");
    assert.ok(service.requests.some((line) => line.startsWith("GET /far/moved")));
    assert.ok(!service.requests.some((line) => /elsewhere|unmounted|secret$/.test(line.split(" AWS4")[0]!)), service.requests.join("\n"));
  });

  for (const step of ["objects", "lists", "large"]) {
    it(`answer boto3: ${step}`, async () => assert.equal(await boto3In("far", session, step), "done\n"));
  }

  it("answer rclone, with every request signed", async () => {
    await rcloneIn("far", session);
    const refused = service.requests.filter((line) => /(AccessDenied|Invalid\w+|Mismatch|DoesNotMatch)$/.test(line));
    assert.deepEqual(refused, []);
    assert.ok(service.requests.length > 100);
  });

  it("show their credentials nowhere, not even if the service names them", async () => {
    const wrong = await world.opened("far-wrong", { bucketMounts: [at("far", { credentials: { ...credentials, region: "eu-test-2" } })] });
    const seen = [await wrong.sh("curl -sS -i http://r2.internal/far/2024/in; curl -sS -i 'http://r2.internal/far?list-type=2'; curl -sSI http://r2.internal/far/2024/in")];
    assert.match(seen[0]!, /AccessDenied.*refuses the session's credentials/);
    await session.snapshot();
    seen.push(await session.sh("env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; curl -sS -i http://r2.internal/far/2024/in"));
    seen.push(JSON.stringify([await session.describe(), await session.tool("workspace_describe"), await session.http("GET", "/events"), await session.http("GET", "/snapshots"), await session.http("GET", "/operations")]));
    for (const key of await world.r2Keys()) seen.push((await world.r2Bytes(key)).toString("latin1"));
    for (const problem of [{ ...credentials, region: "a b" }, { ...credentials, secretAccessKey: `${secretAccessKey}\n` }, [accessKeyId]]) {
      const mount = at("far", { credentials: problem });
      seen.push(JSON.stringify(await fails("INVALID_ARGUMENT", world.session("far-invalid").open({ bucketMounts: [mount] } as never))));
    }
    seen.push(world.logText());
    for (const [index, text] of seen.entries()) for (const key of KEYS) assert.ok(!text.includes(key), `a credential is in ${index}: ${text.slice(0, 2_000)}`);
  });

  it("do not give them to visitors of the session's servers, whatever they send", async () => {
    const ports = await world.opened("far-ports", { ...far, previewPorts: [8000], destroyOnClose: true });
    await ports.tool("workspace_start", { name: "web", command: "python3 -m http.server 8000" });
    const headers = { authorization: `Bearer ${TOKEN}`, "x-snapshotter-buckets": "which" };
    // Without `fetch`, whose answers here must be documented ones.
    const visit = () => new Promise<string>((resolve, reject) => {
      http.get(`${world.worker.url}/v1/sessions/far-ports/ports/8000/`, { headers }, (response) => void response.toArray().then((chunks) => resolve(Buffer.concat(chunks).toString()))).on("error", reject);
    });
    await until("it serves", async () => {
      const text = await visit();
      assert.ok(!KEYS.some((key) => text.includes(key)), text);
      return text.includes("Directory listing");
    });
    await ports.close();
  });

  it("get new credentials by a later open, from the next request on", async () => {
    const config = (await session.describe()).config as WorkspaceConfig;
    assert.equal(config.bucketMounts![0]!.credentials!.secretAccessKey, "<redacted>");
    // What is shown can be sent back.
    await session.open(config);
    assert.equal(await session.sh("curl -sS http://r2.internal/far/2024/in"), "in");
    const changed = (key: string) => ({ bucketMounts: far.bucketMounts!.map((mount) => ({ ...mount, credentials: { ...credentials, secretAccessKey: key } })) });
    await session.open(changed("other"));
    assert.match(await session.sh("curl -sS http://r2.internal/far/2024/in"), /AccessDenied/);
    await session.open(changed(secretAccessKey));
    assert.equal(await session.sh("curl -sS http://r2.internal/far/2024/in"), "in");
  });

  it("are there after the object is gone and after a wake", async () => {
    await world.worker.restart();
    assert.equal(await session.sh("curl -sS http://r2.internal/far/2024/in"), "in");
    await session.snapshot();
    await world.removeContainers();
    assert.equal(await session.sh("curl -sS http://r2.internal/far/2024/in"), "in");
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
    await fails("INVALID_ARGUMENT", open({ bucket: "BACKUP_BUCKET", prefix: "/sdk" }));
    await fails("INVALID_ARGUMENT", open({ bucket: "DATA", mountPath: "/workspace/data" }));
    await fails("INVALID_ARGUMENT", open({ bucket: "b", endpoint: "http://169.254.169.254" }));
    await fails("INVALID_ARGUMENT", open({ bucket: "b", endpoint: `${service.url}/far` }));
    await fails("INVALID_ARGUMENT", open({ bucket: "b", credentials: { accessKeyId, secretAccessKey } }));
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
