/** The vendors' own converters take the schemas of all tools, as MCP lists them. Nothing is sent to a vendor. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { asSchema, jsonSchema } from "@ai-sdk/provider-utils";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { toStrictJsonSchema } from "openai/lib/transform";
import { ROOT } from "../../tools/local-worker.ts";

interface Tool { name: string; description: string; inputSchema: Record<string, unknown> }

const LISTED = path.join(ROOT, "tests/golden/tools.json");
const tools = JSON.parse(fs.readFileSync(LISTED, "utf8")) as Tool[];

/** The refusals of a converter, by tool. */
const refusals = async (convert: (tool: Tool) => unknown) => {
  const refused: string[] = [];
  for (const tool of tools) {
    try {
      await convert(structuredClone(tool));
    } catch (error) {
      refused.push(`${tool.name}: ${error}`);
    }
  }
  return refused;
};

const typed = (schema: unknown): void => {
  const { type, properties = {}, items, additionalProperties } = schema as Record<string, unknown>;
  assert.equal(typeof type, "string", JSON.stringify(schema));
  if (type === "object") assert.equal(additionalProperties, false);
  Object.values(properties as object).forEach(typed);
  if (items) typed(items);
};

test("the converters of Google, OpenAI, LangChain and Anthropic in Python take all tools", (t) => {
  const script = path.join(ROOT, "tests/vendors/convert.py");
  const printed = execFileSync(path.join(ROOT, "tools/python.sh"), [path.dirname(script), script, LISTED], { encoding: "utf8" });
  const refused = JSON.parse(printed.trim().split("\n").at(-1) ?? "") as Record<string, string[]>;
  assert.equal(Object.keys(refused).length, 6);
  for (const [name, all] of Object.entries(refused)) t.diagnostic(`${name}: ${tools.length - all.length} of ${tools.length}`);
  assert.deepEqual(Object.values(refused).flat(), []);
});

test("the converters of OpenAI, Anthropic and the AI SDK in JavaScript take all tools", async () => {
  assert.deepEqual(await refusals(({ inputSchema }) => {
    // This one refuses fields that may be left out; its Python twin requires them itself.
    const required = Object.keys(inputSchema["properties"] as object);
    typed(toStrictJsonSchema({ ...inputSchema, required } as never));
  }), []);
  assert.deepEqual(await refusals(({ inputSchema }) => {
    const converted = transformJSONSchema(inputSchema);
    assert.equal(converted["additionalProperties"], false);
    assert.deepEqual(Object.keys(converted["properties"] as object), Object.keys(inputSchema["properties"] as object));
  }), []);
  assert.deepEqual(await refusals(async ({ inputSchema }) => {
    assert.deepEqual(await asSchema(jsonSchema(inputSchema as never)).jsonSchema, inputSchema);
  }), []);
});

/** What a client sends to a model of each tool, in the tokens of `o200k_base`. */
const tokens = (sent: Tool[]) => countTokens(JSON.stringify(sent.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema }))));

test("tools fit their budget of tokens", (t) => {
  const all = tokens(tools);
  t.diagnostic(`all ${tools.length} tools: ${all} tokens`);
  assert.ok(all < 10_000, `${all}`);
});
