/** A generator of clients takes the published document whole, and what it writes compiles. clients/ uses it on a part. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { ROOT } from "../../tools/local-worker.ts";

test("types that openapi-typescript writes compile", { timeout: 60_000 }, async (t) => {
  const document = JSON.parse(fs.readFileSync(path.join(ROOT, "docs/openapi.json"), "utf8")) as OpenAPI3;
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "generated-"));
  t.after(() => fs.rmSync(directory, { recursive: true }));
  const file = path.join(directory, "openapi.ts");
  fs.writeFileSync(file, astToString(await openapiTS(document, { enum: true, rootTypes: true })));
  const program = ts.createProgram([file], { strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ESNext });
  const problems = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  assert.deepEqual(problems, []);
});
