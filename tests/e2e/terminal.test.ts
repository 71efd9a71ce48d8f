/** Terminals: a WebSocket's shell in a real container. */

import assert from "node:assert/strict";
import { once } from "node:events";
import * as http from "node:http";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fails, TOKEN, until, useWorld, type Session } from "./support.ts";

const TOKEN_KEYS = "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

const world = useWorld({ vars: { TOKEN_KEYS } });

type Told = { started?: { terminal: string; resumed: boolean }; exited?: { exitCode: number }; error?: { code: string }; omitted?: number };

/** A viewer of a terminal. It confirms what it gets, unless it is told not to. */
class Viewer {
  readonly socket: WebSocket;
  readonly told: Told[] = [];
  printed = "";
  bytes = 0;
  confirms = true;
  readonly closed: Promise<CloseEvent>;

  constructor(session: Session, query = "", init: object = { headers: { authorization: `Bearer ${TOKEN}` } }) {
    this.socket = new WebSocket(`${address(session)}${query}`, init as string[]);
    this.socket.binaryType = "arraybuffer";
    this.closed = once(this.socket, "close").then(([event]) => event as CloseEvent);
    this.socket.addEventListener("message", ({ data }: { data: string | ArrayBuffer }) => {
      if (typeof data === "string") return void this.told.push(JSON.parse(data));
      this.printed += Buffer.from(data).toString("utf8");
      this.bytes += data.byteLength;
      if (this.confirms) this.say({ received: this.bytes });
    });
  }

  type(text: string): void {
    this.socket.send(Buffer.from(text));
  }

  say(said: object): void {
    this.socket.send(JSON.stringify(said));
  }

  /** Waits for output. What a shell echoes of a command does not count: tests look for what only its run prints. */
  async prints(pattern: RegExp): Promise<string> {
    await until(`${pattern} in the output`, async () => pattern.test(this.printed));
    const { printed } = this;
    this.printed = "";
    return printed;
  }

  async started(): Promise<{ terminal: string; resumed: boolean }> {
    await until("the terminal has started", async () => this.told.length > 0);
    return this.told[0]!.started!;
  }
}

function address(session: Session): string {
  return `${session.world.worker.url.replace(/^http/, "ws")}/v1/sessions/${session.id}/terminal`;
}

/** The answer to a handshake that is refused. */
async function refusal(session: Session, headers: Record<string, string>, query = ""): Promise<{ status: number; code: string }> {
  const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  const request = http.get(`${address(session).replace(/^ws/, "http")}${query}`, { headers: { ...upgrade, ...headers } });
  const [response] = (await Promise.race([once(request, "response"), once(request, "upgrade")])) as [http.IncomingMessage];
  if (response.statusCode === 101) {
    request.destroy();
    return { status: 101, code: "" };
  }
  const body = JSON.parse(await text(response)) as { error: { code: string } };
  return { status: response.statusCode!, code: body.error.code };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("a terminal", () => {
  it("is a real one: size, Ctrl-C, full-screen programs, the exit code", async () => {
    const session = await world.opened("real", { envVars: { FROM_CONFIG: "configured" } });
    const viewer = new Viewer(session, "?cols=100&rows=30");
    assert.equal((await viewer.started()).resumed, false);
    viewer.type("stty size; tty; pwd; echo $TERM $FROM_CONFIG\n");
    const printed = await viewer.prints(/xterm-256color configured/);
    assert.match(printed, /^30 100\r$/m);
    assert.match(printed, /^\/dev\/pts\/\d+\r$/m);
    assert.match(printed, /^\/workspace\r$/m);
    viewer.say({ resize: { cols: 133, rows: 51 } });
    await until("the size has changed", async () => {
      viewer.printed = "";
      viewer.type("stty size\n");
      return /^51 133\r$/m.test(await viewer.prints(/^\d+ \d+\r$/m));
    });
    viewer.type("sleep 1000; echo slept=$?\n");
    await until("it sleeps", async () => (await session.sh("ps -ef")).includes("sleep 1000"));
    viewer.type("\x03");
    viewer.type("echo after=$?\n");
    assert.doesNotMatch(await viewer.prints(/after=130/), /slept=\d/);
    viewer.type("less /etc/passwd\n");
    // The alternate screen.
    await viewer.prints(/\x1b\[\?1049h[^]*root:/);
    viewer.type("q");
    await viewer.prints(/\x1b\[\?1049l/);
    viewer.type("exit 7\n");
    assert.equal((await viewer.closed).code, 1000);
    assert.deepEqual(viewer.told.at(-1), { exited: { exitCode: 7 } });
  });

  it("is there again for a viewer that comes back, and ends without one", async () => {
    const session = await world.opened("back");
    const first = new Viewer(session);
    const { terminal } = await first.started();
    first.type("KEPT=here; (sleep 2; echo while=$KEPT) & echo begun=$KEPT\n");
    await first.prints(/begun=here/);
    first.socket.close();
    await first.closed;
    await until("it has noticed", async () => world.logLines().some(({ event, outcome }) => event === "sandbox.terminal.end" && outcome === "detached"));
    const second = new Viewer(session, `?terminal=${terminal}&cols=90&rows=20`);
    assert.deepEqual(await second.started(), { terminal, resumed: true });
    await second.prints(/while=here/);
    second.type("echo still=$KEPT; stty size\n");
    assert.match(await second.prints(/still=here[^]*\d+ \d+\r/), /^20 90\r$/m);
    // Another one takes it over.
    const third = new Viewer(session, `?terminal=${terminal}`);
    assert.equal((await second.closed).reason, "CONFLICT");
    await third.started();
    third.type("exit\n");
    await third.closed;
    const fourth = new Viewer(session, `?terminal=${terminal}`);
    assert.equal((await fourth.started()).resumed, false);
    fourth.socket.close();
    await fourth.closed;
  });

  it("leaves a command alone that runs beside a flood, and sends its viewer no more than it takes", async () => {
    const session = await world.opened("flood");
    const viewer = new Viewer(session);
    await viewer.started();
    viewer.confirms = false;
    viewer.type("yes | head -c 20000000; echo flood=$?\n");
    await until("the window is full", async () => viewer.bytes >= 1024 * 1024);
    assert.match(await session.sh("echo beside"), /beside/);
    await until("the flood is over", async () => !(await session.sh("ps -ef")).includes("head -c 20000000"));
    assert.ok(viewer.bytes <= 1024 * 1024 + 300_000, `${viewer.bytes} bytes came`);
    viewer.confirms = true;
    viewer.say({ received: viewer.bytes });
    await viewer.prints(/flood=0/);
    assert.ok(viewer.told.some(({ omitted }) => omitted! > 1_000_000), JSON.stringify(viewer.told));
    viewer.type("exit\n");
    await viewer.closed;
  });

  it("keeps its workspace running, survives a snapshot, and ends with the container", async () => {
    const session = await world.opened("life", { autosave: { everyMs: 60_000 }, sleepAfter: "30s" });
    const viewer = new Viewer(session);
    await viewer.started();
    viewer.type("echo made > in-terminal; echo wr=$?\n");
    await viewer.prints(/wr=0/);
    const { snapshot } = await session.snapshot({ name: "with" });
    await session.http("POST", "/rewind", { ref: snapshot.id });
    assert.equal(await session.sh("cat in-terminal"), "made\n");
    const again = viewer.socket.readyState === WebSocket.OPEN ? viewer : new Viewer(session);
    await again.started();
    await session.http("DELETE", `/workspaces/${(await session.http<{ ref: { ref: { id: string } } }>("GET", "/active-workspace")).ref.ref.id}/container`);
    await again.closed;
    assert.ok(again.told.some(({ error, exited }) => error ?? exited), JSON.stringify(again.told));
    const woken = new Viewer(session);
    await woken.started();
    woken.type("cat in-terminal\n");
    await woken.prints(/^made\r$/m);
    woken.type("exit\n");
    await woken.closed;
  });

  it("is for who may write, by a token in a header or a ticket in a subprotocol, and from no other page", async () => {
    const session = await world.opened("allowed");
    const minted = async (scopes: string[]) => (await session.http<{ token: string }>("POST", "/tokens", { scopes })).token;
    const [reads, writes] = [await minted(["read"]), await minted(["write"])];
    assert.deepEqual(await refusal(session, {}), { status: 401, code: "UNAUTHENTICATED" });
    assert.deepEqual(await refusal(session, bearer(reads)), { status: 403, code: "FORBIDDEN" });
    assert.deepEqual(await refusal(session, {}, `?token=${writes}`), { status: 401, code: "UNAUTHENTICATED" });
    assert.deepEqual(await refusal(session, bearer(writes), "?cols=0"), { status: 400, code: "INVALID_ARGUMENT" });
    assert.deepEqual(await refusal(session, bearer(writes), "?terminal=x"), { status: 400, code: "INVALID_ARGUMENT" });
    const page = { ...bearer(writes), origin: "https://evil.example" };
    assert.deepEqual(await refusal(session, page), { status: 403, code: "FORBIDDEN" });
    const other = await world.opened("allowed-other");
    assert.deepEqual(await refusal(other, bearer(writes)), { status: 403, code: "FORBIDDEN" });
    const plain = await fetch(address(session).replace(/^ws/, "http"), { headers: bearer(writes) });
    assert.equal(plain.status, 400);
    assert.match(await plain.text(), /WebSocket/);

    const ticket = async (of: Session, token: string) => (await world.session(of.id, token).http<{ ticket: string }>("POST", "/tickets", { path: "/terminal" })).ticket;
    const ticketed = await ticket(session, writes);
    const viewer = new Viewer(session, "?cols=90", ["snapshotter", `ticket.${ticketed}`]);
    await viewer.started();
    assert.equal(viewer.socket.protocol, "snapshotter", "the ticket is not repeated");
    viewer.type("exit\n");
    await viewer.closed;
    const offered = (text: string) => ({ "sec-websocket-protocol": `snapshotter, ${text}` });
    const refused = { status: 401, code: "UNAUTHENTICATED" };
    assert.deepEqual(await refusal(session, offered(`ticket.${ticketed}`)), refused, "twice");
    assert.deepEqual(await refusal(session, offered(`ticket.${ticketed.slice(0, -1)}`)), refused, "forged");
    assert.deepEqual(await refusal(session, offered(`bearer.${Buffer.from(writes).toString("base64url")}`)), refused, "a token in its place");
    const elsewhere = offered(`ticket.${await ticket(session, writes)}`);
    assert.deepEqual(await refusal(other, elsewhere), { status: 403, code: "FORBIDDEN" });
    const foreign = { ...offered(`ticket.${await ticket(session, writes)}`), origin: "https://evil.example" };
    assert.deepEqual(await refusal(session, foreign), { status: 403, code: "FORBIDDEN" });
    await fails("FORBIDDEN", ticket(session, reads));
    // A ticket ends with its maker's token.
    const { id, token } = await session.http<{ id: string; token: string }>("POST", "/tokens", { scopes: ["write"] });
    const revoked = await ticket(session, token);
    await session.http("DELETE", `/tokens/${id}`);
    assert.deepEqual(await refusal(session, offered(`ticket.${revoked}`)), refused, "revoked");
    assert.ok(!world.logText().includes(writes) && !world.logText().includes("stk1."));
  });

  it("ends with its token, and so does a stream of events", async () => {
    const session = await world.opened("revoked");
    const { id, token } = await session.http<{ id: string; token: string }>("POST", "/tokens", { scopes: ["write"] });
    const viewer = new Viewer(session, "", { headers: bearer(token) });
    await viewer.started();
    const headers = bearer(token);
    const body = JSON.stringify({ command: "sleep 1000" });
    const events = await fetch(`${address(session).replace(/^ws/, "http").replace(/terminal$/, "commands")}`, { method: "POST", headers, body });
    assert.equal(events.status, 200);
    await session.http("DELETE", `/tokens/${id}`);
    assert.equal((await viewer.closed).reason, "UNAUTHENTICATED");
    assert.equal(viewer.told.at(-1)!.error!.code, "UNAUTHENTICATED");
    await assert.rejects(events.text());
    await until("the command has ended", async () => !(await session.sh("ps -ef")).includes("sleep 1000"));
  });

  it("is refused where only listed programs may run, or nothing may be written", async () => {
    const listed = await world.opened("listed", { capabilities: { shell: { allowlist: ["ls"] } } });
    assert.deepEqual(await refusal(listed, bearer(TOKEN)), { status: 403, code: "FORBIDDEN" });
    const readOnly = await world.opened("reads", { capabilities: { readOnly: true } });
    assert.deepEqual(await refusal(readOnly, bearer(TOKEN)), { status: 403, code: "FORBIDDEN" });
    const without = await world.opened("without", { capabilities: { fs: true } });
    assert.equal((await refusal(without, bearer(TOKEN))).code, "UNSUPPORTED");
    for (const session of [listed, readOnly, without]) assert.ok(!(await world.hasContainer(await session.active())), session.id);
  });

  it("refuses messages that are too large or make no sense, and keeps the shell", async () => {
    const session = await world.opened("hostile");
    const viewer = new Viewer(session);
    const { terminal } = await viewer.started();
    viewer.type("x".repeat(300_000));
    assert.equal((await viewer.closed).code, 1009);
    for (const said of ["{", "[]", '{"resize":{"cols":-1,"rows":1}}', '{"received":"x"}', '{"__proto__":1}']) {
      const next = new Viewer(session, `?terminal=${terminal}`);
      assert.deepEqual(await next.started(), { terminal, resumed: true }, said);
      next.socket.send(said);
      assert.equal((await next.closed).reason, "INVALID_ARGUMENT", said);
      assert.equal(next.told.at(-1)!.error!.code, "INVALID_ARGUMENT");
    }
  });

  it("is open at most eight times", async () => {
    const session = await world.opened("many");
    const viewers = Array.from({ length: 8 }, () => new Viewer(session));
    for (const viewer of viewers) await viewer.started();
    assert.deepEqual(await refusal(session, bearer(TOKEN)), { status: 429, code: "QUOTA_EXCEEDED" });
    for (const viewer of viewers) viewer.type("exit\n");
    for (const viewer of viewers) await viewer.closed;
    const viewer = new Viewer(session);
    await viewer.started();
    viewer.type("exit\n");
    await viewer.closed;
  });
});
