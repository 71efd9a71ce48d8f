// MCP over a real socket: the official SDK's client in both revisions of the protocol, and raw requests that no SDK
// sends.
import assert from "node:assert/strict";
import * as net from "node:net";
import { describe, test } from "node:test";
import { Client, ProtocolError, StreamableHTTPClientTransport, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import type { ExecResult, ProcessLog } from "../../entry/snapshotter.d.ts";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { TOKEN, until, useWorld, type LogLine, type Session } from "./support.ts";

const OLD = "2025-11-25";
const NEW = "2026-07-28";

const world = useWorld();
const address = (session: string) => `${world.worker.url}/v1/sessions/${encodeURIComponent(session)}/mcp`;

async function connect(session: string, mode: VersionNegotiationMode, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "e2e", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}`, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(address(session)), { requestInit }));
  return client;
}

type Called = { isError?: boolean; _meta?: Record<string, unknown>; content: { type: string; text?: string }[]; structuredContent?: unknown };

/**
 * A successful call: returns its structured content. The client checks it against the tool's schema. The text beside it is
 * no JSON.
 */
async function call<T = any>(client: Client, name: string, input: Record<string, unknown> = {}): Promise<T> {
  const result = (await client.callTool({ name, arguments: input })) as Called;
  assert.ok(!result.isError, JSON.stringify(result));
  assert.ok(result.content[0]!.text && !/^[{[]/.test(result.content[0]!.text), result.content[0]!.text);
  return result.structuredContent as T;
}

/** A refused call: returns the error that the model reads. */
async function refused(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const result = (await client.callTool({ name, arguments: input })) as Called;
  assert.equal(result.isError, true, JSON.stringify(result));
  assert.equal(result.structuredContent, undefined);
  const error = result._meta!["snapshotter/error"] as Record<string, unknown>;
  assert.ok(typeof error["hint"] === "string" && error["hint"], `${name} does not say what to do next: ${JSON.stringify(error)}`);
  assert.ok(result.content[0]!.text!.startsWith(`${error["code"]}: ${error["message"]}\nhint:\n${error["hint"]}`), result.content[0]!.text);
  return error;
}

test("a model gets 18 tools in less than 5,000 tokens, unless others are asked for", async (t) => {
  await world.opened("mcp-core");
  const client = await connect("mcp-core", "legacy");
  const { tools } = await client.listTools();
  assert.equal(tools.length, 18);
  const sent = tools.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema }));
  const tokens = countTokens(JSON.stringify([sent, client.getInstructions()]));
  t.diagnostic(`core: ${tokens} tokens`);
  assert.ok(tokens < 5_000, `${tokens}`);
  const [first, second] = ["workspace_stat", "workspace_run"];
  const chosen = await connect("mcp-core", "legacy", { "snapshotter-tools": `${first},${second}` });
  assert.deepEqual((await chosen.listTools()).tools.map(({ name }) => name).sort(), [second, first]);
  await assert.rejects(connect("mcp-core", "legacy", { "snapshotter-tools": "workspace_fly" }), /there is no tool workspace_fly/);
  await world.session("mcp-core").open({ tools: "all" });
  assert.ok((await client.listTools()).tools.length > 40, "a later open changes it");
  // What is not listed can be called.
  assert.equal((await call(chosen, "workspace_ls")).entries.length, 0);
  await Promise.all([client.close(), chosen.close()]);
});

test("the text beside a result is what a person would read", async () => {
  await world.opened("mcp-text");
  const client = await connect("mcp-text", "legacy");
  const text = async (name: string, input: Record<string, unknown>) => ((await client.callTool({ name, arguments: input })) as Called).content[0]!.text!;
  await text("workspace_write_file", { path: "a.py", content: 'print("one")\nprint("two")\n' });
  assert.match(await text("workspace_read_file", { path: "a.py" }), /^print\("one"\)\nprint\("two"\)\n\n/);
  assert.match(await text("workspace_run", { command: "python3 a.py; echo bad >&2; exit 3" }), /^one\ntwo\nstderr:\nbad\n\n(.*, )?exitCode: 3/s);
  assert.match(await text("workspace_grep", { pattern: "two" }), /^a\.py:2:print\("two"\)\n/);
  assert.match(await text("workspace_ls", {}), /- path: a\.py, .*sizeBytes: 26, type: file/);
  assert.match(await text("workspace_read_file", { path: "none" }), /^NOT_FOUND: .*\nhint:\n/);
  const long = await text("workspace_run", { command: "seq 1 100000" });
  assert.ok(long.length < 20_000 && long.startsWith("1\n2\n") && long.includes("\n99999\n100000\n"), `${long.length}`);
  await client.close();
});

test("a command that takes longer than its client waits goes on, followed or not", async () => {
  await world.opened("mcp-long");
  const client = await connect("mcp-long", "legacy");
  for (const [number, options] of [{}, { onprogress: () => {} }].entries()) {
    const asked = { name: "workspace_run", arguments: { command: "echo begun; sleep 4; echo done; exit 3", waitMs: 500 } };
    const answer = (await client.callTool(asked, options)) as Called;
    const { exitCode, stdout, leftRunning } = answer.structuredContent as unknown as ExecResult;
    const process = `run-${number + 1}`;
    assert.deepEqual([exitCode, stdout, leftRunning?.process], [-1, "begun\n", process]);
    assert.match(answer.content[0]!.text!, new RegExp(`still running: .*background process ${process}`));
    const log = async (offset: number) => (await call<ProcessLog>(client, "workspace_logs", { name: process, offset, waitMs: 10_000 }));
    assert.equal((await log(0)).text, "done\n");
    const ended = await until("its end", async () => {
      const { process } = await log(5);
      return process.state === "ended" && process;
    });
    assert.equal(ended.exitCode, 3);
  }
  await client.close();
});

for (const [revision, mode] of [[OLD, "legacy"], [NEW, { pin: NEW }]] as const) {
  describe(`the SDK's client, revision ${revision}`, () => {
    const id = `mcp-${revision}`;

    test("works in a session", async () => {
      await world.opened(id);
      const client = await connect(id, mode);
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      assert.equal(client.getServerVersion()?.name, "snapshotter");
      assert.match(client.getInstructions() ?? "", /snapshot/);

      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map((tool) => tool.name),
        (await world.session(id).tools("core")).map((tool) => tool.name),
      );
      for (const tool of tools) assert.ok(tool.title && tool.description && tool.outputSchema && tool.annotations, tool.name);

      await call(client, "workspace_write_file", { path: "a.txt", content: "one\n" });
      const { snapshot } = await call(client, "workspace_snapshot", { name: "one", description: "first" });
      await call(client, "workspace_write_file", { path: "a.txt", content: "two\n" });
      await call(client, "workspace_restore", { ref: "one" });
      const run = await call<ExecResult>(client, "workspace_run", { command: ["cat", "a.txt"] });
      assert.equal(run.stdout, "one\n");

      const uri = `workspace://${id}/snapshots/${snapshot.id}`;
      const { resources } = await client.listResources();
      assert.deepEqual(resources.map(({ uri, name, description }) => ({ uri, name, description })), [
        { uri, name: "one", description: "first" },
      ]);
      const { contents } = await client.readResource({ uri });
      const [content] = contents as [{ uri: string; mimeType: string; text: string }];
      assert.equal(content.mimeType, "application/json");
      assert.deepEqual(JSON.parse(content.text), await world.session(id).get(snapshot.id));
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), [
        `workspace://${id}/snapshots/{id}`, `workspace://${id}/snapshots/{id}/events`, `workspace://${id}/snapshots/{id}/files/{+path}`,
      ]);
      const file = `${uri}/files/a.txt`;
      assert.deepEqual((await client.readResource({ uri: file })).contents, [{ uri: file, mimeType: "text/plain", text: "one\n" }]);
      await assert.rejects(client.readResource({ uri: `${uri}/files/..%2fetc` }), /INVALID_ARGUMENT.* outside /);
      await client.close();
    });

    test("is told what went wrong, and what to do", async () => {
      const session = `${id}-errors`;
      await world.opened(session);
      const client = await connect(session, mode);
      const missing = await refused(client, "workspace_restore", { ref: "never-taken" });
      assert.equal(missing["code"], "NOT_FOUND");
      assert.match(String(missing["hint"]), /workspace_list_snapshots\b/);
      assert.ok(!("next" in missing), "a model needs one of them");
      assert.equal((await refused(client, "workspace_snapshot", { name: 7 }))["code"], "INVALID_ARGUMENT");
      assert.equal((await refused(client, "workspace_read_file", { path: "../../etc/passwd" }))["code"], "INVALID_ARGUMENT");
      assert.equal((await refused(client, "workspace_read_file", { path: "none" }))["code"], "NOT_FOUND");
      assert.equal((await refused(client, "workspace_read_file", { path: "." }))["code"], "INVALID_ARGUMENT");
      assert.equal((await refused(client, "workspace_grep", { pattern: "(" }))["code"], "INVALID_ARGUMENT");
      assert.equal((await refused(client, "workspace_run", { command: "ls", cwd: "none" }))["code"], "NOT_FOUND");
      await assert.rejects(client.callTool({ name: "workspace_fly", arguments: {} }), (error) => {
        assert.ok(error instanceof ProtocolError);
        assert.equal(error.code, -32602);
        return true;
      });
      const foreign = `workspace://${session}/snapshots/7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db`;
      await assert.rejects(client.readResource({ uri: foreign }), /Resource not found/);
      await client.close();
    });

    test("hears of progress", async () => {
      const session = `${id}-progress`;
      await world.opened(session);
      const client = await connect(session, mode);
      const heard: { progress: number; message?: string | undefined }[] = [];
      const onprogress = (progress: (typeof heard)[number]) => void heard.push(progress);
      await client.callTool({ name: "workspace_run", arguments: { command: "sleep 11" } }, { onprogress });
      const messages = heard.map(({ message }) => message);
      assert.deepEqual(messages.slice(0, 2), ["started", "running the command"]);
      assert.ok(messages.includes("still working"), messages.join());
      assert.deepEqual(heard.map(({ progress }) => progress), heard.map((_, index) => index));
      await client.close();
    });

    test("hears what a command prints, and gets the result it gets without", async () => {
      const session = `${id}-output`;
      await world.opened(session);
      const client = await connect(session, mode);
      const heard: { message?: string; _meta?: Record<string, unknown> }[] = [];
      const onprogress = (progress: object) => void heard.push(progress);
      const told = (stream: string) => heard.filter(({ _meta }) => _meta?.["snapshotter/stream"] === stream).map(({ message }) => message);
      const command = "echo one; echo oops >&2; printf '\\377\\342'; sleep 4; printf '\\202\\254\\n'; exit 3";
      const run = async (input: object, options = {}) => {
        const { structuredContent } = (await client.callTool({ name: "workspace_run", arguments: { ...input } }, options)) as Called;
        const { durationMs: _, ...result } = structuredContent as ExecResult;
        return result;
      };
      const [plain, followed] = await Promise.all([run({ command }), run({ command }, { onprogress })]);
      assert.deepEqual(followed, plain);
      assert.equal(plain.exitCode, 3);
      assert.equal(told("stdout").join(""), plain.stdout);
      assert.ok(told("stdout").length > 1, "while it ran");
      assert.equal(told("stderr").join(""), "oops\n");

      heard.length = 0;
      const flood = { command: "yes | head -c 30000000; echo end" };
      const flooded = await run(flood, { onprogress });
      assert.deepEqual([flooded.exitCode, flooded.stdoutTruncated], [0, true]);
      assert.match(flooded.stdout, /^(y\n){4096}\n\[29983620 bytes left out here: [^\n]*maxOutputBytes\]\n(y\n)*end\n$/);
      assert.ok(flooded.stdout.length < 17_000, `${flooded.stdout.length}`);
      // Without progress events, and over HTTP, for programs.
      assert.deepEqual(await run(flood), flooded);
      const { stdout } = await world.session(session).tool<ExecResult>("workspace_run", { ...flood, maxOutputBytes: 1_048_576 });
      assert.ok(stdout.length > 1_048_000, `${stdout.length}`);
      const bytes = told("stdout").join("").length;
      assert.ok(bytes > 0 && bytes < 270_000, `${bytes}`);
      assert.match(told("stdout").at(-1)!, /\[\d+ bytes left out\]\n(y\n)+end\n$/);

      const refusal = { name: "workspace_run", arguments: { command: "true", cwd: "none" } };
      assert.deepEqual(await client.callTool(refusal, { onprogress }), await client.callTool(refusal));
      await client.close();
    });

    test("cancels a command, which ends with all it started", async () => {
      const session = await world.opened(`${id}-stop`);
      const client = await connect(session.id, mode);
      const controller = new AbortController();
      let child = "";
      const onprogress = ({ message }: { message?: string }) => {
        child ||= /child (\d+)/.exec(message ?? "")?.[1] ?? "";
        if (child) controller.abort();
      };
      const command = "sleep 1000 & echo child $!; wait";
      await assert.rejects(client.callTool({ name: "workspace_run", arguments: { command } }, { signal: controller.signal, onprogress }));
      const runs = async () => (await session.run(["sh", "-c", "kill -0 $0 2>/dev/null", child])).exitCode === 0;
      await until(`process ${child} is gone`, async () => !(await runs()), 30_000);
      const told = (line: LogLine) => line["tool"] === "workspace_run" && line["session"] === session.id && line["outcome"] === "ABORTED";
      await until("the call ends", () => world.logLines().some(told));
      await client.close();
    });

    test("cancels a call, which stops before its next step", async () => {
      const session = await slowToRestore(`${id}-cancel`);
      const client = await connect(session.id, mode);
      const controller = new AbortController();
      const restore = client.callTool(
        { name: "workspace_restore", arguments: { ref: "big" } },
        { signal: controller.signal, onprogress: ({ message }) => void (message === RESTORING && controller.abort()) },
      );
      await assert.rejects(restore);
      assert.equal(await outcomeOfCall(session.id), "ABORTED");
      assert.equal((await session.workspaces()).workspaces.length, 1);
      await client.close();
    });
  });
}

const RESTORING = "restoring the files into a new workspace";

/** A session whose snapshot `big` takes seconds to restore: time enough to cancel the restore. */
async function slowToRestore(id: string): Promise<Session> {
  const session = await world.opened(id);
  await session.run("head -c 200M /dev/urandom >big");
  await session.snapshot({ name: "big" });
  return session;
}

/** The outcome of a session's only tool call. */
async function outcomeOfCall(session: string): Promise<unknown> {
  const calls = () => world.logLines().find((line) => line["tool"] === "workspace_restore" && line["session"] === session);
  return (await until("the call ends", calls))["outcome"];
}

test("a client that speaks both revisions takes the newer one", async () => {
  await world.opened("mcp-auto");
  const client = await connect("mcp-auto", "auto");
  assert.equal(client.getNegotiatedProtocolVersion(), NEW);
  await client.close();
});

test("two clients of a session cancel only their own calls", async () => {
  await world.opened("mcp-two");
  const [one, other] = [await connect("mcp-two", "legacy"), await connect("mcp-two", "legacy")];
  const controller = new AbortController();
  const options = { signal: controller.signal };
  // Both clients number their requests alike, so these two have the same id.
  const calls = [
    one.callTool({ name: "workspace_run", arguments: { command: "sleep 2" } }, options),
    other.callTool({ name: "workspace_run", arguments: { command: "sleep 2; echo done" } }),
  ] as const;
  setTimeout(() => controller.abort(), 500);
  await assert.rejects(calls[0]);
  assert.equal(((await calls[1]) as { structuredContent: ExecResult }).structuredContent.stdout, "done\n");
  await Promise.all([one.close(), other.close()]);
});

/** A request written by hand. */
async function raw(body: string | undefined, headers: Record<string, string> = {}, method = "POST", session = "mcp-raw") {
  const response = await fetch(address(session), {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const json = response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, json };
}

test("raw requests that are no messages are refused, each with why", async () => {
  await world.opened("mcp-raw");
  const meta = { "io.modelcontextprotocol/protocolVersion": NEW, "io.modelcontextprotocol/clientCapabilities": {} };
  const modern = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: meta, ...params } });
  const mirrored = (method: string, name?: string) => ({ "mcp-protocol-version": NEW, "mcp-method": method, ...(name && { "mcp-name": name }) });
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`;
  for (const [body, headers, status, code] of [
    ["", {}, 400, -32700],
    ["{", {}, 400, -32700],
    ['{"jsonrpc":"2.0","id":1e400,"method":"ping"}', {}, 400, -32700],
    [deep, {}, 400, -32700],
    ["[]", {}, 400, -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', {}, 400, -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', {}, 400, -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', {}, 400, -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', {}, 400, -32600],
    ['{"jsonrpc":"2.0","id":[1],"method":"ping"}', {}, 400, -32600],
    ['{"jsonrpc":"2.0","id":1}', {}, 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', {}, 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', {}, 400, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"fly"}', {}, 200, -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', {}, 200, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"workspace_run","arguments":[]}}', {}, 200, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', {}, 200, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', { "mcp-protocol-version": "2024-11-05" }, 400, -32022],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', { accept: "text/html" }, 406, -32600],
    [modern("tools/list"), {}, 400, -32020],
    [modern("tools/list"), { ...mirrored("tools/list"), "mcp-protocol-version": OLD }, 400, -32020],
    [modern("tools/list"), mirrored("tools/call"), 400, -32020],
    [modern("tools/call", { name: "workspace_run" }), mirrored("tools/call", "workspace_rm"), 400, -32020],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', mirrored("tools/list"), 400, -32602],
    [modern("ping"), mirrored("ping"), 404, -32601],
  ] as const) {
    const answer = await raw(body, headers);
    const shown = `${body.slice(0, 100)} ${JSON.stringify(headers)}: ${answer.status} ${answer.text.slice(0, 300)}`;
    assert.equal(answer.status, status, shown);
    assert.equal(answer.json.error.code, code, shown);
    assert.notEqual(answer.json.id, null, shown);
  }
});

test("raw messages are answered by their ids", async () => {
  const unopened = await raw('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}', {}, "POST", "mcp-unopened");
  assert.match(unopened.json.error.message, /never opened \(open it first with open \(a call/);
  assert.equal(unopened.headers.get("mcp-session-id"), null);
  await world.opened("mcp-raw");
  for (const id of ["0", "-1", "9007199254740993", "18446744073709551615", '""', '"größe \\u0000"']) {
    const { status, text } = await raw(`{"jsonrpc":"2.0","id":${id},"method":"ping","unknown":{}}`);
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), { jsonrpc: "2.0", id: JSON.parse(id), result: {} });
    if (/^-?\d+$/.test(id)) assert.ok(text.includes(`"id":${id},`), text);
  }
  for (const method of ["notifications/initialized", "notifications/cancelled", "notifications/none"]) {
    const { status, text } = await raw(`{"jsonrpc":"2.0","method":"${method}","params":{"requestId":5}}`);
    assert.deepEqual([status, text], [202, ""]);
  }
  const introduced = await raw('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}');
  assert.equal(introduced.json.result.protocolVersion, OLD);
  assert.match(introduced.headers.get("mcp-session-id") ?? "", /^[\x21-\x7e]+$/);
});

test("only POST, only with the token, only to a session", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const { status, headers } = await raw(method === "PUT" ? "{}" : undefined, {}, method);
    assert.deepEqual([status, headers.get("allow")], [405, "POST"]);
  }
  assert.equal((await raw("{}", { authorization: "Bearer wrong" })).status, 401);
  assert.equal((await raw("{}", {}, "POST", "a b")).status, 400);
  const never = await raw('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {}, "POST", "mcp-never-opened");
  assert.match(never.json.error.data.error.hint, /open it first with open \(a call/);
});

test("a tool is called without a stream where the client reads none", async () => {
  await world.opened("mcp-raw");
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"workspace_list_workspaces"}}';
  const streamed = await raw(body);
  assert.equal(streamed.headers.get("content-type"), "text/event-stream");
  const [, data] = /^event: message\ndata: (.*)\n\n$/.exec(streamed.text)!;
  const plain = await raw(body, { accept: "application/json" });
  assert.deepEqual(plain.json, JSON.parse(data!));
});

test("closing the stream cancels in the newer revision only", async () => {
  for (const [revision, outcome] of [[OLD, "ok"], [NEW, "ABORTED"]] as const) {
    const session = await slowToRestore(`mcp-gone-${revision}`);
    const meta = {
      progressToken: 1,
      ...(revision === NEW && { "io.modelcontextprotocol/protocolVersion": NEW, "io.modelcontextprotocol/clientCapabilities": {} }),
    };
    const params = { name: "workspace_restore", arguments: { ref: "big" }, _meta: meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const { hostname, port } = new URL(world.worker.url);
    const socket = net.connect(Number(port), hostname);
    socket.write(
      [
        `POST /v1/sessions/${session.id}/mcp HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${TOKEN}`,
        "Accept: application/json, text/event-stream", `MCP-Protocol-Version: ${revision}`, "Mcp-Method: tools/call",
        "Mcp-Name: workspace_restore", `Content-Length: ${Buffer.byteLength(body)}`, "", body,
      ].join("\r\n"),
    );
    let heard = "";
    for await (const chunk of socket) {
      heard += String(chunk);
      if (heard.includes(RESTORING)) break;
    }
    socket.destroy();
    assert.equal(await outcomeOfCall(session.id), outcome);
    assert.equal((await session.workspaces()).workspaces.length, outcome === "ok" ? 2 : 1);
  }
});

test("a panic breaks a stream off instead of leaving it open", async () => {
  const session = await world.opened("mcp-panic");
  const response = await fetch(address(session.id), {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, accept: "application/json, text/event-stream" },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"workspace_run","arguments":{"command":"sleep 60"},"_meta":{"progressToken":1}}}',
  });
  const reader = response.body!.getReader();
  await reader.read();
  await assert.rejects(session.http("POST", "/test-panic"), /INTERNAL/);
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  });
  assert.equal((await session.describe()).status, "open");
});
