// An MCP client with the configuration of mcp.json, which Claude Code and others read. A session token lets it do no more
// than a model should.
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Snapshotter } from "snapshotter-client";

const SESSION = `mcp-${Date.now()}`;
const session = new Snapshotter().session(SESSION);
// The session's configuration selects the tools.
await session.open({ capabilities: { fs: true, shell: true, snapshot: true }, destroyOnClose: true });
const { token: SESSION_TOKEN } = await session.createToken({ scopes: ["read", "write", "snapshot"], ttlSeconds: 3600 });

interface Configuration {
  mcpServers: Record<string, { url: string; headers: Record<string, string> }>;
}

// Clients fill in variables of their environment, as here.
const variables: Record<string, string | undefined> = { ...process.env, SESSION, SESSION_TOKEN };
const text = readFileSync(new URL("mcp.json", import.meta.url), "utf8").replaceAll(/\$\{(\w+)\}/g, (_, name: string) => variables[name] ?? "");
const { workspace } = (JSON.parse(text) as Configuration).mcpServers;
if (!workspace) throw new Error("mcp.json has no server named workspace");

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(workspace.url), { requestInit: { headers: workspace.headers } }));
const { tools } = await client.listTools();
console.log(`${tools.length} tools, such as ${tools.slice(0, 3).map(({ name }) => name).join(", ")}`);

const { structuredContent } = await client.callTool({ name: "workspace_run", arguments: { command: "echo hello from $(uname)" } });
console.log((structuredContent as { stdout: string }).stdout.trim());
await client.close();
await session.close();
