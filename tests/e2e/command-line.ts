/** Runs the command line as a user does: as a process, in a home directory of its own, on a terminal or not. */

import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { after, before } from "node:test";
import { HERE, TOKEN, until } from "./support.ts";
import { ROOT } from "../../tools/local-worker.ts";

export const BINARY = path.join(ROOT, "target/cli/debug/snapshotter");
export const home = fs.mkdtempSync(path.join(os.tmpdir(), "snapshotter-cli-"));
export const here = (name: string) => path.join(home, name);

before(() => {
  const args = ["build", "--locked", "--manifest-path", "cli/Cargo.toml", "--target-dir", "target/cli"];
  execFileSync("cargo", args, { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"] });
});
/** A failed test leaves its processes, which would keep this one alive. */
const started = new Set<ChildProcessWithoutNullStreams>();
after(() => {
  for (const child of started) child.kill("SIGKILL");
  fs.rmSync(home, { recursive: true, force: true });
});

function spawned(command: string, args: string[], env: Record<string, string>, cwd: string): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { env, cwd });
  started.add(child.on("close", () => started.delete(child)));
  return child;
}

type Options = { env?: Record<string, string>; cwd?: string };
type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string };

/** The environment of a user who has nothing but a home directory. */
function environment(more: Record<string, string> = {}): Record<string, string> {
  return { HOME: home, PATH: process.env["PATH"]!, TERM: "xterm", ...more };
}

export function start(args: string[], { env, cwd = home }: Options = {}): ChildProcessWithoutNullStreams {
  return spawned(BINARY, args, environment(env), cwd);
}

export async function ended(child: ChildProcessWithoutNullStreams, input?: string): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const [code, signal] = await once(child, "close");
  // Neither output nor errors ever have the token; `tokens create` prints another one.
  assert.ok(!`${stdout}${stderr}`.includes(TOKEN), "the token is in the output");
  return { code, signal, stdout, stderr };
}

/** Runs the command line as the logged-in operator of `session`. */
export function cli(session: string, ...args: string[]): Promise<Ended> {
  return ended(start(["--session", session, ...args]));
}

/** The output of a call that must succeed. */
export async function ok(session: string, ...args: string[]): Promise<string> {
  const result = await cli(session, ...args);
  assert.equal(result.code, 0, `${args.join(" ")}: ${result.stderr}`);
  return result.stdout;
}

export async function json<T = any>(session: string, ...args: string[]): Promise<T> {
  return JSON.parse(await ok(session, "-o", "json", ...args)) as T;
}

/** What a terminal would show, and what is typed into it. */
export class Terminal {
  readonly child: ChildProcessWithoutNullStreams;
  shown = "";

  constructor(args: string[], env: Record<string, string> = {}) {
    this.child = spawned("python3", [path.join(HERE, "cli_pty.py"), BINARY, ...args], environment(env), home);
    this.child.stdout.setEncoding("utf8").on("data", (text) => (this.shown += text));
    this.child.stderr.setEncoding("utf8").on("data", (text) => (this.shown += text));
  }

  /** Types, and waits until the terminal shows something new that matches. */
  async type(text: string, expected: RegExp): Promise<string> {
    const from = this.shown.length;
    this.child.stdin.write(text);
    const isShown = (saw: (state: unknown) => void) => {
      saw(this.shown.slice(from));
      return expected.test(this.shown.slice(from));
    };
    await until(`${expected} is shown`, isShown);
    return this.shown.slice(from);
  }

  async close(): Promise<number | null> {
    const [code] = this.child.exitCode === null ? await once(this.child, "close") : [this.child.exitCode];
    return code;
  }
}

export const mode = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);
export const profiles = () => here(".config/snapshotter/profiles.toml");

export function read(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** A server of ours that answers as it likes. */
export async function serve(listener: RequestListener): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  return { url, [Symbol.asyncDispose]: close };
}
