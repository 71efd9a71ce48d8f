/** openapi-3.0.ts FILE: writes docs/openapi.json there as OpenAPI 3.0.3, for generators that don't read 3.1. */

import * as fs from "node:fs";
import * as path from "node:path";
import { Converter } from "@apiture/openapi-down-convert";

type Json = { [name: string]: unknown };

const BINARY = { type: "string", format: "binary" };

const source = JSON.parse(fs.readFileSync(path.resolve(import.meta.dirname, "../docs/openapi.json"), "utf8")) as object;
const converted = mended(new Converter(source, { allOfTransform: true }).convert()) as { info: Json };
delete converted.info.summary;
fs.writeFileSync(process.argv[2]!, `${JSON.stringify(converted, undefined, 2)}\n`);

/** Mends what the converter leaves as it is in 3.1, and what generators refuse. */
function mended(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== "object" || value === null) return value;
  const node = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isBytes(name, inner) ? { schema: BINARY } : mended(inner)])) as Json;
  // Without it, the field is empty, too.
  if (node.allOf && typeof node.default === "object") delete node.default;
  return withoutNull(node);
}

/** Whether it is a media type that needs no schema in 3.1. */
function isBytes(name: string, value: unknown): boolean {
  return name.includes("/") && JSON.stringify(value) === "{}";
}

/** Alternatives without `{"type": "null"}`, which 3.0 doesn't have. */
function withoutNull({ anyOf, ...node }: Json): Json {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? node : { ...node, anyOf };
  const others = (anyOf as Json[]).filter(({ type }) => type !== "null");
  return { ...node, ...(others.length === 1 ? { allOf: others } : { anyOf: others }), ...(others.length < anyOf.length && { nullable: true }) };
}
