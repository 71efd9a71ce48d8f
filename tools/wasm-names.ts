/**
 * Removes the names of functions from a Worker's WebAssembly, and adds them to a logged stack.
 *
 *   node tools/wasm-names.ts split MODULE.wasm NAMES.json     rewrites the module without its names; prints its build id
 *   node tools/wasm-names.ts NAMES.json < LOG                 prints the log with names in its stacks
 *
 * The names are a seventh of the module, and only a person who reads a stack needs them.
 */

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { text } from "node:stream/consumers";

export interface Names {
  /** Id of the build to which the names belong. The Worker logs it with a panic. */
  build: string;
  /** Function names by index. */
  functions: Record<string, string>;
}

const HEADER_BYTES = 8;
const CUSTOM = 0;
const FUNCTION_NAMES = 1;
/** Custom sections that are not needed at run time. */
const DROPPED = ["name", "producers"];

/** Reads WebAssembly's numbers and strings in sequence. */
class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  get ended(): boolean {
    return this.at >= this.#bytes.length;
  }

  /** Reads an unsigned LEB128 number. */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) throw new Error("the module ends in the middle of a number");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  bytes(): Uint8Array {
    const length = this.number();
    const bytes = this.#bytes.subarray(this.at, this.at + length);
    if (bytes.length < length) throw new Error("the module ends in the middle of a section");
    this.at += length;
    return bytes;
  }

  string(): string {
    return new TextDecoder().decode(this.bytes());
  }
}

function functionNames(section: Reader): Record<string, string> {
  const functions: Record<string, string> = {};
  while (!section.ended) {
    const kind = section.number();
    const names = new Reader(section.bytes());
    if (kind !== FUNCTION_NAMES) continue;
    for (let left = names.number(); left > 0; left--) functions[names.number()] = names.string();
  }
  return functions;
}

/** Splits a module into the module without names, and the names. */
export function split(module: Uint8Array): { module: Uint8Array; names: Names } {
  const kept = [module.subarray(0, HEADER_BYTES)];
  let functions: Record<string, string> = {};
  for (const sections = new Reader(module, HEADER_BYTES); !sections.ended; ) {
    const from = sections.at;
    const id = sections.number();
    const content = new Reader(sections.bytes());
    const name = id === CUSTOM ? content.string() : "";
    if (name === "name") functions = functionNames(content);
    if (!DROPPED.includes(name)) kept.push(module.subarray(from, sections.at));
  }
  const without = Buffer.concat(kept);
  const build = createHash("sha256").update(without).digest("hex").slice(0, 16);
  return { module: without, names: { build, functions } };
}

/** Adds function names next to the numbers in a log's stacks. */
export function symbolicate(log: string, { functions }: Names): string {
  return log.replace(/wasm-function\[(\d+)\]/g, (frame, index: string) => {
    const name = functions[index];
    return name === undefined ? frame : `${frame} ${name}`;
  });
}

if (import.meta.main) {
  const [first, ...files] = process.argv.slice(2);
  if (first === "split" && files.length === 2) {
    const [moduleFile, namesFile] = files as [string, string];
    const { module, names } = split(fs.readFileSync(moduleFile));
    if (Object.keys(names.functions).length === 0) throw new Error(`${moduleFile} has no names of functions`);
    fs.writeFileSync(namesFile, JSON.stringify(names));
    fs.writeFileSync(moduleFile, module);
    console.log(names.build);
  } else if (first !== undefined && files.length === 0) {
    const names = JSON.parse(fs.readFileSync(first, "utf8")) as Names;
    process.stdout.write(symbolicate(await text(process.stdin), names));
  } else {
    console.error("usage: node tools/wasm-names.ts split MODULE.wasm NAMES.json\n       node tools/wasm-names.ts NAMES.json < LOG");
    process.exitCode = 2;
  }
}
