/** Generators of clients take the published documents whole, and what they write compiles. clients/ uses some on a part. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test, type TestContext } from "node:test";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { ROOT } from "../../tools/local-worker.ts";

const OPENAPI_3_0 = path.join(ROOT, "docs/openapi-3.0.json");

function scratch(t: TestContext): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "generated-"));
  t.after(() => fs.rmSync(directory, { recursive: true }));
  return directory;
}

for (const published of [path.join(ROOT, "docs/openapi.json"), OPENAPI_3_0]) {
  test(`types that openapi-typescript writes of ${path.basename(published)} compile`, { timeout: 60_000 }, async (t) => {
    const document = JSON.parse(fs.readFileSync(published, "utf8")) as OpenAPI3;
    const file = path.join(scratch(t), "openapi.ts");
    fs.writeFileSync(file, astToString(await openapiTS(document, { enum: true, rootTypes: true })));
    const program = ts.createProgram([file], { strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ESNext });
    const problems = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    assert.deepEqual(problems, []);
  });
}

test("models that datamodel-codegen writes of OpenAPI 3.0 can be imported", { timeout: 60_000 }, (t) => {
  const directory = scratch(t);
  const python = (...args: string[]) =>
    execFileSync(path.join(ROOT, "tools/python.sh"), [path.join(ROOT, "clients/python"), ...args], { cwd: directory, encoding: "utf8" });
  python("-m", "datamodel_code_generator", "--input", OPENAPI_3_0, "--input-file-type", "openapi", "--output", "models.py", "--output-model-type", "pydantic_v2.BaseModel");
  assert.equal(python("-c", 'import models; print(models.SessionView.__name__)'), "SessionView\n");
});

test("OpenAPI 3.0 has nothing that only 3.1 has", () => {
  const document = JSON.parse(fs.readFileSync(OPENAPI_3_0, "utf8")) as { openapi: string; info: object };
  assert.equal(document.openapi, "3.0.3");
  assert.ok(!("summary" in document.info));
  const later = new Set<string>();
  JSON.stringify(document, (name, value: unknown) => {
    const node = Object(value) as { type?: unknown };
    if (Array.isArray(node.type) || node.type === "null") later.add(`${name}: ${JSON.stringify(node.type)}`);
    if ("const" in node || "prefixItems" in node || typeof (node as { exclusiveMinimum?: unknown }).exclusiveMinimum === "number") later.add(name);
    return value;
  });
  assert.deepEqual([...later], []);
});
