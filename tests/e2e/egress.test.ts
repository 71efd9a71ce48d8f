/** What containers reach outside, on the real platform's interception, and that secrets are in none of them. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as http from "node:http";
import { describe, it } from "node:test";
import { Response } from "miniflare";
import type { CodeContext, RanInContext } from "../../entry/snapshotter.d.ts";
import { AGENT, TOKEN, fails, until, useWorld, type Session } from "./support.ts";

const SECRET = `zq${randomBytes(12).toString("hex")}zq`;
const OTHER = `zq${randomBytes(12).toString("hex")}zq`;
/** A text that is in a snapshot, after both its halves, so that compression hides it. */
const CONTROL = `zq${randomBytes(12).toString("hex")}zq`;

/** Requests that reached the stand-in for the Internet's servers. */
const reached: { url: string; headers: Record<string, string>; cacheTtl: unknown }[] = [];

const world = useWorld({
  extraWorkers: [AGENT],
  outbound: async (request) => {
    const headers = Object.fromEntries(request.headers);
    reached.push({ url: request.url, headers, cacheTtl: request.cf?.["cacheTtl"] });
    const { hostname, pathname } = new URL(request.url);
    if (pathname === "/away") return new Response(null, { status: 302, headers: { location: "https://other.example.com/stolen" } });
    return new Response(`${hostname} got ${request.method} ${await request.text()}\n`, { headers: { "content-type": "text/plain" } });
  },
});

const network = { mode: "allowlist" as const, hosts: ["good.example.com", "*.below.example.com", "api.example.com", "other.example.com", "plain.example.com"] };
const secrets = {
  KEY: { hosts: ["api.example.com"], header: "Authorization", value: `Bearer ${SECRET}` },
  PLAIN: { hosts: ["http://plain.example.com"], header: "x-plain", value: OTHER },
};
/** Without `fetch`, whose answers here must be documented ones. */
const visit = (url: string, headers: Record<string, string>) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = http.get(url, { headers }, async (response) => {
      resolve({ status: response.statusCode!, text: Buffer.concat(await response.toArray()).toString() });
    });
    request.on("error", reject);
  });
const last = (host: string) => reached.findLast(({ url }) => new URL(url).hostname === host)!;

describe("an allowlist", () => {
  let session: Session;

  it("lets programs reach its hosts over HTTP and HTTPS", async () => {
    session = await world.opened("listed", { network });
    const python = `import urllib.request as u\nfor s in ("http", "https"): print(u.urlopen(s + "://good.example.com/", b"x").read().decode(), end="")`;
    const node = `for (const s of ["http", "https"]) process.stdout.write(await (await fetch(s + "://good.example.com/", { method: "POST", body: "x" })).text())`;
    const expected = "good.example.com got POST x\n".repeat(2);
    assert.equal(await session.sh("for s in http https; do curl -sS $s://good.example.com/ -d x; done"), expected);
    assert.equal(await session.sh(["python3", "-c", python]), expected);
    assert.equal(await session.sh(["node", "--input-type=module", "-e", node]), expected);
    assert.equal(await session.sh("curl -sS https://a.b.below.example.com"), "a.b.below.example.com got GET \n");
    // git, pip and npm complain about the answer, and not about a certificate.
    const programs = await session.run("git ls-remote https://good.example.com/x; pip download --no-input --retries 0 --index-url https://good.example.com/ x; npm view --fetch-retries=0 --registry=https://good.example.com/ x");
    assert.doesNotMatch(programs.stdout + programs.stderr, /certificate|SSL|self.signed|TLS/i);
    for (const program of [/git\//, /pip\//, /npm\//]) assert.ok(reached.some(({ headers }) => program.test(headers["user-agent"] ?? "")), `${program}`);
  });

  it("has a program that keeps on pause, and still tells of it", async () => {
    const flooding = await world.opened("flooding", { network: { mode: "allowlist", hosts: ["good.example.com"] }, destroyOnClose: true });
    const flood = `import collections, urllib.error, urllib.request
seen = collections.Counter()
for n in range(400):
    try: urllib.request.urlopen("http://flood.example.org/")
    except urllib.error.HTTPError as e: seen[f"{e.code} {e.headers['retry-after']}"] += 1
print(*(f"{seen[kind]}: {kind}" for kind in sorted(seen)), sep="\\n")`;
    const { stdout, refusedHosts } = await flooding.run(["python3", "-c", flood]);
    const [refused, paused] = stdout.trim().split("\n").map((line) => line.split(": "));
    assert.deepEqual([refused?.[1], paused?.[1]], ["403 None", "429 1"], stdout);
    assert.ok(Number(refused![0]) >= 100, stdout);
    // What was not looked at again is not counted.
    assert.deepEqual(refusedHosts?.map(({ host }) => host), ["flood.example.org"]);
    const { count } = refusedHosts![0]!;
    assert.ok(count > Number(refused![0]) && count < 400, `${count} ${stdout}`);
    await flooding.close();
  });

  it("refuses all others so that the program, the answer and the event log say which", async () => {
    const python = `import urllib.request as u, urllib.error\ntry: u.urlopen("https://evil-py.example.org/")\nexcept urllib.error.HTTPError as e: print(e.code, e.read().decode())`;
    const node = `const r = await fetch("http://evil-js.example.org/"); console.log(r.status, await r.text())`;
    const curl = await session.run("curl -sS https://evil.example.org/path; curl -sS http://evil.example.org/");
    assert.equal(curl.stdout.split("evil.example.org is refused: it is not in network.hosts").length, 3, curl.stdout);
    assert.deepEqual(curl.refusedHosts, [{ host: "evil.example.org", count: 2 }]);
    assert.match(curl.hint ?? "", /refused evil\.example\.org; .*network\.hosts/);
    for (const [command, host] of [[["python3", "-c", python], "evil-py.example.org"], [["node", "--input-type=module", "-e", node], "evil-js.example.org"]] as const) {
      const { stdout, hint } = await session.run([...command]);
      assert.match(stdout, new RegExp(`^403 ${host} is refused`));
      assert.ok(hint?.includes(host));
    }
    const code = await session.tool("workspace_run_code", { language: "python", code: `import os\nos.system("curl -s https://evil-code.example.org/")` });
    assert.ok(code.hint.includes("evil-code.example.org"), code.hint);
    const events = (await session.eventsOf("egress.refused")).map(({ payload }) => payload as { host: string; count: number });
    assert.deepEqual(events.map(({ host, count }) => [host, count]), [["evil.example.org", 2], ["evil-py.example.org", 1], ["evil-js.example.org", 1], ["evil-code.example.org", 1]]);
    assert.equal((await session.run("curl -s https://good.example.com")).hint, undefined);
    assert.ok(!reached.some(({ url }) => url.includes("evil")));
  });

  it("refuses a host name that is too long for DNS", async () => {
    const host = (length: number) => "a".repeat(length - ".example.org".length) + ".example.org";
    const get = (length: number) => session.run(`curl -sS -w %{http_code} http://good.example.com/ -H 'Host: ${host(length)}'`);
    const asked = await get(253);
    assert.deepEqual([asked.stdout.slice(-3), asked.refusedHosts?.length], ["403", 1], asked.stdout);
    for (const length of [254, 6_000]) {
      const { stdout, refusedHosts } = await get(length);
      assert.deepEqual([stdout, refusedHosts], ["host names of more than 253 characters are refused\n403", undefined]);
    }
  });

  it("is not got round by names, addresses, ports and protocols", async () => {
    const before = reached.length;
    const tricks = [
      `curl -s -m 10 http://good.example.com/ -H 'Host: evil.example.org'`,
      `curl -s -m 10 --resolve good.example.com:443:9.9.9.9 https://good.example.com/ -H 'Host: evil.example.org'`,
      `curl -s -m 10 http://169.254.169.254/latest/meta-data/`,
      `curl -s -m 10 http://2852039166/ -H 'Host: 2852039166'`,
      `curl -s -m 10 http://0xa9fea9fe/ -H 'Host: 0xa9fea9fe'`,
      `curl -s -m 10 http://1.2.3.4/ -H 'Host: [::ffff:169.254.169.254]'`,
      `curl -s -m 10 http://good.example.com/ -H 'Host: good.example.com:22'`,
      `curl -s -m 10 http://good.example.com/ -H 'Host: good.example.com@evil.example.org'`,
      `curl -s -m 10 http://good.example.com/ -H 'Host: good.example.com.evil.example.org'`,
      `printf 'GET http://evil.example.org/ HTTP/1.1\\r\\nHost: good.example.com\\r\\nConnection: close\\r\\n\\r\\n' | timeout 10 bash -c 'exec 3<>/dev/tcp/1.2.3.4/80; cat >&3; cat <&3'`,
      `printf 'CONNECT evil.example.org:443 HTTP/1.1\\r\\nHost: evil.example.org\\r\\n\\r\\n' | timeout 10 bash -c 'exec 3<>/dev/tcp/1.2.3.4/80; cat >&3; cat <&3'`,
      `curl -s -m 10 -k https://1.2.3.4/`,
      `curl -s -m 10 https://good.example.com:8443/`,
      `curl -s -m 10 http://good.example.com:8080/`,
      `printf x | timeout 10 bash -c 'exec 3<>/dev/tcp/1.2.3.4/22; cat >&3; cat <&3'`,
      `curl -s -m 10 -X PUT http://127.0.0.1:39001/egress -d '{"internet":{"enabled":true},"dns":{"allowHostnames":[]}}'; curl -s -m 10 https://1.2.3.4/`,
      `python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2); s.sendto(b"x", ("1.1.1.1", 123)); print(s.recv(9))'`,
    ];
    for (const trick of tricks) {
      const { stdout } = await session.run(trick);
      assert.doesNotMatch(stdout, / got /, trick);
    }
    assert.deepEqual(reached.slice(before), []);
  });

  it("holds after the object is gone, after a wake, in a fork, and cannot be changed", async () => {
    const check = async (which: string) => {
      assert.equal(await session.sh("curl -sS https://good.example.com/"), "good.example.com got GET \n", which);
      const { stdout, hint } = await session.run(`curl -sS https://${which}.example.org/`);
      assert.match(stdout, /is refused/, which);
      assert.ok(hint?.includes(which));
    };
    await session.sh("echo kept >file");
    await world.worker.restart();
    await check("restarted");
    const { ref } = await session.snapshot();
    await world.removeContainers();
    assert.equal(await session.sh("cat file"), "kept\n");
    await check("woken");
    await session.switch(await session.branch(ref));
    await check("branched");
    for (const other of [{ mode: "open" as const }, { ...network, hosts: [...network.hosts, "evil.example.org"] }]) {
      const { details } = await fails("CONFLICT", session.open({ network: other }));
      assert.deepEqual(details!["fields"], ["network"]);
    }
    await fails("INVALID_ARGUMENT", world.opened("both", { network, enableInternet: true }));
    await fails("INVALID_ARGUMENT", world.opened("private", { network: { mode: "allowlist", hosts: ["169.254.169.254"] } }));
    await session.close();
  });

  it("logs what it refuses to code in a context", async () => {
    const other = await world.opened("listed-context", { network, capabilities: { code: { stateful: true } } });
    const { context } = await other.http<CodeContext>("POST", "/code-contexts", { language: "python" });
    const code = `import os\nos.system("curl -s https://evil-context.example.org/")`;
    const { refusedHosts } = await other.http<RanInContext>("POST", `/code-contexts/${context}/run`, { code });
    assert.deepEqual(refusedHosts, [{ host: "evil-context.example.org", count: 1 }]);
    const events = (await other.eventsOf("egress.refused")).map(({ payload }) => payload as { host: string });
    assert.deepEqual(events.map(({ host }) => host), ["evil-context.example.org"]);
  });
});

describe("off", () => {
  for (const [id, config] of [["off", { network: { mode: "off" as const } }], ["off-before", { enableInternet: false }]] as const) {
    it(`reaches nothing, given as ${JSON.stringify(config)}`, async () => {
      const session = await world.opened(id, { ...config, destroyOnClose: true });
      const before = reached.length;
      const { stdout } = await session.run("curl -sS -m 10 http://good.example.com; curl -sS -m 10 -k https://1.2.3.4; curl -sS -m 10 http://1.2.3.4; env | grep -c bundle.crt");
      assert.equal(stdout, "0\n");
      assert.equal(reached.length, before);
      await session.close();
    });
  }
});

/** The files in an archive that have one of these texts. It is unpacked in a container, because compression hides texts. */
function filesWith(texts: string[], archive: Buffer): string {
  const script = `set -e; cat > /tmp/archive; unsquashfs -no-progress -d /tmp/files /tmp/archive >/dev/null; cd /tmp/files; grep -arlF -e ${texts.join(" -e ")} . || [ $? = 1 ]`;
  const ran = spawnSync("docker", ["run", "--rm", "--interactive", "--network", "none", process.env["WORKSPACE_IMAGE"]!, "bash", "-c", script], { input: archive });
  assert.equal(ran.status, 0, ran.stderr.toString());
  return ran.stdout.toString();
}

describe("secrets", () => {
  let session: Session;

  it("go to their hosts on the way out, and replace what the container sends", async () => {
    session = await world.opened("keys", { network, secrets });
    await session.sh("curl -sS https://api.example.com/ -H 'Authorization: Bearer mine'; curl -sS http://plain.example.com/");
    assert.equal(last("api.example.com").headers["authorization"], `Bearer ${SECRET}`);
    assert.equal(last("plain.example.com").headers["x-plain"], OTHER);
    assert.deepEqual([...new Set(reached.map(({ cacheTtl }) => cacheTtl))], [-1], "all pass by the platform's cache");
  });

  it("go nowhere else: not without TLS, not to other hosts, not after a redirect", async () => {
    const before = reached.length;
    await session.sh(`
      curl -sS http://api.example.com/ ; curl -sS https://good.example.com/ ; curl -sS https://plain.example.com/
      curl -sS https://good.example.com/ -H 'Host: other.example.com'
      curl -sS https://x.api.example.com.below.example.com/`);
    const sent = reached.slice(before);
    assert.equal(sent.length, 5);
    for (const { url, headers } of sent) assert.doesNotMatch(JSON.stringify(headers), new RegExp(`${SECRET}|${OTHER}`), url);
    // A server that answers with what it got.
    assert.match(await session.sh("curl -sS -X TRACE https://api.example.com/"), /^TRACE is refused/);
    assert.equal(reached.length, before + 5);
    // The redirect reaches the program, which decides whether to follow it: the Worker does not, with the secret.
    const status = await session.sh("curl -sS -o answer -w '%{http_code}' https://api.example.com/away");
    assert.deepEqual([status, new URL(reached.at(-1)!.url).hostname], ["302", "api.example.com"]);
    await session.sh("curl -sSL https://api.example.com/away");
    assert.equal(last("api.example.com").headers["authorization"], `Bearer ${SECRET}`);
    assert.equal(last("other.example.com").url, "https://other.example.com/stolen");
    assert.equal(last("other.example.com").headers["authorization"], undefined);
  });

  it("reach their hosts from an open network, too, where all else passes by", async () => {
    const open = await world.opened("keys-open", { secrets: { KEY: secrets.KEY }, destroyOnClose: true });
    assert.equal(await open.sh("curl -sS https://api.example.com/"), "api.example.com got GET \n");
    assert.equal(last("api.example.com").headers["authorization"], `Bearer ${SECRET}`);
    await open.run("curl -sS -m 2 https://good.example.com/");
    assert.notEqual(reached.at(-1)!.url, "https://good.example.com/");
    await open.close();
  });

  it("are nowhere to be found: container, processes, disk, snapshots, answers, events, errors, log", async () => {
    const seen: [string, string][] = [];
    const running = session.run("until [ -e stop ]; do curl -sS https://api.example.com/ -o answer; sleep 0.1; done; env; cat answer; cat /proc/self/environ");
    seen.push(["processes", await until("it runs", async () => {
      const text = await session.sh("cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'");
      return text.includes("api.example.com") && text;
    })]);
    // The patterns come by stdin, so that no process has them in its arguments.
    const search = "grep -rlF -f - / --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev 2>/dev/null; true";
    assert.equal(await session.sh(search, { stdin: `${SECRET}\n${OTHER}\n`, timeoutMs: 300_000 }), "");
    const snapshot = await session.snapshot({ name: "with-keys" });
    await session.sh("touch stop");
    seen.push(["a command's answer", JSON.stringify(await running)]);
    for (const route of ["", "/snapshots?includeAuto=true", "/workspaces", "/active-workspace", "/events", "/tools", "/operations"]) {
      seen.push([route, JSON.stringify(await session.http("GET", route))]);
    }
    seen.push(["describe", JSON.stringify(await session.tool("workspace_describe"))]);
    seen.push(["describe over RPC", JSON.stringify(await world.rpc("keys", "describe"))]);
    const wrong = { KEY: { ...secrets.KEY, hosts: ["elsewhere.example.org"] } };
    seen.push(["an error", JSON.stringify(await fails("INVALID_ARGUMENT", session.open({ network, secrets: wrong })))]);
    seen.push(["another error", JSON.stringify(await fails("CONFLICT", session.open({ network, secrets, instanceType: "lite" })))]);
    const bad = { KEY: { ...secrets.KEY, value: `${SECRET}\n` } };
    seen.push(["a third error", JSON.stringify(await fails("INVALID_ARGUMENT", session.open({ network, secrets: bad })))]);
    // A snapshot of a whole machine has what is beside the workspace, too.
    const machine = await world.opened("keys-machine", { persist: "machine", network, secrets, destroyOnClose: true });
    await machine.sh(`curl -sS https://api.example.com/ -o answer; curl -sS http://plain.example.com/ -o /var/log/answer; yes ${CONTROL.slice(0, 14)} ${CONTROL.slice(14)} ${CONTROL} | head -n 100 | tee control > /opt/control; env > /opt/environment`);
    await machine.snapshot();
    await machine.close();
    const controls: string[] = [];
    for (const key of await world.r2Keys()) {
      const bytes = await world.r2Bytes(key);
      seen.push([key, bytes.toString("latin1")]);
      if (!key.endsWith(".sqsh")) continue;
      assert.equal(filesWith([SECRET, OTHER], bytes), "", key);
      const found = filesWith([CONTROL], bytes);
      // The search finds what the bytes themselves don't show.
      if (found !== "") controls.push(found);
      assert.ok(!bytes.includes(CONTROL), key);
    }
    assert.deepEqual(controls.sort(), ["./control\n", "./opt/control\n"]);
    assert.ok(seen.some(([place]) => place.includes(snapshot.ref.ref.backup.id)));
    await session.restore("with-keys");
    seen.push(["log", fs.readFileSync(world.worker.logFile, "utf8")]);
    for (const [place, text] of seen) assert.doesNotMatch(text, new RegExp(`${SECRET}|${OTHER}`), place);
    const { config } = await session.describe();
    assert.deepEqual(config.secrets, { KEY: { ...secrets.KEY, value: "<redacted>" }, PLAIN: { ...secrets.PLAIN, value: "<redacted>" } });
  });

  it("are not given to visitors of the session's servers, whatever they send", async () => {
    const ports = await world.opened("keys-ports", { network: { ...network, previews: true }, secrets, previewPorts: [8000], destroyOnClose: true });
    await ports.tool("workspace_start", { name: "web", command: "python3 -m http.server 8000" });
    const asked = JSON.stringify({ protocol: "https:", hostname: "api.example.com", port: "" });
    const answer = await until("it serves", async () => {
      const headers = { authorization: `Bearer ${TOKEN}`, "x-snapshotter-egress": asked };
      const { status, text } = await visit(`${world.worker.url}/v1/sessions/keys-ports/ports/8000/`, headers);
      assert.doesNotMatch(text, new RegExp(SECRET));
      return status === 200 && text;
    });
    assert.match(answer, /Directory listing/);
    await ports.close();
  });

  it("may be rotated by a later open, and stay as they are if it shows them redacted", async () => {
    const { config } = await session.describe();
    await session.open(config);
    await session.sh("curl -sS https://api.example.com/");
    assert.equal(last("api.example.com").headers["authorization"], `Bearer ${SECRET}`);
    await session.open({ network, secrets: { KEY: { ...secrets.KEY, value: "Bearer rotated" } } });
    await session.sh("curl -sS https://api.example.com/");
    assert.equal(last("api.example.com").headers["authorization"], "Bearer rotated");
    await session.close();
  });

  it("may be added by a later open to a container that runs, and that was not intercepted", async () => {
    const late = await world.opened("keys-late", { destroyOnClose: true });
    const inode = await late.sh("stat -c %i .");
    await late.open({ secrets: { KEY: secrets.KEY } });
    assert.equal(await late.sh("curl -sS -o /dev/null https://api.example.com/ && stat -c %i ."), inode);
    assert.equal(last("api.example.com").headers["authorization"], `Bearer ${SECRET}`);
    await late.close();
  });
});
