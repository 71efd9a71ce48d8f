/**
 * Checks the structure of src/: layers depend in one direction, no circle of files is larger than three, no folder is
 * crowded, and a long file says why. Of cli/, that no file is long. `tools/lint.sh` runs it.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "./local-worker.ts";

const SRC = path.join(ROOT, "src");
const CIRCLE_MAX_FILES = 3;
const FOLDER_MAX_FILES = 25;
const FILE_MAX_LINES = 400;
/** Text in a long file's header, next to the reason. */
const LONG = /^\/\/!(.*\n\/\/!)?.*\bfile is (as )?long\b/m;

/** The folders that each folder of src/ may use, besides itself. */
const BELOW: Record<string, string[]> = {
  domain: [],
  ports: ["domain"],
  support: ["ports", "domain"],
  squashfs: ["ports", "domain", "support"],
  tar_zst: ["squashfs", "ports", "domain", "support"],
  session: ["tar_zst", "squashfs", "ports", "domain", "support"],
  sandbox: ["ports", "domain", "support"],
  operator: ["ports", "domain", "support"],
  directory: ["ports", "domain", "support"],
  gateway: ["ports", "domain", "support"],
  starts: ["ports", "domain", "support"],
  pools: ["ports", "domain", "support"],
  api: ["session", "operator", "directory", "starts", "pools", "sandbox", "tar_zst", "squashfs", "ports", "domain", "support"],
  platform: ["api", "session", "operator", "directory", "starts", "pools", "gateway", "sandbox", "tar_zst", "squashfs", "ports", "domain", "support"],
};

const problems: string[] = [];
const files = fs.readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".rs")).sort();
const texts = new Map(files.map((file) => [file, fs.readFileSync(path.join(SRC, file), "utf8")]));
/** The files without comments, strings and tests, which may use anything. */
const code = new Map([...texts].map(([file, text]) => [file, text
  .replace(/#\[cfg\(test\)\]\n(#\[[^\n]*\]\n)*mod tests \{[\s\S]*$/, "")
  .replace(/\/\/[^\n]*|"(?:\\.|[^"\\])*"/g, "")]));
const isTest = (file: string) => /(^|\/)tests\.rs$/.test(file);
const modules = new Map(files.map((file) => [file.replace(/(\/mod|^lib)?\.rs$/, "").replaceAll("/", "::"), file]));

/** The paths that a file uses, with groups expanded. */
function used(text: string): string[] {
  const expand = (pattern: string): string[] => {
    const group = /^([^{]*)\{([\s\S]*)\}$/.exec(pattern);
    if (!group) return [pattern];
    const parts: string[] = [];
    let depth = 0;
    let part = "";
    for (const letter of `${group[2]},`) {
      if (letter === "{") depth++;
      if (letter === "}") depth--;
      if (letter === "," && depth === 0) {
        if (part.trim()) parts.push(part.trim());
        part = "";
      } else part += letter;
    }
    return parts.flatMap((one) => expand(group[1] + one));
  };
  const imports = [...text.matchAll(/\buse (crate::[^;]+);/g)].flatMap(([, pattern]) => expand(pattern!.replaceAll(/\s+/g, "")));
  const inline = [...text.matchAll(/\bcrate::(?:\w+::)+\w+/g)].map(([whole]) => whole);
  return [...imports, ...inline].map((one) => one.replace(/^crate::/, "").replace(/as\w+$/, ""));
}

/** Names that a module re-exports. */
const passedOn = new Map<string, string>();
for (const [module, file] of modules) {
  for (const [, pattern] of code.get(file)!.matchAll(/\bpub(?:\([^)]*\))? use (crate::[^;]+);/g)) {
    for (const one of used(`use ${pattern};`)) passedOn.set(`${module}::${one.split("::").at(-1)}`, one);
  }
}

/** The file that a path leads to. */
function fileOf(used: string, depth = 0): string | undefined {
  const on = passedOn.get(used);
  if (on && depth < 5) return fileOf(on, depth + 1);
  for (let parts = used.split("::"); parts.length > 0; parts = parts.slice(0, -1)) {
    const file = modules.get(parts.join("::"));
    if (file) return file;
  }
  return undefined;
}

// Methods of types that several files implement: a call on `self` leads from one file to another.
const methods = new Map<string, string>();
for (const [file, text] of code) {
  for (const [, type, body] of text.matchAll(/^impl(?:<[^>]*>)? (\w+)(?:<[^>]*>)? \{\n([\s\S]*?)^\}/gm)) {
    for (const [, name] of body!.matchAll(/^ {4}(?:pub(?:\([^)]*\))? )?(?:const )?(?:async )?fn (\w+)/gm)) methods.set(`${type}.${name}`, file);
  }
}

const leadsTo = new Map(files.map((file) => [file, new Set<string>()]));
for (const [file, text] of code) {
  if (isTest(file)) continue;
  // A re-export does not count as a use.
  for (const one of used(text.replace(/\bpub(\([^)]*\))? use [^;]+;/g, ""))) {
    const to = fileOf(one);
    if (!to || to === file) continue;
    leadsTo.get(file)!.add(to);
    const [from, below] = [file.split("/")[0]!, to.split("/")[0]!];
    if (from !== below && BELOW[from] && !BELOW[from]!.includes(below)) problems.push(`src/${file} uses ${one}: ${from} may not use ${below}`);
  }
  for (const [, type, body] of text.matchAll(/^impl(?:<[^>]*>)? (\w+)(?:<[^>]*>)? \{\n([\s\S]*?)^\}/gm)) {
    for (const [, name] of body!.matchAll(/\bself\s*\.\s*(\w+)\s*\(/g)) {
      const to = methods.get(`${type}.${name}`);
      if (to && to !== file) leadsTo.get(file)!.add(to);
    }
  }
}

/** Tarjan's strongly connected components. */
function circles(): string[][] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const to of leadsTo.get(file)!) {
      if (!index.has(to)) {
        visit(to);
        low.set(file, Math.min(low.get(file)!, low.get(to)!));
      } else if (stack.includes(to)) low.set(file, Math.min(low.get(file)!, index.get(to)!));
    }
    if (low.get(file) === index.get(file)) found.push(stack.splice(stack.indexOf(file)));
  };
  for (const file of files) if (!index.has(file)) visit(file);
  return found;
}

for (const circle of circles()) {
  if (circle.length <= CIRCLE_MAX_FILES) continue;
  const arrows = circle.map((file) => `${file} → ${[...leadsTo.get(file)!].filter((to) => circle.includes(to)).join(", ")}`);
  problems.push([`a circle of ${circle.length} files:`, ...arrows.sort()].join("\n  "));
}
const folders = Map.groupBy(files, (file) => path.dirname(file));
for (const [folder, inside] of folders) {
  if (inside.length > FOLDER_MAX_FILES) problems.push(`src/${folder} has ${inside.length} files, more than ${FOLDER_MAX_FILES}`);
}
for (const file of fs.globSync("cli/**/*.rs", { cwd: ROOT, exclude: (name) => name === "target" })) {
  const lines = fs.readFileSync(path.join(ROOT, file), "utf8").split("\n").length - 1;
  if (lines > FILE_MAX_LINES) problems.push(`${file} has ${lines} lines: split it`);
}
for (const [file, text] of texts) {
  const lines = text.split("\n").length - 1;
  if (lines > FILE_MAX_LINES && !LONG.test(text)) problems.push(`src/${file} has ${lines} lines: split it, or say in its header why the file is long`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
