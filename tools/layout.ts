/**
 * Checks the structure of the sources: in src/, cli/ and console/, no circle of files is larger than three, and no
 * folder is in a circle with what lies beside it; in src/, layers depend in one direction, no folder is crowded, and a long file says why it is long; in cli/, no file is long.
 * `tools/lint.sh` runs this.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "./local-worker.ts";

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
  session: ["squashfs", "ports", "domain", "support"],
  sandbox: ["ports", "domain", "support"],
  operator: ["ports", "domain", "support"],
  directory: ["ports", "domain", "support"],
  gateway: ["ports", "domain", "support"],
  starts: ["ports", "domain", "support"],
  pools: ["ports", "domain", "support"],
  api: ["session", "operator", "directory", "starts", "pools", "sandbox", "squashfs", "ports", "domain", "support"],
  platform: ["api", "session", "operator", "directory", "starts", "pools", "gateway", "sandbox", "squashfs", "ports", "domain", "support"],
};

const problems: string[] = [];
type Arrows = Map<string, Set<string>>;

const under = (folder: string, extension: RegExp) =>
  fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter((file) => extension.test(file) && !file.endsWith(".d.ts")).sort();

/** A folder of Rust files, and which of them use which others. */
class Crate {
  readonly files: string[];
  readonly texts: Map<string, string>;
  readonly arrows: Arrows;
  /** The files without comments, strings and tests. Tests may use anything. */
  readonly #code: Map<string, string>;
  readonly #modules: Map<string, string>;
  /** Names that a module re-exports. */
  readonly #passedOn = new Map<string, string>();

  /** Calls `uses` for each path that a file uses, and the file that it leads to. */
  constructor(folder: string, uses: (file: string, path: string, to: string) => void = () => {}) {
    this.files = under(folder, /\.rs$/);
    this.texts = new Map(this.files.map((file) => [file, fs.readFileSync(path.join(ROOT, folder, file), "utf8")]));
    this.#code = new Map([...this.texts].map(([file, text]) => [file, text
      .replace(/#\[cfg\(test\)\]\n(#\[[^\n]*\]\n)*mod tests \{[\s\S]*$/, "")
      .replace(/\/\/[^\n]*|"(?:\\.|[^"\\])*"/g, "")]));
    this.#modules = new Map(this.files.map((file) => [moduleOf(file), file]));
    for (const [module, file] of this.#modules) {
      const text = this.#code.get(file)!;
      for (const [, pattern] of text.matchAll(/\bpub(?:\([^)]*\))? use ([^;]+);/g)) {
        for (const one of used(file, `use ${pattern};`, childrenIn(text))) this.#passedOn.set(`${module}::${one.split("::").at(-1)}`, one);
      }
    }
    this.arrows = this.#findArrows(uses);
  }

  /** The file that a path leads to. */
  #fileOf(used: string, depth = 0): string | undefined {
    const on = this.#passedOn.get(used);
    if (on && depth < 5) return this.#fileOf(on, depth + 1);
    for (let parts = used.split("::"); parts.length > 0; parts = parts.slice(0, -1)) {
      const file = this.#modules.get(parts.join("::"));
      if (file) return file;
    }
    return undefined;
  }

  #findArrows(uses: (file: string, path: string, to: string) => void): Arrows {
    // Methods of types that several files implement: a call on `self` leads from one file to another.
    const methods = new Map<string, string>();
    for (const [file, text] of this.#code) {
      for (const [type, body] of implementations(text)) {
        for (const [, name] of body.matchAll(/^ {4}(?:pub(?:\([^)]*\))? )?(?:const )?(?:async )?fn (\w+)/gm)) methods.set(`${type}.${name}`, file);
      }
    }
    const arrows: Arrows = new Map(this.files.map((file) => [file, new Set<string>()]));
    for (const [file, text] of this.#code) {
      if (/(^|\/)tests\.rs$/.test(file)) continue;
      // A re-export does not count as a use.
      for (const one of used(file, text.replace(/\bpub(\([^)]*\))? use [^;]+;/g, ""), childrenIn(text))) {
        const to = this.#fileOf(one);
        if (!to || to === file) continue;
        arrows.get(file)!.add(to);
        uses(file, one, to);
      }
      for (const [type, body] of implementations(text)) {
        for (const [, name] of body.matchAll(/\bself\s*\.\s*(\w+)\s*\(/g)) {
          const to = methods.get(`${type}.${name}`);
          if (to && to !== file) arrows.get(file)!.add(to);
        }
      }
    }
    return arrows;
  }
}

const moduleOf = (file: string) => file.replace(/(^|\/)(mod|lib|main)\.rs$|\.rs$/, "").replaceAll("/", "::");
const childrenIn = (text: string) => new Set([...text.matchAll(/^(?:pub(?:\([^)]*\))? )?mod (\w+);/gm)].map(([, name]) => name!));
const implementations = (text: string) =>
  [...text.matchAll(/^impl(?:<[^>]*>)? (\w+)(?:<[^>]*>)? \{\n([\s\S]*?)^\}/gm)].map(([, type, body]) => [type!, body!] as const);

/** The parts of `a::{b, c::{d, e}}`. */
function expand(pattern: string): string[] {
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
}

/** The paths that a file uses, from the root of its crate. */
function used(file: string, text: string, children: Set<string>): string[] {
  const here = moduleOf(file);
  const imports = [...text.matchAll(/\buse ([^;]+);/g)].flatMap(([, pattern]) => expand(pattern!.replaceAll(/ as \w+/g, "").replaceAll(/\s+/g, "")));
  const inline = [...text.replaceAll(/\buse [^;]+;/g, "").matchAll(/\b(?:\w+::)+\w+/g)].map(([whole]) => whole);
  return [...imports, ...inline].flatMap((one) => {
    const [first, ...rest] = one.split("::");
    if (first === "crate") return rest.join("::");
    if (children.has(first!)) return [here, one].filter(Boolean).join("::");
    if (first === "self") return [here, ...rest].filter(Boolean).join("::");
    if (first !== "super") return [];
    const above = here.split("::");
    let path = one;
    while (path.startsWith("super::")) {
      path = path.slice("super::".length);
      above.pop();
    }
    return [...above, path].join("::");
  });
}

/** Which files of a folder of TypeScript import which others. */
function importsIn(folder: string): Arrows {
  const files = under(folder, /\.tsx?$/);
  return new Map(files.map((file) => {
    const text = fs.readFileSync(path.join(ROOT, folder, file), "utf8");
    const imported = [...text.matchAll(/\b(?:from |import |import\()"(\.[^"]+)"/g)].map(([, to]) => path.join(path.dirname(file), to!));
    return [file, new Set(imported.filter((to) => files.includes(to)))];
  }));
}

/** Of a folder: which of its files and folders use which others of them. */
function within(folder: string, arrows: Arrows): Arrows {
  const nameOf = (file: string) => (file.startsWith(folder) ? file.slice(folder.length).split("/")[0] : undefined);
  const among: Arrows = new Map();
  for (const file of arrows.keys()) {
    const name = nameOf(file);
    if (name) among.set(name, new Set());
  }
  for (const [file, used] of arrows) {
    for (const name of [...used].map(nameOf)) {
      if (name && name !== nameOf(file)) among.get(nameOf(file) ?? "")?.add(name);
    }
  }
  return among;
}

/** Every folder of these files, with a slash at its end. The root is the empty text. */
const foldersOf = (files: Iterable<string>) =>
  new Set([...files].flatMap((file) => ["", ...[...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index + 1))]));

/** Tarjan's strongly connected components. */
function circles(arrows: Arrows): string[][] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const to of arrows.get(file)!) {
      if (!index.has(to)) {
        visit(to);
        low.set(file, Math.min(low.get(file)!, low.get(to)!));
      } else if (stack.includes(to)) low.set(file, Math.min(low.get(file)!, index.get(to)!));
    }
    if (low.get(file) === index.get(file)) found.push(stack.splice(stack.indexOf(file)));
  };
  for (const file of arrows.keys()) if (!index.has(file)) visit(file);
  return found;
}

const src = new Crate("src", (file, used, to) => {
  const [from, below] = [file.split("/")[0]!, to.split("/")[0]!];
  if (from !== below && BELOW[from] && !BELOW[from]!.includes(below)) problems.push(`src/${file} uses ${used}: ${from} may not use ${below}`);
});
for (const [folder, arrows] of [["src", src.arrows], ["cli/src", new Crate("cli/src").arrows], ["console", importsIn("console")]] as const) {
  for (const circle of circles(arrows)) {
    if (circle.length <= CIRCLE_MAX_FILES) continue;
    const steps = circle.map((file) => `${file} → ${[...arrows.get(file)!].filter((to) => circle.includes(to)).join(", ")}`);
    problems.push([`a circle of ${circle.length} files in ${folder}:`, ...steps.sort()].join("\n  "));
  }
  for (const inner of foldersOf(arrows.keys())) {
    const place = path.join(folder, inner, ".");
    for (const circle of circles(within(inner, arrows))) {
      const isOfFiles = circle.every((name) => /\.\w+$/.test(name));
      if (circle.length > 1 && !isOfFiles) problems.push(`a circle in ${place}: ${circle.sort().join(", ")}`);
    }
  }
}
const folders = Map.groupBy(src.files, (file) => path.dirname(file));
for (const [folder, inside] of folders) {
  if (inside.length > FOLDER_MAX_FILES) problems.push(`src/${folder} has ${inside.length} files, more than ${FOLDER_MAX_FILES}`);
}
for (const file of fs.globSync("cli/**/*.rs", { cwd: ROOT, exclude: (name) => name === "target" })) {
  const lines = fs.readFileSync(path.join(ROOT, file), "utf8").split("\n").length - 1;
  if (lines > FILE_MAX_LINES) problems.push(`${file} has ${lines} lines: split it`);
}
for (const [file, text] of src.texts) {
  const lines = text.split("\n").length - 1;
  if (lines > FILE_MAX_LINES && !LONG.test(text)) problems.push(`src/${file} has ${lines} lines: split it, or say in its header why the file is long`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
