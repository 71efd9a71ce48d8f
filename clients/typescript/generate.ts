/** generate.ts DIRECTORY: writes src/generated/ of this client there, from docs/openapi.json. */

import * as fs from "node:fs";
import * as path from "node:path";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import type ts from "typescript";

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: object };
  responses: Record<string, { content?: object }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses?: object };
}

const ROOT = path.resolve(import.meta.dirname, "../..");
const HEADER = "// Made from docs/openapi.json by clients/generate.sh.\n";

const document = JSON.parse(fs.readFileSync(path.join(ROOT, "docs/openapi.json"), "utf8")) as Document;
const operations = Object.entries(document.paths).flatMap(([route, item]) =>
  Object.entries(item).map(([method, operation]) => ({ route, method: method.toUpperCase(), operation })),
);

/** The types of arguments and answers. */
async function types(): Promise<string> {
  // Errors have one shape, and the client never asks for 202. Without these the file is a third as long.
  for (const { operation } of operations) {
    const answers = Object.entries(operation.responses).filter(([status]) => status === "200" || status === "201");
    operation.responses = Object.fromEntries(answers.map(([status, { content }]) => [status, { description: "", ...(content && { content }) }]));
  }
  delete document.components.responses;
  const nodes = await openapiTS(document as unknown as OpenAPI3, {
    // A field with a default may be left out of a request.
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    alphabetize: true,
  });
  // `operations` has all that `paths` has.
  const needless = ["paths", "webhooks", "$defs"];
  const kept = nodes.filter((node) => !("name" in node && needless.includes((node.name as ts.Identifier).text)));
  return `${HEADER}\n${astToString(kept)}`;
}

/** How each operation is called. */
function table(): string {
  const rows = operations
    .map(({ route, method, operation }) => {
      const header = (name: string) => operation.parameters?.some((parameter) => parameter.in === "header" && parameter.name === name);
      const flags = [
        "application/json" in (operation.requestBody?.content ?? {}) && "json: true",
        header("Idempotency-Key") && "keyed: true",
        header("Operation-Id") && "named: true",
      ].filter((flag) => flag);
      return `  ${operation.operationId}: { ${[`method: "${method}"`, `path: "${route}"`, ...flags].join(", ")} },\n`;
    })
    .sort();
  return `${HEADER}
import type { operations } from "./openapi.ts";

export interface Route {
  method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  path: string;
  /** Its arguments are a JSON body; otherwise they are the query. */
  json?: true;
  /** It accepts an \`Idempotency-Key\`. */
  keyed?: true;
  /** It accepts an \`Operation-Id\`, and can be cancelled by it. */
  named?: true;
}

export const ROUTES: Record<keyof operations, Route> = {
${rows.join("")}};
`;
}

/** The session's method for each operation: the first that calls it. */
function methods(): string {
  const source = ["workspace.ts", "session.ts"].map((file) => fs.readFileSync(path.join(import.meta.dirname, "src", file), "utf8")).join("");
  const found = new Map<string, string>();
  let method = "";
  for (const [, name, id] of source.matchAll(/^ {2}(?:async )?\*?(\w+)[(<]|this\.(?:call|stream)\("(\w+)"/gm)) {
    if (name !== undefined) method = name;
    else if (id !== undefined && !found.has(id)) found.set(id, method);
  }
  const rows = [...found].sort().map(([id, name]) => `  ${id}: "${name}",\n`);
  return `// Made from workspace.ts and session.ts by clients/generate.sh.

export const METHODS: Record<string, string> = {
${rows.join("")}};
`;
}

/** A class for each published code. */
function errors(): string {
  const { oneOf } = document.components.schemas["ErrorCode"] as { oneOf: { const: string; description: string }[] };
  const codes = oneOf.map(({ const: code, description }) => ({
    code,
    description: description.replaceAll("\n", " "),
    name: `${code.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Error`,
  }));
  const classes = codes.map(({ code, description, name }) => `
/** \`${code}\`: ${description} */
export class ${name} extends SnapshotterError {
  declare readonly code: "${code}";
}
`);
  return `${HEADER}
import { SnapshotterError } from "../errors.ts";
import type { ErrorCode } from "./openapi.ts";
${classes.join("")}
export const ERRORS: Record<ErrorCode, typeof SnapshotterError> = {
${codes.map(({ code, name }) => `  ${code}: ${name},\n`).join("")}};
`;
}

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("usage: generate.ts DIRECTORY");
fs.mkdirSync(directory, { recursive: true });
fs.writeFileSync(path.join(directory, "operations.ts"), table());
fs.writeFileSync(path.join(directory, "methods.ts"), methods());
fs.writeFileSync(path.join(directory, "errors.ts"), errors());
fs.writeFileSync(path.join(directory, "openapi.ts"), await types());
