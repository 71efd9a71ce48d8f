/** S3 clients as they come, for a container, and an S3 service, installed on this machine once: containers of a test have no package index. */

import { execFileSync, spawn, type ChildProcess, type ExecFileSyncOptions } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../../tools/local-worker.ts";
import { HERE } from "./support.ts";

/** Apart from `.local/clients`, where `clients.test.ts` installs the published packages. */
const CLIENTS = path.join(ROOT, ".local/s3-clients");
const HOST_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** The container's Python, which is not this machine's. */
const FOR_CONTAINER = ["--python-version", "3.13", "--only-binary=:all:"];

const QUIET: ExecFileSyncOptions = { stdio: ["ignore", "ignore", "inherit"], timeout: 600_000 };
const pip = (target: string, ...args: string[]) =>
  execFileSync("python3", ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--target", target, ...args], QUIET);

/** Installs each at a path. */
const INSTALLS: Record<string, (target: string) => void> = {
  python(target) {
    pip(target, "boto3==1.44.8");
    execFileSync("sh", ["-c", "cd botocore/data && find . -mindepth 1 -maxdepth 1 -type d ! -name s3 -exec rm -r {} +"], { cwd: target });
  },
  rclone(target) {
    const download = "apt-get download rclone || { apt-get update && apt-get download rclone; }";
    const extract = `dpkg-deb --extract rclone_*.deb deb && mv deb/usr/bin/rclone "$0"`;
    // apt is not among the programs that tests may otherwise run.
    const options = { ...QUIET, cwd: path.dirname(target), env: { ...process.env, PATH: HOST_PATH } };
    execFileSync("/bin/sh", ["-c", `{ ${download}; } >/dev/null && ${extract}`, target], options);
  },
  service: (target) => pip(target, "boto3==1.44.8", "moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"),
  aws: (target) => pip(target, ...FOR_CONTAINER, "awscli==1.46.3"),
  // Its extension for S3, signed by DuckDB, comes from DuckDB's own site, or from this package.
  duckdb: (target) => pip(target, ...FOR_CONTAINER, "duckdb==1.4.4", "duckdb-ext-httpfs==1.4.4.20260205"),
};

/** Installs clients. Before anything is connected: a program that waits for these does not notice that a connection was closed. */
export function install(...names: string[]): void {
  fs.mkdirSync(CLIENTS, { recursive: true });
  for (const name of names.filter((name) => !fs.existsSync(`${CLIENTS}/${name}`))) {
    // Another test file may install the same at the same time.
    const own = fs.mkdtempSync(`${CLIENTS}/.installing-`);
    try {
      INSTALLS[name]!(`${own}/${name}`);
      fs.renameSync(`${own}/${name}`, `${CLIENTS}/${name}`);
    } catch (error) {
      if (!fs.existsSync(`${CLIENTS}/${name}`)) throw error;
    } finally {
      fs.rmSync(own, { recursive: true });
    }
  }
}

/** The clients as a tar archive. */
export const archived = (names: string[]): Uint8Array =>
  execFileSync("tar", ["--create", "--directory", CLIENTS, "--exclude=__pycache__", ...names], { maxBuffer: 1 << 30 });

export interface S3Service {
  url: string;
  /** What it was asked, one request a line: method, address and the header `Authorization`. */
  requests: string[];
  process: ChildProcess;
}

/** Starts a service that takes only requests signed with `keys`: id, secret and token. */
export async function startService(keys: string[], buckets: string[]): Promise<S3Service> {
  install("service");
  const env = { ...process.env, PYTHONPATH: `${CLIENTS}/service`, SERVICE_KEYS: keys.join(" "), SERVICE_BUCKETS: buckets.join(" ") };
  const child = spawn("python3", [path.join(HERE, "s3_service.py")], { env, stdio: ["ignore", "pipe", "inherit"] });
  const requests: string[] = [];
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => (/^\d+$/.test(line) ? resolve(line) : requests.push(line)));
    child.once("exit", () => reject(new Error("the S3 service did not start")));
  });
  requests.length = 0;
  return { url: `http://127.0.0.1:${port}`, requests, process: child };
}
